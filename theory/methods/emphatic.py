r"""Emphatic TD (Sutton, Mahmood and White 2016), interest one: TD(λ) with the states weighted by emphasis.

    etd         f = (I − γPᵀ)⁻¹d     m = (1 − λ)f + λd     A_E = Φᵀdiag(m)(I − γλP)⁻¹(I − γP)Φ
    ridge-etd   A_E + ηI             as Manek and Kolter (2022) regularise it
    etd-beta    f = (I − βPᵀ)⁻¹d     A = Φᵀdiag(f)(I − γP)Φ, a trace of decay β (Hallak et al. 2016)

A_E + A_Eᵀ ≻ 0 for independent features (field-10), so etd and ridge-etd are always stable, at fixed points of their
own. etd-beta is off-policy TD at β = 0 and etd at β = γ: less noise for less safety.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.methods.method import Expected, Method, parameter
from theory.methods.multi_step import weighted_trace
from theory.model.linear_model import LinearModel, NotApplicable
from theory.problems.numbers import Array
from theory.problems.validate import first_uncovered_move


def follow_on(model: LinearModel, discount: Any) -> Any:
    """f = (I − discount·Pᵀ)⁻¹d; no trace has this mean where the target moves to states that are never visited."""
    problem = model.problem
    if problem is not None and not problem.is_large:
        move = first_uncovered_move(problem.given.P_pi, problem.given.d_mu)
        if move is not None:
            s, t = (problem.state_labels[i] for i in move)
            raise NotApplicable(
                f"emphasis needs ratios: the target moves from {s} to {t}, which is never visited", "d_mu"
            )
    return model.follow_on(discount)


@dataclass(frozen=True)
class ETD(Method):
    """Emphatic TD."""

    lambda_: Any = parameter(0, "the trace's λ", high=1)
    name = "etd"
    aliases = ("emphatic-td",)
    about = "emphatic TD(λ)"
    threshold_parameter = "lambda"
    cost = "5F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        lambda_ = model.number(self.lambda_)

        def emphatic() -> tuple[Array, Array]:
            weights = (1 - lambda_) * follow_on(model, model.gamma) + lambda_ * model.d
            return weighted_trace(model, self.lambda_, weights)[::2]

        return model.cached(("emphatic", self.lambda_), emphatic)

    def reason_for_all_values(self, name: str) -> str | None:
        return "A_E + A_Eᵀ ≻ 0 for every λ and γ (field-10)"


@dataclass(frozen=True)
class RidgeETD(Method):
    """Regularised emphatic TD."""

    eta: Any = parameter(Fraction(1, 10), "the weight η of ½‖θ‖²")
    name = "ridge-etd"
    aliases = ("regularised-etd",)
    about = "emphatic TD with a ridge: A_E + ηI"
    threshold_parameter = "eta"
    cost = "6F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        A, b = ETD().system(model)
        return A + model.number(self.eta) * model.eye(), b

    def reason_for_all_values(self, name: str) -> str | None:
        return "A_E + A_Eᵀ ≻ 0 for every γ (field-10), and a ridge adds to it"


@dataclass(frozen=True)
class ETDBeta(Method):
    """Emphatic TD(0) whose follow-on trace decays by β."""

    beta: Any = parameter(Fraction(1, 2), "the decay β of the follow-on trace", high=1, high_open=True)
    name = "etd-beta"
    about = "emphatic TD(0) with a follow-on trace of decay β"
    threshold_parameter = "beta"
    affine = ("gamma",)
    cost = "3F"
    memory = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        beta = model.number(self.beta)
        weights = model.cached(("follow-on", self.beta), lambda: follow_on(model, beta))
        return weighted_trace(model, 0, weights)[::2]

    def degree(self, name: str, model: LinearModel) -> int:
        """A row of det(I − βP)·f has degree S, β is in all of them."""
        return model.rank * model.n_states if name == "beta" else model.rank

    def scale(self, model: LinearModel) -> Any:
        """det(I − βP)ʳ."""
        return (model.eye(model.n_states) - model.number(self.beta) * model.P).det() ** model.rank
