"""What a theory must refuse: expressions of another theory, indices that do not exist, assumptions without letters."""

import pytest

from theory.symbolic import IllTyped, Open, Theory


@pytest.fixture
def powers():
    T = Theory()
    M, x0 = T.op("M", "F -> F"), T.op("x0", "1 -> F")
    return T, M, T.sequence("x", x0, lambda x: M * x)


@pytest.mark.parametrize("n", [-5, 1.5, True, 10_000])
def test_an_index_is_a_whole_number_from_zero(powers, n):
    T, _, x = powers
    with pytest.raises(ValueError, match="whole number from 0"):
        T.at(x, "k", n)


def test_an_index_without_a_sequence_is_refused(powers):
    T, _, x = powers
    with pytest.raises(ValueError, match="no sequence over 'j'"):
        T.next(x, "j")
    with pytest.raises(ValueError, match="no sequence over 'j'"):
        T.at(x, "j", 0)


def test_letters_of_another_theory_are_refused():
    """A symmetric P of one theory says nothing about the P of another."""
    mine, other = Theory(), Theory()
    mine.op("P", "S -> S")
    symmetric = other.op("P", "S -> S", symmetric=True)
    with pytest.raises(IllTyped, match="belongs to another theory"):
        mine.prove("symmetric", symmetric, symmetric.T)
    with pytest.raises(IllTyped, match="belongs to another theory"):
        mine.assume("one", symmetric, 1)


def test_a_claim_about_text_is_refused():
    T = Theory()
    T.op("P", "S -> S")
    with pytest.raises(IllTyped, match="expected an expression"):
        T.prove("q", "P", 1)


def test_an_absurd_assumption_proves_nothing():
    T = Theory()
    Q = T.op("Q", "S -> S")
    T.assume("absurd", T.one("S"), 0)
    assert isinstance(T.prove("Q = 0", Q, 0), Open)


@pytest.mark.parametrize("name", ["1", "2x", "", "a b"])
def test_a_letter_has_a_name(name):
    with pytest.raises(ValueError, match="is not a name"):
        Theory().op(name, "S -> S")
