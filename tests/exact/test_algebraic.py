"""Exact real algebraic numbers."""

import json
import math
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import fmpq, fmpq_poly, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT
from theory.exact import algebraic
from theory.exact.algebraic import (
    AlgebraicNumber,
    algebraic_rational,
    factors,
    real_roots,
    simplest_between,
    unit_roots,
)

X = fmpz_poly([0, 1])
GOLDEN = real_roots(X**2 - X - 1)[1]
CUBE = real_roots(X**3 - 2)[0]

polynomials = st.lists(st.integers(-5, 5), min_size=2, max_size=7).map(fmpz_poly).filter(lambda p: p.degree() > 0)


def sturm_count(p):
    """How many distinct real roots, by the signs of Sturm's sequence at ±∞: another way than isolation."""
    chain = [fmpq_poly(p), fmpq_poly(p.derivative())]
    while not chain[-1].is_zero():
        chain.append(-(chain[-2] % chain[-1]))
    chain.pop()

    def variations(sign):
        signs = [s for s in (sign(f) for f in chain) if s]
        return sum(a != b for a, b in pairwise(signs))

    def plus(f):
        return 1 if f.leading_coefficient() > 0 else -1

    return variations(lambda f: plus(f) * (-1) ** f.degree()) - variations(plus)


@EXACT
@given(polynomials)
def test_real_roots_are_all_there_once_in_order_and_isolated(p):
    roots = real_roots(p)
    assert len(roots) == sturm_count(p)
    assert all(a < b for a, b in pairwise(roots))
    for x in roots:
        low, high = x.interval(Fraction(1, 1000))
        if x.is_rational:
            assert p(x.low) == 0
        else:
            assert x.polynomial(low) * x.polynomial(high) < 0
            assert high - low <= fmpq(1, 1000)


@EXACT
@given(polynomials, polynomials)
def test_order_and_equality_agree_with_doubles_far_apart_and_with_gcd_when_equal(p, q):
    for x in real_roots(p):
        for y in real_roots(q):
            assert (x < y) + (x == y) + (x > y) == 1
            if abs(float(x) - float(y)) > 1e-9:
                assert (x < y) == (float(x) < float(y))
            if x == y:
                assert hash(x) == hash(y)
                assert p.gcd(q).degree() > 0


def test_equality_does_not_depend_on_the_polynomial_at_hand():
    # √2 as a root of x² − 2 and, unfactored, of (x² − 2)(x² − 3).
    root = real_roots(X**2 - 2)[1]
    raw = AlgebraicNumber((X**2 - 2) * (X**2 - 3), fmpq(14, 10), fmpq(15, 10))
    assert raw == root
    assert hash(raw) == hash(root)
    assert raw != real_roots(X**2 - 3)[1]
    assert raw < real_roots(X**2 - 3)[1]


def test_numbers_a_hair_apart_are_told_apart():
    near = real_roots(fmpz_poly([-2 * 10**60 - 1, 0, 10**60]))[1]  # √(2 + 10⁻⁶⁰)
    root = algebraic_rational(2).root(2)
    assert root < near
    assert float(root) == float(near)


@pytest.mark.parametrize(
    ("p", "texts"),
    [
        (17 * X - 15, ["15/17"]),
        (X**2 - X - 1, ["(1-sqrt(5))/2", "(1+sqrt(5))/2"]),
        (X**2 - 8, ["-2*sqrt(2)", "2*sqrt(2)"]),
        (2 * X**2 - 1, ["-sqrt(2)/2", "sqrt(2)/2"]),
        (X**2 - 2 * X - 1, ["1-sqrt(2)", "1+sqrt(2)"]),
        (X**3 - X - 1, ["root of x^3 - x - 1 in [1.324717, 1.324718]"]),
        ((X - 1) ** 2 * (X**2 + 1), ["1"]),
    ],
)
def test_texts(p, texts):
    assert [str(x) for x in real_roots(p)] == texts


def test_decimals_are_certain():
    # √2 to 50 places, from the integer square root of 2·10¹⁰⁰, which is below the tie.
    digits = str(math.isqrt(2 * 10**102))
    rounded = str((int(digits) + 5) // 10)
    assert real_roots(X**2 - 2)[1].decimal(50) == f"{rounded[0]}.{rounded[1:]}"
    assert algebraic_rational(Fraction(-1, 8)).decimal(2) == "-0.12"  # ties go to the even digit
    assert algebraic_rational(7).decimal(0) == "7"


@EXACT
@given(st.fractions(0, 100).filter(bool), st.integers(1, 5))
def test_roots_of_rationals(x, n):
    root = algebraic_rational(x).root(n)
    assert root > 0
    low, high = root.interval(Fraction(1, 10**9))
    assert low**n <= fmpq(x.numerator, x.denominator) <= high**n
    assert algebraic_rational(x**n).root(n) == x


@pytest.mark.parametrize("x", [GOLDEN, CUBE, real_roots(X**3 - 7 * X + 7)[2], algebraic_rational(Fraction(3, 7))])
def test_reciprocal_negative_and_roots_undo_themselves(x):
    assert x.reciprocal().reciprocal() == x
    mirrored = -x
    assert -mirrored == x
    assert abs(-x) == x
    assert float(x.reciprocal()) == pytest.approx(1 / float(x), rel=1e-15)
    assert float(x.root(3)) ** 3 == pytest.approx(float(x), rel=1e-14)


@pytest.mark.parametrize("x", [GOLDEN, CUBE, algebraic_rational(Fraction(15, 17))])
def test_json_isolates_the_number(x):
    document = json.loads(json.dumps(x.to_dict()))
    low, high = (Fraction(end) for end in document["interval"])
    p = fmpz_poly([int(c) for c in document["polynomial"]])
    assert low <= x <= high
    assert sum(1 for y in real_roots(p) if low <= y <= high) == 1
    assert document["value"] == float(x)
    assert document["exact"] == str(x)


def test_long_polynomials_are_not_spelt_out():
    huge = X**20 * (10**400) - 3 * X - 10**399
    x = real_roots(huge)[-1]
    assert "a polynomial of degree 20" in str(x)
    assert x.to_dict()["polynomial"] is not None
    longer = X**20 * 10**4000 - 3 * X - 10**3999
    assert real_roots(longer)[-1].to_dict()["polynomial"] is None


def test_polynomials_too_long_to_factor_still_show_their_rational_roots(monkeypatch):
    monkeypatch.setattr(algebraic, "FACTORED", 0)
    p = (17 * X - 15) ** 2 * (X**2 - 2)
    assert len(factors(p)) == 2
    assert str(real_roots((17 * X - 15) * (X**3 - 2))[0]) == "15/17"
    assert real_roots((X**3 - 2) * (X**2 - 3))[1] == CUBE


@EXACT
@given(st.fractions(-5, 5), st.fractions(Fraction(1, 1000), 1))
def test_simplest_between_has_the_smallest_denominator(low, width):
    high = low + width
    found = simplest_between(fmpq(low.numerator, low.denominator), fmpq(high.numerator, high.denominator))
    value = Fraction(int(found.p), int(found.q))
    assert low <= value <= high
    for q in range(1, value.denominator):
        assert math.floor(high * q) < math.ceil(low * q)  # no p/q in between


def test_the_simplest_fraction_of_a_long_continued_fraction():
    """Every partial quotient of a quotient of Fibonacci numbers is 1: nine thousand of them, and no recursion."""
    a, b = 1, 1
    for _ in range(9000):
        a, b = b, a + b
    golden = fmpq(b, a)
    assert simplest_between(golden, golden) == golden
    assert simplest_between(golden - fmpq(1, 10**6), golden + fmpq(1, 10**6)) == fmpq(1597, 987)


def test_numbers_next_to_a_rational_are_compared_by_one_sign():
    """√2 against its decimals, and a root of 10⁶⁰⁰x² = 2 against 0: no bisection down to the difference."""
    root = real_roots(fmpz_poly([-2, 0, 1]))[1]
    near = Fraction(root.decimal(3000))
    assert (root < near) == (near**2 > 2)
    assert (root > near) == (near**2 < 2)
    tiny = real_roots(fmpz_poly([-2, 0, 10**600]))[1]
    assert tiny > 0
    assert not tiny < 0
    assert algebraic_rational(0) < tiny < algebraic_rational(Fraction(1, 10**299))


def test_the_interval_of_a_number_next_to_an_integer_does_not_hold_it():
    """√(1 − 10⁻⁵⁰) and 1 are told apart by whoever reads the JSON."""
    x = real_roots(fmpz_poly([1 - 10**50, 0, 10**50]))[1]
    low, high = map(Fraction, x.to_dict()["interval"])
    assert low * low < 1 - Fraction(1, 10**50) < high * high < 1


@given(st.lists(st.fractions(-2, 3, max_denominator=8), min_size=1, max_size=5), st.integers(0, 60))
def test_roots_in_the_unit_interval_are_those_of_all_that_are_there(places, far):
    """Rational and irrational ones, at dyadic points too, and beside roots far away."""
    p = fmpz_poly([-(10**far), 1]) * fmpz_poly([-1, 0, 2]) * fmpz_poly([1, 0, 3])
    for x in places:
        p *= fmpz_poly([-x.numerator, x.denominator])
    assert unit_roots(p) == [x for x in real_roots(p) if 0 < x < 1]
