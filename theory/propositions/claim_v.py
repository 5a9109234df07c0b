"""claim-v: v_μ = 0 and v_π = 1/(1−γ) in every state of Baird-Reward and Threestate.

Solved exactly in rationals at several γ. It holds for every γ because r_π = 1 and r_μ = 0 in every state while the
rows of P_π sum to one: (I − γP)1 = (1 − γ)1. In both MDPs Π = I, so these values are representable and any error is
the algorithm's. A claim about two particular MDPs: decided exactly, not a theorem.
"""

from __future__ import annotations

from theory.exact.matrices import identity, matrix, rational
from theory.exact.moments import true_values
from theory.exact.solve import least_norm_solution
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.matrices import matrices, ones
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest

NAMES = ("baird-reward", "threestate")
GAMMAS = ("0", "1/2", "9/10", "99/100")


def check() -> Checks:
    """v_μ, v_π at four discounts; r_π = 1, r_μ = 0 and P1 = 1, which give every discount; Π = I."""
    for name in NAMES:
        for gamma in GAMMAS:
            problem = catalogue_problem(name).with_gamma(gamma)
            yield Check(f"{name} at γ = {gamma}", largest(_difference(problem)), detail="v_μ = 0, v_π = 1/(1−γ)")
        problem = catalogue_problem(name)
        yield Check(name, largest(_causes(problem)), detail="r_π = 1, r_μ = 0, P1 = 1, Π = I")


def _difference(problem: Problem) -> list[object]:
    v_pi, v_mu = true_values(problem)
    assert v_mu is not None
    value = 1 / (1 - rational(problem.exact.gamma))
    representable = least_norm_solution(matrices(problem).Phi, v_pi)
    return [v_pi - value * ones(problem.n_states), v_mu, representable is None]


def _causes(problem: Problem) -> list[object]:
    e, S = problem.exact, problem.n_states
    one, P_mu, r_mu = ones(S), e.P_mu, e.r_mu
    assert P_mu is not None
    assert r_mu is not None
    sums = [matrix(P) * one - one for P in (e.P_pi, P_mu)]
    return [matrix(e.r_pi) - one, matrix(r_mu), *sums, matrices(problem).Pi - identity(S)]


def counterexamples() -> Counterexamples:
    """The rewards fit the behaviour: with another one v_μ is not 0."""
    known = catalogue_problem("baird-reward")
    assert known.mdp is not None
    uniform = Problem.from_mdp(known.mdp, pi=known.pi, mu=[["1/2", "1/2"]] * 7, Phi=known.exact.Phi, name="uniform μ")
    v_pi, v_mu = true_values(uniform)
    assert v_mu is not None
    same = len(set(map(str, v_mu.entries()))) == 1 and largest(v_pi - true_values(known)[0]) == 0
    text = f"Baird-Reward with μ uniform over solid and dashed: v_μ = {v_mu[0, 0]} in every state, v_π as before"
    yield Counterexample("μ takes 'solid' with probability 1/7", text, same and v_mu[0, 0] != 0, uniform)
    plain = catalogue_problem("baird")
    text = "Baird's MDP without the rewards: v_π = 0 = v_μ, so predicting 0 is right by accident"
    yield Counterexample("rewards", text, largest(true_values(plain)[0]) == 0 == largest(matrices(plain).b), plain)


STATEMENT = Statement(
    id="claim-v",
    place=230,
    title="True values of the diagnostic MDPs",
    paper="v_π = 1/(1−γ) and v_μ = 0 in Baird-Reward and Threestate",
    verdict="holds",
    precise="in every state, for every γ in [0, 1); both have Π = I",
    assumptions=("μ and the rewards as given",),
    scope="two particular MDPs, decided exactly",
    latex=r"r_\pi = \mathbf{1},\ P_\pi\mathbf{1} = \mathbf{1} \ \Rightarrow\ v_\pi = \tfrac{1}{1-\gamma}\mathbf{1},"
    r" \qquad r_\mu = 0 \ \Rightarrow\ v_\mu = 0",
    expects="checked",
    check=check,
    counterexamples=counterexamples,
)
