"""Directions that decide, split over the states; and stability maps."""

import json

import numpy as np
import pytest

from tests.command_line import run
from theory.certified.verdicts import uniformly_safe
from theory.experiments.stability_map import stability_map
from theory.experiments.why import direction, unsafe_feature
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue, catalogue_problem


@pytest.mark.parametrize("name", list(catalogue()))
def test_shares_add_up_and_directions_are_eigenvectors(name):
    p = catalogue_problem(name)
    D = np.diag(p.d_mu)
    X, Y = p.Phi.T @ D @ p.Phi, p.Phi.T @ D @ p.P_pi @ p.Phi
    td, chain = direction(p, "td"), direction(p, "chain")
    scale = np.abs(X).max()
    if td is not None:
        assert td.shares.sum() == pytest.approx(td.eigenvalue.real, abs=1e-9 * scale)
        assert np.abs((X - p.gamma * Y) @ td.features - td.eigenvalue * td.features).max() < 1e-8 * scale
        assert np.abs(p.Phi @ td.features - td.values).max() < 1e-9
        assert np.abs(td.values).max() == pytest.approx(1)
    if chain is not None:
        assert chain.shares.sum() == pytest.approx(abs(chain.eigenvalue), abs=1e-9)
        projected = p.gamma * p.Phi @ np.linalg.pinv(X) @ p.Phi.T @ D @ p.P_pi
        assert np.abs(projected @ chain.values - chain.eigenvalue * chain.values).max() < 1e-7


def test_twostate_says_what_the_textbook_says():
    """The target of the first state, of value 1, is γ·2 = 1.98; that alone is d(1 − 1.98) = −.49 of A = −.47."""
    found = direction(catalogue_problem("twostate"), "td")
    assert found.shares.tolist() == pytest.approx([-0.49, 0.02])
    assert found.sentence.startswith("Unstable mode, Re λ = -0.47: state first contributes -0.49")
    assert "1.98 times its value" in found.sentence


def test_the_unsafe_feature_breaks_td():
    p = catalogue_problem("baird")
    e = p.exact
    x = unsafe_feature(uniformly_safe(e.d_mu, e.P_pi, e.gamma))
    form = sum(e.d_mu[s] * x[s] * (x[s] - e.gamma * (e.P_pi[s] @ x)) for s in range(7))
    assert form < 0
    assert unsafe_feature(uniformly_safe(["1/2", "1/2"], [[0, 1], [1, 0]], "9/10")) is None


def test_inspect_says_why(capsys):
    out = run(capsys, "inspect", "twostate")[1]
    assert "Why TD fails: " in out
    assert "Why the chain fails: " in out
    assert "Why not every Φ is safe: " in out
    assert "Why TD fails" not in run(capsys, "inspect", "random-walk")[1]
    why = json.loads(run(capsys, "inspect", "baird", "--json")[1])["why"]
    assert set(why) == {"td", "chain", "unsafe_feature", "reason"}
    assert [s["state"] for s in why["td"]["states"]][-1] == "7"  # damps; the six others feed
    assert len(why["unsafe_feature"]) == 7


def test_maps_agree_with_their_certificates():
    found = stability_map(catalogue_problem("twostate"), "n-step-td:n,gamma", certify=True)
    clear = np.abs(found.margin) > 1e-9
    assert ((found.margin > 0) == (found.certified == 1))[clear].all()
    assert (found.certified == 0).any()
    X, Y = 2.5, 3.0  # TD on n steps is stable where γⁿ Y < X, since Pⁿ = P
    expected = np.array([[float(y) ** float(x) * Y < X for x in found.xs] for y in found.ys])
    assert (found.stable == expected).all()


@pytest.mark.parametrize("over", ["soft-target:alpha,tau", "target-network:alpha,window", "tdc:ratio,gamma"])
def test_maps_of_every_kind_have_both_sides(over):
    found = stability_map(catalogue_problem("finite-window"), over)
    assert found.margin.shape == (len(found.ys), len(found.xs))
    assert found.stable.any()
    assert not found.stable.all()
    assert found.to_dict()["certified"] is None


def test_bad_maps_are_refused():
    for over, complaint in (("soft-target:alpha,foo", "no parameter 'foo'"), ("td:gamma,gamma", "two different")):
        with pytest.raises(InvalidProblem, match=complaint):
            stability_map(catalogue_problem("baird"), over)


def test_compare_draws_a_map(capsys, tmp_path):
    path = tmp_path / "map.png"
    arguments = ["--methods", "td", "--plot", str(path), "--over", "td-lambda:lambda,gamma", "--json"]
    code, out, err = run(capsys, "compare", "twostate", *arguments)
    assert (code, err) == (0, "")
    assert path.stat().st_size > 1000
    assert json.loads(out)["map"]["method"] == "td-lambda"
    code, _, err = run(capsys, "compare", "twostate", "--plot", "nowhere/x.png")
    assert (code, err.count("\n")) == (2, 1)
