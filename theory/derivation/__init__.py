"""Closed forms of one problem with γ and k kept as letters, checked against Richardson iteration.

=============  ======================================================================
module         what it answers
=============  ======================================================================
forms          X, Y, A(γ), θ_π(γ), θ_μ(γ), θᵏ(γ, k), bias, values, M, M⁻¹, G_T, in SymPy; `in_gamma` spectra
iteration      each closed form beside the expected updates that should arrive there
derive         all of it together: `derive(problem)`, as data, LaTeX and a page
letters        the same forms of a family, over ℚ(letters, γ)
conditions     the polynomials in the letters whose signs decide; `points` checks them against certified verdicts
cells          one or two letters cut by them, a certified verdict in each; `families` all of a family together
fractions      rational functions as one would write them; `notation` expressions as Unicode
=============  ======================================================================
"""
