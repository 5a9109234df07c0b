"""One way in for a person: a problem by name, by file or from Gymnasium."""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.problems.numbers import InvalidProblem, parse_number
from theory.problems.problem import Problem

if TYPE_CHECKING:
    from theory.problems.formulas import Family

_FILES = (".json", ".npz", ".csv", ".parquet", ".mtx", ".mtx.gz")


def find_problem(spec: str | os.PathLike[str], gamma: Any = None, letters: str | None = None) -> Problem:
    """The problem that PROBLEM on the command line means, at discount `gamma` where one is given; a `Path` is a file.

    ``gymnasium:ID[,key=value…]`` is an environment; ``-`` is a problem file on standard input; what ends in
    .json, .npz or .mtx, contains a path separator or exists is a file; anything else is a catalogue name.

    A discount is a parameter of what is built from a name, since rewards or an optimal policy may depend on
    it; a file keeps its other numbers as they are. `letters`, ``x=3,p=9/10``, sets those of a family, as does
    ``family.json:x=3,p=9/10``.
    """
    text = os.fspath(spec)
    if isinstance(spec, str) and letters is None:
        path, found, rest = spec.rpartition(".json:")
        if found and "=" in rest:
            text, letters = f"{path}.json", rest
    if letters is not None:
        family = find_family(text)
        if family is None:
            raise InvalidProblem(f"{text} declares no letters that could be set", "--set")
        return family.at(read_letters(letters), gamma=gamma)
    if is_data_set(text):
        from theory.problems.estimated import estimated_problem

        return estimated_problem(text, gamma)
    if isinstance(spec, str) and not is_file(spec):
        return _built(spec if gamma is None else f"{spec}{',' if ':' in spec else ':'}gamma={gamma}")
    if text.lower().endswith((".mtx", ".mtx.gz")):
        from theory.problems.market import read_market

        return read_market(text, gamma)
    if text.lower().endswith(".npz"):
        from theory.problems.npz import load_npz

        problem = load_npz(text, gamma)
    else:
        from theory.problems.files import read_problem

        problem = _standard_input() if spec == "-" else read_problem(text)
    return problem if gamma is None else problem.with_gamma(gamma)


def open_problem(spec: str | os.PathLike[str]) -> Problem:
    """Open the problem that a name, a file or a Gymnasium environment describes.

    Parameters
    ----------
    spec : str or path
        A name of the catalogue with parameters behind a colon, ``"kolter:p=3/5"``; a file (.json, .npz, .mtx, or
        recorded transitions); ``"gymnasium:FrozenLake-v1"``.

    Returns
    -------
    Problem
        The problem, exact where all numbers are.

    Raises
    ------
    InvalidProblem
        One line that names the place.

    See Also
    --------
    catalogue : The names.
    Problem : Problems from matrices and from an MDP.

    Examples
    --------
    >>> open_problem("kolter:p=3/5")
    Problem('kolter:p=3/5': 2 states, 1 feature, γ=99/100, exact, MDP with 2 actions)
    """
    return find_problem(spec)


def _built(spec: str) -> Problem:
    if spec.startswith("gymnasium:"):
        from theory.problems.gymnasium import gymnasium_problem

        return gymnasium_problem(spec.removeprefix("gymnasium:"))
    from theory.problems.catalogue import catalogue_problem

    return catalogue_problem(spec)


def _standard_input() -> Problem:
    from theory.problems.files import parse_problem
    from theory.problems.jsontext import MAX_BYTES

    if sys.stdin is None:
        raise InvalidProblem("is closed", "standard input")
    try:
        return parse_problem(sys.stdin.buffer.read(MAX_BYTES + 1).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidProblem("is not UTF-8", "standard input") from None
    except InvalidProblem as error:
        raise InvalidProblem(str(error), "standard input") from None


def is_data_set(spec: str | os.PathLike[str]) -> bool:
    """Does this PROBLEM name recorded transitions? A file, a folder, a glob or an address that ends as data do."""
    text = os.fspath(spec)
    if text.lower().endswith((".csv", ".parquet", ".npz")) or "*" in text or "://" in text:
        from theory.problems.recordings import is_recording

        return is_recording(text)
    if text.startswith("gymnasium:") or not os.path.isdir(text):
        return False
    from theory.problems.catalogue import problem_names

    return isinstance(spec, os.PathLike) or os.sep in text or text not in problem_names()


def find_family(spec: str) -> Family | None:
    """The family of a catalogue name or of a file that declares letters; None for every other PROBLEM."""
    from theory.problems.catalogue import families
    from theory.problems.files import is_family
    from theory.problems.formulas import family_from
    from theory.problems.jsontext import about, read_tree

    if not is_file(spec):
        entry = families().get(spec)
        return None if entry is None else entry.family
    if not spec.endswith(".json"):
        return None
    try:
        tree = read_tree(spec)
    except InvalidProblem:  # read_problem says what is wrong with it
        return None
    with about(spec):
        return family_from(tree, Path(spec).stem) if is_family(tree) else None


def read_letters(text: str) -> dict[str, Fraction]:
    """``"x=3,p=9/10"`` as numbers by letter."""
    found: dict[str, Fraction] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or name in found:
            raise InvalidProblem(f"expected letters with numbers such as x=3,p=9/10, got {text!r}", "--set")
        found[name] = parse_number(value, "--set", name)
    return found


def letters_and_discount(text: str | None, gamma: Any) -> tuple[dict[str, Fraction], Fraction | None]:
    """What ``--set`` says of a family's letters, and the discount, which is either among them or ``--gamma``."""
    values = read_letters(text) if text else {}
    if "gamma" in values and gamma is not None:
        raise InvalidProblem("gamma is given by --gamma as well", "--set")
    discount = values.pop("gamma", gamma)
    return values, None if discount is None else Fraction(discount)


def is_file(spec: str) -> bool:
    """Does this PROBLEM name a file, or standard input?"""
    if spec.startswith("gymnasium:"):
        return False
    if spec == "-" or spec.lower().endswith(_FILES) or os.sep in spec.partition(":")[0]:
        return True
    try:
        return Path(spec).is_file()
    except OSError:  # too long for a file's name: a catalogue name with long parameters
        return False
