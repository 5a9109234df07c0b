"""The numbers of a problem, in rational arithmetic.

=================  ======================================================================
module             what it answers
=================  ======================================================================
moments            X, Y, A, b, A_μ, b_μ, Π, M, true values
fixed_points       θ_π, θ_μ, LSTD, also where A is singular
chain              θᵏ by three routes, M⁻¹b†, k-step expeditions
affine_powers      θᵏ for large k, with all digits
enclosed_chain     θᵏ for any k, to as many digits as are asked for
richardson         the expected updates iterated exactly, against their predicted error
expected_updates   ETD, GTD2, TDC
thresholds         for which γ TD is stable and the chain unbiased, as algebraic numbers
discount_cover     whole intervals of γ decided by one matrix each, where those are too long
enclosed_spectra   eigenvalues and the largest step size, with certified digits
closed_forms       θ_π(γ), θᵏ(γ), spectra as functions of γ, in SymPy
verdicts           certified answers, with certificates that `recheck` themselves
polynomials        roots counted in half planes and the unit circle
=================  ======================================================================
"""
