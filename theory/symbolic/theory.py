"""A theory: what is declared and assumed, its models and lemmas, and the claims it decides.

    T = Theory("gamma")                                     # commuting scalars
    Phi = T.op("Phi", "F -> S")                             # a letter is an arrow between spaces
    D = T.op("D", "S -> S", symmetric=True)
    Xi = T.inverse(Phi.T * D * Phi, "Xi")                   # two-sided inverse, by assumption
    T.prove("projection", (Phi * Xi * Phi.T * D) ** 2, Phi * Xi * Phi.T * D)

`prove` refutes first, on exact models, and searches for a certificate only when no model objects; what the search
finds counts once the kernel has expanded it. A theory of which no model is known answers `Open` to everything: its
assumptions may contradict each other, and then prove anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from theory.symbolic.algebra import Operator, Scalar
from theory.symbolic.certify import certify
from theory.symbolic.context import HYPOTHESIS, Rejected
from theory.symbolic.decide import decide
from theory.symbolic.declarations import Declarations, Side
from theory.symbolic.kernel import Proof
from theory.symbolic.matrices import Model
from theory.symbolic.models import Blueprint, ModelFunction, build_models
from theory.symbolic.outcomes import Certificate, Outcome
from theory.symbolic.search import Limits
from theory.symbolic.stored import is_part_of


@dataclass(frozen=True)
class Claim:
    """left = right, in a theory; `zero` is left − right."""

    theory: Theory
    name: str
    left: Operator | Scalar
    right: Operator | Scalar
    using: tuple[str, ...] | None = None

    @property
    def zero(self) -> Operator | Scalar:
        return self.left - self.right

    def decide(self, limits: Limits | None = None) -> Outcome:
        """Refute on the models, else prove, else leave open."""
        return decide(self.theory, self.name, self.zero, limits, self.using)

    def latex(self) -> str:
        return f"{self.left.latex()} = {self.right.latex()}"

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


class Theory(Declarations):
    """Declare letters, assume, then prove; see the module's text.

    >>> T = Theory()
    >>> A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    >>> T.prove("square", (A + B) ** 2, A**2 + A * B + B * A + B**2).verdict
    'proved'
    """

    def __init__(self, scalars: str = "") -> None:
        super().__init__(scalars)
        self._functions: list[tuple[ModelFunction, list[Mapping[str, int]]]] = []
        self._models: list[Model] | None = None
        self.model_complaints: list[str] = []  # why attempts at a model failed

    # Sequences with their standard lemmas

    def power(self, base: Operator, name: str = "G", *, index: str = "k", latex: str | None = None) -> Operator:
        """The letter for baseᵏ, with the lemma base·baseᵏ = baseᵏ·base."""
        out = self.sequence(name, self.one(base.source), lambda p: base * p, index=index, latex=latex)
        self.lemma(f"{name}_{index} commutes", base * out, out * base)
        return out

    def geometric_sum(self, power: Operator, name: str = "W", *, latex: str | None = None) -> Operator:
        """Σ_{i<k} baseⁱ for a letter made by `power`, with base·W + 1 = W + power and W·base + 1 = W + power."""
        word = next(iter(power.terms))[1] if len(power.terms) == 1 else ()
        if len(word) != 1 or word[0] not in self._sequences:
            raise ValueError(f"({power}) is not a letter made by Theory.power")
        index = self._sequences[word[0]].index
        base = self.at(power, index, 1)
        out = self.sequence(name, 0 * power, lambda w: w + power, index=index, latex=latex)
        self.lemma(f"{name}_{index} telescopes", base * out + 1, out + power)
        self.lemma(f"{name}_{index} commutes", base * out, out * base)
        return out

    # Models

    def model(self, function: ModelFunction, *sizes: Mapping[str, int]) -> ModelFunction:
        """Values for some letters, scalars and instances, by a function of a `Draw`, at the given sizes.

        The remaining letters are drawn or solved for, and every assumption is verified. For an idempotent A:
        ``T.model(lambda draw: {"A": [[1, 1], [0, 0]]}, {"N": 2})``; ``draw.matrix(3, 2)``, ``draw.stochastic(3)``,
        ``draw.number()`` draw exactly, ``draw.dims["N"]`` is the dimension of N.
        """
        self._functions.append((function, list(sizes)))
        self._changed()
        return function

    @property
    def models(self) -> list[Model]:
        """Verified exact models, the same ones every time."""
        if self._models is None:
            blueprint = Blueprint(self.context, self._order, self._solve_for, self._functions)
            self._models, self.model_complaints = build_models(blueprint)
        return self._models

    # Claims

    def claim(self, name: str, left: Side, right: Side = 0, *, using: Sequence[str] | None = None) -> Claim:
        """State without deciding; `using` limits the search to some assumptions and lemmas."""
        zero = self._difference(left, right)
        side = left if isinstance(left, Operator) or isinstance(zero, Scalar) else 0 * zero + left
        side = side if isinstance(side, Operator | Scalar) else 0 * zero + side
        return Claim(self, name, side, side - zero, None if using is None else tuple(using))

    def prove(
        self,
        name: str,
        left: Side,
        right: Side = 0,
        *,
        using: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Decide left = right: for all dimensions, and for all k where sequences occur."""
        return self.claim(name, left, right, using=using).decide(limits)

    for_all_k = prove

    def lemma(self, name: str, left: Side, right: Side = 0, *, using: Sequence[str] | None = None) -> Proof:
        """Prove by algebra and assumptions, and use from now on; anything but a proof is an error."""
        if name in self.lemmas or name in self._assumptions or name == HYPOTHESIS:
            raise ValueError(f"the name {name!r} is taken")
        proof, residue = certify(self, name, self._difference(left, right), None, using)
        if proof is None:
            raise ValueError(f"the lemma {name!r} was not proved; left over: {residue}")
        self.lemmas[name] = proof
        return proof

    def accepts(self, certificate: Certificate) -> bool:
        """Does a (stored) certificate rest on this theory's own assumptions, and does the kernel accept it?"""
        try:
            certificate.check()
        except Rejected:
            return False
        return is_part_of(certificate.context, self.context)

    def _changed(self) -> None:
        super()._changed()
        self._models = None
