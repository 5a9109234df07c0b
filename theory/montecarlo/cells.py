"""One cell of the map: the law of a random problem, and the questions asked of each draw.

A cell is everything that determines a result apart from the seed and the number of samples. Its `key` is
canonical text, by which the store finds results again. Its `draw_key` leaves out what does not influence the draws
(γ, n, windows, what is recorded): cells that differ only in those see the same random problems, so that a
curve over T or γ compares like with like.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import isfinite

from theory.problems import InvalidProblem
from theory.problems.ensembles import ENSEMBLES, LAWS, check_count, known
from theory.problems.validate import check_gamma

# A few problems must fit into memory at once: 8 of this size take 1 GB.
MAX_STATES = 4096


@dataclass(frozen=True)
class Cell:
    """S states, F ≤ S features, γ, an ensemble with its parameters, and what to record."""

    states: int
    features: int
    gamma: Fraction = Fraction(99, 100)
    ensemble: str = "paper"
    law: str = "normal"
    sink: float = 0.0  # the target's chain goes to one random state with this probability
    # Of the ensemble, by name; in the end all of them, with their defaults.
    parameters: Mapping[str, float] | tuple[tuple[str, float], ...] = ()
    n_steps: int = 1
    windows: tuple[float, ...] = ()  # T of target networks, inf allowed
    step_size: float = 0.5  # α λ_max(X), for the windows
    certify: bool = False  # other methods than TD and the chain, whose verdicts are proofs anyway
    quantiles: bool = False

    def __post_init__(self) -> None:
        check_count(self.states, 1, "states")
        check_count(self.features, 1, "features")
        if self.states > MAX_STATES:
            raise InvalidProblem(f"at most {MAX_STATES} states fit into memory in batches, got {self.states}", "states")
        if self.features > self.states:
            more = f"{self.features} features are more than {self.states} states: they would be dependent"
            raise InvalidProblem(more, "features")
        object.__setattr__(self, "gamma", Fraction(check_gamma(self.gamma)))
        declared, given = known(ENSEMBLES, self.ensemble, "ensemble", "ensemble").parameters, dict(self.parameters)
        for name in given.keys() - declared.keys():
            raise InvalidProblem(f"is no parameter of the ensemble {self.ensemble!r}", name)
        checked = ((name, p.value(given.get(name), self.states, name)) for name, p in sorted(declared.items()))
        object.__setattr__(self, "parameters", tuple(checked))
        known(LAWS, self.law, "feature law", "law")
        if not 0 <= self.sink <= 1:
            raise InvalidProblem(f"is a probability, got {self.sink}", "sink")
        check_count(self.n_steps, 1, "n_steps")
        if not 0 < self.step_size < 2:
            raise InvalidProblem(f"α λ_max(X) must lie in (0, 2), got {self.step_size}", "step_size")
        for i, T in enumerate(self.windows):
            if not (T >= 1 and (not isfinite(T) or int(T) == T)):
                raise InvalidProblem(f"a window is a whole number from 1, or inf; got {T:g}", "windows", i)

    @property
    def key(self) -> str:
        """Canonical text of every field."""
        fields = asdict(self) | {"gamma": str(self.gamma), "windows": [_window(T) for T in self.windows]}
        return json.dumps(fields, sort_keys=True)

    @property
    def draw_key(self) -> str:
        """Canonical text of what the draws depend on."""
        names = ("states", "features", "ensemble", "law", "sink")
        return json.dumps({name: getattr(self, name) for name in names} | dict(self.parameters), sort_keys=True)

    @property
    def title(self) -> str:
        """Short text for progress and tables."""
        return f"S={self.states} F={self.features}"


def _window(T: float) -> int | str:
    return int(T) if isfinite(T) else "inf"
