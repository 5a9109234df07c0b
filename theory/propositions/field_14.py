r"""field-14: fixed-horizon TD is the chain started at zero.

Head h predicts the return of h steps from head h − 1, θ^h = X⁻¹(γYθ^{h−1} + b) with θ⁰ = 0: the chain, whose every head
is a regression and cannot diverge. For all h, θ^h = W_hX⁻¹b and Φθ^h = Σ_{i<h} (γΠP)ⁱΠr, the horizon's value with a
projection at each step. It is the true value of the horizon, Σ_{i<h} (γP)ⁱr, where nothing is projected away. What it
does as h grows is the chain's question: with ρ(B) > 1 long horizons explode. De Asis et al. (2020).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from theory.certified.verdicts import chain_unbiased
from theory.exact.chain import chain_heads
from theory.exact.matrices import matrix, rational
from theory.methods.family import find_method
from theory.methods.outcome import rest, true_values
from theory.model.linear_model import exact_model
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace

HORIZON = 6


@cache
def horizon_theory() -> Namespace:
    """The chain from zero; and where PΦ and r are in the span, ΠPΦ = PΦ and Πr = r."""
    n = Namespace("gamma").with_problem().with_inverse()
    T = n.T
    theta = T.sequence("theta", 0 * n.b, lambda t: n.Xi * (T.gamma * n.Y * t + n.b), latex=r"\theta^h")
    W_k = T.geometric_sum(T.power(n.G, "B", latex="B^h"), "W", latex="W_h")
    value = T.sequence("value", 0 * n.r, lambda v: n.Pi * n.r + T.gamma * n.Pi * n.P * v, latex="v^h")
    n.state("sum of h regressions", theta, W_k * n.Xi * n.b)
    n.state("projected return", n.Phi * theta, value)
    return n


def check() -> Checks:
    """Heads 1..6 of the method against the chain from zero, and against the true horizon where Π = I."""
    for problem in cases("full-rank"):
        model = exact_model(problem)
        v, e = true_values(model), problem.exact
        P, r, Pi = matrix(e.P_pi), matrix(e.r_pi), matrices(problem).Pi
        gamma, value = rational(e.gamma), 0 * matrix(e.r_pi)
        gaps = []
        for h in range(1, HORIZON + 1):
            value = Pi * (r + gamma * P * value)
            found = rest(find_method(f"fixed-horizon:{h}"), model, v)
            assert found.theta is not None  # a regression always has an answer
            theta = matrix([[x] for x in found.theta])
            gaps += [theta - chain_heads(problem, h, [0] * problem.n_features)[h], matrix(e.Phi) * theta - value]
        yield Check(problem.name, largest(gaps), detail="head h is θ^h from zero, its values h projected steps")


def counterexamples() -> Counterexamples:
    """Long horizons of a biased chain; and a horizon's value that is not the true one."""
    twostate = catalogue_problem("twostate-reward")
    heads = [chain_heads(twostate, h, [0])[h][0, 0] for h in (10, 100)]
    text = f"twostate-reward at γ = 99/100: θ¹⁰ = {float(Fraction(str(heads[0]))):.4g}, θ¹⁰⁰ ="
    text += f" {float(Fraction(str(heads[1]))):.4g}: each exists, their sequence explodes"
    grows = abs(heads[1]) > 1000 * abs(heads[0]) > 0
    yield Counterexample("h fixed", text, bool(grows) and chain_unbiased(twostate).refuted, twostate)
    m, e = matrices(twostate), twostate.exact
    Phi, r = matrix(e.Phi), matrix(e.r_pi)
    one = Phi * m.X.solve(m.b)
    text = f"twostate-reward: the value of one step is r = {r.entries()}, the features give {one.entries()}"
    yield Counterexample("nothing projected away", text, largest(one - r) > 0, twostate)


STATEMENT = Statement(
    id="field-14",
    place=2140,
    title="Fixed-horizon TD is a chain from zero",
    paper="cites fixed-horizon TD as related; the method is that of De Asis et al. (2020)",
    verdict="beyond the paper",
    precise="head h of the chain started at θ⁰ = 0 is fixed-horizon TD: θ^h = W_hX⁻¹b, Φθ^h = Σ_{i<h}(γΠP)ⁱΠr for all"
    " h; every fixed horizon converges, the limit h → ∞ is the chain's question",
    assumptions=("X invertible",),
    scope="all dimensions, all h ≥ 0",
    latex=r"\theta^h = \sum_{i<h} B^i X^{-1} b, \qquad \Phi\theta^h = \sum_{i<h} (\gamma\Pi P)^i\, \Pi r",
    claims=horizon_theory,
    check=check,
    counterexamples=counterexamples,
)
