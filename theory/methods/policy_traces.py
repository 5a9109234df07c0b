r"""Methods that know actions: traces cut by the policies instead of ratios, and one that squares each move's error.

With a TD error of weight w(s, a) and a trace that fades by γ c(s, a), averages over the actions of μ are

    T = Σ_a μ c P_a     W = Σ_a μ w P_a     k = Σ_a μ w     r_w = Σ_a μ w R_a
    A = ΦᵀD(I − γT)⁻¹(diag(k) − γW)Φ                        b = ΦᵀD(I − γT)⁻¹r_w

    v-trace       w = min(1, ρ), c = λ min(1, ρ)      truncated TD(λ) (Espeholt et al. 2018): of another policy's values
    tree-backup   w = ρ,         c = λ π(a|s)         (Precup, Sutton and Singh 2000)
    abtd          w = ρ,         c = ν π(a|s)         action-dependent: ν = min(ψ(ζ), 1/max(μ, π)) (Mahmood et al. 2017)

    naive-residual-gradient     A = E[ρ(φ − γφ')(φ − γφ')ᵀ],  b = E[ρR(φ − γφ')]

The last descends the mean square of TD errors of single moves (Sutton and Barto 2018, 11.5): with one successor a move,
which residual gradient needs two of. Where only P, and no action, is known, none of these is defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact.matrices import fractions
from theory.methods.method import Expected, Method, parameter
from theory.model.linear_model import LinearModel, NotApplicable
from theory.problems.numbers import Array, as_exact, as_floats
from theory.problems.sampling import sampled
from theory.thresholds.inequalities import Resolvent

Weight = Callable[[Array, Array], Array]  # of π and μ, (S, A) each, times μ


def actions(model: LinearModel) -> list[Array]:
    """What is left of P, R, π and μ, in the model's numbers."""
    if model.problem is None or model.problem.mdp is None:
        raise NotApplicable("it needs the actions and both policies", "mdp")
    mdp, pi, mu = sampled(model.problem)
    found = (mdp.going_on, mdp.expected_rewards(), pi, mu)
    return [as_exact(x) if model.exact else as_floats(x) for x in found]


def moved(model: LinearModel, weight: Weight) -> list[Any]:
    """Σ_a weight·P_a, Σ_a weight and Σ_a weight·R_a."""
    P, R, pi, mu = actions(model)
    weights = weight(pi, mu)
    together = (weights[:, :, None] * P).sum(axis=1), weights.sum(axis=1), (weights * R).sum(axis=1)
    return [model.vector(x) for x in together]


class ActionTraced(Method):
    """The base of the three that have a trace."""

    cost = "5F"
    memory = "2F"

    def error(self, pi: Array, mu: Array) -> Array:
        """μw: μρ is π."""
        return pi

    def fading(self, pi: Array, mu: Array) -> Array:
        """μc, but for λ."""
        raise NotImplementedError

    @property
    def decay(self) -> Any:
        """λ, where it has one."""
        return getattr(self, "lambda_", 1)

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.cached((self.label,), lambda: self._system(model))

    def _system(self, model: LinearModel) -> tuple[Array, Array]:
        L, (now, ahead, returns) = self._trace(model), self._errors(model)
        A = model.solve(L, now - model.gamma * ahead)
        return model.seen(model.weighted(A)), model.seen(model.weighted(model.solve(L, returns)))

    def _errors(self, model: LinearModel) -> tuple[Any, Any, Any]:
        """diag(k)Φ, WΦ, r_w."""
        W, k, returns = moved(model, self.error)
        return model.weighted(model.Phi, k), model.times(W, model.Phi), returns

    def _trace(self, model: LinearModel) -> Any:
        """I − γT."""
        faded = moved(model, self.fading)[0]  # first: where there are no actions, no matrix of the states is made
        return model.eye(model.n_states) - model.gamma * model.number(self.decay) * faded

    def degree(self, name: str, model: LinearModel) -> int:
        """A bordered determinant of which S rows know λ and γ."""
        return model.n_states

    def scale(self, model: LinearModel) -> Any:
        """det(I − γT)."""
        return self._trace(model).det()

    def resolvent(self, name: str, model: LinearModel) -> Resolvent:
        one, seen = model.eye(model.n_states), model.by(model.transposed(model.weighted(model.Phi)))
        T, (now, ahead, _) = moved(model, self.fading)[0], self._errors(model)
        if name == "lambda":
            return Resolvent(seen, one, -model.gamma * T, now - model.gamma * ahead, 0 * ahead)
        return Resolvent(seen, one, -model.number(self.decay) * T, now, -ahead)


@dataclass(frozen=True)
class VTrace(ActionTraced):
    """TD(λ) with ratios cut at one."""

    lambda_: Any = parameter(Fraction(9, 10), "the trace's λ", high=1)
    name = "v-trace"
    about = "TD(λ) with ratios cut at one"
    threshold_parameter = "lambda"

    def error(self, pi: Array, mu: Array) -> Array:
        return np.minimum(pi, mu)

    def fading(self, pi: Array, mu: Array) -> Array:
        return np.minimum(pi, mu)


@dataclass(frozen=True)
class TreeBackup(ActionTraced):
    """A trace that fades by the target's probabilities."""

    lambda_: Any = parameter(Fraction(9, 10), "the trace's λ", high=1)
    name = "tree-backup"
    aliases = ("tb-lambda",)
    about = "a trace that fades by λπ(a|s)"
    threshold_parameter = "lambda"

    def fading(self, pi: Array, mu: Array) -> Array:
        return np.asarray(pi * mu)


@dataclass(frozen=True)
class ABTD(ActionTraced):
    """Action-dependent bootstrapping."""

    zeta: Any = parameter(Fraction(1, 2), "how far it looks ahead, ζ", high=1)
    name = "abtd"
    about = "a trace that fades by νπ(a|s), with ν from ζ"

    def fading(self, pi: Array, mu: Array) -> Array:
        larger = np.maximum(pi, mu)
        most = larger[larger > 0]
        zeta = Fraction(self.zeta) if pi.dtype == object else float(self.zeta)
        least, top = 1 / most.max(), 1 / most.min()
        psi = 2 * zeta * least + max(0 * zeta, 2 * zeta - 1) * (top - 2 * least)
        nu = 0 * larger
        nu[larger > 0] = np.minimum(psi, 1 / most)
        return np.asarray(nu * pi * mu)


@dataclass(frozen=True)
class NaiveResidualGradient(Method):
    """Gradient descent on the TD errors of single moves."""

    name = "naive-residual-gradient"
    about = "gradient descent on TD errors, one successor a move"
    cost = "5F"
    memory = "F"

    def expected(self, model: LinearModel) -> Expected:
        return Expected("mean", *self.system(model))

    def system(self, model: LinearModel) -> tuple[Array, Array]:
        return model.cached((self.name,), lambda: self._system(model))

    def _system(self, model: LinearModel) -> tuple[Array, Array]:
        P, _, pi, _ = actions(model)
        assert model.problem is not None  # or `actions` had complained
        mdp, _, _ = sampled(model.problem)
        end = np.ones(P.shape[2]) if mdp.discount is None else mdp.discount
        d = fractions(model.d).reshape(-1) if model.exact else model.d
        end, whole = (as_exact(x) if model.exact else as_floats(x) for x in (end, mdp.R))
        flow = (d[:, None] * pi)[:, :, None] * P  # of what is left
        arriving = (
            flow.sum(axis=(0, 1)) * end,
            (flow * (whole if whole.ndim == 3 else whole[:, :, None])).sum(axis=(0, 1)),
        )
        again, gained = (model.vector(x) for x in arriving)
        gamma, b = model.gamma, model.seen(model.weighted(model.r))
        square = gamma * gamma * model.seen(model.weighted(model.Phi, again))
        return model.A - gamma * model.Y_transposed + square, b - gamma * model.seen(gained)

    def reason_for_all_values(self, name: str) -> str | None:
        return "E[ρ(φ − γφ')(φ − γφ')ᵀ] ≻ 0: where (v(s) − γv(s'))² is 0 at every move, (I − γP)v = 0 and v is 0"
