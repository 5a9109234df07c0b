"""Random problems, and learners on sampled transitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theory.api.given import Number, Numbers, ProblemLike, as_float, as_fraction, as_problem
from theory.api.results import Rates
from theory.problems import InvalidProblem
from theory.problems.numbers import as_number, did_you_mean

if TYPE_CHECKING:
    from theory.checking.check import UpdateCheck
    from theory.experiments.learning import Learned
    from theory.learners.rule import Rule
    from theory.noise.summary import LearnerNoise

Sizes = int | str | Iterable[int | str]


def success_rate(
    states: Sizes,
    features: Sizes = "S",
    *,
    samples: int = 1000,
    seed: int = 0,
    gamma: Number = "99/100",
    ensemble: str = "paper",
    law: str = "normal",
    sink: float = 0.0,
    n_steps: int = 1,
    windows: Sequence[float] = (),
    step_size: float = 0.5,
    quantiles: bool = False,
    parameters: Mapping[str, float] | None = None,
) -> Rates:
    """Count on random problems how often TD is unstable and the chain biased.

    Runs in this process and keeps nothing; ``theory success-rate`` uses all processors and a store.

    Parameters
    ----------
    states : int, str or iterable
        S: ``5``, ``[2, 5]``, ``range(2, 9)``, ``"2..100"``.
    features : int, str or iterable, default "S"
        F: numbers, or texts relative to S, ``["S", "S-1", "S/2"]``.
    samples : int, default 1000
        Problems for each pair (S, F).
    seed : int, default 0
        Seed of the problems.
    gamma : number or str, default "99/100"
        The discount.
    ensemble : str, default "paper"
        From which ensemble problems are drawn; ``theory success-rate --help`` lists them.
    law : str, default "normal"
        The law of the features.
    sink : float, default 0
        Probability with which the target goes to one random state.
    n_steps : int, default 1
        Steps of the estimator.
    windows : sequence of float, default ()
        Also count target networks of T updates; ``inf`` is allowed.
    step_size : float, default 0.5
        α λ_max(X), for `windows`.
    quantiles : bool, default False
        Also quantiles of ρ(γΠP); slow.
    parameters : mapping, optional
        Parameters of the ensemble, by name.

    Returns
    -------
    Rates
        ``.rows``, one a pair (S, F), with counts, rates and 95% intervals; ``.to_pandas()``, ``.svg()``.

    Raises
    ------
    InvalidProblem
        A size, law or ensemble that does not exist.

    See Also
    --------
    figure : The success-rate figure of the paper.

    Examples
    --------
    >>> import theory
    >>> theory.success_rate(5, ["S", 4], samples=100)
    <Rates at S = 5, F = 4: TD unstable 20, chain biased 19 of 100 and 1 size more>
    """
    from theory.montecarlo import Cell, Store, Study, run_study
    from theory.montecarlo.axes import parse_sizes

    options: dict[str, Any] = {
        "ensemble": ensemble, "law": law, "sink": sink, "parameters": parameters or {}, "n_steps": n_steps,
        "windows": tuple(windows), "step_size": step_size, "quantiles": quantiles,
    }  # fmt: skip
    discount = as_fraction(gamma, "gamma")
    sizes = parse_sizes(_listed(states), _listed(features))
    cells = tuple(Cell(S, F, discount, **options) for S, F in sizes)
    with Store(None) as store:
        return Rates(run_study(Study(cells, samples, seed, chunk=min(samples, 1000)), store))


def learner_names() -> tuple[str, ...]:
    """List the learners that `learn` runs.

    Returns
    -------
    tuple of str
        Names such as ``"tdc"``.

    See Also
    --------
    learn : Run one.

    Examples
    --------
    >>> import theory
    >>> "chained-concurrent" in theory.learner_names()
    True
    """
    from theory.learners.families import learners

    return tuple(learners())


def learn(
    problem: ProblemLike,
    learner: str,
    step_size: Number | None = None,
    *,
    beta: Number | None = None,
    lambda_: Number | None = None,
    n: int | None = None,
    window: int | None = None,
    k: int | None = None,
    epsilon: Number | None = None,
    heads: int = 256,
    tune: bool = False,
    exact: bool = False,
    error: str = "uniform",
    steps: int = 100_000,
    seeds: int = 10,
    seed: int = 0,
    scale: Number = 100,
    start: Numbers | None = None,
    gamma: Number | None = None,
    **variants: Any,
) -> Learned:
    """Run a learner on sampled transitions and measure its error against v_π.

    With the same `seed` all learners see the same transitions. A setting that the learner does not have is an error.

    Parameters
    ----------
    problem : Problem, str or path
        A problem with an MDP, or what `open_problem` takes; ``problem.realised()`` adds an MDP to matrices.
    learner : str
        One of `learner_names`.
    step_size : number or str, optional
        α; required by all learners but lstd, unless `tune`.
    beta : number or str, optional
        Secondary step size of gradient methods; α by default.
    lambda_ : number or str, optional
        λ of traces.
    n : int, optional
        Steps of n-step learners.
    window : int, optional
        T, updates per head or target network; 100 by default.
    k : int, optional
        The head that predicts; `heads` by default.
    epsilon : number or str, optional
        Ridge of lstd.
    heads : int, default 256
        K: a chain has the heads 0..K; other learners have none.
    tune : bool, default False
        Choose what is not given from the paper's grid, by ten seeds of its own.
    exact : bool, default False
        Also compute the expectation of the error without sampling, ``.exact``.
    error : {"uniform", "d_mu", "pbe"}, default "uniform"
        What is measured: root mean square over the states, √VE or √PBE.
    steps : int, default 100,000
        Transitions of each seed.
    seeds : int, default 10
        Independent runs.
    seed : int, default 0
        Seed of all randomness.
    scale : number or str, default 100
        Parameters start from N(0, scale²).
    start : numbers, optional
        Parameters of every head at the start, in place of random ones.
    gamma : number or str, optional
        Another discount, in [0, 1].
    **variants : str, bool or float
        Variants of the learner, as in ``reading="2009"``; ``theory list`` shows which each has.

    Returns
    -------
    Learned
        ``.rmse`` at ``.marks`` with its band ``.low``, ``.high``; ``.final``, ``.diverged_seeds``; ``.plot(*others)``,
        ``.to_pandas()``.

    Raises
    ------
    InvalidProblem
        The learner is unknown, has no such setting, or needs one that is missing.

    See Also
    --------
    trajectory : The expected updates.
    mean_square : The largest stable step sizes, without sampling.

    Examples
    --------
    >>> import theory
    >>> theory.learn("threestate", "chained-concurrent", 1/16, heads=8, steps=2000, seeds=4).diverged_seeds
    0
    """
    from theory.experiments import learning
    from theory.learners.families import find_learner

    rule = find_learner(learner)
    numbers = {"alpha": step_size, "beta": beta, "lambda_": lambda_, "epsilon": epsilon}
    given = {name: as_float(value, _word(name)) for name, value in numbers.items() if value is not None}
    given |= {name: value for name, value in (("n", n), ("window", window), ("k", k)) if value is not None}
    for name in [*given, *variants]:
        if name not in (rule.columns if name in given else rule.options()):
            raise _no_setting(rule, name)
    about = as_problem(problem, gamma)
    shared: dict[str, Any] = {"heads": heads, "steps": steps, "seeds": seeds, "seed": seed, "error": error}
    shared |= {"scale": as_float(scale, "scale"), "options": variants}
    if start is not None:
        shared["start"] = tuple(as_number(x, "start", i) for i, x in enumerate(start))
    if tune:
        run = learning.tune(about, rule.name, given, **shared)
    else:
        run = learning.Run(rule.name, learning.default_setting(rule.name, given, heads), **shared)
    found = learning.learn(about, run)
    return learning.with_exact(about, found) if exact else found


def mean_square(
    problem: ProblemLike,
    learner: str = "chained-concurrent",
    step_size: Number | None = None,
    *,
    ratio: Number = 1,
    heads: int = 1,
    gamma: Number | None = None,
    **settings: Any,
) -> LearnerNoise:
    """Compute the mean-square stability of a learner: its largest step sizes, and error and tail at one.

    Step sizes are algebraic numbers, or brackets with opposite certificates.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    learner : str, default "chained-concurrent"
        One of `learner_names`.
    step_size : number or str, optional
        α at which error and tail are computed; by default the largest power of two up to half the limit.
    ratio : number or str, default 1
        β/α of gradient methods.
    heads : int, default 1
        K of chains.
    gamma : number or str, optional
        Another discount, in [0, 1].
    **settings : number or str
        Other settings and variants of the learner: ``window=5``, ``lambda_="1/2"``, ``reading="2009"``.

    Returns
    -------
    LearnerNoise
        ``.mean`` and ``.mean_square``, the largest step sizes; ``.at``: error, ρ₂, ρ₄, tail and certificates;
        ``.document()`` is the JSON of ``theory noise --json``.

    Raises
    ------
    InvalidProblem
        The learner is unknown, has no such setting, or needs one that is missing.

    See Also
    --------
    learn : The same learner sampled.

    Examples
    --------
    >>> import theory
    >>> found = theory.mean_square("twostate", gamma="1/2")
    >>> str(found.mean_square), found.at.step_size, found.at.stable, found.at.certificates[0].recheck()
    ('5/17', Fraction(1, 8), True, True)
    """
    from theory.learners.families import find_learner
    from theory.noise import summary

    about = as_problem(problem, gamma)
    about = about if about.mdp is not None else about.realised()
    rule = find_learner(learner)
    chosen = {name: value for name, value in settings.items() if name in rule.options()}
    values: dict[str, Any] = {name: Fraction(1) for name in ("alpha", "beta") if name in rule.columns}
    for name, value in settings.items():
        if name in chosen:
            continue
        if name not in rule.columns or name in ("alpha", "beta", "k"):
            raise _no_setting(rule, name)
        number = as_fraction(value, name)
        values[name] = int(number) if name in ("n", "window") and number.denominator == 1 else number
    missing = [name for name in rule.columns if name not in (*values, "k") and rule.default(name) is None]
    if missing:
        raise InvalidProblem(f"{learner} needs one", _word(missing[0]))
    size = None if step_size is None else as_fraction(step_size, "step_size")
    asked = rule.of(about.exact.gamma, values, heads, chosen)
    return summary.learner_noise(asked, about, size, as_fraction(ratio, "ratio"))


def check_update(
    update: Any,
    problem: ProblemLike | None = None,
    method: str = "off-policy-td",
    *,
    gamma: Number | None = None,
    start: Any = None,
    read: Callable[[Any], Any] | None = None,
    heads: int = 2,
    **settings: Any,
) -> UpdateCheck:
    """Check whether an update rule of one's own is the learner that is meant, and if not, find the mistake.

    A state is θ; (θ, w) for gradient methods; an array of the heads 0..`heads` for a chain, of target and θ for a soft
    target; or any nest of arrays like `start`. A transition has ``phi``, ``reward``, ``phi_next``, ``ratio`` and
    ``gamma``. Learners with memory (traces, windows) are compared along a path.

    Parameters
    ----------
    update : callable or object
        A function (state, transition) → state, or an object with such a method ``update``.
    problem : Problem, str or path, optional
        A problem, or what `open_problem` takes; by default one made to tell common mistakes apart.
    method : str, default "off-policy-td"
        The learner or method that is meant.
    gamma : number or str, optional
        Another discount, in [0, 1].
    start : state, optional
        A state before the first transition; by default what the object's ``init`` makes of θ.
    read : callable, optional
        Takes θ from a state; its first numbers by default.
    heads : int, default 2
        K of chains.
    **settings : number
        Step sizes (``alpha``, ``beta``) and other settings, which are compared where they are given.

    Returns
    -------
    UpdateCheck
        Prints the answer and the difference.

    Raises
    ------
    InvalidProblem
        The method or a setting is unknown, or the update fails.

    See Also
    --------
    learn : Run a learner.

    Examples
    --------
    >>> import theory
    >>> def td(theta, t):
    ...     return theta + 0.1 * (t.reward + t.gamma * t.phi_next @ theta - t.phi @ theta) * t.phi
    >>> print(theory.check_update(td, method="off-policy-td"))
    It is not off-policy-td.
    The difference is this: ρ is left out.
    """
    from theory.checking import check
    from theory.checking.observations import telling_problem

    found = as_problem(telling_problem() if problem is None else problem, gamma)
    return check.check_update(update, found, method, start=start, read=read, heads=heads, **settings)


def _no_setting(rule: type[Rule], name: str) -> InvalidProblem:
    known = ["step_size" if c == "alpha" else c for c in rule.columns] + list(rule.options())
    hint = did_you_mean(name, known, f"it has {', '.join(known)}")
    return InvalidProblem(f"{rule.name} has no such setting; {hint}", _word(name))


def _word(column: str) -> str:
    return "step_size" if column == "alpha" else column


def _listed(sizes: Sizes) -> str:
    """``5``, ``[2, 5]``, ``range(2, 9)`` or ``"S-1"`` as the command line writes them."""
    if isinstance(sizes, str | int):
        return str(sizes)
    return ",".join(map(str, sizes))
