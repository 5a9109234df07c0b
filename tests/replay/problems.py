"""Random problem files of all shapes; problem i is a function of i alone.

Everything is drawn in rationals and written at the end as fractions, decimals or doubles. One in eight lies exactly on
a boundary: with one feature TD is stable for γY < X and the chain unbiased for γ|Y| < X, so γ = X/|Y| is a tie, and two
copies side by side are a tie with a repeated eigenvalue. Every 20th is small, for `theory derive`, and every 40th has a
full MDP, for `theory noise`.
"""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

Row = list[Fraction]

DISCOUNTS = "0 1/100 1/2 2/3 6/7 0.9 0.95 0.99 0.999"
DERIVE_EVERY, NOISE_EVERY = 20, 40


def random_problem(index: int) -> str:
    """The file of problem number `index`."""
    rng = Random(f"replay {index}")
    S = rng.randint(2, 12) if index % DERIVE_EVERY else rng.randint(2, 4)
    F = rng.choice((1, 2, 3, rng.randint(1, 8), min(S, 8), min(S, 8) - 1, S + 1)) if index % NOISE_EVERY else 2
    if index % 73 == 72 and index % DERIVE_EVERY:
        F = rng.randint(15, 30)
        S = F + rng.randint(-1, 6)
    if index % 8 == 1:
        document = _tie(rng)
    else:
        document = _common(rng, _features(rng, S, F))
        document |= (_mdp if index % NOISE_EVERY == 0 or rng.random() < 0.4 else _matrices)(rng, S, document["gamma"])
    if index % DERIVE_EVERY and rng.random() < 0.35:
        return json.dumps({"arithmetic": "float"} | document, default=float)
    return json.dumps(document, default=_exact)


def _features(rng: Random, S: int, F: int) -> list[Row]:
    """Groups of states, integers, fractions or decimals; a quarter dependent, some of very different size."""
    if rng.random() < 0.1:
        return [[Fraction(f == s % F) for f in range(F)] for s in range(S)]
    q, scale = rng.choice((1, 1, 2, 7, 10, 100)), rng.choice((1,) * 19 + (1000,)) if F < 9 else 1
    Phi = [[Fraction(rng.randint(-3 * q, 4 * q), q) * scale**f for f in range(F)] for _ in range(S)]
    if F > 1 and rng.random() < 0.25:
        Phi = [[*row[:-1], row[0] + 2 * row[F // 2 - 1]] for row in Phi]
    return Phi


def _distribution(rng: Random, n: int, kind: int) -> Row:
    """Deterministic, a few outcomes in percent, all outcomes, or some very rare."""
    weights = [rng.randint(1, 9) if kind == 2 else rng.choice((1, 10**3, 10**9)) * (kind == 3) for _ in range(n)]
    for _ in range((1, 4, 0, 0)[kind]):
        weights[rng.randrange(n)] += 1
    return [Fraction(w, sum(weights)) for w in weights]


def _transitions(rng: Random, S: int, kind: int) -> list[Row]:
    """All rows of one kind, or a cycle."""
    if kind == 4:
        return [[Fraction(t == (s + 1) % S) for t in range(S)] for s in range(S)]
    return [_distribution(rng, S, kind) for _ in range(S)]


def _rewards(rng: Random, *shape: int) -> Any:
    return [_rewards(rng, *shape[1:]) for _ in range(shape[0])] if shape else Fraction(rng.randint(-4, 8), 4)


def _common(rng: Random, Phi: list[Row]) -> dict[str, Any]:
    gamma = Fraction(rng.choice((*DISCOUNTS.split(), f"0.{rng.randint(1, 99)}")))
    factors = [rng.choice((Fraction(1), Fraction(9, 10), Fraction(0))) for _ in Phi]
    return {"gamma": gamma, "features": Phi} | ({"discount": factors} if rng.random() < 0.1 else {})


def _matrices(rng: Random, S: int, gamma: Fraction) -> dict[str, Any]:
    P, ends, chain = _transitions(rng, S, rng.randrange(5)), rng.random() < 0.2, rng.random() < 0.3
    behaviour: dict[str, Any] = {"distribution": _distribution(rng, S, rng.choice((2, 2, 3)))}
    if chain:
        behaviour = {"transitions": _transitions(rng, S, rng.choice((2, 3, 4))), "rewards": _rewards(rng, S)}
    if ends:
        P = [[x * rng.choice((Fraction(1, 2), Fraction(0))) for x in row] for row in P]
        gamma = gamma if chain else rng.choice((gamma, Fraction(1)))
    target = {"transitions": P} | ({"rewards": _rewards(rng, S)} if rng.random() < 0.8 else {})
    return {"gamma": gamma, "episodic": ends, "target": target, "behaviour": behaviour}


def _mdp(rng: Random, S: int, gamma: Fraction) -> dict[str, Any]:
    A, ends, target = rng.randint(2, 3), rng.random() < 0.15, rng.choice((0, 0, 1, 2))
    actions = [_transitions(rng, S, rng.choice((2, 4) if a == 0 else range(5))) for a in range(A)]
    stays = Fraction(3, 4) if ends else Fraction(1)
    return ({"start": _distribution(rng, S, 2)} if ends else {}) | {
        "transitions": [[[x * stays for x in P[s]] for P in actions] for s in range(S)],
        "rewards": _rewards(rng, S, A, *([S] if not ends and rng.random() < 0.2 else [])),
        "target_policy": [_distribution(rng, A, target) for _ in range(S)],
        "behaviour_policy": [_distribution(rng, A, 2) for _ in range(S)],
    }


def _tie(rng: Random) -> dict[str, Any]:
    X = Y = Fraction(0)
    while abs(Y) <= X:
        S, n = rng.randint(2, 5), rng.choice((1, 1, 2))
        phi, P, d = (_distribution(rng, S, 2), _transitions(rng, S, rng.randrange(5)), _distribution(rng, S, 2))
        phi = [x * rng.choice((1, 2, -5)) for x in phi]
        X = sum(w * x * x for w, x in zip(d, phi, strict=True))
        Y = sum(d[s] * phi[s] * P[s][t] * phi[t] for s in range(S) for t in range(S))
    blank = [Fraction(0)] * S
    return {
        "gamma": X / abs(Y),
        "features": [[x * (j == i) for j in range(n)] for i in range(n) for x in phi],
        "target": {"transitions": [blank * i + row + blank * (n - 1 - i) for i in range(n) for row in P]},
        "behaviour": {"distribution": [w / n for w in d] * n},
    }


def _exact(x: Fraction) -> int | float | str:
    """An integer, a short decimal, or p/q."""
    return int(x) if x.denominator == 1 else float(x) if 1000 % x.denominator == 0 and abs(x) < 100 else str(x)
