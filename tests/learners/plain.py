"""The slow way: a plain rule move by move, and what a bulk run should report of it, by the definitions."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theory.learners.families import find_learner
from theory.learners.streams import Initials, draw_initials, n_parameters
from theory.learners.transition import View
from theory.problems import MDP, Problem, uniform_policy
from theory.problems.sampling import sample_transitions


@dataclass
class Expected:
    mean_square: object
    final: object
    passed: int
    curve: list


def dyadic() -> Problem:
    """Everything a small multiple of a power of two, so that doubles hold what happens in a few moves exactly."""
    P = [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]
    R = [[-1, 2], [0, 1]]
    mdp = MDP(P, R, "1/2")
    return Problem.from_mdp(mdp, pi=[1, 1], mu=uniform_policy(2, 2), Phi=[[1, 0], [1, 1]], name="dyadic")


def starts(learner, problem, seeds, K, *, integer=False, auxiliary=False, seed=5):
    rule = find_learner(learner)
    shape = seeds, rule.n_vectors(K), n_parameters(rule, problem)
    theta = draw_initials(np.random.default_rng(seed), *shape, scale=3.0).theta
    w = 3.0 * np.random.default_rng(seed + 1).standard_normal((seeds, shape[2])) if auxiliary else None
    if not integer:
        return Initials(theta, w)
    return Initials(np.round(theta), None if w is None else np.round(w))


def rule_of(learner, problem, setting, K, options, number=float):
    """The plain rule with one setting's values, in the given kind of number."""
    gamma = problem.exact.gamma if number is Fraction else problem.gamma
    each = {name: v if name in ("n", "window", "k") else number(v) for name, v in setting.items()}
    chosen = {name: number(v) if isinstance(v, float) else v for name, v in options.items()}
    return find_learner(learner).of(gamma, each, K, chosen)


def expected(learner, problem, setting, transitions, seed, initials, options=None, marks=(), K=4, exact=False):
    number = Fraction if exact else float
    rule = rule_of(learner, problem, setting, K, options or {}, number)
    view = View(problem, action_values=rule.action_values, exact=exact)
    theta = initials.theta[seed] if hasattr(rule, "K") or rule.vectors > 1 else initials.theta[seed, 0]
    w = None if initials.w is None else initials.w[seed]
    if exact:
        theta = np.vectorize(Fraction, otypes=[object])(theta)
        w = None if w is None else np.vectorize(Fraction, otypes=[object])(w)
    state = rule.init(theta) if w is None else rule.init(theta, w)
    v = np.linalg.solve(np.eye(problem.n_states) - problem.gamma * problem.P_pi, problem.r_pi)
    if exact:
        v = np.array([Fraction(x) for x in v.tolist()])
    squares = [((rule.value(state, view.value_features) - v) ** 2).sum() / problem.n_states]
    for move in view.stream(transitions, seed):
        if exact:
            move = move._replace(reward=Fraction(move.reward), ratio=Fraction(move.ratio))
        state = rule.update(state, move)
        squares.append(((rule.value(state, view.value_features) - v) ** 2).sum() / problem.n_states)
    steps = len(squares) - 1
    late = squares[steps // 2 + 1 :]
    under = [t for t in range(1, steps + 1) if squares[t] <= 150**2]
    passed = under[-1] + 1 if under else 1
    return Expected(sum(late) / len(late), squares[-1], -1 if passed > steps else passed, [squares[c] for c in marks])


def sampled(problem, steps, seeds, seed=11):
    return sample_transitions(np.random.default_rng(seed), problem, steps, seeds)
