r"""Chains of value functions: each head is the projection of one Bellman step on the head before.

chain           θ ← Bθ + X⁻¹b,  B = γX⁻¹Y                    converges ⇔ ρ(B) < 1
damped-chain    θ ← (1 − τ)θ + τ(Bθ + X⁻¹b)                  converges for small τ ⇔ Re β < 1 for all β of B
ridge-chain     θ ← (X + ηI)⁻¹(γYθ + b)                      rests where ridge-td does, (A + ηI)θ = b
fixed-horizon   head H of the chain started at θ⁰ = 0        every H: the H-step return, projected at each step
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.certified.verdicts import Verdict, chain_unbiased
from theory.exact.algebraic import algebraic_rational
from theory.methods.method import Expected, Method, parameter
from theory.model.linear_model import LinearModel
from theory.problems import Problem
from theory.problems.numbers import Array
from theory.thresholds.discounts import Threshold, chain_threshold
from theory.thresholds.inequalities import Resolvent
from theory.thresholds.results import Span, StableSet


@dataclass(frozen=True)
class Chain(Method):
    """The chain, k → ∞."""

    name = "chain"
    aliases = ("fqi", "fqe", "projected-value-iteration")
    about = "chained TD, k → ∞: fitted Q iteration and evaluation"
    affine = ("gamma",)
    cost = "3F a head"
    memory = "F a head"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("iteration", *chain_step(model))

    def verdict(self, problem: Problem, confirm: bool = False) -> Verdict:
        return chain_unbiased(problem, confirm)

    def gammas(self, problem: Problem, **effort: Any) -> Threshold:
        """Those below 1/ρ(ΠP)."""
        return chain_threshold(problem, **effort)

    def discounts(self, problem: Problem) -> StableSet | None:
        """γ < 1/ρ(ΠP), and γ = 1 where episodes end and 1/ρ(ΠP) is larger."""
        end = self.gammas(problem)
        if end.low is not None and end.exact is None:
            return None
        number = end.exact if end.exact is not None and end.exact < 1 else algebraic_rational(1)
        zero, one, ends = algebraic_rational(0), algebraic_rational(1), problem.terminates
        at_one = ends and (end.exact is None or end.exact > 1)
        return StableSet((Span(zero, number, True, at_one),), Span(zero, one, True, ends))


CHAIN = Chain()


@dataclass(frozen=True)
class DampedChain(Method):
    """The chain with relaxation τ."""

    tau: Any = parameter(Fraction(1, 8), "the share τ of the new head", high=1, low_open=True)
    name = "damped-chain"
    aliases = ("relaxed-chain",)
    about = "the chain with relaxation τ"
    threshold_parameter = "tau"
    affine = ("tau", "gamma")
    cost = "4F a head"
    memory = "F a head"

    def expected(self, model: LinearModel) -> Expected:
        B, c = chain_step(model)
        tau = model.number(self.tau)
        return Expected("iteration", (1 - tau) * model.eye() + tau * B, tau * c)


@dataclass(frozen=True)
class RidgeChain(Method):
    """The chain with regularised regressions."""

    eta: Any = parameter(Fraction(1, 10), "the weight η of ½‖θ‖²")
    name = "ridge-chain"
    aliases = ("regularised-fqi",)
    about = "the chain with a ridge: γ(X + ηI)⁻¹Y"
    threshold_parameter = "eta"
    affine = ("gamma",)
    cost = "4F a head"
    memory = "F a head"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("iteration", *chain_step(model, model.number(self.eta)))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.A + model.number(self.eta) * model.eye(), model.b

    def scale(self, model: LinearModel) -> Any:
        """det(X + ηI)."""
        return (model.X + model.number(self.eta) * model.eye()).det()

    def resolvent(self, name: str, model: LinearModel) -> Resolvent | None:
        """(X + ηI)⁻¹γY."""
        one = model.eye()
        return Resolvent(one, model.X, one, model.gamma * model.Y, 0 * model.Y) if name == "eta" else None


@dataclass(frozen=True)
class FixedHorizon(Method):
    """Fixed-horizon TD (De Asis et al. 2020): a chain from zero, of which head H is what one wants."""

    horizon: Any = parameter(10, "how many steps H are predicted", low=1, high=1000, whole=True)
    name = "fixed-horizon"
    aliases = ("fhtd",)
    about = "head H of the chain from θ⁰ = 0"
    cost = "3F a head"
    memory = "F a head"
    unconditional_reason = "H steps from zero, and done: there is nothing to converge"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("direct", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        B, c = chain_step(model)
        theta = c
        for _ in range(self.horizon - 1):
            theta = model.times(B, theta) + c
        return model.eye(), theta


def chain_step(model: LinearModel, eta: Any = None) -> tuple[Any, Any]:
    """γ(X + ηI)⁻¹Y and (X + ηI)⁻¹b."""
    X = model.X if eta is None else model.X + eta * model.eye()
    return model.gamma * model.solve(X, model.Y), model.solve(X, model.b)
