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

A table of more than 2,000 states stays sparse (`theory.problems.interop.large_environment`); its policies are uniform,
optimal or one action, its features aggregated or random.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from theory.problems.episodic import restart_at_end, silent_at_end, stay_at_end
from theory.problems.errors import InvalidProblem
from theory.problems.features import draw_features
from theory.problems.interop.environment import (
    TabularTask,
    mdp_from_gymnasium,
    opened,
    table_of,
    task_from_gymnasium,
)
from theory.problems.interop.planning import optimal_policy
from theory.problems.jsontext import parse_tree, read_bytes, show_path
from theory.problems.mdp import uniform_policy
from theory.problems.numbers import Array, as_array, is_exact, parse_number
from theory.problems.problem import Problem
from theory.problems.validate import check_probabilities, check_shape

__all__ = ["gymnasium_problem", "mdp_from_gymnasium", "parse_spec", "task_from_gymnasium"]

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
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def gymnasium_problem(spec: str) -> Problem:
    """The problem that `spec` describes; see the module for its language.

    >>> gymnasium_problem("FrozenLake-v1,features=aggregated,groups=4,gamma=9/10")
    Problem('FrozenLake-v1': 16 states, 4 features, γ=9/10, exact, MDP with 4 actions, episodes end)
    """
    name, ours, theirs = parse_spec(spec)
    if ours["features"] not in _FEATURES:
        raise InvalidProblem(f"{ours['features']!r} is none of {', '.join(_FEATURES)}", "features")
    with opened(name, theirs) as env:
        table, start, actions = table_of(env)
        if len(table) > LARGEST:
            from theory.problems.interop.large_environment import large_environment

            return large_environment(table, start, actions, ours, name)
        task = task_from_gymnasium(env, parse_number(ours["gamma"], "gamma"))
    pi = stay_at_end(_policy(task, ours["target"], "target"), task.terminal)
    mu = restart_at_end(_policy(task, ours["behaviour"], "behaviour"), task.terminal)
    Phi = silent_at_end(_features(task, ours), task.terminal)
    try:
        return Problem.from_mdp(task.mdp, pi=pi, mu=mu, Phi=Phi, name=name)
    except InvalidProblem as error:
        raise error.renamed({"pi": "target", "mu": "behaviour", "d_mu": "behaviour"}) from None


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


def _policy(task: TabularTask, text: str, key: str) -> Array:
    S, A = task.mdp.n_states, task.mdp.n_actions
    if text == "uniform":
        return uniform_policy(S, A)
    if text == "optimal":
        return optimal_policy(task.absorbing)
    if text in (task.mdp.actions or ()):
        return _everywhere(task, (task.mdp.actions or ()).index(text), key)
    if text.endswith(".json"):
        return _from_file(task, text, key)
    if re.fullmatch(r"[0-9]{1,9}", text):
        return _everywhere(task, int(text), key)
    if re.fullmatch(r"[0-9]{1,9}(-[0-9]{1,9})+", text):
        return _restricted(task, [int(a) for a in text.split("-")], key)
    names = "" if task.mdp.actions is None else f" ({', '.join(task.mdp.actions)})"
    raise InvalidProblem(f"{text!r} is neither uniform, optimal, an action{names}, a-b-c… nor a .json file", key)


def _everywhere(task: TabularTask, action: int, key: str) -> Array:
    if action >= task.mdp.n_actions:
        raise InvalidProblem(f"action {action} does not exist; there are {task.mdp.n_actions}, from 0", key)
    return task.mdp.policy([action] * task.mdp.n_states, key)


def _from_file(task: TabularTask, path: str, key: str) -> Array:
    try:
        rows = parse_tree(read_bytes(path).decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidProblem(f"{show_path(path)} is not UTF-8 text", key) from None
    except InvalidProblem as error:
        raise InvalidProblem(str(error) if path in str(error) else f"{show_path(path)} {error}", key) from None
    return _restricted(task, rows, key)


def _restricted(task: TabularTask, rows: Any, key: str) -> Array:
    # Written for the environment's states, of which some are dropped and one may have been added at the end.
    n, A = task.n_environment_states, task.mdp.n_actions
    if isinstance(rows, list) and rows and not any(isinstance(row, list) for row in rows):
        actions = as_array(rows, 1, key)
        for s, a in enumerate(actions.tolist()):
            if a not in range(A):
                raise InvalidProblem(f"action {a} does not exist; there are {A}, from 0", key, s)
        rows = [[int(a == b) for b in range(A)] for a in actions.tolist()]
    policy = as_array(rows, 2, key)
    check_shape(policy, (n, A), "states × actions of the environment", key)
    check_probabilities(policy, key)
    return policy[[0 if number is None else number for number in task.numbers]]


def _features(task: TabularTask, ours: dict[str, str]) -> Array:
    live = task.live
    kind = ours["features"]
    if kind == "tabular":
        columns = np.eye(len(live), dtype=np.int64)
    elif kind == "aggregated":
        groups = _whole(ours, "groups", 1, len(live))
        # Group sizes differ by at most one, and every group has a state.
        columns = np.eye(groups, dtype=np.int64)[np.arange(len(live)) * groups // len(live)]
    else:
        count = _whole(ours, "count", 1, len(live))
        rng = np.random.default_rng(_whole(ours, "seed", 0, 2**63))
        columns = np.rint(100 * draw_features(rng, 1, len(live), count, "normal")[0]).astype(np.int64)
    Phi = np.zeros((task.mdp.n_states, columns.shape[1]), dtype=np.int64)
    Phi[list(live)] = columns
    unit = Fraction(1, 100 if kind == "random" else 1)
    return Phi.astype(object) * unit if is_exact(task.mdp.P) else Phi * float(unit)


def _whole(ours: dict[str, str], key: str, low: int, high: int) -> int:
    text = ours[key]
    if not re.fullmatch(r"[0-9]{1,19}", text) or not low <= int(text) <= high:
        raise InvalidProblem(f"must be an integer from {low} to {high}, got {text!r}", key)
    return int(text)
