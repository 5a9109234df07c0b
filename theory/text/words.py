"""The words of a verdict, of counts and of durations: the same wherever they are said.

A question of a kind has one word for yes and one for no; undecided is neither.
"""

from __future__ import annotations

STABLE, UNBIASED, SAFE = ("stable", "unstable"), ("unbiased", "biased"), ("safe", "not safe")
UNDECIDED = "undecided"
_WORDS = {"td": STABLE, "chain": UNBIASED, "window": STABLE, "uniform": SAFE}
_SUBJECTS = {
    "td": "off-policy TD",
    "chain": "chained TD, k → ∞",
    "window": "target network T = {T}",
    "uniform": "every choice of features",
}


def word(kind: str, holds: bool | None) -> str:
    """What is said of a question's answer, as JSON has it; of an iteration, that it converges.

    >>> word("td", True), word("chain", False), word("window", None)
    ('stable', 'biased', 'undecided')
    """
    yes, no = _WORDS.get(kind, ("convergent", "divergent"))
    return UNDECIDED if holds is None else yes if holds else no


def subject(kind: str, window: int | None = None) -> str:
    """What a question is about.

    >>> subject("window", 10)
    'target network T = 10'
    """
    return _SUBJECTS[kind].format(T=window)


def quadrant(td: bool | None, chain: bool | None) -> str:
    """``td-stable/chain-biased`` and its kin.

    >>> quadrant(True, None)
    'td-stable/chain-undecided'
    """
    return f"td-{word('td', td)}/chain-{word('chain', chain)}"


def count(n: int, noun: str) -> str:
    """``1 state``, ``2 states``."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


def duration(seconds: float) -> str:
    """``40 s``, ``3 min``, ``5 h``, ``more than a day``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 86400 else "more than a day"
