"""Closed forms of one problem with γ and k kept as letters, checked against Richardson iteration.

=============  ======================================================================
module         what it answers
=============  ======================================================================
forms          X, Y, A(γ), θ_π(γ), θ_μ(γ), θᵏ(γ, k), bias, values, M, M⁻¹, det(λ − M), G_T, in SymPy
drift          the chain at a γ where A(γ) is singular, as a form in k
iteration      each closed form beside the expected updates that should arrive there
notation       expressions as one line of Unicode
conditions     of a family with letters: the polynomials whose signs decide; `cells` cuts one or two letters by them
derive         all of it together: `derive(problem)`, as data, text and LaTeX
=============  ======================================================================
"""
