r"""TD, and TD preconditioned or regularised.

off-policy-td   θ ← θ + α(b − Aθ)                stable ⇔ all Re λ(A) > 0
whitened-td     θ ← θ + αX⁻¹(b − Aθ)             stable ⇔ Re β < 1 for all eigenvalues β of B = γX⁻¹Y
ridge-td        θ ← θ + α(b − (A + ηI)θ)         stable from some η* on; θ_η − θ_π = −η(A + ηI)⁻¹θ_π
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from theory.certified.verdicts import Verdict, td_stable
from theory.methods.method import Expected, Method, parameter
from theory.model.linear_model import FloatModel, LinearModel
from theory.problems import Problem
from theory.problems.numbers import Array
from theory.thresholds.discounts import StableIntervals, td_stable_intervals
from theory.thresholds.inequalities import Kind


@dataclass(frozen=True)
class OffPolicyTD(Method):
    """TD(0) with importance ratios."""

    name: ClassVar[str] = "off-policy-td"
    aliases: ClassVar[tuple[str, ...]] = ("td",)
    about: ClassVar[str] = "TD(0) with importance ratios"
    affine: ClassVar[tuple[str, ...]] = ("gamma",)
    cost: ClassVar[str] = "3F"
    memory: ClassVar[str] = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", model.A, model.b)

    def spectrum(self, model: FloatModel) -> tuple[Kind, Array]:
        return "mean", model.key_spectrum

    def verdict(self, problem: Problem, confirm: bool = False) -> Verdict:
        return td_stable(problem, confirm)

    def gammas(self, problem: Problem, **effort: Any) -> StableIntervals:
        return td_stable_intervals(problem, **effort)


TD = OffPolicyTD()


@dataclass(frozen=True)
class WhitenedTD(Method):
    """TD preconditioned by X⁻¹."""

    name: ClassVar[str] = "whitened-td"
    aliases: ClassVar[tuple[str, ...]] = ("lspe",)
    about: ClassVar[str] = "TD preconditioned by X⁻¹, with small steps"
    affine: ClassVar[tuple[str, ...]] = ("gamma",)
    cost: ClassVar[str] = "3F + 4F²"
    memory: ClassVar[str] = "F²"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", model.solve(model.X, model.A), model.solve(model.X, model.b))

    def spectrum(self, model: FloatModel) -> tuple[Kind, Array]:
        """1 − β."""
        return "mean", 1 - model.chain_spectrum


@dataclass(frozen=True)
class RidgeTD(Method):
    """TD that shrinks its parameters."""

    eta: Any = parameter(Fraction(1, 10), "the weight η of ½‖θ‖²")
    name: ClassVar[str] = "ridge-td"
    aliases: ClassVar[tuple[str, ...]] = ("regularised-td",)
    about: ClassVar[str] = "TD with a ridge: A + ηI"
    own: ClassVar[str | None] = "eta"
    affine: ClassVar[tuple[str, ...]] = ("eta", "gamma")
    cost: ClassVar[str] = "4F"
    memory: ClassVar[str] = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def spectrum(self, model: FloatModel) -> tuple[Kind, Array]:
        """λ(A) + η."""
        return "mean", model.key_spectrum + model.number(self.eta)

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.A + model.number(self.eta) * model.eye(), model.b
