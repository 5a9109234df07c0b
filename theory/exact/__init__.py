"""The numbers of a problem, in rational arithmetic.

==================  =====================================================================
module              what it answers
==================  =====================================================================
moments             X, Y, A, b, A_μ, b_μ, Π, M, true values
fixed_points        θ_π, θ_μ, LSTD, also where A is singular
chain, n_step       θᵏ by three routes, M⁻¹b†, k-step expeditions; the same of n-step estimators
affine_powers       θᵏ for large k, with all digits
richardson          the expected updates iterated exactly, against their predicted error
rational_functions  θ_π(γ), θ_μ(γ) and characteristic polynomials as functions of γ
powers, spectra     Rᵏ for symbolic k without a root; eigenvalues as functions of γ, in SymPy
polynomials         roots counted in half planes and the unit circle
algebraic           real algebraic numbers; `spectral_radius` the largest modulus as one
==================  =====================================================================
"""
