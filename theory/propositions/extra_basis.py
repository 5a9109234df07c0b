r"""extra-basis: the chain sees the span of Φ, TD sees the basis.

For Φ' = ΦR with R invertible Π' = Π and B' = R⁻¹BR, so ρ(γΠP) and everything else about the chain depends on span Φ
alone; A' = RᵀAR is only congruent, and congruence moves eigenvalues across the axis. In the whitened basis, X' = I,
A' = I − B' exactly: there TD is stable ⇔ Re β < 1 for all eigenvalues β of B, so unbiased implies stable. TD in
any basis is TD in the whitened one preconditioned by X.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.certified.answers import NO, YES, Answer
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import fractions, identity
from theory.exact.polynomials import is_anti_hurwitz
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import SWAP, cases
from theory.propositions.matrices import matrices
from theory.propositions.similarity import change_of_basis
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace

HADAMARD = ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))  # columns; orthonormal for D = I/4


@cache
def whitened_theory() -> Namespace:
    """X = R⁻ᵀR⁻¹, so that Φ' = ΦR has X' = RᵀXR = 1."""
    n = Namespace("gamma lam")
    T, R = n.T, n.letters("R", "F -> F")
    Ri = T.inverse(R, "Ri", of="R", latex="R^{-1}")
    X, Y = n.letters("X", "F -> F", symmetric=True), n.letters("Y", "F -> F")
    T.assume("X = Ri' Ri", X, Ri.T * Ri, solve_for="X")
    A, G = X - T.gamma * Y, T.gamma * R * R.T * Y
    n.state("R R' is the inverse of X", R * R.T * X, 1)
    n.state("X' = 1", R.T * X * R, 1)
    n.state("A' = 1 - B'", R.T * A * R, 1 - Ri * G * R)
    n.state("eigenvalues 1 - beta", R.T * A * R - T.lam, Ri * (1 - T.lam - G) * R)
    return n


@cache
def basis_theory() -> Namespace:
    """Features of the same span, Φ' = ΦR."""
    n = Namespace("gamma lam").with_problem().with_inverse()
    T, R = n.T, n.letters("R", "F -> F")
    Ri = T.inverse(R, "Ri", of="R", latex="R^{-1}")
    Phi2 = T.define("Phi2", n.Phi * R, latex=r"\Phi'")
    X2 = T.abbreviate("X2", Phi2.T * n.D * Phi2, latex="X'")
    Xi2 = T.inverse(X2, "Xi2", of="X2", latex="X'^{-1}")
    Y2 = T.abbreviate("Y2", Phi2.T * n.D * n.P * Phi2, latex="Y'")
    T.lemma("Xi2 = Ri Xi Ri'", Xi2, Ri * n.Xi * Ri.T)
    n.state("basis-inverse", Xi2, Ri * n.Xi * Ri.T)
    n.state("basis-projection", Phi2 * Xi2 * Phi2.T * n.D, n.Pi)
    n.state("basis-similar", T.gamma * Xi2 * Y2, Ri * n.G * R)
    n.state("basis-congruent", X2 - T.gamma * Y2, R.T * n.A * R)
    n.state("similar-characteristic", T.lam - Ri * n.G * R, Ri * (T.lam - n.G) * R)
    return n


def claims() -> Claims:
    """The change of basis, and the whitened basis."""
    return [*basis_theory(), *whitened_theory()]


def check() -> Checks:
    """Every full-rank case in another basis; and exact whitened problems, TD against the spectrum of B."""
    for problem in cases("full-rank"):
        R = change_of_basis(problem.n_features)
        other = in_basis(problem, R)
        m, m2 = matrices(problem), matrices(other)
        gaps = [m2.Pi - m.Pi, m2.A - R.transpose() * m.A * R, R * m2.B - m.B * R]
        same = chain_unbiased(other).holds == chain_unbiased(problem).holds
        yield Check(problem.name, largest([*gaps, not same]), detail="Π, B and A in another basis")
    for problem in whitened():
        m = matrices(problem)
        mirrored = m.B.charpoly()(fmpq_poly([1, -1]))  # det((1 − λ) − B) = det(A − λ)
        white = m.X - m.one, list((mirrored - (-1) ** m.F * m.A.charpoly()).coeffs())
        below = is_anti_hurwitz((m.one - m.B).charpoly())
        wrong = td_stable(problem).holds != Answer.of(below) or (chain_unbiased(problem).proved and not below)
        yield Check(problem.name, largest([*white, wrong]), detail="X = I: TD stable ⇔ Re β < 1")


def in_basis(problem: Problem, R: fmpq_mat) -> Problem:
    """The same problem with the features ΦR."""
    Phi = fractions(matrices(problem).Phi * R)
    return problem.with_features(Phi.reshape(problem.n_states, -1).tolist())


def whitened() -> Iterable[Problem]:
    """Features with X = I exactly: Hadamard signs where states are equally frequent, Pythagorean numbers elsewhere.

    9·(3/5)² + (13/5)² = 10, so (3/5, ±13/5) is a unit vector for D = diag(9, 1)/10; with the swap β = ±(39/25)γ.
    """
    for F, gamma in ((2, "3/5"), (3, "99/100"), (4, "9/10")):
        Phi = [[HADAMARD[j][s] for j in range(4 - F, 4)] for s in range(4)]
        P = [[int(j == go) for j in range(4)] for go in (3, 3, 0, 2)]
        yield Problem.from_matrices(gamma, Phi=Phi, P_pi=P, d_mu=["1/4"] * 4, name=f"Hadamard, F = {F}, γ = {gamma}")
    for sign in (1, -1):
        one = [[Fraction(3, 5)], [Fraction(13 * sign, 5)]]
        swap, d = SWAP, [Fraction(9, 10), Fraction(1, 10)]
        # A third state of weight 16/25 with a door to the first; the two features are then turned by a rotation.
        room = fmpq_mat([[1, 0], [fmpq(13 * sign, 3), 0], [0, fmpq(5, 4)]]) * fmpq_mat([[3, 4], [-4, 3]]) * fmpq(1, 5)
        door = [[0, 1, 0], [1, 0, 0], ["1/2", 0, "1/2"]]
        shares = [Fraction(9, 25) * w for w in d] + [Fraction(16, 25)]
        for gamma in ("3/5", "9/10"):
            name = f"13/5 with sign {sign:+d}, γ = {gamma}"
            yield Problem.from_matrices(gamma, Phi=one, P_pi=swap, d_mu=d, name=name)
            Phi = fractions(room).tolist()
            yield Problem.from_matrices(gamma, Phi=Phi, P_pi=door, d_mu=shares, name=f"{name}, with a door")


def counterexamples() -> Counterexamples:
    """One span, two bases, TD stable in one of them only."""
    bad = catalogue_problem("quadrant-unstable-unbiased")
    tabular = bad.with_features([[1, 0], [0, 1]]).relabelled(name="the same span, tabular")
    pair = [td_stable(p).holds for p in (tabular, bad)]
    chain = [chain_unbiased(p).holds for p in (tabular, bad)]
    text = "D = diag(9, 1)/10, swap, γ = 9/10: Φ = I is stable, Φ = [[1, 0], [3, 1]] is not; both have ρ(γΠP) = 9/10"
    yield Counterexample("the chain, not TD", text, pair == [YES, NO] and chain == [YES, YES], bad)
    A = matrices(bad).A
    unwhitened = is_anti_hurwitz((identity(2) - matrices(bad).B).charpoly()) and not is_anti_hurwitz(A.charpoly())
    text = "the same Φ: β = ±9/10, so all Re β < 1, and A has an eigenvalue with Re λ < 0; X ≠ I"
    yield Counterexample("X = I, for TD stable ⇔ Re β < 1", text, unwhitened, bad)


STATEMENT = Statement(
    id="extra-basis",
    place=1060,
    title="The chain sees the span, TD the basis",
    paper="conditions stated for a given Φ",
    verdict="beyond the paper",
    precise="ρ(γΠP) depends on span Φ only, TD's stability does not; where X = I, TD is stable ⇔ Re β < 1 for all"
    " eigenvalues β of B, so there unbiased implies stable",
    assumptions=("X invertible", "Φ' = ΦR, R invertible", "X = I, for the last part"),
    scope="all dimensions, all R",
    cites=("det(λ − R⁻¹BR) = det(λ − B)", "X ≻ 0 has X = R⁻ᵀR⁻¹ (Cholesky)"),
    where="a prime marks what belongs to Φ' = ΦR",
    latex=r"\Pi' = \Pi, \quad B' = R^{-1} B R, \quad A' = R^\top A R, \qquad X' = I \Rightarrow A' = I - B'",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
