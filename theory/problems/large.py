r"""Problems of so many states that P is kept sparse, and nothing of size S×S is ever formed.

`LargeProblem` is a `Problem` in doubles whose P_π (and P_μ) are SciPy's CSR matrices, under the names `successors` and
`behaviour_successors`. What it is asked for works through products PV and through the F×F moments: verdicts, fixed
points, values, the comparison of methods. Whatever asks for `P_pi` as a dense matrix is refused in one line that says
how large that would be.

`Problem.from_matrices` makes one of a sparse P with more than `DENSE` states; up to there P is written out, and nothing
is out of reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from theory.budgets import STATIONARY_FACTORED, STATIONARY_STEPS
from theory.problems.graph import labelled_classes
from theory.problems.numbers import Array, FloatArray, InvalidProblem, as_array, as_floats, freeze
from theory.problems.problem import Problem, Quantities
from theory.problems.validate import check_visited

DENSE = 2000  # states up to which a sparse P is written out
SETTLED = 1e-13  # change in a step of the power iteration for d_μ
Sparse = Any  # a SciPy CSR matrix of doubles


@dataclass(frozen=True, eq=False)
class SparseQuantities:
    """The letters of a large problem, in doubles; P_π and P_μ as dense matrices are refused."""

    gamma: Any
    Phi: FloatArray  # (S, F)
    successors: Sparse  # (S, S), P_π
    r_pi: FloatArray  # (S,)
    d_mu: FloatArray  # (S,)
    behaviour_successors: Sparse | None = None  # (S, S), P_μ
    r_mu: FloatArray | None = None  # (S,)

    map = Quantities.map

    def __post_init__(self) -> None:
        for letter, axes in {"Phi": 2, "r_pi": 1, "d_mu": 1, "r_mu": 1}.items():
            value = getattr(self, letter)
            if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
                value = value.astype(np.float64)  # without fractions on the way
            if value is not None:
                object.__setattr__(self, letter, as_floats(as_array(value, axes, letter), letter))

    @property
    def P_pi(self) -> Array:
        raise _too_large(self, "P_pi")

    @property
    def P_mu(self) -> Array | None:
        if self.behaviour_successors is None:
            return None
        raise _too_large(self, "P_mu")


def _too_large(given: SparseQuantities, letter: str) -> InvalidProblem:
    S = len(given.d_mu)
    size = f"{8 * S * S / 1e9:,.1f} GB for {S:,} states"
    return InvalidProblem(f"this needs the transitions as a dense matrix, {size}; inspect and compare do not", letter)


class LargeProblem(Problem):
    """A problem in doubles whose transitions are sparse; `from_matrices` keeps them so whatever their number.

    >>> line = sparse.csr_array(([0.5, 0.5, 1.0], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    >>> LargeProblem.from_matrices("9/10", Phi=[[1], [2]], P_pi=line, d_mu=[0.5, 0.5])
    Problem('problem': 2 states, 1 feature, γ=9/10, floats, sparse P with 3 entries)
    """

    given: Any
    is_large = True
    _letters = SparseQuantities

    @staticmethod
    def _moves(P: Any, field: str) -> Sparse:
        return as_sparse(P, field)

    @staticmethod
    def _covered(Phi: FloatArray, d_mu: FloatArray) -> None:
        check_visited(d_mu, "d_mu")  # the rank of visited states alone is not proved of many states

    @staticmethod
    def _stationary(P: Sparse, field: str) -> FloatArray:
        return sparse_stationary(P, field)

    @property
    def exact(self) -> Any:
        """Of the discount alone: S rows of fractions are too many."""
        raise InvalidProblem(f"exact numbers of {self.n_states:,} states are too many", self.name)

    @property
    def discount(self) -> Fraction:
        """γ exactly."""
        return Fraction(self.given.gamma)

    @property
    def successors(self) -> Sparse:
        return self.given.successors

    @property
    def behaviour_successors(self) -> Sparse | None:
        return self.given.behaviour_successors

    @property
    def state_labels(self) -> tuple[str, ...]:
        raise InvalidProblem(f"{self.n_states:,} states have no names", self.name)

    @property
    def memory(self) -> float:
        """Bytes, about, of the largest moment of an inspection: Φ, PΦ and a copy, P and its transpose, Python."""
        return 3 * 8.0 * self.given.Phi.size + 40.0 * self.successors.nnz + 200.0 * self.n_states + 2e8


def as_sparse(P: Any, *where: str | int) -> Sparse:
    """A CSR matrix of finite doubles, read-only, without stored zeros or several numbers at one place."""
    if isinstance(P, sparse.csr_array) and not P.data.flags.writeable:
        return P  # made here
    if not sparse.issparse(P):
        P = as_floats(as_array(P, 2, *where), *where)
    if P.dtype.kind not in "iuf":
        raise InvalidProblem(f"holds {P.dtype}, not numbers", *where)
    P = sparse.csr_array(P, dtype=np.float64, copy=True)
    P.sum_duplicates()
    P.eliminate_zeros()
    infinite = ~np.isfinite(P.data)
    if infinite.any():
        place = int(infinite.argmax())
        raise InvalidProblem(f"{P.data[place]} is not finite", *where, *(int(axis[place]) for axis in P.nonzero()))
    freeze(P.data, P.indices, P.indptr)
    return P


def sparse_stationary(P: Sparse, *where: str | int) -> FloatArray:
    """d with dᵀP = dᵀ; an error where it is not unique, or slow.

    By iteration of (I + P)/2, which no period disturbs. Chains that mix slowly are like grids, whose sparse factors are
    short: with the visits to one state taken for 1, those to the others solve (I − P)ᵀ without it.
    """
    if (closed := int(labelled_classes(P)[1].sum())) > 1:
        raise InvalidProblem(f"the stationary distribution is not unique: {closed} closed classes", *where)
    d, back = np.full(P.shape[0], 1 / P.shape[0]), P.T.tocsr()
    steps, factored = STATIONARY_STEPS[1], P.shape[0] <= STATIONARY_FACTORED
    for _ in range(STATIONARY_STEPS[0] if factored else steps):
        moved = (d + back @ d) / 2
        moved /= moved.sum()
        if np.abs(moved - d).sum() <= SETTLED:
            return moved
        d = moved
    found = _factored(P, int(d.argmax())) if factored else None
    if found is not None and np.abs(back @ found - found).sum() <= 1e-9:
        return found
    raise InvalidProblem(f"its stationary distribution does not settle in {steps:,} steps: give d_mu", *where)


def _factored(P: Sparse, state: int) -> FloatArray | None:
    """The visits between two returns to a state, which is visited surely, normalised."""
    from scipy.sparse.linalg import splu

    others = np.flatnonzero(np.arange(P.shape[0]) != state)
    block = sparse.csc_array((sparse.eye_array(len(others)) - P[others][:, others]).T)
    try:
        visits = splu(block).solve(P[[state]][:, others].toarray().ravel())
    except RuntimeError:  # singular
        return None
    d = np.empty(P.shape[0])
    d[state], d[others] = 1.0, np.maximum(visits, 0.0)
    return d / d.sum()
