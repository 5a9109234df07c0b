"""Episodes that end, discounts of single states, γ = 1: what is accepted, and what it means.

The second witness is the same problem with its end written down: one more state without features and reward that the
target never leaves, entered with what is left of each row. There rows sum to one and γ is below one, so everything
is as it was before there were ends.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.certified.verdicts import chain_unbiased, td_stable, window_stable
from theory.methods.family import methods
from theory.methods.outcome import outcome
from theory.model.linear_model import exact_model
from theory.model.points import true_values
from theory.problems import InvalidProblem, Problem
from theory.problems.files import parse_problem, problem_to_json
from theory.problems.graph import never_ending
from theory.problems.mdp import MDP
from theory.problems.npz import load_npz, save_npz
from theory.problems.validate import beginnings
from theory.thresholds.discounts import chain_threshold, td_stable_intervals

WALK = {
    "gamma": 1,
    "episodic": True,
    "features": [[1], [2]],
    "target": {"transitions": [[0, 1], [0, "1/2"]], "rewards": [0, 1]},
    "behaviour": {"distribution": ["1/2", "1/2"]},
}
# Two actions in each of three states; the second ends the episode half of the time, but for the last state.
P = [[[0, 1, 0], [0, 0, "1/2"]], [[0, 0, 1], ["1/4", 0, "1/4"]], [[0, "1/2", "1/2"], [0, 0, 1]]]
R = [[1, 0], [0, 2], [0, 1]]
HALF = [["1/2", "1/2"]] * 3


def ending_mdp(gamma=1, **changes):
    return MDP(**({"P": P, "R": R, "gamma": gamma, "start": ["1/2", "1/2", 0]} | changes))


def with_end(problem):
    """The same problem with its end as a state."""
    q, S = problem.exact, problem.n_states
    rows = [[*row, 1 - sum(row)] for row in q.P_pi.tolist()] + [[0] * S + [1]]
    return Problem.from_matrices(
        q.gamma,
        Phi=[*q.Phi.tolist(), [0] * problem.n_features],
        P_pi=rows,
        r_pi=[*q.r_pi.tolist(), 0],
        d_mu=[*(x / 2 for x in q.d_mu.tolist()), Fraction(1, 2)],
    )


@st.composite
def ending_problems(draw, discounts=("1/2", "9/10", "99/100"), least=0):
    S, F = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    number = st.integers(0, 4)
    rows = [[draw(number) for _ in range(S)] for _ in range(S)]
    rest = [draw(st.integers(least, 3)) + (sum(row) == 0) for row in rows]
    P_pi = [[Fraction(x, sum(row) + e) for x in row] for row, e in zip(rows, rest, strict=True)]
    d = [draw(st.integers(1, 5)) for _ in range(S)]
    return Problem.from_matrices(
        draw(st.sampled_from(discounts)),
        Phi=[[draw(st.integers(-2, 3)) for _ in range(F)] for _ in range(S)],
        P_pi=P_pi,
        r_pi=[draw(st.integers(-1, 2)) for _ in range(S)],
        d_mu=[Fraction(x, sum(d)) for x in d],
        episodic=True,
    )


@settings(max_examples=30)
@given(ending_problems())
def test_an_end_that_is_written_down_changes_no_verdict_threshold_or_value(problem):
    other = with_end(problem)
    for ask in (td_stable, chain_unbiased):
        assert ask(problem).holds == ask(other).holds
    assert window_stable(problem, 5, "1/8").holds == window_stable(other, 5, "1/4").holds  # d is half of what it was
    a, b = td_stable_intervals(problem), td_stable_intervals(other)
    assert [[end.exact for end in pair] for pair in a.intervals] == [
        [end.exact for end in pair] for pair in b.intervals
    ]
    a, b = chain_threshold(problem), chain_threshold(other)
    if a.exact is not None and b.exact is not None:
        assert a.exact == b.exact
    values = [x for (x,) in true_values(exact_model(problem)).tolist()]
    assert [*values, 0] == [x for (x,) in true_values(exact_model(other)).tolist()]


@settings(max_examples=30)
@given(ending_problems())
def test_every_method_answers_alike_with_the_end_written_down(problem):
    other = with_end(problem)
    models = exact_model(problem), exact_model(other)
    for name, kind in methods().items():
        if {"alpha", "eta", "kappa"} & kind.parameters().keys():
            continue  # these are relative to d, which is half of what it was
        first, second = (outcome(kind(), p, g) for p, g in zip((problem, other), models, strict=True))
        assert first.holds == second.holds, name


@settings(max_examples=30)
@given(ending_problems(discounts=(1,), least=1))
def test_at_gamma_one_verdicts_and_values_are_those_of_plain_fractions(problem):
    q, S = problem.exact, problem.n_states
    Phi, d = q.Phi.tolist(), q.d_mu.tolist()
    F = problem.n_features
    gap = [[(s == t) - q.P_pi[s, t] for t in range(S)] for s in range(S)]
    ahead = [[sum(gap[s][t] * Phi[t][j] for t in range(S)) for j in range(F)] for s in range(S)]
    A = [[sum(Phi[s][i] * d[s] * ahead[s][j] for s in range(S)) for j in range(F)] for i in range(F)]
    X = [[sum(Phi[s][i] * d[s] * Phi[s][j] for s in range(S)) for j in range(F)] for i in range(F)]
    full = X[0][0] if F == 1 else X[0][0] * X[1][1] - X[0][1] ** 2
    if full:  # independent features: Routh and Hurwitz for one or two of them
        right = A[0][0] > 0 if F == 1 else A[0][0] + A[1][1] > 0 and A[0][0] * A[1][1] > A[0][1] * A[1][0]
        assert td_stable(problem).proved == right
        if F == 1:
            assert chain_unbiased(problem).proved == (abs(X[0][0] - A[0][0]) < X[0][0])
    v = [Fraction(int(x.p), int(x.q)) for (x,) in true_values(exact_model(problem)).tolist()]
    assert [sum(gap[s][t] * v[t] for t in range(S)) for s in range(S)] == q.r_pi.tolist()


def test_a_discount_of_every_state_is_a_smaller_gamma():
    whole = Problem.from_matrices("9/10", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    parts = Problem.from_matrices(
        1, Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], discount=["9/10", "9/10"]
    )
    assert parts.terminates
    assert not whole.terminates
    assert str(chain_threshold(whole).exact) == "5/6"
    assert str(chain_threshold(parts).exact) == str(Fraction(5, 6) / Fraction(9, 10))
    assert td_stable(parts).holds == td_stable(whole).holds


def test_a_discount_is_for_arriving():
    problem = Problem.from_matrices(
        1, Phi=[[1], [1]], P_pi=[[0, 1], [1, 0]], r_pi=[1, 0], d_mu=["1/2", "1/2"], discount=[1, "1/3"]
    )
    # v(0) = 1 + ⅓v(1), v(1) = v(0)
    assert [x for (x,) in true_values(exact_model(problem)).tolist()] == [fmpq(3, 2), fmpq(3, 2)]


def test_a_row_that_sums_to_less_than_one_has_to_be_meant():
    with pytest.raises(InvalidProblem, match=r"^target.transitions\[1\]: probabilities sum to 1/2, not 1; if the rest"):
        parse_problem(json.dumps({**WALK, "episodic": False, "gamma": 0.5}))
    with pytest.raises(InvalidProblem, match=r"^target.transitions\[0\]: probabilities sum to 3/2, more than 1$"):
        parse_problem(json.dumps({**WALK, "target": {"transitions": [["1/2", 1], [0, "1/2"]]}}))
    with pytest.raises(InvalidProblem, match=r"^transitions\[0\]\[1\]: probabilities sum to 1/2, not 1$"):
        ending_mdp(start=None)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"target": {"transitions": [[0, "1/2"], [0, 1]]}}, "^gamma: must be below 1: from state 1 the target never"),
        ({"episodic": 1}, "^episodic: expected true or false$"),
        ({"discount": [1, 2]}, r"^discount\[1\]: a discount must lie in \[0, 1\], got 2$"),
        ({"start": [1, 0]}, "mixes two forms"),
        ({"behaviour": {"transitions": [[0, 1], ["1/2", 0]]}}, "^behaviour.distribution: give the distribution: where"),
    ],
)
def test_refuses_in_one_line(change, match):
    with pytest.raises(InvalidProblem, match=match) as error:
        parse_problem(json.dumps(WALK | change))
    assert "\n" not in str(error.value)


def test_reward_on_arrival_is_refused_where_there_is_no_arrival():
    with pytest.raises(InvalidProblem, match=r"^rewards: must be .*the mean reward, where an episode may end"):
        ending_mdp(R=np.zeros((3, 2, 3)))


PROBLEMS = [
    parse_problem(json.dumps(WALK)),
    Problem.from_mdp(ending_mdp(), pi=HALF, mu=HALF, Phi=[[1], [2], [3]]),
    Problem.from_mdp(ending_mdp("1/2", discount=[1, 0.5, 0]), pi=HALF, mu=HALF, Phi=[[1.5], [2], [3]]),
    parse_problem(json.dumps(WALK)).realised(),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=["matrices", "mdp", "discounts", "realised"])
def test_files_and_archives_give_it_back(problem, tmp_path):
    assert parse_problem(problem_to_json(problem)) == problem
    save_npz(problem, tmp_path / "p.npz")
    assert load_npz(tmp_path / "p.npz") == problem
    assert problem.is_stationary in (True, None)


def test_the_stream_goes_on_where_episodes_begin():
    problem = PROBLEMS[1]
    stream = problem.mdp.stream_under(problem.mu)
    assert (stream.sum(axis=1) == 1).all()
    assert (problem.exact.d_mu @ stream == problem.exact.d_mu).all()
    assert beginnings(problem.exact.d_mu, problem.exact.P_mu).tolist() == problem.mdp.start.tolist()


def test_ends_are_seen_in_the_graph_whatever_the_numbers():
    tiny = Fraction(1, 10**40)
    P = np.array([[0, 1, 0], [0, 0, 1], [0, 1 - tiny, 0]], dtype=object)
    assert never_ending(P) == []
    assert never_ending(np.array([[1.0, 0.0], [0.5, 0.4]])) == [0]
    assert never_ending(np.full((3, 3), 1 / 3)) == [0, 1, 2]  # rounding is no end
