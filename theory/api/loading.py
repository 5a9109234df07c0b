"""Problems and recorded transitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from theory.api.given import Number
from theory.api.results import Catalogue
from theory.problems.numbers import Array

if TYPE_CHECKING:
    from theory.data.inspect import Data


def catalogue() -> Catalogue:
    """List the named problems.

    Returns
    -------
    Catalogue
        A mapping from names to entries with ``title``, ``source``, ``famous_for``, ``parameters`` and ``build``, which
        makes the problem at given parameters. Prints as a table; ``.to_pandas()`` is a data frame.

    See Also
    --------
    open_problem : A problem by its name, or from a file.

    Examples
    --------
    >>> import theory
    >>> theory.catalogue()["kolter"].build(p="3/5")
    Problem('kolter:p=3/5': 2 states, 1 feature, γ=99/100, exact, MDP with 2 actions)
    """
    from theory.problems.catalogue import catalogue

    return Catalogue(catalogue())


def open_data(
    source: Any,
    gamma: Number,
    *,
    features: str | Callable[[Array], Array] | None = None,
    ratio: str | int | None = None,
    target: str | Callable[[Array, Array], Array] | None = None,
    behaviour: str | Callable[[Array, Array], Array] | None = None,
    level: float = 0.95,
    seed: int = 0,
    scheduler: str | None = None,
    batch: int = 65_536,
) -> Data:
    """Analyse recorded transitions, of any size: TD, the chain, and the confidence of each answer.

    Parameters
    ----------
    source : path, frame, mapping, iterable, or data set
        A file (.csv, .parquet, .npz), a folder or a glob of them, an address that fsspec knows; a mapping from columns
        to values; a pandas, Polars (also lazy) or Arrow frame, or an iterable of such; a Minari or d3rlpy data set;
        what `record` gives.
    gamma : number or str
        The discount, in [0, 1].
    features : str or callable, optional
        Where there are no columns phi: ``"obs"`` takes observations as they are, a function maps them, (n, …) to
        (n, F).
    ratio : str or 1, optional
        The column of ratios π/μ of the actions taken; 1 for on-policy data.
    target, behaviour : callable or str, optional
        In place of `ratio`: functions of (observations, actions) that give the probability of each action taken, or
        columns that hold it.
    level : float, default 0.95
        The confidence of each answer.
    seed : int, default 0
        Seed of the bootstrap.
    scheduler : str, optional
        The address of a Dask scheduler, whose workers read the files.
    batch : int, default 65,536
        Rows that are read at once; no number depends on it.

    Returns
    -------
    Data
        Prints as a summary; ``.compare()`` judges every method, ``.problem()`` is the problem estimated from moves
        between named states. Rows are read when an answer is asked for, once for all of them.

    Raises
    ------
    InvalidProblem
        One line that names file, row and column, or what is missing.

    See Also
    --------
    record : Transitions of a Gymnasium environment.

    Examples
    --------
    >>> import theory
    >>> columns = {"phi_0": [1, 2] * 50, "next_phi_0": [1, 2] * 50, "reward": [0] * 100, "ratio": [1] * 100}
    >>> theory.open_data(columns | {"episode": [i // 2 for i in range(100)]}, 0.9).td.answer
    'stable'
    """
    from theory.data import inspect
    from theory.problems.data import Options

    options = Options(features, ratio, target, behaviour)
    return inspect.open_data(source, gamma, level, seed, options, scheduler, batch)


def record(
    env: Any,
    target: Callable[[Any], Any],
    behaviour: Callable[[Any], Any],
    features: Callable[[Any], Any],
    episodes: int,
    *,
    seed: int = 0,
) -> dict[str, Array]:
    """Record transitions of a Gymnasium environment with discrete actions, with their ratios.

    Parameters
    ----------
    env : gymnasium.Env or str
        An environment, or its id.
    target, behaviour : callable
        Policies: an observation to the probabilities of all actions. Actions are drawn from `behaviour`.
    features : callable
        An observation to a vector of features.
    episodes : int
        How many to play, each until it is terminated or truncated.
    seed : int, default 0
        Seed of the environment and of the actions: the same seed gives the same columns.

    Returns
    -------
    dict of arrays
        Columns phi, next_phi, reward, ratio, done, truncated, episode and action, a row a move.

    See Also
    --------
    open_data : Analyse the columns.

    Examples
    --------
    >>> import theory
    >>> uniform, right = (lambda s: [0.25] * 4), (lambda s: [0.1, 0.2, 0.6, 0.1])
    >>> columns = theory.record("FrozenLake-v1", right, uniform, lambda s: [1.0, s / 15], episodes=40)
    >>> theory.open_data(columns, 0.9).recorded.told_apart
    True
    """
    from theory.problems import gymnasium

    return gymnasium.record(env, target, behaviour, features, episodes, seed)
