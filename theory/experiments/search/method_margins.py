r"""How far methods of the field are on the wanted side, problem by problem, in floats: it only guides the search.

The margin of a mean is its smallest Re λ over its largest |λ|, that of an iteration 1 − ρ, that of a direct method its
smallest singular value over the largest; negated where the method shall fail.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.methods.family import find_method
from theory.model.linear_model import FloatModel
from theory.problems.numbers import FloatArray


def method_margins(
    Phi: FloatArray, P: FloatArray, d: FloatArray, gamma: FloatArray, wanted: tuple[tuple[str, bool], ...]
) -> FloatArray:
    """The smallest wanted margin of each problem; arrays as in a batch."""
    return np.array([_least(Phi[i], P if P.ndim == 2 else P[i], d[i], float(gamma[i]), wanted) for i in range(len(d))])


def _least(Phi: FloatArray, P: FloatArray, d: FloatArray, gamma: float, wanted: tuple[tuple[str, bool], ...]) -> float:
    S = len(Phi)
    model = FloatModel(gamma, Phi, P, np.zeros(S), d)
    top = float(np.linalg.eigvalsh((model.X + model.X.T) / 2)[-1])
    if not 1e-100 < top < 1e100:
        return -1.0
    alpha = 2.0 ** -np.ceil(np.log2(top))
    return min(_margin(find_method(text, {"alpha": alpha}), model) * (1 if holds else -1) for text, holds in wanted)


def _margin(method: Any, model: FloatModel) -> float:
    try:
        with np.errstate(all="ignore"):
            kind, M, _ = method.expected(model)
            if kind == "direct":
                singular = np.linalg.svd(M, compute_uv=False)
                return float(singular[-1] / singular[0])
            values: Any = np.linalg.eigvals(M)
    except np.linalg.LinAlgError:
        return -1.0
    size = float(np.abs(values).max())
    margin = 1 - size if kind == "iteration" else float(values.real.min()) / size if size > 0 else 0.0
    return margin if np.isfinite(margin) else -1.0
