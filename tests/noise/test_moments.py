"""The exact error of a learner is what the project's own simulation estimates, and the mean over all paths."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from tests.learners.cases import PROBLEMS, noisy, one_vector_rules, third
from tests.learners.stated_means import matrix_and_vector, mean_map
from tests.noise.stepping import error_curve, last_half, mean_error, second_moments, square_error, stationary_moments
from theory.exact.matrices import fractions
from theory.learners.affine import affine
from theory.learners.concurrent import ConcurrentChain
from theory.learners.corrected import ChainedExpectedSarsa
from theory.learners.driver import run_bulk
from theory.learners.gradient import GTD2, TDC, TDRC
from theory.learners.n_step import ChainedNStep, NStep
from theory.learners.sequential import SequentialChain, TargetNetwork
from theory.learners.soft import SoftTarget
from theory.learners.streams import draw_initials, draw_transitions
from theory.learners.td import TD, OffPolicyTD
from theory.model.linear_model import exact_model
from theory.model.points import target_values, true_values
from theory.noise import moments
from theory.noise.errors import error_chain
from theory.noise.moments import Moments
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem

SEEDS, STEPS = 400, 300
MARKS = [0, 1, 10, 100, 300]


def float_rules(gamma):
    """Every family that closes, at step sizes whose fourth moments are tame."""
    a = 0.02
    return [
        TD(gamma, a), OffPolicyTD(gamma, a), GTD2(gamma, a, 0.03), TDC(gamma, a, 0.03), TDRC(gamma, a, a),
        SoftTarget(gamma, a, tau=0.125), TargetNetwork(gamma, a, 5), NStep(gamma, a, 2),
        ConcurrentChain(gamma, a, K=2), ConcurrentChain(gamma, a, K=2, k=1), ChainedNStep(gamma, a, n=2, K=1),
        SequentialChain(gamma, a, 7, K=2), SequentialChain(gamma, a, 150, K=1, after="stop"),
        ChainedExpectedSarsa(gamma, a, K=1),
    ]  # fmt: skip


def setting_of(rule):
    columns = {name: getattr(rule, name) for name in rule.columns}
    return {name: rule.K if value is None else value for name, value in columns.items()}


@pytest.mark.parametrize(
    ("rule", "weighting"),
    [
        *((rule, "uniform") for rule in float_rules(noisy().gamma)),
        *((TDC(noisy().gamma, 0.02, 0.03), error) for error in ("d_mu", "pbe")),
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_simulation_estimates_the_exact_error(rule, weighting):
    """|z| < 4 at five moves and over the last half: probability below 1e-4 each for a normal mean, seeds fixed."""
    problem = noisy()
    chain = error_chain(rule, problem, exact=False)
    heads = type(rule).n_vectors(getattr(rule, "K", 0))
    pairs = 2 if rule.action_values else 1
    moves = draw_transitions(np.random.default_rng(5), problem, STEPS + pairs - 1, SEEDS)
    starts = draw_initials(np.random.default_rng(6), SEEDS, heads, problem.n_features * pairs)
    options = {name: getattr(rule, name) for name in type(rule).options() if hasattr(rule, name)}
    result = run_bulk(
        rule.name, problem, setting_of(rule), moves, starts, options=options, error=weighting, marks=MARKS
    )  # fmt: skip
    curve = error_curve(chain.measured(weighting, problem), STEPS)
    samples = np.column_stack([result.curve[0], result.mean_square[0]])
    exact = np.append(curve[MARKS], last_half(curve))
    z = (samples.mean(axis=0) - exact) / (samples.std(axis=0, ddof=1) / np.sqrt(SEEDS))
    assert np.abs(z).max() < 4


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_three_moves_by_enumeration_of_all_paths(problem):
    """In fractions, by the affine maps on parameters themselves: no frame, no recursion."""
    sigma = Fraction(3)
    for rule in one_vector_rules(problem.exact.gamma)[1:4]:
        found = affine(rule, problem)
        v = fractions(true_values(exact_model(problem)))
        total, mean = Fraction(0), 0 * v
        for path in product(found.moves, repeat=3):
            if any(a.next_node != b.node for a, b in pairwise(path)):
                continue
            p = found.first[path[0].node]
            spread, offset = sigma * found.start, 0 * matrix_and_vector(path[0])[1]
            for move in path:
                p = p * move.probability
                M, c = matrix_and_vector(move)
                spread, offset = M @ spread, M @ offset + c
            R = found.read(path[-1].next_node)
            total += p * (((R @ spread) ** 2).sum() + ((R @ offset - v) ** 2).sum()) / problem.n_states
            mean = mean + p * (R @ offset - v)
        chain = error_chain(rule, problem)
        *_, Y = second_moments(chain, 3, sigma)
        assert square_error(chain, Y) == total
        assert np.all(mean_error(chain, Y) == mean)


def floats(rule):
    """The same rule with doubles for its fractions."""
    numbers = {n: float(x) for n, x in vars(rule).items() if isinstance(x, Fraction)}
    return replace(rule, **numbers)


def test_floats_agree_with_fractions():
    problem = noisy()
    for rule in (*one_vector_rules(problem.exact.gamma), SoftTarget(problem.exact.gamma, third, tau=third)):
        exact = error_curve(error_chain(rule, problem), 6)
        rough = error_curve(error_chain(floats(rule), problem, exact=False), 6)
        assert np.abs(rough / exact.astype(float) - 1).max() < 1e-11  # six steps of sums of a few hundred products


def test_the_scale_of_the_start_enters_by_its_square():
    problem = noisy()
    chain = error_chain(TDC(problem.exact.gamma, third, third), problem)
    zero, one, five = (error_curve(chain, 4, s) for s in (0, 1, 5))
    assert np.all(five == zero + 25 * (one - zero))


def test_moments_stay_symmetric_with_masses_of_the_stream():
    problem = noisy()
    chain = error_chain(OffPolicyTD(problem.exact.gamma, third), problem)
    for Y in second_moments(chain, 4):
        assert np.all(Y.swapaxes(1, 2) == Y)
        assert np.all(Y[:, -1, -1] == chain.first)  # d_μ is stationary


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_first_move_is_the_expected_update_in_the_mean(problem):
    """Before it the place is independent of the parameters, which have mean zero; later moves are not independent."""
    for rule in one_vector_rules(problem.exact.gamma):
        found, chain = affine(rule, problem), error_chain(rule, problem)
        chain = replace(chain, first=chain.law)  # episodes begin elsewhere
        *_, Y = second_moments(chain, 1)
        _, vector = mean_map(found)
        assert np.all(mean_error(chain, Y) == found.read(0) @ vector - fractions(true_values(exact_model(problem))))


def test_a_feature_that_nobody_sees_is_no_coordinate():
    """Baird's 8 features have rank 7."""
    problem = catalogue_problem("baird")
    assert error_chain(TD(problem.gamma, 0.1), problem, exact=False).size == 7


@pytest.mark.parametrize("rule", float_rules(noisy().gamma)[:-3], ids=lambda r: r.name)
def test_curves_tend_to_the_stationary_error(rule):
    """Over five moves, the period of the target network; after 3,000 at α = 1/10 the start is forgotten to 1e-7."""
    problem = noisy()
    fast = replace(rule, alpha=0.1, **({"beta": 0.1} if hasattr(rule, "beta") else {}))
    chain = error_chain(fast, problem, exact=False)
    limit = Moments(chain).settled(Moments(chain).matrices(0.1)[0])
    assert limit == pytest.approx(square_error(chain, stationary_moments(chain)), rel=1e-9)
    assert Moments(chain).stepped(3000, 1.0)[-5:].mean() == pytest.approx(limit, rel=1e-7)


def test_moments_too_many_for_a_system_are_iterated(monkeypatch):
    """A target network's nodes have a period; with stationary masses there is one limit all the same."""
    problem = noisy()
    chain = error_chain(TargetNetwork(problem.gamma, 0.1, 3), problem, exact=False)
    expected = square_error(chain, stationary_moments(chain))
    assert Moments(chain).settled_by_iteration() == pytest.approx(expected, rel=1e-9)
    monkeypatch.setattr(moments, "RESTART", 2)
    monkeypatch.setattr(moments, "ROUNDS", 1)
    with pytest.raises(InvalidProblem, match="settle too slowly"):
        Moments(chain).settled_by_iteration()


def test_stationary_moments_in_fractions_are_a_fixed_point():
    problem = catalogue_problem("twostate-reward")
    chain = error_chain(TDRC(problem.exact.gamma, Fraction(1, 9), Fraction(1, 9)), problem)
    Y = stationary_moments(chain)
    moved = sum(
        p * _at(chain.next_node[m], len(Y), chain.maps[m] @ Y[chain.node[m]] @ chain.maps[m].T)
        for m, p in enumerate(chain.probability)
    )
    assert np.all(moved == Y)


def _at(node, n, block):
    out = np.full((n, *block.shape), 0, dtype=object)
    out[node] = block
    return out


def test_overflow_is_divergence():
    problem = catalogue_problem("baird")
    curve = Moments(error_chain(OffPolicyTD(problem.gamma, 0.5), problem, exact=False)).stepped(3000)
    assert np.isinf(curve[-1])
    assert np.isfinite(curve[:100]).all()
    assert not np.isnan(curve).any()
    assert np.isinf(last_half(curve))


def test_the_start_is_the_protocols():
    problem = noisy()
    chain = error_chain(TD(problem.gamma, 0.1), problem, exact=False)
    v = target_values(problem)
    assert error_curve(chain, 0)[0] == pytest.approx(100**2 * (problem.Phi**2).sum() / 3 + (v**2).mean(), rel=1e-13)


def test_rejects_an_unknown_weighting():
    chain = error_chain(TD(0.5, 0.1), noisy(), exact=False)
    with pytest.raises(InvalidProblem, match="must be uniform, d_mu or pbe, got 'mean'"):
        chain.measured("mean", noisy())
