"""Kolter's remedy: certified weights, no nearer ones, by plain fractions and by search."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from tests.command_line import run
from theory.certified.recheck.checker import check
from theory.experiments.remedy import nearest_safe_weights, searched
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem

FAILING = ["twostate", "threestate", "baird", "finite-window", "quadrant-unstable-unbiased", "w-to-2w"]


def kolter(problem, d):
    """[[X, γY], [γYᵀ, X]] in fractions, of the leftmost independent features; loops only."""
    e = problem.exact
    Phi, S = e.Phi.tolist(), problem.n_states
    keep = []
    for j in range(problem.n_features):
        if np.linalg.matrix_rank(problem.Phi[:, [*keep, j]]) > len(keep):
            keep.append(j)
    Phi = [[row[j] for j in keep] for row in Phi]
    r = len(keep)
    ahead = [[sum(e.P_pi[s, t] * Phi[t][j] for t in range(S)) for j in range(r)] for s in range(S)]
    X = [[sum(d[s] * Phi[s][i] * Phi[s][j] for s in range(S)) for j in range(r)] for i in range(r)]
    Y = [[e.gamma * sum(d[s] * Phi[s][i] * ahead[s][j] for s in range(S)) for j in range(r)] for i in range(r)]
    return [X[i] + Y[i] for i in range(r)] + [[Y[j][i] for j in range(r)] + X[i] for i in range(r)]


def pivots(M):
    """Of Gauss's elimination: all positive iff M ≻ 0."""
    M, found = [list(row) for row in M], []
    for k in range(len(M)):
        found.append(M[k][k])
        if M[k][k] <= 0:
            return found
        for i in range(k + 1, len(M)):
            c = M[i][k] / M[k][k]
            M[i] = [x - c * y for x, y in zip(M[i], M[k], strict=True)]
    return found


@pytest.mark.parametrize("name", FAILING)
def test_weights_found_satisfy_the_condition_exactly_and_both_proofs_are_repeated(name):
    problem = catalogue_problem(name)
    found = nearest_safe_weights(problem)
    d = found.d.tolist()
    assert sum(d) == 1
    assert min(d) >= 0
    assert min(pivots(kolter(problem, d))) > 0
    assert min(pivots(kolter(problem, problem.exact.d_mu.tolist()))) <= 0
    moved = sum(abs(x - y) for x, y in zip(d, problem.exact.d_mu.tolist(), strict=True)) / 2
    assert found.distance == moved >= Fraction(found.at_least)
    for verdict in (found.td, found.chain):
        document = verdict.certificate.to_dict()
        assert check(document)
        assert not check({**document, "question": {**document["question"], "d": [str(x) for x in problem.exact.d_mu]}})
    A = np.linalg.eigvals(
        found.problem.Phi.T
        @ np.diag(found.problem.d_mu)
        @ (np.eye(problem.n_states) - problem.gamma * problem.P_pi)
        @ problem.Phi
    )
    assert A[np.abs(A) > 1e-9].real.min() > 0


def test_twostate_by_hand():
    """X > γY is d₁ + 4d₂ > .99(2d₁ + 4d₂), so d₁ < .04/1.02."""
    found = nearest_safe_weights(catalogue_problem("twostate"))
    nearest = Fraction(1, 2) - Fraction(4, 102)
    assert found.at_least == pytest.approx(float(nearest), abs=1e-8)
    assert nearest < found.distance < nearest + Fraction(1, 1000)


@pytest.mark.parametrize("seed", range(8))
def test_no_nearer_weights_are_met_by_search(seed):
    """50,000 weights nearer than the bound: none satisfies the condition; and the one found is close to the bound."""
    rng = np.random.default_rng(seed)
    P, d = rng.dirichlet(np.ones(3) / 3, size=3), rng.dirichlet(np.ones(3))
    problem = Problem.from_matrices(0.95, Phi=rng.normal(size=(3, 2)), P_pi=P, d_mu=d)
    found = nearest_safe_weights(problem)
    assert float(found.distance) <= found.at_least + 2e-3
    near = rng.dirichlet(np.ones(3), size=50_000)
    distance = np.abs(near - d).sum(axis=1) / 2
    # Scaled towards d_μ so that each is nearer than the bound.
    near = d + (near - d) * np.minimum(1, 0.999 * found.at_least * rng.random(50_000) / distance)[:, None]
    ahead = 0.95 * P @ problem.Phi
    X = np.einsum("ns,si,sj->nij", near, problem.Phi, problem.Phi)
    Y = np.einsum("ns,si,sj->nij", near, problem.Phi, ahead)
    K = np.concatenate([np.concatenate([X, Y], 2), np.concatenate([Y.transpose(0, 2, 1), X], 2)], 1)
    least = np.linalg.eigvalsh(K)[:, 0]
    assert found.at_least == 0 or least.max() < 1e-9


def test_where_the_condition_holds_nothing_moves():
    found = nearest_safe_weights(catalogue_problem("quadrant-stable-unbiased"))
    assert (found.distance, found.at_least) == (0, 0.0)


def test_what_is_too_much_or_nothing_is_refused_in_one_line():
    nothing = Problem.from_matrices("1/2", Phi=[[0]], P_pi=[[1]], d_mu=[1])
    assert not searched(nothing)
    with pytest.raises(InvalidProblem, match=r"^remedy: weights are looked for with up to 60 states"):
        nearest_safe_weights(nothing)


def test_inspect_shows_it_beside_what_is_not_safe(capsys):
    text = " ".join(run(capsys, "inspect", "twostate")[1].split())
    assert "Kolter's remedy: d = (39/1000, 961/1000): with 0.461 of the mass of d_μ moved" in text
    assert "that is not proved" in text
    document = json.loads(run(capsys, "inspect", "twostate", "--json")[1])["remedy"]
    assert document["distance"] == "461/1000"
    assert all(check(proof) for proof in document["certificate"].values())
    safe = json.loads(run(capsys, "inspect", "quadrant-stable-unbiased", "--json")[1])
    assert safe["remedy"] is None
