r"""A method: what it iterates on average, what its θ solves, and the question that decides it.

An `Expected` iteration of z (θ, and with some methods a second vector behind it) is of one of three kinds:

    mean        z ← z + α(vector − matrix z), every small α      converges ⇔ all Re λ(matrix) > 0
    iteration   z ← matrix z + vector                            converges ⇔ ρ(matrix) < 1
    direct      z solves matrix z = vector                       there is one ⇔ det(matrix) ≠ 0

Formulas are written once, in the letters of a `LinearModel`, and serve floats and exact numbers alike. `system` is
the equation of the fixed point; unless a method says otherwise, Aθ = b.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from theory.certified.answers import Verdict
from theory.exact.algebraic import algebraic_rational
from theory.exact.matrices import rational
from theory.model.linear_model import LinearModel
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, as_number, show_number
from theory.thresholds.inequalities import Kind
from theory.thresholds.results import Span, StableIntervals, StableSet, Threshold

if TYPE_CHECKING:
    from theory.thresholds.inequalities import Resolvent


# Parameters as they are written in mathematics.
LETTERS = {
    "alpha": "α",
    "lambda": "λ",
    "eta": "η",
    "tau": "τ",
    "kappa": "κ",
    "ratio": "β/α",
    "window": "T",
    "horizon": "H",
    "beta": "β",
    "zeta": "ζ",
}


class Expected(NamedTuple):
    """An expected iteration; θ is the first r entries of z."""

    kind: Kind
    matrix: Any  # (n, n)
    vector: Any  # (n,)


class Parameter(NamedTuple):
    """A number that a method depends on, and where it may lie."""

    default: Fraction | int | None  # None: has to be given
    about: str
    low: int = 0
    high: int | None = None
    low_open: bool = False  # is `low` itself excluded?
    high_open: bool = False
    whole: bool = False

    def read(self, value: Any, place: str) -> Fraction | int:
        """The value as an exact number within the range."""
        number = Fraction(as_number(value, place))
        if number != 0 and abs(number.numerator.bit_length() - number.denominator.bit_length()) > 1000:
            raise InvalidProblem("is beyond double precision, or below it", place)
        inside = number > self.low if self.low_open else number >= self.low
        if not inside or (self.high is not None and number > self.high) or (self.whole and number.denominator != 1):
            raise InvalidProblem(f"must be {self.range}, got {show_number(number)}", place)
        return int(number) if self.whole else number

    @property
    def range(self) -> str:
        """Where it may lie, in words."""
        if self.whole:
            return f"a whole number of {self.low} or more" + ("" if self.high is None else f", at most {self.high:,}")
        if self.high is None:
            return "positive" if self.low_open else f"{self.low} or more"
        return f"in {'(' if self.low_open else '['}{self.low}, {self.high}{')' if self.high_open else ']'}"

    @property
    def span(self) -> Span:
        """Where it may lie."""
        high = None if self.high is None else algebraic_rational(self.high)
        return Span(algebraic_rational(self.low), high, not self.low_open, high is not None and not self.high_open)


def parameter(default: Fraction | int | None, about: str, **limits: Any) -> Any:
    """A field of a method that is a parameter of it."""
    return field(default=default, metadata={"parameter": Parameter(default, about, **limits)})


@dataclass(frozen=True)
class Method:
    """The base of all methods, which are frozen dataclasses whose fields are parameters."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    about: ClassVar[str]
    unconditional_reason: ClassVar[str | None] = None  # why it converges on every problem, where that needs no proof
    threshold_parameter: ClassVar[str | None] = None  # the parameter that its threshold is in
    affine: ClassVar[tuple[str, ...]] = ()  # parameters in which its question's matrix is affine, or in a power of them
    cost: ClassVar[str]  # multiply-adds per transition, with F dense features
    memory: ClassVar[str]  # numbers kept

    def __post_init__(self) -> None:
        for name, p in self.parameters().items():
            key = field_name(name)
            value = getattr(self, key)
            if value is not None:
                object.__setattr__(self, key, p.read(value, f"{self.name}.{name}"))

    @classmethod
    def parameters(cls) -> Mapping[str, Parameter]:
        """The parameters by name."""
        return _parameters(cls)  # type: ignore[arg-type]  # a class is hashable

    @property
    def settings(self) -> dict[str, Fraction | int]:
        """The parameters' values; one that has to be given and was not is an error."""
        values = {name: getattr(self, field_name(name)) for name in self.parameters()}
        for name, value in values.items():
            if value is None:
                raise InvalidProblem(f"{self.name} needs a value", name)
        return values

    @property
    def parameter_texts(self) -> dict[str, str | int]:
        """The same for JSON: whole numbers, and exact ones as text."""
        return {name: x if isinstance(x, int) else str(x) for name, x in self.settings.items()}

    @property
    def label(self) -> str:
        """Its name with the parameters that it has here.

        >>> from theory.methods.family import find_method
        >>> find_method("td-lambda").label
        'td-lambda (λ = 9/10)'
        """
        given = ", ".join(f"{LETTERS.get(name, name)} = {show_number(x)}" for name, x in self.settings.items())
        return f"{self.name} ({given})" if given else self.name

    def with_setting(self, name: str, value: Any) -> Self:
        """The same with another value of a parameter, one that is known to be within its range: it is not looked at."""
        other = copy(self)
        object.__setattr__(other, field_name(name), value)
        return other

    def expected(self, model: LinearModel) -> Expected:
        """What the method does on average."""
        raise NotImplementedError

    def second(self, w: Array) -> Array:
        """Where the vector behind θ begins, for a θ that begins at w: at zero, unless a method says otherwise."""
        return 0 * w

    def verdict(self, problem: Problem, confirm: bool = False) -> Verdict | None:
        """The certified answer, for a method that has a question of its own.

        With `confirm` the proof is repeated by the independent checker before it counts.
        """
        return None

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        """M and v, r×r and r, of the fixed point Mθ = v."""
        return model.A, model.b

    def question(self, model: LinearModel) -> Expected:
        """What decides it: its expected iteration, or something shorter that is equivalent."""
        return self.expected(model)

    def degree(self, name: str, model: LinearModel) -> int:
        """At most how often the parameter occurs in scale · det(zI − matrix): once in a row by default."""
        return int(self.question(model).matrix.nrows())

    def resolvent(self, name: str, model: LinearModel) -> Resolvent | None:
        """Its question's matrix as O L⁻¹R with L and R affine in a parameter in which it is not affine itself."""
        return None

    def power(self, name: str) -> int:
        """Of which power of the parameter it is a polynomial."""
        return 1

    @property
    def length(self) -> int:
        """How many powers of a matrix its own is made of: exact entries are as much longer."""
        return 1

    def scale(self, model: LinearModel) -> Any:
        """A number, nowhere zero, that clears that determinant of denominators in the parameters."""
        return 1

    def gammas(self, problem: Problem, **effort: Any) -> StableIntervals | Threshold | None:
        """The γ in [0, 1) at which it converges, for a method of which `theory.thresholds` knows a shorter way.

        `effort`: bounds for exact ends (`longest`, `insist`) and a callback (`progress`).
        """
        return None

    def discounts(self, problem: Problem) -> StableSet | None:
        """The same with γ = 1 where episodes end, where that is known exactly."""
        return None

    def reason_for_all_values(self, name: str) -> str | None:
        """Why it converges for every value of this parameter, where that is a theorem; ``gamma`` is one, too."""
        return self.unconditional_reason


@cache
def _parameters(kind: Any) -> Mapping[str, Parameter]:
    return {f.name.rstrip("_"): f.metadata["parameter"] for f in fields(kind)}


def with_value(method: Method, model: LinearModel, name: str, value: Fraction) -> tuple[Method, LinearModel]:
    """The method and the model with another value of the parameter; ``gamma`` is one, too."""
    if name == "gamma":
        return method, model.at(rational(value))
    return replace(method, **{field_name(name): value}), model


def field_name(name: str) -> str:
    """The field of a parameter: `lambda` is a word of Python."""
    return "lambda_" if name == "lambda" else name
