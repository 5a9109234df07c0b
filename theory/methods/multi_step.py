r"""Methods that look further ahead before they bootstrap; where they rest moves with n and λ.

    n-step-td      A_n = ΦᵀD(I − γⁿPⁿ)Φ,  b_n = ΦᵀD Σ_{j<n} γʲPʲr         stable ⇔ all Re λ(A_n) > 0
    n-step-chain   θ ← X⁻¹(γⁿY_nθ + b_n),  Y_n = ΦᵀDPⁿΦ                   converges ⇔ ρ(γⁿX⁻¹Y_n) < 1
    td-lambda      A(λ) = ΦᵀD(I − γλP)⁻¹(I − γP)Φ,  b(λ) = ΦᵀD(I − γλP)⁻¹r

A(1) = X and A_n → X, so both hold from some λ* < 1 and some n* on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from theory.linear.small import eigenvalues
from theory.methods.ground import Ground
from theory.methods.method import Expected, Method, parameter
from theory.problems.numbers import Array
from theory.thresholds.cover import Kind
from theory.thresholds.inequalities import Resolvent


@dataclass(frozen=True)
class NStepTD(Method):
    """TD on n-step returns, with the product of n importance ratios."""

    n: Any = parameter(4, "steps n before it bootstraps", low=1, high=1000, whole=True)
    name: ClassVar[str] = "n-step-td"
    aliases: ClassVar[tuple[str, ...]] = ("n-step",)
    about: ClassVar[str] = "TD on n-step returns"
    own: ClassVar[str | None] = "n"
    affine: ClassVar[tuple[str, ...]] = ("gamma",)
    cost: ClassVar[str] = "3F"
    memory: ClassVar[str] = "nF"

    def expected(self, ground: Ground) -> Expected:
        return Expected("mean", *self.system(ground))

    def system(self, ground: Ground) -> tuple[Array, Array]:
        Y, b = n_step(ground, self.n)
        return ground.X - Y, b

    def power(self, name: str) -> int:
        """Only γⁿ occurs."""
        return int(self.n) if name == "gamma" else 1


@dataclass(frozen=True)
class NStepChain(NStepTD):
    """The chain of n-step returns."""

    name: ClassVar[str] = "n-step-chain"
    aliases: ClassVar[tuple[str, ...]] = ("n-step-fqe",)
    about: ClassVar[str] = "the chain on n-step returns"
    own: ClassVar[str | None] = "n"
    cost: ClassVar[str] = "3F a head"
    memory: ClassVar[str] = "nF"

    def expected(self, ground: Ground) -> Expected:
        Y, b = n_step(ground, self.n)
        return Expected("iteration", ground.solve(ground.X, Y), ground.solve(ground.X, b))

    def spectrum(self, ground: Ground) -> tuple[Kind, Array]:
        return "iteration", eigenvalues(ground.solve(ground.X, n_step(ground, self.n)[0]))


@dataclass(frozen=True)
class TDLambda(Method):
    """TD(λ) with importance ratios in the trace."""

    lambda_: Any = parameter(Fraction(9, 10), "the trace's λ", high=1)
    name: ClassVar[str] = "td-lambda"
    about: ClassVar[str] = "off-policy TD(λ)"
    own: ClassVar[str | None] = "lambda"
    cost: ClassVar[str] = "5F"
    memory: ClassVar[str] = "2F"

    def expected(self, ground: Ground) -> Expected:
        return Expected("mean", *self.system(ground))

    def system(self, ground: Ground) -> tuple[Array, Array]:
        return traced(ground, self.lambda_)

    def degree(self, name: str, ground: Ground) -> int:
        """A bordered determinant of which S rows know λ and γ."""
        return len(ground.d)

    def scale(self, ground: Ground) -> Any:
        """det(I − γλP)."""
        return resolvent_determinant(ground, self.lambda_)

    def resolvent(self, name: str, ground: Ground) -> Resolvent:
        return traced_resolvent(ground, self.lambda_, name)


def n_step(ground: Ground, n: int) -> tuple[Array, Array]:
    """γⁿY_n and b_n."""
    return ground.once(("n-step", n), lambda: _n_step(ground, n))


def _n_step(ground: Ground, n: int) -> tuple[Array, Array]:
    V, power, returns = ground.Phi, ground.r, ground.r
    for j in range(n):
        V = ground.gamma * ground.times(ground.P, V)
        if j:
            power = ground.gamma * ground.times(ground.P, power)
            returns = returns + power
    return ground.seen(ground.weighted(V)), ground.seen(ground.weighted(returns))


def traced(ground: Ground, lambda_: Any, weights: Array | None = None) -> tuple[Array, Array]:
    """A(λ) and b(λ), the states weighted by d or by `weights`."""
    if weights is not None:
        return _traced(ground, lambda_, weights)
    if lambda_ == 0:
        return ground.A, ground.b
    return ground.once(("traced", lambda_), lambda: _traced(ground, lambda_))


def _traced(ground: Ground, lambda_: Any, weights: Array | None = None) -> tuple[Array, Array]:
    discount = ground.gamma * ground.number(lambda_)
    A, b = ground.bellman(ground.gamma, ground.Phi), ground.r
    if discount != 0:
        A, b = ground.resolvents(discount, A, b)
    return ground.seen(ground.weighted(A, weights)), ground.seen(ground.weighted(b, weights))


def traced_resolvent(ground: Ground, lambda_: Any, name: str) -> Resolvent:
    """A(λ) as ΦᵀD times (I − γλP)⁻¹ times (I − γP)Φ, over ``lambda`` or over ``gamma``."""
    one, ahead = ground.eye(len(ground.d)), ground.times(ground.P, ground.Phi)
    seen = ground.times(ground.G, ground.weighted(ground.Phi).T)
    if name == "lambda":
        return Resolvent.of(seen, one, -ground.gamma * ground.P, ground.Phi - ground.gamma * ahead, 0 * ahead)
    return Resolvent.of(seen, one, -ground.number(lambda_) * ground.P, ground.Phi, -ahead)


def resolvent_determinant(ground: Ground, lambda_: Any) -> Any:
    """det(I − γλP), positive for γλ < 1."""
    discount = ground.gamma * ground.number(lambda_)
    return ground.determinant(ground.eye(len(ground.d)) - discount * ground.P)
