"""The numbers of a problem, in floats.

================  =====================================================================
module            what it answers
================  =====================================================================
moments           X, Y, A, b, A_μ, b_μ (and the sign convention)
basis             Π, and an orthonormal basis of span Φ: everything below works where X is singular
values            true values, expeditions, bias, RMSE
fixed_points      θ_π, θ_μ
n_step, chain     one link of a chain of n-step estimators; θᵏ for all k
spectra           eigenvalues of A and B, how far to trust them, paths in γ
step_sizes        which α converge, which converges fastest
richardson        expected updates iterated: TD, chains, target networks, normalised
target_networks   ρ(G_T) for every T between TD and the chain
transients        peaks of the joint iteration, R = max ρ(H)
safety            safe for all features at once, and the worst feature
================  =====================================================================
"""
