r"""eq-M: the concurrent update of all heads is Richardson iteration with one block matrix M; its spectrum.

Stacked, θ_{t+1} = θ_t + α(b† − Mθ_t), where head 0's row of M is A_μ and every later row is −γY, X. Reading the rows
shows that this is the simultaneous update of eq-chain, and nothing else: an in-place sweep is another iteration
(alg-1). If Mv = λv then A_μv₀ = λv₀ and Xv_{k+1} − γYv_k = λv_{k+1}, so the first head of v that is not zero is an
eigenvector of A_μ or of X: M has no other eigenvalues, for any K. The paper calls them positive; they may be complex
(prop-5).

What is proved of λ and v holds for complex ones too: certificates are identities over every field that contains ℚ.

prop-6: the concurrent update has the fixed point of the sequential one, and no other.

M = 𝓑(1 − Sh·B) with the block shift Sh, which is nilpotent, and 𝓑 = diag(A_μ, X, …, X); so M⁻¹ = Σ_{k≤K} (Sh·B)ᵏ𝓑⁻¹
for every K. Row by row Mθ = b† says A_μθ⁰ = b_μ and θᵏ⁺¹ = X⁻¹(γYθᵏ + b): the sequential recursion from θ_μ. It takes
X and A_μ to be invertible, which needs prop-5's assumptions but not the sign of any eigenvalue.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from flint import fmpq, fmpq_mat

from theory.exact.matrices import geometric_sum, identity, is_zero
from theory.model.iteration import concurrent_iterates, richardson
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import chain_heads, joint_solution
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import TO_SECOND, cases
from theory.propositions.matrices import Matrices, diagonal, existing, matrices, stacked
from theory.propositions.registry import claimed
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Gaps, Statement, on_each
from theory.propositions.theories.heads import block_theory, heads_theory, joint_theory
from theory.propositions.theories.namespace import kronecker

ALPHA, K = Fraction(1, 8), 2


def eq_m_claims() -> Claims:
    """The update row by row, where eigenvectors come from, and M = 𝓑(1 − Sh·B) for every K."""
    n = heads_theory()
    T = n.T
    update = n.theta + T.alpha * (n.b_joint - n.M * n.theta)
    head_0, head_k, head_k1 = n.first * n.theta, n.pick * n.theta, n.after * n.theta
    return [
        T.claim("head 0 does TD of the behaviour", n.first * update, head_0 + T.alpha * (n.b_mu - n.A_mu * head_0)),
        T.claim(
            "head k+1 does chained TD",
            n.after * update,
            head_k1 + T.alpha * (n.b + T.gamma * n.Y * head_k - n.X * head_k1),
        ),
        T.claim("eigenvector, head 0", n.A_mu * (n.first * n.v), T.lam * (n.first * n.v)),
        T.claim(
            "eigenvector, head k+1",
            n.X * (n.after * n.v) - T.gamma * n.Y * (n.pick * n.v),
            T.lam * (n.after * n.v),
        ),
        *claimed("prop-6", "joint-factor"),
    ]


def eq_m_check() -> Checks:
    """Joint Richardson iteration against the heads' updates, t = 0..4; det(λ − M) = det(λ − A_μ) det(λ − X)ᴷ."""
    return on_each(cases("behaviour"), _eq_m_difference, f"K = {K}: t = 0..4, and the characteristic polynomial")


def _eq_m_difference(m: Matrices) -> Gaps:
    M, b = exact_moments(m.problem).joint(K)
    yield list((M.charpoly() - m.A_mu.charpoly() * m.X.charpoly() ** K).coeffs())
    heads = map(stacked, concurrent_iterates(exact_moments(m.problem), ALPHA, K, m.start))
    joint = richardson(M, b, ALPHA, stacked([m.start] * (K + 1)))
    yield from islice((x - y for x, y in zip(joint, heads, strict=False)), 5)


def eq_m_counterexamples() -> Counterexamples:
    """Complex eigenvalues, and a sweep in place."""
    cycle = catalogue_problem("complex-cycle")
    M, _ = exact_moments(cycle).joint(1)
    quadratic = next(f for f, _ in M.charpoly().numer().factor()[1] if f.degree() == 2 and f[1] ** 2 < 4 * f[0] * f[2])
    c, b, a = (int(quadratic[i]) for i in range(3))
    text = f"3-cycle, K = 1: det(λ − M) has the factor {a}λ² − {-b}λ + {c}, without real roots: λ = 11/30 ± i√2/15"
    expected = (
        quadratic[1] * 30 == -22 * quadratic[2] and quadratic[0] * 900 == 129 * quadratic[2]
    )  # λ² − 2pλ + p² + q²
    yield Counterexample("as stated", text, expected, cycle)
    twostate = catalogue_problem("twostate")
    start = fmpq_mat([[1]])
    jacobi, sweep = (
        list(islice(concurrent_iterates(exact_moments(twostate), ALPHA, 1, start, in_place=now), 2))[1][1][0, 0]
        for now in (False, True)
    )
    text = (
        f"Twostate, α = 1/8, all heads at 1: after one update head 1 is {jacobi}, but {sweep} where it sees"
        " the new head 0"
    )
    yield Counterexample("all heads updated simultaneously", text, jacobi != sweep, twostate)


EQ_M = Statement(
    id="eq-M",
    place=130,
    title="The joint update of all heads",
    paper="the concurrent update is θ + α(b† − Mθ), M block-bidiagonal with A_μ, X and −γY; M has only positive"
    " eigenvalues",
    verdict="imprecise",
    precise="the update is right, for simultaneous updates; for every K det(λ − M) = det(λ − A_μ) det(λ − X)ᴷ, whose"
    " roots have positive real part and may be complex",
    assumptions=("all heads updated simultaneously",),
    scope="all dimensions, all K",
    cites=("a block-triangular determinant is the product of its blocks'",),
    where="θ = [θ⁰, …, θᴷ] and b† = [b_μ, b, …, b] stack the heads; b_μ is the b of the behaviour",
    latex=r"M = \begin{bmatrix} A_\mu \\ -\gamma Y & X \\ & \ddots & \ddots \\ & & -\gamma Y & X \end{bmatrix},"
    r" \quad \det(\lambda - M) = \det(\lambda - A_\mu)\det(\lambda - X)^K",
    claims=eq_m_claims,
    check=eq_m_check,
    counterexamples=eq_m_counterexamples,
)


LAST = 3


def prop_6_claims() -> Claims:
    """M⁻¹ on both sides, the fixed point, and its heads one by one."""
    n, row = joint_theory(), block_theory()
    T, one = n.T, n.T.one("H")
    geometric = ("M = Bd (1 - Sh B)", "Bdi Bd = 1", "Bd Bdi = 1", "V_k telescopes", "V_k commutes")
    vanish = (*geometric, "N_k = Sh_k B_k", "Sh^(K+1) = 0")
    rows = ("M theta = b", "definition of M", "definition of Bd", "E E = E", "E Sh = 0")
    first = (*rows, "E A_mu_i = A_mu_i E", "A_mu_i A_mu = 1")
    later = (*rows, "definition of B", "Xi X = 1", "E Xi = Xi E", "Sh Xi = Xi Sh")
    recursion = n.Sh * n.G * n.theta + n.Xi * n.b
    return [
        T.claim("joint-factor", n.M, n.B * (1 - n.Sh * n.G)),
        T.claim("joint-diagonal-inverse", n.Bi * n.B, one),
        T.claim("joint-power", n.N_k, n.Sh_k * n.G_k),
        T.claim("joint-telescopes", n.V_k * n.Bi * n.M, 1 - n.N_k, using=geometric),
        T.claim("joint-telescopes-right", n.M * n.V_k * n.Bi, 1 - n.B * n.N_k * n.Bi, using=geometric),
        T.claim("joint-nilpotent", n.N_last),
        T.claim("joint-inverse-left", n.V_last * n.Bi * n.M, one, using=vanish),
        T.claim("joint-inverse-right", n.M * n.V_last * n.Bi, one, using=vanish),
        T.claim("joint-fixed-point", n.theta, n.V_last * n.Bi * n.b_joint, using=(*vanish, "M theta = b")),
        T.claim("joint-first-head", n.E * n.theta, n.E * n.A_mu_i * n.b_mu, using=first),
        T.claim("joint-later-heads", (1 - n.E) * n.theta, (1 - n.E) * recursion, using=later),
        row.T.claim(
            "block-recursion",
            row.after * row.theta,
            row.Xi * (row.T.gamma * row.Y * row.pick * row.theta + row.b),
        ),
    ]


def prop_6_check() -> Checks:
    """M⁻¹b† of the heads 0..3 solved at once against one after the other, and the sum that inverts M."""
    yield from on_each(cases("full-rank", "behaviour"), _prop_6_difference, "heads 0..3, and M⁻¹ by its sum")
    dependent = (p for p in cases("behaviour") if matrices(p).X.det() == 0)
    yield from on_each(dependent, _values, "dependent features: the values of heads 0..3")


def _prop_6_difference(m: Matrices) -> Gaps:
    product = exact_moments(m.problem).joint(LAST)[0] * inverse(m.problem)
    yield existing(joint_solution(m.problem, LAST)) - stacked(chain_heads(exact_model(m.problem), LAST, "behaviour"))
    yield product - identity(product.nrows())


def _values(m: Matrices) -> Gaps:
    heads = [m.Phi * theta for theta in chain_heads(exact_model(m.problem), LAST, "behaviour")]
    solved = existing(joint_solution(m.problem, LAST)).entries()
    parts = (fmpq_mat(m.F, 1, solved[k * m.F : (k + 1) * m.F]) for k in range(LAST + 1))
    yield stacked([m.Phi * theta for theta in parts]) - stacked(heads)


def inverse(problem: Problem) -> fmpq_mat:
    """M⁻¹ = Σ_{k≤K} (Sh·B)ᵏ 𝓑⁻¹."""
    m, heads = matrices(problem), LAST + 1
    shift = fmpq_mat(heads, heads, [int(i == j + 1) for i in range(heads) for j in range(heads)])
    zeroth = diagonal([fmpq(int(k == 0)) for k in range(heads)])
    blocks = kronecker(zeroth, m.A_mu.inv()) + kronecker(identity(heads) - zeroth, m.X.inv())
    return geometric_sum(kronecker(shift, m.B), heads)[1] * blocks


def prop_6_counterexamples() -> Counterexamples:
    """X singular: not unique. A_μ singular: no fixed point."""
    P = TO_SECOND
    every = [["1/2", "1/2"]] * 2
    twins = Problem.from_matrices(
        "1/2",
        Phi=[[1, 1], [2, 2]],
        P_pi=P,
        P_mu=every,
        d_mu=["1/2"] * 2,
        r_pi=[1, 1],
        r_mu=[0, 1],
        name="twin features",
    )
    M, b = exact_moments(twins).joint(1)
    found, kernel = joint_solution(twins, 1), fmpq_mat(4, 1, [1, -1, 0, 0])
    another = found is not None and is_zero(M * (found + kernel) - b)
    text = (
        f"Φ = [[1, 1], [2, 2]]: rank M = {M.rank()} of 4, and θ + (1, −1, 0, 0) solves Mθ = b† with every θ that does"
    )
    yield Counterexample("X invertible", text, another, twins)
    off = Problem.from_matrices(
        "5/6", Phi=[[1], [2]], P_pi=P, P_mu=P, d_mu=["1/2"] * 2, r_pi=[1, 1], r_mu=[1, 1], name="not stationary"
    )
    A_mu = matrices(off).A_mu
    gone = joint_solution(off, 1) is None
    text = f"D = I/2 is not stationary for P_μ = [[0, 1], [0, 1]]; γ = 5/6: A_μ = {A_mu}, b_μ = 3/2: no fixed point"
    confirmed = gone and off.is_stationary is False and is_zero(A_mu)
    yield Counterexample("A_μ invertible (d_μ stationary for P_μ)", text, confirmed, off)


PROP_6 = Statement(
    id="prop-6",
    place=150,
    title="Concurrent and sequential fixed points agree",
    paper="the expected concurrent update has the same unique fixed point [θ_μ, θ¹*, …, θᴷ*] as the sequential update",
    verdict="holds",
    precise="for every K: M⁻¹ is the sum of (Sh·B)ᵏ𝓑⁻¹ over k ≤ K; X and A_μ must be invertible",
    assumptions=("X invertible", "A_μ invertible"),
    scope="all dimensions, all K",
    where="Sh shifts by one head, (Sh θ)ᵏ = θᵏ⁻¹, and 𝓑 is block diagonal; Sh·B stands for Kronecker's Sh ⊗ B",
    latex=r"M^{-1} = \sum_{k \le K} (\mathrm{Sh}\,B)^k\, \mathcal{B}^{-1},"
    r" \quad \mathcal{B} = \operatorname{diag}(A_\mu, X, \dots, X)",
    claims=prop_6_claims,
    check=prop_6_check,
    counterexamples=prop_6_counterexamples,
)
