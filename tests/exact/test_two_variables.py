"""Factors of polynomials in two variables."""

from flint import fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from theory.exact.polynomials import irreducible_factors

# (a + bx)z + c + dx, with coefficients that no machine integer holds among them.
linear = st.tuples(*[st.integers(-3, 3) | st.integers(-(10**30), 10**30)] * 4).filter(lambda t: t[0] or t[1])


def product(f, g):
    out = [fmpq_poly([0])] * (len(f) + len(g) - 1)
    for i, p in enumerate(f):
        for j, q in enumerate(g):
            out[i + j] = out[i + j] + p * q
    return out


@given(st.lists(linear, min_size=1, max_size=4))
def test_the_product_of_the_factors_is_the_polynomial_up_to_a_number(parts):
    whole = [fmpq_poly([1])]
    for a, b, c, d in parts:
        whole = product(whole, [fmpq_poly([c, d]), fmpq_poly([a, b])])
    again, count = [fmpq_poly([1])], 0
    for factor, multiplicity in irreducible_factors(whole):
        count += multiplicity * (len(factor) - 1)
        for _ in range(multiplicity):
            again = product(again, factor)
    assert count == len(parts)
    ratio = whole[-1].leading_coefficient() / again[-1].leading_coefficient()
    assert [p * ratio for p in again] == whole
