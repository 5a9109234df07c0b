"""Problem files: what they mean, what they refuse, and that writing loses nothing."""

from __future__ import annotations

import json
import os
import stat
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import SWAP, THREE, each_case
from theory.problems.files import parse_problem, problem_document, problem_to_json, read_problem, write_problem
from theory.problems.jsontext import MAX_BYTES
from theory.problems.mdp import MDP
from theory.problems.numbers import MAX_DIGITS, InvalidProblem
from theory.problems.problem import Problem

HALF = ["1/2", "1/2"]
# What `Problem.realised` leaves in a file: matrices beside their MDP.
BESIDE = {
    "gamma": 0,
    "features": [[1], [1]],
    "transitions": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]],
    "rewards": [[0, 1], [0, 1]],
    "target_policy": [[1, 0], [1, 0]],
    "behaviour_policy": [HALF, HALF],
    "matrices": {
        "target": {"transitions": [[1, 0], [1, 0]], "rewards": [0, 0]},
        "behaviour": {"distribution": HALF, "transitions": [HALF, HALF], "rewards": HALF},
    },
}


def changed(document, *path_and_value):
    """A deep copy with the value at a path replaced, or removed where it is `...`."""
    *path, last, value = path_and_value
    copy = json.loads(json.dumps(document))
    inner = copy
    for key in path:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return copy


def parse(document):
    return parse_problem(json.dumps(document))


# What a file means


def test_matrix_form_is_the_problem_from_its_matrices():
    assert parse(SWAP) == Problem.from_matrices(
        Fraction(9, 10),
        Phi=[[1], [-3]],
        P_pi=[[0, 1], [1, 0]],
        r_pi=[0, 0],
        d_mu=[Fraction(9, 10), Fraction(1, 10)],
        name="swap",
    )


def test_mdp_form_is_the_problem_from_its_mdp():
    mdp = MDP(THREE["transitions"], THREE["rewards"], "9/10", THREE["states"], THREE["actions"])
    expected = Problem.from_mdp(
        mdp,
        pi=THREE["target_policy"],
        mu=THREE["behaviour_policy"],
        Phi=THREE["features"],
        name="threestate",
    )
    assert parse(THREE) == expected


def test_rewards_may_depend_on_where_one_lands():
    rewards = [[[r] * 3 for r in row] for row in THREE["rewards"]]
    landed = parse(changed(THREE, "rewards", rewards))
    assert landed.mdp.R.shape == (3, 2, 3)
    assert landed.exact.r_pi.tolist() == parse(THREE).exact.r_pi.tolist()


def test_missing_distribution_is_the_stationary_one_of_the_transitions():
    behaviour = {"transitions": [["1/2", "1/2"], [1, 0]], "rewards": [1, 2]}
    problem = parse(changed(SWAP, "behaviour", behaviour))
    # d₀ = d₀/2 + d₁ and d₀ + d₁ = 1.
    assert problem.exact.d_mu.tolist() == [Fraction(2, 3), Fraction(1, 3)]
    assert problem.exact.r_mu.tolist() == [1, 2]


@pytest.mark.parametrize("spelling", ["0.9", '"0.9"', '"9/10"', "9e-1", '" 9/10 "', '"18/20"', "0.90", "90E-2"])
def test_every_spelling_of_a_number_is_the_same_exact_number(spelling):
    text = json.dumps(SWAP).replace('"gamma": "9/10"', f'"gamma": {spelling}')
    assert parse_problem(text) == parse(SWAP)


def test_name_defaults_to_the_stem_of_the_file(tmp_path):
    path = tmp_path / "my problem.v2.json"
    path.write_text(json.dumps(changed(SWAP, "name", ...)), encoding="utf-8")
    assert read_problem(path).name == "my problem.v2"
    assert read_problem(str(path)).name == "my problem.v2"


def test_float_arithmetic_reads_decimals_as_doubles_and_leaves_the_rest_exact():
    document = {
        "arithmetic": "float",
        "gamma": "9/10",
        "features": [[1], [2]],
        "target": {"transitions": [[0.1, 0.9], [1, 0]], "rewards": ["1/3", 2]},
        "behaviour": {"distribution": [0.3, 0.7]},
    }
    g = parse(document).given
    assert g.gamma == Fraction(9, 10)
    assert isinstance(g.gamma, Fraction)
    assert g.P_pi.dtype == np.float64  # one decimal is enough
    assert g.P_pi.tolist() == [[0.1, 0.9], [1.0, 0.0]]
    assert g.r_pi.dtype == object
    assert g.r_pi.tolist() == [Fraction(1, 3), 2]


def test_float_arithmetic_accepts_rows_that_round_to_one():
    row = [0.1] * 10
    assert np.cumsum(row)[-1] != 1  # Python's own sum is compensated from 3.12 on
    document = {"gamma": 0.5, "features": [[1]] * 10, "target": {"transitions": [row] * 10}}
    document["behaviour"] = {"distribution": row}
    assert parse(changed(document, "arithmetic", "float")).P_pi.tolist() == [row] * 10
    # As decimals they sum to one exactly; seventeen digits do not.
    document["target"]["transitions"][3] = [1 / 3, 1 / 3, 1 / 3] + [0] * 7
    with pytest.raises(InvalidProblem, match=r'^target\.transitions\[3\]: .* write thirds as "1/3"'):
        parse(document)


# What a file is refused for


P, MU, MATRICES = "transitions", "behaviour_policy", "matrices"
BAD = {
    "not an object": ([], r"^expected an object, got a list$"),
    "unknown key": (changed(SWAP, "gama", 1), r"^unknown key 'gama'; did you mean 'gamma'\?$"),
    "unlike any key": (changed(SWAP, "x", 1), r"^unknown key 'x'; known are name, arithmetic, gamma,"),
    "unknown inner key": (
        changed(SWAP, "target", "reward", []),
        r"^target: unknown key 'reward'; did you mean 'rewards'\?$",
    ),
    "mixture": (
        SWAP | {"transitions": []},
        r"^mixes two forms: 'target' belongs to matrices, 'transitions' to an MDP$",
    ),
    "neither form": ({"gamma": 0, "features": [[1]]}, r"^describes no chain: give 'target' and 'behaviour', or"),
    "no gamma": (changed(SWAP, "gamma", ...), r"^the key 'gamma' is missing$"),
    "no target transitions": (changed(SWAP, "target", {}), r"^target: the key 'transitions' is missing$"),
    "empty behaviour": (changed(SWAP, "behaviour", {}), r"^behaviour: give a 'distribution', or 'transitions'"),
    "behaviour not an object": (changed(SWAP, "behaviour", HALF), r"^behaviour: expected an object, got a list$"),
    "name not text": (changed(SWAP, "name", 3), r"^name: expected text, got a number$"),
    "name with a newline": (changed(SWAP, "name", "a\nb"), r"^name: 'a\\nb' is empty or has control characters$"),
    "half a surrogate pair": (changed(SWAP, "name", "\ud800"), r"^name: '\\ud800' is empty or has control"),
    "states not a list": (changed(SWAP, "states", "ab"), r"^states: expected a list of names, got text$"),
    "state not text": (changed(SWAP, "states", ["a", 1]), r"^states\[1\]: expected text, got a number$"),
    "unknown arithmetic": (changed(SWAP, "arithmetic", "double"), r"^arithmetic: must be 'exact' or 'float'$"),
    "null": (changed(SWAP, "gamma", None), r"^gamma: expected a number, got null$"),
    "bool": (changed(SWAP, "features", 1, 0, True), r"^features\[1\]\[0\]: expected a number, got true$"),
    "list for a number": (changed(SWAP, "features", 1, 0, []), r"^features\[1\]\[0\]: expected a number, got a list$"),
    "object for a list": (changed(THREE, P, {}), r"^transitions: expected a list of lists of rows, got an object$"),
    "not a number": (changed(SWAP, "target", P, 0, 1, "one"), r"^target\.transitions\[0\]\[1\]: 'one' is not a number"),
    "an expression": (changed(SWAP, "gamma", "1-1/10"), r"^gamma: '1-1/10' is not a number"),
    "division by zero": (changed(SWAP, "gamma", "1/0"), r"^gamma: '1/0' divides by zero$"),
    "infinity": (changed(SWAP, "features", 0, 0, float("-inf")), r"^features\[0\]\[0\]: '-Infinity' is not a number"),
    "target sum": (changed(SWAP, "target", P, 0, [0, 2]), r"^target\.transitions\[0\]: probabilities sum to 2, not 1$"),
    "huge sum": (
        changed(SWAP, "target", P, 0, [0, 10**500]),
        r"^target\.transitions\[0\]: probabilities sum to a number beyond double precision, not 1$",
    ),
    "unvisited state": (
        changed(changed(SWAP, "behaviour", "distribution", [1, 0]), "features", [[1, 0], [0, 1]]),
        r"^behaviour\.distribution\[1\]: missing coverage: state 1 has probability 0",
    ),
    "two closed classes": (
        changed(SWAP, "behaviour", {P: [[1, 0], [0, 1]]}),
        r"^behaviour\.transitions: the stationary distribution is not unique: .* 2 closed classes, \{0\} and \{1\}$",
    ),
    "MDP sum": (changed(THREE, P, 2, 1, [0, 0, 2]), r"^transitions\[2\]\[1\]: probabilities sum to 2, not 1$"),
    "policy as actions": (
        changed(THREE, "target_policy", [1, 1, 1]),
        r"^target_policy\[0\]: expected a list of numbers, got a number$",
    ),
    "missing coverage": (
        changed(THREE, MU, 1, [1, 0]),
        r"^behaviour_policy\[1\]\[1\]: missing coverage: the target takes action 1 in state 1,",
    ),
    "MDP chain not unique": (
        changed(changed(THREE, P, [[[int(i == j) for j in range(3)]] * 2 for i in range(3)]), "rewards", [[0, 0]] * 3),
        r"^behaviour_policy: the stationary distribution is not unique: the chain has 3 closed classes",
    ),
    "matrices incomplete": (
        changed(BESIDE, MATRICES, "behaviour", "rewards", ...),
        r"^matrices\.behaviour: the key 'rewards' is missing$",
    ),
    "matrices of another target": (
        changed(BESIDE, MATRICES, "target", P, 1, [0, 1]),
        r"^matrices\.target\.transitions\[1\]\[0\]: differs from what the MDP and its policies give$",
    ),
    "matrices with other rewards": (
        changed(BESIDE, MATRICES, "behaviour", "rewards", 1, 1),
        r"^matrices\.behaviour\.rewards\[1\]: differs from what the MDP and its policies give$",
    ),
    "matrices not stationary": (
        changed(BESIDE, MATRICES, "behaviour", "distribution", ["1/3", "2/3"]),
        r"^matrices\.behaviour\.distribution: is not stationary under the behaviour$",
    ),
}


@pytest.mark.parametrize(("document", "match"), BAD.values(), ids=BAD.keys())
def test_refuses_in_one_line_that_names_the_place(document, match):
    with pytest.raises(InvalidProblem, match=match) as caught:
        parse(document)
    assert "\n" not in str(caught.value)


BAD_TEXT = {
    "empty": ("", r"^is not JSON: Expecting value at line 1, column 1$"),
    "two documents": ("{} {}", r"^is not JSON: Extra data at line 1, column 4$"),
    "Python": ("{'gamma': 0}", r"^is not JSON: Expecting property name enclosed in double quotes at line 1, column 2$"),
    "repeated key": ('{"gamma": 0, "gamma": 0.9}', r"^the key 'gamma' occurs twice in one object$"),
    "deep lists": ("[" * 1_000_000, r"^is nested too deep$"),
    "deep behind strings": ('["]", "\\"]", ' * 100_000 + "0", r"^is nested too deep$"),
    "deep where a number is due": (
        '{"gamma": ' + "[" * 100 + "]" * 100 + ', "features": [[1]], "target": {"transitions": [[1]]}, '
        '"behaviour": {"distribution": [1]}}',
        r"^gamma: expected a number, got a list$",
    ),
    "huge integer": ('{"gamma": ' + "9" * 100_000 + "}", r"^describes no chain"),
    "long key": ('{"' + "k" * 100_000 + '": 1}', r"^unknown key 'k{37}\.\.\.'; known are"),
}


@pytest.mark.parametrize(("text", "match"), BAD_TEXT.values(), ids=BAD_TEXT.keys())
def test_refuses_text_that_is_no_problem_file(text, match):
    with pytest.raises(InvalidProblem, match=match):
        parse_problem(text)


LONG = ["9" * (MAX_DIGITS + 1), "0." + "1" * MAX_DIGITS, "1e" + "9" * 50, "1e-2001", '"1/' + "7" * MAX_DIGITS + '"']


@pytest.mark.parametrize("number", LONG, ids=lambda text: text[:8])
def test_refuses_numbers_of_too_many_digits(number):
    text = json.dumps(SWAP).replace('"features": [[1]', f'"features": [[{number}]')
    with pytest.raises(InvalidProblem, match=r"^features\[0\]\[0\]: .* has more than 2000 digits$"):
        parse_problem(text)


@pytest.mark.parametrize(
    ("place", "row", "match"),
    [
        ("features", [[0.5], ["1e400"]], r"^features.*: a number is too large for double precision"),
        ("transitions", [[1e308, 1e308], [1.0, 0.0]], r"^target\.transitions\[0\]: probabilities sum to inf, not 1$"),
    ],
)
def test_refuses_doubles_that_overflow_without_a_warning(place, row, match):
    document = changed(SWAP, "arithmetic", "float")
    (document if place in document else document["target"])[place] = row
    with pytest.raises(InvalidProblem, match=match):
        parse(document)


# Files that cannot be read


def refusal(path):
    with pytest.raises(InvalidProblem) as caught:
        read_problem(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_complaints_begin_with_the_path_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("sub/bad.json").write_text(json.dumps(changed(SWAP, "gamma", 1)), encoding="utf-8")
    assert (
        refusal("sub/../sub/bad.json")
        == "sub/../sub/bad.json: gamma: must be below 1: from state 0 the target never ends an episode"
    )
    assert refusal("missing.json") == "missing.json: no such file or directory"
    assert refusal("sub") == "sub: is a directory"
    assert refusal("sub/bad.json/x") == "sub/bad.json/x: not a directory"
    assert refusal("a\nb") == r"'a\nb': no such file or directory"
    assert refusal("nul\0") == r"'nul\x00': is not a path"
    assert refusal("n" * 5000).endswith(": file name too long")


def test_refuses_a_file_that_is_too_large(tmp_path):
    path = tmp_path / "large.json"
    with open(path, "wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert refusal(path) == f"{path}: is larger than 16 MiB"


def test_reads_no_more_of_an_endless_file_than_the_limit():
    assert refusal("/dev/zero") == "/dev/zero: is larger than 16 MiB"


def test_reads_from_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(json.dumps(SWAP),))
    writer.start()
    assert read_problem(path) == parse(SWAP)
    writer.join()


# Writing loses nothing


def assert_survives(problem: Problem) -> None:
    text = problem_to_json(problem)
    assert parse_problem(text) == problem
    # The tree is the same document, whoever writes it out.
    assert parse_problem(json.dumps(problem_document(problem))) == problem


@each_case()
def test_every_case_survives_writing_and_reading(case, tmp_path):
    path = tmp_path / "case.json"
    write_problem(case.problem, path)
    assert read_problem(path) == case.problem


def test_matrices_are_written_beside_the_mdp_only_where_it_does_not_give_them():
    exact = Problem.from_matrices(0, Phi=[[1], [2]], P_pi=[[0, 1], [1, 0]], r_pi=[1, 2], d_mu=["1/3", "2/3"])
    assert "matrices" not in problem_document(exact.realised())
    # Rewards in doubles make π and μ, and all that they give, doubles; the problem keeps its exact matrices.
    mixed = Problem.from_matrices(0, Phi=[[1], [2]], P_pi=[[0, 1], [1, 0]], r_pi=[0.1, 2], d_mu=["1/3", "2/3"])
    assert problem_document(mixed.realised())["matrices"]["behaviour"]["distribution"] == ["1/3", "2/3"]
    assert_survives(mixed.realised())


def test_distribution_with_too_many_digits_is_left_to_be_derived():
    q = 10**300
    a, b, c, d, e, f = (Fraction(1, q + i) for i in (1, 3, 7, 9, 13, 31))
    # By the matrix-tree theorem d is made of products of two rates each, so all six denominators multiply.
    P_mu = [[1 - a - b, a, b], [c, 1 - c - d, d], [e, f, 1 - e - f]]
    problem = Problem.from_matrices(0, Phi=[[1], [2], [3]], P_pi=[[0, 1, 0], [1, 0, 0], [0, 0, 1]], P_mu=P_mu)
    assert min(len(str(x)) for x in problem.exact.d_mu) > MAX_DIGITS
    assert problem_document(problem)["behaviour"].keys() == {"transitions", "rewards"}
    assert_survives(problem)


def test_refuses_to_write_what_could_not_be_read_back():
    long = Problem.from_matrices(Fraction(1, 10**MAX_DIGITS), Phi=[[1]], P_pi=[[1]], d_mu=[1], name="long")
    with pytest.raises(
        InvalidProblem, match=r"^'long' cannot be written to a file: gamma: a number has more than 2000"
    ):
        problem_to_json(long)
    longer = long.with_gamma(Fraction(1, 10**10_000))
    with pytest.raises(
        InvalidProblem, match=r"^'long' cannot be written to a file: gamma: a number has more than 2000"
    ):
        problem_to_json(longer)
    unnamed = long.with_gamma(0).relabelled(name="a\x1b[31m")
    with pytest.raises(
        InvalidProblem, match=r"cannot be written to a file: name: 'a\\x1b\[31m' is empty or has control"
    ):
        problem_to_json(unnamed)
    mdp = MDP([[[1]]], [[1]], 0)
    foreign = replace(Problem.from_mdp(mdp, pi=[[1]], mu=[[1]], Phi=[[1]]), mdp=MDP([[[1]]], [[2]], 0))
    with pytest.raises(InvalidProblem, match=r"cannot be written to a file: matrices\.target\.rewards\[0\]: differs"):
        problem_to_json(foreign)


def test_writing_replaces_in_one_step_and_keeps_link_and_mode(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    before = os.open(real, os.O_RDONLY)
    try:
        write_problem(parse(SWAP), link)
        assert os.read(before, 10) == b"old"  # who has it open still sees the old file, whole
    finally:
        os.close(before)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert read_problem(real) == parse(SWAP)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "real.json"]


def test_failed_writing_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(InvalidProblem, match="cannot be written"):
        write_problem(parse(SWAP).relabelled(name="\0"), path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InvalidProblem, match=r"/none/x\.json: no such file or directory$"):
        write_problem(parse(SWAP), tmp_path / "none" / "x.json")
    with pytest.raises(InvalidProblem, match=r": is a directory$"):
        write_problem(parse(SWAP), tmp_path)


def test_a_device_is_written_to_and_not_replaced():
    write_problem(parse(SWAP), "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


# Garbage


def assert_answered(text):
    """A problem or a one-line refusal; anything else is a failed test."""
    try:
        assert isinstance(parse_problem(text), Problem)
    except InvalidProblem as error:
        assert "\n" not in str(error)  # noqa: PT017  both ways out are fine


HUGE = "an integer of 5000 digits"  # for which Python itself has no text
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["1/2", "1e400", "-0", HUGE, "1e-2000", "0.5", 1e308, -0.0, 5e-324, "1/0", "float"])
)
KEYS = st.sampled_from([*SWAP, *THREE, "arithmetic", "matrices", "distribution"]) | st.text(max_size=3)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


@st.composite
def damaged_documents(draw):
    """A valid document with up to three places replaced, removed or doubled."""
    document = json.loads(json.dumps(draw(st.sampled_from([SWAP, THREE, BESIDE]))))
    if draw(st.booleans()):
        document["arithmetic"] = "float"
    for _ in range(draw(st.integers(1, 3))):
        inner, depth = document, draw(st.integers(0, 4))
        for _ in range(depth):
            below = [
                v for v in (inner.values() if isinstance(inner, dict) else inner) if isinstance(v, dict | list) and v
            ]
            if not below:
                break
            inner = draw(st.sampled_from(below))
        key = draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))
        match draw(st.sampled_from(["replace", "remove", "double"])):
            case "replace":
                inner[key] = draw(TREES)
            case "remove" if len(inner) > 1:
                del inner[key]
            case "double" if isinstance(inner, list):
                inner.append(inner[key])
    return document


def dumped(tree):
    """JSON text of a tree, HUGE in digits."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {dumped(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(dumped, tree)) + "]"
    return "1" + "0" * 5000 if tree == HUGE else json.dumps(tree)


@settings(deadline=None, max_examples=500)
@given(damaged_documents())
def test_any_damaged_document_is_answered(document):
    assert_answered(dumped(document))
