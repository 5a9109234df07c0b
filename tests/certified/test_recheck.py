"""The checker is independent, and its root criteria agree with Sturm's count."""

import ast
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

import theory.certified.recheck
from theory.certified.recheck.integers import matrix, positive, row_space, solve
from theory.certified.recheck.roots import axis_side, characteristic, circle_side
from theory.certified.recheck.windows import exact_sum, window_sum
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle

FOLDER = Path(theory.certified.recheck.__file__).parent

z = fmpq_poly([0, 1])
factors = st.sampled_from(
    [z - 1, z + 1, z, z**2 + 1, z**2 - fmpq(6, 5) * z + 1, 2 * z - 1, z + 3, z - 3, z**2 - z + 2, z**2 + z + fmpq(1, 2)]
)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda p: p.name)
def test_the_checker_imports_only_python_and_itself(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            root = (node.module or "").split(".")[0]
            assert root in sys.stdlib_module_names or node.module.startswith("theory.certified.recheck")
        elif isinstance(node, ast.Import):
            assert all(alias.name in sys.stdlib_module_names for alias in node.names)


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


@given(square())
def test_definiteness_agrees_with_flint(rows):
    H = flint(rows) + flint(rows).transpose()
    minors = [fmpq_mat([r[:k] for r in H.tolist()[:k]]).det() for k in range(1, len(rows) + 1)]
    exact = [[Fraction(int(x.p), int(x.q)) for x in row] for row in H.tolist()]
    assert positive(matrix(exact)) == all(m > 0 for m in minors)


def test_an_unsymmetric_matrix_is_not_definite():
    assert not positive(matrix([[1, 1], [0, 1]]))


@given(square(), square())
def test_solving_agrees_with_flint(E, N):
    if len(E) != len(N) or flint(E).det() == 0:
        return
    rows, q = solve(matrix(E), matrix(N))
    assert flint([[Fraction(x, q) for x in row] for row in rows]) == flint(E).solve(flint(N))


@given(st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=1, max_size=4))
def test_row_spaces_agree_with_flint(rows):
    chosen, (R, q) = row_space(matrix(rows))
    reduced, rank = fmpq_mat(rows).rref()
    assert len(chosen) == rank
    assert [[fmpq(x, q) for x in row] for row in R] == reduced.tolist()[:rank]


@given(square(3), st.sampled_from([Fraction(1, 7), Fraction(1), Fraction(-2)]), st.integers(1, 80))
def test_rounded_window_sums_enclose_the_exact_ones(rows, alpha, T):
    exact, q = exact_sum(matrix(rows), alpha, T)
    rounded, e, error = window_sum(matrix(rows), alpha, T, 64)
    for mine, theirs in zip(exact, rounded, strict=True):
        for x, y in zip(mine, theirs, strict=True):
            assert abs(Fraction(x, q) - y * Fraction(2) ** e) <= error * Fraction(2) ** e
    step = [[(i == j) - alpha * x for j, x in enumerate(row)] for i, row in enumerate(rows)]
    total, power = (
        fmpq_mat(len(rows), len(rows)),
        flint([[Fraction(i == j) for j in range(len(rows))] for i in range(len(rows))]),
    )
    for _ in range(T):
        total, power = total + power, power * flint(step)
    assert flint([[Fraction(x, q) for x in row] for row in exact]) == total
