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


@pytest.mark.parametrize(
    ("slip", "hint"),
    [
        (lambda T, M, x: T.power(T.gamma, "g"), "scalar_sequence"),
        (lambda T, M, x: T.sequence("y", 1, lambda y: M * y), "is no matrix"),
        (lambda T, M, x: T.sequence("y", M, M), "is a function of its letter"),
        (lambda T, M, x: T.instance("K", "k", "x_k"), "expected an expression"),
        (lambda T, M, x: T.instance("K", "k", 2), "is not the letter of a sequence"),
        (lambda T, M, x: T.instance("K", "k"), "is of no sequence"),
        (lambda T, M, x: T.model({"M": [[1]]}), "a model is a function"),
        (lambda T, M, x: T.prove("a", M, M, using="foo"), "a list of names"),
        (lambda T, M, x: T.op("Z", "2 -> 3"), "'2' is not a space"),
        (lambda T, M, x: T.op("Z", "F --> F"), "'F -' is not a space"),
        (lambda T, M, x: T.op("Z", "F -> S -> F"), "is not a space"),
    ],
)
def test_a_slip_is_told_in_the_words_of_the_theory_and_leaves_no_name_behind(slip, hint):
    T = Theory("gamma")
    M, x0 = T.op("M", "F -> F"), T.op("x0", "1 -> F")
    x = T.sequence("x", x0, lambda x: M * x)
    before = repr(T)
    with pytest.raises((TypeError, ValueError), match=hint):
        slip(T, M, x)
    assert repr(T) == before
    assert str(T.instance("K", "k", x)[0]) == "x_K"


def test_a_model_in_floats_is_refused():
    T = Theory()
    M = T.op("M", "F -> F")
    T.model(lambda draw: {"M": [[0.5]]}, {"F": 1})
    with pytest.raises(TypeError, match=r"write Fraction\('0.5'\)"):
        T.prove("zero", M)
