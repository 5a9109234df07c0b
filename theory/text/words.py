r"""The words of a verdict, of counts and of durations: the same wherever they are said.

A question of a kind has one word for yes and one for no; undecided is neither.

Every letter, once, as in *Chaining Value Functions for Off-Policy Learning* (S states, F features).

A letter has a name in code and in typed identities, a shape, and a formula as text; reports set it in LaTeX. What only
one statement uses is said there. `help(theory)`, `theory.letters` and the report's table are written from this list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

STABLE, UNBIASED, SAFE = ("stable", "unstable"), ("unbiased", "biased"), ("safe", "not safe")
UNDECIDED = "undecided"
_WORDS = {"td": STABLE, "chain": UNBIASED, "window": STABLE, "uniform": SAFE}
_SUBJECTS = {
    "td": "off-policy TD",
    "chain": "chained TD, k → ∞",
    "window": "target network T = {T}",
    "uniform": "every choice of features",
}


def word(kind: str, holds: bool | None) -> str:
    """What is said of a question's answer, as JSON has it; of an iteration, that it converges.

    >>> word("td", True), word("chain", False), word("window", None)
    ('stable', 'biased', 'undecided')
    """
    yes, no = _WORDS.get(kind, ("convergent", "divergent"))
    return UNDECIDED if holds is None else yes if holds else no


def subject(kind: str, window: int | None = None) -> str:
    """What a question is about.

    >>> subject("window", 10)
    'target network T = 10'
    """
    return _SUBJECTS[kind].format(T=window)


def quadrant(td: bool | None, chain: bool | None) -> str:
    """``td-stable/chain-biased`` and the like.

    >>> quadrant(True, None)
    'td-stable/chain-undecided'
    """
    return f"td-{word('td', td)}/chain-{word('chain', chain)}"


def count(n: int, noun: str) -> str:
    """``1 state``, ``2 states``."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def listed(words: Sequence[str], last: str = "and") -> str:
    """``a, b and c``.

    >>> listed(["TD", "ETD", "the chain"], "or"), listed(["TD"])
    ('TD, ETD or the chain', 'TD')
    """
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def duration(seconds: float) -> str:
    """``40 s``, ``3 min``, ``5 h``, ``more than a day``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 86400 else "more than a day"


class Letter(NamedTuple):
    """What is known of one letter, or of a few that belong together; empty where it does not apply."""

    latex: str
    meaning: str
    code: str = ""
    shape: str = ""
    formula: str = ""

    @property
    def said(self) -> str:
        """``X − γY: key matrix of …``."""
        return f"{self.formula}: {self.meaning}" if self.formula else self.meaning


LETTERS = (
    Letter(r"S, F", "numbers of states and of features"),
    Letter(r"\gamma", "discount in [0, 1)", "gamma", "()"),
    Letter(r"\alpha", "step size", "alpha", "()"),
    Letter(r"\pi, \mu", "target policy, whose values are wanted, and behaviour, which moves"),
    Letter(r"\Phi, \phi", "features, S × F, one row a state; a row of it", "Phi", "(S, F)"),
    Letter(r"P, P_\pi", "transitions under π, S × S: two names for one matrix", "P, P_pi", "(S, S)"),
    Letter(r"P_\mu", "transitions under μ", "P_mu", "(S, S)"),
    Letter(r"r, r_\pi, r_\mu", "expected rewards under π (two names) and under μ", "r, r_pi, r_mu", "(S,)"),
    Letter(r"d, d_\mu, D", "how often each state is visited, by the behaviour unless said otherwise, and D = diag(d)",
           "d_mu, D", "(S,)"),
    Letter(r"\rho(a, s) = \pi(a|s)/\mu(a|s)", "importance ratio, where ρ stands beside a sample; R is the reward",
           "rho", "()", "π(a|s)/μ(a|s)"),
    Letter(r"\rho(M)", "spectral radius of a matrix"),
    Letter(r"X = \Phi^{\top} D \Phi", "second moments of the features", "X", "(F, F)", "ΦᵀDΦ"),
    Letter(r"Y = \Phi^{\top} D P \Phi", "moments of features and next features under π", "Y", "(F, F)", "ΦᵀDPΦ"),
    Letter(r"A = X - \gamma Y", "key matrix of off-policy TD, which is stable if all its eigenvalues have Re λ > 0",
           "A", "(F, F)", "X − γY"),
    Letter(r"A_\mu = \Phi^{\top} D (I - \gamma P_\mu) \Phi", "the same of the behaviour", "A_mu", "(F, F)",
           "ΦᵀD(I − γP_μ)Φ"),
    Letter(r"b = \Phi^{\top} D r, \; b_\mu = \Phi^{\top} D r_\mu", "right-hand sides", "b, b_mu", "(F,)",
           "ΦᵀDr, ΦᵀDr_μ"),
    Letter(r"\theta_\pi, \theta_\mu", r"TD’s fixed points: A θ_π = b and A_μ θ_μ = b_μ", "theta_pi, theta_mu", "(F,)"),
    Letter(r"B = \gamma X^{-1} Y", "operator of the chain, which is unbiased if ρ(B) is below 1", "B", "(F, F)",
           "γX⁻¹Y"),
    Letter(r"\Pi = \Phi X^{-1} \Phi^{\top} D",
           "projection onto the span of Φ; ΠP and B/γ have the same nonzero spectrum", "Pi", "(S, S)", "ΦX⁻¹ΦᵀD"),
    Letter(r"\theta^k_t, \theta^k_*",
           "head k after t updates, and its fixed point; head 0 is θ⁰, learnt on μ or given", "theta_k, theta0",
           "(F,)"),
    Letter(r"e_k", "error of head k or after k windows, against θ_π"),
    Letter(r"v_\pi, v_\mu, v^k", "values: of π, of μ, and of head k", "v_pi, v_mu", "(S,)"),
    Letter(r"k, K", "number of a head and of the last head", "k, K", "()"),
    Letter(r"W_k = \sum_{i<k} B^i", "geometric sum of the chain", "W_k", "(F, F)", "1 + B + … + Bᵏ⁻¹"),
    Letter(r"M", "joint matrix of all heads (eq-M); in def-richardson and prop-1 any matrix", "M"),
    Letter(r"T", "updates of a head, or with one target network: a window", "window", "()"),
    Letter(r"Q = (I - \alpha X)^{T}", "what T updates leave of a start; in claim-exponential and neumann any Q ≻ 0, in "
           "prop-5 and extra-on-policy the weights of edges"),
    Letter(r"S_T = \alpha \sum_{j<T} (I - \alpha X)^j", "what T updates take from the target"),
    Letter(r"G_T = Q + (I - Q) B", "what a window with hot start does to the error"),
    Letter(r"n, X_n, Y_n, b_n, B_n", "steps of an n-step estimator, and its moments", "n", "()"),
    Letter(r"\lambda, \lambda_{\max}", "an eigenvalue, the largest"),
    Letter(r"M^{\top}, M^{T}", "transpose (in text ᵀ) and T-th power (in text ^T): two different signs"),
    Letter(r"M \succ 0", "symmetric and positive definite"),
    Letter(r"I, \mathbf{1}", "identity, also written 1 where matrices are meant, and the vector of ones"),
)  # fmt: skip
TERMS = (
    "A head starts *hot* from the values of the one before, *cold* anywhere. *Swap* is the P of two states that go to "
    "each other, \\[\\[0, 1\\], \\[1, 0\\]\\]. An *expedition* of m steps follows π for m steps and μ ever after."
)


def meaning(code: str) -> str:
    """What a letter of code is.

    >>> meaning("Pi")
    'ΦX⁻¹ΦᵀD: projection onto the span of Φ; ΠP and B/γ have the same nonzero spectrum'
    """
    return next(letter.said for letter in LETTERS if code in letter.code.split(", "))


def code_table() -> str:
    """The letters that code uses, a line each."""
    return "\n".join(f"{x.code:<18} {x.shape:<7} {x.said}" for x in LETTERS if x.code)
