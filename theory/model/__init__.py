"""The linear model of a problem, X, Y, A and b in independent features: in floats, exactly or within bounds.

`linear_model`   the letters
`balls`          doubles with a bound on every entry, and intervals of any precision
`over_states`    arrays over the states of a large problem, with a bound on every column
`enclosed`       the letters of a large problem, within bounds
`points`         fixed points, values, the chain's heads
`heads`          one head far along the chain, with all digits or the first of them
`iteration`      expected updates, iterated
"""
