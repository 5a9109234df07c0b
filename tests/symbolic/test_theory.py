"""The user's view: three outcomes, honest scope, and no proofs from nothing."""

import pytest

from theory.symbolic import Limits, Open, Proved, Refuted, Theory


def test_an_inverse_of_a_symmetric_operator_is_symmetric():
    """Declared so by the theory; here derived for a letter that is not declared symmetric."""
    T = Theory()
    V, Z = T.op("V", "N -> N", symmetric=True), T.op("Z", "N -> N")
    T.assume("Z V = 1", Z * V, 1)
    T.assume("V Z = 1", V * Z, 1)
    outcome = T.prove("Z is symmetric", Z.T, Z)
    assert isinstance(outcome, Proved)
    outcome.certificate.recheck()


def test_outcomes_have_no_truth_value():
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    for outcome in (T.prove("true", A - A), T.prove("false", A * B, B * A)):
        with pytest.raises(TypeError, match="neither true nor false"):
            bool(outcome)
        with pytest.raises(TypeError, match="verdict"):
            _ = outcome or None


def test_contradictory_assumptions_prove_nothing():
    """AB − BA = 1 has no finite-dimensional model: take traces. Its consequences are vacuous."""
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    T.assume("canonical", A * B - B * A, 1)
    outcome = T.prove("consequence", A * A * B - B * A * A, 2 * A)
    assert isinstance(outcome, Open)
    assert "no model" in outcome.reason
    assert "could not be solved" in outcome.reason


def test_assumptions_that_say_0_equals_1_prove_nothing():
    T = Theory()
    A = T.op("A", "N -> N")
    T.assume("A = 1", A, 1)
    T.assume("A = 2", A, 2)
    assert isinstance(T.prove("0 = 1", T.one("N")), Refuted | Open)
    assert not T.models


def test_an_identity_of_2_by_2_matrices_is_refuted_in_size_3():
    """Hall: [[A, B]², C] = 0 for all 2×2 matrices."""
    T = Theory()
    A, B, C = (T.op(x, "N -> N") for x in "ABC")
    square = (A * B - B * A) ** 2
    outcome = T.prove("Hall", square * C, C * square)
    assert isinstance(outcome, Refuted)
    assert outcome.witness.dims["N"] >= 3


def test_witnesses_avoid_the_dimension_in_which_everything_commutes():
    T = Theory()
    Phi, P = T.op("Phi", "F -> S"), T.op("P", "F -> F")
    G_k = T.power(P)
    outcome = T.prove("false", Phi * G_k, Phi * P * P)
    assert isinstance(outcome, Refuted)
    assert min(outcome.witness.dims["F"], outcome.witness.dims["S"]) >= 2
    assert outcome.witness.indices["k"] >= 2
    outcome.witness.recheck()


def test_gamma_is_never_divided_by():
    """γA = γB does not give A = B: γ may be 0. The models happen to have γ ≠ 0, so it stays open."""
    T = Theory("gamma")
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    T.assume("scaled", T.gamma * A, T.gamma * B)
    assert isinstance(T.prove("divided", A, B), Open)
    T.model(lambda draw: {"gamma": 0, "B": draw.matrix(draw.dims["N"], draw.dims["N"])})
    assert isinstance(T.prove("divided", A, B), Refuted)


def test_a_scalar_may_be_declared_invertible():
    T = Theory("lam mu")
    v, w = T.op("v", "1 -> N"), T.op("w", "1 -> N")
    T.assume("lam is not zero", T.lam * T.mu, 1)
    T.assume("lam v = w", T.lam * v, w)
    outcome = T.prove("v = w / lam", v, T.mu * w)
    assert isinstance(outcome, Proved)
    assert set(outcome.uses) == {"lam is not zero", "lam v = w"}
    outcome.certificate.recheck()


def test_s_polynomials_use_the_least_common_multiple_of_scalars():
    """Both rules carry γ; multiplying their coefficients instead would only give γ times the claim."""
    T = Theory("gamma")
    A, B, C, D, E = (T.op(x, "N -> N") for x in "ABCDE")
    T.assume("first", T.gamma * A * B, C)
    T.assume("second", T.gamma * B * E, D)
    outcome = T.prove("overlap", C * E, A * D)
    assert isinstance(outcome, Proved), outcome
    outcome.certificate.recheck()


def test_assumptions_may_not_speak_of_sequences_but_of_instances():
    T = Theory()
    N = T.op("N", "H -> H")
    N_k = T.power(N)
    with pytest.raises(ValueError, match="speaks of a sequence"):
        T.assume("nilpotent for all k", N_k)
    W_k = T.geometric_sum(N_k)
    N_K, W_K = T.instance("K", "k", N_k, W_k)
    T.assume("nilpotent", N_K)
    T.model(lambda draw: {"N": [[0, 0, 0], [2, 0, 0], [5, 3, 0]], "K": 3}, {"H": 3})
    outcome = T.prove("Neumann", (1 - N) * W_K, T.one("H"))
    assert isinstance(outcome, Proved)
    assert outcome.scope == "for all dimensions and every value of K"
    outcome.certificate.recheck()
    assert isinstance(T.prove("for all k", (1 - N) * W_k, T.one("H")), Refuted)


def test_the_index_itself_is_a_central_sequence():
    """Where X = γY the chain drifts: θᵏ = θ⁰ + k·X⁻¹b (prop-2 needs A to be invertible)."""
    T = Theory("gamma")
    X, b, theta0 = T.op("X", "F -> F"), T.op("b", "1 -> F"), T.op("theta0", "1 -> F")
    Xi = T.inverse(X, "Xi", of="X")
    Y = T.op("Y", "F -> F")
    T.assume("X = gamma Y", T.gamma * Y, X)
    k = T.scalar_sequence("k", 0, lambda k: k + 1)
    theta = T.sequence("theta", theta0, lambda t: Xi * (T.gamma * Y * t + b))
    assert isinstance(T.prove("drift", theta, theta0 + k * Xi * b), Proved)
    assert isinstance(T.prove("wrong drift", theta, theta0 + (k + 1) * Xi * b), Refuted)


def test_lemmas_are_usable_at_k_and_at_k_plus_1():
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    T.assume("commute", A * B, B * A)
    T.model(lambda draw: {"A": (a := draw.matrix(3, 3)), "B": a * a - 2 * a}, {"N": 3})
    A_k, B_k, C_k = T.power(A, "A"), T.power(B, "B"), T.power(A * B, "C")
    T.lemma("A B_k = B_k A", A * B_k, B_k * A)
    outcome = T.prove("(AB)^k = A^k B^k", C_k, A_k * B_k)
    assert isinstance(outcome, Proved)
    assert set(outcome.certificate.assumptions) == {"commute"}
    outcome.certificate.recheck()


def test_a_false_lemma_is_an_error():
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    with pytest.raises(ValueError, match="was not proved"):
        T.lemma("commute", A * B, B * A)


def test_two_indices_move_independently():
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    T.assume("commute", A * B, B * A)
    T.model(lambda draw: {"A": (a := draw.matrix(3, 3)), "B": a * a - 2 * a}, {"N": 3})
    A_k, B_t = T.power(A, "A"), T.power(B, "B", index="t")
    T.lemma("A B_t = B_t A", A * B_t, B_t * A)
    outcome = T.prove("powers commute", A_k * B_t, B_t * A_k)
    assert isinstance(outcome, Proved)
    assert outcome.scope == "for all dimensions and all k, t ≥ 0"
    assert isinstance(T.prove("not mixed up", A_k * B_t, T.at(A_k, "k", 1) * B_t), Refuted)


def test_a_definition_abbreviates():
    T = Theory()
    Phi, D = T.op("Phi", "F -> S"), T.op("D", "S -> S", symmetric=True)
    X = T.define("X", Phi.T * D * Phi)
    Xi = T.inverse(X, "Xi", of="X")
    Pi = T.define("Pi", Phi * Xi * Phi.T * D)
    assert isinstance(T.prove("projection", Pi * Pi, Pi), Proved)
    assert isinstance(T.prove("self-adjoint", D * Pi, Pi.T * D), Proved)
    assert isinstance(T.prove("symmetric", Pi, Pi.T), Refuted)


def test_a_model_function_is_checked_against_assumptions_and_shapes():
    T = Theory()
    A = T.op("A", "N -> N")
    T.assume("idempotent", A * A, A)
    T.model(lambda draw: {"A": [[1, 1], [0, 1]]}, {"N": 2})
    outcome = T.prove("A^3 = A", A**3, A)
    assert isinstance(outcome, Open)
    assert "'idempotent' does not hold" in outcome.reason
    T.model(lambda draw: {"A": [[1, 1], [0, 0]]}, {"N": 2})
    assert isinstance(T.prove("A^3 = A", A**3, A), Proved)
    T.model(lambda draw: {"A": [[1]]}, {"N": 2})
    with pytest.raises(ValueError, match="is 1×1, expected 2×2"):
        T.prove("A^3 = A", A**3, A)


def test_search_always_ends():
    """A word problem without end: the limits stop it, and the answer is open."""
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    T.assume("braid", A * B * A, B * A * B)
    T.assume("power", A**5, B**5)
    T.model(lambda draw: {"A": [[2, 0], [0, 2]], "B": [[2, 0], [0, 2]]}, {"N": 2})
    outcome = T.prove("commute", A * B, B * A, limits=Limits(pairs=200))
    assert isinstance(outcome, Open)
    assert "A·B" in str(outcome)


def test_unknown_names_in_using_are_an_error():
    T = Theory()
    A = T.op("A", "N -> N")
    with pytest.raises(ValueError, match="'typo', which is not known"):
        T.prove("A = A", A, A, using=["typo"])


def test_refuting_needs_no_luck_with_signs_or_order():
    T = Theory()
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N", symmetric=True)
    for name, left, right in [("order", A * B, B * A), ("transpose", A, A.T), ("sign", A, -A), ("unit", A, A + 1)]:
        outcome = T.prove(name, left, right)
        assert isinstance(outcome, Refuted), name
        outcome.witness.recheck()
