r"""Gradient TD: θ with auxiliary weights w ≈ X⁻¹(b − Aθ), on z = (θ, w), with the ratio η = β/α.

    gtd           [[0, −Aᵀ], [ηA, ηI]]               stable for every η > 0 ⇔ det A ≠ 0 (Sutton et al. 2008)
    gtd2          [[0, −Aᵀ], [ηA, ηX]]               the same
    gtd2-mp       z ← z + αg(z + αg(z)) for gtd2's   mirror-prox: gtd2 with a step to look ahead (Liu et al. 2015)
                  mean update g
    tdc           [[A, γYᵀ], [ηA, ηX]]               stable for η large enough where det A ≠ 0
    tdrc          [[A, γYᵀ], [ηA, η(X + κI)]]        as tdc, with a ridge κ on w
    htd           [[A, A_μᵀ − Aᵀ], [ηA, ηA_μᵀ]]      hybrid TD: TD where μ = π (White and White 2016)

With traces A(λ) takes the place of A, and X − A(λ)ᵀ that of γYᵀ = X − Aᵀ: gtd2-lambda, tdc-lambda, tdrc-lambda. All
rest at w = 0, A(λ)θ = b(λ).

    residual-gradient   descends ‖r − (I − γP)Φθ‖²_D:          ((I − γP)Φ)ᵀD(I − γP)Φ ≻ 0 for independent features

minimises the Bellman error, not the value error, and has a fixed point of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from theory.methods.method import Expected, Method, parameter
from theory.methods.multi_step import resolvent_determinant, traced, traced_both, traced_resolvent
from theory.model.linear_model import LinearModel
from theory.problems.numbers import Array
from theory.thresholds.inequalities import Resolvent


@dataclass(frozen=True)
class GTD2(Method):
    """Gradient TD, second form."""

    ratio: Any = parameter(1, "η = β/α, the step size of w by that of θ", low_open=True)
    name = "gtd2"
    about = "gradient TD: θ moves along Aᵀw"
    threshold_parameter = "ratio"
    affine: ClassVar[tuple[str, ...]] = ("gamma",)
    cost = "6F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        ratio = model.number(self.ratio)
        matrix = model.blocks(0 * model.A, -model.A_transposed, ratio * model.A, ratio * self.metric(model))
        return Expected("mean", matrix, model.stack(0 * model.b, ratio * model.b))

    def metric(self, model: LinearModel) -> Any:
        """What w is multiplied by, per β."""
        return model.X

    def question(self, model: LinearModel) -> Expected:
        """For every ratio it is whether det A ≠ 0 (field-11)."""
        return Expected("direct", model.A, model.b)

    def degree(self, name: str, model: LinearModel) -> int:
        """The ratio does not occur in it."""
        return 0 if name == "ratio" else model.rank


@dataclass(frozen=True)
class GTD(GTD2):
    """Gradient TD, first form."""

    name = "gtd"
    about = "gradient TD of 2008: w tracks b − Aθ"

    def metric(self, model: LinearModel) -> Any:
        return model.eye()


@dataclass(frozen=True)
class ProximalGTD2(Method):
    """GTD2 by mirror-prox: the step is taken with the gradient one step ahead."""

    alpha: Any = parameter(None, "the step size α", low_open=True)
    ratio: Any = parameter(1, "η = β/α, the step size of w by that of θ", low_open=True)
    name = "gtd2-mp"
    aliases = ("proximal-gtd2",)
    about = "GTD2 that looks a step ahead (mirror-prox)"
    threshold_parameter = "alpha"
    cost = "12F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        values = self.settings
        _, M, vector = GTD2(values["ratio"]).expected(model)
        alpha = model.number(values["alpha"])
        one, step = model.eye(2 * model.rank), alpha * M
        ahead = one - step
        return Expected("iteration", one - model.times(step, ahead), model.times(ahead, alpha * vector))

    def degree(self, name: str, model: LinearModel) -> int:
        """Every entry is of second degree."""
        return 4 * model.rank


@dataclass(frozen=True)
class GTD2Lambda(GTD2):
    """GTD2 with a trace."""

    lambda_: Any = parameter(Fraction(9, 10), "the trace's λ", high=1)
    name = "gtd2-lambda"
    about = "GTD2 with a trace"
    affine = ()
    threshold_parameter = "lambda"
    cost = "8F"
    memory = "3F"

    def expected(self, model: LinearModel) -> Expected:
        ratio = model.number(self.ratio)
        A, A_transposed, b = traced_both(model, self.lambda_)
        matrix = model.blocks(0 * A, -A_transposed, ratio * A, ratio * model.X)
        return Expected("mean", matrix, model.stack(0 * b, ratio * b))

    def question(self, model: LinearModel) -> Expected:
        """For every ratio it is whether det A(λ) ≠ 0."""
        return Expected("direct", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return traced(model, self.lambda_)

    def degree(self, name: str, model: LinearModel) -> int:
        """A bordered determinant of which S rows know λ and γ."""
        return 0 if name == "ratio" else model.n_states

    def scale(self, model: LinearModel) -> Any:
        """det(I − γλP)."""
        return resolvent_determinant(model, self.lambda_)

    def resolvent(self, name: str, model: LinearModel) -> Resolvent:
        return traced_resolvent(model, self.lambda_, name)


@dataclass(frozen=True)
class TDC(Method):
    """TD with gradient correction."""

    ratio: Any = parameter(1, "η = β/α, the step size of w by that of θ", low_open=True)
    name = "tdc"
    about = "TD with a gradient correction"
    threshold_parameter = "ratio"
    affine: ClassVar[tuple[str, ...]] = ("ratio", "gamma")
    cost = "6F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        ratio = model.number(self.ratio)
        A, A_transposed, b = self.trace(model)
        matrix = model.blocks(A, model.X - A_transposed, ratio * A, ratio * (model.X + self.ridge(model)))
        return Expected("mean", matrix, model.stack(b, ratio * b))

    def trace(self, model: LinearModel) -> tuple[Array, Array, Array]:
        """A, Aᵀ and b."""
        return model.A, model.A_transposed, model.b

    def ridge(self, model: LinearModel) -> Any:
        """What w shrinks by, per β."""
        return 0 * model.eye()

    def degree(self, name: str, model: LinearModel) -> int:
        """The ratio is in the rows of w alone; γ in all of them."""
        return model.rank if name in ("ratio", "kappa") else 2 * model.rank


@dataclass(frozen=True)
class TDRC(TDC):
    """TDC with a ridge on w."""

    kappa: Any = parameter(1, "the ridge κ on w")
    name = "tdrc"
    about = "TDC with a ridge κ on its auxiliary weights"
    threshold_parameter = "ratio"
    affine = ("ratio", "kappa", "gamma")
    cost = "7F"
    memory = "2F"

    def ridge(self, model: LinearModel) -> Any:
        return model.number(self.kappa) * model.eye()


@dataclass(frozen=True)
class TDCLambda(TDC):
    """TDC with a trace."""

    lambda_: Any = parameter(Fraction(9, 10), "the trace's λ", high=1)
    name = "tdc-lambda"
    aliases: ClassVar[tuple[str, ...]] = ("gtd-lambda",)
    about = "TDC with a trace"
    affine: ClassVar[tuple[str, ...]] = ("ratio",)
    cost = "8F"
    memory = "3F"

    def trace(self, model: LinearModel) -> tuple[Array, Array, Array]:
        return traced_both(model, self.lambda_)

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return traced(model, self.lambda_)

    def degree(self, name: str, model: LinearModel) -> int:
        """λ and γ are in S rows of a bordered determinant for A(λ), and in S for its transpose."""
        return model.rank if name in ("ratio", "kappa") else 2 * model.n_states

    def scale(self, model: LinearModel) -> Any:
        """det(I − γλP)²."""
        return resolvent_determinant(model, self.lambda_) ** 2


@dataclass(frozen=True)
class TDRCLambda(TDCLambda):
    """TDRC with a trace."""

    kappa: Any = parameter(1, "the ridge κ on w")
    name = "tdrc-lambda"
    aliases = ()
    about = "TDRC with a trace"
    affine = ("ratio", "kappa")
    cost = "9F"

    def ridge(self, model: LinearModel) -> Any:
        return model.number(self.kappa) * model.eye()


@dataclass(frozen=True)
class HTD(Method):
    """Hybrid TD."""

    ratio: Any = parameter(1, "η = β/α, the step size of w by that of θ", low_open=True)
    name = "htd"
    aliases = ("hybrid-td",)
    about = "hybrid TD: TD where the behaviour is the target"
    threshold_parameter = "ratio"
    affine = ("ratio", "gamma")
    cost = "7F"
    memory = "2F"

    def expected(self, model: LinearModel) -> Expected:
        ratio, behaviour = model.number(self.ratio), model.behaviour.A_transposed
        matrix = model.blocks(model.A, behaviour - model.A_transposed, ratio * model.A, ratio * behaviour)
        return Expected("mean", matrix, model.stack(model.b, ratio * model.b))

    def degree(self, name: str, model: LinearModel) -> int:
        """The ratio is in the rows of w alone; γ in all of them."""
        return model.rank if name == "ratio" else 2 * model.rank


@dataclass(frozen=True)
class ResidualGradient(Method):
    """Gradient descent on the mean squared Bellman error, with two independent successors a move."""

    name = "residual-gradient"
    aliases = ("brm",)
    about = "gradient descent on the Bellman error"
    cost = "5F"
    memory = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.cached(("residual",), lambda: _residual(model))

    def reason_for_all_values(self, name: str) -> str | None:
        return "a Gram matrix of independent columns, positive definite (field-13)"


def _residual(model: LinearModel) -> tuple[Array, Array]:
    """The Gram matrix of (I − γP)Φ, and its products with r."""
    residual = model.bellman(model.gamma, model.Phi)
    back = model.transposed(residual)
    return model.by(model.times(back, model.weighted(residual))), model.by(model.times(back, model.weighted(model.r)))
