r"""What a learner is: a pure function from a state and a move to the next state.

**The rule is the specification**: `update` is what users read and what everything is derived from. A learner declares
which numbers are swept, which variants there are, how many parameter vectors, whether states or pairs are valued; and
which parts of its state are parameters (the update is affine in them unless `obstacle` says why not) and which are a
memory that only the moves decide.

A rule that must be fast has a compiled `step` beside it, shown equal to it by `tests/learners/test_driver.py`. It is a
plain function that Numba can compile; `theory.learners.driver` compiles it and runs many settings (or the heads of a
chain) side by side, in value space. A rule without one is run move by move, some hundred times slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from theory.learners.transition import Transition
from theory.problems import InvalidProblem
from theory.problems.numbers import Array, FloatArray


class Moves(NamedTuple):
    """One seed's moves as a step sees them, all (steps,); rows are numbers of states, or of pairs (s, a)."""

    row: Array
    next_row: Array
    follow_row: Array  # what head 0 of a chain bootstraps from: for action values, the pair that the behaviour takes
    ratio: FloatArray
    gamma: FloatArray  # the discount of the move, 0 where it ended the episode
    residual: FloatArray  # R + γv[next_row] − v[row] of the true values v
    follow_residual: FloatArray


class Lanes(NamedTuple):
    """What a step changes: W settings, or the heads 0..W − 1 of a chain with one setting, side by side.

    A vector θ is held as its errors e = Φθ − v_π (a trace or auxiliary weights w as Φw) in N rows: θ += cφ(s) is
    e += c G[:, s], exactly, with the Gram matrix G = ΦΦᵀ. The TD error of a move is residual + γe[next_row] − e[row].
    """

    state: FloatArray  # (vectors, N, W)
    settings: FloatArray  # (columns but k, W), or (columns, 1) for the heads of a chain
    fixed: FloatArray  # numbers that all lanes share, `Rule.fixed`
    memory: FloatArray  # (N + 2,), zero at first: what the moves alone decide
    gram: FloatArray  # (N, N)
    work: FloatArray  # (4, W), for anything
    scored: Array  # the vectors whose errors count


Step = Callable[[int, Moves, Lanes], bool]  # move number t; did a prediction change?


class Option(NamedTuple):
    """A variant of a learner that is chosen, not swept."""

    default: Any
    words: tuple[str, ...]  # one of these; none for a number or yes and no
    about: str


def option(about: str, default: Any, *others: str) -> Any:
    """A field that is an option: what it is about, its default, and the other words there are."""
    words = (default, *others) if others else ()
    return field(default=default, metadata={"option": Option(default, words, about)})


class Rule:
    """The base of all rules, which are frozen dataclasses with γ first; works in floats as well as in fractions."""

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ("alpha",)  # its fields that are swept
    vectors: ClassVar[int] = 1  # parameter vectors to start from; a chain, which has a field K, has K + 1
    action_values: ClassVar[bool] = False
    arithmetic: ClassVar[dict[str, Option]] = {
        "space": Option("values", ("values", "parameters"), "run compiled on errors of values, or by the rule on θ")
    }
    parameters: ClassVar[tuple[str, ...]] = ("theta",)  # parts of its state that hold numbers learned
    memory: ClassVar[tuple[str, ...]] = ()  # parts that the moves alone decide and later updates read

    step: ClassVar[Any] = None  # a `Step`, as a staticmethod
    across: ClassVar[str] = "settings"  # what a step's lanes are: settings, or the heads of a chain with one setting
    grouped: ClassVar[tuple[str, ...]] = ()  # columns that lanes must share
    auxiliary: ClassVar[int] = 0  # vectors beside the parameters in a step's state, which start from 0: w, a trace
    predicting: ClassVar[int] = 0  # the vector that predicts; of a chain it is k
    reads: ClassVar[int | None] = None  # run by the rule: predictions that are read in the last half; None for all

    gamma: Any

    def __post_init__(self) -> None:
        for name, choice in self.options().items():
            if choice.words and name not in self.arithmetic:
                one_of(getattr(self, name), choice.words, name)

    def init(self, theta: Array) -> Any:
        """The state before the first move; `theta` is (F,), or (vectors, F) for what has heads."""
        raise NotImplementedError

    def update(self, state: Any, transition: Transition) -> Any:
        """The state after a move."""
        raise NotImplementedError

    def value(self, state: Any, phi: Array) -> Any:
        """The prediction for features φ, or for each row of a matrix of them."""
        raise NotImplementedError

    @classmethod
    def step_with(cls, options: Mapping[str, Any]) -> Any:
        """The step of a variant."""
        return cls.step

    def fixed(self) -> tuple[float, ...]:
        """The numbers that a step's lanes share."""
        return ()

    def obstacle(self) -> str | None:
        """Why the update is not affine in the parameters, given the memory; None where it is."""
        return None

    def idle(self, steps: int) -> str | None:
        """Why the prediction never moves in a run of so many moves, where that is so."""
        return None

    @classmethod
    def n_vectors(cls, K: int) -> int:
        """How many parameter vectors a learner with the heads 0..K has."""
        return K + 1 if "K" in cls._fields() else cls.vectors

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The variants by name: of the rule, then of the arithmetic it is run in."""
        own = {name: f.metadata["option"] for name, f in cls._fields().items() if "option" in f.metadata}
        return own | (cls.arithmetic if cls.step is not None else {})

    @classmethod
    def check_options(cls, given: Mapping[str, Any]) -> None:
        """Complain about options that the learner does not have, or words that they do not know."""
        known = cls.options()
        for name, value in given.items():
            if name not in known:
                raise InvalidProblem(f"{cls.name} has no variant {name!r}; it has {', '.join(known) or 'none'}")
            if known[name].words:
                one_of(value, known[name].words, name)

    @classmethod
    def of(cls, gamma: Any, setting: Mapping[str, Any], K: int = 0, options: Mapping[str, Any] | None = None) -> Rule:
        """The rule with one setting's values; whole numbers may come as floats, and arithmetic is not its business."""
        kinds = cls._fields()
        given = {
            name: _whole(value) if str(kinds[name].type).startswith("int") else value for name, value in setting.items()
        }
        given |= {name: value for name, value in (options or {}).items() if name not in cls.arithmetic}
        return cls(gamma=gamma, **given, **({"K": K} if "K" in kinds else {}))  # type: ignore[call-arg]

    @classmethod
    def default(cls, column: str) -> Any:
        """The rule's own default of a column; None where it has to be given."""
        value = cls._fields()[column].default
        return value if isinstance(value, int | float) else None

    @classmethod
    def _fields(cls) -> dict[str, Any]:
        return {f.name: f for f in fields(cls)}  # type: ignore[arg-type]


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def positive(rule: Any, *fields: str) -> None:
    """Step sizes: finite and above zero."""
    for name in fields:
        value = getattr(rule, name)
        if not 0 < value < float("inf"):
            raise InvalidProblem(f"must be positive and finite, got {value}", name.rstrip("_"))


def fraction_of_one(rule: Any, *fields: str) -> None:
    """Trace parameters: in [0, 1]."""
    for name in fields:
        value = getattr(rule, name)
        if not 0 <= value <= 1:
            raise InvalidProblem(f"must lie in [0, 1], got {value}", name.rstrip("_"))


def count(value: Any, least: int, field: str) -> int:
    """An integer that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidProblem(f"must be an integer of {least} or more, got {value!r}", field)
    return int(value)


def one_of(value: Any, words: Sequence[str], field: str) -> None:
    """A reading or variant by its word."""
    if value not in words:
        raise InvalidProblem(f"must be one of {', '.join(words)}, got {value!r}", field)
