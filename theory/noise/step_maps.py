r"""A learner's maps at all step sizes: y ← (C_m + αA_m + βB_m)y, in the coordinates of `theory.noise.errors`.

Three matrices a move hold every setting of a grid, with the constant last: with x = Tz − c and a rule's own parts
z ← (C + αA + βB)z + (c₀ + αc₁ + βc₂),

    C_m: [TCT⁺, TCT⁺c + Tc₀ − c; 0, 1],      A_m: [TAT⁺, TAT⁺c + Tc₁; 0, 0],      B_m likewise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from theory.learners.affine import Affine, StepSizeParts, node_key, step_size_parts
from theory.learners.rule import Rule
from theory.noise.errors import ErrorChain, Frame, chain_of
from theory.problems import Problem
from theory.problems.numbers import Array, FloatArray


@dataclass(frozen=True, eq=False)
class StepMaps:
    """Moves, laws and readings are the chain's, whose own maps are at α = β = 1."""

    chain: ErrorChain
    parts: Array  # (3, m, D + 1, D + 1): C, A and B of each move
    block: int  # coordinates of one parameter vector
    states: tuple[int, ...]  # (block,): the state whose value each coordinate of a vector is; empty for action values
    nodes: tuple[tuple[Any, Any], ...]  # (N,): place and memory

    def at(self, alpha: FloatArray, beta: FloatArray | None = None) -> FloatArray:
        """(settings, m, D + 1, D + 1): the maps at several step sizes, in floats."""
        a = np.asarray(alpha, dtype=np.float64)[:, None, None, None]
        b = a if beta is None else np.asarray(beta, dtype=np.float64)[:, None, None, None]
        C, A, B = (part.astype(np.float64) for part in self.parts)
        return np.asarray(C + a * A + b * B)

    @property
    def is_driven(self) -> bool:
        """Does an error of 0 move, or read as another? In fractions this is exact."""
        constant = (self.parts[:, :, :-1, -1] != 0).any() or (self.chain.read[:, :, -1] != 0).any()
        return bool(constant)

    def vector(self, which: int) -> StepMaps:
        """One parameter vector's own maps, as if the vectors that drive it stood still at the true values."""
        own = np.append(np.arange(which * self.block, (which + 1) * self.block), self.chain.size)
        x = own[:-1]
        chain = replace(
            self.chain,
            maps=self.chain.maps[:, own][:, :, own],
            spread=self.chain.spread[x],
            centre=self.chain.centre[x],
            read=self.chain.read[:, :, own],
        )
        return replace(self, chain=chain, parts=self.parts[:, :, own][:, :, :, own])


@lru_cache(maxsize=2)
def size_parts(rule: Rule, problem: Problem, exact: bool) -> tuple[Affine, list[StepSizeParts]]:
    """The moves of a rule and their parts in α and β; kept while the same rule is asked about again."""
    return step_size_parts(rule, problem, exact=exact)


@lru_cache(maxsize=2)
def step_maps(rule: Rule, problem: Problem, *, exact: bool | None = None) -> StepMaps:
    """Of a rule that closes; exact where the problem is, unless told otherwise. Its own step sizes do not matter."""
    found, own_parts = size_parts(rule, problem, problem.is_exact if exact is None else exact)
    frame = Frame(found)
    chain = chain_of(found, frame)
    D, kind = found.size, chain.maps.dtype
    parts = np.full((3, *chain.maps.shape), 0 * chain.maps.flat[0], dtype=kind)
    for m, part in enumerate(own_parts):
        for kept, own in zip(parts[:, m], (part.constant, part.alpha, part.beta), strict=True):
            if own is not None:
                kept[:-1, :-1] = frame.inside(own[:, :D])
                kept[:-1, -1] = kept[:-1, :-1] @ frame.centre + frame.to @ own[:, D]
        parts[0, m, :-1, -1] = parts[0, m, :-1, -1] - frame.centre
        parts[0, m, -1, -1] = chain.maps[m, -1, -1]
    states = () if found.view.action_values else tuple(frame.chosen)
    memory = tuple((node.place, node_key(node.memory)) for node in found.nodes)
    return StepMaps(chain, parts, frame.block, states, memory)
