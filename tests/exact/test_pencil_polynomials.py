"""det(λX − Y) by determinants at integers, against X⁻¹Y."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT
from tests.strategies import exact_problems
from theory.exact.polynomials import characteristic_polynomial, pencil_polynomial
from theory.model.linear_model import exact_model


@EXACT
@given(exact_problems(max_features=4), st.integers(-60, 60))
def test_it_is_the_characteristic_polynomial_of_the_quotient_at_any_scale(problem, exponent):
    m = exact_model(problem)
    expected = characteristic_polynomial(m.X.solve(m.Y)) if m.rank else pencil_polynomial(m.X, m.Y)
    assert pencil_polynomial(m.X, m.Y) == expected
    Phi = problem.exact.Phi.copy()
    Phi[:, 0] = Phi[:, 0] * Fraction(10) ** exponent
    scaled = exact_model(problem.with_features(Phi))
    assert pencil_polynomial(scaled.X, scaled.Y) == expected
