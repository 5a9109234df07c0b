r"""Changes of a learner's update: of what it sees, of its discount, or of one of the parts that it is the sum of.

A learner is a function ``make`` from a rule to its update; a change takes makers to makers, so two of them together are
one after the other. For the gradient methods, with z = (θ, w),

    θ' = (θ' at w = 0) + correction,       correction = θ'(θ, w) − θ'(θ, 0)

and a wrong sign, discount or ratio in the correction alone is a wrong part alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from theory.checking.sights import Sight
from theory.learners.rule import Rule

Update = Callable[[Any, Sight], Any]
Make = Callable[[Rule], Update]
Change = Callable[[Make], Make]


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


def rewarded(factor: Callable[[float], float]) -> Change:
    """The reward is seen times a function of γ."""

    def changed(make: Make) -> Make:
        def made(rule: Any) -> Update:
            update = make(rule)
            return lambda state, m: update(state, m.but(reward=factor(rule.gamma) * m.reward))

        return made

    return changed


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


def own_value(factor: float) -> Change:
    """What θ loses by its own prediction φᵀθ is multiplied."""

    def changed(make: Make) -> Make:
        def made(rule: Rule) -> Update:
            update, blind = make(rule), discounted(lambda gamma: 0.0)(make)(rule)

            def moved(state: Any, m: Sight) -> Any:
                own = blind(state, m).theta - blind(state._replace(theta=0 * state.theta), m).theta - state.theta
                right = update(state, m)
                return right._replace(theta=right.theta + (factor - 1) * own)

            return moved

        return made

    return changed


def ratio_on_the_bootstrap_alone(make: Make) -> Make:
    """θ ← θ + α(r + ργφ'ᵀθ − φᵀθ)φ."""

    def made(rule: Rule) -> Update:
        update, blind = make(rule), discounted(lambda gamma: 0.0)(make)(rule)

        def moved(state: Any, m: Sight) -> Any:
            bare = update(state, m.but(ratio=1.0))
            ahead = bare.theta - blind(state, m.but(ratio=1.0)).theta
            return bare._replace(theta=bare.theta + (m.ratio - 1) * ahead)

        return moved

    return made


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


def forgets_by_itself(make: Make) -> Make:
    """w ← w + β(ρδφ − w), the first GTD."""

    def made(rule: Any) -> Update:
        update = make(rule)

        def moved(state: Any, m: Sight) -> Any:
            fresh = update(state._replace(w=0 * state.w), m).w
            return update(state, m)._replace(w=(1 - rule.beta) * state.w + fresh)

        return moved

    return made


def exchanged(make: Make) -> Make:
    """θ is taken for w, and w for θ."""

    def made(rule: Rule) -> Update:
        update = make(rule)

        def moved(state: Any, m: Sight) -> Any:
            new = update(state._replace(theta=state.w, w=state.theta), m)
            return new._replace(theta=new.w, w=new.theta)

        return moved

    return made


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
