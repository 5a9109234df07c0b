"""What certainty costs: certified verdicts against NumPy's uncertified eigenvalues, in one run.

`float_over_eigvals`: td_stable and chain_unbiased of float problems (S=20, F=10, γ=.99, the paper's ensemble), from
the `Problem` to two verdicts with certificates, over ``numpy.linalg.eigvals`` of A and of B = γX⁻¹Y, both matrices
already formed. `float_over_eigvals_formed` has NumPy form A and B as well. The mean is over problems as drawn, hard
ones included; each is timed as the fastest of a few repeats, to keep the machine's noise out.
`hard_over_eigvals`: the same with F=19, where nine verdicts in ten need eigenvectors.
`large_over_eigvals`: the same with S=200 and F=150.
`exact_ms`: both verdicts of an exact problem with S=10, F=5, in milliseconds; `exact_tie_ms`: of one with det A = 0
and ρ = 1, where only the characteristic polynomials decide.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from time import perf_counter

import numpy as np

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.problems import Problem


def run(problems: int = 200, repeats: int = 5, seed: int = 0, largest: tuple = (200, 150)) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    certified, bare, formed = compare([draw(rng, 20, 10) for _ in range(problems)], repeats)
    hard, hard_bare, _ = compare([draw(rng, 20, 19) for _ in range(problems)], repeats)
    large, large_bare, _ = compare([draw(rng, *largest) for _ in range(3)], 2)
    exact = [draw_exact(rng, 10, 5) for _ in range(20)]
    ties = [with_tie(rng) for _ in range(20)]
    return {
        "float_over_eigvals": certified / bare,
        "float_over_eigvals_formed": certified / formed,
        "hard_over_eigvals": hard / hard_bare,
        "large_over_eigvals": large / large_bare,
        "float_us": 1e6 * certified / problems,
        "eigvals_us": 1e6 * bare / problems,
        "exact_ms": float(np.mean([1e3 * best(lambda p=p: verdicts(p), 1) for p in exact])),
        "exact_tie_ms": float(np.mean([1e3 * best(lambda p=p: verdicts(p), 1) for p in ties])),
    }


def compare(problems: list[Problem], repeats: int) -> tuple[float, float, float]:
    certified = bare = formed = 0.0
    for p in problems:
        A, B = key_and_chain(p)
        certified += best(lambda p=p: verdicts(p), repeats)
        bare += best(lambda A=A, B=B: (np.linalg.eigvals(A), np.linalg.eigvals(B)), repeats)
        formed += best(lambda p=p: [np.linalg.eigvals(M) for M in key_and_chain(p)], repeats)
    return certified, bare, formed


def verdicts(p: Problem) -> tuple[bool | None, bool | None]:
    return td_stable(p).proved, chain_unbiased(p).proved


def draw(rng: np.random.Generator, S: int, F: int) -> Problem:
    P, d = rng.uniform(size=(S, S)), rng.uniform(size=S)
    return Problem.from_matrices(
        0.99, Phi=rng.normal(size=(S, F)), P_pi=P / P.sum(axis=1, keepdims=True), d_mu=d / d.sum()
    )


def draw_exact(rng: np.random.Generator, S: int, F: int) -> Problem:
    P, d = rng.integers(1, 100, size=(S, S)), rng.integers(1, 100, size=S)
    return Problem.from_matrices(
        "99/100",
        Phi=rng.integers(-9, 10, size=(S, F)),
        P_pi=[[f"{x}/{row.sum()}" for x in row] for row in P],
        d_mu=[f"{x}/{d.sum()}" for x in d],
    )


def with_tie(rng: np.random.Generator) -> Problem:
    """Two states at their threshold γ = 5/6 beside eight others that do not meet them."""
    rest = draw_exact(rng, 8, 4).with_gamma("5/6").exact
    half = Fraction(1, 2)
    Phi, P = np.full((10, 5), Fraction(0)), np.full((10, 10), Fraction(0))
    Phi[:2, 0], Phi[2:, 1:] = [1, 2], rest.Phi
    P[:2, 1], P[2:, 2:] = 1, rest.P_pi
    d = [half / 2, half / 2, *(half * x for x in rest.d_mu)]
    return Problem.from_matrices("5/6", Phi=Phi, P_pi=P, d_mu=d)


def key_and_chain(p: Problem) -> tuple[np.ndarray, np.ndarray]:
    weighted = (p.Phi * p.d_mu[:, None]).T
    X, Y = weighted @ p.Phi, p.gamma * (weighted @ (p.P_pi @ p.Phi))
    return X - Y, np.linalg.solve(X, Y)


def best(work, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def main(quick: bool = False) -> None:
    print(json.dumps(run(2, 1, largest=(30, 20)) if quick else run(), indent=2))


if __name__ == "__main__":
    main(quick=sys.argv[1:] == ["quick"])
