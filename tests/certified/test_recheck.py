"""The checker is independent, and its root criteria agree with Sturm's count."""

import ast
import random
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

import theory.certified.recheck
from theory.certified.proofs import Roots
from theory.certified.recheck.checker import check
from theory.certified.recheck.integers import (
    axis_side,
    characteristic,
    circle_side,
    exact_sum,
    matrix,
    number,
    positive,
    row_space,
    window_sum,
)
from theory.certified.verdicts import chain_unbiased, td_stable, window_stable
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle
from theory.problems import Problem

FOLDER = Path(theory.certified.recheck.__file__).parent

z = fmpq_poly([0, 1])
factors = st.sampled_from(
    [z - 1, z + 1, z, z**2 + 1, z**2 - fmpq(6, 5) * z + 1, 2 * z - 1, z + 3, z - 3, z**2 - z + 2, z**2 + z + fmpq(1, 2)]
)


NUMERIC = {"moments.py": ("numpy",)}  # the moments of large problems: integers, but in doubles


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda p: p.name)
def test_the_checker_imports_only_python_and_itself(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            root = (node.module or "").split(".")[0]
            assert root in sys.stdlib_module_names or node.module.startswith("theory.certified.recheck")
        elif isinstance(node, ast.Import):
            assert all(alias.name in {*sys.stdlib_module_names, *NUMERIC.get(path.name, ())} for alias in node.names)


@given(st.lists(factors, min_size=1, max_size=5))
def test_sides_agree_with_sturm(parts):
    p = fmpq_poly([1])
    for factor in parts:
        p *= factor
    coefficients = [Fraction(int(c.p), int(c.q)) for c in p.coeffs()]
    _, on, outside = unit_circle(p)
    assert circle_side(coefficients) == (1 if outside else 0 if on else -1)
    left, axis, _ = half_planes(p)
    assert axis_side(coefficients) == (1 if left else 0 if axis else -1)


small = st.fractions(min_value=-3, max_value=3, max_denominator=4)


@st.composite
def square(draw, largest=4):
    n = draw(st.integers(1, largest))
    return [[draw(small) for _ in range(n)] for _ in range(n)]


def flint(rows):
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])


@given(square())
def test_characteristic_polynomials_agree_with_flint(rows):
    expected = [Fraction(int(c.p), int(c.q)) for c in characteristic_polynomial(flint(rows)).coeffs()]
    assert characteristic(matrix(rows)) == expected


@given(st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=1, max_size=4))
def test_row_spaces_agree_with_flint(rows):
    chosen, (R, q) = row_space(matrix(rows))
    reduced, rank = fmpq_mat(rows).rref()
    assert len(chosen) == rank
    assert [[fmpq(x, q) for x in row] for row in R] == reduced.tolist()[:rank]


@given(square(3), st.sampled_from([Fraction(1, 7), Fraction(1), Fraction(-2)]), st.integers(1, 80))
def test_rounded_window_sums_enclose_the_exact_ones(rows, alpha, T):
    exact, q = exact_sum(matrix(rows), alpha, T)
    rounded, error = window_sum(matrix(rows), alpha, T, 64)
    for mine, theirs in zip(exact, rounded, strict=True):
        for x, y in zip(mine, theirs, strict=True):
            assert abs(Fraction(x, q) - Fraction(y, 2**64)) <= Fraction(error, 2**64)
    step = [[(i == j) - alpha * x for j, x in enumerate(row)] for i, row in enumerate(rows)]
    total, power = (
        fmpq_mat(len(rows), len(rows)),
        flint([[Fraction(i == j) for j in range(len(rows))] for i in range(len(rows))]),
    )
    for _ in range(T):
        total, power = total + power, power * flint(step)
    assert flint([[Fraction(x, q) for x in row] for row in exact]) == total


@given(st.integers(0, 10**6), st.integers(4, 9), st.integers(0, 40))
def test_definiteness_of_larger_matrices_agrees_with_flint(seed, n, spread):
    rng = random.Random(seed)
    B = [[Fraction(rng.randint(-9, 9)) for _ in range(n)] for _ in range(n)]
    s = [Fraction(10) ** rng.randint(-spread, spread) for _ in range(n)]
    shift = Fraction(rng.randint(-40, 10), 10)
    G = [[sum(x * y for x, y in zip(a, b, strict=True)) + (shift if i == j else 0) for j, b in enumerate(B)]
         for i, a in enumerate(B)]  # fmt: skip
    H = [[s[i] * s[j] * x for j, x in enumerate(row)] for i, row in enumerate(G)]
    minors = [fmpq_mat([r[:k] for r in flint(H).tolist()[:k]]).det() for k in range(1, n + 1)]
    assert positive(matrix(H)) == all(m > 0 for m in minors)


LONG = "7" * 5000


def test_numbers_of_any_length_and_none_that_are_no_numbers():
    assert number(LONG) == sum(7 * 10**k for k in range(5000))
    assert number(f"-{LONG}/{LONG}1") == -number(LONG) / (number(LONG) * 10 + 1)
    assert [number(x) for x in ("9/10", "-0.25", 3, 0.5)] == [Fraction(9, 10), Fraction(-1, 4), 3, Fraction(1, 2)]
    for bad in ("1e9", "0x1", " 1", "1_0", "٣", "", "1/", True, None, float("nan"), float("inf"), [1]):
        with pytest.raises((ValueError, TypeError)):
            number(bad)


def test_certificates_with_numbers_of_thousands_of_digits_are_checked():
    """A tie after 8,000 updates: its polynomial has more digits than Python writes."""
    problem = Problem.from_matrices(
        "3/5", Phi=[[1, 0], [3, 0], [0, 1], [0, 1]], d_mu=["9/20", "1/20", "1/4", "1/4"],
        P_pi=[[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
    )  # fmt: skip
    verdict = window_stable(problem.with_features([[1, 0], [3, 0], [0, 1], [0, 1]]), 8000, "1/7")
    assert verdict.decided
    assert verdict.certificate.recheck()
    lengths = [len(c) for c in verdict.certificate.to_dict()["evidence"].get("polynomial", [])]
    assert isinstance(verdict.evidence, Roots) is (max(lengths, default=0) > 4300)


def test_a_window_of_a_billion_updates_whose_sum_explodes_and_does_not_matter():
    """Y = 0, so the cold start ends where it should whatever S_T is."""
    problem = Problem.from_matrices(
        "9/10", Phi=[[0], [3], [1]], P_pi=[[0, "1/2", "1/2"], [1, 0, 0], [1, 0, 0]], d_mu=["8/17", "8/17", "1/17"]
    )
    verdict = window_stable(problem, 10**9, "1/2", "cold")
    assert verdict.proved
    assert verdict.certificate.recheck()


PRESUPPOSED = {
    "a discount of one": ("gamma", lambda _: "1"),
    "a discount above one": ("gamma", lambda _: "3/2"),
    "a negative discount": ("gamma", lambda _: "-1/10"),
    "weights that sum to less": ("d", lambda d: ["1/3", *d[1:]]),
    "weights with which nothing is learned": ("d", lambda d: ["0", "1"]),
    "a negative weight": ("d", lambda d: ["3/2", "-1/2"]),
    "rows that sum to more than one": ("P", lambda P: [["1/2", "3/4"], P[1]]),
    "values without end": ("gamma", lambda _: "1"),
    "a negative probability": ("P", lambda P: [["2", "-1"], P[1]]),
    "too few rows of features": ("Phi", lambda Phi: Phi[:1]),
    "too many transitions": ("P", lambda P: [*P, P[0]]),
    "a field too many": ("alpha", lambda _: "1"),
}


@pytest.mark.parametrize("name", PRESUPPOSED)
def test_what_the_question_presupposes_is_checked(name):
    field, change = PRESUPPOSED[name]
    problem = Problem.from_matrices("1/100", Phi=[[1], [0]], P_pi=[[0, 1], [1, 0]], d_mu=["2/3", "1/3"])
    for ask in (td_stable, chain_unbiased):
        document = ask(problem).certificate.to_dict()
        assert check(document)
        question = document["question"]
        assert not check({**document, "question": {**question, field: change(question.get(field))}})


def test_doubles_sum_to_one_up_to_their_rounding():
    problem = Problem.from_matrices(0.9, Phi=[[1.0], [0.0], [2.0]], P_pi=np.full((3, 3), 1 / 3), d_mu=[0.1, 0.2, 0.7])
    assert sum(map(Fraction, (0.1, 0.2, 0.7))) != 1
    assert all(ask(problem).certificate.recheck() for ask in (td_stable, chain_unbiased))
