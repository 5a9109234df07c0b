r"""The problem that transitions between named states suggest.

    d(s) = share of the moves that leave s        P_π(s'|s) = Σρ over moves s → s' / Σρ over moves from s
    r_π(s) = Σρr / Σρ over moves from s           φ(s): the features recorded with s, which must always be the same

Where episodes end there is one more state, *end*, which has no features and stays where it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.problems.data.table import Table
from theory.problems.errors import InvalidProblem
from theory.problems.numbers import FloatArray
from theory.problems.problem import Problem

END = "end"


def estimated_problem(table: Table, gamma: Any) -> Problem:
    """A `Problem` in floats, to be inspected, explored and saved like any other."""
    if gamma is None:
        raise InvalidProblem("transitions do not say at which discount: give one, e.g. --gamma 0.99", table.name)
    if table.state is None or table.next_state is None:
        raise InvalidProblem("a problem is estimated from named states: columns state and next_state", table.name)
    ends = bool(table.done.any())
    arrived = np.where(table.done, END, table.next_state)
    left = np.unique(table.state)
    if ends and END in left:
        raise InvalidProblem(f"a state is called {END!r}, which is where episodes end", table.name, "state")
    labels = [*left.tolist(), *([END] if ends else [])]
    number = {name: i for i, name in enumerate(labels)}
    for row, name in enumerate(arrived.tolist()):
        if name not in number:
            raise InvalidProblem(f"row {row + 1}: no move leaves {name!r}", table.name, "next_state")
    S, s = len(labels), np.array([number[name] for name in table.state.tolist()])
    t = np.array([number[name] for name in arrived.tolist()])
    weight = np.bincount(s, table.ratio, S)
    never = np.flatnonzero(weight[: len(left)] == 0)
    if len(never):
        raise InvalidProblem(f"all moves from {labels[never[0]]!r} have ratio 0: no action of π was seen", table.name)
    P, r = np.zeros((S, S)), np.bincount(s, table.ratio * table.reward, S)
    np.add.at(P, (s, t), table.ratio)
    visits = np.bincount(s, minlength=S).astype(np.float64)
    if ends:
        P[-1, -1] = weight[-1] = 1.0
        visits[-1] = float(table.done.sum())
    return Problem.from_matrices(
        gamma,
        Phi=_state_features(table, s, S),
        P_pi=P / weight[:, None],
        d_mu=visits / visits.sum(),
        r_pi=r / weight,
        states=tuple(labels),
        name=f"{table.name}, estimated",
        discount=np.where(np.arange(S) == S - 1, 0.0, 1.0) if ends else None,
    )


def _state_features(table: Table, s: FloatArray, S: int) -> FloatArray:
    """One row a state; that of the end is 0."""
    Phi = np.zeros((S, table.n_features))
    Phi[s] = table.phi
    differs = np.abs(Phi[s] - table.phi).max(axis=1) > 0
    if differs.any():
        row = int(np.argmax(differs))
        raise InvalidProblem(f"row {row + 1}: other features than in another row of this state", table.name, "phi")
    return Phi
