r"""TD stable? Chain unbiased? For a batch of problems: cheap proofs first, each on what is still open.

======  ===========  ==========================================================================  ==============
asks    test         because                                                                     proves
======  ===========  ==========================================================================  ==============
chain   rank         F = S and Φ regular: Π = I, so ρ(γΠP) = γ                                   yes
both    norm         ‖W‖_F < 1: the chain contracts, and A + Aᵀ ≻ 0 by congruence (extra-basis)  yes
TD      symmetric    ‖sym(W)²‖_F < 1, so A + Aᵀ ≻ 0                                              yes
chain   series       W is of rank one, but for a little: zeros of a power series in the disc     either
chain   squaring     powers of W                                                                 either
TD      squaring     powers of the Cayley transform of A                                         either
chain   refined      rank and squaring again with W from orthonormal features                    either
both    eigenvalues  with error discs clear of the boundary (not with `certify`)                 either
both    exact        ball arithmetic and exact root counts, one problem at a time                either
======  ===========  ==========================================================================  ==============

All matrices are F×F. Down to squaring it is one compiled kernel; where powers lose their digits, it splits off the few
eigenvalues that decay slowly (`theory.montecarlo.deflation`). Every bound includes the rounding errors of the
moments: up to the eigenvalues a verdict is a proof about the exact problem that the doubles denote, and the counts do
not depend on the processor's arithmetic. det A < 0 (extra-determinant) is not asked: to know its sign for certain needs
an inverse, and squaring decides the same problems for that price.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theory.montecarlo.dense import OPEN, YES, Verdicts
from theory.montecarlo.disc import inside_disc
from theory.montecarlo.draws import select
from theory.montecarlo.kernel import TESTS, quick_verdicts
from theory.montecarlo.moments import batch_moments
from theory.montecarlo.one_by_one import decide_open, eigenvalue_verdicts, exact_chain, exact_td
from theory.montecarlo.orthonormal import orthonormalised
from theory.problems.ensembles import Batch


@dataclass(frozen=True, eq=False)
class BatchVerdicts:
    """YES, NO or OPEN for each problem, which were near the boundary, and how many each test decided."""

    td: Verdicts  # (n,)
    chain: Verdicts  # (n,)
    near: np.ndarray  # (n,) bool: floats could not tell
    td_by: dict[str, int]
    chain_by: dict[str, int]


def batch_verdicts(batch: Batch, gamma: Fraction, n_steps: int = 1, *, certify: bool = False) -> BatchVerdicts:
    """Both verdicts on every problem of the batch."""
    n = len(batch)
    td, td_test, chain, chain_test = (np.empty(n, dtype=np.int8) for _ in range(4))
    regular = np.empty(n, dtype=np.bool_)
    Phi, P, d = (np.ascontiguousarray(x) for x in (batch.Phi, batch.P_pi, batch.d_mu))
    quick_verdicts(Phi, P, d, float(gamma) ** n_steps, n_steps, td, td_test, chain, chain_test, regular)
    td_by, chain_by = _tally(td_test), _tally(chain_test)
    left = np.flatnonzero((td == OPEN) | (chain == OPEN))
    if len(left):
        td[left], chain[left] = _sharper(
            select(batch, left), gamma, n_steps, td[left], chain[left], regular[left], certify, td_by, chain_by
        )
    near = (td == OPEN) | (chain == OPEN)
    chain_by["exact"] = decide_open(chain, lambda i: exact_chain(batch, i, gamma, n_steps))
    td_by["exact"] = decide_open(td, lambda i: exact_td(batch, i, gamma, n_steps))
    return BatchVerdicts(td, chain, near, td_by, chain_by)


def _sharper(
    batch: Batch,
    gamma: Fraction,
    n_steps: int,
    td: Verdicts,
    chain: Verdicts,
    regular: np.ndarray,
    certify: bool,
    td_by: dict[str, int],
    chain_by: dict[str, int],
) -> tuple[Verdicts, Verdicts]:
    """What the kernel left open: orthonormal features for the chain, eigenvalues for both."""
    m = batch_moments(batch, float(gamma), n_steps)
    steps = orthonormalised(batch, m, float(gamma), n_steps)
    left = np.flatnonzero(chain == OPEN)
    if batch.Phi.shape[1] == batch.Phi.shape[2]:
        chain[left[steps.regular[left]]] = YES
    else:
        chain[left] = inside_disc(steps.W[left], steps.error[left])
    chain_by["refined"] = len(left) - int((chain == OPEN).sum())
    if not certify:
        left = np.flatnonzero(chain == OPEN)
        chain[left] = eigenvalue_verdicts(steps.W[left], steps.error[left], disc=True)
        chain_by["eigenvalues"] = len(left) - int((chain == OPEN).sum())
        # Where Φ is singular to rounding, zeros of A may be structural: floats cannot tell.
        left = np.flatnonzero((td == OPEN) & (regular | steps.regular))
        td[left] = eigenvalue_verdicts(m.A[left], m.error_A[left], disc=False)
        td_by["eigenvalues"] = int((td[left] != OPEN).sum())
    return td, chain


def _tally(tests: np.ndarray) -> dict[str, int]:
    counts = np.bincount(tests, minlength=len(TESTS))
    return {name: int(counts[i]) for i, name in enumerate(TESTS) if i > 0}
