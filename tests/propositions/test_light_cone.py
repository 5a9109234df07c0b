"""The light cone in the engine: its letters are the heads of the chain, and its assumptions are needed."""

from itertools import pairwise

from flint import fmpq_mat

from tests.propositions.outcomes import stated
from theory.propositions.extra_light_cone import light_cone_theory
from theory.symbolic import Proved, Refuted
from theory.symbolic.theory import Theory


def test_the_stacked_recursion_is_the_chain_seen_from_the_edge():
    """Entry j of θ_t is head t + j at time t, as long as that head is among the first four; head 0 does as it likes."""
    n = light_cone_theory()
    model = next(m for m in n.T.models if m.dims["H"] == 8)
    X, Y = (fmpq_mat([row[:2] for row in model.values[x].tolist()[:2]]) for x in "XY")
    b, start = (fmpq_mat([[x] for x in model.values[name].entries()[:2]]) for name in ("b", "start"))
    alpha, gamma = model.values["alpha"], model.values["gamma"]
    heads, td = [start] * 4, start
    for t in range(4):
        stack = model.evaluate(n.theta.form, {"t": t})
        for j in range(4 - t):
            assert stack.entries()[2 * j : 2 * j + 2] == heads[t + j].entries() == td.entries()
        anything = heads[0] * 3 - fmpq_mat([[t], [1]])
        heads = [anything] + [own + alpha * (b + gamma * Y * lower - X * own) for lower, own in pairwise(heads)]
        td = td + alpha * (b - (X - gamma * Y) * td)
    assert heads[0] != td


def test_the_induction_over_time_is_part_of_the_certificate():
    outcome = stated("extra-light-cone", "light-cone").decide()
    assert isinstance(outcome, Proved)
    assert outcome.scope == "for all dimensions and all t ≥ 0"
    assert set(outcome.certificate.proof.parts) == {"base", "step"}
    assert outcome.certificate.recheck() is True


def test_without_equal_starts_it_is_refuted():
    T = Theory("gamma alpha")
    up, X, Y = T.op("Up", "H -> H"), T.op("X", "H -> H"), T.op("Y", "H -> H")
    b, start = T.op("b", "1 -> H"), T.op("start", "1 -> H")
    T.model(lambda draw: {"Up": draw.stochastic(3), "X": [[2, 0, 0], [0, 2, 0], [0, 0, 2]]}, {"H": 3})
    td = T.sequence("td", start, lambda x: x + T.alpha * (b + T.gamma * Y * x - X * x), index="t")
    theta = T.sequence("theta", start, lambda x: up * x + T.alpha * (b + T.gamma * Y * x - X * up * x), index="t")
    outcome = T.prove("cone", theta, td)
    assert isinstance(outcome, Refuted)
    assert outcome.witness.recheck() is True
