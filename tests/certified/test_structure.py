"""What structure alone decides, at any scale: tabular, invertible, aggregated, triangular."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from tests.exact.examples import certified
from theory.certified.balls import precision
from theory.certified.certificates import Certificate
from theory.certified.decide import decide
from theory.certified.evidence import Blocks, Dominance, Power, Roots, Trace
from theory.certified.ladder import PRECISIONS, by_powers, exact_roots
from theory.certified.pencils import ExactPencil
from theory.certified.structure import complete, components, disc_dominance, dominance
from theory.certified.verdicts import chain_unbiased, richardson_converges, td_stable, window_stable
from theory.exact.matrices import identity, matrix
from theory.exact.polynomials import half_planes, unit_circle
from theory.problems import Problem


def corridor(S, d, Phi=None, gamma="9/10"):
    """Each state goes to the next, the last stays."""
    P = [[int(j == min(i + 1, S - 1)) for j in range(S)] for i in range(S)]
    features = [[int(i == j) for j in range(S)] for i in range(S)] if Phi is None else Phi
    return Problem.from_matrices(gamma, Phi=features, P_pi=P, d_mu=[x / sum(d) for x in d])


@pytest.mark.parametrize("S", [84, 86])
def test_a_long_tabular_corridor_in_doubles(S):
    problem = corridor(S, [1.9**-i for i in range(S)], gamma=0.9)
    assert certified(chain_unbiased(problem), problem) is True
    assert certified(td_stable(problem), problem) is True


def test_a_tabular_corridor_with_long_fractions():
    problem = corridor(32, [Fraction(10**40 + i**7, 3 * 10**40 + i) ** i for i in range(32)], gamma="999999/1000000")
    assert certified(chain_unbiased(problem), problem) is True
    assert certified(td_stable(problem), problem) is True


def test_features_that_distinguish_all_states_settle_the_chain_whatever_they_are():
    """ρ(γΠP) = γρ(P) = γ for every invertible Φ, and for more features than states."""
    rng = np.random.default_rng(3)
    for F in (6, 9):
        scales = [Fraction(10) ** int(e) for e in rng.integers(-90, 90, F)]
        Phi = [[int(x) * s / 7 for x, s in zip(row, scales, strict=True)] for row in rng.integers(-9, 10, size=(6, F))]
        problem = corridor(6, [Fraction(1, 10 ** (40 * i)) for i in range(6)], Phi, "999/1000")
        verdict = chain_unbiased(problem)
        assert verdict.proved == (complete(verdict.question) is not None)
        assert certified(verdict, problem) is True


def test_too_few_features_or_too_large_a_norm_are_not_complete():
    dependent = corridor(3, [1, 1, 1], [[1, 2, 3], [2, 4, 6], [0, 0, 1]])
    assert complete(chain_unbiased(dependent).question) is None
    assert complete(td_stable(corridor(3, [1, 1, 1])).question) is None


def test_aggregated_states_are_safe_at_every_scale():
    d = [Fraction(1, 1000**i) for i in range(12)]
    Phi = [[Fraction(10) ** (i % 3 * 100 - 100) if j == i % 3 else 0 for j in range(3)] for i in range(12)]
    problem = corridor(12, d, Phi)
    for ask in (td_stable, chain_unbiased):
        assert certified(ask(problem), problem) is True


def test_aggregated_states_of_every_scale_keep_their_target_network():
    """Features of 10²⁰, visits of 10⁻¹⁵⁰, γ next to 1: some eigenvalues of G_T are within 10⁻²⁰⁰ of one."""
    d = [Fraction(1), Fraction(1, 10**150), Fraction(1, 10**75), Fraction(2, 10**150), Fraction(3)]
    problem = Problem.from_matrices(
        1 - Fraction(1, 10**9),
        Phi=[[10**20, 0, 0], [0, -1, 0], [0, 0, 2], [0, -1, 0], [10**20, 0, 0]],
        P_pi=[[0, 0, 1, 0, 0], [0, "1/2", 0, 0, "1/2"], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0]],
        d_mu=[x / sum(d) for x in d],
    )
    verdict = window_stable(problem, 100, Fraction(1, 2**140), confirm=True)
    assert isinstance(verdict.certificate.evidence, Dominance)
    assert verdict.rechecked
    assert certified(verdict, problem) is True
    assert certified(td_stable(problem), problem) is True


@pytest.mark.parametrize("top", ["1/3", "1/2", "2/3"])
def test_weights_are_found_wherever_there_are_any(top):
    """|N|w < w for some w exactly when ρ(|N|) < 1: here 2·top, whatever the diagonal scaling hides."""
    scale, h = 10**90, Fraction(top)
    N = fmpq_mat([[0, fmpq(h.numerator * scale * 4, h.denominator)], [fmpq(h.numerator, h.denominator * scale), 0]])
    found = dominance(N, None, disc=True)
    with precision(512):
        in_balls = disc_dominance(arb_mat(N), None)
    assert (found is None) == (in_balls is None) == (h >= Fraction(1, 2))


def test_a_ball_on_both_sides_of_one_is_not_given_the_better_side():
    """G = I − N with x on and 0.7 off the diagonal of N: |G| = 0.7 + |1 − x| < 1 for x = 1.2, and not for x = 1/2."""
    off = arb(fmpq(7, 10))
    for x, dominant in ((arb(fmpq(6, 5)), True), (arb(fmpq(1, 2)), False), (arb(0.85, 0.36), False)):
        assert (disc_dominance(arb_mat([[x, off], [off, x]]), arb(1)) is not None) is dominant


def test_a_pencil_is_dominant_only_where_its_eigenvalues_allow_it():
    rng = np.random.default_rng(0)
    claimed = 0
    for _ in range(300):
        N, E = (
            matrix([[Fraction(int(x), 9) for x in row] for row in rng.integers(-3, 4, size=(3, 3))]) for _ in range(2)
        )
        E = E + 2 * identity(3)
        if dominance(N, None, disc=False):
            claimed += 1
            assert half_planes(N.charpoly()).right == 3
        if dominance(N, E, disc=True):
            claimed += 1
            assert unit_circle(E.solve(N).charpoly()).inside == 3
    assert claimed > 10


def test_components_make_a_pattern_block_triangular():
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(2, 9))
        M = fmpq_mat(n, n, [int(x) for x in (rng.uniform(size=n * n) < 0.2)])
        blocks = components(M, None)
        assert sorted(i for b in blocks for i in b) == list(range(n))
        for earlier, later in ((a, b) for k, b in enumerate(blocks) for a in blocks[:k]):
            assert all(M[i, j] == 0 for i in later for j in earlier)


def shuffled(M, seed=0):
    order = np.random.default_rng(seed).permutation(len(M))
    return [[M[i][j] for j in order] for i in order]


def triangular(diagonal, above):
    n = len(diagonal)
    return shuffled([[diagonal[i] if i == j else above if j > i else 0 for j in range(n)] for i in range(n)])


@pytest.mark.parametrize(
    ("diagonal", "holds", "tie"),
    [
        (["1/2"] * 30, True, False),
        (["1/2"] * 29 + ["5/2"], False, False),
        (["1/2"] * 29 + ["2"], False, True),
        (["1/2"] * 28 + ["2", "0"], False, True),
        (["1/2"] * 28 + ["2", "5/2"], False, False),
    ],
)
def test_triangular_matrices_are_their_diagonal_in_any_order(diagonal, holds, tie):
    verdict = richardson_converges(triangular(diagonal, 10**9), 1)
    assert (verdict.proved, verdict.is_tie) == (holds, tie)
    assert isinstance(verdict.evidence, Blocks)
    assert verdict.certificate.recheck()
    assert verdict.reason.startswith("tie") is tie
    opposite = verdict.certificate.to_dict() | {"holds": not holds}
    assert not type(verdict.certificate).from_dict(opposite).recheck()


def jordan(eigenvalue, n, seed):
    """A full matrix with one Jordan block, by unimodular row and column operations."""
    M = fmpq_mat(n, n, [fmpq(eigenvalue) if i == j else int(j == i + 1) for i in range(n) for j in range(n)])
    rng = np.random.default_rng(seed)
    for _ in range(2 * n):
        i, j = (int(x) for x in rng.choice(n, size=2, replace=False))
        c = int(rng.integers(-1, 2))
        T, U = identity(n), identity(n)
        T[i, j], U[i, j] = c, -c
        M = T * M * U
    return M


def powers(subject):
    """The first evidence from powers, with as many bits as it takes."""
    for bits in PRECISIONS:
        with precision(bits):
            found = by_powers(subject.in_balls(), bits)
        if found is not None:
            return found
    return None


@pytest.mark.parametrize(("value", "kind"), [(fmpq(9, 10), Power), (fmpq(-9, 10), Power), (fmpq(11, 10), Trace)])
def test_powers_decide_defective_matrices(value, kind):
    """One Jordan block of order 12: eigenvectors are useless, and a power says it."""
    M = jordan(value, 12, 5)
    evidence = powers(ExactPencil(True, M))
    assert isinstance(evidence, kind)
    rows = [[(i == j) - Fraction(int(x.p), int(x.q)) for j, x in enumerate(r)] for i, r in enumerate(M.tolist())]
    question = richardson_converges(rows, 1).question
    assert Certificate(question, kind is Power, evidence).recheck()
    assert not Certificate(question, kind is not Power, evidence).recheck()


def test_powers_decide_the_half_plane_of_defective_matrices():
    for value, stable in ((fmpq(1, 50), True), (fmpq(-1, 50), False)):
        assert isinstance(powers(ExactPencil(False, jordan(value, 10, 2))), Power if stable else Trace)


def test_a_nilpotent_part_of_order_32_changes_nothing():
    """X = I/33 and Y nilpotent: A has the single eigenvalue 1/33 for every γ."""
    S = 33
    rotated = [[Fraction(int(i == j)) - Fraction(2, 32) for j in range(32)] for i in range(32)] + [[0] * 32]
    for Phi in ([[int(i == j) for j in range(32)] for i in range(S)], rotated):
        for gamma in ("1/5", "999/1000"):
            problem = corridor(S, [Fraction(1)] * S, Phi, gamma)
            assert certified(td_stable(problem), problem) is True
            assert certified(chain_unbiased(problem), problem) is True


def test_a_proof_that_fails_its_recheck_does_not_count(monkeypatch):
    problem = corridor(3, [1, 1, 1])
    question = td_stable(problem).question
    monkeypatch.setattr("theory.certified.recheck.check", lambda document: False)
    verdict = decide(question, confirm=True)
    assert verdict.undecided
    assert "failed" in verdict.reason


def test_a_power_too_long_to_recheck_is_passed_over_for_shorter_evidence(monkeypatch):
    """The first proof of a defective matrix is a power; where the checker would take minutes over it, a count does."""
    question = richardson_converges([["1/2", 1], [0, "1/2"]], 1).question
    steps = [(Power(2**20, (0, 0), Fraction(0)), "balls"), (exact_roots(question.pencil()), "exact")]
    monkeypatch.setattr("theory.certified.decide.climb", lambda *given: iter(steps))
    long = {Power: 100.0, Roots: 0.1}
    monkeypatch.setattr("theory.certified.decide.recheck_seconds", lambda question, evidence: long[type(evidence)])
    verdict = decide(question, confirm=True)
    assert isinstance(verdict.certificate.evidence, Roots)
    assert verdict.rechecked
    steps.pop()
    verdict = decide(question, confirm=True)
    assert isinstance(verdict.certificate.evidence, Power)
    assert not verdict.rechecked
