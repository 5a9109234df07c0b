"""One report of a tiny profile, written twice into different folders, for the tests of this folder."""

import shutil
from dataclasses import replace
from math import inf

import pytest

from tests.once import once, worker
from theory.experiments import table1
from theory.experiments.table1.units import Scale
from theory.figures import (
    _figure,
    all_methods,
    exact_errors,
    step_size_map,
    success_rate,
    success_rate_conjecture,
    success_rate_map,
    success_rate_windows,
)
from theory.learners.protocol import Protocol
from theory.report.parts import Request
from theory.report.write import write_report

TINY = "tiny"
SAMPLES = {
    all_methods: all_methods.Size((3,), 20),
    success_rate: success_rate.Size((2, 4), 60),
    success_rate_map: success_rate_map.Size((8,), 20),
    success_rate_conjecture: success_rate_conjecture.Size((4, 8), (1, 2), 20),
    success_rate_windows: success_rate_windows.Size((1.0, 16.0, inf), ((4, 3), (4, 4)), 20),
}
EXPECTED = ("td", "etd", "tdc")  # the others differ in their cost
SCALE = Scale(
    steps=400,
    tuning_seeds=2,
    test_seeds=3,
    protocol=Protocol(step_sizes=(0.05, 0.01), windows=(25,), heads=(1, 2), last_head=4),
)


@pytest.fixture(scope="session")
def tiny():
    """The request; the profile is known to every experiment while the tests run."""
    with pytest.MonkeyPatch.context() as patch:
        for module, size in SAMPLES.items():
            patch.setitem(module.SIZES, TINY, size)
        patch.setitem(table1.PROFILES, TINY, SCALE)
        patch.setitem(step_size_map.FIGURE.sizes, TINY, step_size_map.Settings(between=4.0, along=8.0))
        patch.setitem(exact_errors.SIZES, TINY, exact_errors.Size(400, 3, 1))
        patch.setitem(_figure.SIZES, TINY, _figure.Size(400, 3, (0.05, 0.01)))
        yield replace(Request.of(TINY, seed=3), mutants=1, expected=EXPECTED)


@pytest.fixture(scope="session")
def written(tiny, tmp_path_factory):
    """Folders of two runs from nothing, this process's own copies: some tests write into them."""

    def make(folder):
        files, good = write_report(tiny, folder)
        assert good
        assert sorted(files) == sorted(path for path in folder.iterdir() if path.is_file())

    names = ("first", "second")
    # Every other process begins with the second, so that two are written side by side.
    order = reversed(names) if (worker() or 0) % 2 else names
    made = {name: once(tmp_path_factory, f"report-{name}", make) for name in order}
    own = tmp_path_factory.mktemp("reports")
    return [shutil.copytree(made[name], own / name) for name in names]
