"""Questions about one problem."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from theory.api.given import Number, Numbers, Path, ProblemLike, as_fraction, as_problem
from theory.api.results import GammaThresholds, Head
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array
from theory.problems.sources import is_data_set

if TYPE_CHECKING:
    from theory.certified.answers import Verdict
    from theory.data.inspect import Data, DataComparison
    from theory.derivation.derive import Derivation
    from theory.derivation.families import FamilyDerivation
    from theory.experiments.comparison import Comparison
    from theory.experiments.flips import Flips
    from theory.experiments.inspection import Inspection
    from theory.experiments.search import SearchResult
    from theory.experiments.trajectory import Trajectory
    from theory.problems.formulas import Family


def inspect(
    problem: ProblemLike, *, gamma: Number | None = None, step_size: Number | None = None, window: int = 100
) -> Inspection:
    """Analyse one problem: verdicts, thresholds, spectra, fixed points.

    Of a large problem, whose P is sparse, what needs no matrix of S×S numbers.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    gamma : number or str, optional
        Another discount, in [0, 1].
    step_size : number or str, optional
        α of the target network; by default a power of two at which every head of the chain is stable.
    window : int, default 100
        T, updates per target network.

    Returns
    -------
    Inspection
        Prints as ``theory inspect`` does; ``.td``, ``.chain`` and ``.target_network`` are verdicts, ``.plot()`` draws,
        ``.document()`` is the JSON of ``theory inspect --json``.

    Raises
    ------
    InvalidProblem
        One line that names the argument, or the place in the file.

    See Also
    --------
    compare : Every method on the problem.
    gamma_thresholds : Only the thresholds.

    Examples
    --------
    >>> import theory
    >>> theory.inspect("baird")
    <Inspection of baird at γ = 9/10: TD unstable, chain unbiased>
    """
    from theory.experiments.inspection import inspect_problem

    alpha = None if step_size is None else as_fraction(step_size, "step_size")
    return inspect_problem(as_problem(problem, gamma), alpha, window)


@overload
def compare(
    problem: Data,
    methods: str | Sequence[str] | None = None,
    *,
    gamma: Number | None = None,
    step_size: Number | None = None,
    window: int | None = None,
    tau: Number | None = None,
) -> DataComparison: ...
@overload
def compare(
    problem: Problem,
    methods: str | Sequence[str] | None = None,
    *,
    gamma: Number | None = None,
    step_size: Number | None = None,
    window: int | None = None,
    tau: Number | None = None,
) -> Comparison: ...
@overload
def compare(
    problem: Path,
    methods: str | Sequence[str] | None = None,
    *,
    gamma: Number | None = None,
    step_size: Number | None = None,
    window: int | None = None,
    tau: Number | None = None,
) -> Comparison | DataComparison: ...
def compare(
    problem: ProblemLike | Data,
    methods: str | Sequence[str] | None = None,
    *,
    gamma: Number | None = None,
    step_size: Number | None = None,
    window: int | None = None,
    tau: Number | None = None,
) -> Comparison | DataComparison:
    """Compare the linear methods on one problem: which converge, and to what.

    Parameters
    ----------
    problem : Problem, Data, str or path
        A problem, or what `open_problem` takes; recorded transitions, or a file of them, of which each answer comes
        with its confidence.
    methods : str or sequence of str, optional
        Methods by name or alias, ``"td"``, ``["etd", "td-lambda:0.9"]``; commas separate them in one text. All of them
        by default.
    gamma : number or str, optional
        Another discount, in [0, 1]; required of a file of transitions.
    step_size : number or str, optional
        α of hard and soft target networks.
    window : int, optional
        T, updates per hard target network; 100 by default.
    tau : number or str, optional
        τ of soft targets and of the damped chain; 1/8 by default.

    Returns
    -------
    Comparison or DataComparison
        Prints as the table of ``theory compare``; ``.recommended``, ``.rows``, ``.to_pandas()``, ``.to_dict()``.

    Raises
    ------
    InvalidProblem
        A method is unknown, or has no such parameter.

    See Also
    --------
    inspect : TD, the chain and the target network in detail.
    trajectory : The expected updates of one method.

    Examples
    --------
    >>> import theory
    >>> theory.compare("finite-window", ["td", "fqi", "polyak"], step_size="1/16", tau="1/10")
    <Comparison of 3 methods on finite-window: Use soft-target (α = 1/16, τ = 1/10); TD does not converge.>
    """
    from theory.experiments.comparison import compare

    settings = {"alpha": step_size, "window": window, "tau": tau}
    given = {k: v for k, v in settings.items() if v is not None}
    names = methods.split(",") if isinstance(methods, str) else methods
    if isinstance(problem, Problem):
        return compare(as_problem(problem, gamma), names, given)
    if isinstance(problem, str | os.PathLike) and not is_data_set(problem):
        return compare(as_problem(problem, gamma), names, given)
    from theory.data.inspect import Data, open_data

    if isinstance(problem, Data):
        if gamma is not None:
            raise InvalidProblem("the data have theirs: give it to open_data", "gamma")
        return problem.compare(names, given)
    if gamma is None:
        raise InvalidProblem("is missing: recorded transitions have no discount", "gamma")
    return open_data(problem, gamma).compare(names, given)


def trajectory(
    problem: ProblemLike,
    method: str,
    steps: int = 1000,
    *,
    start: str | Numbers = "zero",
    step_size: Number | None = None,
    sweep: bool = False,
    error: str = "uniform",
    gamma: Number | None = None,
) -> Trajectory:
    """Follow the expected updates of a method from a start, in floats.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    method : str
        A method as `compare` names it, ``"tdc:ratio=10"``.
    steps : int, default 1000
        Number of updates.
    start : {"zero", "behaviour"} or numbers, default "zero"
        θ_0: zero, the fixed point of on-policy TD of the behaviour, or one number a feature.
    step_size : number or str, optional
        α; by default the largest power of two not above 1/λ_max(X).
    sweep : bool, default False
        Update all states with equal weights, as in dynamic programming, in place of the weights d_μ.
    error : {"uniform", "d_mu", "pbe"}, default "uniform"
        Which error ``.error`` is: root mean square over the states, √VE or √PBE. ``.errors`` has all.
    gamma : number or str, optional
        Another discount, in [0, 1].

    Returns
    -------
    Trajectory
        ``.theta`` (steps + 1, F), ``.values`` (steps + 1, S), ``.errors``; ``.plot()`` draws them.

    See Also
    --------
    learn : The same learner sampled.

    Examples
    --------
    >>> import theory
    >>> star = [1, 1, 1, 1, 1, 1, 10, 1]
    >>> found = theory.trajectory("baird", "tdc:ratio=10", start=star, step_size="1/200", gamma="0.99")
    >>> found.theta.shape, bool(found.errors["pbe"][-1] < 0.5)
    ((1001, 8), True)
    """
    from theory.experiments import trajectory

    begin = start if isinstance(start, str) else list(start)
    return trajectory.trajectory(as_problem(problem, gamma), method, steps, begin, step_size, sweep, error)


def td_stable(problem: ProblemLike, *, gamma: Number | None = None) -> Verdict:
    """Decide whether off-policy TD is stable: all eigenvalues of A, structural zeros apart, have positive real part.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    gamma : number or str, optional
        Another discount, in [0, 1].

    Returns
    -------
    Verdict
        Three-valued: ``.proved``, ``.refuted``, ``.undecided``; with ``.reason`` and ``.certificate``, which other code
        can ``.recheck()``.

    See Also
    --------
    chain_unbiased : The same of chained TD.
    gamma_thresholds : For which γ.

    Examples
    --------
    >>> import theory
    >>> print(theory.td_stable("baird"))
    TD is unstable: Routh–Hurwitz: 2 of 7 eigenvalues with Re λ < 0
    >>> theory.td_stable("baird", gamma="4/5").proved
    True
    """
    from theory.methods.basic import TD

    return TD.verdict(as_problem(problem, gamma))


def chain_unbiased(problem: ProblemLike, *, gamma: Number | None = None) -> Verdict:
    """Decide whether ρ(γΠP) < 1, so that the chain's bias vanishes from every start.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    gamma : number or str, optional
        Another discount, in [0, 1].

    Returns
    -------
    Verdict
        Three-valued: ``.proved``, ``.refuted``, ``.undecided``; with ``.reason`` and ``.certificate``.

    See Also
    --------
    td_stable : The same of off-policy TD.
    chain_head : The chain's value functions and their bias.

    Examples
    --------
    >>> import theory
    >>> print(theory.chain_unbiased("baird"))
    the chain is unbiased: Φ has full row rank, so ΠP = P and ρ(γΠP) = γρ(P) < 1
    """
    from theory.methods.chains import CHAIN

    return CHAIN.verdict(as_problem(problem, gamma))


def window_stable(
    problem: ProblemLike, window: int, step_size: Number, start: str = "hot", *, gamma: Number | None = None
) -> Verdict:
    """Decide whether TD converges with a target network that is replaced every `window` updates.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    window : int
        T, updates per target network.
    step_size : number or str
        α of the updates.
    start : {"hot", "cold"}, default "hot"
        Whether parameters are kept when the target is replaced, or set back to where they began.
    gamma : number or str, optional
        Another discount, in [0, 1].

    Returns
    -------
    Verdict
        Three-valued: ``.proved``, ``.refuted``, ``.undecided``; with ``.reason`` and ``.certificate``.

    See Also
    --------
    td_stable : The case T = 1.
    chain_unbiased : The limit T → ∞.

    Examples
    --------
    >>> import theory
    >>> theory.window_stable("finite-window", 16, "1/16").proved
    True
    """
    from theory.certified import verdicts

    return verdicts.window_stable(as_problem(problem, gamma), window, as_fraction(step_size, "step_size"), start)


def gamma_thresholds(problem: ProblemLike) -> GammaThresholds:
    """Find the discounts γ in [0, 1) at which TD is stable, and those at which the chain is unbiased.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.

    Returns
    -------
    GammaThresholds
        ``.td`` and ``.chain``: algebraic numbers, or certified brackets; ``.sympy()``, ``.latex()`` and
        ``.certificates()``.

    See Also
    --------
    td_stable, chain_unbiased : The verdicts at one γ.

    Examples
    --------
    >>> import theory
    >>> print(theory.gamma_thresholds("twostate"))
    TD is stable for γ in [0, 5/6)
    The chain is unbiased for γ < 5/6
    """
    from theory.methods.basic import TD
    from theory.methods.chains import CHAIN

    found = as_problem(problem)
    return GammaThresholds(TD.gammas(found), CHAIN.gammas(found), found)


def chain_head(problem: ProblemLike, k: int, start: str | Numbers = "zero", *, gamma: Number | None = None) -> Head:
    """Compute the k-th value function of the chain exactly: θᵏ*, its values Φθᵏ* and its bias.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    k : int
        Which head, from 0.
    start : {"zero", "behaviour"} or numbers, default "zero"
        θ⁰: zero, the fixed point of on-policy TD of the behaviour, or one number a feature.
    gamma : number or str, optional
        Another discount, in [0, 1].

    Returns
    -------
    Head
        ``.theta``, ``.values``, ``.bias`` and ``.error``, all entries `Fraction`; ``.sympy()`` and ``.latex()``.

    See Also
    --------
    derive : The same with k and γ as letters.

    Examples
    --------
    >>> import theory
    >>> theory.chain_head("twostate-reward:gamma=4/5", 3)
    Head(k=3, theta=(5403/3125))
    """
    import numpy as np

    from theory.exact.matrices import fraction
    from theory.model import heads

    def numbers(entries: Sequence[Any]) -> Array:
        return np.array([fraction(x) for x in entries], dtype=object)

    begin = start if isinstance(start, str) else list(start)
    found = heads.chain_head(as_problem(problem, gamma), k, begin)
    bias = None if found.bias is None else numbers(found.bias)
    return Head(k, numbers(found.theta), numbers(found.values), bias, numbers(found.error), found.note)


@overload
def derive(
    problem: Problem, *, gamma: Number | None = None, k: int | None = None, start: str | Numbers | None = None
) -> Derivation: ...
@overload
def derive(
    problem: Family, *, gamma: Number | None = None, k: int | None = None, start: str | Numbers | None = None
) -> FamilyDerivation: ...
@overload
def derive(
    problem: Path, *, gamma: Number | None = None, k: int | None = None, start: str | Numbers | None = None
) -> Derivation | FamilyDerivation: ...
def derive(
    problem: ProblemLike | Family,
    *,
    gamma: Number | None = None,
    k: int | None = None,
    start: str | Numbers | None = None,
) -> Derivation | FamilyDerivation:
    """Derive closed forms with γ and k as letters, in SymPy, and check them against iterations.

    Of a family, a name or file with letters in it, the letters are kept as well.

    Parameters
    ----------
    problem : Problem, Family, str or path
        A problem or a family, or what names one.
    gamma : number or str, optional
        The discount at which forms and iterations are compared; of a family a number in place of the letter.
    k : int, default 4
        The head that is compared; not of a family.
    start : {"zero", "behaviour"} or numbers, default "zero"
        θ⁰ of the chain; not of a family.

    Returns
    -------
    Derivation or FamilyDerivation
        ``.forms``; of a family also ``.conditions`` under which TD is stable and the chain unbiased.

    See Also
    --------
    chain_head : One head, in numbers.

    Examples
    --------
    >>> import theory
    >>> theory.derive("twostate-family").conditions.td[0].expression
    gamma*p*x**2 - gamma*p*x - gamma*x**2 - p*x**2 + p + x**2
    """
    from theory.derivation import derive, families
    from theory.problems.formulas import Family
    from theory.problems.sources import find_family

    family = problem if isinstance(problem, Family) else None
    if isinstance(problem, str | os.PathLike):
        family = find_family(os.fspath(problem))
    if family is not None:
        for name, value in (("k", k), ("start", start)):
            if value is not None:
                raise InvalidProblem("is of one problem, not of a family", name)
        return families.derive_family(family, gamma=None if gamma is None else as_fraction(gamma, "gamma"))
    assert not isinstance(problem, Family)
    begin = "zero" if start is None else start if isinstance(start, str) else list(start)
    return derive.derive(as_problem(problem, gamma), k=4 if k is None else k, start=begin)


def nearest_flips(problem: ProblemLike, per_kind: int = 2, *, gamma: Number | None = None) -> Flips:
    """Find the smallest changes of γ, of one feature or of d_μ that change a verdict.

    Parameters
    ----------
    problem : Problem, str or path
        A problem, or what `open_problem` takes.
    per_kind : int, default 2
        How many of each kind of change.
    gamma : number or str, optional
        Another discount, in [0, 1].

    Returns
    -------
    Flips
        A sequence by size of the change, each with verdicts on both sides; ``.to_pandas()``.

    See Also
    --------
    search : Problems with a wanted property.

    Examples
    --------
    >>> import theory
    >>> theory.nearest_flips("twostate-reward:gamma=4/5")[0].exact
    '5/6'
    """
    from theory.experiments import flips

    if isinstance(per_kind, bool) or not isinstance(per_kind, int) or per_kind < 1:
        raise InvalidProblem(f"must be an integer of 1 or more, got {per_kind!r}", "per_kind")
    return flips.nearest_flips(as_problem(problem, gamma), per_kind)


def search(
    *,
    td: str | None = None,
    chain: str | None = None,
    stable: str | Sequence[str] = (),
    unstable: str | Sequence[str] = (),
    windows: bool = False,
    largest_rho: bool = False,
    family: str | Family | None = None,
    states: int | None = None,
    features: int | None = None,
    fewest: bool = False,
    gamma: Number | None = None,
    max_denominator: int = 10,
    max_entry: int = 10,
    rounds: int = 6,
    seed: int = 0,
    seconds: float = 120.0,
) -> SearchResult:
    """Search for a short exact problem with a wanted property, certified.

    Parameters
    ----------
    td : {"stable", "unstable"}, optional
        What off-policy TD should be.
    chain : {"unbiased", "biased"}, optional
        What chained TD should be in the limit.
    stable, unstable : str or sequence of str, default ()
        Methods that should converge, and methods that should not, as `compare` names them: ``"soft:tau=1/10"``.
    windows : bool, default False
        TD unstable and the chain biased, and yet some target-network windows T stable.
    largest_rho : bool, default False
        ρ(γΠP) as large as possible within `max_denominator` and `max_entry`.
    family : str or Family, optional
        Search the members of a family, at its own γ.
    states, features : int, optional
        Size of the problem; by default the smallest at which one is found.
    fewest : bool, default False
        Take `states` and `features` as upper limits.
    gamma : number or str, optional
        The discount; free by default.
    max_denominator, max_entry : int, default 10
        Bounds on probabilities and features, for `largest_rho`.
    rounds : int, default 6
        Effort; the shortest problem of all rounds is the result.
    seed : int, default 0
        The same seed and rounds give the same problem, unless `seconds` ends the search early.
    seconds : float, default 120
        Time limit.

    Returns
    -------
    SearchResult
        ``.problem``, or None with the reason in ``.impossible`` or ``.tried``; ``.proof`` has the verdicts.

    Raises
    ------
    InvalidProblem
        Nothing is wanted, or the wishes contradict each other.

    See Also
    --------
    nearest_flips : The smallest changes of a given problem.

    Examples
    --------
    >>> import theory
    >>> theory.search(td="unstable", chain="biased", states=2, features=1).problem
    Problem('found-td-unstable-chain-biased': 2 states, 1 feature, γ=4/5, exact, matrices only)
    >>> theory.search(td="unstable", stable="tdc").problem.n_states
    2
    """
    from theory.experiments.search import Wanted, find_wanted

    if not seconds > 0:
        raise InvalidProblem(f"must be positive, got {seconds}", "seconds")
    asked = ((stable, True), (unstable, False))
    methods = [(name, side) for names, side in asked for name in ([names] if isinstance(names, str) else names)]
    discount = None if gamma is None else as_fraction(gamma, "gamma")
    wanted = Wanted(td, chain, windows, discount, largest_rho, max_denominator, max_entry, tuple(methods))
    return find_wanted(
        wanted, states, features, fewest=fewest, family=family, seed=seed, rounds=rounds, time_limit=seconds
    )[0]
