"""A 1×1 matrix is its own transpose: the lemmas w = wᵀ that a goal may need.

A word w that leads from the space 1 back to it is such a matrix: uᵀv = vᵀu, uᵀBv = vᵀBᵀu. Offered are the factors of
the goal's words that pass through 1 at both ends, and neighbouring pairs of them: with (wx)ᵀ = xᵀwᵀ = wx the search
also finds that two such factors commute. Each lemma carries its own proof: w − wᵀ plus its transpose is zero as a
polynomial, and the kernel knows what that means for 1×1 matrices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction

from theory.symbolic.context import Context
from theory.symbolic.forms import UNIT, Form, Word
from theory.symbolic.kernel import SYMMETRISED, Proof
from theory.symbolic.notation import tree_of


def scalar_lemmas(context: Context, goals: Iterable[Form], taken: Collection[str] = ()) -> dict[str, Proof]:
    """By name, w = wᵀ for the 1×1 factors of all words; names in `taken` are left out."""
    lemmas: dict[str, Proof] = {}
    for goal in goals:
        for _, word in goal.terms:
            for factor in _factors(context, word, goal.target):
                flipped = tuple(context.flips[x] for x in reversed(factor))
                first, second = sorted((factor, flipped), key=lambda w: (sum(x.endswith("^T") for x in w), w))
                shown = "·".join(first).replace("^T", "ᵀ")
                name = f"({shown})ᵀ = {shown}" if len(first) > 1 else f"{shown}ᵀ = {shown}"
                if first != second and name not in taken:
                    claim = Form(UNIT, UNIT, {((), first): Fraction(1), ((), second): Fraction(-1)})
                    one, other = (
                        tree_of(Form(UNIT, UNIT, {((), w): Fraction(1)}), context.scalars) for w in (first, second)
                    )
                    lemmas[name] = Proof(name, claim, None, {SYMMETRISED: ()}, written=(one, other))
    return lemmas


def _factors(context: Context, word: Word, target: str) -> Iterator[Word]:
    """The pieces between visits of the space 1, and neighbouring pairs of pieces."""
    spaces = [target, *(context.letters[x][0] for x in word)]
    visits = [i for i, space in enumerate(spaces) if space == UNIT]
    for apart in (1, 2):
        for start, end in zip(visits, visits[apart:], strict=False):
            yield word[start:end]
