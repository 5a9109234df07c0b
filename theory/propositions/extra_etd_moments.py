r"""extra-etd-moments: emphatic TD has a bounded E[F²] only for small γ, and often no moment of its error is bounded.

F ← γρF + 1 along the moves, so f_s = E[F² 1{s}] and m_s = E[F 1{s}] obey f ← γ²Qᵀf + 2γP_πᵀm + d with
Q(s, s') = Σ_a μρ²P. All is nonnegative, so E[F²] stays bounded exactly where γ²ρ(Q) < 1 (Perron–Frobenius), and
E[Fᵖ] where γᵖρ(Q_p) < 1, Q_p = Σ_a μρᵖP: Baird γ < 1/√7, Threestate and Twostate γ < 1/√2.

That is not enough. Let s be a state that π never leaves, by one action with μ(a|s) = q < 1 and v_π(s) = r/(1 − γ).
While that action is taken ρ = 1/q, F grows as F ← (γ/q)F + 1, and the error at s is multiplied by
1 − (α/q)(1 − γ)‖φ‖²F: nothing else enters. If γ ≥ q then F and with it the multipliers grow without bound along such a
run, and a run of t moves has the probability qᵗ, so its part of E|e_t(s)|ᵖ,

    d(s) E|e_0(s)|ᵖ ∏_{k<t} q|1 − (α/q)(1 − γ)‖φ‖²F_k|ᵖ,

has factors that pass every bound: *every* moment p > 0 grows faster than any exponential, for every α > 0 but the
countably many for which one of these factors is 0. For q ≤ γ < √q this is so although E[F²] is bounded. Paths may
converge all the same; that is measured, not proved (`theory noise`, Lyapunov exponents).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import count
from typing import Any

import numpy as np

from theory.exact.algebraic import algebraic_rational
from theory.exact.matrices import fractions, matrix, rational
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.learners.affine import Place, behaviour_steps
from theory.learners.families import find_learner
from theory.learners.transition import View
from theory.model.linear_model import exact_model
from theory.model.points import true_values
from theory.noise.traces import moment_threshold, ratio_power_matrix
from theory.problems import MDP, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import sampled
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace

ALPHA = Fraction(1, 100)
ENUMERATED = 4  # moves of which all paths are followed
SQUARES = {"baird": Fraction(1, 7), "threestate": Fraction(1, 2), "twostate": Fraction(1, 2)}  # γ² where E[F²] ends


@cache
def square_theory() -> Namespace:
    """f ← γ²Qᵀf + 2γP_πᵀm + d with m = γP_πᵀm + d, and a fixed point f*."""
    n = Namespace("gamma")
    T, (Q, P) = n.T, n.letters("Q P", "S -> S", P=r"P_\pi")
    m, d, f0, rest = n.letters("m d f0 rest", "1 -> S", rest="f_*")
    step = T.gamma * T.gamma * Q.T
    T.assume("m = gamma P' m + d", d, m - T.gamma * P.T * m)
    T.assume("f* rests", rest, step * rest + 2 * T.gamma * P.T * m + d)
    f = T.sequence("f", f0, lambda x: step * x + 2 * T.gamma * P.T * m + d, latex="f_k")
    power = T.power(step, "G", latex=r"(\gamma^2 Q^\top)^k")
    n.state("second moments of F", f - rest, power * (f0 - rest))
    return n


@cache
def run_theory() -> Namespace:
    """A run at a state that π does not leave: g = γρ, c = αρ, r = (1 − γ)v, F_k and the parameters θ_k."""
    n = Namespace("gamma g c F0")
    T, (phi, theta0), (v, r) = n.T, n.letters("phi theta0", "1 -> F", phi=r"\varphi"), n.letters("v r", "1 -> 1")
    T.assume("r = (1 - gamma) v", r, (1 - T.gamma) * v)
    F = T.scalar_sequence("F", T.F0, lambda x: T.g * x + 1, latex="F_k")
    g_k = T.scalar_sequence("g", 1, lambda x: T.g * x, latex="g^k")
    value = phi.T * theta0
    after = theta0 + T.c * T.F0 * phi * (r + T.gamma * value - value)
    n.state("F along a run", (T.g - 1) * F + 1, g_k * ((T.g - 1) * T.F0 + 1))
    n.state(
        "the error's multiplier",
        phi.T * after - v,
        (1 - T.c * T.F0 * (1 - T.gamma) * phi.T * phi) * (value - v),
    )
    return n


def claims() -> Claims:
    """Second moments of F for all k, F along a run for all k, and what a move of the run does to the error."""
    return [*square_theory(), *run_theory()]


def check() -> Checks:
    """Thresholds of E[F²]; the runs' multipliers; and all paths of a few moves against the run's part."""
    for name, square in SQUARES.items():
        problem = catalogue_problem(name)
        found = moment_threshold(problem, 2)
        wrong = int(found is None or found != algebraic_rational(square).root(2))
        yield Check(name, wrong, detail=f"E[F²] is bounded for γ < √({square})")
        where = loops(problem)
        unmet = int(not where) + sum(Run(problem, s).grows_from() is None for s in where)
        detail = f"state {', '.join(map(str, where))}: from some move on each one more than doubles its part of E[e²]"
        yield Check(name, unmet, detail=detail)
    for name in ("twostate", "threestate"):
        problem = catalogue_problem(name)
        run = Run(problem, loops(problem)[0])
        gaps = [run.part(t, 2) - run.followed(t) for t in range(1, ENUMERATED + 1)]
        yield Check(name, largest(gaps), detail=f"the run's part of E[e²] by the rule itself, t ≤ {ENUMERATED}")
        short = [max(Fraction(0), run.part(t, 2) - enumerated(problem, run.s, t)) for t in range(1, ENUMERATED + 1)]
        yield Check(name, max(short), detail="at most E[e(s)²] over all paths, enumerated")


def loops(problem: Problem) -> list[int]:
    """States that π never leaves, by one action that μ takes with a probability q ≤ γ, with features."""
    mdp, pi, mu = sampled(problem)
    found = []
    for s in range(problem.n_states):
        a = next((a for a in range(pi.shape[1]) if pi[s, a] == 1), None)
        stays = a is not None and mdp.going_on[s, a, s] == 1 and mu[s, a] <= problem.exact.gamma
        if stays and any(x != 0 for x in problem.exact.Phi[s]):
            found.append(s)
    return found


class Run:
    """Runs at a state s that π never leaves: q, and the multipliers 1 − (α/q)(1 − γ)‖φ‖²F of its error."""

    def __init__(self, problem: Problem, s: int, alpha: Fraction = ALPHA) -> None:
        _, pi, mu = sampled(problem)
        self.problem, self.s, self.alpha = problem, s, alpha
        self.a = next(a for a in range(pi.shape[1]) if pi[s, a] == 1)
        self.q, self.gamma, e = Fraction(mu[s, self.a]), problem.exact.gamma, problem.exact
        self.rate = alpha / self.q * (1 - self.gamma) * sum((x * x for x in e.Phi[s]), Fraction(0))

    def multiplier(self, F: Fraction) -> Fraction:
        return 1 - self.rate * F

    def part(self, t: int, p: int) -> Fraction:
        """d(s) ∏_{k<t} q|1 − …F_k|ᵖ: what the run gives to E|e_t(s)|ᵖ where the first error is 1."""
        F, found = Fraction(1), self.problem.exact.d_mu[self.s]
        for _ in range(t):
            found, F = found * self.q * abs(self.multiplier(F)) ** p, self.gamma / self.q * F + 1
        return found

    def grows_from(self, p: int = 2, most: int = 500) -> int | None:
        """A move from which on q|multiplier|ᵖ > 2, none before it being 0: multipliers below −1 fall, as F rises."""
        F = Fraction(1)
        for k in count():
            if k > most or self.gamma < self.q or self.multiplier(F) == 0:
                return None
            if self.multiplier(F) < -1 and self.q * abs(self.multiplier(F)) ** p > 2:
                return k
            F = self.gamma / self.q * F + 1
        raise AssertionError

    def followed(self, t: int) -> Fraction:
        """The same as `part(t, 2)`, by the learner's own update."""
        view, rule, state = _begun(self.problem, self.s, self.alpha)
        stay = next(m for m in behaviour_steps(view) if m.place == (self.s,) == m.next_place and m.seen.ratio != 0)
        weight = self.problem.exact.d_mu[self.s]
        for _ in range(t):
            state, weight = rule.update(state, stay.seen), weight * stay.probability
        return weight * _square(self.problem, rule, state, self.s)


def enumerated(problem: Problem, s: int, t: int, alpha: Fraction = ALPHA) -> Fraction:
    """E[e_t(s)²] from an error of 1 at s, all paths of t moves followed in fractions."""
    view, rule, begin = _begun(problem, s, alpha)
    steps = list(behaviour_steps(view))
    now: list[tuple[Any, Place, Any]] = [(weight, (at,), begin) for at, weight in enumerate(problem.exact.d_mu)]
    for _ in range(t):
        now = [
            (weight * m.probability, m.next_place, rule.update(state, m.seen))
            for weight, place, state in now
            for m in steps
            if m.place == place
        ]
    return sum((weight * _square(problem, rule, state, s) for weight, _, state in now), Fraction(0))


def _begun(problem: Problem, s: int, alpha: Fraction) -> tuple[View, Any, Any]:
    """ETD before its first move, from parameters whose error at s is 1."""
    e, truth = problem.exact, fractions(true_values(exact_model(problem))).reshape(-1)
    size = sum((x * x for x in e.Phi[s]), Fraction(0))
    rule = find_learner("etd").of(e.gamma, {"alpha": alpha, "lambda_": Fraction(0)})
    theta = np.array([(truth[s] + 1) * x / size for x in e.Phi[s]], dtype=object)
    return View(problem, exact=True), rule, rule.init(theta)


def _square(problem: Problem, rule: Any, state: Any, s: int) -> Fraction:
    truth = fractions(true_values(exact_model(problem))).reshape(-1)
    return Fraction((rule.value(state, problem.exact.Phi[s]) - truth[s]) ** 2)


def counterexamples() -> Counterexamples:
    """A run whose F stays bounded; a bounded E[F²] that does not help; and a step size that ends the error at once."""
    calm = one_state(Fraction(9, 10), Fraction(1, 2))
    run = Run(calm, 0, Fraction(1, 2))
    top = 1 / (1 - run.gamma / run.q)  # F < 1/(1 − γ/q)
    text = f"one state, q = 9/10, γ = 1/2, α = 1/2: γ/q = 5/9, F < {top}, every multiplier is between"
    text += f" {run.multiplier(top)} and 1: no moment of the error ever grows"
    yield Counterexample("γ ≥ q", text, not loops(calm) and 0 < run.multiplier(top) < 1, calm)
    between = catalogue_problem("twostate:gamma=3/5")
    grows = [Run(between, s).grows_from(p) for s in loops(between) for p in (1, 2)]
    side = spectral_radius_side(
        characteristic_polynomial(rational(Fraction(9, 25)) * matrix(ratio_power_matrix(between, 2)))
    )
    text = "Twostate, γ = 3/5, between q = 1/2 and √q: γ²ρ(Q) = 18/25 < 1, so E[F²] is bounded, and every moment of the"
    text += f" error grows: each move of a run doubles its part of E|e| from move {grows[0] if grows else '–'} on"
    bounded = side < 0 and bool(grows) and all(k is not None for k in grows)
    yield Counterexample("a bounded E[F²] would be enough", text, bounded, between)
    stopped, alpha = one_state(Fraction(1, 2), Fraction(3, 5)), Fraction(5, 4)
    still = Run(stopped, 0, alpha)
    text = f"one state, q = 1/2, γ = 3/5, α = {alpha}: the first multiplier is 0, the first move by π's action ends the"
    text += " error, and P(e_t ≠ 0) = 2⁻ᵗ"
    ends = still.multiplier(Fraction(1)) == 0 and enumerated(stopped, 0, 3, alpha) == Fraction(1, 8)
    yield Counterexample("no multiplier is 0", text, ends and still.grows_from() is None, stopped)


def one_state(q: Fraction, gamma: Fraction) -> Problem:
    """One state, two actions that both stay; π takes the first, μ with probability q."""
    mdp = MDP([[[1], [1]]], [[0, 0]], gamma)
    return Problem.from_mdp(mdp, pi=[[1, 0]], mu=[[q, 1 - q]], Phi=[[1]], name=f"one state, q = {q}")


STATEMENT = Statement(
    id="extra-etd-moments",
    place=1130,
    title="Emphatic TD's moments",
    paper="ETD may even diverge because of its variance, which is sometimes infinite; when that is so is not said",
    verdict="beyond the paper",
    precise="E[F²] is bounded ⇔ γ²ρ(Σ_a μρ²P) < 1; at a state that π never leaves and where μ takes π's action with"
    " probability q ≤ γ, every moment E|e_t(s)|ᵖ, p > 0, grows faster than any exponential, for all α > 0 but countably"
    " many, also where E[F²] is bounded (q ≤ γ < √q); whether paths converge is another question",
    assumptions=(
        "γ ≥ q",
        "φ(s) ≠ 0",
        "P(e_0(s) ≠ 0, S_0 = s) > 0",
        "no multiplier is 0",
        "one action of π at s, its reward fixed",
    ),
    scope="F along a run and the multiplier: all dimensions, all k; thresholds and runs: exactly",
    cites=(
        "Perron–Frobenius: powers of a nonnegative matrix on a positive source stay bounded in sum ⇔ its radius < 1",
    ),
    where="g = γρ, c = αρ and F₀ ≥ 1 along a run; f and m are the second and first moments of F by state",
    latex=r"f_k - f_* = (\gamma^2 Q^\top)^k (f_0 - f_*), \quad \varphi^\top\theta' - v"
    r" = (1 - \alpha\rho F (1 - \gamma)\|\varphi\|^2)(\varphi^\top\theta - v), \quad (g - 1)F_k + 1"
    r" = g^k((g - 1)F_0 + 1)",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
