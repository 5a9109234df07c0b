r"""What a learner is: a pure function from a state and a move to the next state.

**The rule is the specification, the compiled kernel is shown equal to it.** Everything else about a learner is declared
by its rule or derived from it: which numbers are swept, how many parameter vectors it has, whether it values states or
pairs, which parts of its state are parameters (the update is affine in them unless `obstacle` says why not) and which
are a memory that only the moves decide.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

from theory.learners.transition import Transition
from theory.problems.numbers import Array


class Rule:
    """The base of all rules, which are frozen dataclasses with γ first; works in floats as well as in fractions."""

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ("alpha",)  # its fields that are swept
    vectors: ClassVar[int] = 1  # parameter vectors to start from; a chain, which has a field K, has K + 1
    action_values: ClassVar[bool] = False
    parameters: ClassVar[tuple[str, ...]] = ("theta",)  # parts of its state that hold numbers learned
    memory: ClassVar[tuple[str, ...]] = ()  # parts that the moves alone decide and later updates read

    gamma: Any

    def init(self, theta: Array) -> Any:
        """The state before the first move; `theta` is (F,), or (vectors, F) where there are several."""
        raise NotImplementedError

    def update(self, state: Any, transition: Transition) -> Any:
        """The state after a move."""
        raise NotImplementedError

    def value(self, state: Any, phi: Array) -> Any:
        """The prediction for features φ, or for each row of a matrix of them."""
        raise NotImplementedError

    def obstacle(self) -> str | None:
        """Why the update is not affine in the parameters, given the memory; None where it is."""
        return None

    @classmethod
    def n_vectors(cls, K: int) -> int:
        """How many parameter vectors a learner with the heads 0..K has."""
        return K + 1 if any(field.name == "K" for field in fields(cls)) else cls.vectors  # type: ignore[arg-type]
