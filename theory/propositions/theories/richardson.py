"""Richardson iteration with a solution: x_{t+1} = x_t + α(c − Mx_t), Mx* = c."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.chapter import Chapter
from theory.symbolic.theory import Theory


@cache
def richardson_theory() -> Chapter:
    """x_{t+1} = x_t + α(c − Mx_t) with Mx* = c."""
    T = Theory("alpha")
    M, x0, x_star = T.op("M", "N -> N"), T.op("x0", "1 -> N"), T.op("x_star", "1 -> N", latex="x^*")
    c = T.op("c", "1 -> N")
    T.assume("M x_star = c", M * x_star, c)
    x = T.sequence("x", x0, lambda x: x + T.alpha * (c - M * x), index="t")
    power = T.power(1 - T.alpha * M, "E", index="t", latex=r"(1-\alpha M)^t")
    return Chapter(T, M=M, x0=x0, x_star=x_star, c=c, x=x, E_t=power)
