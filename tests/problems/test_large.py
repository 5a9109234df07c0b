"""Sparse problems: what they accept and refuse, and their files."""

import gzip
from fractions import Fraction

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

import theory.problems.large
from tests.large import copies
from theory.problems import InvalidProblem, Problem, open_problem
from theory.problems.large import LargeProblem, sparse_stationary
from theory.problems.npz import load_npz
from theory.problems.sources import find_problem

LINE = sparse.csr_array([[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]])
UNIFORM = np.full(3, 1 / 3)
PHI = np.array([[1.0], [2.0], [-1.0]])


def test_a_small_sparse_matrix_is_written_out_and_a_large_one_is_not(monkeypatch):
    small = Problem.from_matrices("9/10", Phi=PHI, P_pi=LINE, d_mu=UNIFORM)
    assert not small.is_large
    assert small.P_pi.tolist() == LINE.toarray().tolist()
    monkeypatch.setattr(theory.problems.large, "DENSE", 2)
    large = Problem.from_matrices("9/10", Phi=PHI, P_pi=LINE, d_mu=UNIFORM)
    assert large.is_large
    assert "3 states, 1 feature" in repr(large)


def test_what_needs_a_dense_matrix_is_refused_in_one_line():
    large = copies(open_problem("baird"), 1000)
    for ask in (lambda: large.P_pi, lambda: large.given.P_pi, lambda: large.floats.P_pi):
        with pytest.raises(InvalidProblem, match=r"P_pi: this needs .* dense matrix, 0\.4 GB for 7,000 states"):
            ask()
    with pytest.raises(InvalidProblem, match="exact numbers of 7,000 states"):
        _ = large.exact


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"P_pi": sparse.csr_array([[0.5, 0.5, 0], [0.5, 0.5, 0.1], [0, 0, 1.0]])}, r"P_pi\[1\]: .* sum to 1.1, not 1"),
        ({"P_pi": sparse.csr_array([[2.0, -1, 0], [0, 1, 0], [0, 0, 1]])}, r"P_pi\[0\]\[1\]: negative probability -1"),
        ({"P_pi": sparse.csr_array([[np.nan, 1, 0], [0, 1, 0], [0, 0, 1]])}, r"P_pi\[0\]\[0\]: nan is not finite"),
        ({"P_pi": sparse.csr_array((2, 3))}, "P_pi: has shape 2×3"),
        ({"Phi": np.array([[1.0], [np.inf], [1.0]])}, r"Phi\[1\]\[0\]: inf is not finite"),
    ],
)
def test_bad_numbers_are_named_with_their_place(change, complaint):
    given = {"gamma": 0.9, "Phi": PHI, "P_pi": LINE, "d_mu": UNIFORM} | change
    with pytest.raises(InvalidProblem, match=complaint):
        LargeProblem.from_matrices(**given)


def test_rows_that_sum_to_less_end_the_episode_where_that_is_said(tmp_path):
    ends = sparse.csr_array([[0.5, 0.25, 0], [0, 0.5, 0.5], [0, 0, 0]])
    with pytest.raises(InvalidProblem, match=r"sum to 0\.75, not 1; if the rest ends the episode, say episodic"):
        LargeProblem.from_matrices(0.9, Phi=PHI, P_pi=ends, d_mu=UNIFORM)
    found = LargeProblem.from_matrices(0.9, Phi=PHI, P_pi=ends, d_mu=UNIFORM, episodic=True)
    assert found.is_episodic
    found.save(tmp_path / "e.npz")
    assert load_npz(tmp_path / "e.npz").P_pi.tolist() == ends.toarray().tolist()
    halved = LargeProblem.from_matrices(0.9, Phi=PHI, P_pi=LINE, d_mu=UNIFORM, discount=[1, 0.5, 0])
    assert np.allclose(halved.successors.toarray(), LINE.toarray() * [1, 0.5, 0])
    path = write_market(tmp_path, "1/2")
    scipy_io.mmwrite(path, ends, comment=" gamma = 1/2\n episodic")
    assert open_problem(path).is_episodic


def test_a_missing_distribution_is_the_stationary_one_whatever_the_period():
    cycle = sparse.csr_array([[0, 1.0, 0], [0.5, 0, 0.5], [0, 1.0, 0]])
    found = LargeProblem.from_matrices(0.9, Phi=PHI, P_pi=LINE, P_mu=cycle)
    assert np.allclose(found.d_mu, [0.25, 0.5, 0.25], atol=1e-12)
    assert found.is_stationary
    line = sparse.diags_array([np.full(2999, 0.5)] * 2, offsets=[-1, 1]).tolil()
    line[0, 0] = line[-1, -1] = 0.5
    slow = sparse_stationary(line.tocsr(), "P_mu")  # a walk that takes millions of steps to forget where it began
    assert np.allclose(slow, 1 / 3000, rtol=1e-9)
    with pytest.raises(InvalidProblem, match="not unique: 3 closed classes"):
        sparse_stationary(sparse.csr_array(np.eye(3)), "P_mu")


@pytest.mark.parametrize("name", ["baird", "gridworld:side=60,features=3"])
def test_an_archive_gives_back_an_equal_problem(tmp_path, name):
    problem = open_problem(name)
    large = problem if problem.is_large else copies(problem, 500)
    large.save(tmp_path / "large.npz")
    again = load_npz(tmp_path / "large.npz")
    assert again == large
    assert again.with_gamma("1/2") != large
    assert find_problem(str(tmp_path / "large.npz"), "1/2").given.gamma == 0.5


def test_the_parts_of_scipys_own_archive_are_the_target(tmp_path):
    large = copies(open_problem("twostate"), 2000)
    sparse.save_npz(tmp_path / "P.npz", large.successors)
    with np.load(tmp_path / "P.npz") as parts:
        np.savez(tmp_path / "all.npz", **parts, Phi=large.Phi, d_mu=large.d_mu, gamma="99/100")
    found = open_problem(tmp_path / "all.npz")
    assert found.is_large
    assert (found.successors != large.successors).nnz == 0
    assert found.given.gamma == large.given.gamma


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"P_pi_indices": np.full(3, 7)}, "point nowhere"),
        ({"P_pi_indptr": np.array([0, 3, 2, 3])}, "point nowhere"),
        ({"P_pi_data": np.ones(2)}, "do not fit"),
        ({"P_pi_data": np.array(["1", "1", "1"])}, "numbers"),
        ({"gamma": np.array([0.9, 0.9])}, "gamma"),
    ],
)
def test_a_damaged_archive_is_one_line(tmp_path, change, complaint):
    good = {
        **{"P_pi_data": np.ones(3), "P_pi_indices": np.arange(3), "P_pi_indptr": np.arange(4)},
        **{"Phi": PHI, "d_mu": UNIFORM, "gamma": 0.9},
    }
    path = tmp_path / "bad.npz"
    np.savez(path, **{k: v for k, v in (good | change).items() if v is not None})
    with pytest.raises(InvalidProblem, match=complaint) as error:
        open_problem(path)
    assert "\n" not in str(error.value)


def write_market(folder, gamma=None, compressed=False):
    """Beside each other: P as text, features and distribution."""
    scipy_io.mmwrite(folder / "line.mtx", LINE, comment="" if gamma is None else f" gamma = {gamma}")
    scipy_io.mmwrite(folder / "line.features.mtx", PHI)
    np.save(folder / "line.distribution.npy", UNIFORM)
    if compressed:
        text = (folder / "line.mtx").read_bytes()
        (folder / "line.mtx").unlink()
        (folder / "line.mtx.gz").write_bytes(gzip.compress(text))
    return folder / ("line.mtx.gz" if compressed else "line.mtx")


@pytest.mark.parametrize("compressed", [False, True])
def test_matrix_market_with_features_and_distribution_beside_it(tmp_path, compressed):
    path = write_market(tmp_path, "99/100", compressed)
    found = open_problem(path)
    assert (found.name, str(found.given.gamma)) == ("line", "99/100")
    assert np.allclose(found.P_pi, LINE.toarray(), rtol=1e-15)
    assert found.Phi.tolist() == PHI.tolist()
    assert find_problem(path, "1/2").given.gamma == 0.5


def test_matrix_market_complaints_are_one_line(tmp_path):
    path = write_market(tmp_path)
    with pytest.raises(InvalidProblem, match="at which discount"):
        open_problem(path)
    (tmp_path / "line.features.mtx").unlink()
    with pytest.raises(InvalidProblem, match=r"needs line\.features\.mtx"):
        find_problem(path, 0.9)
    path.write_text("%%MatrixMarket matrix\n3 3\n")
    with pytest.raises(InvalidProblem, match="not a Matrix Market file") as error:
        find_problem(path, 0.9)
    assert "\n" not in str(error.value)
    with pytest.raises(InvalidProblem, match="no such file or directory"):
        find_problem(tmp_path / "none.mtx", 0.9)


@pytest.mark.parametrize("spec", ["gridworld:side=50,law=tiles", "sparse:states=2500,branching=3", "gridworld:side=3"])
def test_problems_made_by_rule_are_named_after_it(spec):
    problem = open_problem(spec)
    assert problem.name == spec
    assert problem.is_large is (problem.n_states > theory.problems.large.DENSE)
    assert open_problem(spec) == problem


def test_too_many_features_are_refused_before_memory_is_asked_for():
    with pytest.raises(InvalidProblem, match=r"800\.0 GB"):
        open_problem("gridworld:side=10000,features=1000")


def test_an_archive_may_leave_the_discount_to_the_command_and_have_discounts_of_states(tmp_path):
    P = sparse.csr_array(np.array([[0.5, 0.5], [1.0, 0.0]]))
    parts = {f"P_pi_{part}": getattr(P, part) for part in ("data", "indices", "indptr")}
    letters = {**parts, "Phi": np.array([[1.0], [2.0]]), "d_mu": np.array([0.5, 0.5])}
    path = tmp_path / "walk.npz"
    np.savez(path, **letters, discount=np.array([1.0, 0.5]))
    with pytest.raises(InvalidProblem, match="'gamma' is missing"):
        open_problem(path)
    found = find_problem(path, "9/10")
    assert found.P_pi.tolist() == [[0.5, 0.25], [1.0, 0.0]]  # a discount is that of the state arrived at
    assert found.exact.gamma == Fraction(9, 10)
    np.savez(path, **letters, gamma=np.array("1/2"))
    assert find_problem(path, "9/10").exact.gamma == Fraction(9, 10)
    np.savez(path, Phi=letters["Phi"], P_pi=P.toarray(), d_mu=letters["d_mu"])
    assert find_problem(path, "9/10").exact.gamma == Fraction(9, 10)


def walk(n, leave=0.1):
    """A walk on a line of n states that ends at its right end only, with probability `leave`."""
    P = sparse.diags_array([np.full(n - 1, 0.5), np.full(n - 1, 0.5)], offsets=[-1, 1]).tolil()
    P[0, 1], P[n - 1, n - 2] = 1.0, 1 - leave
    return sparse.csr_array(P)


@pytest.mark.parametrize("P", [walk(40), walk(3000)], ids=["40", "3000"])
def test_a_discount_of_one_is_taken_where_every_episode_ends(P):
    n = P.shape[0]
    letters = {"Phi": np.ones((n, 1)), "d_mu": np.full(n, 1 / n), "episodic": True}
    assert LargeProblem.from_matrices(1, P_pi=P, **letters).gamma == 1
    trap = sparse.csr_array(P.copy())
    trap.data[trap.indptr[7] : trap.indptr[8]] = [1.0, 0.0]  # from 7 back to 6, and never on
    with pytest.raises(InvalidProblem, match="gamma: must be below 1: from state 0 the target never ends an episode"):
        LargeProblem.from_matrices(1, P_pi=trap, **letters)
    with pytest.raises(InvalidProblem, match="gamma: must be below 1: from state 0 the behaviour never ends"):
        LargeProblem.from_matrices(1, P_pi=P, P_mu=trap, **letters)


def test_a_discount_of_one_is_refused_where_no_episode_ends():
    with pytest.raises(InvalidProblem, match="gamma: must be below 1: from state 0 the target never ends an episode"):
        open_problem("sparse:states=3000,features=2").with_gamma(1)


def test_a_problem_that_ends_at_once_is_read_back(tmp_path):
    letters = {"Phi": np.ones((3, 1)), "d_mu": np.full(3, 1 / 3), "episodic": True}
    problem = LargeProblem.from_matrices(1, P_pi=sparse.csr_array((3, 3)), **letters)
    problem.save(tmp_path / "at-once.npz")
    assert open_problem(tmp_path / "at-once.npz").P_pi.tolist() == [[0.0] * 3] * 3


def test_huge_rewards_are_no_warning(recwarn):
    LargeProblem.from_matrices(
        1, P_pi=walk(40), Phi=np.ones((40, 1)), d_mu=np.full(40, 1 / 40), r_pi=np.full(40, 1e308), episodic=True
    )
    assert not list(recwarn)
