"""Rational matrices in doubles."""

from fractions import Fraction

from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from theory.exact.matrices import doubles

numbers = st.one_of(
    st.fractions(max_denominator=10**9),
    st.builds(lambda x, k: x * Fraction(10) ** k, st.fractions(-9, 9, max_denominator=99), st.integers(-700, 700)),
    st.floats(allow_nan=False, allow_infinity=False).map(Fraction),
)


@given(st.lists(numbers, min_size=1, max_size=4))
def test_doubles_are_within_three_roundings_at_any_scale(entries):
    found, k = doubles(fmpq_mat([[fmpq(x.numerator, x.denominator) for x in entries]]))
    for x, true in zip(found[0].tolist(), entries, strict=True):
        scaled = true / Fraction(2) ** k
        assert abs(scaled) <= 2
        assert abs(Fraction(x) - scaled) <= 4 * abs(scaled) / 2**53 + Fraction(1, 2**1022)
