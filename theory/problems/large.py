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
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from theory.problems.errors import InvalidProblem
from theory.problems.numbers import Array, FloatArray, as_array, as_floats, freeze, show_number
from theory.problems.problem import Problem, digest
from theory.problems.termination import check_discount, never_ends
from theory.problems.validate import (
    SUM_TOLERANCE,
    check_gamma,
    check_probabilities,
    check_shape,
    check_visited,
    near_one,
)

DENSE = 2000  # states up to which a sparse P is written out
SETTLED, QUICK, LONGEST = 1e-13, 2_000, 20_000  # of the power iteration for d_μ: change in a step, and steps
FACTORED = 100_000  # states up to which a chain that mixes slowly is solved by factors
Sparse = Any  # a SciPy CSR matrix of doubles


@dataclass(frozen=True, eq=False)
class SparseQuantities:
    """The letters of a large problem; P_π and P_μ as dense matrices are refused."""

    gamma: Any
    Phi: FloatArray  # (S, F)
    successors: Sparse  # (S, S), P_π
    r_pi: FloatArray  # (S,)
    d_mu: FloatArray  # (S,)
    behaviour_successors: Sparse | None = None  # (S, S), P_μ
    r_mu: FloatArray | None = None  # (S,)

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
    """A problem in doubles whose transitions are sparse; build it with `large_problem` or `Problem.from_matrices`."""

    given: Any
    is_large: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidProblem(f"must be a non-empty text, got {self.name!r}", "name")
        object.__setattr__(self, "given", _checked(self.given))

    @property
    def floats(self) -> Any:
        """The same letters: they are doubles."""
        return self.given

    @property
    def exact(self) -> Any:
        """Of the discount alone: S rows of fractions are too many."""
        raise InvalidProblem(f"exact numbers of {self.n_states:,} states are too many", self.name)

    @property
    def is_exact(self) -> bool:
        return False

    @property
    def gamma(self) -> float:
        return 1.0 if self.given.gamma == 1 else min(float(self.given.gamma), float(np.nextafter(1, 0)))

    @property
    def discount(self) -> Fraction:
        """γ exactly."""
        return Fraction(self.given.gamma)

    @property
    def successors(self) -> Sparse:
        """P_π, sparse."""
        return self.given.successors

    @property
    def behaviour_successors(self) -> Sparse | None:
        """P_μ, sparse."""
        return self.given.behaviour_successors

    @property
    def is_stationary(self) -> bool | None:
        """Is d_μ stationary for P_μ, to 1e−9? None where P_μ is unknown."""
        P = self.behaviour_successors
        return None if P is None else bool(np.abs(self.d_mu @ P - self.d_mu).max() <= 1e-9)

    @cached_property
    def is_episodic(self) -> bool:
        return any(P is not None and _ends(P) for P in (self.successors, self.behaviour_successors))

    @cached_property
    def terminates(self) -> bool:
        return _endless(self.successors) is None

    @property
    def state_labels(self) -> tuple[str, ...]:
        raise InvalidProblem(f"{self.n_states:,} states have no names", self.name)

    @cached_property
    def fingerprint(self) -> str:
        g = self.given
        parts = [p for P in (g.successors, g.behaviour_successors) if P is not None for p in (P.data, P.indices)]
        return digest((Fraction(g.gamma), g.Phi, g.r_pi, g.d_mu, g.r_mu, *parts, self.name))

    def save(self, path: Any) -> None:
        """Write it as an archive of sparse arrays, .npz."""
        from theory.problems.sparse_files import save_sparse

        save_sparse(self, path)

    def relabelled(self, *, name: str | None = None, states: Any = None, actions: Any = None) -> LargeProblem:
        """The same problem under another name; its states and actions have none."""
        if states is not None or actions is not None:
            raise InvalidProblem(f"{self.n_states:,} states have no names", self.name)
        return self if name is None else LargeProblem(self.given, name=name)

    @property
    def summary(self) -> str:
        """Size and kind in a few words."""
        entries = self.successors.nnz
        return (
            f"{self.n_states:,} states, {self.n_features} feature{'s' * (self.n_features > 1)}, "
            f"γ={show_number(self.given.gamma)}, "
            f"floats, sparse P with {entries:,} entries{', episodes end' if self.is_episodic else ''}"
        )

    @property
    def memory(self) -> float:
        """Bytes, about, of the largest moment of an inspection: Φ, PΦ and a copy, P and its transpose, Python."""
        return 3 * 8.0 * self.given.Phi.size + 40.0 * self.successors.nnz + 200.0 * self.n_states + 2e8


def large_problem(
    gamma: Any,
    *,
    Phi: Any,
    P_pi: Any,
    d_mu: Any = None,
    r_pi: Any = None,
    P_mu: Any = None,
    r_mu: Any = None,
    name: str = "problem",
    episodic: bool = False,
    discount: Any = None,
) -> LargeProblem:
    """A problem whose transitions stay sparse, whatever its size; letters as of `Problem.from_matrices`.

    >>> line = sparse.csr_array(([0.5, 0.5, 1.0], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    >>> large_problem("9/10", Phi=[[1], [2]], P_pi=line, d_mu=[0.5, 0.5])
    Problem('problem': 2 states, 1 feature, γ=9/10, floats, sparse P with 3 entries)
    """
    P = as_sparse(P_pi, "P_pi")
    S = P.shape[0]
    _check_rows(P, "P_pi", episodic)
    behaviour = None if P_mu is None else as_sparse(P_mu, "P_mu")
    if behaviour is not None:
        check_shape(behaviour, (S, S), "states × states", "P_mu")
        _check_rows(behaviour, "P_mu", episodic)
    if d_mu is None:
        if behaviour is None:
            raise InvalidProblem("give the distribution, or P_mu to take the stationary one of", "d_mu")
        if _ends(behaviour):
            raise InvalidProblem("give the distribution: where episodes of P_mu begin again is not known", "d_mu")
        d_mu = sparse_stationary(behaviour, "P_mu")
    if discount is not None:
        factors = as_floats(check_discount(discount, S, "discount"))
        P = as_sparse(P.multiply(factors), "P_pi")
        behaviour = None if behaviour is None else as_sparse(behaviour.multiply(factors), "P_mu")
    if behaviour is not None and r_mu is None and r_pi is None:
        r_mu = np.zeros(S)
    r_pi = np.zeros(S) if r_pi is None else r_pi
    letters: Any = SparseQuantities(gamma, Phi, P, r_pi, d_mu, behaviour, r_mu)
    return LargeProblem(letters, name=name)


def as_sparse(P: Any, *where: str | int) -> Sparse:
    """A CSR matrix of finite doubles without stored zeros or doubles of one place."""
    if not sparse.issparse(P):
        P = sparse.csr_array(as_floats(as_array(P, 2, *where), *where))
    if P.ndim != 2 or P.shape[0] != P.shape[1] or P.shape[0] == 0:
        raise InvalidProblem(f"has shape {'×'.join(map(str, P.shape))}, but states × states is square", *where)
    if P.dtype.kind not in "iuf":
        raise InvalidProblem(f"holds {P.dtype}, not numbers", *where)
    P = sparse.csr_array(P, dtype=np.float64, copy=True)
    P.sum_duplicates()
    P.eliminate_zeros()
    if not np.isfinite(P.data).all():
        place = int(np.flatnonzero(~np.isfinite(P.data))[0])
        row = int(np.searchsorted(P.indptr, place, side="right")) - 1
        raise InvalidProblem(f"{P.data[place]} is not finite", *where, row, int(P.indices[place]))
    freeze(P.data, P.indices, P.indptr)
    return P


def sparse_stationary(P: Sparse, *where: str | int) -> FloatArray:
    """d with dᵀP = dᵀ; an error where it is not unique, or slow.

    By iteration of (I + P)/2, which no period disturbs. Chains that mix slowly are like grids, whose sparse factors are
    short: with the visits to one state taken for 1, those to the others solve (I − P)ᵀ without it.
    """
    count, label = sparse.csgraph.connected_components(P, directed=True, connection="strong")
    rows = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    leaving = np.zeros(count, dtype=bool)
    leaving[label[rows[label[rows] != label[P.indices]]]] = True
    if (closed := int(count - leaving.sum())) > 1:
        raise InvalidProblem(f"the stationary distribution is not unique: {closed} closed classes", *where)
    d, back = np.full(P.shape[0], 1 / P.shape[0]), P.T.tocsr()
    for _ in range(QUICK if P.shape[0] <= FACTORED else LONGEST):
        moved = (d + back @ d) / 2
        moved /= moved.sum()
        if np.abs(moved - d).sum() <= SETTLED:
            return moved
        d = moved
    found = _factored(P, int(d.argmax())) if P.shape[0] <= FACTORED else None
    if found is not None and np.abs(back @ found - found).sum() <= 1e-9:
        return found
    raise InvalidProblem(f"its stationary distribution does not settle in {LONGEST:,} steps: give d_mu", *where)


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
    total: FloatArray = d / d.sum()
    return total


def _checked(g: SparseQuantities) -> SparseQuantities:
    P = g.successors
    S = P.shape[0]
    gamma = check_gamma(g.gamma, ends=True)
    for field, who, moves in (("P_pi", "target", P), ("P_mu", "behaviour", g.behaviour_successors)):
        if moves is not None:
            _check_rows(moves, field, ends=True)
            if gamma == 1 and (state := _endless(moves)) is not None:
                raise InvalidProblem(never_ends(state, who), "gamma")
    vectors: dict[str, Any] = {}
    for field in ("r_pi", "d_mu", "r_mu"):
        value = getattr(g, field)
        vectors[field] = None if value is None else _doubles(value, 1, field)
        if value is not None:
            check_shape(vectors[field], (S,), "states", field)
    check_probabilities(vectors["d_mu"], "d_mu")
    check_visited(vectors["d_mu"], "d_mu")
    Phi = _doubles(g.Phi, 2, "Phi")
    if len(Phi) != S:
        raise InvalidProblem(f"has {len(Phi)} rows for {S} states", "Phi")
    return SparseQuantities(gamma, Phi, P, vectors["r_pi"], vectors["d_mu"], g.behaviour_successors, vectors["r_mu"])


def _doubles(value: Any, axes: int, field: str) -> FloatArray:
    """Read-only finite doubles; an array of doubles is taken as it is, without a copy."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == axes and value.size:
        with np.errstate(over="ignore"):  # a quick look
            doubtful = not np.isfinite(value.sum())
        if doubtful and not np.isfinite(value).all():
            as_array(value, axes, field)  # says where
        view = value.view()
        freeze(view)
        return view
    return as_floats(as_array(value, axes, field), field)


def _ends(P: Sparse) -> bool:
    """Does a row sum to less than one?"""
    return bool((np.asarray(P.sum(axis=1)).ravel() < 1 - SUM_TOLERANCE).any())


def _endless(P: Sparse) -> int | None:
    """A state from which no end can be reached, by a search from the ends backwards."""
    S = P.shape[0]
    ends = np.flatnonzero(np.asarray(P.sum(axis=1)).ravel() < 1 - SUM_TOLERANCE)
    moves = P.tocoo()
    came, went = np.concatenate([moves.coords[1], np.full(len(ends), S)]), np.concatenate([moves.coords[0], ends])
    back = sparse.csr_array(
        (np.ones(len(came)), (came, went)), shape=(S + 1, S + 1)
    )  # from an end, S, to where it may be met
    reached = sparse.csgraph.breadth_first_order(back, S, return_predecessors=False)
    if len(reached) > S:
        return None
    left = np.ones(S + 1, dtype=bool)
    left[reached] = False
    return int(np.flatnonzero(left)[0])


def _check_rows(P: Sparse, field: str, ends: bool) -> None:
    """Rows of probabilities; with `ends` they may sum to less than one."""
    if P.nnz and P.data.min() < 0:
        place = int(np.argmin(P.data))
        row = int(np.searchsorted(P.indptr, place, side="right")) - 1
        raise InvalidProblem(
            f"negative probability {show_number(float(P.data[place]))}", field, row, int(P.indices[place])
        )
    totals = np.asarray(P.sum(axis=1)).ravel()
    wrong = np.flatnonzero((totals - 1 if ends else np.abs(totals - 1)) > SUM_TOLERANCE)
    if len(wrong):
        value = float(totals[wrong[0]])
        hint = "; if the rest ends the episode, say episodic" if value < 1 else ""
        raise InvalidProblem(f"probabilities sum to {near_one(value)}{hint}", field, int(wrong[0]))
