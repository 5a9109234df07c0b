r"""Methods that look further ahead before they bootstrap; where they rest moves with n and λ.

    n-step-td      A_n = ΦᵀD(I − γⁿPⁿ)Φ,  b_n = ΦᵀD Σ_{j<n} γʲPʲr         stable ⇔ all Re λ(A_n) > 0
    n-step-chain   θ ← X⁻¹(γⁿY_nθ + b_n),  Y_n = ΦᵀDPⁿΦ                   converges ⇔ ρ(γⁿX⁻¹Y_n) < 1
    td-lambda      A(λ) = ΦᵀD(I − γλP)⁻¹(I − γP)Φ,  b(λ) = ΦᵀD(I − γλP)⁻¹r

A(1) = X and A_n → X, so both hold from some λ* < 1 and some n* on.

    lstd           solves A(λ)θ = b(λ) at once                            there is a solution ⇔ det A(λ) ≠ 0
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.methods.method import Expected, Method, parameter
from theory.model.linear_model import LinearModel
from theory.problems.numbers import Array
from theory.thresholds.inequalities import Resolvent


@dataclass(frozen=True)
class NStepTD(Method):
    """TD on n-step returns, with the product of n importance ratios."""

    n: Any = parameter(4, "steps n before it bootstraps", low=1, high=1000, whole=True)
    name = "n-step-td"
    aliases = ("n-step",)
    about = "TD on n-step returns"
    threshold_parameter = "n"
    affine = ("gamma",)
    cost = "3F"
    memory = "nF"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        Y, b = n_step(model, self.n)
        return model.X - Y, b

    def power(self, name: str) -> int:
        """Only γⁿ occurs."""
        return int(self.n) if name == "gamma" else 1


@dataclass(frozen=True)
class NStepChain(NStepTD):
    """The chain of n-step returns."""

    name = "n-step-chain"
    aliases = ("n-step-fqe",)
    about = "the chain on n-step returns"
    threshold_parameter = "n"
    cost = "3F a head"
    memory = "nF"

    def expected(self, model: LinearModel) -> Expected:
        Y, b = n_step(model, self.n)
        return Expected("iteration", model.solve(model.X, Y), model.solve(model.X, b))


@dataclass(frozen=True)
class TDLambda(Method):
    """TD(λ) with importance ratios in the trace."""

    lambda_: Any = parameter(Fraction(9, 10), "the trace's λ", high=1)
    name = "td-lambda"
    about = "off-policy TD(λ)"
    threshold_parameter = "lambda"
    cost = "5F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return traced(model, self.lambda_)

    def degree(self, name: str, model: LinearModel) -> int:
        """A bordered determinant of which S rows know λ and γ."""
        return model.n_states

    def scale(self, model: LinearModel) -> Any:
        """det(I − γλP)."""
        return resolvent_determinant(model, self.lambda_)

    def resolvent(self, name: str, model: LinearModel) -> Resolvent:
        return traced_resolvent(model, self.lambda_, name)


@dataclass(frozen=True)
class LSTD(TDLambda):
    """Least-squares TD(λ)."""

    lambda_: Any = parameter(0, "the trace's λ", high=1)
    name = "lstd"
    aliases = ("lstd-lambda",)
    about = "least-squares TD(λ): solves the system"
    cost = "F², and F³/3 to solve"
    memory = "F²"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("direct", *self.system(model))


def n_step(model: LinearModel, n: int) -> tuple[Array, Array]:
    """γⁿY_n and b_n."""
    return model.cached(("n-step", n), lambda: _n_step(model, n))


def _n_step(model: LinearModel, n: int) -> tuple[Array, Array]:
    V, power, returns = model.Phi, model.r, model.r
    for j in range(n):
        V = model.gamma * model.times(model.P, V)
        if j:
            power = model.gamma * model.times(model.P, power)
            returns = returns + power
    return model.seen(model.weighted(V)), model.seen(model.weighted(returns))


def traced(model: LinearModel, lambda_: Any) -> tuple[Array, Array]:
    """A(λ) and b(λ)."""
    return (model.A, model.b) if lambda_ == 0 else traced_both(model, lambda_)[::2]


def traced_both(model: LinearModel, lambda_: Any) -> tuple[Array, Array, Array]:
    """A(λ), its transpose, and b(λ)."""
    return model.cached(("traced", lambda_), lambda: weighted_trace(model, lambda_))


def weighted_trace(model: LinearModel, lambda_: Any, weights: Array | None = None) -> tuple[Array, Array, Array]:
    """The same with the states weighted by d, or by `weights`."""
    discount = model.gamma * model.number(lambda_)
    ahead, returns = model.bellman(model.gamma, model.Phi), model.r
    if discount != 0:
        ahead, returns = model.resolvent(discount, ahead, returns)
    A = model.summed(model.weighted(ahead, weights))
    return model.by(A), model.by(model.transposed(A)), model.seen(model.weighted(returns, weights))


def traced_resolvent(model: LinearModel, lambda_: Any, name: str) -> Resolvent:
    """A(λ) as ΦᵀD times (I − γλP)⁻¹ times (I − γP)Φ, over ``lambda`` or over ``gamma``."""
    one, ahead = model.eye(model.n_states), model.times(model.P, model.Phi)
    seen = model.by(model.transposed(model.weighted(model.Phi)))
    if name == "lambda":
        return Resolvent(seen, one, -model.gamma * model.P, model.Phi - model.gamma * ahead, 0 * ahead)
    return Resolvent(seen, one, -model.number(lambda_) * model.P, model.Phi, -ahead)


def resolvent_determinant(model: LinearModel, lambda_: Any) -> Any:
    """det(I − γλP), positive for γλ < 1."""
    discount = model.gamma * model.number(lambda_)
    return (model.eye(model.n_states) - discount * model.P).det()
