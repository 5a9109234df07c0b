"""Which method to use: those that converge, then the smallest error, then the fastest that noise allows.

Errors within a third of each other count as equal, since other things then matter more; so do rates, by the updates
that they take. A rate is per update, so that of a target network is spread over its window; a method that no step size
keeps bounded in mean square comes last among equals. One method of a kind, a file of `theory.methods`, is recommended.
Verdicts are certified; errors and rates order what is certain.
"""

from __future__ import annotations

from math import ceil, inf, isfinite, log
from typing import TYPE_CHECKING, NamedTuple

from theory.certified.answers import YES
from theory.text.words import listed

if TYPE_CHECKING:
    from theory.experiments.comparison import Comparison, Row

MOST = 3  # methods that are recommended
ALIKE = 4 / 3  # a factor between errors that is none
EXACT = 1e-9  # an error below this is rounding


class Recommended(NamedTuple):
    """A method to use, and why."""

    row: Row
    reason: str

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"name": self.row.method.name, "parameters": self.row.method.parameter_texts, "reason": self.reason}

    @property
    def name(self) -> str:
        """The method's name."""
        return self.row.method.name

    def __repr__(self) -> str:
        return f"<Recommended: {self.name}, {self.reason}>"


def ranked(found: Comparison) -> list[Row]:
    """The rows from the best to the worst."""
    errors = [_error(row) for row in found.rows if row.outcome.holds == YES]
    least = max(min(errors, default=0.0), EXACT)

    def key(row: Row) -> tuple[float, ...]:
        side, error = row.outcome.holds.pick(0, 2, 1), _error(row)
        if side:
            return (side,)
        level = error if not isfinite(error) else max(0, ceil(log(max(error, EXACT) / least, ALIKE)) - 1)
        return (side, level, found.mean_square(row).value == 0, _slowness(row))

    return sorted(found.rows, key=key)


def recommended(found: Comparison) -> list[Recommended]:
    """At most three methods, of a kind each: convergent, with an error as small as any, and not hopelessly noisy."""
    rows = [row for row in ranked(found) if row.outcome.holds == YES and isfinite(_error(row))]
    least = max(min(map(_error, rows), default=0.0), EXACT)
    good = [row for row in rows if _error(row) <= ALIKE * least and found.mean_square(row).value != 0]
    first: dict[str, Row] = {}
    for row in good:
        first.setdefault(type(row.method).__module__, row)
    return [Recommended(row, _reason(found, row)) for row in list(first.values())[:MOST]]


def advice(found: Comparison) -> str:
    """What to use, and why not TD, in a sentence."""
    best = found.recommended
    if not best:
        return "None of these methods is known to converge to a solution here."
    text = f"Use {listed([one.row.method.label for one in best], 'or')}"
    td = next((row for row in found.rows if row.method.name == "off-policy-td"), None)
    if td is None or any(one.row is td for one in best):
        return f"{text}."
    return f"{text}; {_why_not(found, td)}."


def _why_not(found: Comparison, td: Row) -> str:
    if td.outcome.holds != YES:
        return td.outcome.holds.pick("", "TD does not converge", "whether TD converges is undecided")
    error, least = _error(td), found.best_error.d_mu
    if not isfinite(error) or error <= ALIKE * least + EXACT:
        return "TD converges as well, to a solution as good"
    if least > EXACT * error:
        return f"TD converges but its solution is {error / least:.2g} times further off than the features allow"
    return f"TD converges but its solution is off by {error:.3g} where the features allow none"


def _reason(found: Comparison, row: Row) -> str:
    error, least = _error(row), found.best_error.d_mu
    if error == 0 and found.exact:
        close = "its solution is exact"
    elif error <= EXACT:
        close = f"its error is below {EXACT:g}"
    elif least > EXACT * error:
        close = f"its error is {error / least:.3g} times the least that the features allow"
    else:
        close = f"its error is {error:.3g}"
    speed = row.rate_reason or "rate unknown" if row.rate is None else f"rate {row.rate:.3g}"
    limit = found.mean_square(row)
    noise = "" if limit.reason is not None or limit.value is None else f", sampled α < {limit.value:.3g}"
    return f"converges ({row.outcome.how}), {close}, {speed}{noise}"


def _error(row: Row) -> float:
    return (
        inf if row.fixed_point.error is None or not isfinite(row.fixed_point.error.d_mu) else row.fixed_point.error.d_mu
    )


def _slowness(row: Row) -> float:
    """How many updates it takes, in steps of a third; without a rate ∞. The rate of a target network is of a window."""
    if row.rate is None or row.rate >= 1:
        return inf
    updates = row.method.settings.get("window", 1) / -log(max(row.rate, EXACT))
    return ceil(log(updates, ALIKE) - 1e-6)
