"""Every method on one large problem: verdicts that hold within proved bounds, rest points in floats with their error.

What needs (I − cP)⁻¹ of all features, TD(λ) and its kin, takes minutes at a million states and is done when it is asked
for by name. The values of parameters at which a method converges are not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theory.certified.answers import UNDECIDED
from theory.certified.enclosed_moments import enclosed
from theory.certified.enclosed_values import resolvent
from theory.certified.large import UNRESOLVED
from theory.certified.over_states import Transitions, given
from theory.experiments.comparison import Comparison, Known, Row
from theory.experiments.inspection import Progress
from theory.methods.large_ground import large_ground
from theory.methods.large_outcome import large_outcome, large_rate, large_rest
from theory.methods.method import Method
from theory.methods.outcome import Error, Outcome, Rest
from theory.problems.numbers import FloatArray

NO_SETS = "not looked for on a large problem"
UNLISTED = "values of a large problem are Φθ and not listed"


def compare_large(problem: Any, chosen: Sequence[Method], named: bool, tell: Progress) -> Comparison:
    """The methods on a large problem; `named` are asked for by name, and may take long."""
    tell.say(f"{problem.n_states:,} states, about {problem.memory / 1e9:.1f} GB: moments")
    found = enclosed(problem)
    tell.say("values of the target")
    P = Transitions(problem.successors) if found is None else found.P
    solved = resolvent(P, problem.gamma, given(problem.r_pi), tell)
    v = np.full(problem.n_states, np.nan) if solved is None else solved.values[:, 0]
    best = _best(problem.Phi if found is None else found.Phi.values, problem.d_mu, v)
    ground = None if found is None else large_ground(problem, found, named, tell)
    rows = []
    for method in chosen:
        tell.say(method.name)
        own, discounts = Known(None, NO_SETS if method.own else "it has no parameter"), Known(None, NO_SETS)
        if ground is None:
            nothing = Outcome(UNDECIDED, UNRESOLVED, "undecided")
            rows.append(Row(method, nothing, Rest(None, None, None, UNRESOLVED), None, UNRESOLVED, own, discounts))
            continue
        outcome = large_outcome(method, problem, ground)
        speed, why_not = large_rate(method, ground)
        rest = large_rest(method, ground)
        if isinstance(rest, str):
            point = Rest(None, None, None, rest)
        else:
            theta, bound = rest
            note = f"each entry to {float(bound.max(initial=0.0)):.1g}, proved; {UNLISTED}"
            point = Rest(theta, None, _error(problem.Phi @ theta - v, problem.d_mu), note)
        rows.append(Row(method, outcome, point, speed, why_not, own, discounts))
    return Comparison(problem, False, best, tuple(rows))


def _best(C: FloatArray, d: FloatArray, v: FloatArray) -> Error:
    """The least error that any θ has, in each measure, in floats."""
    found = []
    for weights in (np.full(len(d), 1 / len(d)), d):
        gram, right = np.zeros((C.shape[1], C.shape[1])), np.zeros(C.shape[1])
        for start in range(0, len(d), 2**14):
            here = slice(start, start + 2**14)
            left = C[here].T * weights[here]
            gram += left @ C[here]
            right += left @ v[here]
        w = np.linalg.lstsq(gram, right)[0]
        found.append(_error(C @ w - v, d))
    return Error(found[0].uniform, found[1].d_mu)


def _error(gap: FloatArray, d: FloatArray) -> Error:
    return Error(float(np.sqrt(np.mean(gap * gap))), float(np.sqrt(d @ (gap * gap))))
