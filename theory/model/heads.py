r"""The chain's head θᵏ for any k: with all its digits, or in balls the first of them, proved.

In independent features w = Rθ follows w ← Bw + c. **All digits:** with q a common denominator, the matrix M of

    ⎡Bw + c⎤   1  ⎡qB  qc⎤ ⎡w⎤
    ⎢      ⎥ = ─  ⎢      ⎥ ⎢ ⎥
    ⎣   1  ⎦   q  ⎣ 0   q⎦ ⎣1⎦

is integer, so wᵏ = Mᵏ(w⁰, 1)/qᵏ with one greatest common divisor an entry, at the very end. Mᵏ itself is never
formed: xᵏ modulo the characteristic polynomial of M, by repeated squaring, is a combination of 1, x, …, xⁿ⁻¹ (Cayley
and Hamilton), which is then applied to the short vectors Mⁱ(w⁰, 1). The numbers have about k·log₂‖M‖ bits, and cannot
be written down in fewer.

**In balls** Bᵏ costs log₂ k products, whatever the length of the exact result. The bias Bᵏ(w⁰ − w_π) is raised by
itself and not as a difference, which would lose all digits as it vanishes, and θ_π and v_π are exact where one linear
system is affordable: balls cannot tell that they agree, fractions can. The precision is doubled until every entry has
the digits asked for, or is nothing beside the largest one (balls cannot tell a zero from a very small number).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lcm
from typing import Any

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz, fmpz_mat, fmpz_poly

from theory.budgets import EXACT_HEAD, HEAD_BITS
from theory.exact.matrices import entry_length, identity, joined, stacked
from theory.model.linear_model import ExactModel, exact_model
from theory.model.points import Start, check_count, fixed_point, starting_point, true_values
from theory.problems import InvalidProblem, Problem

Progress = Callable[[float], None]  # the share of the work that is done

NEGLIGIBLE = 300  # bits below the largest entry
GIVE_UP = 1024  # bits at which a vector that may still be zero is taken for one (B is nilpotent)


@dataclass(frozen=True, eq=False)
class ChainHead:
    """θᵏ with what it predicts, and its distance from where the chain should go; fractions, or balls that hold them."""

    k: int
    theta: list[Any]  # (F,)
    values: list[Any]  # (S,), Φθᵏ
    bias: list[Any] | None  # (F,), θᵏ − θ_π; None where there is no θ_π, or none that balls can tell
    error: list[Any]  # (S,), Φθᵏ − v_π
    note: str | None  # about θ_π, where it is not unique or does not exist
    bits: int | None = None  # of balls; None is exact

    @property
    def digits(self) -> int:
        """The decimal digits that every ball, those that may hold zero apart, surely has."""
        groups = [self.theta, self.values, self.error, self.bias or []]
        known = [x.rel_accuracy_bits() for group in groups for x in group if not (x.contains(0) or x.is_exact())]
        return max(0, int(min(known, default=self.bits or 0) * 0.30103))


def chain_head(problem: Problem, k: int, start: Start = "zero", progress: Progress | None = None) -> ChainHead:
    """θᵏ, its values, and its bias against θ_π and the true v_π, with all digits."""
    check_count(k, "k")
    m, F = exact_model(problem), problem.n_features
    first = starting_point(m, start)
    seen = stacked(m.parameters(m.eye()), m.Phi)
    found = exact_iterate(m.B, m.c, m.coordinates(first), k, seen, progress).entries()
    theta, values = fmpq_mat(F, 1, found[:F]) if k else first, fmpq_mat(problem.n_states, 1, found[F:])
    target = fixed_point(m)
    bias = None if target.theta is None else (theta - target.theta).entries()
    return ChainHead(k, theta.entries(), found[F:], bias, (values - true_values(m)).entries(), target.note)


def head_seconds(problem: Problem, k: int) -> float:
    """About how long `chain_head` takes."""
    check_count(k, "k")
    m = exact_model(problem)
    solving = 1e-9 * m.rank**4 * entry_length(m.X_hat, m.gamma * m.Y_hat, m.b_hat)
    if solving > 60:
        return solving
    n, beta = m.rank + 1, bits(homogeneous(m.B, m.c)[0])
    return solving + _raising(n, beta, k) + _GCD * k * beta * (n + problem.n_states + problem.n_features)


def enclosed_head(
    problem: Problem, k: int, start: Start = "zero", digits: int = 30, progress: Progress | None = None
) -> ChainHead:
    """θᵏ for any k ≥ 0, to so many digits.

    >>> from theory.problems import Problem
    >>> two = Problem.from_matrices("0.5", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> enclosed_head(two, 10**9).theta[0].str(10, radius=False)
    '1.500000000'
    """
    m, found = exact_model(problem), None
    first = starting_point(m, start)
    for bits in HEAD_BITS:
        with ctx.workprec(bits):
            try:
                found = _in_balls(m, k, first, bits, progress)
            except ZeroDivisionError:  # a regular matrix whose balls hold a singular one
                continue
            if all(_enough(x, digits, bits) for x in (found.theta, found.values, found.bias or [], found.error)):
                break
    if found is None:
        raise InvalidProblem(f"X is not resolved in balls of {HEAD_BITS[-1]} bits: rescale the features", "Phi")
    return found


def _in_balls(m: ExactModel, k: int, first: fmpq_mat, bits: int, progress: Progress | None) -> ChainHead:
    X, ahead, b, w, C, lift = map(
        arb_mat, (m.X_hat, m.gamma * m.Y_hat, m.b_hat, m.coordinates(first), m.Phi, m.parameters(m.eye()))
    )
    B, note, target, miss = X.solve(ahead), None, None, None
    if 1e-9 * m.n_states**3 * entry_length(m.X_hat, m.b_hat) < EXACT_HEAD:
        found, v = m.cached(("fixed point",), lambda: (fixed_point(m), true_values(m)))
        note = found.note
        if found.theta is not None:
            target, miss = arb_mat(m.coordinates(found.theta)), arb_mat(found.values - v)
        v = arb_mat(v)
    else:
        v = (arb_mat(identity(m.n_states)) - arb_mat(m.gamma * m.transitions)).solve(arb_mat(m.r))
        try:
            target = (X - ahead).solve(b)
            miss = C * target - v
        except ZeroDivisionError:
            note = f"θ_π is not resolved in balls of {bits} bits: A is singular, or nearly so"
    if target is None or miss is None:
        step = stacked(joined(B, X.solve(b)), arb_mat(1, m.rank + 1, [*[0] * m.rank, 1]))
        w = arb_mat(m.rank, 1, _applied_power(step, stacked(w, arb_mat([[1]])), k, progress).entries()[:-1])
        bias, error = None, C * w - v
    else:
        gap = _applied_power(B, w - target, k, progress)
        w, bias, error = target + gap, lift * gap, C * gap + miss
    theta = lift * w
    if k == 0:  # the start itself may lie outside the row space of Φ
        theta = arb_mat(first)
        bias = None if target is None else theta - lift * target
    shown = None if bias is None else bias.entries()
    return ChainHead(k, theta.entries(), (C * w).entries(), shown, error.entries(), note, bits)


def _applied_power(B: arb_mat, v: arb_mat, k: int, progress: Progress | None) -> arb_mat:
    """Bᵏv: the powers B, B², B⁴, … that k is made of, each applied to the vector."""
    length = k.bit_length()
    while k:
        if k & 1:
            v = B * v
        k >>= 1
        if k:
            B = B * B
        _tell(progress, 1 - k.bit_length() / length)
    return v


def _enough(balls: list[arb], digits: int, bits: int) -> bool:
    """Has every ball so many digits, or is it nothing beside the largest? Where all may be zero, they soon are."""
    if not all(x.is_finite() for x in balls):
        return False
    if bits >= GIVE_UP and all(x.contains(0) for x in balls):
        return True
    wanted = 10 * digits // 3 + 2
    top = max((x.abs_upper() for x in balls), default=arb(0)) * arb(2) ** -NEGLIGIBLE
    return all(x.is_zero() or x.rel_accuracy_bits() >= wanted or x.abs_upper() <= top for x in balls)


# Seconds for one bit of a greatest common divisor, of a squaring modulo a polynomial of degree one, of a
# characteristic polynomial.
_GCD, _SQUARING, _POLYNOMIAL = 2e-7, 6e-8, 2e-10


def homogeneous(B: fmpq_mat, c: fmpq_mat) -> tuple[fmpz_mat, fmpz]:
    """M and q."""
    q = fmpz(lcm(*(int(x.q) for x in B.entries() + c.entries())))
    rows = [[(x * q).p for x in (*row, y)] for row, y in zip(B.tolist(), c.entries(), strict=True)]
    return fmpz_mat([*rows, [fmpz(0)] * B.nrows() + [q]]), q


def exact_iterate(
    B: fmpq_mat, c: fmpq_mat, z: fmpq_mat, k: int, seen: fmpq_mat | None = None, progress: Progress | None = None
) -> fmpq_mat:
    """zᵏ with all its digits, or seen·zᵏ.

    >>> exact_iterate(fmpq_mat([[fmpq(1, 2)]]), fmpq_mat([[1]]), fmpq_mat([[0]]), 3)
    [7/4]
    """
    M, q = homogeneous(B, c)
    F, beta = B.nrows(), bits(M)
    start, below = z.numer_denom()
    moved = fmpz_mat([*([x] for x in start.entries()), [below]])
    raising = _raising(F + 1, beta, k)
    rows = F if seen is None else seen.nrows()
    raising = raising / (raising + _GCD * k * beta * rows) if k else 0.0  # as a share of all
    total = fmpz_mat(F + 1, 1)
    for coefficient in _power_of_x(M.charpoly(), k, lambda share: _tell(progress, raising * share)).coeffs():
        total = total + moved * coefficient
        moved = M * moved
    total = fmpz_mat(F, 1, total.entries()[:F])
    denominator = q**k * below
    if seen is not None:
        shown, common = seen.numer_denom()
        total, denominator = shown * total, denominator * common
    out = []
    for i, numerator in enumerate(total.entries()):
        out.append(fmpq(numerator, denominator))
        _tell(progress, 1 - (1 - raising) * (rows - 1 - i) / rows)
    return fmpq_mat(rows, 1, out)


def bits(M: fmpz_mat) -> int:
    """The length of the longest entry: numerators and denominators of zᵏ have about k times as many bits."""
    return max(x.height_bits() for x in M.entries())


def _raising(n: int, beta: int, k: int) -> float:
    return _POLYNOMIAL * n**4 * beta + _SQUARING * k * beta * n


def _power_of_x(modulus: fmpz_poly, k: int, progress: Progress) -> fmpz_poly:
    """xᵏ modulo a monic polynomial, by repeated squaring."""
    out, x = fmpz_poly([1]), fmpz_poly([0, 1])
    binary = bin(k)[2:]
    for i, bit in enumerate(binary):
        out = out * out % modulus
        if bit == "1":
            out = out * x % modulus
        progress(2.0 ** (i + 1 - len(binary)))  # each squaring takes twice as long as the one before
    return out


def _tell(progress: Progress | None, share: float) -> None:
    if progress is not None:
        progress(share)
