"""Small exact problems that answer a question the paper leaves open; see `theory.propositions`.

All are given by D, P and Φ alone, with zero rewards, and, where every state is visited, realised by actions "to j": the
behaviour goes to j with probability d_j from everywhere, the target follows P.

- *Quadrants*: D = diag(9/10, 1/10), P the swap, γ = 9/10. By Φ alone TD is stable or not and the chain
  unbiased or not, in all four combinations. For F = 1, B = γY/X and A = X(1 − B), so the chain is unbiased
  ⇔ |B| < 1 while TD is stable ⇔ B < 1: unbiased but unstable needs two features.
- *Finite window*: with step size 1/16, stable only when the target network is kept for T = 8..127 updates.
- *Complex cycle*: A_μ has the eigenvalues 11/30 ± i√2/15.
- *w to 2w* (Sutton and Barto 2018, section 11.2): of two states with estimates w and 2w only the first is updated,
  towards the second: w ← w + α(2γ − 1)w, A = 1 − 2γ. The second is never visited, D = diag(1, 0), so no behaviour takes
  the move and no ratio is defined; the expected update is. It is Twostate's with half of the state weights.
- *Transient bias*: B = γP, and from the error e⁰ = (0, 1) the next is e¹ = γ(1, 1): ‖e¹‖² = 81/50 > ‖e⁰‖².
"""

from __future__ import annotations

from fractions import Fraction

from theory.problems.catalogue.registry import Entry, entry
from theory.problems.mdp import MDP, surely
from theory.problems.problem import Problem

_HERE = "this workbench"
_SWAP = [[0, 1], [1, 0]]


def _realised(Phi: list[list[int]], P: list[list[int]], d: list[str], gamma: Fraction) -> Problem:
    labels = tuple(str(s + 1) for s in range(len(P)))
    return Problem.from_matrices(gamma, Phi=Phi, P_pi=P, d_mu=d, states=labels).realised()


def _quadrant(td: str, chain: str, Phi: list[list[int]], why: str) -> Entry:
    return entry(
        f"quadrant-{td}-{chain}",
        lambda gamma: _realised(Phi, _SWAP, ["9/10", "1/10"], gamma),
        title=f"Two states where TD is {td} and the chain {chain}",
        source=f"{_HERE}, extra-quadrants",
        famous_for=why,
        gamma="9/10",
    )


def _finite_window(gamma: Fraction) -> Problem:
    P = [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
    return _realised([[2, -5], [0, -1], [4, -5]], P, ["6/16", "9/16", "1/16"], gamma)


def _complex_cycle(gamma: Fraction) -> Problem:
    mdp = MDP(surely(3, [1, 2, 0]), [[0]] * 3, gamma, ("1", "2", "3"), ("next",))
    return Problem.from_mdp(mdp, pi=[0] * 3, mu=[0] * 3, Phi=[[1, 1], [1, 0], [0, 1]])


def _transient_bias(gamma: Fraction) -> Problem:
    return _realised([[1, 0], [0, 1]], [[0, 1], [0, 1]], ["1/2", "1/2"], gamma)


def _w_to_2w(gamma: Fraction) -> Problem:
    return Problem.from_matrices(
        gamma, Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=[1, 0], states=("w", "2w"), name="w-to-2w"
    )


PLACE = 5
ENTRIES = (
    _quadrant("stable", "unbiased", [[1], [0]], "Nothing goes wrong: Y = 0."),
    _quadrant("unstable", "biased", [[1], [3]], "Both fail, as on Twostate: B = 3/2 at γ = 9/10."),
    _quadrant("stable", "biased", [[1], [-3]], "TD converges and the chain does not: B = −3/2 at γ = 9/10."),
    _quadrant(
        "unstable",
        "unbiased",
        [[1, 0], [3, 1]],
        "TD diverges and the chain does not: Φ is invertible, so B has the spectrum of γP.",
    ),
    entry(
        "finite-window",
        _finite_window,
        title="Stable only for middling target-network windows",
        source=f"{_HERE}, extra-target-network",
        famous_for="At γ = 99/100 and step size 1/16, TD (window 1) and the chain (window ∞) both fail, "
        "and target networks kept for 8 to 127 updates converge.",
        gamma="99/100",
    ),
    entry(
        "complex-cycle",
        _complex_cycle,
        title="On-policy TD with complex eigenvalues",
        source=f"{_HERE}, prop-5",
        famous_for="A cycle on which A_μ has the eigenvalues 11/30 ± i√2/15 at γ = 9/10: "
        "the joint matrix M has eigenvalues of positive real part, not positive eigenvalues.",
        gamma="9/10",
    ),
    entry(
        "transient-bias",
        _transient_bias,
        title="A bias that grows before it shrinks",
        source=f"{_HERE}, claim-exponential",
        famous_for="Tabular and unbiased in the limit, and still the first step of the chain can increase "
        "the error: from e⁰ = (0, 1), ‖e¹‖² = 81/50.",
        gamma="9/10",
    ),
    entry(
        "w-to-2w",
        _w_to_2w,
        title="w to 2w: one of two states is never visited",
        source="Sutton and Barto (2018), Reinforcement Learning, 2nd edition, section 11.2",
        famous_for="TD diverges for γ > 1/2 by one transition alone, from an estimate w to 2w; the second state is "
        "never visited, so expected updates are defined and importance ratios are not.",
        gamma="99/100",
    ),
)
