r"""Methods that solve or minimise instead of following TD's step.

    lstd                solves A(λ)θ = b(λ) at once            there is a solution ⇔ det A(λ) ≠ 0
    residual-gradient   descends ‖r − (I − γP)Φθ‖²_D:          ((I − γP)Φ)ᵀD(I − γP)Φ ≻ 0 for independent features

Residual gradient's θ minimises the Bellman error, not the value error: it has a fixed point of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.methods.method import Expected, Method, parameter
from theory.methods.multi_step import resolvent_determinant, traced, traced_resolvent
from theory.model.linear_model import LinearModel
from theory.problems.numbers import Array
from theory.thresholds.inequalities import Resolvent


@dataclass(frozen=True)
class LSTD(Method):
    """Least-squares TD(λ)."""

    lambda_: Any = parameter(0, "the trace's λ", high=1)
    name: ClassVar[str] = "lstd"
    aliases: ClassVar[tuple[str, ...]] = ("lstd-lambda",)
    about: ClassVar[str] = "least-squares TD(λ): solves the system"
    own: ClassVar[str | None] = "lambda"
    cost: ClassVar[str] = "F², and F³/3 to solve"
    memory: ClassVar[str] = "F²"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("direct", *self.system(model))

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
class ResidualGradient(Method):
    """Gradient descent on the mean squared Bellman error, with two independent successors a move."""

    name: ClassVar[str] = "residual-gradient"
    aliases: ClassVar[tuple[str, ...]] = ("brm",)
    about: ClassVar[str] = "gradient descent on the Bellman error"
    cost: ClassVar[str] = "5F"
    memory: ClassVar[str] = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.once(("residual",), lambda: _residual(model))

    def everywhere(self, name: str) -> str | None:
        return "a Gram matrix of independent columns, positive definite (field-13)"


def _residual(model: LinearModel) -> tuple[Array, Array]:
    """The Gram matrix of (I − γP)Φ, and its products with r."""
    residual = model.bellman(model.gamma, model.Phi)
    back = model.transposed(residual)
    return model.by(model.times(back, model.weighted(residual))), model.by(model.times(back, model.weighted(model.r)))
