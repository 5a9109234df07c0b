"""Problem files: JSON in which every number means exactly what it says.

A number is a JSON integer or decimal, read as that exact decimal, or a string ``"p/q"`` or ``"0.9"``.
Nothing is evaluated. A file has one of two forms. The matrices alone::

    {"name": "swap", "gamma": "9/10", "features": [[1], [-3]],
     "target": {"transitions": [[0, 1], [1, 0]], "rewards": [0, 0]},
     "behaviour": {"distribution": ["9/10", "1/10"]}}

where `target.rewards` defaults to zero, and `behaviour` has a `distribution`, or `transitions` to take
the stationary one of, or both, and may have `rewards`. Or an MDP with its two policies::

    {"gamma": "9/10", "features": [[1], [2]],
     "transitions": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]], "rewards": [[0, 1], [0, 1]],
     "target_policy": [[0, 1], [0, 1]], "behaviour_policy": [["1/2", "1/2"], ["1/2", "1/2"]]}

with ``transitions[s][a][s']`` and ``rewards[s][a]`` or ``rewards[s][a][s']``, both required. Both forms may
have `name` (the file's stem otherwise) and `states`, the second also `actions`.

Episodes may end, and states may have discounts of their own (`theory.problems.validate`). With ``"episodic": true``
rows of the first form's transitions may sum to less than one, and the rest ends the episode; in the second form
`start`, the distribution of the first state of an episode, says so. `discount` lists γ(s), the discount for arriving
in each state, and multiplies `gamma`, which may then be 1::

    {"gamma": 1, "episodic": true, "features": [[1], [2]],
     "target": {"transitions": [[0, 1], [0, 0]], "rewards": [0, 1]},
     "behaviour": {"distribution": ["1/2", "1/2"]}}

Two more keys exist so that writing loses nothing:

- ``"arithmetic": "float"`` makes decimals (numbers spelt with a point or an exponent) doubles. Rows of doubles
  sum to one only up to rounding, so read as exact decimals they would be refused. Integers and strings
  stay exact, and an array is of doubles as soon as one entry is.
- `matrices`, beside an MDP, holds `target` and `behaviour` as in the first form where these are not, to
  the last bit, what the MDP and its policies give (`Problem.realised` keeps the numbers it was given).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from theory.problems.jsontext import (
    MAX_BYTES,
    StrPath,
    about,
    as_text,
    check_keys,
    is_one_line,
    layout,
    parse_tree,
    read_decimals,
    read_tree,
    write_bytes,
)
from theory.problems.mdp import MDP
from theory.problems.numbers import (
    MAX_DIGITS,
    Array,
    InvalidProblem,
    Number,
    as_array,
    as_floats,
    is_exact,
    one_kind,
    quoted,
    type_word,
)
from theory.problems.problem import Problem
from theory.problems.validate import SUM_TOLERANCE

# Where a file has the library's letters, and their axes: states, actions, features.
PLACES: dict[str, tuple[tuple[str, ...], str]] = {
    "gamma": (("gamma",), ""),
    "Phi": (("features",), "SF"),
    "P": (("transitions",), "SAS"),
    "R": (("rewards",), "SA"),  # or SAS
    "pi": (("target_policy",), "SA"),
    "mu": (("behaviour_policy",), "SA"),
    "start": (("start",), "S"),
    "discount": (("discount",), "S"),
    "P_pi": (("target", "transitions"), "SS"),
    "r_pi": (("target", "rewards"), "S"),
    "d_mu": (("behaviour", "distribution"), "S"),
    "P_mu": (("behaviour", "transitions"), "SS"),
    "r_mu": (("behaviour", "rewards"), "S"),
}
AXES = {"S": "states", "A": "actions", "F": "features"}
MDP_LETTERS = ("P", "R", "pi", "mu")
MATRICES = ("P_pi", "r_pi", "d_mu", "P_mu", "r_mu")

_BOTH_FORMS = ("name", "arithmetic", "gamma", "features", "states", "discount")
_MATRIX_FORM = ("target", "behaviour", "episodic")
_MDP_FORM = ("transitions", "rewards", "target_policy", "behaviour_policy", "actions", "matrices", "start")
_PARTS = ("target", "behaviour")

# In an MDP's file the matrices are not written, so their faults are those of what they are made of.
_MDP_WORDS = {
    "P_pi": "target_policy",
    "r_pi": "rewards",
    "d_mu": "behaviour_policy",
    "P_mu": "behaviour_policy",
    "r_mu": "rewards",
}


def read_problem(path: StrPath) -> Problem:
    """The problem in a file; every complaint is one line that begins with the path."""
    tree = read_tree(path)
    with about(path):
        return problem_from_tree(tree, name_of(path))


def name_of(path: StrPath) -> str:
    """What a problem is called that does not name itself: as its file."""
    stem = Path(path).stem
    return stem if stem and is_one_line(stem) else "problem"


def parse_problem(text: str, name: str = "problem") -> Problem:
    """The problem that a text describes; `name` is for one that does not name itself.

    >>> parse_problem('{"gamma": 0.9, "features": [[1]], "target": {"transitions": [[1]]}, '
    ...               '"behaviour": {"distribution": [1]}}')
    Problem('problem': 1 state, 1 feature, γ=9/10, exact, matrices only)
    """
    return problem_from_tree(parse_tree(text), name)


def problem_from_tree(tree: Any, name: str = "problem") -> Problem:
    """The problem of a parsed text."""
    if is_family(tree):
        raise InvalidProblem(needs_numbers(list(tree["parameters"]) if isinstance(tree["parameters"], dict) else ["x"]))
    check_form(tree)
    numbers = read_decimals(tree, tree.get("arithmetic", "exact"))
    given = {letter: value for letter, _, value in numbers_in(numbers)}
    given["name"] = as_text(tree["name"], "name") if "name" in tree else name
    given |= {key: _names(tree[key], key) for key in ("states", "actions") if key in tree}
    given["episodic"] = tree.get("episodic", False)
    try:
        return problem_from_letters(given)
    except InvalidProblem as error:
        words = {letter: ".".join(_place(letter, "matrices" in tree)) for letter in PLACES}
        raise error.renamed(words | (_MDP_WORDS if "P" in given and "matrices" not in tree else {})) from None


def _names(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidProblem(f"expected a list of names, got {type_word(value)}", key)
    return tuple(as_text(label, key, i) for i, label in enumerate(value))


def is_family(tree: Any) -> bool:
    """Does a parsed file declare letters (`theory.problems.formulas`)?"""
    return isinstance(tree, dict) and "parameters" in tree


def needs_numbers(letters: Sequence[str]) -> str:
    """What is wrong with a family where a number is needed."""
    example = ",".join(f"{letter}=…" for letter in letters)
    return f"is a family with {', '.join(letters)} in it: append their numbers, …:{example}, or `theory derive` it"


def check_form(tree: Any) -> None:
    """Is it an object of one of the two forms, with all keys that it needs and no others?"""
    check_keys(tree, (*_BOTH_FORMS, *_MATRIX_FORM, *_MDP_FORM))
    of_matrices, of_mdp = ([key for key in form if key in tree] for form in (_MATRIX_FORM, _MDP_FORM))
    if of_matrices and of_mdp:
        raise InvalidProblem(f"mixes two forms: {of_matrices[0]!r} belongs to matrices, {of_mdp[0]!r} to an MDP")
    if not of_matrices and not of_mdp:
        raise InvalidProblem("describes no chain: give 'target' and 'behaviour', or the 'transitions' of an MDP")
    check_keys(tree, tuple(tree), ("gamma", "features", *(_PARTS if of_matrices else _MDP_FORM[:4])))
    if of_matrices:
        _check_parts(tree, ("P_pi",))
        if not {"distribution", "transitions"} & tree["behaviour"].keys():
            raise InvalidProblem("give a 'distribution', or 'transitions' to take the stationary one of", "behaviour")
        if not isinstance(tree.get("episodic", False), bool):
            raise InvalidProblem("expected true or false", "episodic")
    elif "matrices" in tree:
        check_keys(tree["matrices"], _PARTS, _PARTS, "matrices")
        _check_parts(tree["matrices"], MATRICES, "matrices")


def _check_parts(tree: dict[str, Any], required: Sequence[str], *where: str) -> None:
    for part in _PARTS:
        keys = {letter: PLACES[letter][0][1] for letter in MATRICES if PLACES[letter][0][0] == part}
        needed = [key for letter, key in keys.items() if letter in required]
        check_keys(tree[part], list(keys.values()), needed, *where, part)


def numbers_in(tree: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """Letter, place and value of all numbers and arrays in a tree that passed `check_form`."""
    for letter in PLACES:
        *parts, key = where = _place(letter, "matrices" in tree)
        holder = tree
        for part in parts:
            holder = holder.get(part, {})
        if key in holder:
            yield letter, where, holder[key]


def _place(letter: str, beside_mdp: bool) -> tuple[str, ...]:
    place = PLACES[letter][0]
    return ("matrices", *place) if beside_mdp and letter in MATRICES else place


def problem_from_letters(given: dict[str, Any]) -> Problem:
    """The problem of matrices alone, or of an MDP with its policies; matrices stored beside an MDP must agree with it.

    The one way from what a file holds, text or archive, to a problem. Complaints name the letters.
    """
    matrices = {letter: given[letter] for letter in MATRICES if letter in given}
    gamma, Phi, name, states = given["gamma"], given["Phi"], given["name"], given.get("states")
    if "P" not in given:
        ends = {"episodic": given.get("episodic", False), "discount": given.get("discount")}
        return Problem.from_matrices(gamma, Phi=Phi, **matrices, name=name, states=states, **ends)
    mdp = MDP(given["P"], given["R"], gamma, states, *map(given.get, ("actions", "start", "discount")))
    # As arrays, because the library would take a flat list for one action in each state.
    pi, mu = (as_array(given[letter], 2, letter) for letter in ("pi", "mu"))
    derived = Problem.from_mdp(mdp, pi=pi, mu=mu, Phi=Phi, name=name)
    if not matrices:
        return derived
    problem = replace(derived, given=replace(derived.given, **matrices))
    for field in ("P_pi", "P_mu", "r_pi", "r_mu"):
        stored, value = one_kind(getattr(problem.given, field), getattr(derived.given, field))
        # A sum of products of doubles is off by a few roundings of its largest term.
        largest = 1.0 if field[0] == "P" or is_exact(value) else max(1.0, np.abs(as_floats(mdp.R, "rewards")).max())
        wrong = np.argwhere(np.abs(stored - value) > (0 if is_exact(value) else SUM_TOLERANCE * largest))
        if len(wrong):
            raise InvalidProblem("differs from what the MDP and its policies give", field, *map(int, wrong[0]))
    if not problem.is_stationary:
        raise InvalidProblem("is not stationary under the behaviour", "d_mu")
    return problem


# Writing


def problem_letters(problem: Problem) -> dict[str, Any]:
    """What a file of a problem holds: its numbers by letter, names, and whether rows may sum to less than one."""
    mdp, g = problem.mdp, problem.given
    found: dict[str, Any] = {"gamma": g.gamma, "Phi": g.Phi, "P_pi": problem.successors, "r_pi": g.r_pi}
    found |= {"d_mu": g.d_mu, "P_mu": problem.behaviour_successors, "r_mu": g.r_mu}
    if mdp is not None:
        found |= {"P": mdp.P, "R": mdp.R, "pi": problem.pi, "mu": problem.mu, "actions": mdp.actions}
        found |= {"start": mdp.start, "discount": mdp.discount}
    elif problem.is_episodic:
        found["episodic"] = 1
    found |= {"name": problem.name, "states": problem.states}
    return {key: value for key, value in found.items() if value is not None}


def problem_to_json(problem: Problem) -> str:
    """The text of a problem's file; `parse_problem` gives back an equal problem."""
    return _lossless(problem)[1]


def problem_document(problem: Problem) -> dict[str, Any]:
    """The same as a tree of Python integers, floats, strings, lists and dicts."""
    return _lossless(problem)[0]


def write_problem(problem: Problem, path: StrPath) -> None:
    """Write the file in one step; an interrupted write leaves what was there. `read_problem` reads it."""
    write_bytes(path, (problem_to_json(problem) + "\n").encode())


def _lossless(problem: Problem) -> tuple[dict[str, Any], str]:
    """The first document from which reading gives the problem back, with its text."""
    letters = problem_letters(problem)
    if problem.is_large:
        raise InvalidProblem(f"{quoted(problem.name)}: a large problem is saved as .npz")
    if problem.mdp is not None:
        # Beside the MDP only doubles that another order of summing rounds otherwise, or what is more exact than it.
        left_out: tuple[tuple[str, ...], ...] = (MATRICES, ())
    else:  # the stationary distribution may have too many digits to write
        left_out = ((), ("d_mu",)) if "P_mu" in letters else ((),)
    reason = "its MDP, policies, matrices and labels do not belong together"
    for without in left_out:
        try:
            document = _document({key: value for key, value in letters.items() if key not in without})
            text = layout(document)
            if len(text.encode()) >= MAX_BYTES:
                raise InvalidProblem(f"it takes more than {MAX_BYTES >> 20} MiB; save it as .npz")
            if parse_problem(text) == problem:
                return document, text
        except InvalidProblem as error:
            reason = str(error)
    raise InvalidProblem(f"{quoted(problem.name)} cannot be written to a file: {reason}")


def _document(letters: dict[str, Any]) -> dict[str, Any]:
    numbers = [letter for letter in PLACES if letter in letters]
    tree: dict[str, Any] = {"name": letters["name"]}
    if not all(is_exact(letters[letter]) for letter in numbers):
        tree["arithmetic"] = "float"
    for letter in numbers:
        *parts, key = where = _place(letter, "P" in letters)
        holder = tree
        for part in parts:
            holder = holder.setdefault(part, {})
        holder[key] = _plain(letters[letter], *where)
    if "episodic" in letters:
        tree["episodic"] = True
    return tree | {key: list(letters[key]) for key in ("actions", "states") if key in letters}


def _plain(value: Array | Number, *where: str | int) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(item, *where, i) for i, item in enumerate(value)] if is_exact(value) else value.tolist()
    if not isinstance(value, Fraction):
        return float(value)
    text = spelled(value, *where)
    return value.numerator if value.denominator == 1 else text


def spelled(value: Fraction, *where: str | int) -> str:
    """``p/q``, of no more digits than are read."""
    # Counted in bits first: Python refuses to spell out integers far beyond our own limit.
    short = max(value.numerator.bit_length(), value.denominator.bit_length()) <= 4 * MAX_DIGITS
    text = str(value) if short else ""
    if not short or len(text) > MAX_DIGITS:
        raise InvalidProblem(f"a number has more than {MAX_DIGITS} digits", *where)
    return text
