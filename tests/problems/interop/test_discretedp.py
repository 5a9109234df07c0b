"""QuantEcon's discrete dynamic programs, in and out."""

from fractions import Fraction

import numpy as np
import pytest
import quantecon.markov
import scipy.sparse

from tests.problems.interop.examples import one_line, random_mdp
from theory.problems import InvalidProblem
from theory.problems.interop import mdp_from_discretedp, to_discretedp


def sparse_rows(mdp):
    """The state-action-pair form, in shuffled order."""
    S, A = mdp.n_states, mdp.n_actions
    order = np.random.default_rng(5).permutation(S * A)
    s, a = np.divmod(np.arange(S * A), A)
    return mdp.R.reshape(-1)[order], mdp.P.reshape(S * A, S)[order], mdp.gamma, s[order], a[order]


def test_all_forms_of_a_discrete_dp_are_one_mdp():
    mdp = random_mdp(2)
    R, Q, beta, s, a = sparse_rows(mdp)
    forms = [
        mdp_from_discretedp(mdp.R, mdp.P, mdp.gamma),
        mdp_from_discretedp(R, Q, beta, s, a),
        mdp_from_discretedp(R, scipy.sparse.csr_matrix(Q), beta, s, a),
        mdp_from_discretedp(R, scipy.sparse.csr_array(Q), beta, s.tolist(), a.tolist()),
        mdp_from_discretedp(quantecon.markov.DiscreteDP(mdp.R, mdp.P, mdp.gamma)),
        mdp_from_discretedp(quantecon.markov.DiscreteDP(R, Q, beta, s, a)),
        mdp_from_discretedp(quantecon.markov.DiscreteDP(R, scipy.sparse.csr_matrix(Q), beta, s, a)),
        mdp_from_discretedp(to_discretedp(mdp)),
    ]
    for form in forms:
        assert (form.P == mdp.P).all()
        assert (form.R == mdp.R).all()
        assert form.gamma == mdp.gamma


def test_a_discrete_dp_in_exact_numbers_stays_exact():
    mdp = mdp_from_discretedp(
        ["1/3", 1, 2, 3], [["1/2", "1/2"], [0, 1], [1, 0], [0, 1]], "0.9", [0, 0, 1, 1], [0, 1, 0, 1]
    )
    assert mdp.R.tolist() == [[Fraction(1, 3), 1], [2, 3]]
    assert mdp.P[0, 0].tolist() == [Fraction(1, 2)] * 2


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (
            ([[5, 10], [-1, -np.inf]], [[[1, 0], [0, 1]]] * 2, 0.9),
            r"^R\[1\]\[1\]: is an infeasible action: here",
        ),
        (
            ([5, 10, -1], [[1, 0], [0, 1], [0, 1]], 0.9, [0, 0, 1], [0, 1, 0]),
            r"^R\[1\]\[1\]: is an infeasible action",
        ),
        (([5.0, -np.inf], [[1, 0], [0, 1]], 0.9, [0, 1], [0, 0]), r"^R\[1\]: is an infeasible action"),
        (
            ([5, 6], [[1, 0], [0, 1]], 0.9, [0, 0], [0, 0]),
            r"^s_indices\[1\]: the pair of state 0 and action 0 occurs twice",
        ),
        (([5, 6], [[1, 0], [0, 1]], 0.9, [0, 1], None), "^a_indices: is missing"),
        (([5], [[1, 0], [0, 1]], 0.9, [0, 1], [0, 0]), "^R: has shape 1, but state-action pairs is 2$"),
        (([[1], [1]], [[[1, 0]], [[0, 0.5]]], 0.9), r"^Q\[1\]\[0\]: probabilities sum to 0\.5, not 1$"),
        (([[1], [1]], [[[1, 0]], [[0, 1]]], 2), "^beta: the discount must lie in"),
        (([[1], [1]], [[[1, 0]], [[0, 1]]]), "^beta: is missing$"),
    ],
)
def test_a_bad_discrete_dp_is_named_in_quantecons_letters(arguments, match):
    with pytest.raises(InvalidProblem, match=match) as error:
        mdp_from_discretedp(*arguments)
    assert one_line(error)
