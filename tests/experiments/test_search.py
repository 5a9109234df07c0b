"""The search: what it finds is re-checked here in plain fractions, by conditions for two features at most."""

import itertools
import json
from fractions import Fraction
from functools import partial

import pytest

from tests import command_line
from tests.exact.examples import concerns
from theory.experiments.search import Wanted, impossible, prove, search_problem, smallest_problem
from theory.experiments.search.lattice import Draft, pad, tidy
from theory.problems import InvalidProblem
from theory.problems.files import parse_problem, read_problem

ROUNDS = 2


def product(A, B):
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*B, strict=True)] for row in A]


def minus(A, B):
    return [[a - b for a, b in zip(r, s, strict=True)] for r, s in zip(A, B, strict=True)]


def scaled(c, A):
    return [[c * a for a in row] for row in A]


def identity(n):
    return [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]


def det_and_trace(M):
    return M[0][0] * M[1][1] - M[0][1] * M[1][0], M[0][0] + M[1][1]


def all_right(M):
    """Hurwitz: every eigenvalue of a 1×1 or 2×2 matrix has positive real part."""
    if len(M) == 1:
        return M[0][0] > 0
    det, trace = det_and_trace(M)
    return det > 0 and trace > 0


def all_inside(M):
    """Jury: every eigenvalue of a 1×1 or 2×2 matrix has modulus below one."""
    if len(M) == 1:
        return abs(M[0][0]) < 1
    det, trace = det_and_trace(M)
    return abs(det) < 1 and abs(trace) < 1 + det


def inverse(M):
    if len(M) == 1:
        return [[1 / M[0][0]]]
    det, _ = det_and_trace(M)
    return [[M[1][1] / det, -M[0][1] / det], [-M[1][0] / det, M[0][0] / det]]


def moments(problem):
    Phi, P, d = (getattr(problem.exact, name).tolist() for name in ("Phi", "P_pi", "d_mu"))
    assert sum(d) == 1
    assert all(sum(row) == 1 and min(row) >= 0 for row in P)
    assert min(d) > 0
    PhiD = [[x * w for x, w in zip(column, d, strict=True)] for column in zip(*Phi, strict=True)]
    X, Y = product(PhiD, Phi), product(PhiD, product(P, Phi))
    return X, Y, minus(X, scaled(problem.exact.gamma, Y))


def sides(problem):
    """TD stable?, chain unbiased?; X must be invertible, so the features are independent."""
    X, Y, A = moments(problem)
    return all_right(A), all_inside(product(inverse(X), scaled(problem.exact.gamma, Y)))


QUADRANTS = [
    (("stable", "unbiased"), 2, 1),
    (("stable", "biased"), 2, 1),
    (("unstable", "biased"), 2, 1),
    (("unstable", "unbiased"), 2, 2),
    (("stable", "biased"), 3, 2),
    (("unstable", "biased"), 3, 2),
    (("unstable", "unbiased"), 4, 2),
]


@pytest.mark.parametrize(("quadrant", "states", "features"), QUADRANTS)
def test_every_quadrant_is_found_and_holds_in_plain_fractions(quadrant, states, features):
    result = search_problem(Wanted(*quadrant), states, features, rounds=ROUNDS)
    assert (result.problem.n_states, result.problem.n_features) == (states, features)
    assert sides(result.problem) == (quadrant[0] == "stable", quadrant[1] == "unbiased")
    assert concerns(result.proof.td.certificate, result.problem)
    assert concerns(result.proof.chain.certificate, result.problem)


def test_what_is_found_is_short():
    """A person should be able to read it: the swap of the catalogue, found by hand, has denominator 10 and entry 3."""
    problem = search_problem(Wanted("stable", "biased"), 2, 1).problem
    assert max(x.denominator for x in problem.exact.d_mu) <= 10
    assert max(abs(x) for x in problem.exact.Phi.ravel()) <= 3
    assert set(problem.exact.P_pi.ravel()) <= {0, 1}


def test_a_middle_range_of_windows_is_found_and_holds_in_plain_fractions():
    result = search_problem(Wanted(windows=True), 3, 2, rounds=1)
    assert sides(result.problem) == (False, False)
    X, _, A = moments(result.problem)
    middle, one = result.proof.middle, identity(2)
    shrinks = minus(one, scaled(middle.step_size, X))
    assert all_inside(shrinks)  # the step size is one that every head bears, so T = ∞ is the chain
    low, high = middle.stable
    power, total, stable = one, scaled(0, one), set()
    for T in range(1, high + 2):
        total = minus(total, scaled(-middle.step_size, power))
        power = product(power, shrinks)
        if all_inside(minus(one, product(total, A))):
            stable.add(T)
    assert stable == set(range(low, high + 1))
    assert low <= middle.window <= high


@pytest.mark.parametrize(
    ("wanted", "states", "features", "why"),
    [
        (Wanted("unstable", "unbiased"), 5, 1, "A = X(1 − B)"),
        (Wanted("unstable"), 1, 1, "one state"),
        (Wanted(chain="biased"), 1, 3, "one state"),
        (Wanted("stable", "biased"), 3, 3, "Π = I"),
        (Wanted("unstable", "biased"), 2, 5, "at most 1"),
        (Wanted("unstable", gamma=Fraction(0)), 3, 2, "γ = 0"),
        (Wanted(windows=True), 4, 1, "G_T"),
        (Wanted(windows=True), 2, 2, "Π = I"),
        (Wanted(largest_rho=True, max_denominator=3), 4, 1, "denominator"),
    ],
)
def test_impossible_wishes_are_answered_at_once_with_the_reason(wanted, states, features, why):
    result = search_problem(wanted, states, features)
    assert result.problem is None
    assert result.rounds == 0
    assert why in result.impossible


def small_drafts(features):
    """All problems of two states with features −2..2, deterministic targets and d in quarters, at γ = 99/100."""
    rows = list(itertools.product([(1, 0), (0, 1)], repeat=2))
    entries = list(itertools.product(range(-2, 3), repeat=features))
    for first, second, P, w in itertools.product(entries, entries, rows, (1, 2, 3)):
        yield Draft((first, second), P, (w, 4 - w), Fraction(99, 100))


def test_no_small_problem_contradicts_what_is_called_impossible():
    for features, forbidden in ((1, {(False, True)}), (2, {(True, False), (False, False)})):
        seen = set()
        for draft in small_drafts(features):
            Phi = draft.Phi
            independent = any(map(any, Phi)) if features == 1 else Phi[0][0] * Phi[1][1] != Phi[0][1] * Phi[1][0]
            if independent:
                seen.add(sides(draft.problem("small")))
        assert not seen & forbidden
        assert len(seen) == 4 - len(forbidden)  # and everything else does occur


def test_the_largest_rho_is_that_of_all_problems_within_the_limits():
    """S = 2, F = 1, denominators to 4, features to 3: every problem is tried."""
    gamma, best = Fraction(9, 10), 0
    shares = [Fraction(a, q) for q in range(1, 5) for a in range(q + 1)]
    for x, y in itertools.product(range(-3, 4), repeat=2):
        for p, q, d in itertools.product(set(shares), set(shares), set(shares) - {0, 1}):
            X = d * x * x + (1 - d) * y * y
            if X:
                Y = d * x * (p * x + (1 - p) * y) + (1 - d) * y * (q * x + (1 - q) * y)
                best = max(best, abs(gamma * Y / X))
    wanted = Wanted(gamma=gamma, largest_rho=True, max_denominator=4, max_entry=3)
    result = search_problem(wanted, 2, 1, rounds=ROUNDS)
    # ρ is rational here, and floats carry it to a few units in the last place.
    assert result.rho == pytest.approx(float(best), rel=1e-12)


def test_the_same_seed_finds_the_same_problem_whatever_the_time_limit():
    wanted = Wanted("unstable", "unbiased", gamma=Fraction(9, 10))
    calls = []
    runs = [
        search_problem(wanted, 3, 2, 7, rounds=ROUNDS),
        search_problem(wanted, 3, 2, 7, rounds=ROUNDS, time_limit=3600, progress=lambda *a: calls.append(a)),
    ]
    assert runs[0].problem == runs[1].problem
    assert [call[2:4] for call in calls] == [(1, ROUNDS), (2, ROUNDS)]
    assert runs[0].problem.exact.gamma == Fraction(9, 10)


def test_not_found_says_what_was_tried():
    """γ = 10⁻⁹ needs a state of probability below 10⁻¹⁸, rarer than the search goes."""
    result = search_problem(Wanted("unstable", gamma=Fraction(1, 10**9)), 2, 1, rounds=1)
    assert (result.problem, result.impossible, result.rounds) == (None, None, 1)
    assert "1 round of differential evolution with 2 states and 1 feature, best margin" in result.tried


def test_the_time_limit_stops_and_is_confessed():
    result = search_problem(Wanted("unstable", gamma=Fraction(1, 10**9)), 4, 2, rounds=50, time_limit=0.05)
    assert result.stopped
    assert result.rounds < 50
    assert "stopped by the time limit" in result.tried


def test_the_fewest_states_and_features_are_found_and_proved_fewest():
    result, before = smallest_problem(Wanted("unstable", "unbiased"), (1, 4), (1, 3), rounds=1)
    assert (result.states, result.features) == (2, 2)
    assert [(r.states, r.features) for r in before] == [(1, 1), (1, 2), (2, 1), (1, 3)]
    assert all(r.impossible for r in before)


def test_padding_keeps_every_verdict_and_reaches_large_sizes():
    core = Draft(((1,), (-3,)), ((0, 1), (1, 0)), (9, 1), Fraction(9, 10))
    padded = pad(core, 9, 5)
    problem = padded.problem("padded")
    assert (problem.n_states, problem.n_features) == (9, 5)
    assert prove(problem, Wanted("stable", "biased")) is not None
    found = search_problem(Wanted("unstable", "unbiased"), 12, 9, rounds=1)
    assert (found.problem.n_states, found.problem.n_features) == (12, 9)
    assert found.proof.td.certificate.recheck()


def test_tidying_changes_no_verdict():
    draft = Draft(((-2, 4), (6, 0), (0, 2)), ((2, 0, 2), (0, 3, 0), (4, 0, 0)), (2, 4, 6), Fraction(9, 10))
    short = tidy(draft)
    assert short.Phi == ((1, 2), (-3, 0), (0, 1))
    assert (short.rows[1], short.weights) == ((0, 1, 0), (1, 2, 3))
    assert sides(short.problem("short")) == sides(draft.problem("long"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"td": "good"}, "td: must be stable or unstable, got 'good'"),
        ({}, "nothing is wanted"),
        ({"windows": True, "chain": "unbiased"}, "windows: a middle range"),
        ({"td": "stable", "gamma": Fraction(1)}, r"gamma: the discount must lie in \[0, 1\)"),
        ({"largest_rho": True, "max_entry": 0}, "max_entry: must be 1 or more"),
    ],
)
def test_bad_wishes_get_one_line(arguments, said):
    with pytest.raises(InvalidProblem, match=said):
        Wanted(**arguments)


@pytest.mark.parametrize(("states", "features"), [(0, 1), (2, 0), (21, 1), (2, True)])
def test_bad_sizes_get_one_line(states, features):
    with pytest.raises(InvalidProblem, match="the search takes 1 to 20"):
        search_problem(Wanted("stable"), states, features)


def test_impossible_needs_no_search_to_ask():
    assert impossible(Wanted("unstable", "unbiased"), 3, 2) is None


# The command


@pytest.fixture
def run(capsys):
    return partial(command_line.run, capsys, "search")


def test_json_is_the_problem_with_its_certificates(run, tmp_path):
    from theory.certified.answers import Certificate

    path = tmp_path / "found.json"
    code, out, err = run("--td", "unstable", "--chain", "unbiased", "--states", "2", "--features", "2",
                         "--rounds", "1", "--json", "-o", str(path))  # fmt: skip
    document = json.loads(out)
    assert (code, err) == (0, "")
    certificates = document.pop("certificate")
    assert document.pop("search")["found"]
    problem = parse_problem(json.dumps(document))
    assert read_problem(path) == problem
    assert sides(problem) == (False, True)
    for name, holds in (("td", False), ("chain", True)):
        certificate = Certificate.from_dict(certificates[name])
        assert certificate.document["holds"] == holds
        assert concerns(certificate, problem)
        assert certificate.recheck()


def test_the_screen_shows_matrices_and_verdicts(run):
    code, out, err = run("--td", "stable", "--chain", "biased", "--rounds", "1")
    assert (code, err) == (0, "")
    assert all(word in out for word in ("Φ", "P_π", "d_μ", "stable", "biased", "1 state, 1 feature: impossible"))


def test_impossible_exits_with_one_and_the_reason(run):
    code, out, _ = run("--td", "unstable", "--chain", "unbiased", "--states", "3", "--features", "1", "--json")
    document = json.loads(out)
    assert (code, document["found"], document["impossible"]) == (1, False, True)
    assert "A = X(1 − B)" in document["reason"]


def test_not_found_exits_with_one(run):
    code, out, _ = run("--td", "unstable", "--gamma", "1e-9", "--states", "2", "--features", "1", "--rounds", "1")
    assert code == 1
    assert out.startswith("not found in 1 round")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing is wanted: "),
        (("--largest-rho", "--max-entry", "0"), "--max-entry"),
        (("--td", "good"), "--td"),
        (("--td", "stable", "--states", "0"), "states"),
        (("--td", "stable", "--states", "99", "--features", "1"), "states"),
        (("--td", "stable", "--gamma", "1"), "[0, 1)"),
        (("--td", "stable", "--gamma", "x"), "not a number"),
        (("--td", "stable", "--time", "0"), "--time"),
        (("--td", "stable", "--rounds", "0"), "rounds"),
        (("--windows", "--td", "stable"), "windows"),
        (("--td", "stable", "--rounds", "1", "-o", "no/such/directory/x.json"), "no/such/directory"),
    ],
)
def test_bad_arguments_get_one_line(run, arguments, said):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("theory: error: ")
    assert err.count("\n") == 1
    assert said in err
