"""Declaring things: scalars, letters, assumptions, sequences, instances.

Every declaration is checked when it is made: a name is declared once, an arrow has a type, an assumption does not
speak of a sequence (it would have to hold for all k; see `Declarations.instance` for one fixed index). The result is an
immutable `Context` for the kernel and an order of declaration for the models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, TypeVar

from theory.symbolic.algebra import Operator, Scalar, as_scalar, from_form, identity, letter, scalar
from theory.symbolic.alphabet import Alphabet, IllTyped
from theory.symbolic.certify import TURNED
from theory.symbolic.context import HYPOTHESIS, MAX_AT, Context, Recursion, Sides
from theory.symbolic.forms import Form
from theory.symbolic.kernel import Proof

Side = Operator | Scalar | int | Fraction
Letter = TypeVar("Letter", Operator, Scalar)
RESERVED = (HYPOTHESIS, TURNED)


class Declarations:
    """Letters, assumptions and sequences; scalars are attributes: ``T.gamma``."""

    def __init__(self, scalars: str = "") -> None:
        self.alphabet = Alphabet()
        self.lemmas: dict[str, Proof] = {}
        self._assumptions: dict[str, Form] = {}
        self._written: dict[str, Sides] = {}
        self._sequences: dict[str, Recursion] = {}
        self._instances: dict[str, tuple[str, Mapping[str, str]]] = {}
        self._order: list[str] = []
        self._solve_for: dict[str, str] = {}
        self._context: Context | None = None
        for name in scalars.split():
            self.scalar(name)

    def __repr__(self) -> str:
        a = self.alphabet
        letters = [f"{x} : {s} -> {t}" for x, (s, t) in a.letters.items() if not x.endswith("^T")]
        parts = [", ".join(a.scalars), *letters, f"{len(self._assumptions)} assumptions"]
        return f"Theory({'; '.join(part for part in parts if part)})"

    def __getattr__(self, name: str) -> Scalar:
        alphabet = self.__dict__.get("alphabet")  # absent while a copy is being made
        if alphabet is not None and name in alphabet.scalars:
            return scalar(alphabet, name)
        raise AttributeError(f"the theory has no scalar {name!r}; declare it with T.scalar({name!r})")

    # Letters

    def scalar(self, name: str, latex: str | None = None) -> Scalar:
        """Declare a commuting scalar.

        Parameters
        ----------
        name : str
            What it is called.
        latex : str, optional
            How it is set.

        Returns
        -------
        Scalar
            The letter.
        """
        self.alphabet.add_scalar(name, latex)
        self._order.append(name)
        self._changed()
        return scalar(self.alphabet, name)

    def op(self, name: str, arrow: str, *, symmetric: bool = False, latex: str | None = None) -> Operator:
        """Declare a letter, e.g. ``T.op("Phi", "F -> S")``; vectors are arrows from 1.

        Parameters
        ----------
        name : str
            What it is called.
        arrow : str
            Its type, source and target: ``"F -> S"`` is an S×F matrix.
        symmetric : bool, default False
            Whether it equals its transpose.
        latex : str, optional
            How it is set.

        Returns
        -------
        Operator
            The letter.
        """
        source, separator, target = (part.strip() for part in arrow.partition("->"))
        if not separator or not source or not target:
            raise IllTyped(f"{name!r} needs a type such as 'F -> S', got {arrow!r}")
        self.alphabet.add_letter(name, source, target, symmetric, latex)
        self._order.append(name)
        self._changed()
        return letter(self.alphabet, name)

    def one(self, space: str) -> Operator:
        """Make the identity of a space; in a sum the number 1 does as well.

        Parameters
        ----------
        space : str
            Its name.

        Returns
        -------
        Operator
            The identity.
        """
        return identity(self.alphabet, space)

    # Assumptions

    def assume(self, name: str, left: Side, right: Side = 0, *, solve_for: str | None = None) -> None:
        """Assume left = right.

        Parameters
        ----------
        name : str
            What the assumption is called.
        left, right : Operator, Scalar or number
            Both sides; `right` is 0 by default.
        solve_for : str, optional
            The letter for which models are solved; by default the last in it.
        """
        sides = self._sides(left, right)
        form = (sides[0] - sides[1]).form
        self._check_name(name)
        sequences = {n for s in self._sequences for n in (s, self.alphabet.flips.get(s, s))}
        if form.symbols & sequences:
            said = ", ".join(sorted(form.symbols & sequences))
            raise ValueError(f"the assumption {name!r} speaks of a sequence ({said}); see Theory.instance")
        if not form.terms:
            raise ValueError(f"the assumption {name!r} says 0 = 0")
        if solve_for is not None and solve_for not in self._order:
            raise ValueError(f"{name!r} cannot be solved for {solve_for!r}, which is not a declared letter or scalar")
        if solve_for is not None and not form.symbols & {solve_for, self.alphabet.flips.get(solve_for, solve_for)}:
            raise ValueError(f"{name!r} cannot be solved for {solve_for!r}, which does not occur in it")
        self._assumptions[name], self._written[name] = form, (sides[0].tree, sides[1].tree)
        if solve_for is not None:
            self._solve_for[name] = solve_for
        self._changed()

    def abbreviate(self, name: str, value: Operator, *, latex: str | None = None) -> Operator:
        """Name an expression: it prints as the name, and proofs see what it stands for.

        No letter is declared and nothing assumed. Compare `define`, which makes a letter that proofs may also leave
        folded.

        Parameters
        ----------
        name : str
            What it is called.
        value : Operator
            The expression.
        latex : str, optional
            How it is set.

        Returns
        -------
        Operator
            The same expression.
        """
        self._own(value)
        self.alphabet.add_definition(name, value.tree, latex)
        self._changed()
        return from_form(self.alphabet, value.form, ("name", name))

    def define(self, name: str, value: Operator, *, latex: str | None = None) -> Operator:
        """Declare a letter that abbreviates an expression: the assumption ``name = value``.

        Parameters
        ----------
        name : str
            What it is called.
        value : Operator
            The expression.
        latex : str, optional
            How it is set.

        Returns
        -------
        Operator
            The letter.
        """
        self._own(value)
        with self._all_or_nothing():
            out = self.op(name, value.type, symmetric=value.is_same_as(value.T), latex=latex)
            self.assume(f"definition of {name}", out, value)
        return out

    def inverse(self, value: Operator, name: str, *, of: str | None = None, latex: str | None = None) -> Operator:
        """Declare a two-sided inverse, by assumption.

        It is declared symmetric when the value is: Z = Z·V·Zᵀ = Zᵀ.

        Parameters
        ----------
        value : Operator
            What is inverted, an arrow from a space to itself.
        name : str
            What the inverse is called.
        of : str, optional
            What to call the value in the assumptions' names.
        latex : str, optional
            How it is set.

        Returns
        -------
        Operator
            The letter.
        """
        if value.source != value.target:
            raise IllTyped(f"({value}) : {value.type} has no two-sided inverse")
        of = of or f"({value})"
        with self._all_or_nothing():
            out = self.op(name, value.type, symmetric=value.is_same_as(value.T), latex=latex)
            self.assume(f"{name} {of} = 1", out * value, 1)
            self.assume(f"{of} {name} = 1", value * out, 1)
        return out

    # Sequences

    def sequence(
        self,
        name: str,
        start: Operator,
        step: Callable[[Operator], Operator],
        *,
        index: str = "k",
        latex: str | None = None,
    ) -> Operator:
        """Declare the letter ``name_k`` with value `start` at 0 and `step` of itself at k+1.

        Parameters
        ----------
        name : str
            What it is called.
        start : Operator
            Its value at 0.
        step : callable
            Its value at k+1 from the letter at k.
        index : str, default "k"
            The name of k.
        latex : str, optional
            How it is set.

        Returns
        -------
        Operator
            The letter ``name_k``.
        """
        self._own(start)
        if not isinstance(start, Operator):
            raise IllTyped(f"{name!r} is to start as {start}, which is no matrix: T.one('N') is the identity of N")
        with self._all_or_nothing():
            self.alphabet.add_letter(f"{name}_{index}", start.source, start.target, False, latex)
            return self._record(f"{name}_{index}", letter(self.alphabet, f"{name}_{index}"), index, start, step)

    def scalar_sequence(
        self,
        name: str,
        start: Scalar | int | Fraction,
        step: Callable[[Scalar], Scalar],
        *,
        index: str = "k",
        latex: str | None = None,
    ) -> Scalar:
        """Declare a central sequence such as γᵏ: ``T.scalar_sequence("g", 1, lambda g: T.gamma * g)``.

        Parameters
        ----------
        name : str
            What it is called.
        start : Scalar or number
            Its value at 0.
        step : callable
            Its value at k+1 from the letter at k.
        index : str, default "k"
            The name of k.
        latex : str, optional
            How it is set.

        Returns
        -------
        Scalar
            The letter ``name_k``.
        """
        first = as_scalar(self.alphabet, start)
        if first is None:
            raise IllTyped(f"{name!r} is to start as {start!r}, which is neither a scalar nor a number")
        with self._all_or_nothing():
            self.alphabet.add_scalar(f"{name}_{index}", latex)
            return self._record(f"{name}_{index}", scalar(self.alphabet, f"{name}_{index}"), index, first, step)

    def next(self, value: Operator, index: str = "k") -> Operator:
        """Shift an expression to k+1, written in letters at k.

        Parameters
        ----------
        value : Operator
            The expression.
        index : str, default "k"
            The name of k.

        Returns
        -------
        Operator
            The expression at k+1.
        """
        self._known(value, index)
        return from_form(self.alphabet, self.context.at(value.form, index, "+1"), ("at", index, "+1", value.tree))

    def at(self, value: Operator, index: str, n: int) -> Operator:
        """Evaluate an expression at a number.

        Parameters
        ----------
        value : Operator
            The expression.
        index : str
            The name of k.
        n : int
            The number, from 0.

        Returns
        -------
        Operator
            The expression at n.
        """
        self._known(value, index)
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= MAX_AT:
            raise ValueError(f"the index must be a whole number from 0 to {MAX_AT}, got {n!r}")
        form = value.form
        for _ in range(n):
            form = self.context.at(form, index, "+1")
        return from_form(self.alphabet, self.context.at(form, index, "0"), ("at", index, n, value.tree))

    def instance(self, name: str, index: str, *letters: Operator | Scalar) -> list[Any]:
        """Declare constants for the values of sequences at one fixed index, about which one may assume things.

        ``N_last, = T.instance("K+1", "k", N_k)`` is (Sh·G)^{K+1}; lemmas about N_k for all k hold for it.

        Parameters
        ----------
        name : str
            The fixed index.
        index : str
            The name of the running index.
        *letters : Operator or Scalar
            Sequences.

        Returns
        -------
        list of Operator or Scalar
            Their values there, in that order.
        """
        if name in self._instances or name in ("0", "+1"):
            raise ValueError(f"the instance {name!r} is declared twice")
        if not letters:
            raise ValueError(f"the instance {name!r} is of no sequence: name their letters")
        table: dict[str, str] = {}
        for sequence_letter in letters:
            self._own(sequence_letter)
            if not isinstance(sequence_letter, Operator | Scalar):
                raise IllTyped(f"{sequence_letter} is not the letter of a sequence over {index}")
            sequence = sequence_letter.tree[1] if sequence_letter.tree[0] in ("letter", "scalar") else ""
            if sequence not in self._sequences or self._sequences[sequence].index != index:
                raise ValueError(f"({sequence_letter}) is not the letter of a sequence over {index}")
            if sequence in table:
                raise ValueError(f"({sequence_letter}) is named twice")
            table[sequence] = f"{sequence.removesuffix('_' + index)}_{name}"
        with self._all_or_nothing():
            for sequence, constant in table.items():
                if sequence in self.alphabet.scalars:
                    self.alphabet.add_scalar(constant)
                else:
                    self.alphabet.add_letter(constant, *self.alphabet.letters[sequence], False, None)
                self._order.append(constant)
            self._instances[name] = (index, table)
            self._changed()
            self.context.depends  # noqa: B018  what depends on two indices has no value at one of them
        made = table.values()
        return [scalar(self.alphabet, c) if c in self.alphabet.scalars else letter(self.alphabet, c) for c in made]

    @property
    def context(self) -> Context:
        """The plain data that kernel and models work on."""
        if self._context is None:
            a = self.alphabet
            self._context = Context(
                frozenset(a.scalars), dict(a.letters), dict(a.flips), dict(self._assumptions),
                dict(self._sequences), dict(self._instances), dict(a.definitions), dict(self._written),
            )  # fmt: skip
        return self._context

    def _record(self, name: str, letter: Letter, index: str, start: Letter, step: Callable[[Letter], Letter]) -> Letter:
        if not callable(step):
            raise TypeError(f"the step of {name!r} is a function of its letter, as in lambda s: A * s; got {step!r}")
        after = step(letter)
        self._own(after)
        if (start.form.source, start.form.target) != (after.form.source, after.form.target):
            raise IllTyped(f"{name!r} starts as ({start}) and continues as ({after}), which has another type")
        self._sequences[name] = Recursion(index, start.form, after.form, (start.tree, after.tree))
        self._changed()
        self.context.depends  # noqa: B018  an ill-founded recursion is refused here
        return letter

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A declaration that fails half-way leaves no name behind."""
        mine = (self.lemmas, self._assumptions, self._written, self._sequences, self._instances, self._solve_for)
        tables: list[dict[str, Any]] = [*self.alphabet.tables, *mine]
        before, order = [dict(table) for table in tables], list(self._order)
        try:
            yield
        except BaseException:
            for table, old in zip(tables, before, strict=True):
                table.clear()
                table.update(old)
            self._order[:] = order
            self._changed()
            raise

    def _sides(self, left: Side, right: Side) -> tuple[Operator, Operator] | tuple[Scalar, Scalar]:
        """Both sides of an equation with equal types, where a number next to an operator means a multiple of 1."""
        for side in (left, right):
            self._own(side)
        zero = left - right
        if isinstance(zero, Operator):
            return self._typed(left, zero), self._typed(right, zero)
        if isinstance(zero, Scalar):
            first, second = as_scalar(self.alphabet, left), as_scalar(self.alphabet, right)
            assert first is not None
            assert second is not None
            return first, second
        raise IllTyped(f"{left} = {right} says nothing about letters")

    def _typed(self, side: Side, like: Operator) -> Operator:
        if isinstance(side, Operator):
            return side
        value = as_scalar(self.alphabet, side)
        return value * self.one(like.source) if value is not None and value.terms else like.zero()

    def _check_name(self, name: str) -> None:
        """Of an assumption or lemma."""
        if not isinstance(name, str):
            raise TypeError(
                f"the name comes first, then left and right, as in T.prove('mine', {name}, …); got {name!r} for a name"
            )
        if name in self._assumptions or name in self.lemmas or name in RESERVED:
            raise ValueError(f"the name {name!r} is taken")

    def _own(self, side: Any) -> None:
        """An expression of this very theory, or a number: letters of another one may mean something else."""
        if isinstance(side, Operator | Scalar):
            if side.alphabet is not self.alphabet:
                raise IllTyped(f"({side}) belongs to another theory")
        elif not isinstance(side, int | Fraction):
            raise IllTyped(f"expected an expression or a number, got {side!r}")

    def _known(self, value: Operator, index: str) -> None:
        self._own(value)
        indices = sorted({recursion.index for recursion in self._sequences.values()})
        if index not in indices:
            raise ValueError(f"there is no sequence over {index!r}; there are {', '.join(indices) or 'none at all'}")

    def _changed(self) -> None:
        self._context = None
