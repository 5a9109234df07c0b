r"""States of a learner of one's own: any nest of arrays, read and written as one flat vector.

A state may be an array, a tuple or list (named or not), a dictionary or a dataclass of states, and numbers in them are
arrays of size one. Their entries, in order, are the parameters z that the learner here has: θ; θ and w; the target and
θ; the heads 0..K.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from theory.checking.observations import Observation
from theory.problems import InvalidProblem
from theory.problems.numbers import FloatArray


def flat(state: Any) -> FloatArray:
    """All entries of a state in order."""
    return np.concatenate([np.zeros(0), *(leaf.ravel() for leaf in _leaves(state))])


def filled(template: Any, entries: FloatArray) -> Any:
    """A new state like `template` with these entries."""
    rest = list(entries)

    def build(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            taken = [rest.pop(0) for _ in range(part.size)]
            return np.array(taken, dtype=np.float64).reshape(part.shape)
        if isinstance(part, dict):
            return {key: build(value) for key, value in part.items()}
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*(build(value) for value in part))
        if isinstance(part, list | tuple):
            return type(part)(build(value) for value in part)
        if is_dataclass(part) and not isinstance(part, type):
            return replace(part, **{f.name: build(getattr(part, f.name)) for f in fields(part)})
        return float(rest.pop(0))

    return build(template)


class Own:
    """An update of one's own on flat vectors; what goes wrong in it is one line that names the move."""

    def __init__(self, update: Callable[[Any, Any], Any], template: Any, hint: str = "") -> None:
        self.update, self.template, self.hint = update, template, f" ({hint})" if hint else ""
        self.size = len(flat(template))

    def __call__(self, entries: FloatArray, move: Observation) -> FloatArray:
        return self.entries(self.after(filled(self.template, entries), move), move)

    def after(self, state: Any, move: Observation) -> Any:
        """The state after a move."""
        try:
            return self.update(state, move)
        except InvalidProblem:
            raise
        except Exception as error:
            words = " ".join(f"raised {type(error).__name__} at {move}: {error}".split())
            raise InvalidProblem(words + self.hint, "update") from error

    def entries(self, state: Any, move: Observation) -> FloatArray:
        """The entries of what the update returned."""
        if state is None:
            raise InvalidProblem("returned nothing; it has to return the new state", "update")
        new = flat(state)
        if len(new) != self.size:
            raise InvalidProblem(f"took a state of {self.size} numbers and returned {len(new)} at {move}", "update")
        if not np.isfinite(new).all():
            raise InvalidProblem(f"returned a number that is not finite at {move}", "update")
        return new


def _leaves(state: Any) -> list[FloatArray]:
    if isinstance(state, dict):
        return [leaf for value in state.values() for leaf in _leaves(value)]
    if isinstance(state, list | tuple):
        return [leaf for value in state for leaf in _leaves(value)]
    if is_dataclass(state) and not isinstance(state, type):
        return [leaf for f in fields(state) for leaf in _leaves(getattr(state, f.name))]
    try:
        return [np.asarray(state, dtype=np.float64)]
    except (TypeError, ValueError):
        raise InvalidProblem(f"a state is made of numbers, got {type(state).__name__}", "update") from None
