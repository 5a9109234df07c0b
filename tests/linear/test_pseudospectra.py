import numpy as np
import pytest

from tests.linear.examples import baird, random_problem, twostate
from theory.linear.pseudospectra import kreiss_bound, pseudospectrum
from theory.linear.transients import joint_iteration
from theory.problems import InvalidProblem


def iteration(problem, alpha, K):
    """I − αM on heads 1..K in the principal basis, written out."""
    it = joint_iteration(problem, alpha)
    r = it.basis.rank
    N = np.zeros((K * r, K * r))
    for k in range(K):
        here = slice(k * r, (k + 1) * r)
        N[here, here] = np.diag(1 - it.step)
        if k:
            N[here, slice((k - 1) * r, k * r)] = it.step[:, None] * it.B
    return N


@pytest.mark.parametrize(("problem", "K"), [(random_problem(1, 5, 3), 4), (baird(), 6), (twostate("9/10"), 1)])
def test_smallest_singular_values_equal_the_dense_ones(problem, K):
    real, imag = np.linspace(-0.5, 1.4, 9), np.linspace(0.05, 1, 5)
    found = pseudospectrum(problem, 0.1, K, real, imag)
    N = iteration(problem, 0.1, K)
    dense = np.array(
        [[np.linalg.svd((x + 1j * y) * np.eye(len(N)) - N, compute_uv=False)[-1] for x in real] for y in imag]
    )
    assert (found >= dense * (1 - 1e-9)).all()  # approached from above
    # Clustered singular values far from the spectrum converge last; a plot needs no more than this.
    assert np.allclose(found, dense, rtol=1e-3)


def test_an_eigenvalue_has_singular_value_zero():
    p = twostate("9/10")  # X = 5/2
    assert pseudospectrum(p, 0.1, 3, np.array([0.75]), np.array([0.0]))[0, 0] < 1e-12


def test_pseudospectra_of_long_chains_do_not_overflow():
    sigma = pseudospectrum(baird("99/100"), 0.1, 256, np.linspace(0.9, 1.1, 5), np.array([0.0, 0.05, 0.1]))
    assert np.isfinite(sigma).all()
    assert (sigma >= 0).all()
    # Where ρ(H) > 1 the resolvent grows like ρ(H)ᴷ: points outside the unit circle are eigenvalues to 1e−15.
    assert sigma.min() < 1e-15


@pytest.mark.parametrize(("problem", "K"), [(random_problem(1, 5, 3), 3), (baird("99/100"), 8)])
def test_kreiss_bound_is_below_the_true_peak(problem, K):
    N = iteration(problem, 0.1, K)
    power, peak = np.eye(len(N)), 1.0
    for _ in range(300):
        power = np.linalg.matrix_power(N, 4) @ power  # every fourth power will do: the peak is broad
        peak = max(peak, np.linalg.norm(power, 2))
    bound = kreiss_bound(problem, 0.1, K)
    assert 0 <= bound.log10_bound <= np.log10(peak) + 1e-9
    assert abs(bound.point) > 1


def test_kreiss_bound_proves_exponential_growth_at_K_256():
    p = baird("99/100")
    short, long = kreiss_bound(p, 0.1, 128), kreiss_bound(p, 0.1, 256)
    assert long.log10_bound > short.log10_bound + 8
    assert np.isfinite(long.log10_bound)


def test_answers_do_not_depend_on_the_size_of_blocks(monkeypatch):
    p, real, imag = baird(), np.linspace(0.5, 1.1, 4), np.array([0.1, 0.2])
    whole = pseudospectrum(p, 0.1, 5, real, imag), kreiss_bound(p, 0.1, 20)
    monkeypatch.setattr("theory.linear.pseudospectra._BLOCK", 100)
    assert np.allclose(pseudospectrum(p, 0.1, 5, real, imag), whole[0], rtol=1e-9)
    assert kreiss_bound(p, 0.1, 20).log10_bound == pytest.approx(whole[1].log10_bound)


def test_limits_are_stated():
    with pytest.raises(InvalidProblem, match="at least one head"):
        kreiss_bound(baird(), 0.1, 0)
    with pytest.raises(InvalidProblem, match="too much"):
        pseudospectrum(baird(), 0.1, 256, np.zeros(1000), np.zeros(1000))
    nothing = twostate("1/2").with_features([[0], [0]])
    assert kreiss_bound(nothing, 0.1, 4).log10_bound == 0
    assert np.isinf(pseudospectrum(nothing, 0.1, 4, np.zeros(2), np.zeros(3))).all()
