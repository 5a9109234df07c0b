"""What the paper prints in table 1, and which readings of its protocol can be tried for which learner."""

from __future__ import annotations

from math import inf

TITLES = {
    "td": "TD, no correction",
    "off-policy-td": "off-policy TD",
    "etd": "ETD",
    "gtd2": "GTD2",
    "tdc": "TDC",
    "tdrc": "TDRC",
    "chained-concurrent": "concurrent chained TD",
    "chained-sequential": "sequential chained TD",
}
LEARNERS = tuple(TITLES)

# The paper has no TDRC. Columns Baird, Baird-Reward, Threestate at γ = .9, then at .99; inf is "div".
PRINTED: dict[str, tuple[float, ...]] = {
    "td": (0.0, 10.0, 10.1, 0.0, 99.3, 102.8),
    "off-policy-td": (inf, inf, inf, inf, inf, inf),
    "etd": (0.0, inf, 0.0, 136.7, inf, inf),
    "gtd2": (0.2, 0.1, 0.0, 12.5, 83.4, 139.6),
    "tdc": (0.3, 0.3, 0.0, 13.3, 87.0, 43.6),
    "chained-concurrent": (0.0, 0.4, 0.1, 0.0, 72.6, 77.9),
    "chained-sequential": (0.0, 0.0, 0.0, 0.0, 0.0, 0.2),
}

# As if the paper's 100 were a variance: what it mends in one row it breaks in another.
NARROW = "start from N(0, 10²)"
# TDRC as it was published: its auxiliary update, and one step size for both.
PUBLISHED = ("auxiliary weights as in 2009", "one step size, β = α")
# Judged in every column and by all repetitions, whether or not the cell is reproduced without them.
THROUGHOUT = {"off-policy-td": (NARROW,), "gtd2": (NARROW,), "tdc": (NARROW,), "tdrc": PUBLISHED}
_ANY = ("one start for all seeds",)
_OWN = {
    "off-policy-td": (NARROW,),
    "gtd2": (
        "auxiliary weights as in 2009",
        "auxiliary weights as in 2009, no ratio on φ",
        NARROW,
    ),
    "tdc": ("auxiliary weights as in 2009", NARROW),
    "tdrc": PUBLISHED,
    "chained-concurrent": ("in place (Gauss–Seidel)",),
    "chained-sequential": ("stop after the last head", "go on without end (ring)", "cold start"),
}


def readings_of(learner: str) -> tuple[str, ...]:
    """The readings beside the default that concern a learner."""
    return (*_OWN.get(learner, ()), *(_ANY if learner in PRINTED else ()))
