r"""Methods that solve or minimise instead of following TD's step.

    lstd                solves A(λ)θ = b(λ) at once            there is a solution ⇔ det A(λ) ≠ 0
    residual-gradient   descends ‖r − (I − γP)Φθ‖²_D:          ((I − γP)Φ)ᵀD(I − γP)Φ ≻ 0 for independent features

Residual gradient's θ minimises the Bellman error, not the value error: it has a fixed point of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.methods.ground import Ground
from theory.methods.method import Expected, Method, parameter
from theory.methods.multi_step import resolvent_determinant, traced, traced_resolvent
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

    def expected(self, ground: Ground) -> Expected:
        return Expected("direct", *self.system(ground))

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


@dataclass(frozen=True)
class ResidualGradient(Method):
    """Gradient descent on the mean squared Bellman error, with two independent successors a move."""

    name: ClassVar[str] = "residual-gradient"
    aliases: ClassVar[tuple[str, ...]] = ("brm",)
    about: ClassVar[str] = "gradient descent on the Bellman error"
    cost: ClassVar[str] = "5F"
    memory: ClassVar[str] = "F"

    def expected(self, ground: Ground) -> Expected:
        return Expected("mean", *self.system(ground))

    def system(self, ground: Ground) -> tuple[Array, Array]:
        return ground.once(("residual",), lambda: _residual(ground))

    def everywhere(self, name: str, ground: Ground) -> str | None:
        return "a Gram matrix of independent columns, positive definite (field-13)"


def _residual(ground: Ground) -> tuple[Array, Array]:
    """The Gram matrix of (I − γP)Φ, and its products with r."""
    residual = ground.bellman(ground.gamma, ground.Phi)
    gram = ground.times(residual.T, ground.weighted(residual))
    b = ground.times(residual.T, ground.weighted(ground.r))
    return ground.times(ground.G, gram), ground.times(ground.G, b)
