r"""The chain's head θᵏ in balls: the first digits, with a proof that they are right, of numbers too long to write down.

In independent features (`theory.exact.reduced`) w = Rθ follows w ← X̂⁻¹(γŶw + b̂), an affine map whose k-th power
costs log₂ k matrix products in balls, whatever the length of the exact result. Then

    θᵏ = Rᵀ(RRᵀ)⁻¹w        Φθᵏ = Cw        θᵏ − θ_π = Rᵀ(RRᵀ)⁻¹B̂ᵏ(w⁰ − w_π)

The bias is raised by itself and not as a difference, which would lose all digits as it vanishes, and θ_π and v_π are
exact where one linear system is affordable: balls cannot tell that they agree, fractions can. The precision is doubled
until every entry has the digits asked for, or is nothing beside the largest one (a zero cannot be told from a very
small number by balls).
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, arb_mat, fmpq_mat

from theory.certified.balls import precision, unit
from theory.exact.affine_powers import Progress
from theory.exact.chain import Start
from theory.exact.fixed_points import starting_point, td_fixed_point
from theory.exact.matrices import columns, entry_length, identity, matrix, rational
from theory.exact.moments import exact_moments, true_values
from theory.exact.reduced import reduced
from theory.exact.solve import row_basis
from theory.problems import InvalidProblem, Problem
from theory.text.numbers import rank_note

PRECISIONS = (256, 512, 1024, 2048, 4096, 8192)
AFFORDABLE = 5.0  # seconds for one exact linear system
NEGLIGIBLE = 300  # bits below the largest entry
GIVE_UP = 1024  # bits at which a vector that may still be zero is taken for one (B is nilpotent)


@dataclass(frozen=True, eq=False)
class EnclosedHead:
    """θᵏ, its values, its bias and its distance from v_π; each ball surely holds the exact number."""

    k: int
    theta: list[arb]  # (F,)
    values: list[arb]  # (S,)
    bias: list[arb] | None  # (F,); None where there is no θ_π, or none that balls can tell
    error: list[arb]  # (S,)
    bits: int
    note: str | None

    @property
    def digits(self) -> int:
        """The decimal digits that every entry, those that may be zero apart, surely has."""
        groups = [self.theta, self.values, self.error] + ([] if self.bias is None else [self.bias])
        known = [x.rel_accuracy_bits() for group in groups for x in group if not (x.contains(0) or x.is_exact())]
        return max(0, int(min(known, default=self.bits) * 0.30103))


def enclosed_head(
    problem: Problem, k: int, start: Start = "zero", digits: int = 30, progress: Progress | None = None
) -> EnclosedHead:
    """θᵏ for any k ≥ 0, to so many digits.

    >>> from theory.problems import Problem
    >>> two = Problem.from_matrices("0.5", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    >>> enclosed_head(two, 10**9).theta[0].str(10, radius=False)
    '1.500000000'
    """
    system = _system(problem, start)
    found = None
    for bits in PRECISIONS:
        with precision(bits):
            try:
                found = _attempt(system, problem, k, bits, progress)
            except ZeroDivisionError:  # a regular matrix whose balls hold a singular one
                continue
            if all(
                _enough(group, digits, bits) for group in (found.theta, found.values, found.bias or [], found.error)
            ):
                break
    if found is None:
        raise InvalidProblem(f"X is not resolved in balls of {PRECISIONS[-1]} bits: rescale the features", "Phi")
    return found


@dataclass(frozen=True, eq=False)
class _System:
    """The exact data of the iteration on w."""

    X: fmpq_mat
    gammaY: fmpq_mat
    b: fmpq_mat
    start: fmpq_mat  # θ⁰
    w: fmpq_mat  # Rθ⁰
    C: fmpq_mat  # (S, r)
    lift: fmpq_mat  # (F, r)
    target: fmpq_mat | None  # w_π, where it is known exactly
    miss: fmpq_mat | None  # Cw_π − v_π
    note: str | None
    settled: bool  # are w_π and the note final, exactly?


def _system(problem: Problem, start: Start) -> _System:
    m, Phi, F = reduced(problem), matrix(problem.exact.Phi), problem.n_features
    moments = exact_moments(problem)
    theta, R = starting_point(problem, start), row_basis(Phi)
    if m.rank == F:
        R, lift = identity(F), identity(F)
    else:
        lift = fmpq_mat(F, 0) if R is None else R.transpose() * m.G.inv()
    C = columns(Phi, m.independent) if m.rank else fmpq_mat(problem.n_states, 0)
    b = fmpq_mat(m.rank, 1, [moments.b[i, 0] for i in m.independent])
    w = fmpq_mat(0, 1) if R is None else R * theta
    note = None if m.rank == F else rank_note(F, m.rank)
    target, settled = None, 1e-9 * problem.n_states**3 * entry_length(moments.X, moments.b) < AFFORDABLE
    miss = None
    if settled:
        found = td_fixed_point(problem)
        note = found.note
        if found.theta is not None and found.values is not None:
            target = fmpq_mat(0, 1) if R is None else R * found.theta
            miss = found.values - true_values(problem)[0]
    return _System(m.X, m.gamma * m.Y, b, theta, w, C, lift, target, miss, note, settled)


def _attempt(s: _System, problem: Problem, k: int, bits: int, progress: Progress | None) -> EnclosedHead:
    X, gammaY, b, w, C, lift = (arb_mat(m) for m in (s.X, s.gammaY, s.b, s.w, s.C, s.lift))
    r, note = X.nrows(), s.note
    joined = X.solve(arb_mat([left + right for left, right in zip(gammaY.tolist(), b.tolist(), strict=True)]))
    B, c = arb_mat([row[:r] for row in joined.tolist()]), arb_mat(r, 1, [row[r] for row in joined.tolist()])
    target = None if s.target is None else arb_mat(s.target)
    if not s.settled:
        try:
            target = (X - gammaY).solve(b)
        except ZeroDivisionError:
            note = f"θ_π is not resolved in balls of {bits} bits: A is singular, or nearly so"
    if target is None:
        head = affine_power(B, c, w, k)
        theta, values = lift * head if k else arb_mat(s.start), C * head
        return EnclosedHead(
            k, theta.entries(), values.entries(), None, (values - _true_values(problem)).entries(), bits, note
        )
    gap = applied_power(B, w - target, k, progress)
    values = C * (target + gap)
    theta, bias = lift * (target + gap), lift * gap
    if k == 0:  # the start itself may lie outside the row space of Φ
        theta, bias = arb_mat(s.start), arb_mat(s.start) - lift * target
    error = C * gap + (C * target - _true_values(problem) if s.miss is None else arb_mat(s.miss))
    return EnclosedHead(k, theta.entries(), values.entries(), bias.entries(), error.entries(), bits, note)


def _true_values(problem: Problem) -> arb_mat:
    e = problem.exact
    return (unit(problem.n_states) - arb_mat(rational(e.gamma) * matrix(e.P_pi))).solve(arb_mat(matrix(e.r_pi)))


def applied_power(B: arb_mat, v: arb_mat, k: int, progress: Progress | None = None) -> arb_mat:
    """Bᵏv: the powers B, B², B⁴, … that k is made of, each applied to the vector."""
    length = k.bit_length()
    while k:
        if k & 1:
            v = B * v
        k >>= 1
        if k:
            B = B * B
        if progress is not None:
            progress(1 - k.bit_length() / length)
    return v


def affine_power(B: arb_mat, c: arb_mat, w: arb_mat, k: int) -> arb_mat:
    """w ← Bw + c, k times."""
    rows = [left + right for left, right in zip(B.tolist(), c.tolist(), strict=True)]
    step = arb_mat([*rows, [arb(0)] * B.nrows() + [arb(1)]])
    moved = applied_power(step, arb_mat([*w.tolist(), [arb(1)]]), k)
    return arb_mat(B.nrows(), 1, moved.entries()[:-1])


def _enough(balls: list[arb], digits: int, bits: int) -> bool:
    """Has every ball so many digits, or is it nothing beside the largest? Where all may be zero, they soon are."""
    if not all(x.is_finite() for x in balls):
        return False
    if bits >= GIVE_UP and all(x.contains(0) for x in balls):
        return True
    wanted = 10 * digits // 3 + 2
    top = max((x.abs_upper() for x in balls), default=arb(0)) * arb(2) ** -NEGLIGIBLE
    return all(x.is_zero() or x.rel_accuracy_bits() >= wanted or x.abs_upper() <= top for x in balls)
