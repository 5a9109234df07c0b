"""What is kept of an answer: verdicts, thresholds, sets of parameters, rates and fixed points.

Texts and certificates become "~", so that a key that vanishes is still noticed. Brackets become ``low..high``, rounded
outward to 14 digits; other numbers have 8 digits, long exact ones a leading ``≈``; closed forms become their values at
fixed letters. Lists of methods and learners become dictionaries, spectra numbers that do not depend on an order.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

TEXTS = re.compile(r"(.*_)?reason|notes?|sentence|title|source|famous_for|about|meaning|how|measure|method")
DROPPED = re.compile(
    r"why|.*_bound|certificates|eigenvalue_bounds|polynomial|state_names|cost|aliases|problem|data|M|M_inverse|G_T|spectrum"
    "|joint_polynomial|iterated|predicted_error|gap|room|steps|boundary|check|cells"
)
EVERY = "every γ"  # in the reason of a threshold that is not below one
LETTERS = {"gamma": 0.37, "k": 5, "x": 1.7, "p": 0.3, "w": 2.3, "q": 0.6, "epsilon": 0.2}
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?(/\d+)?")
FORM = re.compile(rf"(\b({'|'.join(LETTERS)})\b|[\d\s.+*/()-])+")
LONGEST = 40  # entries of a list of numbers


def trim(value: Any, key: str = "", texts: bool = False) -> Any:
    """The part of the JSON value under `key` that is kept; `texts` are kept only to be shown."""
    if DROPPED.fullmatch(key):
        return "~"
    if TEXTS.fullmatch(key):
        return value if texts else EVERY if EVERY in str(value) and "unknown" not in value else "~"
    if isinstance(value, dict):
        shown = isinstance(value.get("theta"), list) and "error" in value  # then values are Φθ
        return {k: "~" if shown and k == "values" else trim(v, k, texts) for k, v in value.items()}
    if isinstance(value, list):
        return _list(value, key, texts)
    if isinstance(value, str):
        return _text(value, key)
    return float(f"{value:.8g}") if isinstance(value, float) else value


def number(text: str, rounding: str | None = None) -> Decimal:
    """p/q or a decimal, to 14 digits."""
    p, _, q = text.lstrip("≈").partition("/")
    return Context(14, rounding, -(10**9), 10**9).divide(Decimal(p), Decimal(q or 1))


def _list(value: list[Any], key: str, texts: bool) -> Any:
    if re.fullmatch("interval|.*_bounds", key) and all(x is None or isinstance(x, str) for x in value):
        low, high = value
        return f"{number(low or '-inf', ROUND_FLOOR)}..{number(high or 'inf', ROUND_CEILING)}"
    if key == "eigenvalues" and (known := [pair for pair in value if None not in pair]):
        real, imaginary = zip(*known, strict=True)
        return [len(value), *map(trim, (min(real), max(real), sum(real), max(imaginary)))]
    names = [v.get("name") or v.get("learner") or v.get("form") for v in value if isinstance(v, dict)]
    if names and all(names):
        return {name: trim(v, "", texts) for name, v in zip(names, value, strict=True)}
    if len(value) > LONGEST and all(isinstance(x, float) for x in value):
        return [len(value), *map(trim, (*value[:8], sum(value), sum(map(abs, value))))]
    return [trim(v, "interval" if key == "unknown" else "", texts) for v in value]


def _text(value: str, key: str) -> str:
    if key == "exact":
        return value if NUMBER.fullmatch(value) and len(value) < 60 else "algebraic"
    if NUMBER.fullmatch(value):
        return value if len(value) <= 12 else f"≈{number(value):.8g}"
    if FORM.fullmatch(value):
        try:
            return f"≈{eval(value, {'__builtins__': {}}, LETTERS):.8g}"
        except (ArithmeticError, SyntaxError, TypeError):
            return "~"
    return value[:80]
