"""Mistakes that people make in learners, each as a change of the rule's own update; no formula is written again.

A learner is a function ``make`` from a rule to its update; a change takes makers to makers, so two of them together are
one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from operator import attrgetter
from typing import Any

from theory.checking.observations import Observation
from theory.learners.concurrent import ConcurrentChain
from theory.learners.gradient import WithAuxiliary
from theory.learners.rule import Rule
from theory.learners.soft import SoftTarget
from theory.learners.td import TD
from theory.learners.traces import TDLambda

Update = Callable[[Any, Observation], Any]
Make = Callable[[Rule], Update]
Change = Callable[[Make], Make]


def variants(rule: Rule, together: int) -> Iterator[tuple[tuple[str, ...], Update]]:
    """The rule with so many mistakes at once; a mistake that the rule's own checks refuse is left out."""
    bugs = [bug for kind, some in KNOWN_BUGS if isinstance(rule, kind) for bug in some.items()]
    for chosen in combinations(bugs, together):
        make: Make = attrgetter("update")
        for _, change in chosen:
            make = change(make)
        try:
            yield tuple(words for words, _ in chosen), make(rule)
        except ValueError:
            continue


# Changes of an update: of what it sees, of its discount, or of one of the parts that it is the sum of


def changed(*others: Change) -> Callable[[Callable[..., Any]], Change]:
    """A change by what the new update does: a function of the rule, the state, the move, and the update.

    After these come the updates that `others` would make of it.
    """

    def change(move: Callable[..., Any]) -> Change:
        def made(make: Make, rule: Rule) -> Update:
            updates = [make(rule), *(other(make)(rule) for other in others)]
            return lambda state, m: move(rule, state, m, *updates)

        return lambda make: partial(made, make)

    return change


def seeing(change: Callable[[Observation], Observation]) -> Change:
    """Every move is seen through `change`."""
    return changed()(lambda rule, state, m, update: update(state, change(m)))


def with_rule(change: Callable[[Any], Rule]) -> Change:
    """The update of another rule."""
    return lambda make: lambda rule: make(change(rule))


def discounted(change: Callable[[Any], Any]) -> Change:
    """With another discount."""
    return with_rule(lambda rule: replace(rule, gamma=change(rule.gamma)))


BLIND = discounted(lambda gamma: 0.0)


def rewarded(factor: Callable[[float], float]) -> Change:
    """The reward is seen times a function of γ."""
    return changed()(lambda rule, state, m, update: update(state, m.but(reward=factor(rule.gamma) * m.reward)))


def along(direction: Callable[[Rule, Observation], Any]) -> Change:
    """θ moves by the same number times another direction than φ."""

    @changed()
    def moved(rule: Any, state: Any, m: Observation, update: Update) -> Any:
        step = (update(state, m).theta - state.theta) @ m.phi / (m.phi @ m.phi or 1.0)
        return state._replace(theta=state.theta + step * direction(rule, m))

    return moved


def own_value(factor: float) -> Change:
    """What θ loses by its own prediction φᵀθ is multiplied."""

    @changed(BLIND)
    def moved(rule: Any, state: Any, m: Observation, update: Update, blind: Update) -> Any:
        own = blind(state, m).theta - blind(state._replace(theta=0 * state.theta), m).theta - state.theta
        right = update(state, m)
        return right._replace(theta=right.theta + (factor - 1) * own)

    return moved


@changed(BLIND)
def ratio_on_the_bootstrap_alone(rule: Any, state: Any, m: Observation, update: Update, blind: Update) -> Any:
    """θ ← θ + α(r + ργφ'ᵀθ − φᵀθ)φ."""
    bare = update(state, m.but(ratio=1.0))
    ahead = bare.theta - blind(state, m.but(ratio=1.0)).theta
    return bare._replace(theta=bare.theta + (m.ratio - 1) * ahead)


def correction(change: Change, sign: float = 1.0) -> Change:
    """Only what w does to θ is made otherwise: θ' = (θ' at w = 0) + correction."""

    @changed(change)
    def moved(rule: Any, state: Any, m: Observation, update: Update, other: Update) -> Any:
        alone = state._replace(w=0 * state.w)
        part = other(state, m).theta - other(alone, m).theta
        return update(state, m)._replace(theta=update(alone, m).theta + sign * part)

    return moved


def auxiliary(change: Change) -> Change:
    """Only the update of w is made otherwise."""
    return changed(change)(lambda rule, state, m, update, other: update(state, m)._replace(w=other(state, m).w))


def decay(factor: float) -> Change:
    """What w loses by its own prediction is multiplied."""

    @changed()
    def moved(rule: Any, state: Any, m: Observation, update: Update) -> Any:
        right = update(state, m)
        fresh = update(state._replace(w=0 * state.w), m).w
        return right._replace(w=state.w + fresh + factor * (right.w - fresh - state.w))

    return moved


def first(name: str) -> Change:
    """The part `name` moves first, and the other part sees it moved."""

    @changed()
    def moved(rule: Any, state: Any, m: Observation, update: Update) -> Any:
        new = {name: getattr(update(state, m), name)}
        return update(state._replace(**new), m)._replace(**new)

    return moved


@changed()
def forgets_by_itself(rule: Any, state: Any, m: Observation, update: Update) -> Any:
    """w ← w + β(ρδφ − w), the first GTD."""
    fresh = update(state._replace(w=0 * state.w), m).w
    return update(state, m)._replace(w=(1 - rule.beta) * state.w + fresh)


@changed()
def exchanged(rule: Any, state: Any, m: Observation, update: Update) -> Any:
    """θ is taken for w, and w for θ."""
    new = update(state._replace(theta=state.w, w=state.theta), m)
    return new._replace(theta=new.w, w=new.theta)


def bootstrapping(source: Callable[[int, int], int]) -> Change:
    """Head k ≥ 1 of 0..K looks ahead with head ``source(k, K)``."""

    @changed()
    def moved(rule: Any, state: Any, m: Observation, update: Update) -> Any:
        new = update(state, m).heads.copy()
        for k in range(1, len(new)):
            seen = state.heads.copy()
            seen[k - 1] = state.heads[source(k, len(new) - 1)]
            new[k] = update(state._replace(heads=seen), m).heads[k]
        return state._replace(heads=new)

    return moved


@changed()
def ratio_in_head_zero(rule: Any, state: Any, m: Observation, update: Update) -> Any:
    """Head 0's step, times ρ."""
    new = update(state, m).heads.copy()
    new[0] = state.heads[0] + m.ratio * (new[0] - state.heads[0])
    return state._replace(heads=new)


@changed()
def own_target(rule: Any, state: Any, m: Observation, update: Update) -> Any:
    """θ looks ahead with itself."""
    seen, new = state.heads.copy(), update(state, m).heads.copy()
    seen[0] = state.heads[1]
    theta = update(state._replace(heads=seen), m).heads[1]
    new[0], new[1] = new[0] + rule.tau * (theta - new[1]), theta
    return state._replace(heads=new)


@changed()
def late_target(rule: Any, state: Any, m: Observation, update: Update) -> Any:
    """The target takes its share of the θ before the move."""
    new = update(state, m).heads.copy()
    new[0] = new[0] + rule.tau * (state.heads[1] - new[1])
    return state._replace(heads=new)


@changed()
def ratio_beside_the_trace(rule: Any, state: Any, m: Observation, update: Update) -> Any:
    """e ← γλe + φ without ρ, θ ← θ + αρδe."""
    bare = update(state, m.but(ratio=1.0))
    return bare._replace(theta=state.theta + m.ratio * (bare.theta - state.theta))


def inverse(ratio: float) -> float:
    """1/ρ; a move that π never makes stays without weight."""
    return 1 / ratio if ratio else 0.0


SEEN: dict[str, Callable[[Observation], Observation]] = {
    "ρ is left out": lambda m: m.but(ratio=1.0),
    "ρ is multiplied twice": lambda m: m.but(ratio=m.ratio**2),
    "ρ is that of the next action": lambda m: m.but(ratio=m.next_ratio),
    "ρ is upside down: μ/π": lambda m: m.but(ratio=inverse(m.ratio)),
    "ρ is clipped at 1": lambda m: m.but(ratio=min(m.ratio, 1.0)),
    "the reward is left out": lambda m: m.but(reward=0.0),
    "the sign of the reward": lambda m: m.but(reward=-m.reward),
    "φ and φ' are exchanged": lambda m: m.but(phi=m.phi_next, phi_next=m.phi, phi_follow=m.phi),
    "bootstraps from φ, the state that is left, and not from φ'": lambda m: m.but(phi_next=m.phi, phi_follow=m.phi),
}
DISCOUNTS: dict[str, Callable[[Any], Any]] = {
    "γ is left out": lambda gamma: 1.0,
    "γ is multiplied twice": lambda gamma: gamma**2,
    "does not bootstrap, γ = 0": lambda gamma: 0.0,
    "the sign of γφ'ᵀθ": lambda gamma: -gamma,
}

# With the rules that they can happen to
KNOWN_BUGS: tuple[tuple[type[Rule], dict[str, Change]], ...] = (
    (Rule, {
        **{words: seeing(change) for words, change in SEEN.items()},
        **{words: discounted(change) for words, change in DISCOUNTS.items()},
    }),
    (TD, {
        "δ is multiplied by φ' and not by φ": along(lambda rule, m: m.phi_next),
        "follows the whole gradient, δ(φ − γφ'): residual gradient": along(
            lambda rule, m: m.phi - rule.gamma * m.phi_next
        ),
    }),
    (Rule, {
        "γ multiplies the reward, too": rewarded(lambda gamma: gamma),
        "the reward is multiplied by 1 − γ": rewarded(lambda gamma: 1 - gamma),
    }),
    (TD, {
        "the sign of φᵀθ, its own prediction": own_value(-1.0),
        "its own prediction φᵀθ is left out": own_value(0.0),
        "ρ is on γφ'ᵀθ alone, not on all of δ": ratio_on_the_bootstrap_alone,
        "the step is divided by ‖φ‖": along(lambda rule, m: m.phi / (m.phi @ m.phi or 1.0) ** 0.5),
        "the step is divided by ‖φ‖²": along(lambda rule, m: m.phi / (m.phi @ m.phi or 1.0)),
    }),
    (WithAuxiliary, {
        "the sign of γYᵀw, the correction by w": correction(lambda make: make, -1.0),
        "the correction by w is left out": correction(lambda make: make, 0.0),
        "γ is left out of the correction by w": correction(with_rule(lambda r: replace(r, gamma=1.0))),
        "γ is multiplied twice in the correction by w": correction(discounted(DISCOUNTS["γ is multiplied twice"])),
        "the correction by w reads φ'ᵀw and not φᵀw": correction(seeing(lambda m: m.but(phi=m.phi_next))),
        "ρ is left out of the correction by w": correction(seeing(SEEN["ρ is left out"])),
        "ρ is multiplied twice in the correction by w": correction(seeing(SEEN["ρ is multiplied twice"])),
        "the correction by w goes along φ and not along φ'": correction(seeing(lambda m: m.but(phi_next=m.phi))),
        "the correction by w reads φ'ᵀw and goes along φ": correction(seeing(SEEN["φ and φ' are exchanged"])),
        "ρ is left out of the update of w": auxiliary(seeing(SEEN["ρ is left out"])),
        "ρ is multiplied twice in the update of w": auxiliary(seeing(SEEN["ρ is multiplied twice"])),
        "γ is left out of the update of w": auxiliary(with_rule(lambda r: replace(r, gamma=1.0))),
        "w does not forget: its own prediction φᵀw is left out": decay(0.0),
        "the sign of φᵀw in the update of w": decay(-1.0),
        "θ is moved by the new w, not by the one before the move": first("w"),
        "w is moved by the new θ, not by the one before the move": first("theta"),
        "w forgets by itself, −βw, and not by its prediction φᵀw (the first GTD)": forgets_by_itself,
        "θ and w are exchanged in the state": exchanged,
    }),
    (ConcurrentChain, {
        "every head bootstraps from itself": bootstrapping(lambda k, K: k),
        "head k bootstraps from head k + 1": bootstrapping(lambda k, K: min(k + 1, K)),
        "every head bootstraps from head 0": bootstrapping(lambda k, K: 0),
        "head 0 has the ratio ρ; it is to learn the behaviour's values, without": ratio_in_head_zero,
        "head k bootstraps from head k − 1 after its move (in place)": with_rule(
            lambda r: replace(r, order="in-place")
        ),
    }),
    (SoftTarget, {
        "τ and 1 − τ are exchanged": with_rule(lambda r: replace(r, tau=1 - r.tau)),
        "θ bootstraps from itself, not from the target": own_target,
        "the target takes the θ before the move": late_target,
    }),
    (TDLambda, {
        "the trace decays by λ, without γ": with_rule(lambda r: replace(r, lambda_=r.lambda_ / r.gamma)),
        "the trace decays by γ, without λ": with_rule(lambda r: replace(r, lambda_=1.0)),
        "there is no trace, as with λ = 0": with_rule(lambda r: replace(r, lambda_=0.0)),
        "the trace is without ρ; only δ has it": ratio_beside_the_trace,
    }),
)  # fmt: skip
