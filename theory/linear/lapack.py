"""SciPy's LAPACK routines, without what importing all of `scipy.linalg` costs: more than NumPy itself.

The routines live in one extension module of SciPy, which is loaded from its file; where it has another name, the
public way, `scipy.linalg.lapack`, gives the same functions.

>>> dgesv(np.array([[2.0]]), np.array([[6.0]]))[2].item()
3.0
"""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from theory.problems.numbers import Array, FloatArray

_NAME = "scipy.linalg._flapack"


def _routines() -> Any:
    if _NAME not in sys.modules:
        files = (Path(scipy.__file__).parent / "linalg" / f"_flapack{suffix}" for suffix in EXTENSION_SUFFIXES)
        path = next((path for path in files if path.is_file()), None)
        spec = None if path is None else spec_from_file_location(_NAME, path)
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    from scipy.linalg import lapack

    return lapack


_lapack = _routines()
dgees, dgeev, dgesdd, dgesv, dpotrf, dsyev, dtrsyl = (
    getattr(_lapack, f"d{name}") for name in ("gees", "geev", "gesdd", "gesv", "potrf", "syev", "trsyl")
)


def eigensystem(matrix: FloatArray) -> tuple[Array, Array, Array]:
    """Eigenvalues (n,), and left and right eigenvectors of length one as columns (n, n), of a finite real matrix."""
    if not np.isfinite(matrix).all():
        raise ValueError("the matrix has entries that are not finite")
    real, imag, left, right, info = dgeev(matrix)
    if info:
        raise np.linalg.LinAlgError(f"the QR algorithm did not converge ({info})")
    return real + 1j * imag, _complex(left, imag), _complex(right, imag)


def _complex(vectors: FloatArray, imag: FloatArray) -> Array:
    """LAPACK returns v and v̄ of a complex pair as two real columns, Re v and Im v."""
    found = vectors.astype(complex)
    first = np.flatnonzero(imag > 0)
    found[:, first] += 1j * vectors[:, first + 1]
    found[:, first + 1] = found[:, first].conj()
    return found
