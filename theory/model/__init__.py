"""The linear model of a problem, X, Y, A and b in independent features: in floats, exactly, or within bounds.

`linear_model`   the letters and what is made of them, in floats and in rationals
`enclosed`       the same of large sparse problems, each number between bounds
"""
