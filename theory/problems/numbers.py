"""Numbers as they were given: rationals stay rationals, floats stay floats.

A quantity of a problem is one array of one kind:

- *exact*, dtype ``object`` filled with ``fractions.Fraction``, when every entry was an
  integer, a fraction, a decimal, or a string such as ``"9/10"`` or ``"0.9"``;
- *float*, dtype ``float64``, as soon as one entry was a float.

A double is itself a rational number, so both views exist for both kinds: `as_floats` rounds,
`as_exact` is the rational that the doubles denote. Nothing here is ever evaluated.

The one error of bad input: what is wrong, and where.
"""

from __future__ import annotations

import difflib
import json
import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
Number = Fraction | float

# A number of a file is at most this long, in digits and in its exponent: "1e999999999" would
# otherwise be a gigabyte of zeros. Doubles need at most 767 digits and an exponent of 324.
MAX_DIGITS = 2000

LONGEST = 300  # characters of a complaint

LEAST = 5e-324  # the least positive double

_NEAR_ONE = 1e-7
TOO_LARGE = (
    "a number is too large for double precision (about 1.8e308); divide all features, or all rewards, by one number: "
    "that changes no threshold in γ, and no verdict on TD or the chain"
)

_NUMBER = re.compile(
    r"(?P<p>[+-]?[0-9]+)/(?P<q>[0-9]+)|[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE](?P<e>[+-]?[0-9]+))?"
)


def parse_number(text: str, *where: str | int) -> Fraction:
    """The exact value of ``"3"``, ``"-0.25"``, ``"1e-3"`` or ``"9/10"``; anything else is an error.

    >>> parse_number("0.9"), parse_number("-3/6"), parse_number("1e-3")
    (Fraction(9, 10), Fraction(-1, 2), Fraction(1, 1000))
    """
    shown = shortened(text)
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise InvalidProblem(f"{shown!r} is not a number: write an integer, a decimal or 'p/q'", *where)
    exponent = match["e"]
    if len(text) > MAX_DIGITS or (exponent is not None and abs(int(exponent)) > MAX_DIGITS):
        raise InvalidProblem(f"{shown!r} has more than {MAX_DIGITS} digits", *where)
    if match["q"] is not None:
        if int(match["q"]) == 0:
            raise InvalidProblem(f"{shown!r} divides by zero", *where)
        return Fraction(int(match["p"]), int(match["q"]))
    return Fraction(text.strip())


def as_number(value: Any, *where: str | int) -> Number:
    """One number: a `Fraction` from anything exact, a finite float from a float."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool):
        raise InvalidProblem(f"expected a number, got {type_word(value)}", *where)
    if isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise InvalidProblem(f"{value} is not finite", *where)
        return float(value)
    if isinstance(value, str | Decimal):
        return parse_number(str(value), *where)
    library = type(value).__module__.partition(".")[0]
    if isinstance(value, numbers.Rational) or (library == "flint" and hasattr(value, "denominator")):
        return Fraction(int(value.numerator), int(value.denominator))
    if library == "sympy" and getattr(value, "is_Float", False):
        return as_number(float(value), *where)
    raise InvalidProblem(f"expected a number, got {type_word(value)}", *where)


def as_array(value: Any, ndim: int, *where: str | int) -> Array:
    """A read-only array of `ndim` axes, exact unless a float came in; ragged rows are an error.

    Lists, NumPy arrays, pandas frames, SciPy's sparse arrays, SymPy and FLINT matrices come in.
    """
    value = _listed(value, ndim)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        if value.ndim != ndim:
            raise InvalidProblem(f"expected {_axes(ndim)}, got an array of shape {value.shape}", *where)
        if value.size == 0:
            raise InvalidProblem("is empty", *where)
        if value.dtype.kind == "f":
            # What is read-only stays so: it is not copied again at every variant of a problem.
            array: Array = np.array(value, dtype=np.float64, copy=value.flags.writeable or None)
            bad = np.argwhere(~np.isfinite(array))
            if len(bad):
                place = tuple(int(i) for i in bad[0])
                raise InvalidProblem(f"{array[place]} is not finite", *where, *place)
            return _frozen(array)
    shape, flat = _flatten(value, ndim, where)
    return _frozen(_one_kind(flat, where).reshape(shape))


def is_exact(value: Any) -> bool:
    """Was this quantity given in exact numbers?"""
    return value.dtype == object if isinstance(value, np.ndarray) else isinstance(value, Fraction)


def as_floats(array: Array, *where: str | int) -> FloatArray:
    """The nearest doubles; a rational beyond their range is an error."""
    if array.dtype != object:
        return array
    try:
        return _frozen(array.astype(np.float64))
    except OverflowError:
        raise InvalidProblem(TOO_LARGE, *where) from None


def as_exact(array: Array) -> Array:
    """The same numbers as `Fraction`; for floats, the rationals that the doubles denote."""
    if array.dtype == object:
        return array
    flat = np.empty(array.size, dtype=object)
    flat[:] = [Fraction(x) for x in array.ravel().tolist()]
    return _frozen(flat.reshape(array.shape))


def freeze(*arrays: Array | None) -> None:
    """Make arrays read-only, those that are there."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


def is_short(value: Fraction) -> bool:
    """Can a person read it? (At most some 30 digits above and below; Python itself prints no more than 4300.)"""
    return max(abs(value.numerator), value.denominator).bit_length() <= 100


def show_number(value: Number) -> str:
    """Short text: ``9/10`` for a short fraction, six digits for anything else, of 1 − x where x would show as 1."""
    if 0 < abs(1 - value) < _NEAR_ONE and not (isinstance(value, Fraction) and is_short(value)):
        return f"1 {'-' if value < 1 else '+'} {show_number(abs(1 - value))}"
    if isinstance(value, Fraction):
        if is_short(value):
            return str(value)
        try:
            return f"{float(value):.6g}"
        except OverflowError:
            return "a number beyond double precision"
    return f"{value:.6g}"


def _listed(value: Any, ndim: int) -> Any:
    """Other libraries' tables as arrays or lists; a matrix of one column as a list of numbers where that is wanted."""
    for method in ("to_numpy", "toarray"):  # pandas, scipy.sparse
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, np.ndarray) or not hasattr(value, "tolist"):
        return value
    rows = value.tolist()  # SymPy, FLINT
    if ndim == 1 and all(isinstance(row, list) and len(row) == 1 for row in rows):
        return [row[0] for row in rows]
    return rows


def _flatten(value: Any, ndim: int, where: tuple[str | int, ...]) -> tuple[tuple[int, ...], list[Number]]:
    if ndim == 0:
        return (), [as_number(value, *where)]
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise InvalidProblem(f"expected {_axes(ndim)}, got {type_word(value)}", *where)
    if not value:
        raise InvalidProblem("is empty", *where)
    parts = [_flatten(item, ndim - 1, (*where, i)) for i, item in enumerate(value)]
    first = parts[0][0]
    for i, (shape, _) in enumerate(parts):
        if shape != first:
            complaint = f"has shape {_show_shape(shape)}, but row 0 has {_show_shape(first)}"
            raise InvalidProblem(complaint, *where, i)
    return (len(parts), *first), [x for _, flat in parts for x in flat]


def _one_kind(flat: list[Number], where: tuple[str | int, ...]) -> Array:
    if all(isinstance(x, Fraction) for x in flat):
        array = np.empty(len(flat), dtype=object)
        array[:] = flat
        return array
    try:
        return np.array([float(x) for x in flat])
    except OverflowError:
        raise InvalidProblem(TOO_LARGE, *where) from None


def _frozen(array: Array) -> Array:
    freeze(array)
    return array


def _axes(ndim: int) -> str:
    return ("a number", "a list of numbers", "a list of rows", "a list of lists of rows")[ndim]


def _show_shape(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape))


def one_kind(*arrays: Array) -> tuple[Array, ...]:
    """The arrays as they are if all are exact, else all in floats: no mixed arithmetic."""
    if all(is_exact(a) for a in arrays):
        return arrays
    return tuple(as_floats(a) for a in arrays)


def solve_exactly(A: Array, b: Array) -> Array:
    """The solution x of Ax = b in fractions, of a regular matrix."""
    from flint import fmpq, fmpq_mat

    def matrix(rows: Any) -> Any:
        return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])

    found = matrix(A.tolist()).solve(matrix(b[:, None].tolist())).entries()
    solution = np.empty(len(b), dtype=object)
    solution[:] = [Fraction(int(x.p), int(x.q)) for x in found]
    return solution


def rank_exactly(M: Array) -> int:
    """The rank of a matrix; doubles denote rationals.

    >>> rank_exactly(as_array([[1, 2], ["1/2", 1]], 2))
    1
    """
    from flint import fmpq, fmpq_mat

    if M.size == 0:
        return 0
    return int(fmpq_mat([[fmpq(*Fraction(x).as_integer_ratio()) for x in row] for row in M.tolist()]).rank())


def check_arithmetic() -> None:
    """Doubles must be IEEE's: a library built with -ffast-math may have told this thread to take tiny ones for zero."""
    if LEAST * 1.0 == 0.0:
        raise InvalidProblem(
            "takes tiny numbers for zero, and proofs in doubles would be wrong: a library in it was built with "
            "-ffast-math; run theory without that library",
            "this process",
        )


class InvalidProblem(ValueError):
    """Bad input, in one line: ``place: complaint``. A `ValueError`.

    Readers of other formats rename the field to the user's own word with `renamed`.

    Parameters
    ----------
    complaint : str
        What was required, and what came.
    *place : str or int
        A field and indices, ``("P_pi", 1)`` for row 1 of P_π.

    See Also
    --------
    open_problem : Raises it for a name or file that cannot be read.

    Examples
    --------
    >>> print(InvalidProblem("sums to 9/10, not 1", "P_pi", 1))
    P_pi[1]: sums to 9/10, not 1
    """

    def __init__(self, complaint: str, *place: str | int) -> None:
        self.complaint = complaint
        self.place = place
        text = f"{_show_place(place)}: {complaint}" if place else complaint
        super().__init__(text if len(text) <= LONGEST else f"{text[: LONGEST - 103]} … {text[-100:]}")

    def renamed(self, names: Mapping[str, str]) -> InvalidProblem:
        """Replace the field's name, for a reader with names of its own.

        Parameters
        ----------
        names : mapping
            New names by old.

        Returns
        -------
        InvalidProblem
            The same complaint.
        """
        place = tuple(names.get(part, part) if isinstance(part, str) else part for part in self.place)
        return InvalidProblem(self.complaint, *place)


def _show_place(place: tuple[str | int, ...]) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text


def counted(n: int, noun: str) -> str:
    """``1 row``, ``2 rows``; `theory.text.words.count` with large numbers in groups, for packages above this one."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """A hint at the known name that is most like the one given; `otherwise` where none is like it."""
    near = difflib.get_close_matches(name[:100], list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


def type_word(value: Any) -> str:
    """What JSON calls it; of other things their type."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    kind = type(value).__name__
    return {"Literal": "a number", "dict": "an object", "list": "a list", "str": "text"}.get(kind, kind)


def quoted(text: str) -> str:
    """`text` in quotes, on one line, and short."""
    return repr(shortened(text))


def shortened(text: str) -> str:
    """At most 40 characters of it."""
    return text if len(text) <= 40 else text[:37] + "..."
