r"""Target networks: θ bootstraps from a copy θ̄ of itself that is renewed now and then, or follows slowly.

    target-network   every T updates θ̄ ← θ:      θ ← G_Tθ + S_Tb,   G_T = I − S_TA,   S_T = αΣ_{j<T}(I − αX)ʲ
    soft-target      θ⁺ = θ + α(b + γYθ̄ − Xθ),   θ̄⁺ = (1 − τ)θ̄ + τθ⁺,        on z = (θ, θ̄)

With a ridge η (Zhang et al. 2021) X + ηI takes the place of X: ridge-target-network, ridge-soft-target. Their fixed
point is ridge-td's, (A + ηI)θ = b.

T = 1 and τ = 1 are TD with step size α; T → ∞ is the chain, and for τ → 0 the soft target is the damped chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from theory.certified.verdicts import Verdict, window_stable
from theory.methods.method import Expected, Method, parameter
from theory.model.linear_model import LinearModel
from theory.problems import Problem
from theory.problems.numbers import Array


@dataclass(frozen=True)
class HardTarget(Method):
    """A target that is replaced every T updates; hot start."""

    alpha: Any = parameter(None, "the step size α", low_open=True)
    window: Any = parameter(100, "updates T per target", low=1, high=10**9, whole=True)
    affine = ("gamma",)
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        values = self.settings
        alpha, (A, b) = model.number(values["alpha"]), self.system(model)
        S_T = alpha * model.geometric(model.eye() - alpha * self.metric(model), int(values["window"]))
        return Expected("iteration", model.eye() - model.times(S_T, A), model.times(S_T, b))

    def metric(self, model: LinearModel) -> Any:
        """What θ is multiplied by while the target stands."""
        return model.X

    @property
    def length(self) -> int:
        return int(self.window)


@dataclass(frozen=True)
class TargetNetwork(HardTarget):
    """A hard target network."""

    name = "target-network"
    aliases = ("pfqi", "hard-target", "hard")
    about = "T updates towards a target that is then replaced"
    threshold_parameter = "window"
    cost = "3F"

    def verdict(self, problem: Problem, confirm: bool = False) -> Verdict:
        values = self.settings
        return window_stable(problem, int(values["window"]), values["alpha"], confirm=confirm)

    @classmethod
    def at(cls, alpha: Fraction, window: int) -> Self:
        """With any numbers: the question itself refuses what it cannot answer."""
        return cls().with_setting("alpha", alpha).with_setting("window", window)


@dataclass(frozen=True)
class SoftTarget(Method):
    """A soft (Polyak) target network."""

    alpha: Any = parameter(None, "the step size α", low_open=True)
    tau: Any = parameter(Fraction(1, 8), "the share τ that the target takes", high=1, low_open=True)
    name = "soft-target"
    aliases: ClassVar[tuple[str, ...]] = ("polyak", "soft")
    about = "a target that takes a share τ of θ after every update"
    threshold_parameter = "tau"
    affine: ClassVar[tuple[str, ...]] = ("alpha", "tau", "gamma")
    cost = "4F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        values = self.settings
        alpha, tau, one = model.number(values["alpha"]), model.number(values["tau"]), model.eye()
        own, target, b = one - alpha * self.metric(model), alpha * model.gamma * model.Y, alpha * model.b
        matrix = model.blocks(own, target, tau * own, (1 - tau) * one + tau * target)
        return Expected("iteration", matrix, model.stack(b, tau * b))

    def metric(self, model: LinearModel) -> Any:
        """What θ is multiplied by while the target stands."""
        return model.X

    def second(self, w: Array) -> Array:
        """The target is a copy."""
        return w

    def degree(self, name: str, model: LinearModel) -> int:
        """τ is in the rows of θ̄ alone, γ in its columns; α in the rows of θ."""
        return model.rank if name in ("tau", "gamma") else 2 * model.rank


@dataclass(frozen=True)
class RidgeTargetNetwork(HardTarget):
    """A hard target network whose θ is regularised."""

    eta: Any = parameter(Fraction(1, 10), "the weight η of ½‖θ‖²")
    name = "ridge-target-network"
    aliases = ("regularised-target-network",)
    about = "a hard target network with a ridge"
    threshold_parameter = "eta"
    cost = "4F"

    def metric(self, model: LinearModel) -> Any:
        return model.X + model.number(self.eta) * model.eye()

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.A + model.number(self.eta) * model.eye(), model.b

    def degree(self, name: str, model: LinearModel) -> int:
        """η is in T factors."""
        return model.rank * (int(self.window) if name == "eta" else 1)


@dataclass(frozen=True)
class RidgeSoftTarget(SoftTarget):
    """A soft target network whose θ is regularised."""

    eta: Any = parameter(Fraction(1, 10), "the weight η of ½‖θ‖²")
    name = "ridge-soft-target"
    aliases = ("regularised-soft-target",)
    about = "a soft target network with a ridge"
    threshold_parameter = "eta"
    affine = ("alpha", "tau", "eta", "gamma")
    cost = "5F"

    def metric(self, model: LinearModel) -> Any:
        return model.X + model.number(self.eta) * model.eye()

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.A + model.number(self.eta) * model.eye(), model.b

    def degree(self, name: str, model: LinearModel) -> int:
        """η is in the columns of θ alone."""
        return model.rank if name == "eta" else super().degree(name, model)
