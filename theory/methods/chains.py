r"""Chains of value functions: each head is the projection of one Bellman step on the head before.

chain           θ ← Bθ + X⁻¹b,  B = γX⁻¹Y                    converges ⇔ ρ(B) < 1
damped-chain    θ ← (1 − τ)θ + τ(Bθ + X⁻¹b)                  converges for small τ ⇔ Re β < 1 for all β of B
ridge-chain     θ ← (X + ηI)⁻¹(γYθ + b)                      rests where ridge-td does, (A + ηI)θ = b
fixed-horizon   head H of the chain started at θ⁰ = 0        every H: the H-step return, projected at each step
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from theory.certified.verdicts import Verdict, chain_unbiased
from theory.exact.algebraic import algebraic_rational
from theory.linear.small import eigenvalues
from theory.methods.ground import Ground
from theory.methods.method import Expected, Method, parameter
from theory.problems import Problem
from theory.problems.numbers import Array
from theory.thresholds.cover import Kind
from theory.thresholds.discounts import Threshold, chain_threshold
from theory.thresholds.inequalities import Resolvent
from theory.thresholds.spans import Span, StableSet


@dataclass(frozen=True)
class Chain(Method):
    """The chain, k → ∞."""

    name: ClassVar[str] = "chain"
    aliases: ClassVar[tuple[str, ...]] = ("fqi", "fqe", "projected-value-iteration")
    about: ClassVar[str] = "chained TD, k → ∞: fitted Q iteration and evaluation"
    affine: ClassVar[tuple[str, ...]] = ("gamma",)
    cost: ClassVar[str] = "3F a head"
    memory: ClassVar[str] = "F a head"

    def expected(self, ground: Ground) -> Expected:
        return Expected("iteration", *chain_step(ground))

    def spectrum(self, ground: Ground) -> tuple[Kind, Array]:
        return "iteration", ground.chain_spectrum

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
    name: ClassVar[str] = "damped-chain"
    aliases: ClassVar[tuple[str, ...]] = ("relaxed-chain",)
    about: ClassVar[str] = "the chain with relaxation τ"
    own: ClassVar[str | None] = "tau"
    affine: ClassVar[tuple[str, ...]] = ("tau", "gamma")
    cost: ClassVar[str] = "4F a head"
    memory: ClassVar[str] = "F a head"

    def expected(self, ground: Ground) -> Expected:
        B, c = chain_step(ground)
        tau = ground.number(self.tau)
        return Expected("iteration", (1 - tau) * ground.eye() + tau * B, tau * c)

    def spectrum(self, ground: Ground) -> tuple[Kind, Array]:
        """1 − τ + τβ."""
        tau = ground.number(self.tau)
        return "iteration", 1 - tau + tau * ground.chain_spectrum


@dataclass(frozen=True)
class RidgeChain(Method):
    """The chain with regularised regressions."""

    eta: Any = parameter(Fraction(1, 10), "the weight η of ½‖θ‖²")
    name: ClassVar[str] = "ridge-chain"
    aliases: ClassVar[tuple[str, ...]] = ("regularised-fqi",)
    about: ClassVar[str] = "the chain with a ridge: γ(X + ηI)⁻¹Y"
    own: ClassVar[str | None] = "eta"
    affine: ClassVar[tuple[str, ...]] = ("gamma",)
    cost: ClassVar[str] = "4F a head"
    memory: ClassVar[str] = "F a head"

    def expected(self, ground: Ground) -> Expected:
        return Expected("iteration", *chain_step(ground, ground.number(self.eta)))

    def spectrum(self, ground: Ground) -> tuple[Kind, Array]:
        ridge = ground.number(self.eta) * ground.eye()
        return "iteration", eigenvalues(ground.gamma * ground.solve(ground.X + ridge, ground.Y))

    def system(self, ground: Ground) -> tuple[Array, Array]:
        return ground.A + ground.number(self.eta) * ground.eye(), ground.b

    def scale(self, ground: Ground) -> Any:
        """det(X + ηI)."""
        return ground.determinant(ground.X + ground.number(self.eta) * ground.eye())

    def resolvent(self, name: str, ground: Ground) -> Resolvent | None:
        """(X + ηI)⁻¹γY."""
        one = ground.eye()
        return Resolvent.of(one, ground.X, one, ground.gamma * ground.Y, 0 * ground.Y) if name == "eta" else None


@dataclass(frozen=True)
class FixedHorizon(Method):
    """Fixed-horizon TD (De Asis et al. 2020): a chain from zero, of which head H is what one wants."""

    horizon: Any = parameter(10, "how many steps H are predicted", low=1, high=1000, whole=True)
    name: ClassVar[str] = "fixed-horizon"
    aliases: ClassVar[tuple[str, ...]] = ("fhtd",)
    about: ClassVar[str] = "head H of the chain from θ⁰ = 0"
    cost: ClassVar[str] = "3F a head"
    memory: ClassVar[str] = "F a head"
    always: ClassVar[str | None] = "H steps from zero, and done: there is nothing to converge"

    def expected(self, ground: Ground) -> Expected:
        return Expected("direct", *self.system(ground))

    def system(self, ground: Ground) -> tuple[Array, Array]:
        B, c = chain_step(ground)
        theta = c
        for _ in range(self.horizon - 1):
            theta = ground.times(B, theta) + c
        return ground.eye(), theta


def chain_step(ground: Ground, eta: Any = 0) -> tuple[Array, Array]:
    """γ(X + ηI)⁻¹Y and (X + ηI)⁻¹b."""
    X = ground.X + eta * ground.eye()
    return ground.gamma * ground.solve(X, ground.Y), ground.solve(X, ground.b)
