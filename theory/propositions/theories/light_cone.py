"""The light cone of the concurrent chain, for all heads and all times at once (extra-light-cone)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.joint import kronecker
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.theory import Theory

HEADS = ({"H": 6}, {"H": 9}, {"H": 8})


@cache
def light_cone_theory() -> Chapter:
    """Heads k ≥ t equal off-policy TD at time t, for all t (extra-light-cone).

    H is the space of all heads together, counted from the edge of the cone: entry j of θ_t is head t+j at time t. Its
    update needs itself and its neighbour, θ_{t+1} = Up θ_t + α(b + γYθ_t − X Up θ_t) with (Up θ)_j = θ_{j+1}, and
    never head 0. X and Y act on each head alike, so Up commutes with them; Up b = b says that all heads have one b,
    Up start = start that they start equal. TD in every entry stays equal over the entries, and θ_t equals it.

    A chain of K+1 heads is the beginning of an endless one, since a head needs only lower ones. Nothing asks H to be
    of finite dimension; the exact models have finitely many heads, the last of which follows itself, or mix heads.
    """
    T = Theory("gamma alpha")
    up, X, Y = T.op("Up", "H -> H", latex=r"\uparrow"), T.op("X", "H -> H"), T.op("Y", "H -> H")
    b, start = T.op("b", "1 -> H"), T.op("start", "1 -> H", latex=r"\theta_0")
    for name, letter in {"X": X, "Y": Y}.items():
        T.assume(f"Up {name} = {name} Up", up * letter, letter * up)
    T.assume("Up b = b", up * b, b)
    T.assume("equal starts", up * start, start)
    T.model(lambda draw: _cone(draw, _next_head), *HEADS)
    T.model(lambda draw: _cone(draw, draw.stochastic), *HEADS)

    def update(own: Any, lower: Any) -> Any:
        return own + T.alpha * (b + T.gamma * Y * lower - X * own)

    td = T.sequence("td", start, lambda x: update(x, x), index="t", latex=r"\theta^{\mathrm{TD}}_t")
    theta = T.sequence("theta", start, lambda x: update(up * x, x), index="t", latex=r"\theta_t")
    n = Chapter(T, up=up, X=X, Y=Y, b=b, start=start, td=td, theta=theta)
    T.lemma("Up td_t = td_t", up * td, td)
    return n


def _next_head(heads: int) -> fmpq_mat:
    """Row j picks head j+1; the last head, which has none after it, picks itself."""
    return fmpq_mat(heads, heads, [int(j == min(i + 1, heads - 1)) for i in range(heads) for j in range(heads)])


def _cone(draw: Draw, up: Callable[[int], fmpq_mat]) -> dict[str, Any]:
    """Three or four heads, of two features each or three, that share X, Y, b and the start."""
    features = 2 if draw.dims["H"] % 2 == 0 else 3
    heads = draw.dims["H"] // features
    alike = {name: kronecker(identity_matrix(heads), draw.matrix(features, features)) for name in ("X", "Y")}
    ones = fmpq_mat(heads, 1, [1] * heads)
    equal = {name: kronecker(ones, draw.matrix(features, 1)) for name in ("b", "start")}
    return {"Up": kronecker(up(heads), identity_matrix(features)), **alike, **equal}
