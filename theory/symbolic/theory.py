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
from theory.symbolic.alphabet import IllTyped
from theory.symbolic.certify import certify
from theory.symbolic.context import Sides
from theory.symbolic.decide import decide
from theory.symbolic.declarations import Declarations, Side
from theory.symbolic.forms import Rejected
from theory.symbolic.kernel import Proof
from theory.symbolic.matrices import Model
from theory.symbolic.models import Blueprint, ModelFunction, build_models
from theory.symbolic.outcomes import Certificate, Outcome
from theory.symbolic.relevant import is_part_of
from theory.symbolic.search import Limits


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
        return decide(self.theory, self, limits)

    @property
    def written(self) -> Sides:
        """Both sides as trees."""
        return self.left.tree, self.right.tree

    def latex(self) -> str:
        return f"{self.left.latex()} = {self.right.latex()}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


class Theory(Declarations):
    """Declare letters, assume, then prove.

    Parameters
    ----------
    scalars : str, default ""
        Names of commuting scalars, separated by spaces.

    See Also
    --------
    prove : An identity between the paper's letters, as text.

    Examples
    --------
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
        """Declare the letter for baseᵏ, with the lemma base·baseᵏ = baseᵏ·base.

        Parameters
        ----------
        base : Operator
            An arrow from a space to itself.
        name : str, default "G"
            What it is called.
        index : str, default "k"
            The name of the exponent.
        latex : str, optional
            How it is set.

        Returns
        -------
        Operator
            The letter.
        """
        self._own(base)
        if not isinstance(base, Operator):
            raise IllTyped(f"({base}) is no matrix; for γᵏ: T.scalar_sequence('g', 1, lambda g: T.gamma * g)")
        if base.source != base.target:
            raise IllTyped(f"({base}) : {base.type} has no powers: they need source = target")
        moving = [x for x in base.form.symbols if index in self.context.depends.get(x, ())]
        if moving:
            said = ", ".join(sorted(moving))
            raise ValueError(f"the base ({base}) moves with {index} ({said}): its power would not be base·base·…·base")
        with self._all_or_nothing():
            out = self.sequence(name, self.one(base.source), lambda p: base * p, index=index, latex=latex)
            self.lemma(f"{name}_{index} commutes", base * out, out * base)
        return out

    def geometric_sum(self, power: Operator, name: str = "W", *, latex: str | None = None) -> Operator:
        """Declare Σ_{i<k} baseⁱ for a letter made by `power`.

        Its lemmas are base·W + 1 = W + power and W·base + 1 = W + power.

        Parameters
        ----------
        power : Operator
            What `power` gave.
        name : str, default "W"
            What it is called.
        latex : str, optional
            How it is set.

        Returns
        -------
        Operator
            The letter.
        """
        recursion = self._sequences.get(power.tree[1]) if power.tree[0] == "letter" else None
        if recursion is None or f"{power.tree[1]} commutes" not in self.lemmas:
            raise ValueError(f"({power}) is not a letter made by Theory.power")
        index = recursion.index
        base = self.at(power, index, 1)
        with self._all_or_nothing():
            out = self.sequence(name, power.zero(), lambda w: w + power, index=index, latex=latex)
            self.lemma(f"{name}_{index} telescopes", base * out + 1, out + power)
            self.lemma(f"{name}_{index} commutes", base * out, out * base)
        return out

    # Models

    def model(self, function: ModelFunction, *sizes: Mapping[str, int]) -> ModelFunction:
        """Add a model: values for some letters, scalars and instances.

        The remaining letters are drawn or solved for, and every assumption is verified. For an idempotent A:
        ``T.model(lambda draw: {"A": [[1, 1], [0, 0]]}, {"N": 2})``; ``draw.matrix(3, 2)``, ``draw.stochastic(3)``,
        ``draw.number()`` draw exactly, ``draw.dims["N"]`` is the dimension of N.

        Parameters
        ----------
        function : callable
            From a `Draw` to values by name.
        *sizes : mapping
            Dimensions of the spaces, by name.

        Returns
        -------
        callable
            The function, so that this can decorate it.
        """
        if not callable(function):
            raise TypeError(f"a model is a function, as in T.model(lambda draw: {{…}}); got {function!r}")
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
        """State left = right without deciding it.

        Parameters
        ----------
        name : str
            What the claim is called.
        left, right : Operator, Scalar or number
            Both sides; `right` is 0 by default.
        using : sequence of str, optional
            Assumptions and lemmas to which the search is limited.

        Returns
        -------
        Claim
            ``.decide()`` decides it.
        """
        if not isinstance(name, str):
            raise TypeError(f"the name comes first: T.prove('a name', {name}, {left}); got {name!r} for a name")
        if isinstance(using, str):
            raise TypeError(f"`using` is a list of names, as in using=[{using!r}]")
        first, second = self._sides(left, right)
        return Claim(self, name, first, second, None if using is None else tuple(using))

    def prove(
        self,
        name: str,
        left: Side,
        right: Side = 0,
        *,
        using: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Decide left = right: for all dimensions, and for all k where sequences occur.

        Parameters
        ----------
        name : str
            What the claim is called.
        left, right : Operator, Scalar or number
            Both sides; `right` is 0 by default.
        using : sequence of str, optional
            Assumptions and lemmas to which the search is limited.
        limits : Limits, optional
            Bounds on the search.

        Returns
        -------
        Proved, Refuted or Open
            With a certificate, a counterexample, or neither.
        """
        return self.claim(name, left, right, using=using).decide(limits)

    for_all_k = prove

    def lemma(self, name: str, left: Side, right: Side = 0, *, using: Sequence[str] | None = None) -> Proof:
        """Prove left = right by algebra and assumptions, and use it from now on.

        Parameters
        ----------
        name : str
            What the lemma is called.
        left, right : Operator, Scalar or number
            Both sides; `right` is 0 by default.
        using : sequence of str, optional
            Assumptions and lemmas to which the search is limited.

        Returns
        -------
        Proof
            What the kernel accepted.

        Raises
        ------
        ValueError
            It was not proved; the message has what is left over.
        """
        self._check_name(name)
        claim = self.claim(name, left, right, using=using)
        proof, residue = certify(self, claim)
        if proof is None:
            raise ValueError(f"the lemma {name!r} was not proved; left over: {residue}")
        self.lemmas[name] = proof
        return proof

    def accepts(self, certificate: Certificate) -> bool:
        """Check a (stored) certificate: its assumptions are this theory's, and the kernel accepts it.

        Parameters
        ----------
        certificate : Certificate
            What a proof gave, or ``Certificate.from_dict`` read.

        Returns
        -------
        bool
            Whether it holds here.
        """
        try:
            certificate.check()
        except Rejected:
            return False
        return is_part_of(certificate.context, self.context)

    def _changed(self) -> None:
        super()._changed()
        self._models = None
