"""States with d_μ(s) = 0: what is decided of them, what is refused, and that both agree with plain fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theory
from theory.certified.recheck.checker import check
from theory.certified.verdicts import uniformly_safe
from theory.experiments.flips import nearest_flips
from theory.experiments.learning import Run, learn
from theory.model.linear_model import exact_model, float_model, value_model
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.mdp import MDP
from theory.problems.validate import first_uncovered_move


def drawn(seed: int, exact: bool = True) -> Problem:
    """Five states of which the last two are never visited; dependent features whose rank visited states have."""
    rng = np.random.default_rng(seed)
    P = rng.integers(0, 4, size=(5, 5)) + np.eye(5, dtype=int)
    d, two = [*rng.integers(1, 5, size=3).tolist(), 0, 0], rng.integers(-3, 4, size=(5, 2))
    two[:2] = [[1, 2], [0, 1]]
    Phi = np.column_stack([two, two.sum(axis=1)])  # rank 2
    kind = Fraction if exact else (lambda a, b: float(a / b))
    return Problem.from_matrices(
        kind(9, 10),
        Phi=Phi if exact else Phi.astype(float),
        P_pi=[[kind(int(x), int(row.sum())) for x in row] for row in P],
        d_mu=[kind(x, sum(d)) for x in d],
        r_pi=[1, -2, 0, 3, 1],
    )


def test_w_to_2w_is_decided_by_hand():
    problem = catalogue_problem("w-to-2w")
    for gamma, stable in (("49/100", True), ("51/100", False), ("99/100", False)):
        found = theory.inspect(problem.with_gamma(Fraction(gamma)))
        assert (found.td_known.holds.json, found.chain_known.holds.json) == (stable, stable)  # A = 1 − 2γ, B = 2γ
        for verdict in (found.td, found.chain, found.target_network.verdict, found.safe):
            assert verdict.decided
            assert verdict.rechecked
    assert str(found.td_intervals.intervals[0].high.exact) == "1/2"
    assert str(found.chain_threshold.exact) == "1/2"
    assert found.safety is None
    assert "learn and noise refuse" in found.notes[0]
    text = " ".join(str(theory.compare(problem)).split())
    assert "so ρ is undefined" in text
    assert "emphasis needs ratios" in text


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("exact", [True, False])
def test_verdicts_are_those_of_the_papers_matrices_by_numpy(seed, exact):
    problem = drawn(seed, exact)
    Phi, D, P = problem.Phi, np.diag(problem.d_mu), problem.P_pi
    X, Y = Phi.T @ D @ Phi, Phi.T @ D @ P @ Phi
    key = np.linalg.eigvals(X - 0.9 * Y)
    key = key[np.abs(key) > 1e-9]  # ker Φ
    beta = np.abs(np.linalg.eigvals(0.9 * np.linalg.pinv(X) @ Y)).max()
    found = theory.inspect(problem)
    assert found.rank == 2
    assert found.td_known.holds.json == (key.real.min() > 0)
    assert found.td.rechecked
    assert found.chain_known.holds.json == (beta < 1)
    assert found.chain.rechecked
    assert found.td_spectrum.real.min() == pytest.approx(key.real.min())
    theta = np.linalg.pinv(X - 0.9 * Y) @ (Phi.T @ D @ problem.r_pi)
    assert found.target.values.astype(float) == pytest.approx(Phi @ theta)


@pytest.mark.parametrize("seed", range(6))
def test_the_three_models_agree_on_all_states(seed):
    problem = drawn(seed)
    values, plain, exact = value_model(problem), float_model(problem), exact_model(problem)
    assert values.Phi @ values.R == pytest.approx(problem.Phi, abs=1e-12)  # also where U/√d says nothing
    assert values.Phi.T @ (problem.d_mu[:, None] * values.Phi) == pytest.approx(np.eye(2), abs=1e-12)
    spectra = [np.sort_complex(m.chain_spectrum) for m in (values, plain)]
    assert spectra[0] == pytest.approx(spectra[1])
    # det(B) and tr(B) of the exact one
    B = exact.B
    assert np.prod(spectra[0]).real == pytest.approx(float(Fraction(str(B.det()))))


def test_trajectories_go_on_from_any_start():
    w = theory.trajectory(catalogue_problem("w-to-2w"), "off-policy-td", start=[1], steps=5, step_size=Fraction(1, 10))
    step = 1 + Fraction(1, 10) * (2 * Fraction(99, 100) - 1)
    assert w.theta[:, 0].tolist() == pytest.approx([float(step**t) for t in range(6)])


def test_values_that_are_never_learned_are_refused_here_and_by_the_checker():
    letters = {"P_pi": [[0, 1], [1, 0]], "Phi": [[1, 0], [0, 1]]}
    with pytest.raises(InvalidProblem, match=r"^d_mu\[1\]: missing coverage: .* rank 1 of 2: some values are never"):
        Problem.from_matrices("1/2", d_mu=[1, 0], **letters)
    covered = Problem.from_matrices("1/2", d_mu=["1/2", "1/2"], **letters)
    document = theory.inspect(covered).td.certificate.to_dict()
    assert check(document)
    forged = {**document, "question": {**document["question"], "d": [1, 0]}}
    assert not check(forged)


def test_a_feature_of_states_that_are_never_visited_shows_no_failure():
    verdict = uniformly_safe([1, 0], [[0, 1], [1, 0]], "1/2")
    document = verdict.certificate.to_dict()
    assert verdict.refuted
    assert check(document)
    blind = {**document, "evidence": {"kind": "witness", "x": ["0", "1"]}}  # xᵀDx = 0: nothing is learned
    assert not check(blind)


def test_closed_behaviour_is_judged_on_its_own_states():
    P, d = [[0, 1, 0], [1, 0, 0], [1, 0, 0]], ["9/10", "1/10", 0]
    assert first_uncovered_move(np.array(P), np.array([0.9, 0.1, 0])) is None
    for gamma in ("1/2", "9/10"):
        alone = uniformly_safe(d[:2], [row[:2] for row in P[:2]], gamma)
        assert uniformly_safe(d, P, gamma, confirm=True).holds == alone.holds
    problem = Problem.from_matrices("1/2", Phi=[[1], [3], [5]], P_pi=P, d_mu=d)
    assert "nothing learned depends on it" in theory.inspect(problem).notes[0]
    row = next(row for row in theory.compare(problem).rows if row.method.name == "etd")
    assert row.outcome.holds.json is True  # f is 0 where nothing leads


def test_what_needs_a_ratio_is_refused_in_one_line():
    with pytest.raises(
        InvalidProblem, match=r"^d_mu: no ratio: the target moves from state w to state 2w, which is ne"
    ):
        catalogue_problem("w-to-2w").realised()


def test_a_state_that_the_behaviour_leaves_for_ever_changes_nothing_that_is_learned():
    """Transient states of an MDP: learning and noise are those of the recurrent ones alone."""
    P = [[[0, 1, 0], [1, 0, 0]], [[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]]]
    half, pi = ["1/2", "1/2"], ["1/4", "3/4"]
    whole = Problem.from_mdp(MDP(P, [[1, 0]] * 3, "1/2"), pi=[pi] * 3, mu=[half] * 3, Phi=[[1], [2], [7]])
    alone = MDP([[row[:2] for row in rows] for rows in P[:2]], [[1, 0]] * 2, "1/2")
    part = Problem.from_mdp(alone, pi=[pi] * 2, mu=[half] * 2, Phi=[[1], [2]])
    assert whole.exact.d_mu.tolist() == [Fraction(1, 2), Fraction(1, 2), 0]
    for problem in (whole, part):
        assert theory.inspect(problem).td.rechecked
    both = [theory.mean_square(p, "off-policy-td") for p in (whole, part)]
    assert "None" not in str(both[0].mean_square)
    assert str(both[0].mean_square) == str(both[1].mean_square)
    run = Run("off-policy-td", {"alpha": 0.1}, steps=50, seeds=2, seed=3, error="d_mu")
    first, second = (learn(p, run).document()["rmse"] for p in (whole, part))
    assert first["final"] == pytest.approx(second["final"])


def test_the_nearest_flips_are_found():
    gammas = [f.exact for f in nearest_flips(catalogue_problem("w-to-2w")) if f.kind == "gamma"]
    assert gammas == ["1/2", "1/2"]
