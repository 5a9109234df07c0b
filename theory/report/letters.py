r"""Every letter of the report, once; what only one statement uses is said there."""

from __future__ import annotations

from theory.report.markdown import inline, table

# LaTeX of the letters, and what they are.
LETTERS: tuple[tuple[str, str], ...] = (
    (r"S, F", "numbers of states and of features"),
    (r"\gamma, \alpha", "discount and step size"),
    (r"\pi, \mu", "target policy, whose values are wanted, and behaviour, which moves"),
    (r"\Phi, \phi", "features, S × F, one row a state; a row of it"),
    (r"P, P_\pi", "transitions under π, S × S: two names for one matrix"),
    (r"P_\mu", "transitions under μ"),
    (r"r, r_\pi, r_\mu", "expected rewards under π (two names) and under μ"),
    (r"d, d_\mu, D", "how often each state is visited, by the behaviour unless said otherwise, and D = diag(d)"),
    (r"\rho(a, s) = \pi(a|s)/\mu(a|s)", "importance ratio, where ρ stands beside a sample; R is the reward"),
    (r"\rho(M)", "spectral radius of a matrix"),
    (r"X = \Phi^{\top} D \Phi", "second moments of the features"),
    (r"Y = \Phi^{\top} D P \Phi", "moments of features and next features under π"),
    (r"A = X - \gamma Y", "key matrix of off-policy TD, which is stable if all its eigenvalues have Re λ > 0"),
    (r"A_\mu = \Phi^{\top} D (I - \gamma P_\mu) \Phi", "the same of the behaviour"),
    (r"b = \Phi^{\top} D r, \; b_\mu = \Phi^{\top} D r_\mu", "right-hand sides"),
    (r"\theta_\pi, \theta_\mu", r"TD’s fixed points: A θ_π = b and A_μ θ_μ = b_μ"),
    (r"B = \gamma X^{-1} Y", "operator of the chain, which is unbiased if ρ(B) is below 1"),
    (r"\Pi = \Phi X^{-1} \Phi^{\top} D", "projection onto the span of Φ; ΠP and B/γ have the same nonzero spectrum"),
    (r"\theta^k_t, \theta^k_*", "head k after t updates, and its fixed point; head 0 is θ⁰, learnt on μ or given"),
    (r"e_k", "error of head k or after k windows, against θ_π"),
    (r"v_\pi, v_\mu, v^k", "values: of π, of μ, and of head k"),
    (r"k, K", "number of a head and of the last head"),
    (r"W_k = \sum_{i<k} B^i", "geometric sum of the chain"),
    (r"M", "joint matrix of all heads (eq-M); in def-richardson and prop-1 any matrix"),
    (r"T", "updates of a head, or with one target network: a window"),
    (r"Q = (I - \alpha X)^{T}", "what T updates leave of a start; in claim-exponential and neumann any Q ≻ 0, in "
     "prop-5 and extra-on-policy the weights of edges"),
    (r"S_T = \alpha \sum_{j<T} (I - \alpha X)^j", "what T updates take from the target"),
    (r"G_T = Q + (I - Q) B", "what a window with hot start does to the error"),
    (r"n, X_n, Y_n, b_n, B_n", "steps of an n-step estimator, and its moments"),
    (r"\lambda, \lambda_{\max}", "an eigenvalue, the largest"),
    (r"M^{\top}, M^{T}", "transpose (in text ᵀ) and T-th power (in text ^T): two different signs"),
    (r"M \succ 0", "symmetric and positive definite"),
    (r"I, \mathbf{1}", "identity, also written 1 where matrices are meant, and the vector of ones"),
)  # fmt: skip
TERMS = (
    "A head starts *hot* from the values of the one before, *cold* anywhere. *Swap* is the P of two states that go to "
    "each other, \\[\\[0, 1\\], \\[1, 0\\]\\]. An *expedition* of m steps follows π for m steps and μ ever after."
)


def letters_table() -> str:
    """Letter and meaning."""
    return table(["letter", "meaning"], [[inline(letter), meaning] for letter, meaning in LETTERS])
