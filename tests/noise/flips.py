"""Does simulation change sides where the mean square does? ``python -m tests.noise.flips [problems] [seed]``.

For head 1 of the concurrent chain on catalogue problems and TD on random ones, whose ratios are too far apart for
samples to find the tail: at .95 α* the mean square of its error falls, at
1.05 α* it grows. In the long run samples do not show that (beyond α* most paths fall while their mean square grows), so
paths are followed for so many moves that it changes by about a quarter, from a Gaussian start whose second moments are
the eigenvector V with trace 1: then E‖x_t‖² = ρ₂ᵗ, on either side of 1, and |z| tells how far the sample is from it.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np

from theory.learners.concurrent import ConcurrentChain
from theory.learners.td import TD
from theory.noise.cone import step_bracket
from theory.noise.mean_square import exact_chain
from theory.noise.moments import Moments
from theory.problems.sources import find_problem

CATALOGUE = (
    "twostate", "threestate", "baird", "baird-reward", "kolter", "kolter:p=3/5", "twostate:gamma=1/2",
    "threestate:gamma=1/2", "baird:gamma=1/2", "twostate:gamma=1/3",
)  # fmt: skip
PATHS, MOST_MOVES, FACTOR = 20_000, 600, (0.95, 1.05)


def problems(count: int, seed: int):
    names = list(CATALOGUE)[:count]
    names += [f"random:seed={seed + i},states=3,features=2,gamma=9/10" for i in range(max(0, count - len(names)))]
    for name in names:
        problem = find_problem(name)
        yield name, problem if problem.mdp is not None else problem.realised()


def limit(problem) -> tuple[Moments, float]:
    """The head's own moves and its α*, exact or in the middle of its bracket."""
    gamma = problem.exact.gamma
    rule = ConcurrentChain(gamma, Fraction(1), K=1) if problem.is_exact else TD(gamma, Fraction(1))
    family = Moments(exact_chain(rule, problem).blocks[-1])
    found = step_bracket([family])
    assert not isinstance(found, str), found
    return family, float((found.low + found.high) / 2)


def sampled_growth(rng: np.random.Generator, family: Moments, alpha: float) -> tuple[float, float, float]:
    """ρ₂ᵗ, and mean and standard error over the paths of ‖x_t‖²."""
    chain = family.chain.in_floats
    maps, p = chain.mixed((alpha, 0))[:, :-1, :-1], chain.probability
    rho, V = family.perron(alpha)
    moves = int(min(MOST_MOVES, np.ceil(0.25 / abs(np.log(rho)))))
    mass = np.trace(V, axis1=1, axis2=2)
    mass = np.maximum(mass, 0) / mass.sum()
    node = rng.choice(len(chain.nodes), PATHS, p=mass / mass.sum())
    D = V.shape[1]
    roots = []
    for block, m in zip(V, mass, strict=True):
        values, vectors = np.linalg.eigh(block / (np.trace(block) if m > 0 else 1))
        roots.append(vectors * np.sqrt(np.maximum(values, 0)))
    x = np.einsum("nij,nj->ni", np.array(roots)[node], rng.standard_normal((PATHS, D)))
    outgoing = [np.nonzero(chain.node == i)[0] for i in range(len(chain.nodes))]
    for _ in range(moves):
        chosen = np.empty(PATHS, dtype=int)
        for i, out in enumerate(outgoing):
            here = node == i
            chosen[here] = rng.choice(out, here.sum(), p=p[out] / p[out].sum())
        x = np.einsum("nij,nj->ni", maps[chosen], x)
        node = chain.next_node[chosen]
    squares = (x**2).sum(axis=1)
    return rho**moves, float(squares.mean()), float(squares.std() / np.sqrt(PATHS))


def flips(count: int = 20, seed: int = 0):
    """Name, α*, and for each side (expected growth, sampled growth, standard error)."""
    for at, (name, problem) in enumerate(problems(count, seed)):
        family, alpha = limit(problem)
        rng = np.random.default_rng((seed, at))
        yield name, alpha, [sampled_growth(rng, family, factor * alpha) for factor in FACTOR]


if __name__ == "__main__":
    words = [int(x) for x in sys.argv[1:]]
    right = total = 0
    for name, alpha, sides in flips(*words):
        z = [(got - want) / error for want, got, error in sides]
        flipped = sides[0][0] < 1 < sides[1][0] and sides[0][1] < 1 < sides[1][1]
        right, total = right + flipped, total + 1
        text = ", ".join(f"{want:.4f}: {got:.4f} ± {error:.4f}" for want, got, error in sides)
        word, far = "flips" if flipped else "DOES NOT FLIP", max(map(abs, z))
        print(f"{word:14} {name:45} α* = {alpha:.6g}  {text}  |z| ≤ {far:.1f}", flush=True)
    print(f"{right} of {total} problems change sides within ±5% of α*")
