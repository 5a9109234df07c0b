import copy
import random
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from theory.symbolic import Certificate, Open, Proved, Refuted, Rejected, Theory, Witness
from theory.symbolic.algebra import from_form
from theory.symbolic.kernel import Proof, check
from theory.symbolic.matrices import Draw
from theory.symbolic.recheck_witness import recheck_witness


def chain():
    T = Theory("gamma")
    Phi, D = T.op("Phi", "F -> S"), T.op("D", "S -> S", symmetric=True)
    Xi = T.inverse(Phi.T * D * Phi, "Xi", of="X")
    x, y = T.op("x", "1 -> F"), T.op("y", "1 -> F")
    T.assume("gamma x = X y + x", T.gamma * x, Phi.T * D * Phi * y + x)
    s = T.sequence("s", x, lambda s: T.gamma * Xi * s + y)
    return T, {"Phi": Phi, "D": D, "Xi": Xi, "x": x, "y": y, "s": s}


def test_inverses_and_linear_assumptions_are_solved_for():
    T, _ = chain()
    assert {(m.dims["S"], m.dims["F"]) for m in T.models} >= {(3, 2), (2, 2), (3, 3)}
    for model in T.models:
        X = model.values["Phi"].transpose() * model.values["D"] * model.values["Phi"]
        assert X * model.values["Xi"] == fmpq_mat(X.nrows(), X.nrows(), _identity(X.nrows()))
        assert (model.values["gamma"] - 1) * model.values["x"] == X * model.values["y"]
        assert model.values["D"].transpose() == model.values["D"]


def _identity(n):
    return [int(i == j) for i in range(n) for j in range(n)]


def test_sequences_are_evaluated_by_their_recursion():
    T, n = chain()
    model = T.models[0]
    value = model.values["x"]
    for k in range(4):
        assert model.evaluate(n["s"].form, {"k": k}) == value
        assert model.evaluate(n["s"].T.form, {"k": k}) == value.transpose()
        value = model.values["gamma"] * model.values["Xi"] * value + model.values["y"]


def test_generalised_inverses_keep_what_the_assumption_leaves_free():
    """A A⁻ A = A determines A⁻ only in part; the rest is drawn, so A⁻ A A⁻ = A⁻ is refuted."""
    T = Theory()
    A, Ag = T.op("A", "N -> M"), T.op("Ag", "M -> N")
    T.assume("A Ag A = A", A * Ag * A, A)
    T.model(lambda draw: {"A": draw.matrix(3, 1) * draw.matrix(1, 2)}, {"M": 3, "N": 2})
    assert isinstance(T.prove("projection", (A * Ag) ** 2, A * Ag), Proved)
    assert isinstance(T.prove("reflexive", Ag * A * Ag, Ag), Refuted)


def test_scalars_are_solved_for_too():
    T = Theory("a b")
    T.op("v", "1 -> N")
    T.assume("2ab + a = 3", 2 * T.a * T.b + T.a, 3)
    assert T.models
    for model in T.models:
        a, b = model.values["a"], model.values["b"]
        assert 2 * a * b + a == 3


def test_unsatisfiable_scalars_have_no_model():
    T = Theory("a")
    v = T.op("v", "1 -> N")
    T.assume("a = 1", T.a, 1)
    T.assume("a = 2", T.a, 2)
    outcome = T.prove("v = 0", v)
    assert isinstance(outcome, Open)
    assert "does not hold" in outcome.reason


@pytest.mark.parametrize("power", [1, 2])
def test_an_assumption_that_needs_a_later_letter_is_a_complaint(power):
    T = Theory()
    v, w, B = T.op("v", "1 -> N"), T.op("w", "1 -> N"), T.op("B", "N -> N")
    T.assume("B v = w", B**power * v, w if power == 1 else B * w, solve_for="w")
    outcome = T.prove("v = w", v, w)
    assert isinstance(outcome, Open)
    assert "the assumptions about w could not be solved for it" in outcome.reason


def test_draws_are_what_they_say():
    draw = Draw(random.Random(1), {})
    assert sum(draw.distribution(5)) == 1
    assert all(sum(row) == 1 and min(row) > 0 for row in draw.stochastic(4).tolist())
    symmetric = draw.symmetric(4)
    assert symmetric.transpose() == symmetric
    assert all(draw.number() not in (fmpq(0), fmpq(1), fmpq(-1)) for _ in range(50))


def test_models_are_the_same_every_time():
    first, second = chain()[0].models, chain()[0].models
    assert [m.values for m in first] == [m.values for m in second]


def test_a_theory_can_be_copied():
    T, _ = chain()
    assert copy.copy(T).gamma.terms == T.gamma.terms


def test_a_stored_witness_is_rechecked_and_a_tampered_one_rejected():
    T, n = chain()
    outcome = T.prove("false", n["s"], n["x"])
    assert isinstance(outcome, Refuted)
    stored = outcome.witness.to_dict()
    assert recheck_witness(stored) is True
    assert Witness.from_dict(stored) == outcome.witness
    for key, value in [("residue", "0"), ("residue", "17"), ("indices", {"k": 0}), ("entry", [9, 9])]:
        with pytest.raises(Rejected):
            recheck_witness({**stored, key: value})
    letters = {**stored["letters"], "x": [["1"], ["2"]]}
    with pytest.raises(Rejected, match="violate"):
        recheck_witness({**stored, "letters": letters})
    crooked = {**stored["letters"], "D": [["1", "2", "0"], ["0", "1", "0"], ["0", "0", "1"]]}
    with pytest.raises(Rejected, match="not symmetric"):
        recheck_witness({**stored, "letters": crooked})


@pytest.mark.parametrize("seed", range(20))
def test_kernel_sympy_and_matrices_agree_on_random_certificates(seed):
    """A random Σ c·m·a·h·b is expanded by the notation; the kernel and SymPy must accept it, the models must give 0."""
    T, n = chain()
    rng = random.Random(seed)
    around = {"F": [n["Xi"], n["Phi"].T * n["D"] * n["Phi"]], "1": []}
    claim, entries = 0 * n["x"], []
    for _ in range(4):
        name, form = rng.choice([(k, h) for k, h in T.context.hypotheses.items() if h.target == "F"])
        vector = form.source == "1"
        left, right = rng.choice(around["F"]), rng.choice([n["x"], n["y"], n["s"]])
        c, mono = Fraction(rng.randint(1, 9), rng.randint(1, 9)), ("gamma",) * rng.randint(0, 2)
        if len(left.terms) != 1 or (vector and rng.random() < 0.3):
            left = T.one("F")
        word = next(iter(left.terms))[1]
        h = from_form(T.alphabet, form)
        claim = claim + c * T.gamma ** len(mono) * (left * h if vector else left * h * right)
        after = () if vector else next(iter(right.terms))[1]
        entries.append((c, mono, word, (name, False, None), after))
    proof = Proof("random", claim.form, None, {"identity": tuple(entries)})
    check(T.context, proof)
    Certificate(T.context, proof).recheck()
    for model in T.models:
        assert not any(model.evaluate(claim.form, {"k": 3}).entries())
    wrong = Proof("random", (claim + n["y"]).form, None, proof.parts)
    with pytest.raises(Rejected):
        check(T.context, wrong)
    with pytest.raises(Rejected):
        Certificate(T.context, wrong).recheck()
