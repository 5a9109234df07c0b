r"""Average reward: for which η is differential TD stable, on the target and on the behaviour itself?

    δ = R − R̄ + φ'ᵀw − φᵀw        w ← w + αρδφ        R̄ ← R̄ + ηαρδ         (Wan, Naik, Sutton 2021; Zhang et al. 2021)

in which no discount has a part. On average, (w, R̄) ← (w, R̄) + α(v − N(w, R̄)) with, in independent features Φ = CR
(`theory.model.linear_model`),

    N(η) = [[GCᵀD(I − P)C, GCᵀD1], [η dᵀ(I − P)C, η]].

Where the constant is among the features, DCe = D1, the rows of N(η) add up to 0 with the weights (ηG⁻¹e, −1): so
R̄ − η(G⁻¹e)ᵀ(Rw) never changes, N is singular at every η, and what is left to decide moves by

    N'(η) = GCᵀD(I − P)C + η GCᵀD1 (G⁻¹e)ᵀ,

the D(I − P) + η d1ᵀ of the table where features are tabular. Where it rests depends on where R̄ and w began. Both
matrices are affine in η, so all stable η > 0 are found and certified as any method's parameter is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.certified.answers import Answer
from theory.exact.matrices import joined, matrix, stacked
from theory.methods.method import Expected, Method, parameter
from theory.methods.outcome import outcome
from theory.methods.parameters import Values, parameter_certificate, stable_parameters
from theory.model.linear_model import LinearModel, exact_model
from theory.problems import InvalidProblem, Problem
from theory.views.page import Page, Viewable, dim, prose, strong

AT = Fraction(1)  # the η whose verdict is shown


@dataclass(frozen=True)
class DifferentialTD(Method):
    """TD for the average reward; it estimates no discounted values, so it stands in no table of those."""

    eta: Any = parameter(AT, "the step size of the average reward, relative to α", low_open=True)
    name = "differential-td"
    about = "TD for the average reward"
    own = "eta"
    affine = ("eta",)
    cost = "3F"
    memory = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Any, Any]:
        eta, one = model.number(self.eta), matrix([1] * model.n_states)
        change = model.bellman(1, model.Phi)
        own, across = model.seen(model.weighted(change)), model.seen(model.weighted(one))
        b, d = model.b, model.transposed(model.d)
        e = constant(model)
        if e is not None:
            back = e if model.G is None else model.solve(model.G, e)
            return own + eta * across * model.transposed(back), b
        below = joined(eta * d * change, eta * matrix([1]))
        return stacked(joined(own, across), below), stacked(b, eta * d * model.rewards)


def constant(model: LinearModel) -> Any | None:
    """e with Ce = 1 where states are visited; None where the constant is not among the features."""
    one = matrix([1] * model.n_states)
    e = model.solve(model.X_hat, model.summed(model.weighted(one)))
    return e if model.weighted(model.Phi * e) == model.weighted(one) else None


@dataclass(frozen=True, eq=False)
class Side:
    """Of one policy: is η = 1 stable, and which η are?"""

    policy: str
    holds: Answer
    reason: str
    rechecked: bool
    stable: Values | None
    unknown: str | None  # why the set is not known
    certified: bool  # has the independent checker repeated the proof of the set?

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        known = None if self.stable is None else str(self.stable)
        return {
            "policy": self.policy,
            "stable_at_one": self.holds.json,
            "reason": self.reason,
            "rechecked": self.rechecked,
            "eta": known,
            "eta_reason": self.unknown,
            "eta_rechecked": self.certified,
        }


@dataclass(frozen=True, eq=False, repr=False)
class AverageReward(Viewable):
    """Differential TD on a problem."""

    problem: Problem
    has_constant: bool
    sides: tuple[Side, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"constant_feature": self.has_constant, "sides": [side.to_dict() for side in self.sides]}

    def page(self) -> Page:
        """A line a policy."""
        lines = []
        for side in self.sides:
            how = ", re-checked" if side.certified else ""
            word = side.holds.pick("stable", "unstable", "undecided")
            known = side.unknown if side.stable is None else f"stable for η in {side.stable} (proved{how})"
            lines.append(prose(strong(f"Differential TD on {side.policy}: "), f"{known}; η = 1 is {word}.", hang=2))
        note = "The average reward has no discount: γ plays no part here."
        if self.has_constant:
            note += " The constant is among the features, so where it rests depends on the start."
        return Page((*lines, prose(dim(note))))

    def __repr__(self) -> str:
        said = "; ".join(f"{s.policy}: η in {s.stable}" for s in self.sides)
        return f"<Differential TD on {self.problem.name}: {said}>"


def average_reward(problem: Problem) -> AverageReward:
    """For which η differential TD is stable on π, and on μ where its transitions and rewards are known.

    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> average_reward(swap)
    <Differential TD on problem: π: η in (6/5, ∞)>
    """
    if problem.is_large:
        raise InvalidProblem("needs a dense P", "average reward")
    if problem.is_episodic:
        raise InvalidProblem("is of problems that go on: here episodes end, or states have discounts", "average reward")
    model = exact_model(problem)
    if model.rank == 0:
        raise InvalidProblem("every feature is zero: nothing to learn", "average reward")
    sides = [_side("π", problem, model)]
    if model.P_mu is not None and model.r_mu is not None:
        sides.append(_side("μ", problem, model.behaviour))
    return AverageReward(problem, constant(model) is not None, tuple(sides))


def _side(policy: str, problem: Problem, model: LinearModel) -> Side:
    method = DifferentialTD()
    found, (values, unknown) = outcome(method, problem, model), stable_parameters(method, "eta", problem, model)
    document = parameter_certificate(method, "eta", model)
    proof = None if found.verdict is None else found.verdict.certificate
    return Side(
        policy,
        found.holds,
        found.reason,
        proof is not None and proof.recheck(),
        values,
        unknown,
        document is not None and document.recheck(),
    )
