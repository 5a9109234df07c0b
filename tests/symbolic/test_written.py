"""What was claimed is kept as it was written, and kernel and SymPy hold it against the expansion."""

import json
from copy import deepcopy

import pytest

from theory.symbolic import Certificate, Proved, Rejected, Theory
from theory.symbolic.recheck import recheck_proof


@pytest.fixture
def T():
    return Theory("gamma")


def stored(outcome):
    assert isinstance(outcome, Proved), str(outcome)
    return json.loads(json.dumps(outcome.certificate.to_dict()))


def both_reject(data):
    with pytest.raises(Rejected):
        Certificate.from_dict(data).check()
    with pytest.raises(Rejected):
        recheck_proof(data)


def test_an_identity_true_by_expansion_keeps_both_sides(T):
    """Expanded, left minus right is 0: a certificate of that alone would say 0 = 0."""
    A, B = T.op("A", "N -> N"), T.op("B", "N -> N")
    outcome = T.prove("square", (A + B) ** 2, A**2 + A * B + B * A + B**2)
    claim = stored(outcome)["proof"]["claim"]
    assert claim["terms"] == []
    assert claim["left"] == ["power", ["sum", ["letter", "A"], ["letter", "B"]], 2]
    assert outcome.certificate.equation == "(A + B)^2 = A^2 + A·B + B·A + B^2"


def test_definitions_assumptions_and_recursions_are_kept_as_written(T):
    Phi, D, x0 = T.op("Phi", "F -> S"), T.op("D", "S -> S", symmetric=True), T.op("x0", "1 -> F")
    X = T.abbreviate("X", Phi.T * D * Phi)
    Xi = T.inverse(X, "Xi", of="X")
    x = T.sequence("x", x0, lambda x: Xi * (X * x))
    data = stored(T.prove("constant", T.next(x), x))
    assert data["context"]["definitions"] == [
        ["X", ["product", ["transpose", ["letter", "Phi"]], ["letter", "D"], ["letter", "Phi"]]]
    ]
    assert data["context"]["assumptions"]["Xi X = 1"]["left"] == ["product", ["letter", "Xi"], ["name", "X"]]
    assert data["context"]["sequences"][0]["step"]["written"][1:] == [
        ["letter", "Xi"],
        ["name", "X"],
        ["letter", "x_k"],
    ]
    assert data["proof"]["claim"]["left"] == ["at", "k", "+1", ["letter", "x_k"]]


@pytest.mark.parametrize(
    "forge",
    [
        lambda d: d["proof"]["claim"].update(left=["letter", "Xi"]),
        lambda d: d["proof"]["claim"].update(right=["product", ["number", "2"], ["name", "Pi"]]),
        lambda d: d["proof"]["claim"].update(left=["power", ["name", "Pi"], 3]),
        lambda d: d["proof"]["claim"].update(left=["power", ["name", "Pi"], 10**9]),
        lambda d: d["proof"]["claim"].update(left=["wish", ["name", "Pi"]]),
        lambda d: d["context"]["definitions"][0].__setitem__(1, ["letter", "D"]),
        lambda d: d["context"]["definitions"].append(["D", ["letter", "D"]]),
        lambda d: d["context"]["definitions"].reverse(),
        lambda d: d["context"]["assumptions"]["Xi X = 1"].update(right=["zero", "F", "F"]),
        lambda d: d["context"]["assumptions"]["Xi X = 1"].update(right=["identity", "S"]),
    ],
)
def test_what_is_written_must_be_what_is_proved(T, forge):
    Phi, D = T.op("Phi", "F -> S"), T.op("D", "S -> S", symmetric=True)
    X = T.abbreviate("X", Phi.T * D * Phi)
    Pi = T.abbreviate("Pi", Phi * T.inverse(X, "Xi", of="X") * Phi.T * D)
    data = stored(T.prove("projection", Pi**2, Pi))
    data["context"]["definitions"].append(["again", ["name", "Pi"]])
    assert Certificate.from_dict(data).check() is None
    assert recheck_proof(data) is True
    forged = deepcopy(data)
    forge(forged)
    both_reject(forged)


def test_expressions_print_as_they_were_written(T):
    A, B = T.op("A", "N -> N"), T.op("B", "N -> M")
    assert str(1 - T.gamma * (A + 2) ** 2) == "1 - gamma·(A + 2)^2"
    assert str(B @ (A - 1) @ A.T) == "B·(A - 1)·Aᵀ"
    assert str(-(A - A.T)) == "-(A - Aᵀ)"
    assert str(0 - A + A) == "-A + A"
    assert ((B * A).T)._repr_latex_() == r"$\left(B A\right)^{\top}$"
