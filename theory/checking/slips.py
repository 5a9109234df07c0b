r"""Mistakes that people make in learners, each as a change of the rule's own update; no formula is written again.

A learner is a function ``make`` from a rule to its update. A slip changes what the update sees (the ratio, the reward,
φ and φ'), the discount it uses, or one of the parts that it is the sum of. For the gradient methods, with z = (θ, w),

    θ' = (θ' at w = 0) + correction,       correction = θ'(θ, w) − θ'(θ, 0)

and a wrong sign, discount or ratio in the correction alone is a wrong part alone. Slips take makers to makers, so
two of them together are one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from theory.checking.sights import Sight
from theory.learners.concurrent.rule import ConcurrentChain
from theory.learners.gradient.rule import WithAuxiliary
from theory.learners.rule import Rule
from theory.learners.soft import SoftTarget
from theory.learners.td.rule import TD
from theory.learners.td.traces import TDLambda

Update = Callable[[Any, Sight], Any]
Make = Callable[[Rule], Update]
Change = Callable[[Make], Make]


class Slip(NamedTuple):
    """A mistake by name."""

    words: str
    kinds: tuple[type[Rule], ...]  # the rules that it can happen to
    change: Change


def plain(rule: Rule) -> Update:
    """The rule as it is."""
    return rule.update


def slips(rule: Rule) -> list[Slip]:
    """The mistakes that can happen to a rule."""
    return [slip for slip in SLIPS if isinstance(rule, slip.kinds)]


def variants(rule: Rule, together: int) -> Iterator[tuple[tuple[str, ...], Update]]:
    """The rule with so many mistakes at once; a mistake that the rule's own checks refuse is left out."""
    for chosen in combinations(slips(rule), together):
        make: Make = plain
        for slip in chosen:
            make = slip.change(make)
        try:
            yield tuple(slip.words for slip in chosen), make(rule)
        except ValueError:
            continue


# What is seen


def seeing(change: Callable[[Sight], Sight]) -> Change:
    """Every move is seen through `change`."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update = make(rule)
            return lambda state, sight: update(state, change(sight))

        return made

    return changed


def with_rule(change: Callable[[Any], Rule]) -> Change:
    """The update of another rule."""
    return lambda make: lambda rule: make(change(rule))


def discounted(change: Callable[[Any], Any]) -> Change:
    """With another discount."""
    return with_rule(lambda rule: replace(rule, gamma=change(rule.gamma)))


def inverse(ratio: float) -> float:
    """1/ρ; a move that π never makes stays without weight."""
    return 1 / ratio if ratio else 0.0


SEEN: dict[str, Callable[[Sight], Sight]] = {
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


# One vector θ


def along(direction: Callable[[Rule, Sight], Any]) -> Change:
    """θ moves by the same number times another direction than φ."""

    def changed(make: Make) -> Make:
        def made(rule: Any) -> Update:
            update = make(rule)

            def moved(state: Any, m: Sight) -> Any:
                step = (update(state, m).theta - state.theta) @ m.phi / (m.phi @ m.phi or 1.0)
                return state._replace(theta=state.theta + step * direction(rule, m))

            return moved

        return made

    return changed


# θ and w


def correction(change: Callable[[Make], Make], sign: float = 1.0) -> Change:
    """Only what w does to θ is made otherwise."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update, other = make(rule), change(make)(rule)

            def moved(state: Any, m: Sight) -> Any:
                alone = state._replace(w=0 * state.w)
                part = other(state, m).theta - other(alone, m).theta
                right = update(state, m)
                return right._replace(theta=update(alone, m).theta + sign * part)

            return moved

        return made

    return changed


def auxiliary(change: Callable[[Make], Make]) -> Change:
    """Only the update of w is made otherwise."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update, other = make(rule), change(make)(rule)
            return lambda state, m: update(state, m)._replace(w=other(state, m).w)

        return made

    return changed


def decay(factor: float) -> Change:
    """What w loses by its own prediction is multiplied."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update = make(rule)

            def moved(state: Any, m: Sight) -> Any:
                right = update(state, m)
                fresh = update(state._replace(w=0 * state.w), m).w
                return right._replace(w=state.w + fresh + factor * (right.w - fresh - state.w))

            return moved

        return made

    return changed


def first(name: str) -> Change:
    """The part `name` moves first, and the other part sees it moved."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update = make(rule)

            def moved(state: Any, m: Sight) -> Any:
                new = getattr(update(state, m), name)
                return update(state._replace(**{name: new}), m)._replace(**{name: new})

            return moved

        return made

    return changed


# Heads


def bootstrapping(source: Callable[[int, int], int]) -> Change:
    """Head k ≥ 1 of 0..K looks ahead with head ``source(k, K)``."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update = make(rule)

            def moved(state: Any, m: Sight) -> Any:
                new = update(state, m).heads.copy()
                for k in range(1, len(new)):
                    seen = state.heads.copy()
                    seen[k - 1] = state.heads[source(k, len(new) - 1)]
                    new[k] = update(state._replace(heads=seen), m).heads[k]
                return state._replace(heads=new)

            return moved

        return made

    return changed


def head_zero(change: Callable[[Update, Any, Sight], Any]) -> Change:
    """Only head 0 is made otherwise."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update = make(rule)

            def moved(state: Any, m: Sight) -> Any:
                new = update(state, m).heads.copy()
                new[0] = change(update, state, m)
                return state._replace(heads=new)

            return moved

        return made

    return changed


def ratio_in_head_zero(update: Update, state: Any, m: Sight) -> Any:
    """Head 0's step, times ρ."""
    return state.heads[0] + m.ratio * (update(state, m).heads[0] - state.heads[0])


def own_target(make: Make) -> Make:
    """θ looks ahead with itself."""

    def made(rule: Rule) -> Update:
        update = make(rule)

        def moved(state: Any, m: Sight) -> Any:
            seen = state.heads.copy()
            seen[0] = state.heads[1]
            theta = update(state._replace(heads=seen), m).heads[1]
            new = update(state, m).heads.copy()
            new[0], new[1] = new[0] + rule.tau * (theta - new[1]), theta  # type: ignore[attr-defined]
            return state._replace(heads=new)

        return moved

    return made


def late_target(make: Make) -> Make:
    """The target takes its share of the θ before the move."""

    def made(rule: Rule) -> Update:
        update = make(rule)

        def moved(state: Any, m: Sight) -> Any:
            new = update(state, m).heads.copy()
            new[0] = new[0] + rule.tau * (state.heads[1] - new[1])  # type: ignore[attr-defined]
            return state._replace(heads=new)

        return moved

    return made


def ratio_beside_the_trace(make: Make) -> Make:
    """e ← γλe + φ without ρ, θ ← θ + αρδe."""

    def made(rule: Rule) -> Update:
        update = make(rule)

        def moved(state: Any, m: Sight) -> Any:
            bare = update(state, m.but(ratio=1.0))
            return bare._replace(theta=state.theta + m.ratio * (bare.theta - state.theta))

        return moved

    return made


ALL, ONE, TWO = (Rule,), (TD,), (WithAuxiliary,)
CHAIN, SOFT, TRACE = (ConcurrentChain,), (SoftTarget,), (TDLambda,)
SLIPS: tuple[Slip, ...] = (
    *(Slip(words, ALL, seeing(change)) for words, change in SEEN.items()),
    *(Slip(words, ALL, discounted(change)) for words, change in DISCOUNTS.items()),
    Slip("δ is multiplied by φ' and not by φ", ONE, along(lambda rule, m: m.phi_next)),
    Slip(
        "follows the whole gradient, δ(φ − γφ'): residual gradient",
        ONE,
        along(lambda rule, m: m.phi - rule.gamma * m.phi_next),
    ),
    Slip("the step is divided by ‖φ‖²", ONE, along(lambda rule, m: m.phi / (m.phi @ m.phi or 1.0))),
    Slip("the sign of γYᵀw, the correction by w", TWO, correction(lambda make: make, -1.0)),
    Slip("the correction by w is left out", TWO, correction(lambda make: make, 0.0)),
    Slip("γ is left out of the correction by w", TWO, correction(with_rule(lambda r: replace(r, gamma=1.0)))),
    Slip("ρ is left out of the correction by w", TWO, correction(seeing(SEEN["ρ is left out"]))),
    Slip("ρ is multiplied twice in the correction by w", TWO, correction(seeing(SEEN["ρ is multiplied twice"]))),
    Slip("the correction by w goes along φ and not along φ'", TWO, correction(seeing(lambda m: m.but(phi_next=m.phi)))),
    Slip("the correction by w reads φ'ᵀw and goes along φ", TWO, correction(seeing(SEEN["φ and φ' are exchanged"]))),
    Slip("ρ is left out of the update of w", TWO, auxiliary(seeing(SEEN["ρ is left out"]))),
    Slip("ρ is multiplied twice in the update of w", TWO, auxiliary(seeing(SEEN["ρ is multiplied twice"]))),
    Slip("γ is left out of the update of w", TWO, auxiliary(with_rule(lambda r: replace(r, gamma=1.0)))),
    Slip("w does not forget: its own prediction φᵀw is left out", TWO, decay(0.0)),
    Slip("the sign of φᵀw in the update of w", TWO, decay(-1.0)),
    Slip("θ is moved by the new w, not by the one before the move", TWO, first("w")),
    Slip("w is moved by the new θ, not by the one before the move", TWO, first("theta")),
    Slip("every head bootstraps from itself", CHAIN, bootstrapping(lambda k, K: k)),
    Slip("head k bootstraps from head k + 1", CHAIN, bootstrapping(lambda k, K: min(k + 1, K))),
    Slip("every head bootstraps from head 0", CHAIN, bootstrapping(lambda k, K: 0)),
    Slip(
        "head 0 has the ratio ρ; it is to learn the behaviour's values, without", CHAIN, head_zero(ratio_in_head_zero)
    ),
    Slip(
        "head k bootstraps from head k − 1 after its move (in place)",
        CHAIN,
        with_rule(lambda r: replace(r, order="in-place")),
    ),
    Slip("τ and 1 − τ are exchanged", SOFT, with_rule(lambda r: replace(r, tau=1 - r.tau))),
    Slip("θ bootstraps from itself, not from the target", SOFT, own_target),
    Slip("the target takes the θ before the move", SOFT, late_target),
    Slip("the trace decays by λ, without γ", TRACE, with_rule(lambda r: replace(r, lambda_=r.lambda_ / r.gamma))),
    Slip("the trace decays by γ, without λ", TRACE, with_rule(lambda r: replace(r, lambda_=1.0))),
    Slip("there is no trace, as with λ = 0", TRACE, with_rule(lambda r: replace(r, lambda_=0.0))),
    Slip("the trace is without ρ; only δ has it", TRACE, ratio_beside_the_trace),
)
