r"""ρ(ΠP): exactly, or between two numbers that are proved to hold it. Cheap knowledge first.

1. **Π = I** where rank Φ = S: then ρ(ΠP) = ρ(P), which is 1, whatever the features and d. Rows of doubles sum to 1 only
   nearly, and to less where episodes end: ρ(P) lies between the smallest and the largest of these sums.
2. **Blocks** (`theory.exact.blocks`): ρ is the largest of the blocks'. Features in disjoint groups of states are
   first divided by their value, so that with hard aggregation X⁻¹Y is nonnegative with rows that sum to one.
3. Of a block: one number; a nonnegative matrix between its row sums (Collatz, Wielandt); the exact polynomial
   det(λX − Y) and its largest root in modulus; circles in doubles where there are many features; powers in balls
   (`theory.certified.enclosed_radius`).

Nothing here asks for verdicts: an enclosure of ρ is itself the proof on both sides.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq, fmpq_mat

from theory.certified.enclosed_radius import narrowed, nonnegative_bounds, radius_bounds
from theory.certified.enclosed_spectra import pencil_circles
from theory.exact.algebraic import algebraic_rational, rational_ball
from theory.exact.blocks import pencil_blocks
from theory.exact.matrices import columns, matrix
from theory.exact.pencil_polynomials import pencil_polynomial, pencil_work
from theory.exact.reduced import Reduced, reduced
from theory.exact.spectral_radius import Radius, largest_modulus
from theory.problems import Problem

MAX_WORK = 2e10  # of `pencil_work`: two seconds, about
MANY = 60  # features beyond which circles in doubles come before powers in balls
TOO_MANY = 160  # and beyond which such powers would take minutes

Progress = Callable[[float], None]


def successor_radius(problem: Problem, max_work: float = MAX_WORK, progress: Progress | None = None) -> Radius | None:
    """ρ(ΠP), and in words what is special about it; None where nothing is known."""
    m = reduced(problem)
    if m.rank == problem.n_states:
        return _of_transitions(problem)
    X, Y = _in_units(problem, m)
    blocks = [(A, B, _by_rows(A, B)) for A, B in pencil_blocks(X, Y)]
    least = max((quick.low for *_, quick in blocks if quick is not None), default=fmpq(0))
    parts = [
        quick if quick is not None and (quick.low == quick.high or quick.high <= least)  # the latter: not the largest
        else _of_block(A, B, quick, max_work, progress)
        for A, B, quick in blocks
    ]  # fmt: skip
    known = [part for part in parts if part is not None]
    return largest(known) if len(known) == len(parts) else None


def largest(radii: list[Radius]) -> Radius:
    """The largest of several numbers, as exactly as they allow; 0 of none."""
    zero = algebraic_rational(0)
    best = Radius(zero, zero.low, zero.high)
    for radius in radii:
        if best.exact is not None and radius.exact is not None:
            best = radius if radius.exact > best.exact else best
        elif best.low >= radius.high or radius.low >= best.high:
            best = best if best.low >= radius.high else radius
        else:
            reason = best.reason or radius.reason
            best = Radius(None, max(best.low, radius.low), max(best.high, radius.high), reason)
    return best


def _of_transitions(problem: Problem) -> Radius:
    sums = [sum(row, fmpq(0)) for row in matrix(problem.given.P_pi).tolist()]
    low, high = min(sums), max(sums)
    if low == high:
        return Radius(algebraic_rational(low), low, high)
    why = "sum to at most 1, since episodes end" if problem.is_episodic else "given in doubles, sum to 1 only nearly"
    return Radius(None, low, high, f"Π = I, and the rows of P, {why}")


def _in_units(problem: Problem, m: Reduced) -> tuple[fmpq_mat, fmpq_mat]:
    """X and Y; where the features have no state in common, of features that are 1 where they first are not 0."""
    n = m.rank
    if any(m.X[i, j] != 0 for i in range(n) for j in range(i)):
        return m.X, m.Y
    C = columns(matrix(problem.given.Phi), m.independent)
    v = [next(x for x in column if x != 0) for column in C.transpose().tolist()]
    scaled = [
        fmpq_mat([[x / (a * b) for x, b in zip(row, v, strict=True)] for row, a in zip(Z.tolist(), v, strict=True)])
        for Z in (m.X, m.Y)
    ]
    return scaled[0], scaled[1]


def _by_rows(X: fmpq_mat, Y: fmpq_mat) -> Radius | None:
    """ρ of a single number, or bounds where X⁻¹Y is seen at once to be nonnegative."""
    n = X.nrows()
    if n == 1:
        number = algebraic_rational(abs(Y[0, 0] / X[0, 0]))
        return Radius(number, number.low, number.high)
    if any(X[i, j] != 0 for i in range(n) for j in range(n) if i != j):
        return None
    rows = zip((X[i, i] for i in range(n)), Y.tolist(), strict=True)
    bounds = nonnegative_bounds(fmpq_mat([[y / x for y in row] for x, row in rows]))
    if bounds is None:
        return None
    return Radius(algebraic_rational(bounds[0]) if bounds[0] == bounds[1] else None, *bounds, _long(n))


def _of_block(
    X: fmpq_mat, Y: fmpq_mat, quick: Radius | None, max_work: float, progress: Progress | None
) -> Radius | None:
    n = X.nrows()
    if float(n) ** 5 <= max_work and pencil_work(X, Y) <= max_work:
        return largest_modulus(pencil_polynomial(X, Y))
    if quick is not None:
        return quick
    bounds = None
    if n > MANY:
        found = pencil_circles(Y, X)
        bounds = None if found is None else narrowed(Y, X, *rational_ball(found.radius))
    if bounds is None and n <= TOO_MANY:
        bounds = radius_bounds(Y, X, progress)
    return None if bounds is None else Radius(None, *bounds, _long(n))


def _long(n: int) -> str:
    return f"the exact polynomial of {n} features would take long"
