r"""What a learner is: a pure function from a state and a move to the next state.

**The rule is the specification, the compiled kernel is shown equal to it** (`tests/learners/test_kernels.py`, for every
learner there is). All else about a learner is declared by its rule or derived from it: which numbers are swept, which
variants there are, how many parameter vectors, whether states or pairs are valued, how it is run in bulk; and which
parts of its state are parameters (the update is affine in them unless `obstacle` says why not) and which are a memory
that only the moves decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from theory.learners.checks import one_of
from theory.learners.transition import Transition
from theory.problems import InvalidProblem
from theory.problems.numbers import Array

if TYPE_CHECKING:
    from theory.learners.bulk.job import Job


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
        "dtype": Option("float64", ("float64", "float32"), "single precision is faster and less exact")
    }
    parameters: ClassVar[tuple[str, ...]] = ("theta",)  # parts of its state that hold numbers learned
    memory: ClassVar[tuple[str, ...]] = ()  # parts that the moves alone decide and later updates read

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

    @staticmethod
    def run(job: Job) -> None:
        """All settings on all seeds, by the family's kernel; fills the job's record."""
        raise NotImplementedError

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
        return own | cls.arithmetic

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
