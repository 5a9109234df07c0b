"""What floats say of a problem, beside what is proved.

================  =====================================================================
module            what it answers
================  =====================================================================
spectra           eigenvalues of A and B, how far to trust them, paths in γ
step_sizes        which α converge, which converges fastest
target_networks   ρ(G_T) for every T between TD and the chain
transients        peaks of the joint iteration, R = max ρ(H)
safety            safe for all features at once, and the worst feature
================  =====================================================================
"""
