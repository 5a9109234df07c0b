r"""What methods that look several moves ahead are made of, from the moves of trajectories in their order.

From the i-th move of a trajectory on, with the products W_j = ρ_i ⋯ ρ_{i+j−1},

    n-step     Y_n = mean of W_n φ_i φ_{i+n}ᵀ        b_n = mean of φ_i Σ_{j<n} γʲ W_{j+1} r_{i+j}
    TD(λ)      A(λ) = mean of φ_i (Σ_j (γλ)ʲ W_j (φ_{i+j} − γρφ'_{i+j}))ᵀ, j as long as the episode lasts

over the moves that n − 1 others follow, or an end before, and X over the same moves; a trace needs to see the end of
its episode, so one trajectory that was cut off leaves TD(λ) undecided: what was cut off is not a fair sample.
Rows must be in the order of their moves; where φ' is not the next row's φ they are not.

Products of ratios are rarely large, and where the rare ones were not seen every sample looks sure of the wrong side. So
the trajectories count by their weights w, as (Σw)²/Σw², and E[W_n] = 1 must be near its mean, or nothing is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.data.estimate import Estimate, in_order, summed
from theory.problems.data_table import Table
from theory.problems.errors import InvalidProblem
from theory.problems.numbers import Array, FloatArray

NEAR = 1e-9  # of the largest feature: φ' as recorded is the next row's φ


class Unordered(InvalidProblem):
    """Why several steps cannot be seen in these rows."""


def n_steps(found: Estimate, n: int, gamma: float) -> Estimate:
    """X, Y_n and b_n of each trajectory; `Unordered` where rows do not follow each other."""
    table, order = found.table, in_order(found.table)
    links, done = follows(table, order), table.done[order]
    phi, phi_next = (x[order] @ found.V for x in (table.phi, table.phi_next))
    ratio, reward = table.ratio[order], table.reward[order]
    place, weight, returns = np.arange(len(table)), np.ones(len(table)), np.zeros(len(table))
    goes_on, seen = np.ones(len(table), dtype=bool), np.ones(len(table), dtype=bool)
    product = np.ones(len(table))  # as weight, but an end keeps it: its mean is 1
    for j in range(n):
        product = np.where(goes_on, product * ratio[place], product)
        weight = np.where(goes_on, product, 0.0)
        returns += gamma**j * weight * reward[place]
        if j + 1 == n:
            break
        ended = goes_on & done[place]
        seen &= ~goes_on | ended | links[place]
        goes_on &= links[place]
        place = np.where(goes_on, place + 1, place)
    if not seen.any():
        raise Unordered(f"no move is followed by {n - 1} others in its trajectory")
    ahead = weight[:, None] * phi_next[place]
    return summed(table, found.V, order[seen], phi[seen], ahead[seen], returns[seen], product[seen])


def traces(found: Estimate, lambda_: float, gamma: float) -> Estimate:
    """X, A(λ) in place of Y, and b(λ) of each trajectory."""
    table, order = found.table, in_order(found.table)
    links, done = follows(table, order), table.done[order]
    cut = int((~links & ~done).sum())
    if cut:
        which = f"{cut:,} of {table.n_episodes:,} trajectories are" if table.n_episodes > 1 else "the trajectory is"
        raise Unordered(f"a trace lasts until the end of an episode, and {which} cut off before")
    phi, phi_next = (x[order] @ found.V for x in (table.phi, table.phi_next))
    ratio, reward = table.ratio[order], table.reward[order]
    z, returns, weight = phi - gamma * ratio[:, None] * phi_next, ratio * reward, ratio.copy()
    for i in range(len(table) - 2, -1, -1):
        if links[i]:
            z[i] += gamma * lambda_ * ratio[i] * z[i + 1]
            returns[i] += gamma * lambda_ * ratio[i] * returns[i + 1]
            weight[i] += gamma * lambda_ * ratio[i] * weight[i + 1]
    weight /= weight.mean() or 1.0  # of the whole trace, whose mean is not known
    return summed(table, found.V, order, phi, z, returns, weight)


def follows(table: Table, order: Array) -> Array:
    """(n,), does the next row continue this row's trajectory?"""
    episode, done = table.episode[order], table.done[order]
    links = np.zeros(len(table), dtype=bool)
    links[:-1] = (episode[1:] == episode[:-1]) & ~done[:-1]
    apart = np.zeros(len(table), dtype=bool)
    gap: FloatArray = np.abs(table.phi_next[order][:-1] - table.phi[order][1:]).max(axis=1)
    apart[:-1] = links[:-1] & (gap > NEAR * np.abs(table.phi).max())
    if apart.any():
        i = int(np.argmax(apart))
        raise Unordered(
            f"rows {order[i] + 1} and {order[i + 1] + 1} do not follow each other (next_phi is not phi): "
            "several steps are not seen in single moves"
        )
    return links


def moments_of(method: Any, found: Estimate, gamma: float) -> tuple[Estimate, tuple[Any, ...], float] | None:
    """For a method of several steps: its sums, the key of what they stand for, and their factor; None for others."""
    if "n" in method.settings:
        n = int(method.settings["n"])
        return n_steps(found, n, gamma), ("n-step", method.n), gamma**n
    if method.name == "td-lambda" and method.lambda_ != 0:
        return traces(found, float(method.lambda_), gamma), ("traced", method.lambda_), 1.0
    return None
