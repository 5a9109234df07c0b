"""A workbench for the theory of off-policy value prediction.

>>> import theory
>>> print(theory.chain_unbiased("baird"))
the chain is unbiased: Φ has full row rank, so ΠP = P and ρ(γΠP) = γρ(P) < 1

The public names are `theory.__all__`, explained in docs/python_api.md; each is imported when it is first used. None of
them is the name of a package: ``theory.thresholds`` and ``theory.learners`` are packages, the functions are called
`gamma_thresholds` and `learner_names`.

Letters, as in *Chaining Value Functions for Off-Policy Learning* (S states, F features):

==========  ======  ================================================================
letter      shape   meaning
==========  ======  ================================================================
gamma       ()      discount γ in [0, 1)
Phi         (S, F)  features; row s is φ(s)ᵀ
P_pi, r_pi  (S, S)  transitions and expected rewards (S,) of the target policy π
P_mu, r_mu  (S, S)  the same of the behaviour policy μ
d_mu, D     (S,)    how often μ visits each state; D = diag(d_mu)
X           (F, F)  ΦᵀDΦ
Y           (F, F)  ΦᵀDP_πΦ
A, b        (F, F)  key matrix X − γY and vector ΦᵀDr_π (F,) of off-policy TD
A_mu, b_mu  (F, F)  ΦᵀD(I − γP_μ)Φ and ΦᵀDr_μ (F,): on-policy TD of the behaviour
B           (F, F)  γX⁻¹Y, one step of the chain
Pi          (S, S)  projection ΦX⁻¹ΦᵀD onto the features
theta_pi    (F,)    A⁻¹b, where off-policy TD would like to go
theta_mu    (F,)    A_μ⁻¹b_μ, where the chain starts
theta_k     (F,)    fixed point of the chain's k-th value function
M, b_joint          joint matrix and vector of the heads 0..K
rho                 importance ratio π(a|s)/μ(a|s) of a transition, or a spectral radius
alpha               step size
==========  ======  ================================================================
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theory.front import (
        catalogue,
        chain_head,
        chain_unbiased,
        check_update,
        compare,
        derive,
        figure,
        gamma_thresholds,
        inspect,
        learn,
        learner_names,
        letters,
        nearest_flips,
        png,
        prove,
        search,
        statements,
        success_rate,
        td_stable,
        verify,
        window_stable,
    )
    from theory.problems import MDP, InvalidProblem, Problem, open_problem
    from theory.symbolic import Theory

__version__ = "0.1.0.dev0"
__all__ = [
    "MDP",
    "InvalidProblem",
    "Problem",
    "Theory",
    "catalogue",
    "chain_head",
    "chain_unbiased",
    "check_update",
    "compare",
    "derive",
    "figure",
    "gamma_thresholds",
    "inspect",
    "learn",
    "learner_names",
    "letters",
    "nearest_flips",
    "open_problem",
    "png",
    "prove",
    "search",
    "statements",
    "success_rate",
    "td_stable",
    "verify",
    "window_stable",
]
# Where a name lives that is not one of `theory.front`.
_ELSEWHERE = {
    **dict.fromkeys(("MDP", "InvalidProblem", "Problem", "open_problem"), "theory.problems"),
    "Theory": "theory.symbolic",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'theory' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(_ELSEWHERE.get(name, "theory.front")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
