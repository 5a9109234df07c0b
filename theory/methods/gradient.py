r"""Gradient TD: θ with auxiliary weights w ≈ X⁻¹(b − Aθ), on z = (θ, w), with the ratio η = β/α.

    gtd2   [[0, −Aᵀ], [ηA, ηX]]                 stable for every η > 0 ⇔ det A ≠ 0
    tdc    [[A, γYᵀ], [ηA, ηX]]                 stable for η large enough where det A ≠ 0
    tdrc   [[A, γYᵀ], [ηA, η(X + κI)]]          as tdc, with a ridge κ on w

All rest at w = 0, Aθ = b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from theory.methods.ground import Ground
from theory.methods.method import Expected, Method, parameter


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

    def expected(self, ground: Ground) -> Expected:
        ratio = ground.number(self.ratio)
        matrix = ground.blocks(0 * ground.A, -ground.A_transposed, ratio * ground.A, ratio * ground.X)
        return Expected("mean", matrix, np.concatenate([0 * ground.b, ratio * ground.b]))

    def question(self, ground: Ground) -> Expected:
        """For every ratio it is whether det A ≠ 0 (field-11)."""
        return Expected("direct", ground.A, ground.b)

    def degree(self, name: str, ground: Ground) -> int:
        """The ratio does not occur in it."""
        return 0 if name == "ratio" else ground.rank


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

    def expected(self, ground: Ground) -> Expected:
        ratio = ground.number(self.ratio)
        correction = ground.gamma * ground.Y_transposed
        matrix = ground.blocks(ground.A, correction, ratio * ground.A, ratio * (ground.X + self.ridge(ground)))
        return Expected("mean", matrix, np.concatenate([ground.b, ratio * ground.b]))

    def ridge(self, ground: Ground) -> Any:
        """What w shrinks by, per β."""
        return 0

    def degree(self, name: str, ground: Ground) -> int:
        """The ratio is in the rows of w alone; γ in all of them."""
        return ground.rank if name in ("ratio", "kappa") else 2 * ground.rank


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

    def ridge(self, ground: Ground) -> Any:
        return ground.number(self.kappa) * ground.eye()
