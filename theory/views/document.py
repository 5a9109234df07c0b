"""Results as JSON: the contract of DESIGN.md."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np


def jsonable(value: Any) -> Any:
    """Results become their documents, fractions strings, arrays lists, complex numbers pairs; inf and nan null.

    >>> jsonable({"theta": [Fraction(9, 10)], "rho": np.float64(0.5), "lambda": 1 + 2j})
    {'theta': ['9/10'], 'rho': 0.5, 'lambda': [1.0, 2.0]}
    """
    if hasattr(value, "to_dict"):
        return jsonable(value.to_dict())
    if isinstance(value, dict):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, list | tuple):
        return [jsonable(v) for v in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
