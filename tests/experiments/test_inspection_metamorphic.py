"""The whole document of `inspect` under changes whose effect is known: what must stay, stays; what must scale, scales.

States in another order, rewards times c, features times 2ᵏ, and every state split into two halves that behave alike:
none of them changes what is asked. Exact problems stay exact, so exact numbers must be equal, not close.
"""

from fractions import Fraction

import numpy as np
import pytest

from theory.commands.common import jsonable
from theory.experiments.inspection import inspect_problem
from theory.experiments.inspection_document import document
from theory.problems import Problem

ABOUT_STATES = ("fixed_points", "d_mu", "state_names", "states", "why")
CASES = {
    "unstable, biased": ([[1, 0], [3, 1], [1, -1]], [[0, 1, 0], ["1/2", 0, "1/2"], [0, 0, 1]], ["1/2", "1/3", "1/6"]),
    "one feature": ([[1], [2], [-3]], [[0, 1, 0], [0, 1, 0], ["1/4", "1/4", "1/2"]], ["1/5", "2/5", "2/5"]),
    "dependent": ([[1, 2], [2, 4], [0, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], ["1/3", "1/3", "1/3"]),
    "complex": ([[1, 1], [1, 0], [0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], ["1/3", "1/2", "1/6"]),
}


def make(case, gamma="4/5"):
    Phi, P, d = CASES[case]
    return Problem.from_matrices(
        gamma, Phi=Phi, P_pi=P, d_mu=d, r_pi=[1, -2, "1/3"], P_mu=[d] * 3, r_mu=[0, 1, 2], name="it"
    )


def seen(problem, step_size=Fraction(1, 16)):
    return jsonable(document(inspect_problem(problem, step_size, 30)))


def without(document, *names):
    """The document without these parts, and without words on how a verdict was found: another way may be cheaper."""
    kept = {key: value for key, value in document.items() if key not in names}
    for part in {"td", "chain", "target_network", "uniform_safety"} & kept.keys():
        kept[part] = {k: v for k, v in kept[part].items() if k not in ("method", "reason")}
    return kept


def same(a, b, path=""):
    """Equal; numbers that are not texts up to the last digits of doubles, eigenvalues in any order."""
    if isinstance(a, dict):
        assert a.keys() == b.keys(), path
        for key in a:
            if key in ("eigenvalues", "eigenvalue_bounds"):
                assert len(a[key] or []) == len(b[key] or []), path
                if key == "eigenvalues":
                    close(sorted(map(tuple, a[key])), sorted(map(tuple, b[key])), f"{path}.{key}")
            elif key.endswith("_bounds"):
                assert (a[key] is None) == (b[key] is None), f"{path}.{key}"
            else:
                same(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list):
        assert len(a) == len(b), path
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{path}[{i}]")
    elif isinstance(a, float) or isinstance(b, float):
        close(a, b, path)
    else:
        assert a == b, path


def close(a, b, path):
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=path)


def same_direction(a, b):
    """The same eigenvalue, to which the states contribute the same shares."""
    assert (a is None) == (b is None)
    if a is not None:
        close(a["eigenvalue"], b["eigenvalue"], "eigenvalue")
        close(*(sorted(state["share"] for state in x["states"]) for x in (a, b)), "shares")


def times(values, factor):
    return None if values is None else [str(Fraction(x) * factor) for x in values]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0)])
def test_relabelled_states_change_nothing_but_their_order(case, order):
    given, order = make(case), list(order)
    g = given.exact
    moved = Problem.from_matrices(
        g.gamma, Phi=g.Phi[order], P_pi=g.P_pi[np.ix_(order, order)], d_mu=g.d_mu[order], r_pi=g.r_pi[order],
        P_mu=g.P_mu[np.ix_(order, order)], r_mu=g.r_mu[order], name="it",
    )  # fmt: skip
    before, after = seen(given), seen(moved)
    same(without(before, "fixed_points", "d_mu", "why"), without(after, "fixed_points", "d_mu", "why"))
    for kind in ("td", "chain"):
        same_direction(before["why"][kind], after["why"][kind])
    assert [before["d_mu"][s] for s in order] == after["d_mu"]
    points, others = before["fixed_points"], after["fixed_points"]
    for name in ("theta_pi", "theta_mu", "notes"):
        assert points[name] == others[name]
    for name in ("v_pi", "v_mu", "v_td", "v_td_mu"):
        assert (None if points[name] is None else [points[name][s] for s in order]) == others[name]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("factor", [Fraction(-1), Fraction(7, 3), Fraction(10**40)])
def test_scaled_rewards_scale_the_fixed_points_and_nothing_else(case, factor):
    given = make(case)
    g = given.exact
    scaled = Problem.from_matrices(
        g.gamma, Phi=g.Phi, P_pi=g.P_pi, d_mu=g.d_mu, r_pi=g.r_pi * factor, P_mu=g.P_mu, r_mu=g.r_mu * factor, name="it"
    )
    before, after = seen(given), seen(scaled)
    same(without(before, "fixed_points"), without(after, "fixed_points"))
    for name, values in before["fixed_points"].items():
        assert (values if name == "notes" else times(values, factor)) == after["fixed_points"][name]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("k", [3, -60, 300])
def test_features_times_a_power_of_two_scale_their_moments_and_parameters(case, k):
    given, factor = make(case), Fraction(2) ** k
    before = seen(given)
    after = seen(given.with_features(given.exact.Phi * factor), Fraction(1, 16) / factor**2)
    changed = ("fixed_points", "td", "target_network", "why")
    same(without(before, *changed), without(after, *changed))
    if abs(k) < 200:
        same_direction(before["why"]["chain"], after["why"]["chain"])
    for name in ("stable", "certified", "gamma_threshold", "stable_intervals"):
        same(before["td"][name], after["td"][name], name)
    for part in ("rho", "stable", "window", "certified"):
        same(before["target_network"][part], after["target_network"][part], part)
    assert Fraction(after["target_network"]["step_size"]) * factor**2 == Fraction(before["target_network"]["step_size"])
    if abs(k) < 200:  # beyond, A's eigenvalues leave the range of doubles
        unit = float(factor) ** 2
        close(_sorted(after["td"], 1 / unit), _sorted(before["td"]), "eigenvalues")
        if before["td"]["max_step_size"] is not None:
            close(after["td"]["max_step_size"] * unit, before["td"]["max_step_size"], "max_step_size")
    points, others = before["fixed_points"], after["fixed_points"]
    for name in ("v_pi", "v_mu", "v_td", "v_td_mu", "notes"):
        assert points[name] == others[name]
    for name in ("theta_pi", "theta_mu"):
        assert times(points[name], 1 / factor) == others[name]


@pytest.mark.parametrize("case", CASES)
def test_states_split_into_halves_are_seen_as_one(case):
    """State s becomes two, each visited half as often and each going to both halves of s' equally often."""
    given = make(case)
    g, twice = given.exact, np.repeat(np.arange(3), 2)
    halves = Fraction(1, 2)
    split = Problem.from_matrices(
        g.gamma, Phi=g.Phi[twice], P_pi=g.P_pi[np.ix_(twice, twice)] * halves, d_mu=g.d_mu[twice] * halves,
        r_pi=g.r_pi[twice], P_mu=g.P_mu[np.ix_(twice, twice)] * halves, r_mu=g.r_mu[twice], name="it",
    )  # fmt: skip
    before, after = seen(given), seen(split)
    same(without(before, *ABOUT_STATES), without(after, *ABOUT_STATES))
    for kind in ("td", "chain"):
        a, b = before["why"][kind], after["why"][kind]
        assert (a is None) == (b is None)
        if a is not None:
            close(a["eigenvalue"], b["eigenvalue"], "eigenvalue")
    points, others = before["fixed_points"], after["fixed_points"]
    for name in ("theta_pi", "theta_mu", "notes"):
        assert points[name] == others[name]
    for name in ("v_pi", "v_mu", "v_td", "v_td_mu"):
        assert (None if points[name] is None else [points[name][s] for s in twice]) == others[name]


def _sorted(td, factor=1.0):
    return sorted((factor * re, factor * im) for re, im in td["eigenvalues"])
