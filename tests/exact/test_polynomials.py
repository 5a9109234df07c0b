"""Roots counted exactly, against polynomials built from known roots."""

from fractions import Fraction

import pytest
from flint import fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from theory.exact.polynomials import (
    Circle,
    HalfPlanes,
    cauchy_index,
    half_planes,
    is_anti_hurwitz,
    is_schur,
    spectral_radius_side,
    unit_circle,
)

z = fmpq_poly([0, 1])

# Real parts that repeat, vanish and mirror each other, and moduli that hit 1 (3/5, 4/5): the degenerate cases.
parts = st.sampled_from([Fraction(n, 5) for n in (-10, -5, -4, -3, -1, 0, 1, 3, 4, 5, 10)])
roots = st.lists(st.tuples(parts, st.one_of(st.none(), parts.filter(bool))), max_size=6)
scale = st.sampled_from([fmpq(-3), fmpq(1, 7), fmpq(1)])


def product(spec, leading=1):
    p = fmpq_poly([leading])
    for a, b in spec:
        a, b = fmpq(a.numerator, a.denominator), None if b is None else fmpq(b.numerator, b.denominator)
        p *= z - a if b is None else (z - a) ** 2 + b * b
    return p


def tally(spec, value):
    counts = [0, 0, 0]
    for a, b in spec:
        x = value(a, b or 0)
        counts[1 + (x > 0) - (x < 0)] += 1 if b is None else 2
    return tuple(counts)


@given(roots, scale)
def test_half_planes_count_known_roots(spec, leading):
    p = product(spec, leading)
    expected = HalfPlanes(*tally(spec, lambda a, b: a))
    assert half_planes(p) == expected
    assert is_anti_hurwitz(p) == (expected.axis == expected.left == 0)


@given(roots, scale)
def test_unit_circle_counts_known_roots(spec, leading):
    p = product(spec, leading)
    expected = Circle(*tally(spec, lambda a, b: a * a + b * b - 1))
    assert unit_circle(p) == expected
    assert is_schur(p) == (expected.on == expected.outside == 0)
    assert spectral_radius_side(p) == (1 if expected.outside else 0 if expected.on else -1)


@pytest.mark.parametrize("tie", [z - 1, z + 1, z**2 + 1, z**2 - fmpq(6, 5) * z + 1])
@pytest.mark.parametrize("multiplicity", [1, 2, 3])
def test_ties_on_the_circle_are_told_from_both_sides(tie, multiplicity):
    p = tie**multiplicity * (2 * z - 1)
    assert spectral_radius_side(p) == 0
    assert not is_schur(p)
    assert spectral_radius_side(p * (z - 2)) == 1


def test_a_distance_of_1e_minus_60_decides():
    tiny = fmpq(1, 10**60)
    for root, side in ((1 - tiny, -1), (fmpq(1), 0), (1 + tiny, 1)):
        assert spectral_radius_side((z**2 + z + root) * (z + fmpq(1, 2))) == side
    assert half_planes((z - tiny) * (z + tiny) * z) == (1, 1, 1)


def test_cauchy_index_counts_jumps():
    # 1/w jumps from −∞ to +∞, −1/w back; 1/(w² − 1) does one of each.
    assert cauchy_index(fmpq_poly([1]), z) == 1
    assert cauchy_index(fmpq_poly([-1]), z) == -1
    assert cauchy_index(fmpq_poly([1]), z**2 - 1) == 0
