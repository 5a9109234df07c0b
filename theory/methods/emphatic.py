r"""Emphatic TD (Sutton, Mahmood and White 2016), interest one: TD(λ) with the states weighted by emphasis.

    f = (I − γPᵀ)⁻¹d        m = (1 − λ)f + λd        A_E = Φᵀdiag(m)(I − γλP)⁻¹(I − γP)Φ

A_E + A_Eᵀ ≻ 0 for independent features (field-10), so it is always stable, at a fixed point of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.methods.ground import Ground
from theory.methods.method import Expected, Method, parameter
from theory.methods.multi_step import traced
from theory.problems.numbers import Array


@dataclass(frozen=True)
class ETD(Method):
    """Emphatic TD."""

    lambda_: Any = parameter(0, "the trace's λ", high=1)
    name: ClassVar[str] = "etd"
    aliases: ClassVar[tuple[str, ...]] = ("emphatic-td",)
    about: ClassVar[str] = "emphatic TD(λ)"
    own: ClassVar[str | None] = "lambda"
    cost: ClassVar[str] = "5F"
    memory: ClassVar[str] = "2F"

    def expected(self, ground: Ground) -> Expected:
        return Expected("mean", *self.system(ground))

    def system(self, ground: Ground) -> tuple[Array, Array]:
        lambda_ = ground.number(self.lambda_)

        def emphatic() -> tuple[Array, Array]:
            return traced(ground, self.lambda_, (1 - lambda_) * ground.follow_on(ground.gamma) + lambda_ * ground.d)

        return ground.once(("emphatic", self.lambda_), emphatic)

    def everywhere(self, name: str, ground: Ground) -> str | None:
        return "A_E + A_Eᵀ ≻ 0 for every λ and γ (field-10)"
