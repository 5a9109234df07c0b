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
state is left only to start again. Which states are kept and how doubles are read: `theory.problems.gymnasium_table`.
Wrappers have no part in it: no time limit ends an episode, no wrapper changes a reward. A table of more than 2,000
states stays sparse; its features are aggregated or random.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.problems.ensembles import draw_features
from theory.problems.episodic import continuing, episodic_problem
from theory.problems.errors import InvalidProblem
from theory.problems.gymnasium_table import Outcomes
from theory.problems.interop import require
from theory.problems.jsontext import read_tree
from theory.problems.mdp import MDP, deterministic_policy
from theory.problems.numbers import Array, as_array, as_floats, is_exact, parse_number
from theory.problems.problem import Problem
from theory.problems.validate import as_probabilities, check_covers

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


@dataclass(frozen=True, eq=False)
class TabularTask:
    """An environment's MDP in continuing form, and which of its S states end an episode."""

    mdp: MDP  # the end's first action stays, the others start again
    terminal: tuple[int, ...]  # indices into the S states
    numbers: tuple[int | None, ...]  # the environment's number of each state; None for an additional one

    @property
    def live(self) -> tuple[int, ...]:
        """Indices of the states that are not terminal."""
        ends = set(self.terminal)
        return tuple(s for s in range(self.mdp.n_states) if s not in ends)


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
    task = _task(outcomes, gamma)
    pi, mu = (_policy(ours, key, outcomes, task.numbers, task.mdp.optimal_policy) for key in ("target", "behaviour"))
    try:
        return episodic_problem(task.mdp, pi=pi, mu=mu, Phi=_live_features(task, ours), name=name)
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
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    if re.fullmatch(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][+-]?[0-9]+)?", text):
        return float(text)
    return text


def mdp_from_gymnasium(env_or_id: Any, gamma: Any, **env_kwargs: Any) -> MDP:
    """The continuing MDP of an environment, given as an object or by id (made with `env_kwargs`).

    >>> mdp_from_gymnasium("CliffWalking-v1", "9/10").actions
    ('up', 'right', 'down', 'left')
    """
    return task_from_gymnasium(env_or_id, gamma, **env_kwargs).mdp


def task_from_gymnasium(env_or_id: Any, gamma: Any, **env_kwargs: Any) -> TabularTask:
    """`mdp_from_gymnasium` with what features need to know of terminal states."""
    if not isinstance(env_or_id, str) and env_kwargs:
        raise InvalidProblem(f"{next(iter(env_kwargs))} can only be given with an environment's id", "gymnasium")
    with _opened(env_or_id, env_kwargs) if isinstance(env_or_id, str) else nullcontext(env_or_id) as env:
        return _task(_outcomes_of(env), gamma)


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


def _task(outcomes: Outcomes, gamma: Any) -> TabularTask:
    P, R, start, terminal, numbers = outcomes.dense()
    labels = tuple("terminal" if n is None else f"s{n}" for n in numbers)
    if terminal:
        mdp = continuing(P, R, terminal, start, gamma, labels, outcomes.actions)
    else:
        mdp = MDP(P, R, gamma, labels, outcomes.actions)
    return TabularTask(mdp, terminal, numbers)


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


def _live_features(task: TabularTask, ours: dict[str, str]) -> Array:
    live = list(task.live)
    columns = _features(ours, len(live), len(live))
    Phi = np.zeros((task.mdp.n_states, columns.shape[1]), dtype=np.int64)
    Phi[live] = columns
    unit = Fraction(1, 100 if ours["features"] == "random" else 1)
    return Phi.astype(object) * unit if is_exact(task.mdp.P) else Phi * float(unit)


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
