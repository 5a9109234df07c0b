"""Ways in which a false identity was once proved, a true one refuted, or a newcomer left with a puzzle."""

import json
from copy import deepcopy
from fractions import Fraction

import pytest

from theory.symbolic import Certificate, IllTyped, Open, Proved, Refuted, Rejected, Theory
from theory.symbolic.context import Context, Recursion
from theory.symbolic.forms import Form
from theory.symbolic.kernel import Proof, check
from theory.symbolic.outcomes import Witness
from theory.symbolic.recheck import recheck_proof
from theory.symbolic.recheck_witness import recheck_witness


def both_reject(data):
    with pytest.raises(Rejected):
        Certificate.from_dict(data).check()
    with pytest.raises(Rejected):
        recheck_proof(data)


def test_the_base_of_a_power_does_not_move_with_its_index():
    """It would prove (γᵏX)ᵏ = γ^(k(k−1)/2)Xᵏ."""
    T = Theory("gamma")
    X = T.op("X", "N -> N")
    g = T.scalar_sequence("g", 1, lambda g: T.gamma * g)
    with pytest.raises(ValueError, match="moves with k"):
        T.power(g * X, "H")
    with pytest.raises(ValueError, match="moves with k"):
        T.power(T.power(X, "X"), "H")
    assert T.power(T.power(X, "Y", index="t"), "H").type == "N -> N"  # over another index it is a number


def test_an_instance_is_of_one_letter_with_coefficient_one():
    """2·1 would share the constant of 1: 2 = 1."""
    T = Theory()
    one = T.power(T.op("A", "N -> N"))
    for not_a_letter in (2 * one, one + one, one * one, one.T):
        with pytest.raises(ValueError, match="not the letter of a sequence"):
            T.instance("K", "k", not_a_letter)
    assert str(T.instance("K", "k", one)[0]) == "G_K"  # what was refused left no name behind


def test_a_model_gives_symmetric_letters_symmetric_values():
    T = Theory()
    D = T.op("D", "N -> N", symmetric=True)
    T.model(lambda draw: {"D": [[0, 1], [0, 0]]}, {"N": 2})
    with pytest.raises(ValueError, match="'D' is declared symmetric"):
        T.prove("symmetric", D.T, D)


@pytest.mark.parametrize("size", [0, -1, True, 1.5])
def test_a_space_has_a_dimension_from_one(size):
    """With dimension 0 contradictory assumptions have a model, and prove everything."""
    T = Theory()
    A = T.op("A", "N -> N")
    T.assume("1 = 0", T.one("N"))
    T.model(lambda draw: {}, {"N": size})
    with pytest.raises(ValueError, match="dimension of N is a whole number from 1"):
        T.prove("A = 0", A)


def test_a_stored_witness_has_dimensions_from_one():
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    stored = T.prove("commute", A * B, B * A).witness.to_dict()
    assert recheck_witness(stored) is True
    with pytest.raises(Rejected):
        recheck_witness({**stored, "dims": {"N": 0}, "letters": {"A": [], "B": []}})
    with pytest.raises(Rejected, match="not what is written"):
        recheck_witness({**stored, "claim": {**stored["claim"], "left": ["letter", "A"]}})


WITNESS_FORGERIES = {
    "an assumption says something else": lambda d: d["context"]["assumptions"]["A Ai = 1"].update(
        left=["product", ["letter", "A"], ["letter", "A"]]
    ),
    "a recursion says something else": lambda d: d["context"]["sequences"][0]["step"].update(written=["letter", "A"]),
    "the transpose of another letter": lambda d: d["context"]["transposes"].update({"A^T": "Ai"}),
    "a letter without a transpose": lambda d: d["context"]["transposes"].pop("A^T"),
    "a value for a sequence": lambda d: d["letters"].update(G_k=d["letters"]["A"]),
    "a number that is none": lambda d: d["letters"]["A"][0].__setitem__(0, float("inf")),
    "a number with a blank": lambda d: d.update(residue=d["residue"] + " "),
}


@pytest.mark.parametrize("name", WITNESS_FORGERIES)
def test_forged_witnesses_are_refused_whether_read_first_or_not(name):
    """The values satisfied the expanded assumptions; what was written beside them could say anything."""
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    T.inverse(A, "Ai", of="A")
    G = T.power(A)
    stored = json.loads(json.dumps(T.prove("commute", G * A.T * B, B * A.T * G).witness.to_dict()))
    assert recheck_witness(stored) is True
    assert Witness.from_dict(stored).recheck() is True
    WITNESS_FORGERIES[name](stored)
    with pytest.raises(Rejected):
        recheck_witness(stored)
    with pytest.raises(Rejected):
        Witness.from_dict(stored).recheck()


@pytest.mark.parametrize("depth", [300, 5000])
def test_what_is_nested_too_deep_is_refused(depth):
    data, tree = _a_certificate(), ["letter", "A"]
    for _ in range(depth):
        tree = ["minus", tree]
    both_reject({**data, "proof": {**data["proof"], "claim": {**data["proof"]["claim"], "left": tree}}})


def _a_certificate():
    T = Theory("gamma")
    A, x0 = T.op("A", "N -> N"), T.op("x0", "1 -> N")
    x = T.sequence("x", x0, lambda x: A * x)
    A_k = T.power(A, "A")
    (A_K,) = T.instance("K", "k", A_k)
    T.assume("A^K = 0", A_K)
    T.model(lambda draw: {"A": [[0, 1], [0, 0]], "K": 2}, {"N": 2})
    outcome = T.prove("powers", T.gamma * x + A_K * x0, T.gamma * A_k * x0)
    assert isinstance(outcome, Proved), outcome
    return json.loads(json.dumps(outcome.certificate.to_dict()))


FORGERIES = {
    "a scalar and a letter share a name": lambda d: d["context"]["scalars"].append("A"),
    "a letter among the scalars": lambda d: d["proof"]["parts"]["step"][0]["scalars"].append("A"),
    "a symmetric sequence": lambda d: d["context"]["transposes"].update({"x_k": "x_k"}),
    "a shared instance constant": lambda d: d["context"]["instances"].update(
        {"L": {"index": "k", "values": {"x_k": "A_K"}}}
    ),
    "a recursion of another type": lambda d: d["context"]["sequences"][0]["start"].update(source="N"),
    "a recursion from itself": lambda d: d["context"]["sequences"][0].update(
        start=d["context"]["sequences"][0]["step"]
    ),
    "an undeclared sequence": lambda d: d["context"]["sequences"].append(
        {**d["context"]["sequences"][0], "name": "y_k"}
    ),
    "a sequence twice": lambda d: d["context"]["sequences"].append(d["context"]["sequences"][0]),
    "a missing part": lambda d: d["proof"]["parts"].pop("base"),
    "no parts at all": lambda d: d["proof"].update(parts=None),
    "a list for an object": lambda d: d["context"].update(letters=[]),
    "a number for a name": lambda d: d["proof"]["parts"]["step"][0].update(uses=3),
    "an instance that is not there": lambda d: d["proof"]["parts"]["step"][0].update(at=["k", "M"]),
    "half a place": lambda d: d["proof"]["parts"]["step"][0].update(at=["k"]),
    "an unknown key": lambda d: d["proof"].update(trust="me"),
    "a boolean as an exponent": lambda d: d["proof"]["claim"].update(left=["power", d["proof"]["claim"]["left"], True]),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_certificates_are_refused_by_the_kernel_and_by_sympy(name):
    data = _a_certificate()
    assert Certificate.from_dict(data).check() is None
    assert recheck_proof(data) is True
    forged = deepcopy(data)
    FORGERIES[name](forged)
    both_reject(forged)


@pytest.mark.parametrize(
    "context",
    [
        Context(frozenset(), {}, {}, {}, {"s": Recursion("k", Form("N", "N", {}), Form("N", "N", {}))}),
        Context(frozenset(), {"A": ("N", "N")}, {"A": None}, {}),
        Context(frozenset(), {"A": None}, {"A": "A"}, {}),
        Context(frozenset(), {}, {}, {"h": None}),
        Context(frozenset(), {}, {}, {}, definitions={"X": None}),
    ],
)
def test_the_kernel_refuses_what_is_malformed_and_never_fails_otherwise(context):
    with pytest.raises(Rejected):
        check(context, Proof("0 = 0", Form("N", "N", {}), None, {"identity": ()}))


def test_a_missing_name_is_noticed():
    T = Theory()
    A = T.op("A", "N -> N")
    Ai = T.inverse(A, "Ai", of="A")
    for call in (T.prove, T.claim, T.lemma, T.assume):
        with pytest.raises(TypeError, match="the name comes first"):
            call(A * Ai * A, A)


def test_equality_of_formulas_is_refused_and_points_to_the_right_question():
    T = Theory("gamma")
    A = T.op("A", "N -> N")
    with pytest.raises(TypeError, match=r"T\.prove"):
        _ = A.T.T == A
    with pytest.raises(TypeError, match=r"is_same_as"):
        _ = T.gamma != T.gamma
    assert A.T.T.is_same_as(A)
    assert (T.gamma + 1).is_same_as(1 + T.gamma)


@pytest.mark.parametrize(
    ("name", "law", "false"),
    [
        ("idempotent", lambda P: (P * P, P), lambda P: P),
        ("projection", lambda P: (P * P.T * P, P), lambda P: P - 1),
        ("involution", lambda P: (P * P, 1), lambda P: P - 1),
        ("orthogonal", lambda P: (P.T * P, 1), lambda P: P - P.T),
        ("nilpotent", lambda P: (P * P, 0), lambda P: P),
    ],
)
def test_familiar_nonlinear_assumptions_have_models(name, law, false):
    T = Theory()
    P, B = T.op("P", "N -> N"), T.op("B", "N -> N")
    T.assume(name, *law(P))
    assert len(T.models) >= 2
    assert isinstance(T.prove("commutes with everything", P * B, B * P), Refuted)
    assert isinstance(T.prove("trivial", false(P)), Refuted)


def test_idempotents_symmetric_and_rectangular():
    T = Theory()
    P = T.op("P", "N -> N", symmetric=True)
    T.assume("P P = P", P * P, P)
    assert isinstance(T.prove("complement", (1 - P) ** 2, 1 - P), Proved)
    V = (T2 := Theory()).op("V", "F -> S")
    T2.assume("orthonormal", V.T * V, 1)
    T2.model(lambda draw: {}, {"F": 2, "S": 3}, {"F": 2, "S": 4})
    assert isinstance(T2.prove("projection", (V * V.T) ** 2, V * V.T), Proved)
    assert isinstance(T2.prove("onto", V * V.T, T2.one("S")), Refuted)


def test_a_failed_declaration_leaves_its_name_free():
    T = Theory()
    A, v = T.op("A", "N -> N"), T.op("v", "1 -> N")
    with pytest.raises(IllTyped):
        T.sequence("s", v, lambda s: s * A)
    with pytest.raises(ZeroDivisionError):
        T.sequence("s", v, lambda s: (1 // 0) * s)
    with pytest.raises(IllTyped):
        T.sequence("s", v, lambda s: A)
    s = T.sequence("s", v, lambda s: A * s)
    T.assume("B A = 1", A, A.T)
    with pytest.raises(ValueError, match="is taken"):
        T.inverse(A, "B", of="A")
    assert T.op("B", "N -> N").type == "N -> N"
    assert isinstance(T.prove("start", T.at(s, "k", 0), v), Proved)


def test_solving_for_a_scalar_that_comes_too_early_is_a_complaint():
    T = Theory("lam")
    v, w = T.op("v", "1 -> N"), T.op("w", "1 -> N")
    T.assume("w = lam v", w, T.lam * v, solve_for="lam")
    outcome = T.prove("v = w", v, w)
    assert isinstance(outcome, Open)
    assert "could not be solved" in outcome.reason
    with pytest.raises(ValueError, match="not a declared letter"):
        T.assume("other", w, v, solve_for="u")
    with pytest.raises(ValueError, match="does not occur"):
        T.assume("other", w, 2 * w, solve_for="v")


def test_powers_need_a_square():
    T = Theory()
    Phi = T.op("Phi", "F -> S")
    for n in (0, 1, 2):
        with pytest.raises(IllTyped, match="no powers"):
            Phi**n
    with pytest.raises(IllTyped, match="no powers"):
        T.power(Phi)


def test_a_lemma_called_transposed_is_a_lemma_like_any_other():
    T = Theory()
    A, u = T.op("A", "N -> N"), T.op("u", "1 -> N")
    T.assume("A u = u", A * u, u)
    T.lemma("foo, transposed", A * A * u, u)
    outcome = T.prove("foo", A * A * u, u, using=("foo, transposed",))
    assert outcome.uses == ("foo, transposed",)
    row = T.prove("row", u.T * A.T, u.T)
    assert row.uses == ("A u = u",)
    with pytest.raises(ValueError, match="is taken"):
        T.assume("the transposed claim", A, A.T)


def test_superscripts_do_not_stack():
    T = Theory("gamma")
    theta = T.op("theta0", "1 -> F", latex=r"\theta^0")
    Xi = T.op("Xi", "F -> F", latex="X^{-1}")
    assert theta.T.latex() == r"{\theta^0}^{\top}"
    assert (Xi**2).latex() == r"\left(X^{-1}\right)^{2}"
    assert (Xi.T**2).latex() == r"\left({X^{-1}}^{\top}\right)^{2}"
    assert (Xi * Fraction(2, 3) * T.gamma).latex() == r"X^{-1} \cdot \tfrac{2}{3} \gamma"
    assert T.op("a_b_c_d", "F -> F").latex() == r"a_{b,c,d}"


def test_greek_letters_are_latex_that_every_engine_knows():
    T = Theory("γ λ")
    Φ = T.op("Φ_μ", "F -> S")
    assert (T.γ * T.λ * Φ).latex() == r"\gamma \lambda \Phi_{\mu}"


def test_the_latex_of_a_certificate_claims_what_was_claimed():
    """It is the transposed statement that was proved; both are said."""
    T = Theory()
    A, u = T.op("A", "N -> N"), T.op("u", "1 -> N")
    T.assume("A u = u", A * u, u)
    certificate = T.prove("row", u.T * A.T * A.T, u.T).certificate
    assert certificate.core is not certificate.proof
    _, first, second, *_ = certificate.latex().splitlines()
    assert first == r"u^{\top} A^{\top} A^{\top} &= u^{\top} && \text{(claim)} \\"
    assert second == r"\left(u^{\top} A^{\top} A^{\top}\right)^{\top} &= u && \text{(transposed)} \\"


def test_dividing_matrix_products_and_printing_for_newcomers():
    T = Theory("gamma")
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    assert (A @ B).is_same_as(A * B)
    assert (A / 2 + A / 2).is_same_as(A)
    with pytest.raises(TypeError, match="may be 0"):
        A / T.gamma
    assert repr(A * B) == "Operator(A·B : N -> N)"
    assert repr(T) == "Theory(gamma; A : N -> N; B : N -> N; 0 assumptions)"
    proved, refuted = T.prove("trivial", A, A), T.prove("commute", A * B, B * A)
    assert repr(proved) == str(proved).splitlines()[0]
    assert "■ **Refuted**" in refuted._repr_markdown_()
    assert r"\begin{pmatrix}" in refuted.witness.latex()
    assert r"\begin{align*}" in proved._repr_markdown_()
