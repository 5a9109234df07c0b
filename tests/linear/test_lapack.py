"""The routines are SciPy's own, found by a shorter way."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg

from theory.linear import lapack


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_eigensystems_are_those_of_the_public_function(size):
    M = np.random.default_rng(size).normal(size=(size, size))
    values, left, right = lapack.eigensystem(M)
    for ours, theirs in zip((values, left, right), scipy.linalg.eig(M, left=True, right=True), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)  # well-conditioned: some n·eps


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_what_is_not_finite_never_reaches_lapack(bad, capfd):
    with pytest.raises(ValueError, match="not finite"):
        lapack.eigensystem(np.array([[1.0, bad], [0.0, 1.0]]))
    assert capfd.readouterr() == ("", "")


def test_the_public_way_serves_where_the_file_has_another_name(monkeypatch):
    monkeypatch.setattr(lapack, "EXTENSION_SUFFIXES", [])
    assert lapack._routines() is scipy.linalg.lapack


def test_inspect_imports_what_it_uses_and_no_more():
    heavy = (
        "networkx",
        "numpy.random",
        "scipy.linalg",
        "scipy.optimize",
        "scipy.sparse",
        "sympy",
        "matplotlib",
        "numba",
        "pandas",
    )
    code = (
        "import sys; from theory.cli import main\n"
        "try: main(['inspect', 'baird', '--json'])\n"
        f"except SystemExit: sys.exit(repr([name for name in {heavy!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
