"""A workbench for the theory of off-policy value prediction.

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

__version__ = "0.1.0.dev0"
