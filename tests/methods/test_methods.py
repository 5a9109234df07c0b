"""Every method's matrices: exact against floats, against what other rooms compute, and its rest point."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_poly
from hypothesis import given, settings

from tests.cases import CASES
from tests.mean_updates import emphatic_mean, gradient_mean
from tests.strategies import exact_problems
from theory.certified.verdicts import chain_unbiased, td_stable, window_stable
from theory.exact.matrices import is_zero, stacked
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle
from theory.methods.family import find_method, methods
from theory.model.balls import nearest
from theory.model.linear_model import NotApplicable, exact_model, float_model
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue, catalogue_problem

NAMED = [catalogue_problem(name) for name in catalogue()]
SMALL = [p for p in (*NAMED, *(case.problem for case in CASES)) if p.n_states <= 12]
each_problem = pytest.mark.parametrize("problem", SMALL, ids=lambda p: p.name)
ALPHA = Fraction(1, 16)


def every_method(model) -> list:
    """Each that applies with its defaults, target networks with a step size and a short window."""
    given = {"alpha": ALPHA, "window": 5}
    made = [m(**{k: v for k, v in given.items() if k in m.parameters()}) for m in methods().values()]
    return [m for m in made if applies(m, model)]


def applies(method, model) -> bool:
    """Does the problem have what its formula asks for?"""
    try:
        method.expected(model)
    except NotApplicable:
        return False
    except (ZeroDivisionError, np.linalg.LinAlgError):
        pass
    return True


def converges(method, problem) -> bool:
    """By an exact count of roots of the characteristic polynomial of the exact matrix."""
    kind, M, _ = method.expected(exact_model(problem))
    p = characteristic_polynomial(M) if M.nrows() else None
    if p is None:
        return True
    if kind == "direct":
        return p(0) != 0
    return unit_circle(p)[1:] == (0, 0) if kind == "iteration" else half_planes(p)[:2] == (0, 0)


def assert_same_spectrum(M, N):
    """By power sums of eigenvalues, which stay accurate where eigenvalues are defective and are not."""
    assert M.shape == N.shape
    scale = max(1.0, np.abs(M).max(initial=0.0), np.abs(N).max(initial=0.0)) * max(1, len(M))
    left, right = M / scale, N / scale
    for _ in range(len(M)):
        assert abs(np.trace(left) - np.trace(right)) < 1e-9
        left, right = left @ M / scale, right @ N / scale


def test_every_row_of_the_field_is_there_under_the_names_that_people_use():
    names = """off-policy-td chain target-network soft-target damped-chain whitened-td n-step-td n-step-chain td-lambda
    lstd etd gtd2 tdc tdrc residual-gradient ridge-td ridge-chain fixed-horizon gtd gtd2-mp gtd2-lambda tdc-lambda
    tdrc-lambda htd etd-beta ridge-etd ridge-target-network ridge-soft-target tree-backup v-trace abtd
    naive-residual-gradient"""
    assert set(methods()) >= set(names.split())
    words = {"fqi": "chain", "fqe": "chain", "pfqi": "target-network", "polyak": "soft-target", "lspe": "whitened-td"}
    assert {alias: find_method(alias).name for alias in words} == words
    aliases = [word for m in methods().values() for word in (m.name, *m.aliases)]
    assert len(aliases) == len(set(aliases))


@each_problem
def test_exact_and_float_matrices_have_one_spectrum(problem):
    """They are written in different coordinates, so the spectrum is what must agree."""
    exact, floats = exact_model(problem), float_model(problem)
    for method in every_method(exact):
        a, b = method.expected(exact), method.expected(floats)
        assert a.kind == b.kind
        assert_same_spectrum(nearest(a.matrix).mid, b.matrix)


@each_problem
def test_a_method_rests_where_its_system_says(problem):
    """Exactly: the system's solution, with whatever second vector belongs to it, is left in place."""
    model = exact_model(problem)
    for method in every_method(model):
        kind, M, v = method.expected(model)
        z = _lifted(method, model)
        if z is not None:
            moved = M * z + v - z if kind == "iteration" else v - M * z
            assert is_zero(moved), method.name


def _lifted(method, model):
    """θ of the system, beside it θ̄ = θ of a soft target and w = 0 of a gradient method; None where M is singular."""
    M, v = method.system(model)
    try:
        theta = model.solve(M, v)
    except ZeroDivisionError:
        return None
    return stacked(theta, method.second(theta)) if method.expected(model).matrix.nrows() > model.rank else theta


@each_problem
def test_verdicts_on_the_matrix_are_those_on_the_problem(problem):
    assert_verdicts_agree(problem)


@settings(max_examples=30, deadline=None)
@given(problem=exact_problems())
def test_verdicts_agree_on_random_problems(problem):
    assert_verdicts_agree(problem)


def assert_verdicts_agree(problem):
    assert converges(find_method("off-policy-td"), problem) == td_stable(problem).proved
    assert converges(find_method("chain"), problem) == chain_unbiased(problem).proved
    network = find_method("target-network:alpha=1/16:window=5")
    assert converges(network, problem) == window_stable(problem, 5, ALPHA).proved


@each_problem
def test_gradient_and_emphatic_spectra_are_the_textbooks(problem):
    """On dependent features, too, with the F×F matrices restricted to the row space of Φ."""
    floats = float_model(problem)
    V = floats.parameters(np.eye(floats.rank))
    both = np.kron(np.eye(2), V)
    for text in ("gtd2:ratio=2", "tdc:ratio=2", "tdrc:ratio=2:kappa=1/2"):
        stated, _ = gradient_mean(problem, text.split(":")[0], 2.0, 0.5)
        assert_same_spectrum(both.T @ stated @ both, find_method(text).expected(floats).matrix)
    if problem.d_mu.all():
        assert_same_spectrum(V.T @ emphatic_mean(problem)[0] @ V, find_method("etd").expected(floats).matrix)


def test_limits_of_a_parameter_are_other_methods():
    """τ = 1, T = 1, n = 1, λ = 0 and η = 0 change nothing, exactly."""
    model = exact_model(catalogue_problem("threestate"))

    def matrix_of(text):
        return find_method(text).expected(model).matrix

    pairs = {
        "damped-chain:1": "chain",
        "ridge-chain:0": "chain",
        "n-step-chain:1": "chain",
        "ridge-td:0": "off-policy-td",
        "n-step-td:1": "off-policy-td",
        "td-lambda:0": "off-policy-td",
        "tdrc:kappa=0": "tdc",
        "tdc-lambda:lambda=0": "tdc",
        "tdrc-lambda:lambda=0": "tdrc",
        "gtd2-lambda:lambda=0": "gtd2",
        "etd-beta:0": "off-policy-td",
        "etd-beta:9/10": "etd",
        "ridge-etd:0": "etd",
        "tree-backup:0": "off-policy-td",
        "abtd:0": "off-policy-td",
        "ridge-soft-target:alpha=1/16:eta=0": "soft-target:alpha=1/16",
        "ridge-target-network:alpha=1/16:window=5:eta=0": "target-network:alpha=1/16:window=5",
    }
    for special, plain in pairs.items():
        assert matrix_of(special) == matrix_of(plain)
    td = model.eye() - model.number(ALPHA) * model.A
    assert matrix_of("target-network:alpha=1/16:window=1") == td
    soft, plain = (characteristic_polynomial(M) for M in (matrix_of("soft:alpha=1/16:tau=1"), td))
    assert soft == plain * fmpq_poly([0, 1]) ** td.nrows()  # the target is θ itself: as many zeros as features


def test_no_features_leave_nothing_to_learn():
    empty = Problem.from_matrices("1/2", Phi=[[0], [0]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"])
    for model in (exact_model(empty), float_model(empty)):
        for method in every_method(model):
            M = method.expected(model).matrix
            assert (M.nrows() if model.exact else len(M)) == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("td-lambda:1.5", r"td-lambda.lambda: must be in \[0, 1\], got 3/2"),
        ("soft-target:0", r"soft-target.tau: must be in \(0, 1\], got 0"),
        ("ridge-td:-1", "ridge-td.eta: must be 0 or more, got -1"),
        ("tdc:0", "tdc.ratio: must be positive, got 0"),
        ("target-network:0", "target-network.window: must be a whole number of 1 or more"),
        ("n-step-td:1/2", "n-step-td.n: must be a whole number"),
        ("soft-target:alpha=1e400", "soft-target.alpha: is beyond double precision, or below it"),
        ("ridge-td:1e-400", "ridge-td.eta: is beyond double precision, or below it"),
        ("soft-target:alpha=0", "soft-target.alpha: must be positive"),
        ("chain:1", "chain has no parameter '1'; it has none"),
        ("n-step:2:3", "'n-step:2:3' gives n twice"),
        ("n-step:2:n=3", "'n-step:2:n=3' gives n twice"),
        ("tdc:eta=1", "tdc has no parameter 'eta'; it has ratio"),
        ("etd:x", "etd.lambda: 'x' is not a number"),
        ("off-policy", "'off-policy' is unknown; did you mean 'off-policy-td'"),
        ("", "'' is unknown; there are off-policy-td"),
    ],
)
def test_bad_parameters_get_one_line(text, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        find_method(text)
