"""Flips: both sides of every crossing, by certificates and by NumPy's eigenvalues."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from tests.exact.examples import concerns
from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.experiments.flip_lines import (
    crossings,
    feature_lines,
    mass_lines,
    sensitivities,
)
from theory.experiments.flips import Flips, nearest_flips, scope
from theory.linear.spectra import td_spectrum
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem


def plain_side(problem, boundary):
    """By NumPy: the smallest Re λ(A), structural zeros apart, or 1 − ρ(γΠP) with Π by the pseudo-inverse."""
    D, Phi, P = np.diag(problem.d_mu), problem.Phi, problem.P_pi
    if boundary == "td":
        A = Phi.T @ D @ (np.eye(len(D)) - problem.gamma * P) @ Phi
        values = np.linalg.eigvals(A)
        return np.sort(values[np.argsort(np.abs(values))[-np.linalg.matrix_rank(Phi) :]].real)[0]
    projection = Phi @ np.linalg.pinv(Phi.T @ D @ Phi) @ Phi.T @ D
    return 1 - np.abs(np.linalg.eigvals(problem.gamma * projection @ P)).max()


NAMES = [
    "baird",
    "threestate",
    "finite-window",
    "quadrant-stable-biased",
    "quadrant-unstable-unbiased",
    "complex-cycle",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_flip_is_certified_on_both_sides(name):
    problem = catalogue_problem(name)
    flips = nearest_flips(problem, per_kind=2)
    assert flips
    assert [f.size for f in flips] == sorted(f.size for f in flips)
    for flip in flips:
        here = plain_side(problem, flip.boundary) > 0
        assert (flip.before.holds, flip.after.holds) == (Answer.of(here), Answer.of(not here))
        assert flip.before.certificate.recheck()
        assert flip.after.certificate.recheck()
        assert concerns(flip.after.certificate, flip.problem)
        assert (plain_side(flip.problem, flip.boundary) > 0) is not here
        # inside and outside are a thousandth of the way (a tenth at worst) to either side of the crossing
        gap = abs(float(flip.outside) - float(flip.inside))
        assert 0 < gap <= 0.21 * abs(flip.crossing - float(flip.start))
        low, high = sorted((float(flip.inside), float(flip.outside)))
        assert low < flip.crossing < high


def test_baird_flips_at_fifteen_seventeenths():
    flip = next(f for f in nearest_flips(catalogue_problem("baird"), per_kind=1) if f.kind == "gamma")
    assert (flip.boundary, flip.exact, flip.becomes) == ("td", "15/17", "stable")
    assert flip.size == pytest.approx(9 / 10 - 15 / 17, rel=1e-12)
    assert flip.outside < Fraction(15, 17) < flip.inside < Fraction(9, 10)


def test_the_quadrant_problem_flips_where_algebra_says():
    """Φ = (1, x), d = (9/10 − m, 1/10 + m), the swap: X = (9 − 10m)/10 + (1 + 10m)x²/10 and Y = x."""
    flips = nearest_flips(catalogue_problem("quadrant-stable-biased"))
    places = {(f.kind, f.boundary, f.place, round(f.crossing, 9)) for f in flips}
    root = (9 - sqrt(45)) / 2  # 9x/10 = ±X at m = 0
    assert ("feature", "chain", (1, 0), round(-root, 9)) in places
    assert ("feature", "td", (1, 0), round(root, 9)) in places
    assert ("distribution", "chain", (0, 1), round(9 / 80, 9)) in places  # 27/10 = 18/10 + 8m
    assert ("gamma", "chain", (), 0.6) in places


def test_moved_mass_is_positive_and_names_its_direction():
    swap = Problem.from_matrices("9/10", Phi=[[-3], [1]], P_pi=[[0, 1], [1, 0]], d_mu=["1/10", "9/10"])
    flip = next(f for f in nearest_flips(swap) if f.kind == "distribution")
    assert flip.place == (1, 0)
    assert flip.crossing == pytest.approx(9 / 80)
    assert flip.problem.exact.d_mu.tolist() == [Fraction(1, 10) + flip.outside, Fraction(9, 10) - flip.outside]


def test_on_the_boundary_a_problem_flips_at_once():
    """Twostate at its own threshold, 5/6, where A = 0."""
    flips = nearest_flips(catalogue_problem("twostate:gamma=5/6"))
    at_once = [f for f in flips if f.kind == "gamma" and f.size == 0]
    assert {(f.boundary, f.becomes) for f in at_once} == {("td", "stable"), ("chain", "unbiased")}
    assert all(f.outside < Fraction(5, 6) for f in at_once)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_tie_flips_both_ways_in_every_entry_whatever_the_order_of_states(order):
    """ρ = 3/5·|ab|/(9a²/10 + b²/10) is largest, 1, at b = −3a: any change of a or of b alone makes it smaller."""
    Phi, d = [[1], [-3]], ["9/10", "1/10"]
    tie = Problem.from_matrices("3/5", Phi=[Phi[s] for s in order], P_pi=[[0, 1], [1, 0]], d_mu=[d[s] for s in order])
    flips = nearest_flips(tie)
    found = {(order[f.place[0]], f.outside > f.start) for f in flips if f.kind == "feature"}
    assert found == {(0, False), (0, True), (1, False), (1, True)}
    assert all((f.size, f.becomes, f.boundary) == (0, "unbiased", "chain") for f in flips)
    assert all(f.after.certificate.recheck() for f in flips)


def test_what_is_left_off_and_what_sizes_mean_is_said():
    problem = catalogue_problem("finite-window")
    flips = nearest_flips(problem)
    assert len(flips) > 8
    lines = flips.page().text(500).splitlines()
    assert "The three nearest of each kind" in lines[-1]
    assert "over the largest |Φ|" in lines[-1]
    assert lines[-2] == f"… {len(flips) - 8} more of these; --json prints them"
    for kind in ("feature", "distribution"):
        for boundary in ("td", "chain"):
            assert sum((f.kind, f.boundary) == (kind, boundary) for f in flips) <= 3


def test_the_screen_shows_every_kind_where_many_flip_at_once():
    problem = catalogue_problem("baird:gamma=15/17")
    flips = nearest_flips(problem)
    lines = flips.page().text(500).splitlines()[2:-2]
    assert len(flips) > len(lines) == 8
    assert all(any(mark in line for line in lines) for mark in ("γ = ", "Φ[", "mass "))


def test_dependent_features_flip_at_once():
    """Two copies of (1, 3) are biased; any change of one makes Φ invertible, so Π = I and ρ = γ."""
    twins = Problem.from_matrices("9/10", Phi=[[1, 1], [3, 3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    first = nearest_flips(twins)[0]
    assert (first.kind, first.boundary, first.becomes, first.size) == ("feature", "chain", "unbiased", 0)
    assert first.after.certificate.recheck()


def test_safe_problems_have_no_flips():
    one = Problem.from_matrices("9/10", Phi=[[1]], P_pi=[[1]], d_mu=[1])
    nothing = Problem.from_matrices("9/10", Phi=[[0], [0]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"])
    assert nearest_flips(one) == []
    assert [f for f in nearest_flips(nothing) if f.kind == "gamma"] == []


def test_problems_in_floats_are_flipped_in_floats():
    big = Problem.from_matrices(0.9, Phi=[[1e300], [-3e300]], P_pi=[[0, 1], [1, 0]], d_mu=[0.9, 0.1])
    flips = nearest_flips(big)
    assert all(isinstance(f.outside, float) for f in flips)
    features = [f.crossing / 1e300 for f in flips if f.kind == "feature" and f.place == (1, 0)]
    assert min(features) == pytest.approx(-(9 - sqrt(45)) / 2, rel=1e-9)


def test_sensitivities_are_derivatives_of_the_deciding_eigenvalues():
    """TD's and the chain's moduli are added by `sensitivities`; a problem whose chain is flat in Φ isolates TD's."""
    rng = np.random.default_rng(3)
    P = rng.random((3, 3))
    problem = Problem.from_matrices(
        0.9, Phi=rng.normal(size=(3, 3)), P_pi=P / P.sum(axis=1, keepdims=True), d_mu=[0.5, 0.3, 0.2]
    )
    by_feature, _ = sensitivities(problem)  # Φ is invertible: B is similar to γP, which Φ does not move
    h = 1e-6
    for s, f in np.ndindex(3, 3):
        values = []
        for sign in (-1, 1):
            Phi = problem.Phi.copy()
            Phi[s, f] += sign * h
            spectrum = td_spectrum(problem.with_features(Phi))
            values.append(spectrum[spectrum.real.argmin()])
        slope = abs(values[1] - values[0]) / (2 * h)
        # Central differences err by h² times the third derivative, and by rounding over h: both below 1e−6 here.
        assert by_feature[s, f] == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_scope_and_lines_say_what_was_looked_at():
    problem = catalogue_problem("quadrant-stable-biased")
    text = nearest_flips(problem).page().text(500).splitlines()
    looked = "γ, every feature entry, and mass between every pair of states"
    assert text[0] == f"Nearest flips, of {looked} (nothing is nearer on these lines):"
    assert any("γ = 9/10 → 3/5" in line and "the chain becomes unbiased" in line for line in text)
    assert "none: no such change crosses a boundary" in str(Flips(problem, []))


def test_large_problems_are_looked_at_in_part_and_said_so():
    rng = np.random.default_rng(0)
    P = rng.random((60, 60))
    problem = Problem.from_matrices(
        0.9, Phi=rng.normal(size=(60, 12)), P_pi=P / P.sum(axis=1, keepdims=True), d_mu=np.full(60, 1 / 60)
    )
    assert "of 720 feature entries" in scope(problem)
    assert "of 1770 pairs of states" in scope(problem)
    assert "nothing is nearer on these lines" in scope(problem)


def test_flips_are_plain_data_for_json():
    from theory.certified.answers import Certificate

    document = nearest_flips(catalogue_problem("quadrant-stable-biased"))[0].to_dict()
    assert document["becomes"] == "unbiased"
    assert all(Certificate.from_dict(c).recheck() for c in document["certificate"].values())


@pytest.mark.parametrize(
    ("Phi", "P", "d", "gamma", "place", "boundary", "size"),
    [
        # Two crossings between neighbouring points of a grid: Φ[0, 0] from 3 to −6/5, not to −6.
        ([[3], [-3]], [[0, 1], [0, 1]], ["1/3", "2/3"], "9/10", (0, 0), "td", 1.4),
        ([[-1], [-5]], [[1, 0], ["1/3", "2/3"]], ["5/6", "1/6"], "99/100", (1, 0), "td", 0.84345956),
        ([[-1], [-5]], [[1, 0], ["1/3", "2/3"]], ["5/6", "1/6"], "99/100", (1, 0), "chain", 0.84345956),
    ],
)
def test_crossings_that_a_grid_misses_are_found(Phi, P, d, gamma, place, boundary, size):
    flips = nearest_flips(Problem.from_matrices(gamma, Phi=Phi, P_pi=P, d_mu=d))
    found = [f.size for f in flips if (f.kind, f.place, f.boundary) == ("feature", place, boundary)]
    assert min(found) == pytest.approx(size, rel=1e-7)


@pytest.mark.parametrize("number", [Fraction, float])
def test_a_flip_that_would_take_all_visits_is_no_error(number):
    """X − γY = d₀(1 − 3γ) + 9d₁(1 − γ): unstable at γ = 0.9999 until d₀ is nearly 0; the line ends where it is 0."""
    half = number(1) / 2
    problem = Problem.from_matrices(
        number(9999) / 10000, Phi=[[number(1)], [number(3)]], P_pi=[[0, 1], [0, 1]], d_mu=[half, half]
    )
    moved = [f for f in nearest_flips(problem) if f.kind == "distribution"]
    assert moved
    assert all(0 < f.outside < half for f in moved)


def line_sides(problem, line, ts):
    """By the two sides' formulas in NumPy, for problems of one feature: A, and 1 − |B|."""
    out = []
    for t in ts:
        there = line.at(line.start + t)
        x = there.Phi[:, 0]
        X, Y = float(x @ (there.d_mu * x)), float(x @ (there.d_mu * (there.P_pi @ x)))
        out.append((X - there.gamma * Y, X - there.gamma * abs(Y)))
    return np.array(out)


def test_no_grid_finds_a_nearer_crossing_than_the_polynomials():
    rng = np.random.default_rng(11)
    for _ in range(8):
        counts = rng.integers(0, 4, size=(2, 2)) + np.eye(2, dtype=int)
        P = [[Fraction(int(x), int(row.sum())) for x in row] for row in counts]
        scale = Fraction(10) ** int(rng.integers(-40, 41))
        Phi = [[int(x) * scale] for x in rng.integers(1, 6, size=2) * rng.choice([-1, 1], size=2)]
        n = int(rng.integers(1, 12))
        problem = Problem.from_matrices("99/100", Phi=Phi, P_pi=P, d_mu=[Fraction(n, 12), Fraction(12 - n, 12)])
        here = {"td": td_stable(problem), "chain": chain_unbiased(problem)}
        lines = feature_lines(problem) + mass_lines(problem)
        exact = crossings(problem, lines, {k: v.proved for k, v in here.items()})
        for line in lines:
            for way, end in ((-1, line.low), (1, line.high)):
                ts = [Fraction(end) * k / 50 for k in range(1, 50)]
                sides = line_sides(problem, line, ts)
                for b, boundary in enumerate(("td", "chain")):
                    first = [abs(c.t) for c in exact if (c.line, c.boundary, c.way) == (line, boundary, way)]
                    size = np.abs(sides[:, b]).max()
                    wrong = (sides[:, b] > 1e-9 * size) if here[boundary].refuted else (sides[:, b] < -1e-9 * size)
                    seen = [abs(float(t)) for t, other in zip(ts, wrong, strict=True) if other]
                    assert not seen or (first and first[0] <= seen[0])


def test_in_doubles_the_heading_claims_only_what_doubles_can_cross():
    """A crossing between two neighbouring doubles, which no change of doubles steps over, is not listed."""
    numbers = {"Phi": [[1.0], [-3.0]], "P_pi": [[0.0, 1.0], [1.0, 0.0]], "d_mu": [0.9, 0.1]}
    assert "(nothing is nearer on these lines, of what a change of doubles crosses)" in scope(
        Problem.from_matrices(0.9, **numbers)
    )
