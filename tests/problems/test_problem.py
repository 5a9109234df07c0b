"""The one noun that travels: what it keeps, what it refuses, and how it shows itself."""

from __future__ import annotations

import copy
import pickle
import re
import xml.etree.ElementTree as ET
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cases import CASES, TAGS, each_case, same_numbers, tagged
from tests.strategies import discounts, distributions, exact_problems, float_problems, rationals, stochastic_matrices
from theory.problems.mdp import MDP
from theory.problems.numbers import InvalidProblem
from theory.problems.problem import Problem, Quantities
from theory.problems.sources import open_problem

LETTERS = [f.name for f in fields(Quantities)]
SWAP = {"gamma": "9/10", "Phi": [[1], [-3]], "P_pi": [[0, 1], [1, 0]], "d_mu": ["9/10", "1/10"]}
SHIFT = MDP(
    [[["1/4", "3/4"], [1, 0]], [[0, 1], ["1/2", "1/2"]]], [[1, 2], [3, 4]], "1/2", ("here", "there"), ("stay", "go")
)


def problem(**changes):
    return Problem.from_matrices(**(SWAP | changes))


def from_shift(**changes):
    arguments = {"pi": [[0, 1], [1, 0]], "mu": [["1/2", "1/2"]] * 2, "Phi": [[1], [2]]}
    return Problem.from_mdp(SHIFT, **(arguments | changes))


# What is given


def test_floats_have_an_exact_view_that_is_the_doubles_themselves():
    floats = problem(gamma=0.1, d_mu=[0.3, 0.7])
    assert floats.exact.gamma == Fraction(0.1)
    assert floats.exact.gamma != Fraction(1, 10)
    assert floats.exact.d_mu.tolist() == [Fraction(0.3), Fraction(0.7)]


@each_case()
def test_all_views_are_read_only_and_of_their_kind(case):
    p = case.problem
    for view, dtype in ((p.floats, np.float64), (p.exact, object)):
        for letter in LETTERS[1:]:
            array = getattr(view, letter)
            if array is not None:
                assert array.dtype == dtype
                assert not array.flags.writeable
    for letter in LETTERS:
        assert getattr(p, letter) is getattr(p.floats, letter)


def test_knows_whether_its_distribution_is_stationary():
    assert problem().is_stationary is None
    assert problem(P_mu=[[1, 0], [0, 1]]).is_stationary is True
    assert problem(P_mu=[[0, 1], [1, 0]]).is_stationary is False
    assert problem(P_mu=[[0.9, 0.1], [0.9, 0.1]], d_mu=[0.9, 0.1]).is_stationary is True


BAD = {
    "discount one": ({"gamma": 1}, r"^gamma: must be below 1: from state 0 the target never ends an episode$"),
    "discount above": ({"gamma": 1.5}, r"^gamma: the discount must lie in \[0, 1\], got 1\.5$"),
    "P not square": ({"P_pi": [[1, 0]]}, r"^P_pi: has shape 1×2, but states × states is 1×1$"),
    "P sum": (
        {"P_pi": [[1, 0], ["1/2", "1/3"]]},
        r"^P_pi\[1\]: probabilities sum to 5/6, not 1; if the rest ends the episode, say episodic$",
    ),
    "P negative": ({"P_pi": [[2, -1], [0, 1]]}, r"^P_pi\[0\]\[1\]: negative probability -1$"),
    "d too long": ({"d_mu": ["1/2", "1/4", "1/4"]}, r"^d_mu: has shape 3, but states is 2$"),
    "d zero": (
        {"d_mu": [0, 1], "Phi": [[1, 0], [0, 1]]},
        r"^d_mu\[0\]: missing coverage: state 0 has probability 0 under the behaviour, and .* rank 1 of 2: some values",
    ),
    "d missing": ({"d_mu": None}, r"^d_mu: give the distribution, or P_mu to take the stationary one of$"),
    "r too short": ({"r_pi": [1]}, r"^r_pi: has shape 1, but states is 2$"),
    "r too large": ({"r_pi": ["1e400", 0]}, r"^r_pi: a number is too large for double precision"),
    "P_mu shape": ({"P_mu": [[1]]}, r"^P_mu: has shape 1×1, but states × states is 2×2$"),
    "r_mu shape": ({"r_mu": [1, 2, 3]}, r"^r_mu: has shape 3, but states is 2$"),
    "not unique": (
        {"P_mu": [[1, 0], [0, 1]], "d_mu": None},
        r"^P_mu: the stationary distribution is not unique: the chain has 2 closed classes, \{0\} and \{1\}$",
    ),
    "Phi rows": ({"Phi": [[1]]}, r"^Phi: has 1 row for 2 states$"),
    "states twice": ({"states": ["a", "a"]}, r"^states\[1\]: the name 'a' occurs twice$"),
}


@pytest.mark.parametrize(("change", "match"), BAD.values(), ids=BAD.keys())
def test_refuses_in_one_line_that_names_the_place(change, match):
    with pytest.raises(InvalidProblem, match=match):
        problem(**change)


@pytest.mark.parametrize("S", [3, 7, 50])
def test_single_precision_is_refused_with_its_deviation_and_the_way_out(S):
    rng = np.random.default_rng(S)
    P = rng.uniform(size=(S, S)).astype(np.float32)
    P /= P.sum(axis=1, keepdims=True)
    d = np.full(S, 1 / S)
    with pytest.raises(
        InvalidProblem, match=r"^P_pi\[\d+\]: probabilities sum to 1 [+-] \d(\.\d)?e-08, not 1: normalise"
    ):
        Problem.from_matrices(0.5, Phi=np.ones((S, 1), np.float32), P_pi=P, d_mu=d)
    P = P.astype(float)
    assert Problem.from_matrices(0.5, Phi=np.ones((S, 1)), P_pi=P / P.sum(axis=-1, keepdims=True), d_mu=d).n_states == S


def test_numbers_come_in_as_other_libraries_have_them():
    """Lists of texts are the specification; each library's own matrices mean the same."""
    import flint
    import scipy.sparse
    import sympy

    wanted = problem(Phi=[[1], [2]], P_pi=[["1/3", "2/3"], [0, 1]], d_mu=["1/4", "3/4"])
    third = sympy.Rational(1, 3)
    given = {
        "sympy": (sympy.Matrix([1, 2]), sympy.Matrix([[third, 1 - third], [0, 1]]), sympy.Matrix([1, 3]) / 4),
        "flint": (
            flint.fmpz_mat([[1], [2]]),
            flint.fmpq_mat([[flint.fmpq(1, 3), flint.fmpq(2, 3)], [0, 1]]),
            flint.fmpq_mat([[flint.fmpq(1, 4)], [flint.fmpq(3, 4)]]),
        ),
        "fractions": (np.array([[1], [2]]), [(Fraction(1, 3), Fraction(2, 3)), (0, 1)], [Fraction(1, 4), "0.75"]),
    }
    for Phi, P_pi, d_mu in given.values():
        assert problem(Phi=Phi, P_pi=P_pi, d_mu=d_mu) == wanted
    sparse = problem(Phi=[[1], [2]], P_pi=scipy.sparse.csr_array([[0.5, 0.5], [0, 1]]), d_mu=["1/4", "3/4"])
    assert sparse.P_pi.tolist() == [[0.5, 0.5], [0, 1]]
    assert problem(gamma=sympy.Float("0.5")).given.gamma == 0.5
    with pytest.raises(InvalidProblem, match=r"^gamma: expected a number, got Pow"):
        problem(gamma=sympy.sqrt(2))


@pytest.mark.parametrize("name", ["mine.json", "mine.npz"])
def test_what_is_saved_is_opened_again(tmp_path, name):
    mine = problem(name="mine")
    mine.save(tmp_path / name)
    assert open_problem(tmp_path / name) == mine
    assert open_problem(str(tmp_path / name)) == mine


def test_an_exact_discount_that_rounds_to_one_stays_below_it_in_floats():
    near = problem(gamma=1 - Fraction(1, 10**40))
    assert near.gamma == 1 - 2.0**-53
    assert near.exact.gamma == 1 - Fraction(1, 10**40)
    assert "γ=1 - 1e-40" in repr(near)


def test_an_exact_visit_that_rounds_to_none_stays_a_visit_in_floats():
    tiny = Fraction(1, 10**400)
    rare = problem(d_mu=[1 - tiny, tiny])
    assert rare.d_mu.tolist() == [1.0, 5e-324]
    assert rare.exact.d_mu[1] == tiny


def test_long_numbers_are_refused_in_one_short_line():
    q = 10**1990
    row = [Fraction(1, q + 1), Fraction(1, q + 3), Fraction(1, q + 7)]
    with pytest.raises(InvalidProblem, match=r"^P_pi\[0\]: probabilities sum to .{1,100}, not 1"):
        Problem.from_matrices(0, Phi=[[1]] * 3, P_pi=[row] * 3, d_mu=["1/3"] * 3)


# Variants


def test_with_gamma_changes_the_mdp_too():
    other = from_shift().with_gamma("1/3")
    assert other.given.gamma == other.mdp.gamma == Fraction(1, 3)
    for letter in LETTERS[1:]:
        assert same_numbers(getattr(other.given, letter), getattr(from_shift().given, letter))
    with pytest.raises(InvalidProblem, match=r"^gamma: "):
        from_shift().with_gamma(2)


def test_relabelled_renames_the_mdp_too():
    other = from_shift().relabelled(name="new", states=["x", "y"])
    assert (other.name, other.states, other.state_labels) == ("new", ("x", "y"), ("x", "y"))
    assert (other.mdp.states, other.mdp.actions) == (("x", "y"), ("stay", "go"))
    assert other.relabelled() == other
    assert same_numbers(other.given.P_pi, from_shift().given.P_pi)
    assert problem().state_labels == ("0", "1")


# An MDP behind matrices


@st.composite
def coverable(draw):
    """Exact matrices that some MDP realises: P_π within the support of P_μ, whose distribution is d_μ."""
    n = draw(st.integers(1, 4))
    d = draw(distributions(n, positive=True))
    P_pi = draw(stochastic_matrices(n))
    P_mu = None
    if draw(st.booleans()):
        P_mu = [
            [(p + q) / 2 for p, q in zip(*rows, strict=True)]
            for rows in zip(P_pi, draw(stochastic_matrices(n, irreducible=True)), strict=True)
        ]
        d = None
    rewards = st.lists(rationals(), min_size=n, max_size=n)
    return Problem.from_matrices(
        draw(discounts()),
        Phi=[[i] for i in range(n)],
        P_pi=P_pi,
        d_mu=d,
        r_pi=draw(rewards),
        P_mu=P_mu,
        r_mu=draw(st.none() | rewards),
    )


@settings(deadline=None)
@given(coverable())
def test_realised_mdp_gives_back_every_matrix_exactly(problem):
    g = problem.given
    # Where both policies move alike they are also rewarded alike, or there is no such MDP.
    P_mu = np.tile(g.d_mu, (problem.n_states, 1)) if g.P_mu is None else g.P_mu
    alike = (g.P_pi == P_mu).all(axis=1)
    assume(g.r_mu is None or not (alike & (g.r_pi != g.r_mu)).any())
    behind = problem.realised()
    again = Problem.from_mdp(behind.mdp, pi=behind.pi, mu=behind.mu, Phi=g.Phi)
    for letter in LETTERS:
        wanted = getattr(g, letter)
        if wanted is not None:
            assert np.array_equal(getattr(again.given, letter), wanted)
    assert behind.realised() is behind
    assert same_numbers(behind.given.d_mu, again.given.d_mu)


def test_realised_refuses_what_no_chain_does():
    with pytest.raises(InvalidProblem, match=r"^d_mu: is not the stationary distribution of P_mu"):
        problem(P_mu=[[0, 1], [1, 0]]).realised()
    with pytest.raises(InvalidProblem, match=r"^P_mu\[1\]\[1\]: missing coverage"):
        problem(P_pi=[[0, 1], [0, 1]], P_mu=[["1/2", "1/2"], [1, 0]], d_mu=None).realised()
    with pytest.raises(InvalidProblem, match=r"^r_mu\[1\]: differs from r_pi where both policies move alike$"):
        problem(P_mu=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"], r_pi=[1, 1], r_mu=[1, 2]).realised()


# Identity


def test_equality_compares_numbers_kinds_labels_and_name():
    assert problem() == problem(d_mu=[Fraction(9, 10), "0.1"])
    assert hash(problem()) == hash(problem())
    different = [
        problem(gamma=0.9),  # another kind
        problem(r_pi=[0, 1]),
        problem(Phi=[[1], [3]]),
        problem(name="other"),
        problem(states=["a", "b"]),
        problem(P_mu=[["9/10", "1/10"]] * 2),
        problem().realised(),
        from_shift(),
    ]
    assert len({problem(), *different}) == 1 + len(different)
    assert problem() != "problem"
    assert from_shift() != from_shift(mu=[["1/3", "2/3"]] * 2)
    assert from_shift() != from_shift().relabelled(states=["a", "b"])


def test_problems_with_long_numbers_can_be_compared():
    """Beyond 4300 digits Python refuses to make a text of an integer; d of 300 states gets there."""
    tiny = Fraction(1, 2**1000)
    d = [tiny**20, 1 - tiny**20]
    assert problem(d_mu=d) == problem(d_mu=d) != problem()
    rewards = [1 + tiny**20, 0]
    assert problem(r_pi=rewards) == problem(r_pi=rewards)
    assert problem(r_pi=rewards) != problem()


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
@each_case()
def test_copies_and_pickles_are_equal(case, clone):
    assert clone(case.problem) == case.problem
    assert hash(clone(case.problem)) == hash(case.problem)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
@each_case("MDP")
def test_copies_and_pickles_are_read_only(case, clone):
    """A worker of another process gets its problem by pickle."""
    case.problem.floats  # noqa: B018  cached, so copied too
    p = clone(case.problem)
    arrays = [p.pi, p.mu, p.mdp.P, p.mdp.R]
    arrays += [getattr(view, letter) for view in (p.given, p.floats, p.exact) for letter in LETTERS[1:]]
    assert not any(array.flags.writeable for array in arrays)


# Display


def test_repr_is_one_line_that_tells_what_it_is():
    assert repr(problem()) == "Problem('problem': 2 states, 1 feature, γ=9/10, exact, matrices only)"
    assert repr(from_shift(Phi=[[1.0, 0], [0, 1]])) == (
        "Problem('problem': 2 states, 2 features, γ=1/2, floats, MDP with 2 actions)"
    )
    assert "\n" not in repr(problem(name="a\nb"))


NASTY = "<script>alert('x & y')</script>"


@settings(deadline=None)
@given(exact_problems(max_states=3) | float_problems(max_states=3))
def test_html_and_latex_are_well_formed(problem):
    assert_well_formed(problem)


def assert_well_formed(problem):
    ET.fromstring(problem._repr_html_())  # raises where a tag or an & is left open
    latex = problem._repr_latex_()
    assert re.fullmatch(r"\$.*\$", latex)
    depth = 0
    for brace in re.findall(r"[{}]", latex):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    assert latex.count(r"\begin{bmatrix}") == latex.count(r"\end{bmatrix}")


@pytest.mark.parametrize("name", [NASTY, "a: b", "a\nb", '"', "&amp;"])
def test_html_escapes_names_and_labels(name):
    html = problem(name=name, states=[name, "ü" + name])._repr_html_()
    tree = ET.fromstring(html)
    assert {element.tag for element in tree.iter()} == {"div", "strong"}
    assert tree.find("strong").text == name
    assert tree.find("div").text == f"states: {name}, ü{name}"


# The cases that all tests share


def test_every_tag_has_a_case_and_every_case_a_name_of_its_own():
    assert all(tagged(tag) for tag in TAGS)
    assert len({case.name for case in CASES}) == len(CASES)
