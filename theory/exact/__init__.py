"""Rational arithmetic: matrices, polynomials and their roots.

==================  =====================================================================
module              what it answers
==================  =====================================================================
matrices            what FLINT's rational matrices lack; singular systems
polynomials         roots counted in half planes and the unit circle
algebraic           real algebraic numbers; `spectral_radius` the largest modulus as one
==================  =====================================================================
"""
