r"""Recorded transitions as numbers, batch after batch.

**Columns**, a row a move:

=====================  =========================================================================================
column                 meaning
=====================  =========================================================================================
phi_0, phi_1, …        features φ of the state; or `state` alone, a name, and then each state is its own feature
next_phi_0, …          features φ' of the next state; or `next_state`
reward                 r
ratio                  ρ = π(a|s)/μ(a|s); or `pi` and `mu`, the two probabilities; without, the data are on-policy
done                   optional: 1 where the episode ends with the move; φ' counts as 0 then
truncated              optional: 1 where a trajectory was cut off after the move; φ' counts
episode                optional: rows with the same value are one trajectory
obs_0, next_obs_0, …   observations, which are features only if `Options` say so
action                 for policies that are given as functions
=====================  =========================================================================================

`phi`, `next_phi`, `obs`, `next_obs` may be matrices, or columns of lists. Other libraries' names are known (`NAMES`).
Other columns are left alone and said to be; one whose name is almost one of ours is refused, since a ratio that is not
read changes every answer, and so are two columns that mean the same. A complaint names file, column and row, rows
counted from 1 below the header of their file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from theory.problems.cells import Cells, replace_columns
from theory.problems.numbers import Array, FloatArray, InvalidProblem, quoted
from theory.problems.recordings import BATCH, Recording, recording

LARGEST = 1e30  # of a feature, a reward, a ratio: squares of their products are far from overflow
SMALLEST = 1e-30  # of the largest feature: so are products of squares from underflow
MOST_STATES = 500  # that are their own features

NAMES = {
    **dict.fromkeys(("rho", "ρ", "importance_ratio", "importance_weight"), "ratio"),
    **dict.fromkeys(("π", "target_probability"), "pi"),
    **dict.fromkeys(("μ", "behaviour_probability", "behavior_probability"), "mu"),
    **dict.fromkeys(("s",), "state"),
    **dict.fromkeys(("a", "actions"), "action"),
    **dict.fromkeys(("r", "rewards"), "reward"),
    **dict.fromkeys(("next_s",), "next_state"),
    **dict.fromkeys(("terminated", "terminal", "terminals", "terminations", "dones"), "done"),
    **dict.fromkeys(("truncations", "timeout", "timeouts"), "truncated"),
    **dict.fromkeys(("episode_id", "episodes", "trajectory", "trajectory_id"), "episode"),
}
# Stems of numbered columns and of matrices.
STEMS = {
    "φ": "phi",
    **dict.fromkeys(("next_φ", "phi_next", "φ_next"), "next_phi"),
    **dict.fromkeys(("observation", "observations"), "obs"),
    **dict.fromkeys(("next_observation", "next_observations", "obs_next", "observations_next"), "next_obs"),
}
COLUMNS = ["phi", "next_phi", "state", "next_state", "reward", "ratio", "pi", "mu"]
COLUMNS += ["done", "truncated", "episode", "action", "obs", "next_obs"]
ASK_FEATURES = "features=… in Python maps them, --features-from obs takes them as they are"
ASK_RATIOS = (
    "there are no ratios π/μ: name their column (--ratio-column), give columns pi and mu, in Python target= and "
    "behaviour=, or say that the data are on-policy (--on-policy)"
)


@dataclass(frozen=True)
class Options:
    """What a recording does not say of itself."""

    features: str | Callable[[Any], Any] | None = None  # a stem of columns, or observations (n, …) → (n, F)
    ratio: str | int | None = None  # a column; 1 is on-policy
    target: str | Callable[[Any, Any], Any] | None = None  # a column, or (observations, actions) → π of the actions
    behaviour: str | Callable[[Any, Any], Any] | None = None  # the same of μ


@dataclass(frozen=True, eq=False)
class Batch:
    """n validated moves, features in rows: a column of the file is contiguous."""

    phi: FloatArray  # (F, n)
    phi_next: FloatArray  # (F, n), 0 after an end
    reward: FloatArray  # (n,)
    ratio: FloatArray  # (n,)
    done: Array  # (n,), bool
    cut: Array  # (n,), bool: truncated
    key: Array | None  # (n,), uint64: which trajectory, where a column says so
    largest: float = 0.0  # that no feature is beyond, in absolute value

    def __len__(self) -> int:
        return len(self.reward)

    def arrays(self) -> list[Array]:
        """All of it, the axis of moves last."""
        found = [self.phi, self.phi_next, self.reward, self.ratio, self.done, self.cut]
        return found if self.key is None else [*found, self.key]


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recording and what its columns mean; nothing is read before `batches`."""

    source: Recording
    options: Options
    roles: Mapping[str, tuple[str, ...]]  # what it is for us → columns as they are called there
    ignored: tuple[str, ...]
    states: tuple[str, ...] | None = None  # where each is its own feature

    @property
    def name(self) -> str:
        """Of the file or folder."""
        return self.source.name

    @property
    def on_policy(self) -> bool:
        """Is there neither a ratio nor a probability?"""
        return not {"ratio", "pi", "mu"} & self.roles.keys() and not callable(self.options.target)

    @property
    def told_apart(self) -> bool:
        """Do the data tell trajectories apart?"""
        return not {"episode", "done", "truncated"}.isdisjoint(self.roles)

    def batches(
        self,
        start: int = 0,
        stop: int | None = None,
        batch: int = BATCH,
        progress: Callable[[float], None] | None = None,
    ) -> Iterator[Batch]:
        """The rows from `start` on."""
        if self.states is not None:
            batch = min(batch, max(2**10, 2**22 // len(self.states)))
        for cells in self.cells(start, stop, batch, progress):
            yield self.batch(cells)

    def cells(
        self,
        start: int = 0,
        stop: int | None = None,
        batch: int = BATCH,
        progress: Callable[[float], None] | None = None,
    ) -> Iterator[Cells]:
        """The raw columns that are read."""
        ahead = 0  # rows in the parts before
        known = self.source.rows if start or progress else None
        parts = len(self.source)
        names = tuple(dict.fromkeys(name for names in self.roles.values() for name in names))
        for i in range(parts):
            part = self.source.part(i)
            if start and part.rows is not None and ahead + part.rows <= start:
                ahead += part.rows
                continue
            for name in names:
                if name not in part.columns:
                    raise InvalidProblem(f"there is no column {name}, which {self.source.part(0).name} has", part.name)
            first = max(0, start - ahead)
            at = first if part.rows is not None else 0  # whose rows are not known are read to know them
            for columns, share in part.read(names, at, batch):
                n = len(next(iter(columns.values())))
                skipped, place = max(0, first - at), at
                at += n
                until = n if stop is None else min(n, stop - ahead - place)
                if until <= 0:
                    return
                if skipped < until:
                    kept = {key: value[skipped:until] for key, value in columns.items()}
                    yield Cells(kept, part.name, place + skipped, until - skipped)
                if progress is not None:
                    progress((ahead + at) / known if known else (i + share) / parts)
            ahead += at

    def batch(self, cells: Cells) -> Batch:
        """These rows, validated."""
        done = cells.flags(self.roles.get("done"))
        cut = cells.flags(self.roles.get("truncated"))
        reward = cells.numbers(self.roles["reward"][0], largest=LARGEST)
        ratio = self._ratio(cells)
        if self.states is not None:
            phi, phi_next = (self._one_hot(cells, role, done) for role in ("state", "next_state"))
        else:
            phi, phi_next = self._features(cells, "phi"), self._features(cells, "next_phi", done)
            if phi.shape != phi_next.shape:
                raise InvalidProblem(f"phi has {len(phi)} columns, next_phi has {len(phi_next)}", cells.name)
        if done.any():
            phi_next[:, done] = 0.0
        largest = max(max(float(x.max(initial=0.0)), -float(x.min(initial=0.0))) for x in (phi, phi_next))
        if largest > LARGEST:
            complaint = f"features of up to {largest:.2g} are more than {LARGEST:g}: divide them"
            raise InvalidProblem(complaint, cells.name)
        key = cells.keys(*self.roles["episode"]) if "episode" in self.roles else None
        return Batch(phi, phi_next, reward, ratio, done, cut, key, largest)

    def _features(self, cells: Cells, role: str, unused: Any = False) -> FloatArray:
        names = self.roles[role]
        if not callable(self.options.features):
            return cells.matrix(names, unused, flat=self.options.features is not None)
        found = _called(self.options.features, cells.name, "features", cells.observations(names))
        if found.ndim != 2 or len(found) != cells.n:
            raise InvalidProblem(f"features= gave shape {found.shape}, not ({cells.n}, F)", cells.name)
        columns = {f"feature {i}": found[:, i] for i in range(found.shape[1])}
        return replace_columns(cells, columns).matrix(tuple(columns), unused)

    def _one_hot(self, cells: Cells, role: str, done: Array) -> FloatArray:
        assert self.states is not None
        unused = done if role == "next_state" else False
        names, known = cells.names(self.roles[role][0], unused), np.array(self.states)
        found = np.minimum(np.searchsorted(known, names), len(known) - 1)
        matrix = np.zeros((len(known), cells.n))
        matrix[found, np.arange(cells.n)] = known[found] == names
        return matrix

    def _ratio(self, cells: Cells) -> FloatArray:
        """ρ, which is not negative."""
        if "ratio" in self.roles:
            (column,) = self.roles["ratio"]
            ratio = cells.numbers(column, largest=LARGEST)
        elif self.on_policy:
            return np.ones(cells.n)
        else:
            pi, mu = self._probabilities(cells, "pi", "target"), self._probabilities(cells, "mu", "behaviour")
            cells.refuse(mu == 0, lambda row: "0 is no probability of an action taken", "mu")
            with np.errstate(over="ignore"):
                ratio, column = pi / mu, "pi/mu"
            cells.refuse(ratio > LARGEST, lambda row: f"{ratio[row]:.2g} is beyond {LARGEST:g}", column)
        if ratio.min(initial=0.0) < 0:
            cells.refuse(ratio < 0, lambda row: f"{ratio[row]:g} is negative", column)
        return ratio

    def _probabilities(self, cells: Cells, role: str, option: str) -> FloatArray:
        policy = getattr(self.options, option)
        if callable(policy):
            observations = cells.observations(self.roles["obs"])
            found = _called(policy, cells.name, option, observations, cells.raw(*self.roles["action"]))
            if found.shape != (cells.n,):
                raise InvalidProblem(f"{option}= gave shape {found.shape}, not ({cells.n},)", cells.name)
            cells, column = replace_columns(cells, {role: found}), role
        else:
            (column,) = self.roles[role]
        found = cells.numbers(column)
        wrong = (found < 0) | ((found > 1) & (not callable(policy)))  # a density may be above 1
        cells.refuse(wrong, lambda row: f"{found[row]:g} is no probability of an action taken", column)
        return found


def read_recorded(source: Any, options: Options = Options()) -> Recorded:  # noqa: B008
    """What the columns of a source mean; or one line about what is missing."""
    if isinstance(source, Recorded):
        return source
    found = recording(source)
    roles, ignored = _roles(found.part(0).columns, options, found)
    recorded = Recorded(found, options, roles, ignored)
    return recorded if "phi" in roles else replace(recorded, states=state_names(recorded))


def _ours(name: str) -> str:
    """Our name for a column."""
    stem, number = re.fullmatch(r"(.*?)((?:_\d+)?)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    if not number or stem not in STEMS:
        return NAMES.get(name, STEMS.get(name, name))
    return STEMS[stem] + number


def _roles(
    columns: tuple[str, ...], options: Options, source: Recording
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Which columns are read for what, and which are not."""
    name = source.name
    for option in ("features", "target", "behaviour"):
        given = getattr(options, option)
        if given is not None and not isinstance(given, str) and not callable(given):
            raise InvalidProblem(f"is a column's name or a function, got {type(given).__name__}", option)
    spelt: dict[str, str] = {}
    chosen = {column for column in (options.ratio, options.target, options.behaviour) if isinstance(column, str)}
    for column in sorted(chosen):
        if column not in columns:
            raise InvalidProblem(f"there is no column {quoted(column)}; there are {_some(columns)}", name)
    for column in columns:
        ours = _ours(column)
        if column in chosen:
            continue
        if ours in spelt:
            raise InvalidProblem(f"columns {spelt[ours]!r} and {column!r} mean the same: leave one out", name)
        spelt[ours] = column
    roles: dict[str, tuple[str, ...]] = {
        key: (spelt[key],) for key in ("reward", "done", "truncated", "episode", "state", "next_state") if key in spelt
    }
    if "reward" not in roles:
        _check_spelling(spelt, set(), name)
        raise InvalidProblem(f"there is no column reward; there are {_some(columns)}", name)
    roles |= _feature_roles(spelt, options, name)
    roles |= _ratio_roles(spelt, options, source, name)
    if callable(options.target) or callable(options.behaviour):
        roles["obs"] = _stem(spelt, "obs", name)[0] or _missing("observations for target= and behaviour=", name)
        roles["action"] = (spelt["action"],) if "action" in spelt else _missing("a column action for target=", name)
    read = {column for names in roles.values() for column in names}
    if options.ratio is not None or options.target is not None:  # then another column is not meant to be
        spelt = dict.fromkeys(("ratio", "pi", "mu"), "") | spelt
    _check_spelling(spelt, read | {spelt[key] for key in COLUMNS if key in spelt}, name)
    known = {spelt[key] for key in ("action", "obs", "next_obs") if key in spelt}
    numbered = {column for column in columns if re.fullmatch(r"(next_)?obs_\d+", _ours(column))}
    ignored = tuple(x or "a column without a name" for x in columns if x not in read | known | numbered)
    return roles, ignored


def _missing(what: str, name: str) -> Any:
    raise InvalidProblem(f"there are no {what}" if what.startswith("obs") else f"there is not {what}", name)


def _some(columns: tuple[str, ...]) -> str:
    return ", ".join(columns[:12]) + ", …" * (len(columns) > 12) if columns else "none"


def _check_spelling(spelt: Mapping[str, str], read: set[str], name: str) -> None:
    for ours, column in spelt.items():
        if column in read or ours in COLUMNS or re.search(r"_\d+$", column) or len(column) <= 2:
            continue
        others = sorted(other for other in {*COLUMNS, *NAMES, *STEMS} if _ours(other) not in spelt)
        near = get_close_matches(column.lower(), others, n=1, cutoff=0.75)
        if near:
            raise InvalidProblem(f"column {quoted(column)} is none that is read; did you mean {near[0]!r}?", name)


def _stem(spelt: Mapping[str, str], stem: str, name: str) -> tuple[tuple[str, ...], int | None]:
    """The column `stem`, or stem_0, stem_1, … in order, and the first number."""
    numbers = sorted(int(key[len(stem) + 1 :]) for key in spelt if re.fullmatch(rf"{re.escape(stem)}_\d+", key))
    first = numbers[0] if numbers else None
    if stem in spelt:
        if numbers:
            raise InvalidProblem(f"there is a column {stem} and a column {stem}_{first}: leave one out", name)
        return (spelt[stem],), None
    if first is None:
        return (), None
    for i in range(first, first + len(numbers)):
        if f"{stem}_{i}" not in spelt:
            raise InvalidProblem(f"columns {stem}_{first}, … leave out {stem}_{i}", name)
    return tuple(spelt[f"{stem}_{i}"] for i in range(first, first + len(numbers))), first


def _feature_roles(spelt: Mapping[str, str], options: Options, name: str) -> dict[str, tuple[str, ...]]:
    stem = "phi" if options.features is None else "obs" if callable(options.features) else _ours(options.features)
    (phi, first), (phi_next, second) = _stem(spelt, stem, name), _stem(spelt, f"next_{stem}", name)
    if not phi:
        if stem != "phi":
            raise InvalidProblem(
                f"there is no column {stem} or {stem}_0; there are {_some(tuple(spelt.values()))}", name
            )
        if {"state", "next_state"} <= spelt.keys():
            return {}
        if _stem(spelt, "obs", name)[0]:
            raise InvalidProblem(f"there are observations and no features: {ASK_FEATURES}", name)
        _check_spelling(spelt, {spelt[key] for key in COLUMNS if key in spelt}, name)
        missing = "next_state" if "state" in spelt else "state"
        raise InvalidProblem(
            f"there is neither phi_0, phi_1, … nor {missing}; there are {_some(tuple(spelt.values()))}", name
        )
    if not phi_next:
        raise InvalidProblem(f"there are columns {stem} and no columns next_{stem}", name)
    if None not in (first, second):
        if len(phi) != len(phi_next):
            raise InvalidProblem(f"{stem} has {len(phi)} columns, next_{stem} has {len(phi_next)}", name)
        if first != second:
            raise InvalidProblem(
                f"columns begin with {stem}_{first} and with next_{stem}_{second}: which belong together?", name
            )
    return {"phi": phi, "next_phi": phi_next}


def _ratio_roles(
    spelt: Mapping[str, str], options: Options, source: Recording, name: str
) -> dict[str, tuple[str, ...]]:
    if isinstance(options.ratio, str):
        return {"ratio": (options.ratio,)}
    if options.ratio is not None:
        if options.ratio != 1 or isinstance(options.ratio, bool):
            raise InvalidProblem(f"is a column, or 1 for on-policy data, got {options.ratio!r}", "ratio")
        return {}
    found: dict[str, tuple[str, ...]] = {}
    if (options.target is None) != (options.behaviour is None):
        raise InvalidProblem("target= and behaviour= go together", name)
    for role, given in (("pi", options.target), ("mu", options.behaviour)):
        if isinstance(given, str):
            found[role] = (given,)
    if options.target is not None:
        return found
    if "ratio" in spelt:
        return {"ratio": (spelt["ratio"],)}
    for key, other in (("pi", "mu"), ("mu", "pi")):
        if key in spelt and other not in spelt:
            raise InvalidProblem(f"there is a column {key} and no column {other}", name)
    if "pi" in spelt:
        return {"pi": (spelt["pi"],), "mu": (spelt["mu"],)}
    if options.features is not None or source.asks:
        raise InvalidProblem(ASK_RATIOS, name)
    return {}


def _called(function: Callable[..., Any], name: str, option: str, *arguments: Any) -> Array:
    """What somebody's function gives; what it raises is one line."""
    try:
        found = np.asarray(function(*arguments))
    except Exception as error:
        raise InvalidProblem(f"{option}= failed: {type(error).__name__}: {error}".splitlines()[0], name) from error
    if found.dtype.kind not in "biuf":
        raise InvalidProblem(f"{option}= gave {found.dtype}, not numbers", name)
    return found


def state_names(recorded: Recorded) -> tuple[str, ...]:
    """Every state's name, which takes a pass over the columns of names."""
    if recorded.source.once:
        raise InvalidProblem("named states take two passes: an iterator is read once", recorded.name)
    roles = {key: recorded.roles[key] for key in ("state", "next_state", "done") if key in recorded.roles}
    found: set[str] = set()
    for cells in replace(recorded, roles=roles).cells():
        done = cells.flags(roles.get("done"))
        found.update(np.unique(cells.names(*roles["state"])).tolist())
        found.update(np.unique(cells.names(roles["next_state"][0], done)).tolist())
        if len(found) > MOST_STATES + 1:
            raise InvalidProblem(
                f"more than {MOST_STATES:,} named states are too many features: give phi", recorded.name
            )
    found.discard("")
    if not found:
        raise InvalidProblem("there are no rows", recorded.name)
    return tuple(sorted(found))
