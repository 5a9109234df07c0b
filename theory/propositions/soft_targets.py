r"""field-3: soft (Polyak) targets that move slowly enough work exactly where all Re β < 1, which is more than ρ(B) < 1.

On z = (θ, θ̄) the update is M(τ) = M₀ + τM₁. M₀ = [[I − αX, αγY], [0, I]] has the eigenvalues 1 − αx, within the circle
for α < 2/λ_max(X), and 1, F times, with right vectors [B; I] and left vectors [0, I]; the first order of these is
[0, I]M₁[B; I] = B − I. So for small τ the eigenvalues near 1 are 1 + τ(β − 1) + o(τ): inside for every small τ if all
Re β < 1, and outside if some Re β > 1. It is the damped chain's condition too, (1 − τ)I + τB, and whitened TD's.

An eigenvector with eigenvalue z satisfies (z − 1 + αX)(z − 1 + τ)θ = ατγzYθ for every τ: at τ = 1 that is TD.

field-4: det A < 0 defeats the whole family: TD, chain, damped chain, hard and soft targets, at every parameter.

For soft targets with any α > 0 and τ > 0, I − M = [[αX, −αγY], [−τ(I − αX), τ(I − αγY)]] satisfies

    (I − M) [[I, 0], [I, I]] = [[I, 0], [τI, I]] [[αA, −αγY], [0, τI]],

so det(I − M) = αᶠτᶠ det A; for the damped chain det(I − (1 − τ)I − τB) = τᶠ det A/det X. A negative one puts a real
eigenvalue above 1. TD, chain and windows are `extra-determinant`. GTD2, TDC with a large enough ratio, and LSTD still
solve such problems.
"""

from __future__ import annotations

from functools import cache

from theory.certified.answers import NO, YES, Answer
from theory.certified.verdicts import chain_unbiased
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.methods import converges, stable_set, without_end
from theory.propositions.quadrants import safe_step, two_features
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory
from theory.thresholds.results import StableSet


@cache
def soft_theory() -> Namespace:
    """An eigenvector (θ, θ̄) of the soft target's update."""
    n = Namespace("gamma alpha tau z")
    T, (own, target) = n.T, n.letters("theta target", "1 -> F", target=r"\bar\theta")
    X, Y = n.letters("X Y", "F -> F")
    T.assume("row of theta", own - T.alpha * X * own + T.alpha * T.gamma * Y * target, T.z * own)
    T.assume("row of the target", target - T.tau * target + T.tau * T.z * own, T.z * target)
    ahead = T.z - 1 + T.tau
    n.state(
        "the pencil of soft targets",
        ahead * (T.z - 1) * own + T.alpha * ahead * X * own,
        T.alpha * T.tau * T.gamma * T.z * Y * own,
    )
    return n


def field_3_claims() -> Claims:
    """What is still at τ = 0, its first order, and the pencil for every τ."""
    n = paper_theory()
    T = n.T
    held = T.alpha * T.gamma * n.Y
    return [
        T.claim("still at tau = 0", (1 - T.alpha * n.X) * n.G + held, n.G),
        T.claim("first order in tau", (1 - T.alpha * n.X) * n.G - 1 + held, n.G - 1),
        *soft_theory(),
    ]


def field_3_check() -> Checks:
    """The exact set of stable τ begins at 0 ⇔ all Re β < 1, for soft targets and the damped chain."""
    for problem in cases("full-rank"):
        white = converges("whitened-td", problem)
        wrong = sum(begins_at_zero(problem, name) != white for name in ("soft-target", "damped-chain"))
        wrong += chain_unbiased(problem).proved and white is not YES
        yield Check(problem.name, wrong, detail="stable for all small τ ⇔ Re β < 1; ρ(B) < 1 ⇒ Re β < 1")


def begins_at_zero(problem: Problem, name: str) -> Answer:
    """Is the method stable for all small τ?"""
    found = stable_set(name, "tau", problem, {"alpha": safe_step(problem)})
    if not isinstance(found, StableSet):
        return Answer.UNDECIDED
    return Answer.of(bool(found.spans) and found.spans[0].low == 0)


def field_3_counterexamples() -> Counterexamples:
    """β = −3/2; a τ that is too large; and what a finite window does."""
    biased = catalogue_problem("quadrant-stable-biased")
    soft = begins_at_zero(biased, "soft-target") == begins_at_zero(biased, "damped-chain") == YES
    text = "quadrant-stable-biased: β = −3/2, the chain fails; soft targets and the damped chain (τ < 4/5) succeed"
    yield Counterexample("the converse: ρ(B) < 1", text, soft and chain_unbiased(biased).refuted, biased)
    window = catalogue_problem("finite-window")
    at = [converges(f"soft:alpha=1/16:tau={t}", window) for t in ("1/2", "1/5", "1/10", "1/1000")]
    text = "finite-window at α = 1/16: unstable at τ = 1/2 and 1/5, stable at 1/10 and 1/1000 (threshold .1203…)"
    seen = at == [NO, NO, YES, YES]
    yield Counterexample("τ small", text, seen and chain_unbiased(window).refuted, window)


FIELD_3 = Statement(
    id="field-3",
    place=2030,
    title="Soft targets need less than the chain",
    paper="has hard target networks only",
    verdict="beyond the paper",
    precise="for 0 < α < 2/λ_max(X) soft targets are stable for every small τ if Re β < 1 for all eigenvalues β of B,"
    " and for no small τ if some Re β > 1; so ρ(B) < 1 suffices and is not needed",
    assumptions=("X invertible", "0 < α < 2/λ_max(X)"),
    scope="all dimensions; the exact set of τ on each problem",
    cites=("Kato: first-order motion of a semisimple eigenvalue",),
    where="τ is the share that the target θ̄ takes of θ after each update",
    latex=r"\begin{pmatrix}0 & I\end{pmatrix} M_1 \begin{pmatrix}B\\ I\end{pmatrix} = B - I",
    claims=field_3_claims,
    check=field_3_check,
    counterexamples=field_3_counterexamples,
)


@cache
def determinant_theory() -> Namespace:
    """The blocks of both sides of the factorisation, one by one."""
    n = Namespace("gamma alpha tau")
    T, (X, Y) = n.T, n.letters("X Y", "F -> F")
    A = T.abbreviate("A", X - T.gamma * Y)
    Xi = T.inverse(X, "Xi", of="X", latex="X^{-1}")
    held = T.alpha * T.gamma * Y
    n.state("own block", T.alpha * X - held, T.alpha * A)
    n.state("target's block", -(T.tau - T.tau * T.alpha * X) + (T.tau - T.tau * held), T.tau * T.alpha * A)
    n.state("last block", T.tau - T.tau * held, -T.tau * held + T.tau)
    n.state("damped chain", 1 - (1 - T.tau) - T.tau * T.gamma * Xi * Y, T.tau * Xi * A)
    return n


def field_4_check() -> Checks:
    """Where det A < 0 the exact sets of stable τ and T are empty, and the gradient methods solve the problem."""
    for problem in [*cases("full-rank"), *two_features()]:
        if matrices(problem).A.det() >= 0:
            continue
        alpha, wrong = safe_step(problem), 0
        for name, parameter in (("soft-target", "tau"), ("damped-chain", "tau"), ("target-network", "window")):
            found = stable_set(name, parameter, problem, {"alpha": alpha})
            wrong += found is None or str(found) != "none"
        wrong += sum(converges(name, problem) != NO for name in ("td", "chain", "whitened-td"))
        wrong += sum(converges(name, problem) != YES for name in ("gtd2", "lstd"))
        wrong += not without_end(stable_set("tdc", "ratio", problem))
        yield Check(problem.name, wrong, detail="det A < 0: no τ, no T, not TD nor chain; GTD2, TDC, LSTD do")


def field_4_counterexamples() -> Counterexamples:
    """det A > 0 promises nothing."""
    both = catalogue_problem("finite-window")
    det = matrices(both).A.det()
    failed = all(converges(name, both) == NO for name in ("td", "chain"))
    text = f"finite-window: det A = {det} > 0, and TD and the chain fail"
    yield Counterexample("the converse", text, bool(det > 0) and failed, both)


FIELD_4 = Statement(
    id="field-4",
    place=2040,
    title="det A < 0 defeats the family",
    paper="gives no common cause of failure",
    verdict="beyond the paper",
    precise="det A < 0 ⇒ soft targets fail for every α > 0 and τ > 0, the damped chain for every τ > 0, TD, the chain,"
    " and hard targets for α < 2/λ_max(X); GTD2, TDC from some ratio on and LSTD succeed",
    assumptions=("X invertible",),
    cites=("a real polynomial that is negative at 1 and positive far out has a root above 1",),
    latex=r"\det(I - M_{\mathrm{soft}}) = \alpha^F \tau^F \det A",
    claims=determinant_theory,
    check=field_4_check,
    counterexamples=field_4_counterexamples,
)
