"""The one noun that travels: an off-policy prediction problem with linear features.

Given are the discount γ, the features Φ, the target's P_π and r_π, and the distribution d_μ over
states with which the behaviour visits them; where known also the behaviour's P_μ, r_μ and the MDP
with both policies, which is what sampling needs. Every analysis is a function of it.

Any d > 0 and any stochastic P belong to a real MDP (actions "go to j", μ(j|s) = d_j, π = P), so a
problem given by matrices alone is legitimate; `Problem.realised` builds that MDP.

Rows of P_π and P_μ sum to one, or to less where episodes end or states have discounts of their own, which are
multiplied into them (`theory.problems.validate`).

What is computed of a problem is computed once, and kept with it.

A `Problem` never changes, so neither do its moments or its basis. What is kept is forgotten with the problem, and not
sent along with it to another process. The arrays in it are read-only, since all callers get the same ones.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property, wraps
from typing import Any, ClassVar, TypeVar

import numpy as np

from theory.problems.graph import check_ends, never_ending, stationary_distribution
from theory.problems.mdp import MDP
from theory.problems.numbers import (
    Array,
    FloatArray,
    InvalidProblem,
    as_array,
    as_exact,
    as_floats,
    counted,
    freeze,
    is_exact,
    one_kind,
    show_number,
)
from theory.problems.validate import (
    as_probabilities,
    as_shaped,
    beginnings,
    check_covers,
    check_discount,
    check_gamma,
    check_labels,
    check_learnable,
    check_probabilities,
    check_shape,
    discounted,
    ending,
)

KEPT = "_kept"  # where `theory.problems.problem` keeps what was computed
SHARED = "_shared"  # the same of what does not depend on the discount: `with_gamma` hands it on


@dataclass(frozen=True, eq=False)
class Quantities:
    """The letters of a problem, all as given, all exact, or all in floats."""

    gamma: Any
    Phi: Array  # (S, F)
    P_pi: Array  # (S, S)
    r_pi: Array  # (S,)
    d_mu: Array  # (S,)
    P_mu: Array | None = None  # (S, S)
    r_mu: Array | None = None  # (S,)

    def map(self, number: Any, array: Any) -> Quantities:
        """The same letters with `number` applied to γ and ``array(value, letter)`` to the others."""

        def each(letter: str) -> Any:
            value = getattr(self, letter)
            return None if value is None else array(value, letter)

        return type(self)(number(self.gamma), *(each(f.name) for f in fields(self)[1:]))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy or pickle is as read-only as what it was made of."""
        self.__dict__.update(state)
        freeze(*(getattr(self, f.name) for f in fields(self)[1:]))


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """An off-policy prediction problem; build it with `from_mdp` or `from_matrices`.

    `problem.Phi`, `problem.P_pi`, … are read-only float arrays; `problem.exact.Phi`, … the same
    numbers as `Fraction`; `problem.given.Phi`, … what came in. `problem.is_exact` tells whether all of
    them were given exactly; if not, `exact` holds the rationals that the given doubles denote.

    Parameters
    ----------
    given : Quantities
        γ, Φ, P_π, r_π, d_μ, and P_μ and r_μ where they are known.
    mdp : MDP, optional
        The MDP behind it, which sampling needs.
    pi, mu : array, (S, A), optional
        Target and behaviour policy in that MDP.
    name : str, default "problem"
        What it is called.
    states : tuple of str, optional
        Names of the states.

    See Also
    --------
    open_problem : A problem by its name, or from a file.
    MDP : Transitions, rewards and a discount.

    Examples
    --------
    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> swap
    Problem('problem': 2 states, 1 feature, γ=9/10, exact, matrices only)
    >>> swap.Phi.tolist(), swap.exact.d_mu[1]
    ([[1.0], [-3.0]], Fraction(1, 10))
    """

    given: Quantities
    mdp: MDP | None = None
    pi: Array | None = None  # (S, A)
    mu: Array | None = None  # (S, A)
    name: str = "problem"
    states: tuple[str, ...] | None = None
    is_large: ClassVar[bool] = False  # are the transitions sparse (`theory.problems.large`)?
    _letters: ClassVar[Any] = Quantities

    def __post_init__(self) -> None:
        gamma, Phi, P_pi, r_pi, d_mu, P_mu, r_mu = (getattr(self.given, f.name) for f in fields(self.given))
        gamma = check_gamma(gamma, ends=True)
        P_pi, P_mu = self._transitions(P_pi, P_mu, ends=True)
        S = P_pi.shape[0]
        check_ends(gamma, P_pi, "target")
        if P_mu is not None:
            check_ends(gamma, P_mu, "behaviour")
        d_mu = as_probabilities(d_mu, (S,), "states", "d_mu")
        r_pi, r_mu = (
            None if r is None else as_shaped(r, (S,), "states", field) for field, r in (("r_pi", r_pi), ("r_mu", r_mu))
        )
        Phi = as_array(Phi, 2, "Phi")
        if len(Phi) != S:
            raise InvalidProblem(f"has {counted(len(Phi), 'row')} for {counted(S, 'state')}", "Phi")
        self._covered(Phi, d_mu)
        object.__setattr__(self, "given", self._letters(gamma, Phi, P_pi, r_pi, d_mu, P_mu, r_mu))
        if self.states is not None:
            object.__setattr__(self, "states", check_labels(self.states, S, "states"))
        if not isinstance(self.name, str) or not self.name:
            raise InvalidProblem(f"must be a non-empty text, got {self.name!r}", "name")
        _ = self.floats  # features and rewards beyond double precision are refused here, not later

    @classmethod
    def _transitions(cls, P_pi: Any, P_mu: Any, **how: Any) -> tuple[Any, Any]:
        """Both matrices, checked; an unknown P_mu stays None."""
        P_pi = cls._moves(P_pi, "P_pi")
        P_mu = None if P_mu is None else cls._moves(P_mu, "P_mu")
        for field, P in (("P_pi", P_pi), ("P_mu", P_mu)):
            if P is not None:
                check_shape(P, (P_pi.shape[0],) * 2, "states × states", field)
                check_probabilities(P, field, **how)
        return P_pi, P_mu

    @staticmethod
    def _moves(P: Any, field: str) -> Any:
        return as_array(P, 2, field)

    @staticmethod
    def _covered(Phi: Array, d_mu: Array) -> None:
        check_learnable(Phi, d_mu, "d_mu")

    @staticmethod
    def _stationary(P: Any, field: str) -> Array:
        return stationary_distribution(P, field)

    # Ways in

    @classmethod
    def from_matrices(
        cls,
        gamma: Any,
        *,
        Phi: Any,
        P_pi: Any,
        d_mu: Any = None,
        r_pi: Any = None,
        P_mu: Any = None,
        r_mu: Any = None,
        name: str = "problem",
        states: Any = None,
        episodic: bool = False,
        discount: Any = None,
    ) -> Problem:
        """Build a problem from its matrices.

        Parameters
        ----------
        gamma : number or str
            The discount, in [0, 1].
        Phi : array_like, (S, F)
            Features, a row a state.
        P_pi : array_like or sparse matrix, (S, S)
            Transitions of the target policy.
        d_mu : array_like, (S,), optional
            State weights; by default the stationary distribution of `P_mu`.
        r_pi : array_like, (S,), optional
            Expected rewards of the target policy; zero by default.
        P_mu, r_mu : array_like, optional
            Transitions and expected rewards of the behaviour.
        name : str, default "problem"
            What it is called.
        states : sequence of str, optional
            Names of the states.
        episodic : bool, default False
            Allow rows of P that sum to less than one: the remaining probability ends the episode.
        discount : array_like, (S,), optional
            Discounts γ(s) of the states, each of which multiplies `gamma`, which may be 1 where every episode ends.

        Returns
        -------
        Problem
            Exact where all numbers are; large, without dense S×S matrices, where `P_pi` is sparse and large.

        Raises
        ------
        InvalidProblem
            One line that names the argument and the row.

        Examples
        --------
        >>> Problem.from_matrices(1, Phi=[[1], [2]], P_pi=[[0, 1], [0, 0]], d_mu=["1/2", "1/2"], episodic=True)
        Problem('problem': 2 states, 1 feature, γ=1, exact, matrices only, episodes end)
        """
        kind = cls
        if hasattr(P_pi, "tocsr") and not cls.is_large:
            from theory.problems import large

            kind = large.LargeProblem if max(P_pi.shape) > large.DENSE else cls
        hint = "; if the rest ends the episode, say episodic"
        P_pi, P_mu = kind._transitions(P_pi, P_mu, ends=episodic, hint=hint)
        S = P_pi.shape[0]
        if d_mu is None:
            if P_mu is None:
                raise InvalidProblem("give the distribution, or P_mu to take the stationary one of", "d_mu")
            if ending(P_mu).any():
                raise InvalidProblem("give the distribution: where episodes of P_mu begin again is not known", "d_mu")
            d_mu = kind._stationary(P_mu, "P_mu")
        if discount is not None:
            factors = check_discount(discount, S, "discount")
            P_pi, P_mu = (None if P is None else discounted(P, factors) for P in (P_pi, P_mu))
        nothing = np.zeros(S, dtype=int)
        if P_mu is not None and r_mu is None and r_pi is None:
            r_mu = nothing
        r_pi = nothing if r_pi is None else r_pi
        given = kind._letters(gamma, Phi, P_pi, r_pi, d_mu, P_mu, r_mu)
        return kind(given, name=name, states=states)

    @classmethod
    def from_mdp(cls, mdp: MDP, *, pi: Any, mu: Any, Phi: Any, name: str = "problem") -> Problem:
        """Build a problem from an MDP and policies; d_μ is the stationary distribution of μ.

        Parameters
        ----------
        mdp : MDP
            Transitions, rewards and discount.
        pi, mu : array_like
            Target and behaviour policy: probabilities (S, A), or one action index per state.
        Phi : array_like, (S, F)
            Features, a row a state.
        name : str, default "problem"
            What it is called.

        Returns
        -------
        Problem
            Exact where all numbers are.
        """
        pi, mu = mdp.policy(pi, "pi"), mdp.policy(mu, "mu")
        check_covers(pi, mu, "mu")
        given = Quantities(
            mdp.gamma,
            Phi,
            mdp.transitions_under(pi),
            mdp.rewards_under(pi),
            stationary_distribution(mdp.stream_under(mu), "mu"),
            mdp.transitions_under(mu),
            mdp.rewards_under(mu),
        )
        return cls(given, mdp, pi, mu, name, mdp.states)

    @classmethod
    def of_action_values(cls, mdp: MDP, *, pi: Any, mu: Any, Phi: Any, name: str = "problem") -> Problem:
        """Build a problem whose states are the pairs of an MDP: Q(s, a) = Φ[s][a]ᵀθ.

        Parameters
        ----------
        mdp : MDP
            Transitions and rewards.
        pi, mu : array_like, (S, A)
            Target and behaviour.
        Phi : array_like, (S, A, F)
            Features of the pairs.
        name : str, default "problem"
            What it is called.

        Returns
        -------
        Problem
            On it TD is expected Sarsa, and the chain is fitted Q evaluation.
        """
        from theory.problems.pairs import action_value_problem

        constant = [[1]] * mdp.n_states  # features of states play no part
        return action_value_problem(cls.from_mdp(mdp, pi=pi, mu=mu, Phi=constant, name=name), Phi)

    # Views

    @cached_property
    def floats(self) -> Quantities:
        """All quantities in double precision: a γ below one stays so, and no rare visit becomes none."""
        rounded = self.given.map(float, as_floats)
        most = 1.0 if self.given.gamma == 1 else math.nextafter(1, 0)
        lost = (rounded.d_mu == 0) & (self.given.d_mu != 0)
        if rounded.gamma <= most and not lost.any():
            return rounded
        d_mu = np.where(lost, math.nextafter(0, 1), rounded.d_mu)
        freeze(d_mu)
        return replace(rounded, gamma=min(rounded.gamma, most), d_mu=d_mu)

    @cached_property
    def exact(self) -> Quantities:
        """All quantities as `Fraction`."""
        return self.given.map(Fraction, lambda array, _: as_exact(array))

    @cached_property
    def is_exact(self) -> bool:
        """Were all numbers given exactly?"""
        g = self.given
        return all(is_exact(v) for v in (getattr(g, f.name) for f in fields(g)) if v is not None)

    @property
    def gamma(self) -> float:
        return self.floats.gamma

    @property
    def Phi(self) -> FloatArray:
        return self.floats.Phi

    @property
    def P_pi(self) -> FloatArray:
        return self.floats.P_pi

    @property
    def r_pi(self) -> FloatArray:
        return self.floats.r_pi

    @property
    def d_mu(self) -> FloatArray:
        return self.floats.d_mu

    @property
    def P_mu(self) -> FloatArray | None:
        return self.floats.P_mu

    @property
    def r_mu(self) -> FloatArray | None:
        return self.floats.r_mu

    @property
    def n_states(self) -> int:
        return self.given.Phi.shape[0]

    @property
    def n_features(self) -> int:
        return self.given.Phi.shape[1]

    @property
    def successors(self) -> Any:
        """P_π as it is kept, as given, of a large problem sparse."""
        return self.given.P_pi

    @property
    def behaviour_successors(self) -> Any:
        """P_μ as it is kept; None where it is unknown."""
        return self.given.P_mu

    @cached_property
    def is_stationary(self) -> bool | None:
        """Is d_μ stationary for P_μ, begun again after each end? None where P_μ is unknown; floats to 1e−9."""
        d, P = self.given.d_mu, self.behaviour_successors
        if P is None:
            return None
        if ending(P).any():
            return beginnings(d, P) is not None
        d, P = one_kind(d, P)
        gap = np.abs(d @ P - d).max()
        return bool(gap == 0 if is_exact(d) else gap <= 1e-9)

    @cached_property
    def is_episodic(self) -> bool:
        """Does a row of P_π or P_μ sum to less than one, because an episode can end or a state has a discount?"""
        return any(P is not None and ending(P).any() for P in (self.successors, self.behaviour_successors))

    @cached_property
    def terminates(self) -> bool:
        """Can the target end, or stop to count, from every state? Then γ may be 1."""
        return not never_ending(self.successors)

    @cached_property
    def state_labels(self) -> tuple[str, ...]:
        """The states' names, or 0, 1, … where they have none."""
        return self.states or tuple(str(s) for s in range(self.n_states))

    # Variants

    def with_gamma(self, gamma: Any) -> Problem:
        """Change the discount.

        Parameters
        ----------
        gamma : number or str
            The discount, in [0, 1].

        Returns
        -------
        Problem
            The same problem at that discount.
        """
        mdp = None if self.mdp is None else self.mdp.with_gamma(gamma)
        other = replace(self, given=replace(self.given, gamma=gamma), mdp=mdp)
        other.__dict__[SHARED] = self.__dict__.setdefault(SHARED, {})
        return other

    def with_features(self, Phi: Any) -> Problem:
        """Change the features.

        Parameters
        ----------
        Phi : array_like, (S, F)
            Features, a row a state.

        Returns
        -------
        Problem
            The same problem with those features.
        """
        return replace(self, given=replace(self.given, Phi=Phi))

    def action_values(self, Phi: Any = None) -> Problem:
        """Build the problem over pairs (s, a), whose values are Q(s, a).

        Parameters
        ----------
        Phi : array_like, (S, A, F), optional
            Features of the pairs; without them φ(s), once for each action.

        Returns
        -------
        Problem
            On it TD is expected Sarsa, and the chain is fitted Q evaluation.
        """
        from theory.problems.pairs import action_value_problem

        return action_value_problem(self, Phi)

    def in_steps_of(self, n: int) -> Problem:
        """Build the problem whose one step is n of this one's: Pⁿ, γⁿ and the rewards of n steps.

        n-step TD and the n-step chain are TD and the chain on it; μ plays no part in it. Of a problem in floats, in
        floats.

        Parameters
        ----------
        n : int
            Steps, from 1.

        Returns
        -------
        Problem
            Without an MDP where n > 1.

        Examples
        --------
        >>> swap = Problem.from_matrices("1/2", Phi=[[1], [2]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2"] * 2, r_pi=[1, 0])
        >>> swap.in_steps_of(2).exact.gamma, swap.in_steps_of(2).exact.r_pi.tolist()
        (Fraction(1, 4), [Fraction(1, 1), Fraction(1, 2)])
        """
        if n < 1:
            raise InvalidProblem(f"the number of steps must be 1 or more, got {n}", "n")
        if n == 1:
            return self
        g = self.exact if self.is_exact else self.floats
        P, r = g.P_pi, g.r_pi
        for _ in range(n - 1):
            P, r = P.dot(g.P_pi), g.r_pi + g.gamma * g.P_pi.dot(r)
        name = f"{self.name} in steps of {n}"
        return Problem.from_matrices(
            g.gamma**n, Phi=g.Phi, P_pi=P, r_pi=r, d_mu=g.d_mu, name=name, episodic=self.is_episodic
        )

    def relabelled(self, *, name: str | None = None, states: Any = None) -> Problem:
        """Change the names.

        Parameters
        ----------
        name : str, optional
            What the problem is called.
        states : sequence of str, optional
            Names of the states.

        Returns
        -------
        Problem
            The same problem under those names.
        """
        states = self.states if states is None else check_labels(states, self.n_states, "states")
        mdp = None if self.mdp is None else replace(self.mdp, states=states)
        return replace(self, name=self.name if name is None else name, states=states, mdp=mdp)

    def realised(self) -> Problem:
        """Build an MDP for a problem that has none, so that it can be sampled.

        Returns
        -------
        Problem
            The same matrices; action j is “go to j”.
        """
        from theory.problems.realise import realise

        return realise(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the problem without loss; `open_problem` reads it.

        Parameters
        ----------
        path : str or path
            Ending in .npz a NumPy archive, else JSON.
        """
        from theory.problems.files import write_problem
        from theory.problems.npz import save_npz

        (save_npz if str(path).endswith(".npz") else write_problem)(self, path)

    def sympy(self) -> Quantities:
        """Convert every letter to SymPy.

        Returns
        -------
        Quantities
            `gamma` a Rational, the others matrices, vectors as columns.
        """
        import sympy

        return self.exact.map(sympy.Rational, lambda array, _: sympy.Matrix(array.tolist()))

    # Identity and display

    @cached_property
    def fingerprint(self) -> str:
        """A digest of every number, its kind, labels and name, which makes two problems equal."""
        mdp, letters = self.mdp, (getattr(self.given, f.name) for f in fields(self.given))
        behind = (None,) if mdp is None else (mdp.P, mdp.R, mdp.gamma, mdp.states, mdp.actions)
        if mdp is not None and mdp.ends:
            behind = (*behind, mdp.start, mdp.discount)
        return digest((*letters, *behind, self.pi, self.mu, self.name, self.states))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __getstate__(self) -> dict[str, Any]:
        """Pickles leave out what was computed of it."""
        return {name: value for name, value in self.__dict__.items() if name not in (KEPT, SHARED)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy or pickle is as read-only as what it was made of."""
        self.__dict__.update(state)
        freeze(self.pi, self.mu)

    def __repr__(self) -> str:
        return f"Problem({self.name!r}: {self.summary})"

    @property
    def memory(self) -> float:
        """Bytes, about, of an inspection, six matrices of S×S doubles at a time, and Python with what it has loaded."""
        return 6 * 8.0 * self.n_states**2 + 1e8

    @property
    def summary(self) -> str:
        """Size and kind in a few words."""

        def count(n: int, noun: str) -> str:
            return (f"{n:,} {noun}" if self.is_large else f"{n} {noun}") + ("" if n == 1 else "s")

        kind = "exact" if self.is_exact else "floats"
        behind = "matrices only" if self.mdp is None else f"MDP with {count(self.mdp.n_actions, 'action')}"
        if self.is_large:
            behind = f"sparse P with {self.successors.nnz:,} entries"
        size = f"{count(self.n_states, 'state')}, {count(self.n_features, 'feature')}"
        ends = ", episodes end" if self.is_episodic else ""
        return f"{size}, γ={show_number(self.given.gamma)}, {kind}, {behind}{ends}"

    def _repr_html_(self) -> str:
        from theory.problems.display import problem_html

        return problem_html(self)

    def _repr_latex_(self) -> str:
        from theory.problems.display import problem_latex

        return problem_latex(self)


def digest(parts: Iterable[Any]) -> str:
    """A fingerprint of arrays, numbers and texts: of every value, its kind and shape."""
    total = hashlib.sha256()
    for part in parts:
        if hasattr(part, "tocsr"):
            total.update(digest((part.data, part.indices, part.indptr)).encode())
        elif isinstance(part, np.ndarray) and part.dtype != object:
            total.update(repr(part.shape).encode() + part.astype("<f8").tobytes())
        else:
            total.update(repr(_plain(part)).encode())
        total.update(b"\0")
    return total.hexdigest()


def _plain(value: Any) -> Any:
    """Lists down to numbers; fractions in hexadecimal, whose length Python does not limit."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return f"{value.numerator:x}/{value.denominator:x}" if isinstance(value, Fraction) else value


T = TypeVar("T")


def cached_on_problem(function: Callable[[Problem], T]) -> Callable[[Problem], T]:
    """Cache the value of a function of a problem on the problem itself.

    >>> from theory.problems import Problem
    >>> seen = []
    >>> counted = cached_on_problem(lambda problem: seen.append(problem.name))
    >>> one = Problem.from_matrices("1/2", Phi=[[1]], P_pi=[[1]], d_mu=[1], name="one")
    >>> counted(one), counted(one), seen
    (None, None, ['one'])
    """

    return _remembered(function, KEPT)


def cached_for_all_discounts(function: Callable[[Problem], T]) -> Callable[[Problem], T]:
    """Cache what does not depend on the discount: `Problem.with_gamma` passes it on."""
    return _remembered(function, SHARED)


def _remembered(function: Callable[[Problem], T], place: str) -> Callable[[Problem], T]:
    @wraps(function)
    def kept(problem: Problem) -> T:
        known = problem.__dict__.setdefault(place, {})
        if function not in known:
            value = function(problem)
            if is_dataclass(value):
                parts = (getattr(value, f.name) for f in fields(value))
                freeze(*(part for part in parts if isinstance(part, np.ndarray)))
            known[function] = value
        return known[function]

    return kept
