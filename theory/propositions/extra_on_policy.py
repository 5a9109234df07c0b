r"""extra-on-policy: if D is stationary for P then ρ(ΠP) ≤ 1, whatever the features.

Lift stationarity to edges, weighed by Q = diag(d_s P_ss'): then D − PᵀDP = (Dst − Src P)ᵀQ(Dst − Src P) is a sum of
squares, so P does not expand in the D-norm; Pythagoras says the same of Π. Together
D − (ΠP)ᵀD(ΠP) is one sum of squares, for all dimensions; an eigenvector v of ΠP with eigenvalue λ then has
(1 − |λ|²)vᴴDv ≥ 0. So on-policy every chain is unbiased, for every Φ and every γ < 1. Equality ρ(ΠP) = 1 is attained:
by a constant feature.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import fmpq, fmpq_mat

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import rational, scaled_rows
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.on_policy import on_policy_theory
from theory.propositions.theories.paper import paper_theory


def claims() -> Claims:
    """P does not expand, Π does not, and ΠP does not."""
    n, edges = paper_theory(), on_policy_theory()
    T = n.T
    miss = edges.Dst - edges.Src * edges.P  # of an edge: its end minus where P expects it
    step, rest = edges.Pi * edges.P, (1 - edges.Pi) * edges.P
    return [
        T.claim("pythagoras", n.D, n.Pi.T * n.D * n.Pi + (1 - n.Pi).T * n.D * (1 - n.Pi)),
        edges.T.claim("non-expansion", edges.D - edges.P.T * edges.D * edges.P, miss.T * edges.Q * miss),
        edges.T.claim(
            "projected non-expansion",
            edges.D - step.T * edges.D * step,
            miss.T * edges.Q * miss + rest.T * edges.D * rest,
        ),
    ]


def check() -> Checks:
    """Every case with its behaviour as the target: the squares are nonnegative and no root leaves the circle."""
    for problem in cases("behaviour"):
        own = on_policy(problem)
        step = matrices(own).Pi * matrices(own).P
        outside = unit_circle(characteristic_polynomial(step)).outside
        negative = half_planes(loss(own, step).charpoly()).left  # symmetric, so its roots are real
        unsafe = sum(not verdict.proved for verdict in (chain_unbiased(own), td_stable(own)))
        detail = "roots of ΠP_μ counted exactly, D − (ΠP)ᵀD(ΠP) ⪰ 0, chain unbiased, TD stable"
        yield Check(problem.name, Fraction(outside + negative + unsafe), detail=detail)


def on_policy(problem: Problem) -> Problem:
    """The same problem with π := μ."""
    g = problem.given
    assert g.P_mu is not None  # the cases are those with a behaviour
    assert g.r_mu is not None
    given = replace(g, P_pi=g.P_mu, r_pi=g.r_mu)
    return replace(problem, given=given, pi=problem.mu, name=f"{problem.name}, on-policy")


def loss(problem: Problem, step: fmpq_mat) -> fmpq_mat:
    """D − MᵀDM for M = `step`."""
    d = [rational(x) for x in problem.exact.d_mu]
    D = fmpq_mat(len(d), len(d), [d[i] if i == j else 0 for i in range(len(d)) for j in range(len(d))])
    return D - step.transpose() * scaled_rows(d, step)


def counterexamples() -> Counterexamples:
    """Off-policy, and γ = 1."""
    twostate = catalogue_problem("twostate")
    step = matrices(twostate).Pi * matrices(twostate).P
    text = "Twostate: dᵀP = (0, 1) ≠ dᵀ, and ΠP has the eigenvalue 6/5"
    d, P = twostate.exact.d_mu, twostate.exact.P_pi
    off = list(d @ P) != list(d) and step.charpoly()(fmpq(6, 5)) == 0
    yield Counterexample("D stationary for P", text, off, twostate)
    constant = Problem.from_matrices(
        "9/10", Phi=[[1], [1]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"], name="constant feature"
    )
    step = matrices(constant).Pi * matrices(constant).P
    text = "a constant feature, swap, D = I/2: ΠP has the eigenvalue 1, so ρ(ΠP) < 1 would be too much"
    yield Counterexample("≤, not <", text, step.charpoly()(1) == 0 and chain_unbiased(constant).proved, constant)


STATEMENT = Statement(
    id="extra-on-policy",
    place=1100,
    title="On-policy the chain is unbiased for every Φ",
    paper="ρ(Π) ≤ 1 and ρ(P) ≤ 1 do not give ρ(ΠP) ≤ 1 (off-policy); the on-policy case is not treated",
    verdict="beyond the paper",
    precise="dᵀP = dᵀ ⇒ ‖ΠPv‖_D ≤ ‖v‖_D ⇒ ρ(ΠP) ≤ 1, so ρ(γΠP) ≤ γ < 1 for every Φ",
    assumptions=("X invertible", "dᵀP = dᵀ (stationary)", "P ≥ 0, D > 0"),
    scope="all dimensions, all Φ, all γ < 1",
    cites=("Q ⪰ 0 and D ≻ 0 make the right side nonnegative", "‖M‖_D ≤ 1 ⇒ ρ(M) ≤ 1"),
    where="rows of Src and Dst are the edges s → s' of P, with a 1 at s and at s'; Q is diagonal, with an edge's"
    " weight d(s)P(s'|s)",
    latex=r"D - (\Pi P)^\top D\, \Pi P = U^\top Q U + ((1 - \Pi)P)^\top D\, (1 - \Pi)P,"
    r" \quad U = \mathrm{Dst} - \mathrm{Src}\,P",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
