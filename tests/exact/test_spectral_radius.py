"""The largest modulus of a polynomial's roots, exactly."""

from itertools import combinations
from unittest.mock import patch

import pytest
from flint import fmpq, fmpq_poly, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT
from theory.exact.algebraic import (
    algebraic_rational,
    largest_modulus,
    pair_products,
)
from theory.exact.polynomials import spectral_radius_side

X = fmpq_poly([0, 1])

polynomials = st.lists(st.integers(-5, 5), min_size=2, max_size=7).map(fmpq_poly).filter(lambda p: p.degree() > 0)


@EXACT
@given(polynomials)
def test_scaled_by_its_exact_modulus_a_polynomial_is_on_the_unit_circle(p):
    # A second route: for rational c, ρ < c ⇔ p(cx) has all roots inside the circle (Schur–Cohn in `polynomials`).
    rho = largest_modulus(p).exact
    low, high = rho.interval(fmpq(1, 10**12))
    if high == 0:
        assert p.coeffs()[:-1] == [0] * p.degree()
        return
    if low == high:
        assert spectral_radius_side(p(fmpq_poly([0, high]))) == 0
        return
    assert spectral_radius_side(p(fmpq_poly([0, high]))) == -1
    assert low <= 0 or spectral_radius_side(p(fmpq_poly([0, low]))) == 1


@EXACT
@given(polynomials)
def test_enclosure_holds_the_exact_modulus(p):
    exact = largest_modulus(p).exact
    with patch("theory.exact.algebraic.ALGEBRAIC", -1):
        rough = largest_modulus(p)
    assert rough.low <= exact <= rough.high
    assert rough.exact is not None or rough.reason is not None


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (X**4, "0"),
        (X - fmpq(3, 2), "3/2"),
        (X + 2, "2"),
        ((X**2 + X + 5) * (X - 2), "sqrt(5)"),  # a complex pair
        ((X**2 + 4) * (X - 2) * (X + 2), "2"),  # four roots tie
        ((X**2 + X + 4) * (X - 2), "2"),  # a pair and a real root tie
        ((X**2 + X + 5) * (X**2 - 5), "sqrt(5)"),
        (X**7 * (X**6 - 3) * (X**3 - 2), "root of x^3 - 2 in [1.259921, 1.259922]"),  # 2² > 3 under the sixth root
        (X**5 - 32, "2"),
    ],
)
def test_known_moduli_with_ties(p, text):
    assert str(largest_modulus(p).exact) == text


def test_nearly_tied_moduli_are_told_apart():
    # The pair of x² + x + 4 + 10⁻⁴⁰ lies 10⁻⁴⁰/4 or so outside the root 2.
    tiny = fmpq(1, 10**40)
    rho = largest_modulus((X**2 + X + 4 + tiny) * (X - 2)).exact
    assert rho > 2
    assert rho == algebraic_rational(4 + tiny).root(2)
    assert str(largest_modulus((X**2 + X + 4 - tiny) * (X - 2)).exact) == "2"


@EXACT
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=5))
def test_pair_products_from_known_roots(roots):
    p = fmpz_poly([1])
    for r in roots:
        p *= fmpz_poly([-r, 1])
    expected = fmpq_poly([1])
    for a, b in combinations(roots, 2):
        expected *= fmpq_poly([-a * b, 1])
    assert pair_products(p) == expected
