"""The linear model of a problem, X, Y, A and b in independent features, and what is made of it, in floats or exactly.

`linear_model`   the letters
`points`         fixed points, values, the chain's heads
`heads`          one head far along the chain, with all digits or the first of them
`iteration`      expected updates, iterated
"""
