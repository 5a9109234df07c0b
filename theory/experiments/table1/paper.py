"""What the paper prints in table 1, and which readings of its protocol can be tried for which learner."""

from __future__ import annotations

from math import inf
from typing import Any

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

# Readings of the protocol that the paper leaves open, by learner: what they change, in the options or in the protocol.
_2009 = {"options": {"reading": "2009"}}
_NARROW = {"start from N(0, 10²)": {"protocol": {"scale": 10.0}}}  # as if the paper's 100 were a variance
_SHARED = {"one start for all seeds": {"protocol": {"shared_start": True}}}
READINGS: dict[str, dict[str, dict[str, Any]]] = {
    "td": _SHARED,
    "off-policy-td": _NARROW | _SHARED,
    "etd": _SHARED,
    "gtd2": {"auxiliary weights as in 2009": _2009, **_NARROW, **_SHARED},
    "tdc": {"auxiliary weights as in 2009": _2009, **_NARROW, **_SHARED},
    "tdrc": {"as published: weights as in 2009, β = α": {**_2009, "protocol": {"one_step_size": True}}},
    "chained-concurrent": {"in place (Gauss–Seidel)": {"options": {"order": "in-place"}}, **_SHARED},
    "chained-sequential": {
        "stop after the last head": {"options": {"after": "stop"}},
        "go on without end (ring)": {"options": {"after": "ring"}},
        "cold start": {"options": {"hot": False}},
        **_SHARED,
    },
}
