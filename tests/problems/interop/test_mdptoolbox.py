"""The arrays of pymdptoolbox, in and out."""

import numpy as np
import pytest
import scipy.sparse

from tests.problems.interop.examples import one_line, random_mdp
from theory.problems import InvalidProblem
from theory.problems.interop import mdp_from_mdptoolbox, to_mdptoolbox


def test_all_forms_of_mdptoolbox_are_one_mdp():
    mdp = random_mdp(3, next_state_rewards=True)
    P, R = to_mdptoolbox(mdp)
    assert P.shape == (3, 6, 6)
    sparse = [scipy.sparse.csr_matrix(matrix) for matrix in P]
    boxed = np.empty(3, dtype=object)
    boxed[:] = sparse
    for form in (P, list(P), P.tolist(), sparse, boxed):
        again = mdp_from_mdptoolbox(form, R, 0.9)
        assert (again.P == mdp.P).all()
        assert (again.R == mdp.R).all()
    assert (mdp_from_mdptoolbox(P, [scipy.sparse.csr_array(matrix) for matrix in R], 0.9).R == mdp.R).all()


def test_rewards_of_mdptoolbox_have_one_two_or_three_axes():
    P = [[[1, 0], [1, 0]], [[0, 1], [0, 1]], [[0, 1], [1, 0]]]
    assert mdp_from_mdptoolbox(P, [1, 2], "1/2").R.tolist() == [[1] * 3, [2] * 3]
    assert mdp_from_mdptoolbox(P, [[1, 2, 3], [4, 5, 6]], "1/2").R.tolist() == [[1, 2, 3], [4, 5, 6]]
    R = [[[100 * a + 10 * s + t for t in range(2)] for s in range(2)] for a in range(3)]
    assert mdp_from_mdptoolbox(P, R, "1/2").R[1, 2].tolist() == [210, 211]


@pytest.mark.parametrize(
    ("P", "R", "discount", "match"),
    [
        ([[[1, 0], ["1/2", 0]], [[0, 1], [0, 1]]], [0, 0], 0.9, r"^P\[0\]\[1\]: probabilities sum to 1/2, not 1$"),
        ([[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [0, 0, 0], 0.9, "^R: has shape 3, but states is 2$"),
        ([[[1, 0], [1, 0]]], [[[0]]], 0.9, "^R: has shape 1×1×1, but actions × states × states is 1×2×2$"),
        ([[[1, 0], [1, 0]]], [0, 0], 2, "^discount: the discount must lie in"),
        ([[[1, 0], [1, 0]]], [0, np.nan], 0.5, r"^R\[1\]: nan is not finite$"),
    ],
)
def test_bad_mdptoolbox_arrays_are_named_in_their_order(P, R, discount, match):
    with pytest.raises(InvalidProblem, match=match) as error:
        mdp_from_mdptoolbox(P, R, discount)
    assert one_line(error)
