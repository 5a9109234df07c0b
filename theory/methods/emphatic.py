r"""Emphatic TD (Sutton, Mahmood and White 2016), interest one: TD(λ) with the states weighted by emphasis.

    f = (I − γPᵀ)⁻¹d        m = (1 − λ)f + λd        A_E = Φᵀdiag(m)(I − γλP)⁻¹(I − γP)Φ

A_E + A_Eᵀ ≻ 0 for independent features (field-10), so it is always stable, at a fixed point of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.methods.method import Expected, Method, parameter
from theory.methods.multi_step import traced
from theory.model.linear_model import LinearModel
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

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        lambda_ = model.number(self.lambda_)

        def emphatic() -> tuple[Array, Array]:
            return traced(model, self.lambda_, (1 - lambda_) * model.follow_on(model.gamma) + lambda_ * model.d)

        return model.once(("emphatic", self.lambda_), emphatic)

    def everywhere(self, name: str, model: LinearModel) -> str | None:
        return "A_E + A_Eᵀ ≻ 0 for every λ and γ (field-10)"
