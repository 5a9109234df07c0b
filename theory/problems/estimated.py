r"""The problem that recorded transitions between named states suggest.

    d(s) = share of the moves that leave s        P_π(s'|s) = Σρ over moves s → s' / Σρ over moves from s
    r_π(s) = Σρr / Σρ over moves from s           φ(s): the features recorded with s, which must always be the same

Where episodes end there is one more state, *end*, which has no features and stays where it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from theory.problems.cells import Cells
from theory.problems.data import Batch, Options, Recorded, read_recorded, state_names
from theory.problems.numbers import FloatArray, InvalidProblem
from theory.problems.problem import Problem

END = "end"


def estimated_problem(source: Any, gamma: Any, options: Options = Options()) -> Problem:  # noqa: B008
    """A `Problem` in floats, to be inspected, explored and saved like any other."""
    recorded = read_recorded(source, options)
    name = recorded.name
    if gamma is None:
        raise InvalidProblem("transitions do not say at which discount: give one, e.g. --gamma 0.99", name)
    if not {"state", "next_state"} <= recorded.roles.keys():
        raise InvalidProblem("a problem is estimated from named states: columns state and next_state", name)
    if recorded.states is None:
        few = {key: names for key, names in recorded.roles.items() if key in ("state", "next_state", "done")}
        states = state_names(replace(recorded, roles=few))
    else:
        states = recorded.states
    return _Counts(states).of(recorded, gamma)


class _Counts:
    """Weights of the moves between states, added up in the order of the rows."""

    def __init__(self, states: tuple[str, ...]) -> None:
        S = len(states)
        self.states, self.known = states, np.array(states)
        self.P, self.r, self.weight = np.zeros((S, S + 1)), np.zeros(S), np.zeros(S)
        self.visits, self.entered = np.zeros(S), [""] * S
        self.ends = 0.0
        self.Phi: FloatArray | None = None

    def of(self, recorded: Recorded, gamma: Any) -> Problem:
        """The problem that they suggest."""
        for cells in recorded.cells():
            self._add(recorded, cells, recorded.batch(cells))
        name, S = recorded.name, len(self.states)
        if self.ends and END in self.states:
            raise InvalidProblem(f"a state is called {END!r}, which is where episodes end", name, "state")
        for i in range(S):
            if not self.visits[i]:
                raise InvalidProblem(f"{self.entered[i]}: no move leaves {self.states[i]!r}", name, "next_state")
            if self.weight[i] == 0:
                raise InvalidProblem(f"all moves from {self.states[i]!r} have ratio 0: no action of π was seen", name)
        assert self.Phi is not None
        if not self.Phi.any():
            raise InvalidProblem("all features are 0: there is nothing to learn", name)
        P, r, visits, Phi, labels = (
            self.P / self.weight[:, None],
            self.r / self.weight,
            self.visits,
            self.Phi,
            self.states,
        )
        if self.ends:
            P = np.vstack([P, np.eye(S + 1)[-1]])
            r, visits, labels = np.append(r, 0.0), np.append(visits, self.ends), (*labels, END)
            Phi = np.vstack([Phi, np.zeros(Phi.shape[1])])
        else:
            P = P[:, :S]
        return Problem.from_matrices(
            gamma,
            Phi=Phi,
            P_pi=P,
            d_mu=visits / visits.sum(),
            r_pi=r,
            states=labels,
            name=f"{name}, estimated",
            discount=np.where(np.arange(S + 1) == S, 0.0, 1.0) if self.ends else None,
        )

    def _add(self, recorded: Recorded, cells: Cells, batch: Batch) -> None:
        done, rho = batch.done, batch.ratio
        names = cells.names(recorded.roles["next_state"][0], done)
        s = np.searchsorted(self.known, cells.names(*recorded.roles["state"]))
        t = np.where(done, len(self.known), np.searchsorted(self.known, names))
        np.add.at(self.P, (s, t), rho)
        for total, values in ((self.r, rho * batch.reward), (self.weight, rho), (self.visits, 1.0)):
            np.add.at(total, s, values)
        self.ends += float(done.sum())
        for state in np.unique(t[~done]):
            if not self.entered[state]:
                self.entered[state] = f"row {cells.first + int(np.argmax(t == state)) + 1:,}"
        if self.Phi is None:
            self.Phi = np.full((len(self.known), len(batch.phi)), np.nan)
        new = np.flatnonzero(np.isnan(self.Phi[s, 0]))[::-1]  # the first row of a state is written last
        self.Phi[s[new]] = batch.phi.T[new]
        differs = (self.Phi[s] != batch.phi.T).any(axis=1)
        cells.refuse(differs, lambda row: "other features than in another row of this state", "phi")
