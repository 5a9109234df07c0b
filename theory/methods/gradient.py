r"""Gradient TD: θ with auxiliary weights w ≈ X⁻¹(b − Aθ), on z = (θ, w), with the ratio η = β/α.

    gtd2   [[0, −Aᵀ], [ηA, ηX]]                 stable for every η > 0 ⇔ det A ≠ 0
    tdc    [[A, γYᵀ], [ηA, ηX]]                 stable for η large enough where det A ≠ 0
    tdrc   [[A, γYᵀ], [ηA, η(X + κI)]]          as tdc, with a ridge κ on w

All rest at w = 0, Aθ = b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.methods.method import Expected, Method, parameter
from theory.model.linear_model import LinearModel


@dataclass(frozen=True)
class GTD2(Method):
    """Gradient TD, second form."""

    ratio: Any = parameter(1, "η = β/α, the step size of w by that of θ", low_open=True)
    name: ClassVar[str] = "gtd2"
    about: ClassVar[str] = "gradient TD: θ moves along Aᵀw"
    own: ClassVar[str | None] = "ratio"
    affine: ClassVar[tuple[str, ...]] = ("gamma",)
    cost: ClassVar[str] = "6F"
    memory: ClassVar[str] = "2F"

    def expected(self, model: LinearModel) -> Expected:
        ratio = model.number(self.ratio)
        matrix = model.blocks(0 * model.A, -model.A_transposed, ratio * model.A, ratio * model.X)
        return Expected("mean", matrix, model.stack(0 * model.b, ratio * model.b))

    def question(self, model: LinearModel) -> Expected:
        """For every ratio it is whether det A ≠ 0 (field-11)."""
        return Expected("direct", model.A, model.b)

    def degree(self, name: str, model: LinearModel) -> int:
        """The ratio does not occur in it."""
        return 0 if name == "ratio" else model.rank


@dataclass(frozen=True)
class TDC(Method):
    """TD with gradient correction."""

    ratio: Any = parameter(1, "η = β/α, the step size of w by that of θ", low_open=True)
    name: ClassVar[str] = "tdc"
    about: ClassVar[str] = "TD with a gradient correction"
    own: ClassVar[str | None] = "ratio"
    affine: ClassVar[tuple[str, ...]] = ("ratio", "gamma")
    cost: ClassVar[str] = "6F"
    memory: ClassVar[str] = "2F"

    def expected(self, model: LinearModel) -> Expected:
        ratio = model.number(self.ratio)
        correction = model.gamma * model.Y_transposed
        matrix = model.blocks(model.A, correction, ratio * model.A, ratio * (model.X + self.ridge(model)))
        return Expected("mean", matrix, model.stack(model.b, ratio * model.b))

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
    name: ClassVar[str] = "tdrc"
    about: ClassVar[str] = "TDC with a ridge κ on its auxiliary weights"
    own: ClassVar[str | None] = "ratio"
    affine: ClassVar[tuple[str, ...]] = ("ratio", "kappa", "gamma")
    cost: ClassVar[str] = "7F"
    memory: ClassVar[str] = "2F"

    def ridge(self, model: LinearModel) -> Any:
        return model.number(self.kappa) * model.eye()
