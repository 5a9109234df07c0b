"""The front door: what ``import theory`` gives, as people ask for it.

Every function takes a `Problem`, or whatever `open_problem` takes: a name, a path. Numbers come in as lists, arrays,
fractions, SymPy's rationals or texts; exact results come out as `Fraction`, and in SymPy by ``.sympy()``. What a
function returns prints as a sentence or a table, and draws itself with ``.plot()`` where there is something to see.

`theory.__getattr__` finds these names; none of them is the name of a package, so that ``import theory.thresholds``
and ``theory.gamma_thresholds(…)`` never meet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, as_number
from theory.problems.sources import find_problem, is_data_set
from theory.text.words import count
from theory.views.page import Column, Page, Viewable, data_frame, dim, prose, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.certified.answers import Verdict
    from theory.checking.check import UpdateCheck
    from theory.data.inspect import Data, DataComparison
    from theory.derivation.derive import Derivation
    from theory.derivation.families import FamilyDerivation
    from theory.experiments.comparison import Comparison
    from theory.experiments.flips import Flips
    from theory.experiments.inspection import Inspection
    from theory.experiments.learning import Learned
    from theory.experiments.search import SearchResult
    from theory.experiments.trajectory import Trajectory
    from theory.noise.summary import LearnerNoise
    from theory.problems.catalogue import Entry
    from theory.problems.formulas import Family
    from theory.symbolic import Outcome
    from theory.thresholds.certificates import AlongCertificate
    from theory.thresholds.results import StableIntervals, Threshold

Given = Problem | str | os.PathLike[str]


def as_problem(problem: Given, gamma: Any = None) -> Problem:
    """The problem that is meant, at another discount where one is given."""
    if not isinstance(problem, Problem):
        return find_problem(problem, gamma)
    return problem if gamma is None else problem.with_gamma(gamma)


class Catalogue(dict[str, "Entry"], Viewable):
    """The named problems, by name."""

    def page(self) -> Page:
        """Name, parameters, what it is famous for."""
        columns = ("problem<", Column("parameters", left=True, drop=1), Column("", left=True, below=True))
        return Page((table(columns, ((row["problem"], row["parameters"], row["famous for"]) for row in self._rows())),))

    def to_pandas(self) -> Any:
        """A frame with a row a problem."""
        return data_frame(self._rows())

    def __repr__(self) -> str:
        return f"<Catalogue of {count(len(self), 'problem')}: {', '.join(list(self)[:4])}, …>"

    def _rows(self) -> list[dict[str, str]]:
        return [
            {
                "problem": name,
                "parameters": ",".join(f"{key}={p.default}" for key, p in entry.parameters.items()),
                "famous for": entry.famous_for,
                "title": entry.title,
                "source": entry.source,
            }
            for name, entry in self.items()
        ]


def catalogue() -> Catalogue:
    """The named problems: what each is famous for, its source and its parameters.

    >>> catalogue()["kolter"].build(p="3/5")
    Problem('kolter:p=3/5': 2 states, 1 feature, γ=99/100, exact, MDP with 2 actions)
    """
    from theory.problems.catalogue import catalogue

    return Catalogue(catalogue())


def open_data(source: Any, gamma: Any, *, level: float = 0.95, seed: int = 0) -> Data:
    """Recorded transitions: a file (.csv, .parquet, .npz), a mapping from columns to values, or a data frame.

    Prints as what they say about TD and the chain, with how sure that is; ``.problem()`` is the problem that moves
    between named states suggest.
    """
    from theory.data import inspect

    return inspect.open_data(source, gamma, level, seed)


# One problem


def inspect(problem: Given, *, gamma: Any = None, step_size: Any = None, window: int = 100) -> Inspection:
    """Everything about one problem: verdicts, thresholds, spectra, fixed points; ``.plot()`` draws it.

    Of a large problem, whose P is sparse, what needs no matrix of S×S numbers.
    """
    from theory.experiments.inspection import inspect_problem
    from theory.problems.numbers import as_number

    alpha = None if step_size is None else Fraction(as_number(step_size, "step_size"))
    return inspect_problem(as_problem(problem, gamma), alpha, window)


def compare(
    problem: Given | Data,
    methods: Sequence[str] | None = None,
    *,
    gamma: Any = None,
    step_size: Any = None,
    window: int | None = None,
    tau: Any = None,
) -> Comparison | DataComparison:
    """Every linear method on one problem (or those named, ``"td-lambda:0.9"``): who solves it, where does it land?

    Of recorded transitions (a file of them, or what `open_data` gives) each answer comes with how sure it is.

    >>> compare("finite-window", ["td", "fqi", "polyak"], step_size="1/16", tau="1/10")
    <Comparison of 3 methods on finite-window: Use soft-target (α = 1/16, τ = 1/10); TD does not converge.>
    """
    from theory.experiments.comparison import compare

    settings = {"alpha": step_size, "window": window, "tau": tau}
    given = {k: v for k, v in settings.items() if v is not None}
    if isinstance(problem, Problem):
        return compare(as_problem(problem, gamma), methods, given)
    if isinstance(problem, str | os.PathLike) and not is_data_set(problem):
        return compare(as_problem(problem, gamma), methods, given)
    data = open_data(problem, gamma) if isinstance(problem, str | os.PathLike) else problem
    return data.compare(methods, given)


def trajectory(
    problem: Given,
    method: str,
    steps: int = 1000,
    *,
    start: Any = "zero",
    step_size: Any = None,
    sweep: bool = False,
    error: str = "uniform",
    gamma: Any = None,
) -> Trajectory:
    """The expected updates of a method (as `compare` names it) from a start: parameters, values, errors; in floats.

    `start` is ``"zero"``, ``"behaviour"`` or one number a feature. With `sweep` an update goes over all states alike,
    in place of the weights d_μ.

    >>> star = trajectory("baird", "tdc:ratio=10", start=[1, 1, 1, 1, 1, 1, 10, 1], step_size="1/200", gamma="0.99")
    >>> star.theta.shape, bool(star.errors["pbe"][-1] < 0.5)
    ((1001, 8), True)
    """
    from theory.experiments import trajectory

    return trajectory.trajectory(as_problem(problem, gamma), method, steps, start, step_size, sweep, error)


def td_stable(problem: Given) -> Verdict:
    """Do all eigenvalues of A, structural zeros apart, have positive real part? Certified.

    >>> print(td_stable("baird"))
    TD is unstable: Routh–Hurwitz: 2 of 7 eigenvalues with Re λ < 0
    """
    from theory.methods.basic import TD

    return TD.verdict(as_problem(problem))


def chain_unbiased(problem: Given) -> Verdict:
    """Is ρ(γΠP) < 1, so that the chain's bias vanishes from every start? Certified."""
    from theory.methods.chains import CHAIN

    return CHAIN.verdict(as_problem(problem))


def window_stable(problem: Given, window: int, step_size: Any, start: str = "hot") -> Verdict:
    """Does TD with a target network that is replaced every `window` updates converge? Certified."""
    from theory.certified import verdicts

    return verdicts.window_stable(as_problem(problem), window, step_size, start)


@dataclass(frozen=True, repr=False)
class GammaThresholds(Viewable):
    """For which discounts TD is stable and the chain unbiased: algebraic numbers, or certified brackets."""

    td: StableIntervals
    chain: Threshold
    problem: Problem

    def certificates(self) -> dict[str, AlongCertificate | None]:
        """``td``, ``chain``: for which γ yes and for which no, with a proof that other code can ``recheck()``.

        None where such a document would be too long.
        """
        from theory.thresholds import certificates

        return {
            "td": certificates.td_certificate(self.problem),
            "chain": certificates.chain_certificate(self.problem),
        }

    def sympy(self) -> dict[str, Any]:
        """``td``: the ends of each interval; ``chain``: the threshold; None where there is no exact number."""
        return {
            "td": [tuple(None if x.exact is None else x.exact.sympy() for x in ends) for ends in self.td.intervals],
            "chain": None if self.chain.exact is None else self.chain.exact.sympy(),
        }

    def latex(self) -> str:
        """Both sets of γ, their ends exact where they are known."""
        import sympy

        def end(threshold: Threshold) -> str:
            exact = threshold.exact
            return f"{threshold.value:.6g}" if exact is None else sympy.latex(exact.sympy())

        td = r" \cup ".join(f"[{end(low)}, {end(high)})" for low, high in self.td.intervals)
        chain = r"\gamma < 1" if self.chain.value is None else rf"\gamma < {end(self.chain)}"
        return rf"\text{{TD stable: }} \gamma \in {td}, \quad \text{{chain unbiased: }} {chain}"

    def _texts(self) -> tuple[str, str]:
        from theory.thresholds.results import stable_text, unbiased_text

        return stable_text(self.td, _end), unbiased_text(self.chain, _end)

    def page(self) -> Page:
        """A sentence each."""
        td, chain = self._texts()
        first, second = f"TD is stable for γ in {td}", f"The chain is unbiased for {chain}"
        return Page((prose(first, hang=2), prose(second, hang=2)))

    def __repr__(self) -> str:
        td, chain = self._texts()
        return f"<GammaThresholds of {self.problem.name}: TD stable for γ in {td}, chain unbiased for {chain}>"


def gamma_thresholds(problem: Given) -> GammaThresholds:
    """For which γ in [0, 1) is TD stable, and for which is the chain unbiased?

    >>> print(gamma_thresholds("twostate"))
    TD is stable for γ in [0, 5/6)
    The chain is unbiased for γ < 5/6
    """
    from theory.methods.basic import TD
    from theory.methods.chains import CHAIN

    found = as_problem(problem)
    return GammaThresholds(TD.gammas(found), CHAIN.gammas(found), found)


@dataclass(frozen=True, eq=False, repr=False)
class Head(Viewable):
    """The k-th value function of the chain, all entries `Fraction`."""

    k: int
    theta: Array  # (F,)
    values: Array  # (S,), Φθᵏ
    bias: Array | None  # (F,), θᵏ − θ_π; None where there is no θ_π
    error: Array  # (S,), Φθᵏ − v_π
    note: str | None

    def sympy(self) -> dict[str, Any]:
        """The vectors as SymPy columns."""
        import sympy

        letters = {name: getattr(self, name) for name in ("theta", "values", "bias", "error")}
        return {name: None if x is None else sympy.Matrix(x.tolist()) for name, x in letters.items()}

    def latex(self) -> str:
        """θᵏ* as a column."""
        import sympy

        return rf"\theta^{{{self.k}}}_* = {sympy.latex(sympy.Matrix(self.theta.tolist()))}"

    def page(self) -> Page:
        """Values and error of each state, and θ."""
        from theory.text.numbers import value_text

        rows = [
            (str(s), value_text(v), value_text(e)) for s, (v, e) in enumerate(zip(self.values, self.error, strict=True))
        ]
        theta = prose(f"θᵏ = ({', '.join(map(value_text, self.theta))})", hang=2)
        notes = [prose(dim(self.note))] if self.note else []
        return Page((table(("state", "vᵏ = Φθᵏ", "vᵏ − v_π"), rows), theta, *notes))

    def __repr__(self) -> str:
        return f"Head(k={self.k}, theta=({', '.join(map(str, self.theta))}))"


def chain_head(problem: Given, k: int, start: str | Sequence[Any] = "zero") -> Head:
    """θᵏ* with all its digits, its values Φθᵏ* and its bias; `start` is zero, behaviour or one number a feature.

    >>> chain_head("twostate-reward:gamma=4/5", 3)
    Head(k=3, theta=(5403/3125))
    """
    import numpy as np

    from theory.exact.matrices import fraction
    from theory.model import heads

    def numbers(entries: list[Any]) -> Array:
        return np.array([fraction(x) for x in entries], dtype=object)

    found = heads.chain_head(as_problem(problem), k, start)
    bias = None if found.bias is None else numbers(found.bias)
    return Head(k, numbers(found.theta), numbers(found.values), bias, numbers(found.error), found.note)


def derive(
    problem: Given | Family, *, gamma: Any = None, k: int = 4, start: str | Sequence[Any] = "zero"
) -> Derivation | FamilyDerivation:
    """Closed forms with γ and k kept as letters, in SymPy (``.forms``), beside the iterations that arrive there.

    Of a family, a name or file with letters in it, the letters are kept as well, and its conditions come along.

    >>> derive("twostate-family").conditions.td[0].expression
    gamma*p*x**2 - gamma*p*x - gamma*x**2 - p*x**2 + p + x**2
    """
    from theory.derivation import derive, families
    from theory.problems.formulas import Family
    from theory.problems.sources import find_family

    family = problem if isinstance(problem, Family) else None
    if isinstance(problem, str | os.PathLike):
        family = find_family(os.fspath(problem))
    if family is not None:
        return families.derive_family(family, gamma=None if gamma is None else Fraction(gamma))
    assert not isinstance(problem, Family)
    return derive.derive(as_problem(problem, gamma), k=k, start=start)


def nearest_flips(problem: Given, per_kind: int = 2) -> Flips:
    """The smallest changes of γ, of one feature or of d_μ that cross a line, each certified on both sides."""
    from theory.experiments import flips

    return flips.nearest_flips(as_problem(problem), per_kind)


def search(
    *,
    td: str | None = None,
    chain: str | None = None,
    states: int = 2,
    features: int = 1,
    gamma: Any = None,
    seed: int = 0,
    rounds: int = 6,
) -> SearchResult:
    """A short exact problem with that property, certified, as ``.problem``; None, with the reason, if there is none."""
    from theory.experiments.search import Wanted, search_problem

    return search_problem(Wanted(td, chain, gamma=gamma), states, features, seed, rounds=rounds)


# Statements


def statements() -> tuple[str, ...]:
    """The ids of all statements."""
    from theory.propositions.registry import IDS

    return tuple(IDS)


def verify(*ids: str, strict: bool = False) -> Any:
    """The finding on one statement; without an id, or with several, a list of findings that prints as a table.

    >>> verify("eq-geometric")
    <Finding eq-geometric: proved, as it should be>
    """
    from theory.propositions import statement
    from theory.propositions import verify as decide
    from theory.propositions.pages import Findings

    found = Findings(decide(statement(name), strict=strict) for name in ids or statements())
    return found[0] if len(ids) == 1 else found


def prove(identity: str, assume: Iterable[str] = ()) -> Outcome:
    """An identity between the paper's letters, typed as text: proved for all dimensions and k, refuted, or open.

    `assume` are identities to take for granted. What comes out is what `Theory.prove` gives.

    >>> print(prove("Pi Phi = Phi"))
    Proved 'Pi Phi = Phi': for all dimensions
      uses 'Xi X = 1'
    """
    from theory.propositions.identities import decide_identity

    return decide_identity(identity, assume)[1]


def letters() -> dict[str, str]:
    """The letters that `prove` reads, and what they mean."""
    from theory.propositions.identities import LETTERS
    from theory.text.words import meaning

    return {name: meaning(name) for name in LETTERS}


# Random problems, and learners


@dataclass(frozen=True, eq=False, repr=False)
class Rates(Viewable):
    """One row a pair (S, F): counts, rates and their 95% intervals."""

    rows: list[dict[str, Any]]

    def page(self) -> Page:
        """The rates with their intervals."""
        from theory.montecarlo.pages import rates_page

        return rates_page(self.rows)

    def to_pandas(self) -> Any:
        """A frame with a row a size."""
        return data_frame(self.rows)

    def svg(self, title: str = "How often each fails") -> str:
        """A chart against S."""
        from theory.explorer.rates import rate_chart

        return rate_chart(self.rows, title)

    def _repr_html_(self) -> str:
        return self.svg() + self.page().html()

    def __repr__(self) -> str:
        first = self.rows[0]
        counts = f"TD unstable {first['td_unstable']}, chain biased {first['chain_biased']} of {first['samples']:,}"
        more = f" and {count(len(self.rows) - 1, 'size')} more" if len(self.rows) > 1 else ""
        return f"<Rates at S = {first['states']}, F = {first['features']}: {counts}{more}>"


def success_rate(
    states: int | Iterable[int],
    features: Any = "S",
    *,
    samples: int = 1000,
    seed: int = 0,
    gamma: Any = "99/100",
    **law: Any,
) -> Rates:
    """How often TD is unstable and the chain biased on random problems, counted here and kept in memory.

    `features` are numbers or texts such as ``"S-1"``; `law` is what a `Cell` has: ``ensemble``, ``law``, ``sink`` …

    >>> success_rate(5, ["S", 4], samples=100)
    <Rates at S = 5, F = 4: TD unstable 20, chain biased 19 of 100 and 1 size more>
    """
    from theory.montecarlo import Cell, Store, Study, run_study
    from theory.montecarlo.axes import parse_sizes

    sizes = parse_sizes(_listed(states), _listed(features))
    cells = tuple(Cell(S, F, gamma, **law) for S, F in sizes)
    with Store(None) as store:
        return Rates(run_study(Study(cells, samples, seed, chunk=min(samples, 1000)), store))


def learner_names() -> tuple[str, ...]:
    """The learners that `learn` runs."""
    from theory.learners.families import learners

    return tuple(learners())


def learn(
    problem: Given,
    learner: str,
    step_size: float | None = None,
    *,
    heads: int = 256,
    steps: int = 100_000,
    seeds: int = 10,
    seed: int = 0,
    scale: float = 100.0,
    start: Sequence[Any] | None = None,
    **setting: float,
) -> Learned:
    """Run a learner: its error against v_π over time, with a band over seeds; ``.plot()`` draws it.

    `setting` is what the learner has of ``beta``, ``lambda_``, ``window``, ``n``, ``k``, ``epsilon``; what it does not
    have is left out. For the same `seed` all learners see the same moves. Parameters start from N(0, scale²), or all
    vectors from `start`, one number a feature: numbers, fractions or strings like ``"1/2"``.
    """
    from theory.experiments import learning

    for name in setting:
        if name not in ("beta", "lambda_", "window", "n", "k", "epsilon"):
            raise InvalidProblem("no learner has such a setting", name)
    given = {"alpha": None if step_size is None else float(step_size), **setting}
    chosen = learning.default_setting(learner, given, heads)
    run = learning.Run(learner, chosen, heads=heads, steps=steps, seeds=seeds, seed=seed, scale=scale)
    if start is not None:
        run = replace(run, start=tuple(as_number(x, "start", i) for i, x in enumerate(start)))
    return learning.learn(as_problem(problem), run)


def mean_square(
    problem: Given,
    learner: str = "chained-concurrent",
    step_size: Any = None,
    *,
    ratio: Any = 1,
    heads: int = 1,
    gamma: Any = None,
) -> LearnerNoise:
    """What noise does to a learner: its largest step sizes in the mean and in mean square, error and tail at one.

    Step sizes are algebraic numbers, or brackets with opposite certificates; β is ratio·α.

    >>> found = mean_square("twostate", gamma="1/2")
    >>> str(found.mean_square), found.at.step_size, found.at.stable, found.at.certificates[0].recheck()
    ('5/17', Fraction(1, 8), True, True)
    """
    from theory.learners.families import find_learner
    from theory.noise import summary

    about = as_problem(problem, gamma)
    about = about if about.mdp is not None else about.realised()
    rule = find_learner(learner)
    missing = [name for name in rule.columns if name not in ("alpha", "beta", "k") and rule.default(name) is None]
    if missing:
        raise InvalidProblem(f"{learner} needs {', '.join(missing)}: see `theory noise`", "learner")
    sizes: dict[str, Any] = {name: Fraction(1) for name in ("alpha", "beta") if name in rule.columns}
    size = None if step_size is None else Fraction(str(step_size))
    asked = rule.of(about.exact.gamma, sizes, heads)
    return summary.learner_noise(asked, about, size, Fraction(str(ratio)))


def check_update(
    update: Any,
    problem: Given | None = None,
    method: str = "off-policy-td",
    *,
    gamma: Any = None,
    start: Any = None,
    read: Callable[[Any], Any] | None = None,
    heads: int = 2,
    **settings: Any,
) -> UpdateCheck:
    """Is an update of your own the learner that you mean; and if not, what is the mistake?

    `update` is a function (state, transition) → state, or an object with such a method. A state is θ; (θ, w) for the
    gradient methods; an array of the heads 0..`heads` for a chain, of target and θ for a soft target; or any nest of
    arrays like `start`. A transition has ``phi``, ``reward``, ``phi_next``, ``ratio`` and ``gamma``. Learners that
    remember moves (traces, windows) are compared along a path: they begin with what the object's ``init`` makes of θ,
    and `read` takes θ from a state (its first numbers by default). Without a problem it is one on which mistakes show.
    Step sizes (``alpha``, ``beta``) and other `settings` of the learner are compared where they are given.

    >>> def td(theta, t):
    ...     return theta + 0.1 * (t.reward + t.gamma * t.phi_next @ theta - t.phi @ theta) * t.phi
    >>> print(check_update(td, method="off-policy-td"))
    It is not off-policy-td.
    The difference is this: ρ is left out.
    """
    from theory.checking import check
    from theory.checking.observations import telling_problem

    found = as_problem(telling_problem() if problem is None else problem, gamma)
    return check.check_update(update, found, method, start=start, read=read, heads=heads, **settings)


# Figures


def figure(name: str, profile: str = "quick", seed: int = 0, **of: Any) -> Figure:
    """One of the figures that ``theory figure`` writes; ``phase`` takes problem, over, letters and gamma, as there."""
    from theory.exhibits import exhibit

    found = exhibit(name)
    if of:
        found = found.made_for(**of)
    return found.plot(found.result(profile, seed))


def png(figure: Figure, dpi: int = 130) -> bytes:
    """A figure for a page: on a white ground of its own, because it is drawn for paper."""
    import io

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor="white")
    return buffer.getvalue()


def _end(threshold: Threshold) -> str:
    return threshold.text if threshold.exact is None else str(threshold.exact)


def _listed(sizes: Any) -> str:
    """``5``, ``[2, 5]``, ``range(2, 9)`` or ``"S-1"`` as the command line writes them."""
    if isinstance(sizes, str | int):
        return str(sizes)
    return ",".join(map(str, sizes))
