from fractions import Fraction

import pytest

from theory.symbolic import IllTyped, Theory


@pytest.fixture
def T():
    return Theory("gamma alpha")


def test_products_compose_only_where_spaces_agree(T):
    Phi, D = T.op("Phi", "F -> S"), T.op("D", "S -> S")
    assert (D * Phi).type == "F -> S"
    with pytest.raises(IllTyped, match=r"\(Phi\) : F -> S cannot follow \(D\) : S -> S"):
        Phi * D


def test_sums_need_equal_types(T):
    Phi, D = T.op("Phi", "F -> S"), T.op("D", "S -> S")
    with pytest.raises(IllTyped, match="have no sum"):
        Phi + D
    with pytest.raises(IllTyped, match="1 needs source = target"):
        Phi + 1


def test_operators_of_different_theories_do_not_mix(T):
    with pytest.raises(IllTyped, match="different theories"):
        T.op("A", "N -> N") + Theory().op("A", "N -> N")


def test_transposition_reverses_products_and_fixes_symmetric_letters(T):
    Phi, D, P = T.op("Phi", "F -> S"), T.op("D", "S -> S", symmetric=True), T.op("P", "S -> S")
    assert str((D * P * Phi).T) == "(D·P·Phi)ᵀ"
    assert str((D * P * Phi).T.expand()) == "Phiᵀ·Pᵀ·D"
    assert (Phi.T * D * Phi).T.is_same_as(Phi.T * D * Phi)
    assert (P * Phi).T.T.is_same_as(P * Phi)


def test_symmetric_letters_are_square(T):
    with pytest.raises(IllTyped, match="cannot be symmetric"):
        T.op("Phi", "F -> S", symmetric=True)


def test_arithmetic_is_that_of_a_ring_with_central_scalars(T):
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    g = T.gamma
    assert ((A + B) ** 2).is_same_as(A * A + A * B + B * A + B * B)
    assert ((g * A) * (B * g)).is_same_as(g**2 * (A * B))
    assert ((1 - g) * A).is_same_as(A - g * A)
    assert (1 - A - (Fraction(1, 2) + (Fraction(1, 2) - A))).is_same_as(0 * A)
    assert not (A * B).is_same_as(B * A)


def test_scalars_commute_and_print_sorted(T):
    assert str((T.gamma * T.alpha - T.alpha * T.gamma).expand()) == "0"
    assert str(2 * T.gamma - 1) == "2·gamma - 1"
    assert str((2 * T.gamma - 1).expand()) == "-1 + 2·gamma"


def test_floats_are_refused_because_they_are_not_exact(T):
    A = T.op("A", "N -> N")
    with pytest.raises(TypeError, match=r"Fraction\('0.9'\)"):
        0.9 * A


def test_symbolic_powers_point_to_the_right_tool(T):
    with pytest.raises(ValueError, match=r"Theory\.power"):
        T.op("A", "N -> N") ** T.gamma
    with pytest.raises(ValueError, match=r"Theory\.inverse"):
        T.op("B", "N -> N") ** -1


@pytest.mark.parametrize("name", ["A", "gamma"])
def test_a_name_is_declared_once(T, name):
    T.op("A", "N -> N")
    with pytest.raises(ValueError, match="declared twice"):
        T.op(name, "N -> N")


@pytest.mark.parametrize(("name", "arrow"), [("a b", "N -> N"), ("A^T", "N -> N"), ("A", "N"), ("A", "* -> N")])
def test_bad_names_and_types_are_refused(T, name, arrow):
    with pytest.raises((ValueError, IllTyped)):
        T.op(name, arrow)


def test_latex_uses_the_letters_of_the_paper(T):
    Phi, theta = T.op("Phi", "F -> S"), T.op("theta_pi", "1 -> F")
    half = Fraction(1, 2)
    assert (Phi * theta - half * T.gamma * Phi * theta).latex() == (
        r"\Phi \theta_{\pi} - \tfrac{1}{2} \gamma \Phi \theta_{\pi}"
    )
    assert Phi.T.latex() == r"\Phi^{\top}"
