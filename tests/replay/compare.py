"""The differences of two trimmed answers.

A set of parameter values is compared by what is certain: a value that is surely inside the one set and surely outside
the other is a flip. Two brackets of one number that do not meet are a flip; a wider one is looser.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from tests.replay.trim import EVERY, number

KINDS = {
    "flip": "FLIPS",
    "crash": "tracebacks",
    "refused": "answers that became refusals",
    "exit": "other exit codes",
    "undecided": "undecided now",
    "number": "numbers differ",
    "looser": "less exact now",
    "vanished": "keys that vanished",
    "slower": "slower than 2x",
    "error": "error texts changed",
    "decided": "decided now",
    "answered": "refusals that became answers",
}
TOLERANCE, FLOOR = 2e-6, 1e-10
PROOFS = ("certified", "rechecked", "complete", "exact")  # may be lost without a flip
VERDICTS = ("quadrant", "answer", "tail", "stable")  # in words
OPEN = ("undecided", "unknown", "between")

Piece = tuple[Decimal, Decimal]


class Difference(NamedTuple):
    kind: str
    where: str  # keys joined by " / "
    text: str


def compare_records(old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    """All differences of two recorded lines of one case."""
    out, (before, after) = [], (old["code"], new["code"])
    if before != after:
        known, decided = [code in (0, 1, 2) for code in (before, after)], ["answer" in line for line in (old, new)]
        kind = "exit" if decided[0] == decided[1] else "refused" if decided[0] else "answered"
        if "slow" in (before, after):
            kind = "undecided" if after == "slow" else "decided"
        elif known[0] > known[1]:
            kind = "crash"
        out.append(Difference(kind, "", f"exit {before} → {after} {new.get('error', '')}"))
    elif old.get("error") != new.get("error"):
        out.append(Difference("error", "", f"{old.get('error')} → {new.get('error')}"))
    if new["seconds"] > max(1.0, 2 * old["seconds"]) and after != "slow":
        out.append(Difference("slower", "", f"{old['seconds']:.1f} s → {new['seconds']:.1f} s"))
    return out + list(differences(old["answer"], new["answer"])) if "answer" in old and "answer" in new else out


def differences(old: Any, new: Any, where: str = "", reason: str = "") -> Iterator[Difference]:
    """Differences of two values; `reason` is the text beside the new one, if it has been kept."""
    if old == new or old == "~":
        return
    key, numbers, text = where.rpartition(" / ")[2], (_numbers(old), _numbers(new)), f"{old!s:.70} → {new!s:.70}"
    if old is None or new is None:
        yield Difference("decided" if old is None else "undecided", where, f"{text} {reason}")
    elif isinstance(old, dict) and isinstance(new, dict):
        yield from _dictionaries(old, new, where)
    elif key in PROOFS:
        if old:
            yield Difference("looser", where, text)
    elif isinstance(old, bool) or key in VERDICTS:
        before, after = (any(word in str(x) for word in OPEN) for x in (old, new))
        yield Difference("undecided" if after else "decided" if before else "flip", where, f"{text} {reason}")
    elif isinstance(old, str) and isinstance(new, str) and ".." in old and ".." in new:
        yield from _brackets(_piece(old), _piece(new), where)
    elif None not in numbers:
        if not _close(*numbers):
            yield Difference("number", where, text)
        elif isinstance(old, str) and not isinstance(new, str):
            yield Difference("looser", where, f"{text}, a float")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, f"{where} / {i}", reason)
    else:
        yield Difference("number", where, text)


def _dictionaries(old: dict[str, Any], new: dict[str, Any], where: str) -> Iterator[Difference]:
    inside, handled = f"{where} / " if where else "", set()
    yield from (Difference("vanished", inside + key, "") for key in old.keys() - new.keys())
    if isinstance(old.get("intervals"), list) and isinstance(new.get("intervals"), list):
        yield from _sets(old, new, where)
        handled = {"intervals", "unknown", "stable", "interval", "value", "exact", "reason"}
    elif isinstance(old.get("exact", 0), str | None) and isinstance(new.get("exact", 0), str | None):
        yield from _thresholds(old, new, where)
        handled = {"interval", "value", "exact", "reason"}
    for key in sorted(old.keys() & new.keys() - handled):
        yield from differences(old[key], new[key], inside + key, new.get(f"{key}_reason") or new.get("reason") or "")


def _thresholds(old: dict[str, Any], new: dict[str, Any], where: str) -> Iterator[Difference]:
    before, after = _bracket(old), _bracket(new)
    if before and after:
        yield from _brackets(before, after, where)
    elif before or after:
        text = f"{old.get('value')} → {new.get('value')} {new.get('reason')}"
        yield Difference("undecided" if before else "decided", where, text)
    if old["exact"] and not new["exact"] and after:
        yield Difference("looser", where, f"{old['exact']} is no longer exact")


def _bracket(x: dict[str, Any]) -> Piece | None:
    """What is known of a threshold."""
    if x.get("interval"):
        return _piece(x["interval"])
    if x.get("value") is not None:
        value = number(str(x["value"]))
        error = abs(value) * Decimal(TOLERANCE) + Decimal(FLOOR)
        return value - error, value + error
    return (Decimal(1), Decimal("inf")) if EVERY in (x.get("reason") or "") else None


def _brackets(old: Piece, new: Piece, where: str) -> Iterator[Difference]:
    text = "{} to {} → {} to {}".format(*old, *new)
    if old[1] < new[0] or new[1] < old[0]:
        yield Difference("flip", where, text)
    elif new[1] - new[0] > 10 * (old[1] - old[0]) + Decimal("1e-9") * max(abs(new[0]), 1):
        yield Difference("looser", where, text)


def _sets(old: dict[str, Any], new: dict[str, Any], where: str) -> Iterator[Difference]:
    (sure, possible, unknown), (sure_now, possible_now, unknown_now) = _pieces(old), _pieces(new)
    for pieces, others, text in ((sure, possible_now, "no longer inside"), (sure_now, possible, "now inside")):
        for low, high in pieces:
            if _uncovered(low, high, others):
                yield Difference("flip", where, f"of {low:.8g} to {high:.8g} a part is {text}")
    closed = [[x["closed"] for x in s["intervals"] if "closed" in x] for s in (old, new)]
    if unknown_now and not unknown:
        yield Difference("looser", where, f"parts are unknown: {new.get('reason')}")
    elif not (unknown or unknown_now) and (len(sure) != len(sure_now) or closed[0] != closed[1]):
        yield Difference("flip", where, f"{len(sure)} intervals → {len(sure_now)}, or one with other ends")


def _pieces(document: dict[str, Any]) -> tuple[list[Piece], list[Piece], bool]:
    """What surely belongs to a set, what may belong to it, and whether anything is unknown."""
    ends, unknown = [_ends(piece) for piece in document["intervals"]], document.get("unknown") or []
    possible = [(low[0], high[1]) for low, high in ends + [_ends(piece) for piece in unknown]]
    if vague := document.get("complete") is False and not unknown:
        possible.append((Decimal("-inf"), Decimal("inf")))
    return [(low[1], high[0]) for low, high in ends], possible, bool(unknown) or vague


def _ends(piece: Any) -> list[Piece]:
    """Bounds of both ends; a whole number's neighbourhood reaches half way to the next."""
    if isinstance(piece, str):
        return [_piece(piece)] * 2
    ends = []
    for end, side in zip((piece["low"], piece["high"]) if isinstance(piece, dict) else piece, (-1, 1), strict=True):
        if end and "interval" in end:
            ends.append(_piece(end["interval"] or "-inf..inf"))
        elif end and isinstance(end["value"], float):
            ends.append(_bracket(end) or (Decimal("-inf"), Decimal("inf")))
        else:
            ends.append((number(str(end["value"])) + side * Decimal("0.5") if end else Decimal("inf"),) * 2)
    return ends


def _uncovered(low: Decimal, high: Decimal, pieces: list[Piece]) -> bool:
    """Is a part of (low, high) in none of the pieces?"""
    for a, b in sorted(pieces):
        if a > low:
            break
        low = max(low, b)
    return low < high


def _piece(text: str) -> Piece:
    low, high = text.split("..")
    return Decimal(low), Decimal(high)


def _numbers(x: Any) -> list[float] | None:
    """All numbers in nested lists, None where there is anything else."""
    if isinstance(x, list):
        parts = [_numbers(y) for y in x]
        return None if None in parts else [y for part in parts for y in part]
    try:
        return None if isinstance(x, bool) else [float(number(str(x)))]
    except ArithmeticError:
        return None


def _close(a: list[float], b: list[float]) -> bool:
    scale = max(map(abs, a + b), default=0.0)
    return len(a) == len(b) and all(abs(x - y) <= TOLERANCE * scale + FLOOR for x, y in zip(a, b, strict=True))
