"""Exact models: rational matrices that satisfy every assumption of a theory.

They do two jobs. Contradictory assumptions prove everything, so a theory proves nothing until it has a model; and a
false claim is refuted by evaluating it. All arithmetic is rational, every assumption is verified on every model, spaces
other than 1 have dimension at least two (1×1 matrices commute and hide a wrong order of factors), and k runs from two
(and 2×2 matrices satisfy identities of their own, so sizes up to four occur).

Letters are drawn in order of declaration. An assumption is solved for the last letter declared in it (or the one named
by `solve_for`), in which it should be linear: inverses, definitions, Aθ = b and ΦX⁻X = Φ are of that kind. All of a
letter's assumptions are solved together and what they leave free is drawn. Where they are not linear some familiar
matrices are tried: projections, reflections, orthogonal and nilpotent ones (P² = P, QᵀQ = 1, N² = 0). Anything else
comes from the user's function, see `Theory.model`; so should eigenvectors, since Mv = λv with M and λ drawn has no
solution but v = 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from flint import fmpq, fmpq_mat

from theory.symbolic.context import Context
from theory.symbolic.forms import UNIT, Form
from theory.symbolic.matrices import Draw, Model

Values = dict[str, Any]  # letter -> rows, scalar -> number, instance -> natural number
ModelFunction = Callable[[Draw], Mapping[str, Any]]


@dataclass(frozen=True)
class Blueprint:
    """What model building needs to know of a theory: order of declaration, hints, the user's functions."""

    context: Context
    order: Sequence[str]  # free letters and scalars, as declared
    solve_for: Mapping[str, str]  # assumption -> letter
    functions: Sequence[tuple[ModelFunction, Sequence[Mapping[str, int]]]]  # with their sizes, empty: the usual ones


def build_models(blueprint: Blueprint, wanted: int = 8, tries: int = 3) -> tuple[list[Model], list[str]]:
    """Verified models, the same ones each time and of different sizes as far as possible, and why others failed.

    One for each of the user's functions and sizes; a theory without functions gets up to `wanted`, drawn letter by
    letter.
    """
    functions = list(blueprint.functions) or [(_draw_everything, [])]
    plans = [(fn, dims) for fn, sizes in functions for dims in (sizes or _usual_sizes(blueprint.context))]
    models: list[Model] = []
    complaints: list[str] = []
    for number, (fn, dims) in enumerate(plans):
        for attempt in range(tries):
            rng = random.Random(1000 * number + attempt)
            model = _attempt(blueprint, fn, Draw(rng, {**dims, UNIT: 1}))
            if isinstance(model, Model):
                models.append(model)
                break
            complaints.append(f"{model}, dimensions {', '.join(f'{s} = {n}' for s, n in dims.items())}")
        if len(models) >= wanted and not blueprint.functions:
            break
    return models, complaints


def _draw_everything(draw: Draw) -> Values:
    return {}


def _usual_sizes(context: Context) -> list[dict[str, int]]:
    spaces = sorted({s for pair in context.letters.values() for s in pair} - {UNIT})
    sizes = (2, 3, 4) if len(spaces) > 1 else (3, 2, 4, 5)
    combinations = sorted(product(sizes, repeat=len(spaces)), key=lambda c: (len(spaces) - len(set(c)), sum(c)))
    return [dict(zip(spaces, c, strict=True)) for c in combinations[:12]]


def _attempt(blueprint: Blueprint, fn: ModelFunction, draw: Draw) -> Model | str:
    """Values for all letters in order, then every assumption verified; or what did not work out."""
    context = blueprint.context
    given = dict(fn(draw))
    if draw.dims[UNIT] != 1:
        raise ValueError(f"the model function gives the space {UNIT!r} dimension {draw.dims[UNIT]}; it has dimension 1")
    for space, size in draw.dims.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"the dimension of {space} is a whole number from 1, got {size!r}: with 0 anything holds")
    instances = {name: int(given.pop(name, draw.rng.choice([2, 3]))) for name in context.instances}
    values: dict[str, Any] = {}
    model = Model(context, draw.dims, values, instances)
    constants = {c for _, table in context.instances.values() for c in table.values()}
    duties = _duties(blueprint, constants)
    for name in blueprint.order:
        if name in constants:
            continue
        if name in context.scalars:
            number = _number(given.pop(name)) if name in given else _scalar(model, name, duties, draw)
            if number is None:
                return f"the assumptions about {name} could not be solved for it"
            values[name] = number
            continue
        source, target = context.letters[name]
        shape = (draw.dims[target], draw.dims[source])
        if name in given:
            values[name] = _matrix(given.pop(name), name, shape)
            if context.flips[name] == name and values[name] != values[name].transpose():
                raise ValueError(f"{name!r} is declared symmetric, and the model function's value is not")
        elif name in duties:
            value = _solve(model, name, shape, duties[name], draw) or _familiar(model, name, shape, duties[name], draw)
            if value is None:
                return f"the assumptions about {name} could not be solved for it"
            values[name] = value
        else:
            values[name] = draw.symmetric(shape[0]) if context.flips[name] == name else draw.matrix(*shape)
    if given:
        raise ValueError(f"the model function gives values to unknown letters: {', '.join(sorted(given))}")
    for instance, (index, table) in context.instances.items():
        for sequence, constant in table.items():
            values[constant] = model.symbol(sequence, {index: instances[instance]})
    model = Model(context, draw.dims, values, instances)
    violated = [name for name, h in context.hypotheses.items() if any(model.evaluate(h, {}).entries())]
    return f"{violated[0]!r} does not hold" if violated else model


def _duties(blueprint: Blueprint, constants: set[str]) -> dict[str, list[Form]]:
    """Which assumptions a letter has to be solved from."""
    context, duties = blueprint.context, dict[str, list[Form]]()
    rank = {name: i for i, name in enumerate(blueprint.order)}
    for name, h in context.hypotheses.items():
        letters = {x if x in rank else context.flips[x] for _, word in h.terms for x in word}
        letters = letters or h.symbols  # a relation among scalars
        if letters and not letters & constants:  # without letters it is true or false of itself, and checked below
            last = blueprint.solve_for.get(name) or max(letters, key=lambda x: rank[x])
            duties.setdefault(last, []).append(h)
    return duties


def _scalar(model: Model, name: str, duties: Mapping[str, list[Form]], draw: Draw) -> fmpq | None:
    """A number, from its relation with what was drawn before if there is one that is linear in it."""
    if name not in duties:
        return draw.number()
    at = [Model(model.context, model.dims, {**model.values, name: fmpq(x)}, {}) for x in (0, 1)]
    try:
        pairs = [(m.evaluate(duties[name][0], {})).entries() for m in at]
    except KeyError:  # an assumption that needs a letter declared later
        return None
    linear = [(zero, one) for zero, one in zip(*pairs, strict=True) if zero != one]
    return linear[0][0] / (linear[0][0] - linear[0][1]) if linear else draw.number()


def _familiar(model: Model, name: str, shape: tuple[int, int], forms: list[Form], draw: Draw) -> fmpq_mat | None:
    """One of the matrices that nonlinear assumptions are usually about, if it satisfies them."""
    candidates = list(draw.familiar(*shape, symmetric=model.context.flips[name] == name))
    draw.rng.shuffle(candidates)
    for value in [*candidates, fmpq_mat(*shape)]:
        trial = Model(model.context, model.dims, {**model.values, name: value}, {})
        try:
            if not any(x for h in forms for x in trial.evaluate(h, {}).entries()):
                return value
        except KeyError:
            return None
    return None


def _solve(model: Model, name: str, shape: tuple[int, int], forms: list[Form], draw: Draw) -> fmpq_mat | None:
    """A matrix that makes the forms zero, if they are affine in it; the free part is drawn."""
    rows, columns = shape
    if len(forms) == 1 and ((), (name,)) in forms[0].terms and _occurs_once(model.context, name, forms[0]):
        rest = {key: -x / forms[0].terms[(), (name,)] for key, x in forms[0].terms.items() if key != ((), (name,))}
        try:
            return model.evaluate(Form(forms[0].source, forms[0].target, rest), {})
        except KeyError:  # an assumption that needs a letter declared later
            return None
    symmetric = model.context.flips[name] == name
    cells = [(i, j) for i in range(rows) for j in range(columns) if not symmetric or i <= j]

    def residue(trial: fmpq_mat) -> list[fmpq] | None:
        values = {**model.values, name: trial}
        try:
            parts = [Model(model.context, model.dims, values, {}).evaluate(h, {}) for h in forms]
        except KeyError:
            return None
        return [x for part in parts for x in part.entries()]

    zero = residue(fmpq_mat(rows, columns))
    if zero is None:
        return None
    units = []
    for i, j in cells:
        unit = fmpq_mat(rows, columns)
        unit[i, j] = 1
        if symmetric:
            unit[j, i] = 1
        units.append(unit)
    effects = [[x - z for x, z in zip(residue(unit) or [], zero, strict=True)] for unit in units]
    coordinates = _solve_linear(effects, zero, draw)
    if coordinates is None:
        return None
    total = fmpq_mat(rows, columns)
    for unit, x in zip(units, coordinates, strict=True):
        total += unit * x
    return None if any(residue(total) or []) else total  # they were not linear


def _occurs_once(context: Context, name: str, form: Form) -> bool:
    return sum(x in (name, context.flips[name]) for _, word in form.terms for x in word) == 1


def _solve_linear(effects: list[list[fmpq]], offset: list[fmpq], draw: Draw) -> list[fmpq] | None:
    """A random x with Σ xᵢ effectᵢ + offset = 0."""
    n, m = len(effects), len(offset)
    entries = [x for r in range(m) for x in [*(effects[c][r] for c in range(n)), -offset[r]]]
    reduced, rank = fmpq_mat(m, n + 1, entries).rref()
    pivots = [next(c for c in range(n + 1) if reduced[r, c] != 0) for r in range(rank)]
    if n in pivots:
        return None
    solution = [draw.matrix(1, 1)[0, 0] for _ in range(n)]
    for r, pivot in enumerate(pivots):
        free = (reduced[r, c] * solution[c] for c in range(n) if c not in pivots)
        solution[pivot] = reduced[r, n] - sum(free, fmpq(0))
    return solution


def _matrix(value: Any, name: str, shape: tuple[int, int]) -> fmpq_mat:
    rows = value if isinstance(value, fmpq_mat) else fmpq_mat([[_number(x) for x in row] for row in value])
    if (rows.nrows(), rows.ncols()) != shape:
        raise ValueError(f"the model's {name!r} is {rows.nrows()}×{rows.ncols()}, expected {shape[0]}×{shape[1]}")
    return rows


def _number(value: Any) -> fmpq:
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    if isinstance(value, float):
        raise TypeError(f"the model function gives the float {value!r}; write Fraction('{value!r}')")
    return fmpq(value)
