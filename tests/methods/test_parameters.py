"""Values of parameters at which methods converge, confirmed by simulating expected updates on both sides of every end.

The updates are written here a second time, in plain NumPy over all F features, and are run from unit vectors for 2⁴⁶
steps by squaring; what is looked at are values Φθ.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.methods.test_methods import applies
from theory.certified.answers import Answer
from theory.exact.matrices import matrix, rational
from theory.experiments.comparison import compare
from theory.experiments.inspection import default_step_size
from theory.methods.family import find_method, methods
from theory.methods.method import with_value
from theory.methods.outcome import outcome
from theory.methods.parameters import GAMMA, affine_parts, covered, stable_parameters
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.problems.catalogue import catalogue, catalogue_problem
from theory.problems.sampling import enumerate_transitions
from theory.thresholds.discounts import chain_threshold, td_stable_intervals
from theory.thresholds.inequalities import negative_directions
from theory.thresholds.results import CoveredSet, StableSet, WholeSet

SMALL = [name for name in catalogue() if catalogue_problem(name).n_states <= 14 and name != "random"]
STEPS = 46  # squarings
TWO = {
    "gtd2",
    "gtd2-mp",
    "tdc",
    "tdc-lambda",
    "tdrc",
    "tdrc-lambda",
    "htd",
    "soft-target",
    "ridge-soft-target",
}  # with a second vector
REGULAR = {
    "lstd",
    "gtd",
    "gtd2-lambda",
}  # decided by det A(λ) ≠ 0 alone; near it 2⁴⁶ updates of gradient methods are few


class Plain:
    """A problem in doubles, by the definitions."""

    def __init__(self, problem: Problem, gamma: float) -> None:
        self.gamma, self.Phi, self.P, self.d = gamma, problem.Phi, problem.P_pi, problem.d_mu
        self.D, self.S = np.diag(self.d), len(self.d)
        self.X, self.Y = self.Phi.T @ self.D @ self.Phi, self.Phi.T @ self.D @ self.P @ self.Phi
        self.A = self.X - gamma * self.Y
        self.problem = problem

    def moves(self, weight):
        """Σ_a weight(π, μ)P_a, and Σ_a weight, action by action."""
        mdp, pi, mu = self.problem.mdp, np.asarray(self.problem.pi, float), np.asarray(self.problem.mu, float)
        P = np.asarray(mdp.P, float) * (1.0 if mdp.discount is None else np.asarray(mdp.discount, float))
        chain, total = np.zeros((self.S, self.S)), np.zeros(self.S)
        for s in range(self.S):
            for a in range(pi.shape[1]):
                chain[s] += weight(pi[s, a], mu[s, a]) * P[s, a]
                total[s] += weight(pi[s, a], mu[s, a])
        return chain, total

    def cut(self, fading, error=lambda pi, mu: pi):
        T, (W, k) = self.moves(fading)[0], self.moves(error)
        inner = np.linalg.solve(np.eye(self.S) - self.gamma * T, np.diag(k) @ self.Phi - self.gamma * W @ self.Phi)
        return self.Phi.T @ self.D @ inner

    def nu(self, zeta):
        larger = np.maximum(np.asarray(self.problem.pi, float), np.asarray(self.problem.mu, float))
        low, top = 1 / larger.max(), 1 / larger[larger > 0].min()
        psi = 2 * zeta * low + max(0.0, 2 * zeta - 1) * (top - 2 * low)
        return lambda pi, mu: min(psi, 1 / max(pi, mu)) * pi * mu if max(pi, mu) > 0 else 0.0

    def trace(self, lam: float, weights: np.ndarray) -> np.ndarray:
        one = np.eye(self.S)
        inner = np.linalg.solve(one - self.gamma * lam * self.P, (one - self.gamma * self.P) @ self.Phi)
        return self.Phi.T @ np.diag(weights) @ inner


def expected_update(p: Plain, name: str, z: np.ndarray, v: dict[str, float], small: float) -> np.ndarray:
    """One expected update without rewards; z holds θ, or θ and a second vector; `small` is the step size of means."""
    F = len(p.X)
    theta, other = z[:F], z[F:]
    inverse = np.linalg.pinv(p.X)
    if name == "off-policy-td":
        return theta - small * p.A @ theta
    if name == "whitened-td":
        return theta - small * inverse @ p.A @ theta
    if name == "ridge-td":
        return theta - small * (p.A @ theta + v["eta"] * theta)
    if name == "chain":
        return inverse @ (p.gamma * p.Y @ theta)
    if name == "damped-chain":
        return (1 - v["tau"]) * theta + v["tau"] * inverse @ (p.gamma * p.Y @ theta)
    if name == "ridge-chain":
        return np.linalg.pinv(p.X + v["eta"] * np.eye(F)) @ (p.gamma * p.Y @ theta)
    if name == "etd":
        follow = np.linalg.solve(np.eye(p.S) - p.gamma * p.P.T, p.d)
        return theta - small * p.trace(v["lambda"], (1 - v["lambda"]) * follow + v["lambda"] * p.d) @ theta
    if name == "td-lambda":
        return theta - small * p.trace(v["lambda"], p.d) @ theta
    if name in ("etd-beta", "ridge-etd"):
        follow = np.linalg.solve(np.eye(p.S) - v.get("beta", p.gamma) * p.P.T, p.d)
        return theta - small * (p.trace(0, follow) @ theta + v.get("eta", 0.0) * theta)
    if name in ("tree-backup", "v-trace", "abtd"):
        A = {
            "tree-backup": lambda: p.cut(lambda pi, mu: v["lambda"] * pi * mu),
            "v-trace": lambda: p.cut(lambda pi, mu: v["lambda"] * min(pi, mu), min),
            "abtd": lambda: p.cut(p.nu(v["zeta"])),
        }[name]()
        return theta - small * A @ theta
    if name == "naive-residual-gradient":
        values, total = p.Phi @ theta, np.zeros(F)
        for s, _, t, probability, _, ratio, discount in enumerate_transitions(p.problem):
            ahead = p.gamma * float(discount) * p.Phi[t]
            weight = float(probability) * float(ratio)
            total += weight * (p.Phi[s] @ theta - ahead @ theta) * (p.Phi[s] - ahead)
        assert values.shape == (p.S,)
        return theta - small * total
    if name == "gtd2-mp":

        def pull(x, w):
            return np.concatenate([p.A.T @ w, -v["ratio"] * (p.A @ x + p.X @ w)])

        half = z + v["alpha"] * pull(theta, other)
        return z + v["alpha"] * pull(half[:F], half[F:])
    if name == "htd":
        A_mu = p.X - p.gamma * p.Phi.T @ p.D @ p.problem.P_mu @ p.Phi
        first = theta - small * (p.A @ theta + (A_mu - p.A).T @ other)
        return np.concatenate([first, other - small * v["ratio"] * (p.A @ theta + A_mu.T @ other)])
    if name in ("tdc-lambda", "tdrc-lambda"):
        A = p.trace(v["lambda"], p.d)
        first = theta - small * (A @ theta + (p.X - A).T @ other)
        shrunk = p.X @ other + v.get("kappa", 0.0) * other
        return np.concatenate([first, other - small * v["ratio"] * (A @ theta + shrunk)])
    if name == "gtd2":
        return np.concatenate([theta + small * p.A.T @ other, other - small * v["ratio"] * (p.A @ theta + p.X @ other)])
    if name in ("tdc", "tdrc"):
        pull = p.A @ theta + p.X @ other + v.get("kappa", 0.0) * other
        step = theta - small * (p.A @ theta + p.gamma * p.Y.T @ other)
        return np.concatenate([step, other - small * v["ratio"] * pull])
    if name == "residual-gradient":
        residual = p.Phi - p.gamma * p.P @ p.Phi
        return theta - small * residual.T @ p.D @ residual @ theta
    if name in ("n-step-td", "n-step-chain"):
        n = int(v["n"])
        Y = p.Phi.T @ p.D @ np.linalg.matrix_power(p.gamma * p.P, n) @ p.Phi
        return theta - small * (p.X - Y) @ theta if name == "n-step-td" else inverse @ Y @ theta
    eta = v.get("eta", 0.0)
    if name in ("target-network", "ridge-target-network"):
        own = theta
        for _ in range(int(v["window"])):
            own = own + v["alpha"] * (p.gamma * p.Y @ theta - p.X @ own - eta * own)
        return own
    if name not in ("soft-target", "ridge-soft-target"):
        raise NotImplementedError(name)
    new = theta + v["alpha"] * (p.gamma * p.Y @ other - p.X @ theta - eta * theta)
    return np.concatenate([new, (1 - v["tau"]) * other + v["tau"] * new])


def is_written(name: str) -> bool:
    """Is there a second way to make an update of this method, above?"""
    method = find_method(name, {"alpha": Fraction(1, 16)})
    settings = {k: float(x) for k, x in method.settings.items()}
    p = Plain(catalogue_problem("twostate"), 0.9)
    try:
        expected_update(p, name, np.zeros(2 * len(p.X) if name in TWO else len(p.X)), settings, 1e-5)
    except NotImplementedError:
        return False
    return True


WRITTEN = [name for name in methods() if is_written(name)]


@pytest.mark.parametrize("name", list(methods()))
def test_an_update_that_is_written_a_second_time_is_linear_and_moves(name):
    """Simulations of it are compared with every threshold, below."""
    method = find_method(name, {"alpha": Fraction(1, 16)})
    if name in REGULAR or method.unconditional_reason is not None:
        pytest.skip("decided without an iteration")
    if name not in WRITTEN:
        pytest.skip(f"expected_update has no formula of {name}: add one that uses no LinearModel")
    p, settings = Plain(catalogue_problem("threestate"), 0.9), {k: float(x) for k, x in method.settings.items()}
    n = len(p.X) * (2 if name in TWO else 1)
    z, w = np.arange(1.0, n + 1), np.cos(np.arange(n))
    update = [expected_update(p, name, x, settings, 1e-2) for x in (z, w, z - 3 * w)]
    assert np.allclose(update[2], update[0] - 3 * update[1])
    assert not np.allclose(update[0], z)


def shrinks(problem: Problem, name: str, gamma: float, values: dict[str, float]) -> bool:
    """After 2⁴⁶ updates from any start, are the values gone?"""
    p = Plain(problem, gamma)
    F = len(p.X)
    n = 2 * F if name in TWO else F
    size = 1 + np.abs(p.X).sum() + np.abs(p.Y).sum()
    small = 1e-5 / (size * (1 + max(values.values(), default=0.0)))
    one = np.eye(n)
    step = np.column_stack([expected_update(p, name, one[:, j], values, small) for j in range(n)])
    both = np.kron(np.eye(n // F), p.Phi)
    for _ in range(STEPS):
        step = step @ step
        if not np.isfinite(step).all() or np.abs(both @ step).max() > 1e50:
            return False
    return bool(np.abs(both @ step).max() < 1e-2 * np.abs(both).max())


def ends(found: StableSet) -> list[Fraction]:
    """All ends between 0 and infinity as doubles."""
    numbers = {float(x) for s in found.spans for x in (s.low, s.high) if x is not None and x > 0}
    return [Fraction(x) for x in sorted(numbers)]


@pytest.mark.parametrize("problem_name", list(catalogue()))
def test_simulations_agree_on_both_sides_of_every_threshold(problem_name):
    problem = catalogue_problem(problem_name)
    model, gamma = exact_model(problem), Fraction(problem.exact.gamma)
    tried = 0
    for name in methods():
        method = find_method(name, {"alpha": default_step_size(problem)})
        if method.unconditional_reason is not None or name not in {*WRITTEN, *REGULAR}:
            continue
        settings = {k: float(x) for k, x in method.settings.items()}
        if not applies(method, model):
            assert "not applicable" in outcome(method, problem, model).reason
            continue
        if name not in REGULAR:
            holds = outcome(method, problem, model).holds
            assert shrinks(problem, name, float(gamma), settings) == (holds is Answer.YES), name
        for parameter in (method.threshold_parameter, "gamma"):
            if parameter is None:
                continue
            found, _ = stable_parameters(method, parameter, problem, model)
            value = gamma if parameter == "gamma" else Fraction(method.settings[parameter])
            if found is None:
                continue
            if isinstance(found, WholeSet):
                points = [
                    n + k for r in found.ranges for n in r if n is not None for k in (-1, 0, 1) if 0 < n + k < 400
                ]
                assert found.holds_at(int(value)) == outcome(method, problem, model).holds
            elif isinstance(found, CoveredSet):  # proved stretches: a little within both ends of each
                points = [
                    x
                    for low, end, _ in found.stretches
                    for high in (1000 if end is None else end,)
                    for x in (low + (high - low) / 50, high - (high - low) / 50)
                    if x in found.domain and x < 100  # beyond it 2⁴⁶ updates are too few to see anything
                ]
                assert found.holds_at(value) in (outcome(method, problem, model).holds, Answer.UNDECIDED)
            else:
                assert isinstance(found, StableSet)
                top = {"gamma": 1, "lambda": 1, "tau": 1, "beta": 0.999}.get(parameter, 1000)
                points = [x * (1 + Fraction(k, 500)) for x in ends(found) for k in (-1, 1)]
                points = [x for x in points if x > 0 and (x < top or (x <= top and parameter != "gamma"))]
                assert found.holds_at(value) == outcome(method, problem, model).holds, (name, parameter)
            for point in points:
                at = float(gamma) if parameter != "gamma" else float(point)
                here = settings if parameter == "gamma" else settings | {parameter: float(point)}
                expected = found.holds_at(point) is Answer.YES
                if name in REGULAR:
                    p = Plain(problem, at)
                    regular = np.linalg.matrix_rank(p.trace(here.get("lambda", 0.0), p.d)) == model.rank
                    assert regular == expected
                else:
                    assert shrinks(problem, name, at, here) == expected, (name, parameter, point)
                tried += 1
    assert tried > 20


@pytest.mark.parametrize("name", SMALL)
def test_discounts_of_td_and_chain_are_those_of_inspect(name):
    problem = catalogue_problem(name)
    model = exact_model(problem)
    td, _ = stable_parameters(find_method("td"), "gamma", problem, model)
    chain, _ = stable_parameters(replace(find_method("damped-chain"), tau=1), "gamma", problem, model)
    known = td_stable_intervals(problem)
    assert [(s.low, s.high) for s in td.spans] == [(low.exact, high.exact) for low, high in known.intervals]
    limit = chain_threshold(problem).exact
    (span,) = chain.spans
    assert span.high == (1 if limit is None or limit > 1 else limit)


def test_closed_forms_on_twostate():
    """A = 5/2 − 3γ (halved twice in d): λ*, η* and the ratio of TDC from their linear equations."""
    problem = catalogue_problem("twostate")
    model = exact_model(problem)
    g, X, Y = Fraction(99, 100), Fraction(5, 2), Fraction(3)

    def found(text):
        method = find_method(text, {"alpha": default_step_size(problem)})
        values, reason = stable_parameters(method, method.threshold_parameter, problem, model)
        assert reason is None
        return values

    assert str(found("ridge-td")) == f"({g * Y - X}, ∞)"
    # Both states go to the second: Pⁿ = P, so A(λ) = X − γ(1 − λ)/(1 − γλ) Y.
    star = (g * Y - X) / (g * Y - g * X)
    assert str(found("td-lambda")) == f"({star}, 1]"
    # tr = A + ηX > 0 and det = η A(X − γY)… of [[A, γY], [ηA, ηX]]: det = ηA(X − γY) = ηA² > 0.
    assert str(found("tdc")) == f"({(g * Y - X) / X}, ∞)"
    n_star = next(n for n in range(1, 100) if g**n * Y < X)
    assert found("n-step-td").from_on == found("n-step-chain").from_on == n_star
    assert str(found("soft-target")) == "none"
    assert str(found("target-network")) == "none"


COVERED = [
    ("damped-chain", "tau", "quadrant-stable-biased"),
    ("damped-chain", "gamma", "quadrant-stable-biased"),
    ("soft-target", "tau", "finite-window"),
    ("soft-target", "gamma", "finite-window"),
    ("tdc", "ratio", "baird"),
    ("tdrc", "ratio", "baird"),
    ("whitened-td", "gamma", "twostate"),
    ("ridge-td", "eta", "baird"),
    ("ridge-chain", "eta", "quadrant-stable-biased"),
    ("td-lambda", "lambda", "baird"),
    ("td-lambda", "gamma", "baird"),
    ("n-step-td", "gamma", "baird"),
    ("n-step-chain", "gamma", "twostate"),
    ("ridge-chain", "gamma", "baird"),
    ("target-network", "gamma", "finite-window"),
]


@pytest.mark.parametrize(("name", "parameter", "problem_name"), COVERED)
def test_proved_stretches_are_within_the_exact_set_and_bracket_its_ends(name, parameter, problem_name):
    """What the exact crossings say, by proofs alone: no point on the wrong side, and every crossing nearly reached."""
    problem = catalogue_problem(problem_name)
    model = exact_model(problem)
    method = find_method(name, {"alpha": Fraction(1, 16), "window": 20})
    exact, _ = stable_parameters(method, parameter, problem, model)
    limits = GAMMA if parameter == "gamma" else method.parameters()[parameter]
    found = covered(method, parameter, limits, model)
    if isinstance(found, StableSet):
        assert found == exact
        return
    for low, high, stable in found.stretches:
        for x in (low, low + 5, low + 10**6) if high is None else (low, (low + high) / 2, high):
            if x in found.domain:
                assert exact.holds_at(x) is Answer.of(stable)
                assert found.holds_at(x) is Answer.of(stable)

    def inside(x):
        end = found.stretches[-1][1]
        return found.stretches[0][0] < x and (end is None or x < end)

    crossings = {float(x) for s in exact.spans for x in (s.low, s.high) if x is not None and inside(x)}
    inner = [(float(a), float(b)) for (_, a, s), (b, _, t) in pairwise(found.stretches) if s != t]
    assert len(inner) == len(crossings)
    assert all(any(a < x < b and b - a < 1e-4 * (1 + b) for a, b in inner) for x in crossings)


@pytest.mark.parametrize("name", list(methods()))
def test_matrices_are_affine_where_they_are_said_to_be(name):
    model = exact_model(catalogue_problem("threestate"))
    method = find_method(name, {"alpha": Fraction(1, 16), "window": 5})
    for parameter in method.affine:
        M0, M1 = affine_parts(method, parameter, model)
        chosen, here = with_value(method, model, parameter, Fraction(7, 9))
        x = rational(Fraction(7, 9) ** method.power(parameter))
        assert M0 + x * M1 == matrix(chosen.question(here).matrix.tolist())


def test_steps_beyond_twice_one_over_the_largest_eigenvalue_are_looked_at_one_by_one():
    """One feature: G_T = 1 − (1 − fᵀ)a, a = A/X, f = 1 − αX < −1; even T are 1 − a + a fᵀ > 1, odd ones below −1."""
    problem = catalogue_problem("twostate").with_gamma("1/2")  # X = 5/2, A = 1
    found, _ = stable_parameters(find_method("target-network:alpha=1"), "window", problem, exact_model(problem))
    f, a = Fraction(-3, 2), Fraction(2, 5)
    expected = [T for T in range(1, 60) if abs(1 - a * (1 - f**T)) < 1]
    assert [T for T in range(1, 60) if found.holds_at(T) is Answer.YES] == expected
    assert found.holds_at(10**6) is Answer.UNDECIDED


def test_an_end_that_alone_fails_is_a_threshold():
    """Twostate at γ = 5/6 has A = 0: least squares fail at λ = 0 alone; a chain with B = −1 at τ = 1 alone."""
    tie = catalogue_problem("twostate").with_gamma("5/6")
    shown = {m["name"]: m["threshold"] for m in compare(tie, ["lstd", "td-lambda", "ridge-td"]).to_dict()["methods"]}
    assert {(t["stable"], t["exact"]) for t in shown.values()} == {("above", "0")}
    swap = Problem.from_matrices("3/5", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    shown = {m["name"]: m["threshold"] for m in compare(swap, ["damped-chain", "ridge-chain"]).to_dict()["methods"]}
    assert (shown["damped-chain"]["stable"], shown["damped-chain"]["exact"]) == ("below", "1")
    assert (shown["ridge-chain"]["stable"], shown["ridge-chain"]["exact"]) == ("above", "0")


def test_features_of_very_different_scale_leave_balls_blind_and_are_decided():
    """X is invertible, but a ball of it is not seen to be; the exact verdicts are asked instead."""
    features = [["-3e-82", "3e-47"], ["-1e-82", "-2e-47"]]
    transitions, visits = [["3/7", "4/7"], ["2/5", "3/5"]], ["7/9", "2/9"]
    problem = Problem.from_matrices("9/10", Phi=features, P_pi=transitions, d_mu=visits, r_pi=[1, 1])
    (row,) = compare(problem, ["n-step-chain"]).rows
    assert row.outcome.holds == Answer.YES  # Φ is invertible, so ΠPⁿ = Pⁿ
    assert row.threshold.values.ranges == ((1, None),)


def test_gradient_td_needs_no_polynomial_in_its_ratio(monkeypatch):
    """Its question is det A ≠ 0 whatever the ratio: exact however many features, and over γ covered at least."""
    problem = catalogue_problem("random")
    model = exact_model(problem)
    monkeypatch.setattr("theory.methods.parameters.PARAMETER_POLYNOMIAL", 0)
    assert str(stable_parameters(find_method("gtd2"), "ratio", problem, model)[0]) == "(0, ∞)"
    assert str(stable_parameters(find_method("gtd2"), "gamma", problem, model)[0]) == "[0, 1)"


def test_the_sign_of_a_form_is_the_one_that_was_proved():
    """Of a V with eigenvalues from 1e-40 to 1e24 two routines of LAPACK may find the smallest with different signs."""
    V = np.diag([1e24, 1e24, 1e-40])
    V[0, 2] = V[2, 0] = 1e-9
    assert negative_directions(V) is None or len(negative_directions(V)) == 0
    V[2, 2] = -1e-40
    assert negative_directions(V) is None or len(negative_directions(V)) == 1
    assert len(negative_directions(np.diag([1.0, -1.0]))) == 1
