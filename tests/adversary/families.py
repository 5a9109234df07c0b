r"""Problems with known answers.

Each family is a function of a seeded `random.Random` that returns a document (a problem file) and what is known of
it. Most answers are theorems: ΠP = P where Φ is invertible; X⁻¹Y is stochastic where Φ aggregates; blocks side by
side fail when one of them does; with states ±c e_j that move on symmetrically, X = x₀I and Y = y₀R for any matrix R,
so that every Jordan form is the B of some problem (`realised`). The rest comes from `oracle`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from tests.adversary import oracle

Rows = list[list[Fraction]]


@dataclass(frozen=True)
class Known:
    """What is true: None where a family does not say. Thresholds as squares, so that they are rational."""

    td: bool | None = None
    chain: bool | None = None
    td_end_squared: Fraction | None = None  # of the first stable interval; 1 or more: every γ
    chain_threshold_squared: Fraction | None = None  # 1 or more: every γ
    window: bool | None = None  # at the family's own T and α
    arguments: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


Family = Callable[[Random], tuple[dict[str, Any], Known]]
FAMILIES: dict[str, Family] = {}


def family(function: Family) -> Family:
    FAMILIES[function.__name__.replace("_", "-")] = function
    return function


# Pieces


def text(x: Any) -> Any:
    """A number for a JSON file: a double as itself, a rational as p/q."""
    return x if isinstance(x, float | int) else str(x)


def document(gamma: Any, Phi: list[list[Any]], P: list[list[Any]], d: list[Any], name: str) -> dict[str, Any]:
    doubles = {"arithmetic": "float"} if isinstance(d[0], float) else {}
    return doubles | {
        "name": name,
        "gamma": text(gamma),
        "features": [[text(x) for x in row] for row in Phi],
        "target": {"transitions": [[text(x) for x in row] for row in P], "rewards": [1] * len(P)},
        "behaviour": {"distribution": [text(x) for x in d]},
    }


def normalised(weights: list[Fraction]) -> list[Fraction]:
    total = sum(weights, Fraction(0))
    return [w / total for w in weights]


def weights(rng: Random, n: int) -> list[Fraction]:
    """A distribution: plain, geometric, or with visits as rare as 10⁻³⁰⁰."""
    kind = rng.randrange(4)
    if kind == 0:
        return normalised([Fraction(rng.randint(1, 9)) for _ in range(n)])
    if kind == 1:
        base = Fraction(rng.randint(11, 40), 10)
        return normalised([base**-i for i in range(n)])
    if kind == 2:
        return normalised([Fraction(rng.randint(1, 9), 10 ** rng.choice((0, 3, 17, 40, 150, 290))) for _ in range(n)])
    return normalised([Fraction(rng.randint(1, 10**30)) for _ in range(n)])


def size(rng: Random, usual: tuple[int, ...], large: tuple[int, ...], share: float = 0.1) -> int:
    """Mostly small: of these the most can be asked in an hour; a fixed share large."""
    return rng.choice(large if rng.random() < share else usual)


def stochastic(rng: Random, n: int) -> Rows:
    """Deterministic, sparse or dense rows."""
    kind = rng.randrange(4)
    rows: Rows = []
    for i in range(n):
        row = [Fraction(0)] * n
        if kind == 0:
            row[rng.randrange(n)] = Fraction(1)
        elif kind == 1:
            for _ in range(2):
                row[rng.randrange(n)] += Fraction(1, 2)
        elif kind == 2:
            row[(i + 1) % n] = Fraction(1)
        else:
            row = normalised([Fraction(rng.randint(0, 5)) + (i == j) for j in range(n)])
        rows.append(row)
    return rows


def discount(rng: Random) -> Fraction:
    usual = [Fraction(x) for x in ("0", "1/2", "2/3", "9/10", "99/100", "9999/10000")]
    return rng.choice([*usual, 1 - Fraction(1, 10**9), Fraction(rng.randint(1, 99), 100)])


def unimodular(rng: Random, n: int, steps: int) -> tuple[Rows, Rows]:
    """An integer matrix of determinant ±1 and its inverse, by elementary operations."""
    V = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    W = [row[:] for row in V]
    for _ in range(steps if n > 1 else 0):
        i, j = rng.sample(range(n), 2)
        c = rng.choice((-1, 1))
        V[i] = [x + c * y for x, y in zip(V[i], V[j], strict=True)]
        for row in W:
            row[j] -= c * row[i]
    return V, W


def as_doubles(rng: Random, doc: dict[str, Any]) -> dict[str, Any]:
    """The same in doubles; whether the answer survives the rounding, the family must know."""

    def floats(x: Any) -> Any:
        return [floats(y) for y in x] if isinstance(x, list) else float(Fraction(x))

    out = doc | {"arithmetic": "float", "gamma": float(Fraction(doc["gamma"])), "features": floats(doc["features"])}
    out["target"] = {"transitions": floats(doc["target"]["transitions"]), "rewards": doc["target"]["rewards"]}
    out["behaviour"] = {"distribution": floats(doc["behaviour"]["distribution"])}
    return out


def realised(gamma: Fraction, R: Rows, share: Fraction, reach: Fraction, name: str) -> tuple[dict[str, Any], Fraction]:
    r"""A problem with X⁻¹Y = sR, and s.

    F states with features e_i share the weight p = `share`, 2F states with features ±c e_j the rest q; the first go on
    to the latter so that the mean next feature is row i of R, which needs ‖R_i‖₁ ≤ c; the latter go to any pair ±
    with equal odds. Then X = (p + qc²)/F·I, Y = p/F·R and s = p/(p + qc²).
    """
    n = len(R)
    c = max(reach, max(sum((abs(x) for x in row), Fraction(0)) for row in R), Fraction(1, 10**6))
    Phi = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    Phi += [[sign * c if i == j else Fraction(0) for j in range(n)] for i in range(n) for sign in (1, -1)]
    P: Rows = []
    for row in R:
        out = [Fraction(0)] * (3 * n)
        left = Fraction(1)
        for j, x in enumerate(row):
            out[n + 2 * j + (x < 0)] += abs(x) / c
            left -= abs(x) / c
        out[n] += left / 2
        out[n + 1] += left / 2
        P.append(out)
    half = [Fraction(0)] * (3 * n)
    half[n] = half[n + 1] = Fraction(1, 2)
    P += [half[:] for _ in range(2 * n)]
    d = [share / n] * n + [(1 - share) / (2 * n)] * (2 * n)
    return document(gamma, Phi, P, d, name), share / (share + (1 - share) * c * c)


@dataclass(frozen=True)
class Spectrum:
    """A real matrix of known eigenvalues a + bi, each with b ≥ 0."""

    R: Rows
    values: list[tuple[Fraction, Fraction]]

    @property
    def radius_squared(self) -> Fraction:
        return max(a * a + b * b for a, b in self.values)

    @property
    def rightmost(self) -> Fraction:
        return max(a for a, _ in self.values)


def jordan(rng: Random, n: int, nilpotent: bool = False) -> Spectrum:
    """Blocks of random sizes, real or complex, some of them defective, in a random integer basis."""
    J = [[Fraction(0)] * n for _ in range(n)]
    values, i = [], 0
    while i < n:
        size = rng.randint(1, n - i) if not nilpotent else n
        a = Fraction(0) if nilpotent else Fraction(rng.randint(-12, 12), 6)
        if size >= 2 and not nilpotent and rng.random() < 0.4:
            b = Fraction(rng.randint(1, 12), 6)
            size -= size % 2
            for j in range(i, i + size, 2):
                J[j][j] = J[j + 1][j + 1] = a
                J[j][j + 1], J[j + 1][j] = b, -b
                if j + 2 < i + size:
                    J[j][j + 2] = J[j + 1][j + 3] = Fraction(1)
            values.append((a, b))
        else:
            for j in range(i, i + size):
                J[j][j] = a
                if j + 1 < i + size:
                    J[j][j + 1] = Fraction(1)
            values.append((a, Fraction(0)))
        i += size
    V, W = unimodular(rng, n, 0 if nilpotent else rng.choice((0, n, 3 * n)))
    return Spectrum(oracle.product(oracle.product(V, J), W), values)


def expectation(gamma: Fraction, s: Fraction, spectrum: Spectrum) -> Known:
    """TD is stable ⇔ γs Re λ < 1 for all λ, the chain unbiased ⇔ γs|λ| < 1."""
    right, square = spectrum.rightmost, spectrum.radius_squared
    return Known(
        td=gamma * s * right < 1,
        chain=gamma * gamma * s * s * square < 1,
        td_end_squared=Fraction(1) if right <= 0 else (1 / (s * right)) ** 2,
        chain_threshold_squared=Fraction(1) if square == 0 else 1 / (s * s * square),
    )


# Families


@family
def tabular(rng: Random) -> tuple[dict[str, Any], Known]:
    """Φ a permuted, scaled identity: ΠP = P, and A = D(I − γP) up to scaling is an M-matrix."""
    n, gamma = size(rng, (1, 2, 3, 5, 8, 13), (30, 60)), discount(rng)
    order = rng.sample(range(n), n)
    scale = Fraction(10) ** rng.choice((0, 0, 0, -100, 100, 30))
    Phi = [[scale * (order[i] == j) for j in range(n)] for i in range(n)]
    doc = document(gamma, Phi, stochastic(rng, n), weights(rng, n), "tabular")
    return doc, Known(True, True, Fraction(1), Fraction(1))


@family
def tabular_doubles(rng: Random) -> tuple[dict[str, Any], Known]:
    """The same in doubles, with up to 200 states."""
    n, gamma = size(rng, (2, 5, 12, 20, 30), (60, 84, 120, 200)), rng.choice((0.5, 0.9, 0.99))
    base = rng.choice((1.0, 1.1, 1.9, 3.0)) if n <= 120 else rng.choice((1.0, 1.1, 1.5))
    d = [base**-i for i in range(n)]
    total = sum(d)
    P = [[0.0] * n for _ in range(n)]
    for i in range(n):
        if rng.random() < 0.5:
            P[i][min(i + 1, n - 1)] = 1.0
        else:
            P[i][rng.randrange(n)] += 0.5
            P[i][rng.randrange(n)] += 0.5
    Phi = [[float(i == j) for j in range(n)] for i in range(n)]
    return document(gamma, Phi, P, [x / total for x in d], "tabular-doubles"), Known(True, True)


@family
def corridor(rng: Random) -> tuple[dict[str, Any], Known]:
    """i → i + 1, the last stays or returns, geometric visits, each state its own feature, or one feature a pair."""
    n = size(rng, (4, 7, 10, 16), (24, 32, 48, 60))
    base = (
        Fraction(rng.choice((11, 15, 19, 30)), 10)
        if rng.random() < 0.7
        else Fraction(rng.randint(10**9, 10**10), 10**9)
    )
    P = [[Fraction(j == min(i + 1, n - 1)) for j in range(n)] for i in range(n)]
    if rng.random() < 0.5:
        P[-1] = [Fraction(j == 0) for j in range(n)]
    group = rng.choice((1, 2))
    Phi = [[Fraction(i // group == j) for j in range((n + group - 1) // group)] for i in range(n)]
    doc = document(discount(rng), Phi, P, normalised([base**-i for i in range(n)]), "corridor")
    return doc, Known(True, True, Fraction(1), Fraction(1))


@family
def corridor_doubles(rng: Random) -> tuple[dict[str, Any], Known]:
    """The corridor in doubles, with up to 200 states."""
    n = size(rng, (8, 16, 24, 32), (64, 70, 84, 86, 120, 200))
    base = rng.choice((1.05, 1.3, 1.9)) if n < 150 else rng.choice((1.05, 1.3))
    d = [base**-i for i in range(n)]
    P = [[float(j == min(i + 1, n - 1)) for j in range(n)] for i in range(n)]
    Phi = [[float(i == j) for j in range(n)] for i in range(n)]
    total = sum(d)
    return document(0.9, Phi, P, [x / total for x in d], "corridor-doubles"), Known(True, True)


@family
def invertible(rng: Random) -> tuple[dict[str, Any], Known]:
    """Φ invertible: ρ(γΠP) = γ whatever d is; TD by the oracle where it is small."""
    n, gamma = size(rng, (2, 3, 4, 6), (9, 12, 24)), discount(rng)
    Phi, _ = unimodular(rng, n, 4 * n)
    P, d = stochastic(rng, n), weights(rng, n)
    td = None
    if n <= 6:
        X, Y = oracle.moments(Phi, P, d)
        td = oracle.all_right([[x - gamma * y for x, y in zip(*r, strict=True)] for r in zip(X, Y, strict=True)])
    return document(gamma, Phi, P, d, "invertible"), Known(td, True, None, Fraction(1))


@family
def aggregation(rng: Random) -> tuple[dict[str, Any], Known]:
    """Φ a partition, columns scaled: X⁻¹Y is stochastic up to similarity, A a scaled M-matrix: both safe."""
    n = size(rng, (3, 5, 9, 20), (40, 60))
    groups = rng.randint(1, n)
    member = [i if i < groups else rng.randrange(groups) for i in range(n)]
    scale = [Fraction(rng.choice((1, 1, -1, 2, 10**20))) for _ in range(groups)]
    Phi = [[scale[j] * (member[i] == j) for j in range(groups)] for i in range(n)]
    doc = document(discount(rng), Phi, stochastic(rng, n), weights(rng, n), "aggregation")
    return doc, Known(True, True, Fraction(1), Fraction(1))


@family
def one_feature(rng: Random) -> tuple[dict[str, Any], Known]:
    """A = x − γy and ρ = γ|y|/x, at scales from 10⁻³⁰⁰ to 10³⁰⁰, at ties and 10⁻⁶⁰ beside them."""
    n = rng.choice((2, 2, 3, 5))
    scale = Fraction(10) ** rng.choice((0, 0, -59, 59, -140, 140, 290, -290))
    Phi = [[Fraction(rng.randint(-5, 5)) * scale] for _ in range(n)]
    Phi[0] = [scale]
    P, d = stochastic(rng, n), weights(rng, n)
    [[x]], [[y]] = oracle.moments(Phi, P, d)
    gamma = discount(rng)
    if y and abs(x / y) < 1 and rng.random() < 0.7:
        near = rng.choice(
            (Fraction(0), Fraction(1, 10**60), -Fraction(1, 10**60), Fraction(1, 10**17), -Fraction(1, 10**17))
        )
        gamma = abs(x / y) * (1 + near)
        gamma = gamma if gamma < 1 else abs(x / y)
    known = Known(
        td=x - gamma * y > 0,
        chain=gamma * abs(y) < x,
        td_end_squared=Fraction(1) if y <= 0 else (x / y) ** 2,
        chain_threshold_squared=Fraction(1) if y == 0 else (x / y) ** 2,
    )
    return document(gamma, Phi, P, d, "one-feature"), known


@family
def jordan_forms(rng: Random) -> tuple[dict[str, Any], Known]:
    """Any Jordan form, defective ones among them; ties, and 10⁻⁶⁰ and 10⁻¹² beside them."""
    n = rng.choice((1, 2, 3, 4, 5, 6, 8))
    spectrum = jordan(rng, n)
    share = rng.choice((Fraction(9, 10), Fraction(999, 1000), Fraction(1, 2)))
    _, s = realised(Fraction(0), spectrum.R, share, Fraction(0), "")
    gamma = discount(rng)
    edge = 1 / (s * spectrum.rightmost) if spectrum.rightmost > 0 else Fraction(2)
    if edge < 1 and rng.random() < 0.5:
        gamma = edge * (1 + rng.choice((0, Fraction(1, 10**60), -Fraction(1, 10**60), Fraction(1, 10**12))))
    if not 0 <= gamma < 1:
        gamma = Fraction(9, 10)
    doc, s = realised(gamma, spectrum.R, share, Fraction(0), "jordan")
    return doc, expectation(gamma, s, spectrum)


@family
def nilpotent(rng: Random) -> tuple[dict[str, Any], Known]:
    """X = x₀I and Y nilpotent of high order: A has one eigenvalue x₀ > 0 for every γ, and ρ = 0."""
    n = size(rng, (4, 8, 16), (19, 24, 32))
    gamma = discount(rng)
    doc, _ = realised(gamma, jordan(rng, n, nilpotent=True).R, Fraction(9, 10), Fraction(0), "nilpotent")
    return doc, Known(True, True, Fraction(1), Fraction(1))


@family
def windows(rng: Random) -> tuple[dict[str, Any], Known]:
    """X = x₀I: G_T has the eigenvalues q + (1 − q)β with q = (1 − αx₀)ᵀ."""
    n = rng.choice((1, 2, 3))
    spectrum, gamma = jordan(rng, n), discount(rng)
    doc, s = realised(gamma, spectrum.R, Fraction(9, 10), Fraction(0), "windows")
    d, Phi = doc["behaviour"]["distribution"], doc["features"]
    x0 = sum((Fraction(w) * Fraction(row[0]) ** 2 for w, row in zip(d, Phi, strict=True)), Fraction(0))
    T = rng.choice((1, 2, 3, 7, 40))
    alpha = rng.choice((Fraction(1, 2), 1, Fraction(3, 2), Fraction(1, 64))) / x0
    q = (1 - alpha * x0) ** T
    sizes = [(q + (1 - q) * gamma * s * a) ** 2 + ((1 - q) * gamma * s * b) ** 2 for a, b in spectrum.values]
    known = expectation(gamma, s, spectrum)
    arguments = ("--window", str(T), "--step-size", str(alpha))
    return doc, Known(known.td, known.chain, window=max(sizes) < 1, arguments=arguments)


def _small(rng: Random) -> tuple[Fraction, Rows, Rows, list[Fraction]]:
    while True:
        n = rng.choice((2, 3, 4))
        f = rng.randint(1, n)
        Phi = [[Fraction(rng.randint(-3, 3)) for _ in range(f)] for _ in range(n)]
        P, d = stochastic(rng, n), weights(rng, n)
        try:
            oracle.solve(*oracle.moments(Phi, P, d))
        except ZeroDivisionError:
            continue
        return discount(rng), Phi, P, d


def decided(gamma: Fraction, Phi: Rows, P: Rows, d: list[Fraction]) -> Known:
    """By the oracle."""
    X, Y = oracle.moments(Phi, P, d)
    A = [[x - gamma * y for x, y in zip(*rows, strict=True)] for rows in zip(X, Y, strict=True)]
    B = [[gamma * x for x in row] for row in oracle.solve(X, Y)]
    return Known(oracle.all_right(A), oracle.all_inside(B))


@family
def small(rng: Random) -> tuple[dict[str, Any], Known]:
    """Small integers, where ties are frequent, against the oracle; half of them in doubles."""
    gamma, Phi, P, d = _small(rng)
    doc = document(gamma, Phi, P, d, "small")
    if rng.random() < 0.5:
        return doc, decided(gamma, Phi, P, d)
    doc = as_doubles(rng, doc)
    d_ = [Fraction(x) for x in doc["behaviour"]["distribution"]]
    if min(d_) == 0:
        return document(gamma, Phi, P, d, "small"), decided(gamma, Phi, P, d)
    P_ = [[Fraction(x) for x in row] for row in doc["target"]["transitions"]]
    return doc, decided(Fraction(doc["gamma"]), Phi, P_, d_)


@family
def blocks(rng: Random) -> tuple[dict[str, Any], Known]:
    """Independent problems side by side, states shuffled: the verdict is the worst block's."""
    gamma, parts = discount(rng), [_small(rng)[1:] for _ in range(rng.choice((2, 3, 6)))]
    S, F = sum(len(p[1]) for p in parts), sum(len(p[0][0]) for p in parts)
    share = normalised([Fraction(rng.randint(1, 9), rng.choice((1, 1, 10**50))) for _ in parts])
    Phi, P, d = [], [], []
    row, column = 0, 0
    for (f, p, w), part in zip(parts, share, strict=True):
        scale = Fraction(10) ** rng.choice((0, 0, 20, -40))
        for i in range(len(p)):
            Phi.append(
                [scale * f[i][j - column] if column <= j < column + len(f[0]) else Fraction(0) for j in range(F)]
            )
            P.append([p[i][j - row] if row <= j < row + len(p) else Fraction(0) for j in range(S)])
        d += [part * x for x in w]
        row, column = row + len(p), column + len(f[0])
    answers = [decided(gamma, *part) for part in parts]
    order = rng.sample(range(S), S)
    doc = document(
        gamma, [Phi[i] for i in order], [[P[i][j] for j in order] for i in order], [d[i] for i in order], "blocks"
    )
    return doc, Known(all(a.td for a in answers), all(a.chain for a in answers))


@family
def similar(rng: Random) -> tuple[dict[str, Any], Known]:
    """Φ times any invertible matrix: the chain's answer does not change."""
    gamma, Phi, P, d = _small(rng)
    V, _ = unimodular(rng, len(Phi[0]), 10)
    scale = [Fraction(10) ** rng.choice((0, 5, -5, 60, -60)) for _ in V]
    V = [[c * x for c, x in zip(scale, row, strict=True)] for row in V]
    return document(gamma, oracle.product(Phi, V), P, d, "similar"), Known(None, decided(gamma, Phi, P, d).chain)


@family
def rotated(rng: Random) -> tuple[dict[str, Any], Known]:
    """Φ times a rotation (Cayley transform of a skew matrix) and a scale: nothing changes."""
    gamma, Phi, P, d = _small(rng)
    n = len(Phi[0])
    skew = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            skew[i][j] = Fraction(rng.randint(-3, 3), rng.randint(1, 3))
            skew[j][i] = -skew[i][j]
    plus, minus = ([[Fraction(i == j) + sign * skew[i][j] for j in range(n)] for i in range(n)] for sign in (1, -1))
    scale = Fraction(10) ** rng.choice((0, 40, -40, 120, -120))
    turned = [[scale * x for x in row] for row in oracle.product(Phi, oracle.solve(plus, minus))]
    return document(gamma, turned, P, d, "rotated"), decided(gamma, Phi, P, d)


@family
def large_doubles(rng: Random) -> tuple[dict[str, Any], Known]:
    """Aggregation in doubles with up to 200 states: safe for every d."""
    n = size(rng, (10, 20, 40), (80, 120, 200))
    groups = rng.choice((1, 3, n // 3, n - 1))
    member = [i if i < groups else rng.randrange(groups) for i in range(n)]
    Phi = [[float(member[i] == j) for j in range(groups)] for i in range(n)]
    P = []
    for _ in range(n):
        row = [0.0] * n
        for _ in range(4):
            row[rng.randrange(n)] += 0.25
        P.append(row)
    d = [10.0 ** -rng.uniform(0, rng.choice((1, 12))) for _ in range(n)]
    total = sum(d)
    return document(0.95, Phi, P, [x / total for x in d], "large-doubles"), Known(True, True)


@family
def graded(rng: Random) -> tuple[dict[str, Any], Known]:
    """Normal features in doubles, columns and weights of very different scale, against the oracle."""
    n = rng.choice((3, 4, 6, 8))
    f = rng.randint(1, min(n, 5))
    reach = rng.choice((0, 6, 20))
    scale = [2.0 ** rng.randint(-reach, reach) for _ in range(f)]
    Phi = [[rng.gauss(0, 1) * c for c in scale] for _ in range(n)]
    P = []
    for _ in range(n):
        row = [rng.expovariate(1) ** 3 for _ in range(n)]
        P.append([x / sum(row) for x in row])
    d = [10.0 ** -rng.uniform(0, rng.choice((1, 17, 40))) for _ in range(n)]
    d = [x / sum(d) for x in d]
    gamma = rng.choice((0.5, 0.9, 0.99, 1 - 2.0**-30))
    rational = [[[Fraction(x) for x in row] for row in rows] for rows in (Phi, P, [d])]
    return document(gamma, Phi, P, d, "graded"), decided(Fraction(gamma), rational[0], rational[1], rational[2][0])
