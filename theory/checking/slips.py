"""Mistakes that people make in learners, each as a change of the rule's own update; no formula is written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from theory.checking.changes import (
    Change,
    Make,
    Update,
    along,
    auxiliary,
    bootstrapping,
    correction,
    decay,
    discounted,
    exchanged,
    first,
    forgets_by_itself,
    head_zero,
    late_target,
    own_target,
    own_value,
    ratio_beside_the_trace,
    ratio_in_head_zero,
    ratio_on_the_bootstrap_alone,
    rewarded,
    seeing,
    with_rule,
)
from theory.checking.sights import Sight
from theory.learners.concurrent.rule import ConcurrentChain
from theory.learners.gradient.rule import WithAuxiliary
from theory.learners.rule import Rule
from theory.learners.soft import SoftTarget
from theory.learners.td.rule import TD
from theory.learners.td.traces import TDLambda


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
    Slip("γ multiplies the reward, too", ALL, rewarded(lambda gamma: gamma)),
    Slip("the reward is multiplied by 1 − γ", ALL, rewarded(lambda gamma: 1 - gamma)),
    Slip("the sign of φᵀθ, its own prediction", ONE, own_value(-1.0)),
    Slip("its own prediction φᵀθ is left out", ONE, own_value(0.0)),
    Slip("ρ is on γφ'ᵀθ alone, not on all of δ", ONE, ratio_on_the_bootstrap_alone),
    Slip("the step is divided by ‖φ‖", ONE, along(lambda rule, m: m.phi / (m.phi @ m.phi or 1.0) ** 0.5)),
    Slip("the step is divided by ‖φ‖²", ONE, along(lambda rule, m: m.phi / (m.phi @ m.phi or 1.0))),
    Slip("the sign of γYᵀw, the correction by w", TWO, correction(lambda make: make, -1.0)),
    Slip("the correction by w is left out", TWO, correction(lambda make: make, 0.0)),
    Slip("γ is left out of the correction by w", TWO, correction(with_rule(lambda r: replace(r, gamma=1.0)))),
    Slip(
        "γ is multiplied twice in the correction by w", TWO, correction(discounted(DISCOUNTS["γ is multiplied twice"]))
    ),
    Slip("the correction by w reads φ'ᵀw and not φᵀw", TWO, correction(seeing(lambda m: m.but(phi=m.phi_next)))),
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
    Slip("w forgets by itself, −βw, and not by its prediction φᵀw (the first GTD)", TWO, forgets_by_itself),
    Slip("θ and w are exchanged in the state", TWO, exchanged),
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
