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

Episodes may end, and states may have discounts of their own (`theory.problems.termination`). With ``"episodic": true``
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

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.family import is_family, needs_numbers
from theory.problems.jsontext import (
    MAX_BYTES,
    ReadNumber,
    StrPath,
    as_text,
    check_keys,
    is_one_line,
    labels,
    layout,
    number_reader,
    parse_tree,
    quoted,
    read_bytes,
    show_path,
    tensor,
    write_bytes,
)
from theory.problems.mdp import MDP
from theory.problems.numbers import MAX_DIGITS, Array, Number, as_array, as_floats, is_exact, one_kind
from theory.problems.problem import Problem
from theory.problems.quantities import Quantities
from theory.problems.validate import SUM_TOLERANCE, check_covers

_BOTH_FORMS = ("name", "arithmetic", "gamma", "features", "states", "discount")
_MATRIX_FORM = ("target", "behaviour", "episodic")
_MDP_FORM = ("transitions", "rewards", "target_policy", "behaviour_policy", "actions", "matrices", "start")
_PARTS = _MATRIX_FORM[:2]

# Where a file has the library's letters: the part, its key, and the axes.
_MATRICES = {
    "P_pi": ("target", "transitions", 2),
    "r_pi": ("target", "rewards", 1),
    "d_mu": ("behaviour", "distribution", 1),
    "P_mu": ("behaviour", "transitions", 2),
    "r_mu": ("behaviour", "rewards", 1),
}
_WORDS = {"Phi": "features", "pi": "target_policy", "mu": "behaviour_policy"}
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
    data, stem = read_bytes(path), Path(path).stem
    try:
        text = data.decode("utf-8-sig")
        return parse_problem(text, name=stem if stem and is_one_line(stem) else "problem")
    except UnicodeDecodeError as error:
        raise InvalidProblem(f"{show_path(path)}: is not UTF-8 text, at byte {error.start}") from None
    except InvalidProblem as error:
        raise InvalidProblem(f"{show_path(path)}: {error}") from None


def parse_problem(text: str, name: str = "problem") -> Problem:
    """The problem that a text describes; `name` is for one that does not name itself.

    >>> parse_problem('{"gamma": 0.9, "features": [[1]], "target": {"transitions": [[1]]}, '
    ...               '"behaviour": {"distribution": [1]}}')
    Problem('problem': 1 state, 1 feature, γ=9/10, exact, matrices only)
    """
    tree = parse_tree(text)
    if is_family(tree):
        raise InvalidProblem(needs_numbers(list(tree["parameters"]) if isinstance(tree["parameters"], dict) else ["x"]))
    check_keys(tree, (*_BOTH_FORMS, *_MATRIX_FORM, *_MDP_FORM))
    of_matrices, of_mdp = ([key for key in form if key in tree] for form in (_MATRIX_FORM, _MDP_FORM))
    if of_matrices and of_mdp:
        raise InvalidProblem(f"mixes two forms: {of_matrices[0]!r} belongs to matrices, {of_mdp[0]!r} to an MDP")
    if not of_matrices and not of_mdp:
        raise InvalidProblem("describes no chain: give 'target' and 'behaviour', or the 'transitions' of an MDP")
    required = _PARTS if of_matrices else _MDP_FORM[:4]
    check_keys(tree, tuple(tree), ("gamma", "features", *required))
    name = as_text(tree["name"], "name") if "name" in tree else name
    try:
        return (_from_matrices if of_matrices else _from_mdp)(
            tree, number_reader(tree.get("arithmetic", "exact")), name
        )
    except InvalidProblem as error:
        raise error.renamed(_WORDS) from None


def problem_to_json(problem: Problem) -> str:
    """The text of a problem's file; `parse_problem` gives back an equal problem."""
    return _lossless(problem)[1]


def problem_document(problem: Problem) -> dict[str, Any]:
    """The same as a tree of Python integers, floats, strings, lists and dicts."""
    return _lossless(problem)[0]


def write_problem(problem: Problem, path: StrPath) -> None:
    """Write the file in one step; an interrupted write leaves what was there. `read_problem` reads it."""
    write_bytes(path, (problem_to_json(problem) + "\n").encode())


def problem_behind(mdp: MDP, pi: Any, mu: Any, Phi: Any, matrices: dict[str, Any], name: str) -> Problem:
    """A problem whose matrices were stored beside its MDP: they must agree, floats up to rounding."""
    pi, mu = mdp.policy(pi, "pi"), mdp.policy(mu, "mu")
    check_covers(pi, mu, "mu")
    problem = Problem(Quantities(mdp.gamma, Phi, **matrices), mdp, pi, mu, name, mdp.states)
    derived = {
        "P_pi": mdp.transitions_under(pi),
        "P_mu": mdp.transitions_under(mu),
        "r_pi": mdp.rewards_under(pi),
        "r_mu": mdp.rewards_under(mu),
    }
    for field, value in derived.items():
        stored, value = one_kind(getattr(problem.given, field), value)
        # A sum of products of doubles is off by a few roundings of its largest term.
        largest = 1.0 if field[0] == "P" or is_exact(value) else max(1.0, np.abs(as_floats(mdp.R, "rewards")).max())
        wrong = np.argwhere(np.abs(stored - value) > (0 if is_exact(value) else SUM_TOLERANCE * largest))
        if len(wrong):
            raise InvalidProblem("differs from what the MDP and its policies give", field, *map(int, wrong[0]))
    if not problem.is_stationary:
        raise InvalidProblem("is not stationary under the behaviour", "d_mu")
    return problem


# Reading


def _from_matrices(tree: dict[str, Any], number: ReadNumber, name: str) -> Problem:
    matrices = _matrices(tree, number)
    if "P_pi" not in matrices:
        raise InvalidProblem("the key 'transitions' is missing", "target")
    if "d_mu" not in matrices and "P_mu" not in matrices:
        raise InvalidProblem("give a 'distribution', or 'transitions' to take the stationary one of", "behaviour")
    gamma, Phi = number(tree["gamma"], ("gamma",)), tensor(tree["features"], 2, number, "features")
    episodic = tree.get("episodic", False)
    if not isinstance(episodic, bool):
        raise InvalidProblem("expected true or false", "episodic")
    ends = {"episodic": episodic, "discount": _per_state(tree, "discount", number)}
    try:
        return Problem.from_matrices(gamma, Phi=Phi, **matrices, name=name, states=labels(tree, "states"), **ends)
    except InvalidProblem as error:
        raise error.renamed(_matrix_words()) from None


def _from_mdp(tree: dict[str, Any], number: ReadNumber, name: str) -> Problem:
    P, R = tensor(tree["transitions"], 3, number, "transitions"), _rewards(tree["rewards"], number)
    gamma, Phi = number(tree["gamma"], ("gamma",)), tensor(tree["features"], 2, number, "features")
    # As arrays, because the library would take a flat list for one action in each state.
    pi, mu = (as_array(tensor(tree[k], 2, number, k), 2, k) for k in ("target_policy", "behaviour_policy"))
    ends = (_per_state(tree, key, number) for key in ("start", "discount"))
    mdp = MDP(P, R, gamma, labels(tree, "states"), labels(tree, "actions"), *ends)
    if "matrices" not in tree:
        try:
            return Problem.from_mdp(mdp, pi=pi, mu=mu, Phi=Phi, name=name)
        except InvalidProblem as error:
            raise error.renamed(_MDP_WORDS) from None
    check_keys(tree["matrices"], _PARTS, _PARTS, "matrices")
    matrices = _matrices(tree["matrices"], number, "matrices")
    for field, (part, key, _) in _MATRICES.items():
        if field not in matrices:
            raise InvalidProblem(f"the key {key!r} is missing", "matrices", part)
    try:
        return problem_behind(mdp, pi, mu, Phi, matrices, name)
    except InvalidProblem as error:
        raise error.renamed(_matrix_words("matrices.")) from None


def _matrices(tree: dict[str, Any], number: ReadNumber, *where: str) -> dict[str, Any]:
    for part in _PARTS:
        check_keys(tree[part], [key for owner, key, _ in _MATRICES.values() if owner == part], (), *where, part)
    return {
        field: tensor(tree[part][key], ndim, number, *where, part, key)
        for field, (part, key, ndim) in _MATRICES.items()
        if key in tree[part]
    }


def _matrix_words(prefix: str = "") -> dict[str, str]:
    return {field: f"{prefix}{part}.{key}" for field, (part, key, _) in _MATRICES.items()}


def _per_state(tree: dict[str, Any], key: str, number: ReadNumber) -> Any:
    return tensor(tree[key], 1, number, key) if key in tree else None


def _rewards(value: Any, number: ReadNumber) -> Any:
    lands = isinstance(value, list) and value and isinstance(value[0], list) and value[0]
    return tensor(value, 3 if lands and isinstance(value[0][0], list) else 2, number, "rewards")


# Writing


def _lossless(problem: Problem) -> tuple[dict[str, Any], str]:
    """The first form from which reading gives the problem back, with its text."""
    reason = "its MDP, policies, matrices and labels do not belong together"
    for form in _forms(problem):
        try:
            document = _document(problem, form())
            text = layout(document)
            if len(text.encode()) >= MAX_BYTES:
                raise InvalidProblem(f"it takes more than {MAX_BYTES >> 20} MiB; save it as .npz")
            if parse_problem(text) == problem:
                return document, text
        except InvalidProblem as error:
            reason = str(error)
    raise InvalidProblem(f"{quoted(problem.name)} cannot be written to a file: {reason}")


def _forms(problem: Problem) -> Iterator[Callable[[], dict[str, Any]]]:
    if problem.mdp is None:
        yield lambda: _matrix_part(problem)
        if problem.given.P_mu is not None:  # its stationary distribution may have too many digits to write
            yield lambda: _matrix_part(problem, ("d_mu",))
        return
    yield lambda: _mdp_part(problem)
    # Doubles that another order of summing rounds otherwise, or matrices more exact than the rewards.
    yield lambda: _mdp_part(problem) | {"matrices": _matrix_part(problem)}


def _document(problem: Problem, body: dict[str, Any]) -> dict[str, Any]:
    head = {"gamma": _plain(problem.given.gamma, "gamma"), "features": _plain(problem.given.Phi, "features")}
    names = {} if problem.states is None else {"states": list(problem.states)}
    floats = {"arithmetic": "float"} if _has_float([head, body]) else {}
    return {"name": problem.name, **floats, **head, **body, **names}


def _matrix_part(problem: Problem, without: tuple[str, ...] = ()) -> dict[str, Any]:
    parts: dict[str, Any] = {part: {} for part in _PARTS}
    for field, (part, key, _) in _MATRICES.items():
        value = getattr(problem.given, field)
        if value is not None and field not in without:
            parts[part][key] = _plain(value, part, key)
    return {"episodic": True, **parts} if problem.mdp is None and problem.is_episodic else parts


def _mdp_part(problem: Problem) -> dict[str, Any]:
    mdp = problem.mdp
    assert mdp is not None
    values = {"transitions": mdp.P, "rewards": mdp.R, "target_policy": problem.pi, "behaviour_policy": problem.mu}
    values |= {key: x for key, x in (("start", mdp.start), ("discount", mdp.discount)) if x is not None}
    names = {} if mdp.actions is None else {"actions": list(mdp.actions)}
    return {key: _plain(value, key) for key, value in values.items()} | names


def _plain(value: Array | Number | None, *where: str | int) -> Any:
    if isinstance(value, np.ndarray) and not is_exact(value):
        return value.tolist()
    if isinstance(value, np.ndarray):
        return [_plain(item, *where, i) for i, item in enumerate(value)]
    if not isinstance(value, Fraction):
        return None if value is None else float(value)
    p, q = value.numerator, value.denominator
    # Counted in bits first: Python refuses to spell out integers far beyond our own limit.
    digits = max(p.bit_length(), q.bit_length()) <= 4 * MAX_DIGITS and (str(p) if q == 1 else f"{p}/{q}")
    if not digits or len(digits) > MAX_DIGITS:
        raise InvalidProblem(f"a number has more than {MAX_DIGITS} digits", *where)
    return p if q == 1 else digits


def _has_float(tree: Any) -> bool:
    if isinstance(tree, dict):
        return any(map(_has_float, tree.values()))
    return any(map(_has_float, tree)) if isinstance(tree, list) else isinstance(tree, float)
