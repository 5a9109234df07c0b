"""The generating function's proof of closed form and bias, compared with the induction's."""

import pytest
from flint import fmpq_mat

from tests.propositions.outcomes import stated
from theory.propositions.theories.paper import paper_theory, series_theory
from theory.symbolic import Proved
from theory.symbolic.matrices import identity_matrix

DEGREE = 6


HOMES = {"closed-form": "eq-closed-form", "bias": "prop-2"}


def test_neither_proof_uses_the_other():
    for name, id in HOMES.items():
        by_induction, by_series = stated(id, name).decide(), stated(id, f"series-{name}").decide()
        assert isinstance(by_induction, Proved)
        assert isinstance(by_series, Proved)
        assert by_induction.certificate.proof.index == "k"
        assert by_series.certificate.proof.index is None
        assert not by_series.certificate.proof.lemmas


@pytest.mark.parametrize("name", HOMES)
def test_coefficients_of_the_series_are_the_sequence(name):
    """Left minus right of the series' identity vanishes up to z⁵ when θ(z) comes from the recursion."""
    first, second = paper_theory(), series_theory()
    for model in first.T.models[:3]:
        G = model.evaluate(first.G.form, {})
        F = G.nrows()
        series = {
            "B": [G],
            "theta0": [model.values["theta0"]],
            "theta_pi": [model.values["theta_pi"]],
            "c": [model.evaluate((first.Xi * first.b).form, {})],
            "series": [model.evaluate(first.theta.form, {"k": k}) for k in range(DEGREE)],
            "R": powers(G),
        }
        residue = expand(stated(HOMES[name], f"series-{name}").zero.form, series, F)
        assert all(not any(coefficient.entries()) for coefficient in residue)
        assert any(any(x.entries()) for x in expand((second.series - second.theta0).form, series, F))


def powers(G: fmpq_mat) -> list[fmpq_mat]:
    out = [identity_matrix(G.nrows())]
    while len(out) < DEGREE:
        out.append(G * out[-1])
    return out


def expand(form, series, F) -> list[fmpq_mat]:
    """The coefficients of 1, z, …, z⁵ of a form whose letters are truncated power series."""
    total = [fmpq_mat(F, 1) for _ in range(DEGREE)]
    for (mono, word), c in form.terms.items():
        part = {0: None}
        for letter in reversed(word):
            new = {}
            for i, right in part.items():
                for j, left in enumerate(series[letter]):
                    if i + j < DEGREE:
                        value = left if right is None else left * right
                        new[i + j] = new[i + j] + value if i + j in new else value
            part = new
        for i, value in part.items():
            if i + len(mono) < DEGREE:
                total[i + len(mono)] += value * c.numerator / c.denominator
    return total
