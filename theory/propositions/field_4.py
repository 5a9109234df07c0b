r"""field-4: det A < 0 defeats the whole family: TD, chain, damped chain, hard and soft targets, at every parameter.

For soft targets with any α > 0 and τ > 0, I − M = [[αX, −αγY], [−τ(I − αX), τ(I − αγY)]] satisfies

    (I − M) [[I, 0], [I, I]] = [[I, 0], [τI, I]] [[αA, −αγY], [0, τI]],

so det(I − M) = αᶠτᶠ det A; for the damped chain det(I − (1 − τ)I − τB) = τᶠ det A/det X. A negative one puts a real
eigenvalue above 1. TD, chain and windows are `extra-determinant`. GTD2, TDC with a large enough ratio, and LSTD still
solve such problems.
"""

from __future__ import annotations

from functools import cache

from theory.certified.answers import Answer
from theory.methods.family import find_method
from theory.methods.ground import exact_ground
from theory.methods.outcome import outcome
from theory.methods.parameters import stable_parameters
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.extra_determinant import safe_step, two_features
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.namespace import Namespace
from theory.thresholds.spans import StableSet


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


def claims() -> Claims:
    """The factorisation of I − M, block by block, and the damped chain."""
    return determinant_theory().claims


def check() -> Checks:
    """Where det A < 0 the exact sets of stable τ and T are empty, and the gradient methods solve the problem."""
    for problem in [*cases("full-rank"), *two_features()]:
        if matrices(problem).A.det() >= 0:
            continue
        ground, alpha = exact_ground(problem), safe_step(problem)
        wrong = 0
        for name, parameter in (("soft-target", "tau"), ("damped-chain", "tau"), ("target-network", "window")):
            found, _ = stable_parameters(find_method(name, {"alpha": alpha}), parameter, problem, ground)
            wrong += found is None or str(found) != "none"
        wrong += sum(outcome(find_method(name), problem).holds != Answer.NO for name in ("td", "chain", "whitened-td"))
        wrong += sum(outcome(find_method(name), problem).holds != Answer.YES for name in ("gtd2", "lstd"))
        ratios, _ = stable_parameters(find_method("tdc"), "ratio", problem, ground)
        wrong += not (isinstance(ratios, StableSet) and ratios.spans and ratios.spans[-1].high is None)
        yield Check(problem.name, wrong, detail="det A < 0: no τ, no T, not TD nor chain; GTD2, TDC, LSTD do")


def counterexamples() -> Counterexamples:
    """det A > 0 promises nothing."""
    both = catalogue_problem("finite-window")
    det = matrices(both).A.det()
    failed = all(outcome(find_method(name), both).holds == Answer.NO for name in ("td", "chain"))
    text = f"finite-window: det A = {det} > 0, and TD and the chain fail"
    yield Counterexample("the converse", text, bool(det > 0) and failed, both)


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
