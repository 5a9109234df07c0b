r"""TD, and TD preconditioned or regularised.

off-policy-td   θ ← θ + α(b − Aθ)                stable ⇔ all Re λ(A) > 0
whitened-td     θ ← θ + αX⁻¹(b − Aθ)             stable ⇔ Re β < 1 for all eigenvalues β of B = γX⁻¹Y
ridge-td        θ ← θ + α(b − (A + ηI)θ)         stable from some η* on; θ_η − θ_π = −η(A + ηI)⁻¹θ_π
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.certified.verdicts import Verdict, td_stable
from theory.methods.method import Expected, Method, parameter
from theory.model.linear_model import LinearModel
from theory.problems import Problem
from theory.problems.numbers import Array
from theory.thresholds.discounts import StableIntervals, td_stable_intervals


@dataclass(frozen=True)
class OffPolicyTD(Method):
    """TD(0) with importance ratios."""

    name = "off-policy-td"
    aliases = ("td",)
    about = "TD(0) with importance ratios"
    affine = ("gamma",)
    cost = "3F"
    memory = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", model.A, model.b)

    def verdict(self, problem: Problem, confirm: bool = False) -> Verdict:
        return td_stable(problem, confirm)

    def gammas(self, problem: Problem, **effort: Any) -> StableIntervals:
        return td_stable_intervals(problem, **effort)


TD = OffPolicyTD()


@dataclass(frozen=True)
class WhitenedTD(Method):
    """TD preconditioned by X⁻¹."""

    name = "whitened-td"
    aliases = ("lspe",)
    about = "TD preconditioned by X⁻¹, with small steps"
    affine = ("gamma",)
    cost = "3F + 4F²"
    memory = "F²"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", model.solve(model.X, model.A), model.solve(model.X, model.b))


@dataclass(frozen=True)
class RidgeTD(Method):
    """TD that shrinks its parameters."""

    eta: Any = parameter(Fraction(1, 10), "the weight η of ½‖θ‖²")
    name = "ridge-td"
    aliases = ("regularised-td",)
    about = "TD with a ridge: A + ηI"
    threshold_parameter = "eta"
    affine = ("eta", "gamma")
    cost = "4F"
    memory = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.A + model.number(self.eta) * model.eye(), model.b
