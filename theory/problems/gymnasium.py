"""A Gymnasium environment and what to predict in it, in one line: ``FrozenLake-v1,gamma=0.9,target=uniform``.

First the environment's id, then ``key=value`` in any order. Keys of ours:

=========  ==================================================================================
gamma      the discount, read exactly; 99/100
target     ``optimal`` (default), ``uniform``, one action everywhere (its number or name), one
           action for each of the environment's states (``0-2-2-1-…``), or the path of a JSON
           file ``….json`` with a policy [s][a], or one action [s], over the environment's states
behaviour  the same, ``uniform`` by default
features   ``tabular`` (default), one per live state; ``aggregated``, one for each of `groups`
           runs of neighbouring states; ``random``, `count` normal numbers per state in
           hundredths, drawn with `seed`; always zero in terminal states
groups     4; only with ``features=aggregated``
count      8; only with ``features=random``
seed       0; only with ``features=random``
=========  ==================================================================================

In terminal states the target stays and the behaviour is uniform, whatever was asked for. Any other key
goes to ``gymnasium.make``: ``true`` and ``yes``, ``false`` and ``no`` as truth values, integers and decimals as
numbers, all else as text, which a setting that is true or false refuses. FrozenLake's map is written with
colons between its rows: ``desc=SFF:HFF:FFG``. Nothing is evaluated. A comma always begins the next key, so a
path must not contain one.

Only tabular environments can be read: those whose ``env.unwrapped`` has a table ``P`` and an initial distribution, such
as FrozenLake, CliffWalking and Taxi. The table becomes the continuing MDP of `theory.problems.episodic`: a terminal
state is left only to start again. Which states are kept and how doubles are read is said below.
Wrappers have no part in it: no time limit ends an episode, no wrapper changes a reward. A table of more than 2,000
states stays sparse; its features are aggregated or random.

Gymnasium's transition tables, ``P[s][a] = [(probability, next_state, reward, terminated), …]``.

From table to MDP. Follow the table from the initial distribution under all actions and never beyond a
termination: the states met are *live*. A state entered by a terminated transition is *terminal*; it
becomes a state of the MDP that every action keeps, with reward 0. Where a live state is entered with
termination, such transitions lead to one additional state, "terminal". What is not met is dropped;
labels keep the environment's numbers, s0, s1, …

Several outcomes may share a next state. Their probabilities add up, and R[s, a, s'] is the mean of their
rewards: every expectation is kept, though not the variance of the reward given s'. Where the reward does
not depend on s' it is R[s, a].

Reading doubles. A table says 0.3333333333333333 and means 1/3. If every probability met lies within two
units in the last place of a fraction with denominator at most 1000, and these fractions sum to one in
every row, the fractions are used; rewards are read in the same way, apart from the probabilities.
If not, or if S·A·S exceeds 200,000, the numbers stay doubles.

A table of many states is read into columns (`Outcomes`), of which P is made sparse. An end is no state then: the
target's episodes end, so its rows sum to less than one (`theory.problems.validate`), and the behaviour starts again
at once, which is what d_μ is stationary for. X, Y and b are those of the dense form up to one factor: the time that
the behaviour waits at an end.
"""

from __future__ import annotations

import inspect
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np

from theory.budgets import VALUE_STEPS
from theory.problems.ensembles import draw_features
from theory.problems.episodic import continuing, episodic_problem
from theory.problems.interop import mdp_of, require
from theory.problems.jsontext import read_tree
from theory.problems.mdp import MDP, deterministic_policy
from theory.problems.numbers import Array, InvalidProblem, as_array, as_floats, is_exact, parse_number
from theory.problems.problem import Problem
from theory.problems.validate import SUM_TOLERANCE, as_probabilities, check_covers

_DEFAULTS = {
    "gamma": "99/100",
    "target": "optimal",
    "behaviour": "uniform",
    "features": "tabular",
    "groups": "4",
    "count": "8",
    "seed": "0",
}
_FEATURES = {"tabular": (), "aggregated": ("groups",), "random": ("count", "seed")}  # and the keys that each reads
LARGEST = 2000  # states up to which P is dense
MOST_FEATURES = 1000  # of a table that stays sparse
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
# Gymnasium's documentation names the actions of its toy environments; the objects do not.
_ACTIONS = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("south", "north", "east", "west", "pickup", "dropoff"),
}


def gymnasium_problem(spec: str) -> Problem:
    """The problem that `spec` describes; see the module for its language.

    >>> gymnasium_problem("FrozenLake-v1,features=aggregated,groups=4,gamma=9/10")
    Problem('FrozenLake-v1': 16 states, 4 features, γ=9/10, exact, MDP with 4 actions, episodes end)
    """
    name, ours, theirs = parse_spec(spec)
    if ours["features"] not in _FEATURES:
        raise InvalidProblem(f"{ours['features']!r} is none of {', '.join(_FEATURES)}", "features")
    gamma = parse_number(ours["gamma"], "gamma")
    with _opened(name, theirs) as env:
        outcomes = _outcomes_of(env)
    if outcomes.n_table > LARGEST:
        return _sparse_problem(outcomes, gamma, ours, name)
    mdp, numbers = outcomes.dense(gamma)
    pi, mu = (_policy(ours, key, outcomes, numbers, mdp.optimal_policy) for key in ("target", "behaviour"))
    try:
        return episodic_problem(mdp, pi=pi, mu=mu, Phi=_live_features(mdp, ours), name=name)
    except InvalidProblem as error:
        raise error.renamed({"pi": "target", "mu": "behaviour", "d_mu": "behaviour"}) from None


def _sparse_problem(outcomes: Outcomes, gamma: Fraction, ours: dict[str, str], name: str) -> Problem:
    from scipy import sparse

    from theory.problems.large import sparse_stationary

    S = outcomes.n_states
    if ours["features"] == "tabular":
        raise InvalidProblem(f"one feature for each of {S:,} states is too many: aggregated or random", "features")
    numbers, best = outcomes.numbers.tolist(), lambda: outcomes.optimal_policy(float(gamma))
    pi, mu = (as_floats(_policy(ours, key, outcomes, numbers, best)) for key in ("target", "behaviour"))
    check_covers(pi, mu, "behaviour")
    P_pi, r_pi, _ = outcomes.under(pi)
    P_mu, r_mu, ends = outcomes.under(mu)
    again = sparse.csr_array(ends[:, None]) @ sparse.csr_array(outcomes.start[None, :])
    return Problem.from_matrices(
        gamma,
        Phi=_features(ours, S, MOST_FEATURES) / (100.0 if ours["features"] == "random" else 1.0),
        P_pi=P_pi,
        d_mu=sparse_stationary(sparse.csr_array(P_mu + again), "behaviour"),
        r_pi=r_pi,
        P_mu=P_mu,
        r_mu=r_mu,
        name=name,
        episodic=True,
    )


def parse_spec(spec: str) -> tuple[str, dict[str, str], dict[str, Any]]:
    """The environment's id, our keys as text (defaults filled in), and the arguments for the environment.

    >>> parse_spec("FrozenLake-v1,is_slippery=false,success_rate=0.8,gamma=1/2")[2]
    {'is_slippery': False, 'success_rate': 0.8}
    """
    name, *settings = (part.strip() for part in spec.split(","))
    if not name:
        raise InvalidProblem("an environment's id comes first, as in FrozenLake-v1", "gymnasium")
    given: dict[str, str] = {}
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise InvalidProblem(f"{setting!r} is not key=value", "gymnasium")
        if key in given:
            raise InvalidProblem("is given twice", key)
        given[key] = value
    for kind, keys in _FEATURES.items():
        for key in keys:
            if key in given and given.get("features", _DEFAULTS["features"]) in _FEATURES.keys() - {kind}:
                raise InvalidProblem(f"applies only with features={kind}", key)
    ours = {key: given.pop(key, default) for key, default in _DEFAULTS.items()}
    return name, ours, {key: _argument(key, value) for key, value in given.items()}


def _argument(key: str, text: str) -> Any:
    if key == "desc":
        return text.split(":")
    if text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            if re.fullmatch(r"[0-9.eE+-]+", text):
                return kind(text)
    return text


def mdp_from_gymnasium(env_or_id: Any, gamma: Any, **env_kwargs: Any) -> MDP:
    """The continuing MDP of an environment, given as an object or by id (made with `env_kwargs`).

    >>> mdp_from_gymnasium("CliffWalking-v1", "9/10").actions
    ('up', 'right', 'down', 'left')
    """
    if not isinstance(env_or_id, str) and env_kwargs:
        raise InvalidProblem(f"{next(iter(env_kwargs))} can only be given with an environment's id", "gymnasium")
    with _opened(env_or_id, env_kwargs) if isinstance(env_or_id, str) else nullcontext(env_or_id) as env:
        return _outcomes_of(env).dense(gamma)[0]


@contextmanager
def _opened(name: str, env_kwargs: dict[str, Any]) -> Iterator[Any]:
    """The environment of this id, closed afterwards."""
    gymnasium = require("gymnasium", "gymnasium")
    try:
        with warnings.catch_warnings():
            # A version that is gone also raises an error, which says the same.
            warnings.simplefilter("ignore", DeprecationWarning)
            env = gymnasium.make(name, **env_kwargs)
    except Exception as error:  # what an environment's constructor raises is not ours to list
        lines = str(error).splitlines() or [""]
        kind = "" if isinstance(error, gymnasium.error.Error) else f"{type(error).__name__}: "
        raise InvalidProblem(f"cannot make {name}: {kind}{lines[0]}", "gymnasium") from None
    try:
        # To the environment any text is true, also "no".
        parameters = inspect.signature(type(env.unwrapped).__init__).parameters
        for key, value in env_kwargs.items():
            if key in parameters and isinstance(parameters[key].default, bool) and value not in (0, 1):
                raise InvalidProblem(f"must be true or false, got {value!r}", key)
        yield env
    finally:
        env.close()


def record(env: Any, target: Any, behaviour: Any, features: Any, episodes: int, seed: int = 0) -> dict[str, Any]:
    """Moves of the behaviour as columns, with the ratios of the actions taken; see `theory.record`."""
    if episodes < 1:
        raise InvalidProblem(f"must be at least 1, got {episodes}", "episodes")
    rng = np.random.default_rng(seed)
    names = ("phi", "next_phi", "reward", "ratio", "done", "truncated", "episode", "action")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    with _opened(env, {}) if isinstance(env, str) else nullcontext(env) as world:
        n, first = getattr(world.action_space, "n", None), int(getattr(world.action_space, "start", 0))
        if n is None:
            raise InvalidProblem(f"actions must be discrete, got {world.action_space}", "env")
        for episode in range(episodes):
            observation, _ = world.reset(seed=int(rng.integers(2**31)))
            phi, ended = _vector(features, observation), False
            while not ended:
                mu, pi = (
                    _probabilities(policy, observation, int(n), name)
                    for policy, name in ((behaviour, "behaviour"), (target, "target"))
                )
                if ((pi > 0) & (mu == 0)).any():
                    raise InvalidProblem("takes an action that the behaviour never takes", "target")
                a = int(rng.choice(int(n), p=mu))
                observation, reward, done, truncated, _ = world.step(first + a)
                ahead, ended = _vector(features, observation), bool(done or truncated)
                if len(ahead) != len(phi):
                    raise InvalidProblem(f"give {len(ahead)} numbers here and {len(phi)} before", "features")
                row = (phi, ahead, float(reward), float(pi[a] / mu[a]), bool(done), bool(truncated), episode, first + a)
                for name, value in zip(names, row, strict=True):
                    columns[name].append(value)
                phi = ahead
    return {name: np.array(values) for name, values in columns.items()}


def _vector(features: Any, observation: Any) -> Array:
    found = np.atleast_1d(np.asarray(features(observation), dtype=np.float64))
    if found.ndim != 1 or not np.isfinite(found).all():
        raise InvalidProblem(f"must give a vector of finite numbers, got shape {found.shape}", "features")
    return found


def _probabilities(policy: Any, observation: Any, n: int, name: str) -> Array:
    found = np.asarray(policy(observation), dtype=np.float64)
    if found.shape != (n,) or not (found >= 0).all() or abs(found.sum() - 1) > SUM_TOLERANCE:
        raise InvalidProblem(f"must give {n} probabilities that sum to one, got {found.tolist()}", name)
    return found / found.sum()


def _outcomes_of(env: Any) -> Outcomes:
    """The transition table from the initial distribution, with the actions' names where they are known."""
    env = getattr(env, "unwrapped", env)
    kind, table = type(env).__name__, getattr(env, "P", None)
    start = getattr(env, "initial_state_distrib", None)
    if not isinstance(table, Mapping | Sequence):
        raise InvalidProblem(f"{kind} has no transition table P: it is not a tabular environment", "gymnasium")
    if start is None:
        raise InvalidProblem(f"{kind} has a table P but no initial_state_distrib", "gymnasium")
    return Outcomes(table, start, _ACTIONS.get(kind))


def _policy(
    ours: dict[str, str], key: str, table: Outcomes, numbers: Sequence[int | None], optimal: Callable[[], Array]
) -> Array:
    """What `target` or `behaviour` means over the states that have these `numbers` in the table."""
    text, S, A, names = ours[key], len(numbers), table.n_actions, table.actions
    if text == "uniform":
        return np.full((S, A), Fraction(1, A), dtype=object)
    if text == "optimal":
        return optimal()
    if text in (names or ()):
        text = str(tuple(names or ()).index(text))
    if re.fullmatch(r"[0-9]{1,9}", text):
        if int(text) >= A:
            raise InvalidProblem(f"action {text} does not exist; there are {A}, from 0", key)
        return deterministic_policy([int(text)] * S, A, key)
    if text.endswith(".json"):
        try:
            rows = read_tree(text)
        except InvalidProblem as error:
            raise InvalidProblem(str(error), key) from None
    elif re.fullmatch(r"[0-9]{1,9}(-[0-9]{1,9})+", text):
        rows = text.split("-")
    else:
        shown = "" if names is None else f" ({', '.join(names)})"
        raise InvalidProblem(f"{text!r} is neither uniform, optimal, an action{shown}, a-b-c… nor a .json file", key)
    if isinstance(rows, list) and rows and not any(isinstance(row, list) for row in rows):
        rows = deterministic_policy(as_array(rows, 1, key), A, key)
    policy = as_probabilities(rows, (table.n_table, A), "states × actions of the environment", key)
    # Written for the environment's states, of which some are dropped and one may have been added at the end.
    return policy[[number or 0 for number in numbers]]


def _live_features(mdp: MDP, ours: dict[str, str]) -> Array:
    live = np.arange(mdp.n_states) if mdp.discount is None else np.flatnonzero(mdp.discount)
    columns = _features(ours, len(live), len(live))
    Phi = np.zeros((mdp.n_states, columns.shape[1]), dtype=np.int64)
    Phi[live] = columns
    unit = Fraction(1, 100 if ours["features"] == "random" else 1)
    return Phi.astype(object) * unit if is_exact(mdp.P) else Phi * float(unit)


def _features(ours: dict[str, str], n: int, most: int) -> Array:
    """Whole numbers, a row for each of `n` states; random ones are hundredths."""
    if ours["features"] == "tabular":
        return np.eye(n, dtype=np.int64)
    if ours["features"] == "aggregated":
        groups = _whole(ours, "groups", 1, most)
        # Group sizes differ by at most one, and every group has a state.
        return np.eye(groups, dtype=np.int64)[np.arange(n) * groups // n]
    count, rng = _whole(ours, "count", 1, most), np.random.default_rng(_whole(ours, "seed", 0, 2**63))
    return np.rint(100 * draw_features(rng, 1, n, count, "normal")[0]).astype(np.int64)


def _whole(ours: dict[str, str], key: str, low: int, high: int) -> int:
    text = ours[key]
    if not re.fullmatch(r"[0-9]{1,19}", text) or not low <= int(text) <= high:
        raise InvalidProblem(f"must be an integer from {low} to {high}, got {text!r}", key)
    return int(text)


EXACT_SIZE = 200_000  # S·A·S up to which fractions are affordable
MAX_SIZE = 50_000_000  # S·A·S up to which a dense array is: 0.4 GB

# Value iteration: change in a step, relative to the values; difference of actions that count as tied.
SETTLED, TIE = 1e-10, 1e-9

_MAX_DENOMINATOR = 1000
_Rows = list[list[tuple[float, int, float, bool]]]  # the outcomes of one state, by action


class Outcomes:
    """The moves of a table from its live states, in columns: from s by a to t, with probability p and reward r."""

    def __init__(self, table: Any, start: Any, actions: Sequence[str] | None = None) -> None:
        first = _read_start(start, len(table))
        live = _live_states(table, first)
        rows = [(s, a, *move) for s in sorted(live) for a, moves in enumerate(live[s]) for move in moves]
        s, self.a, self.p, self.t, self.r, self.end = (np.array(column) for column in zip(*rows, strict=True))
        self.numbers = np.unique(s)  # the environment's number of each live state; t is such a number
        self.s = np.searchsorted(self.numbers, s)
        self.n_table, self.n_states, self.n_actions = len(table), len(live), int(self.a.max()) + 1
        self.actions = tuple(actions) if actions is not None and len(actions) == self.n_actions else None
        self.start = np.zeros(self.n_states)
        self.start[np.searchsorted(self.numbers, list(first))] = list(first.values())

    def dense(self, gamma: Any) -> tuple[MDP, list[int | None]]:
        """The continuing MDP, and the environment's number of each state; None for an additional one."""
        known = np.union1d(self.numbers, self.t[self.end])
        again = self.end & np.isin(self.t, self.numbers)  # terminated in a live state
        S, A = len(known) + int(again.any()), self.n_actions
        if S * A * S > MAX_SIZE:
            raise InvalidProblem(f"{S} states and {A} actions are too many for dense arrays", "P")
        live = np.searchsorted(known, self.numbers)
        terminal = np.setdiff1d(np.arange(S), live)
        stay = np.repeat(terminal, A)
        s, t = np.append(live[self.s], stay), np.append(np.where(again, S - 1, np.searchsorted(known, self.t)), stay)
        a = np.append(self.a, np.tile(np.arange(A), len(terminal)))
        p, r = np.append(self.p, np.ones(len(stay))), np.append(self.r, np.zeros(len(stay)))
        start: Array = np.zeros(S)
        start[live] = self.start
        if S * A * S <= EXACT_SIZE and (exact := read_distributions(p, s * A + a)) is not None:
            fractions, firsts = read_fractions(r), read_distributions(start, 0 * start)
            p, r, start = exact, r if fractions is None else fractions, start if firsts is None else firsts
        P, R = np.zeros((S, A, S), dtype=p.dtype), np.zeros((S, A, S), dtype=r.dtype)
        np.add.at(P, (s, a, t), p)
        R[s, a, t] = r
        mixed = R[s, a, t] != r  # outcomes of one move with different rewards
        if mixed.any():
            total = np.zeros((S, A, S), dtype=r.dtype)
            np.add.at(total, (s, a, t), (p * r).astype(r.dtype))
            move = s[mixed], a[mixed], t[mixed]
            R[move] = total[move] / P[move]
        by_action = np.zeros((S, A), dtype=r.dtype)
        by_action[s, a] = R[s, a, t]
        if (by_action[s, a] == R[s, a, t]).all():
            R = by_action
        numbers = [*known.tolist(), *[None] * int(again.any())]
        labels = tuple("terminal" if n is None else f"s{n}" for n in numbers)
        if len(terminal) == 0:
            return MDP(P, R, gamma, labels, self.actions), numbers
        return continuing(P, R, terminal.tolist(), start, gamma, labels, self.actions), numbers

    def under(self, policy: Array) -> tuple[Any, Array, Array]:
        """P, sparse, r and the chance to end, (S, S), (S,) and (S,), over live states alone."""
        weight = policy[self.s, self.a] * self.p
        r, ends = (np.bincount(self.s, weight * x, self.n_states) for x in (self.r, self.end))
        return self._ahead(weight, self.s, self.n_states), r, ends

    def _ahead(self, weight: Array, row: Array, rows: int) -> Any:
        from scipy import sparse

        on = ~self.end
        moves = (row[on], np.searchsorted(self.numbers, self.t[on]))
        return sparse.coo_array((weight[on], moves), shape=(rows, self.n_states)).tocsr()

    def optimal_policy(self, gamma: float) -> Array:
        """A greedy policy after value iteration, the action of lowest index among the best."""
        S, A = self.n_states, self.n_actions
        pair = self.s * A + self.a
        ahead = self._ahead(gamma * self.p, pair, S * A)
        r, v = np.bincount(pair, self.p * self.r, S * A), np.zeros(S)
        for _ in range(VALUE_STEPS):
            q = (r + ahead @ v).reshape(S, A)
            change, v = float(np.abs(q.max(axis=1) - v).max()), q.max(axis=1)
            if change <= SETTLED * (1 - gamma) * (float(np.abs(v).max()) or 1.0):
                break
        near = q >= v[:, None] - TIE * (np.abs(q).max(axis=1, keepdims=True) + np.abs(q).max() * 1e-4)
        return np.eye(A)[near.argmax(axis=1)]


def to_gymnasium_table(problem_or_mdp: Problem | MDP) -> dict[int, dict[int, list[tuple[float, int, float, bool]]]]:
    """The MDP as a table of Gymnasium's toy environments; what terminates is what arrives with a discount of 0.

    >>> to_gymnasium_table(MDP([[[0, 1]], [["1/2", "1/2"]]], [[2], [0]], 0))[1]
    {0: [(0.5, 0, 0.0, False), (0.5, 1, 0.0, False)]}
    """
    mdp = mdp_of(problem_or_mdp)
    discount = np.ones(mdp.n_states) if mdp.discount is None else mdp.discount.astype(np.float64)
    if mdp.start is not None or not np.isin(discount, (0, 1)).all():
        raise InvalidProblem("a table says of a state only whether it ends the episode, not with which discount")
    P, R = mdp.P.astype(np.float64), mdp.R.astype(np.float64)
    table: dict[int, dict[int, list[tuple[float, int, float, bool]]]] = {}
    for s in range(mdp.n_states):
        table[s] = {a: [] for a in range(mdp.n_actions)}
    for s, a, t in np.argwhere(mdp.P > 0).tolist():
        reward = R[s, a] if R.ndim == 2 else R[s, a, t]
        table[s][a].append((float(P[s, a, t]), t, float(reward), bool(discount[t] == 0)))
    return table


def read_fractions(values: Iterable[float]) -> Array | None:
    """For every double the fraction p/q, q ≤ 1000, within two units in its last place; None if one has none.

    >>> read_fractions([0.33333333333333337, -1.0]).tolist()
    [Fraction(1, 3), Fraction(-1, 1)]
    """
    read: dict[float, Fraction] = {}
    for x in (numbers := [float(value) for value in values]):
        if x not in read:
            read[x] = Fraction(x).limit_denominator(_MAX_DENOMINATOR)
            if abs(read[x] - Fraction(x)) > 2 * Fraction(math.ulp(x)):
                return None
    return np.array([read[x] for x in numbers], dtype=object)


def read_distributions(values: Iterable[float], rows: Array) -> Array | None:
    """`read_fractions` of probabilities, None also where the fractions of a row do not sum to one."""
    read = read_fractions(values)
    if read is not None:
        total = np.zeros(int(max(rows)) + 1, dtype=object)
        np.add.at(total, np.asarray(rows, dtype=np.int64), read)
        return read if (total == 1).all() else None
    return None


def _read_start(start: Any, n_states: int) -> dict[int, float]:
    """The states in which an episode may begin, with their probabilities."""
    try:
        first = {s: float(p) for s, p in enumerate(start) if p != 0}
    except (TypeError, ValueError):
        first = {}
    fine = all(s < n_states and p > 0 for s, p in first.items()) and abs(sum(first.values()) - 1) <= SUM_TOLERANCE
    if not fine:
        raise InvalidProblem(f"is no distribution over the {n_states} states of P", "initial_state_distrib")
    return first


def _live_states(table: Any, first: Iterable[int]) -> dict[int, _Rows]:
    """The states met from `first`, never beyond a termination, each with its outcomes by action."""
    live: dict[int, _Rows] = {}
    waiting = list(first)
    while waiting:
        s = waiting.pop()
        if s in live:
            continue
        live[s] = _read_state(table, s)
        if len(live[s]) != len(next(iter(live.values()))):
            raise InvalidProblem(f"has {len(live[s])} actions, but another state has another number", "P", s)
        waiting += [t for row in live[s] for _, t, _, terminated in row if not terminated]
    return live


def _read_state(table: Any, s: int) -> _Rows:
    rows: _Rows = []
    try:
        for a in range(len(table[s])):
            rows.append([(float(p), index(t), float(r), bool(end)) for p, t, r, end in table[s][a] if p != 0])
    except (LookupError, TypeError, ValueError):
        complaint = "is not a list of (probability, next state, reward, terminated)"
        raise InvalidProblem(complaint, "P", s, len(rows)) from None
    for a, row in enumerate(rows):
        for p, t, r, _ in row:
            if not (p > 0 and 0 <= t < len(table) and math.isfinite(r)):
                raise InvalidProblem(f"({p}, {t}, {r}) is no probability, next state and reward", "P", s, a)
        total = sum(p for p, *_ in row)
        if not abs(total - 1) <= SUM_TOLERANCE:
            raise InvalidProblem(f"probabilities sum to {total:.6g}, not 1", "P", s, a)
    return rows
