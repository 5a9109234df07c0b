"""The exact error of every closing learner against a sum over all sequences of moves, in fractions.

Written a second time, from the papers' update rules: plain lists of fractions, nothing of `theory` but the answer that
is compared. A start σξ with independent standard normals ξ is the run from 0 and one from each σeᵢ: of an affine
update E(c + Σ aᵢξᵢ)² = c² + Σ aᵢ².
"""

import random
from fractions import Fraction
from itertools import product

import pytest

from tests.noise.stepping import error_curve
from theory.learners.concurrent import ConcurrentChain
from theory.learners.corrected import ChainedExpectedSarsa
from theory.learners.gradient import GTD2, TDC, TDRC
from theory.learners.n_step import ChainedNStep, NStep
from theory.learners.sequential import SequentialChain, TargetNetwork
from theory.learners.soft import SoftTarget
from theory.learners.td import TD, OffPolicyTD
from theory.noise.errors import error_chain
from theory.problems import MDP, Problem

SIGMA, MOVES = Fraction(3), 4
A, B, KAPPA, TAU = Fraction(1, 5), Fraction(2, 7), Fraction(1, 2), Fraction(1, 3)  # α, β, κ, τ
STATES = ACTIONS = (0, 1)


class Tiny:
    """Two states, two actions, random rationals; with ends, some episodes end and γ = 1 is allowed."""

    def __init__(self, seed, features, ends):
        draw = random.Random(seed)
        self.gamma = Fraction(1) if ends else Fraction(draw.randint(5, 9), 10)
        self.discount = [Fraction(1), Fraction(draw.randint(3, 9), 10)] if ends else [Fraction(1)] * 2
        self.start, self.ends = _law(draw, 2), ends
        laws = {sa: _law(draw, 3 if ends else 2) for sa in product(STATES, ACTIONS)}
        self.P = [[laws[s, a][:2] for a in ACTIONS] for s in STATES]
        self.R = [[Fraction(draw.randint(-3, 3)) for _ in ACTIONS] for _ in STATES]
        self.pi, self.mu = ([_law(draw, 2) for _ in STATES] for _ in range(2))
        self.Phi = [[Fraction(draw.choice([-2, -1, 1, 2, 3])) for _ in range(features)] for _ in STATES]
        if features == 2:
            self.Phi[1][1] = self.Phi[1][0] * self.Phi[0][1] / self.Phi[0][0] + 1  # independent
        ended = {"start": self.start, "discount": self.discount} if ends else {}
        self.problem = Problem.from_mdp(
            MDP(self.P, self.R, self.gamma, **ended), pi=self.pi, mu=self.mu, Phi=self.Phi, name="tiny"
        )

    def moves(self, s, a):
        """(chance, next state, discount): after an end the stream goes on from the start, and nothing bootstraps."""
        row = self.P[s][a]
        yield from ((p, t, self.discount[t]) for t, p in enumerate(row) if p)
        if (rest := 1 - sum(row)) > 0:
            yield from ((rest * p, t, Fraction(0)) for t, p in enumerate(self.start) if p)

    def first(self):
        """Where episodes begin; else d_μ, stationary for the stream: d₀·P(0 → 1) = d₁·P(1 → 0)."""
        if self.ends:
            return self.start
        leave = [sum(self.mu[s][a] * p for a in ACTIONS for p, t, _ in self.moves(s, a) if t != s) for s in STATES]
        return [leave[1] / sum(leave), leave[0] / sum(leave)]

    def values(self):
        """v_π by Cramer's rule."""
        r = [sum(self.pi[s][a] * self.R[s][a] for a in ACTIONS) for s in STATES]
        M = [
            [
                int(s == t) - self.gamma * self.discount[t] * sum(self.pi[s][a] * self.P[s][a][t] for a in ACTIONS)
                for t in STATES
            ]
            for s in STATES
        ]
        det = M[0][0] * M[1][1] - M[0][1] * M[1][0]
        return [(r[0] * M[1][1] - M[0][1] * r[1]) / det, (M[0][0] * r[1] - r[0] * M[1][0]) / det]


def _law(draw, n):
    parts = [draw.randint(1, 4) for _ in range(n)]
    return [Fraction(x, sum(parts)) for x in parts]


def dot(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def plus(x, c, y):
    return [a + c * b for a, b in zip(x, y, strict=True)]


# A learner: vectors of which the first `drawn` begin at random, what they become, and which one predicts. `see` is a
# move: φ, r, γφ' (times the discount), ρ, the γφ' that the behaviour's head looks at, and γ times the discount.


def td(z, see, memory, ratio=False):
    phi, r, ahead, rho, *_ = see
    return [plus(z[0], A * (rho if ratio else 1) * (r + dot(ahead, z[0]) - dot(phi, z[0])), phi)], memory


def off_policy_td(z, see, memory):
    return td(z, see, memory, ratio=True)


def gradient(kind):
    def update(z, see, memory):
        (theta, w), (phi, r, ahead, rho, *_) = z, see
        delta, h = r + dot(ahead, theta) - dot(phi, theta), dot(phi, w)
        if kind == "gtd2":
            theta = plus(plus(theta, A * rho * h, phi), -A * rho * h, ahead)
        else:
            theta = plus(plus(theta, A * rho * delta, phi), -A * rho * h, ahead)
        shrunk = plus(w, -B * KAPPA, w) if kind == "tdrc" else w
        return [theta, plus(shrunk, B * rho * (delta - h), phi)], memory

    return update


def n_step(n, chain=False):
    """Of a chain head 0 learns v_μ by TD, and the others bootstrap from the head before."""

    def update(z, see, memory):
        window = [*memory, see]
        after = [plus(z[0], A * (see[1] + dot(see[4], z[0]) - dot(see[0], z[0])), see[0]), *z[1:]] if chain else list(z)
        if len(window) < n:
            return after, window
        G, rho, faded = Fraction(0), Fraction(1), Fraction(1)
        for i, (_, r, ahead, ratio, _, discount) in enumerate(window):
            G, rho = G + faded * r, rho * ratio
            last = [faded * x for x in ahead]
            faded *= discount
            if faded == 0 and i < n - 1:  # the episode has ended: what comes after does not count
                last = [0 * x for x in ahead]
                break
        phi = window[0][0]
        for k in range(int(chain), len(z)):
            before = z[k - 1] if chain else z[k]
            after[k] = plus(z[k], A * rho * (G + dot(last, before) - dot(phi, z[k])), phi)
        return after, window[1:]

    return update


def target_network(T):
    def update(z, see, memory):
        (target, theta), (phi, r, ahead, rho, *_) = z, see
        theta = plus(theta, A * rho * (r + dot(ahead, target) - dot(phi, theta)), phi)
        count = (memory or 0) + 1
        return [theta if count % T == 0 else target, theta], count

    return update


def soft_target(z, see, memory):
    (target, theta), (phi, r, ahead, rho, *_) = z, see
    theta = plus(theta, A * rho * (r + dot(ahead, target) - dot(phi, theta)), phi)
    return [plus([(1 - TAU) * x for x in target], TAU, theta), theta], memory


def sequential(T, K):
    """Hot starts; after the last head its values take head 0's place."""

    def update(z, see, memory):
        k, count = memory or (0, 0)
        phi, r, ahead, rho, follow, _ = see
        z = list(z)
        if k == 0:
            z[0] = plus(z[0], A * (r + dot(follow, z[0]) - dot(phi, z[0])), phi)
        else:
            z[k] = plus(z[k], A * rho * (r + dot(ahead, z[k - 1]) - dot(phi, z[k])), phi)
        if count + 1 < T:
            return z, (k, count + 1)
        if k == K:
            z[0], k = z[K], 0
        z[k + 1] = z[k]
        return z, (k + 1, 0)

    return update


def concurrent(in_place=False, ratio=True):
    def update(z, see, memory):
        phi, r, ahead, rho, follow, _ = see
        after = [plus(z[0], A * (r + dot(follow, z[0]) - dot(phi, z[0])), phi)]
        for k in range(1, len(z)):
            before = after[k - 1] if in_place else z[k - 1]
            after.append(plus(z[k], A * (rho if ratio else 1) * (r + dot(ahead, before) - dot(phi, z[k])), phi))
        return after, memory

    return update


CASES = {
    "td": (td, 1, 1, 0, lambda y: TD(y, A)),
    "off-policy-td": (off_policy_td, 1, 1, 0, lambda y: OffPolicyTD(y, A)),
    "gtd2": (gradient("gtd2"), 2, 1, 0, lambda y: GTD2(y, A, B)),
    "tdc": (gradient("tdc"), 2, 1, 0, lambda y: TDC(y, A, B)),
    "tdrc": (gradient("tdrc"), 2, 1, 0, lambda y: TDRC(y, A, B, kappa=KAPPA)),
    "n-step": (n_step(2), 1, 1, 0, lambda y: NStep(y, A, 2)),
    "chained-n-step": (n_step(2, chain=True), 3, 3, 2, lambda y: ChainedNStep(y, A, K=2, n=2)),
    "target-network": (target_network(2), 2, 2, 1, lambda y: TargetNetwork(y, A, 2)),
    "soft-target": (soft_target, 2, 2, 1, lambda y: SoftTarget(y, A, TAU)),
    "chained-sequential": (sequential(1, 2), 3, 3, 2, lambda y: SequentialChain(y, A, 1, K=2)),
    "chained-sequential, T = 2": (sequential(2, 1), 2, 2, 1, lambda y: SequentialChain(y, A, 2, K=1)),
    "chained-concurrent": (concurrent(), 3, 3, 2, lambda y: ConcurrentChain(y, A, K=2)),
    "in place": (concurrent(in_place=True), 3, 3, 2, lambda y: ConcurrentChain(y, A, K=2, order="in-place")),
}


def expected(tiny, update, vectors, drawn, head, moves, pairs=False):
    """E‖v − v_π‖² after 1, …, moves moves; of action values v(s) = Σ_a π(a|s)q(s, a)."""
    F, truth, total = len(tiny.Phi[0]), tiny.values(), [Fraction(0)] * (moves + 1)
    size = 2 * F if pairs else F
    zero = [[Fraction(0)] * size for _ in range(vectors)]
    starts = [zero]
    for v, f in product(range(drawn), range(size)):
        one = [list(x) for x in zero]
        one[v][f] = SIGMA
        starts.append(one)

    def features(s, a):
        blocks = ([x if a == b else 0 * x for x in tiny.Phi[s]] for b in ACTIONS)
        return [x for block in blocks for x in block] if pairs else tiny.Phi[s]

    seen = [plus([tiny.pi[s][0] * x for x in features(s, 0)], tiny.pi[s][1], features(s, 1)) for s in STATES]

    def go(t, p, s, a, runs, memory):
        if t:
            for x, v in zip(seen, truth, strict=True):
                read = [dot(x, z[head]) for z in runs]
                total[t] += p * ((read[0] - v) ** 2 + sum((y - read[0]) ** 2 for y in read[1:])) / 2
        if t == moves:
            return
        for action in [a] if pairs else ACTIONS:
            for chance, to, discount in tiny.moves(s, action):
                fade = tiny.gamma * discount
                rho = tiny.pi[s][action] / tiny.mu[s][action]
                q = p * chance * (1 if pairs else tiny.mu[s][action])
                for then in ACTIONS if pairs else [None]:
                    ahead, follow = ([fade * x for x in phi] for phi in (seen[to], features(to, then)))
                    move = (features(s, action), tiny.R[s][action], ahead, rho, follow, fade)
                    after = [update(z, move, memory) for z in runs]
                    mass = q * tiny.mu[to][then] if pairs else q
                    go(t + 1, mass, to, then, [z for z, _ in after], after[0][1])

    for s, d in enumerate(tiny.first()):
        if pairs:
            for a in ACTIONS:
                go(0, d * tiny.mu[s][a], s, a, starts, [])
        else:
            go(0, d, s, None, starts, [])
    return total[1:]


@pytest.mark.parametrize("ends", [False, True], ids=["going on", "ending"])
@pytest.mark.parametrize("name", CASES)
def test_the_error_is_the_sum_over_all_sequences_of_moves(name, ends):
    update, vectors, drawn, head, rule = CASES[name]
    features = 2 if vectors * (3 if ends else 2) <= 4 else 1
    tiny, moves = Tiny(sum(map(ord, name)), features, ends), MOVES - ends
    found = error_curve(error_chain(rule(tiny.gamma), tiny.problem), moves, SIGMA)
    assert found.tolist()[1:] == expected(tiny, update, vectors, drawn, head, moves)


@pytest.mark.parametrize("ends", [False, True], ids=["going on", "ending"])
def test_action_values_too(ends):
    tiny = Tiny(5, 1, ends)
    found = error_curve(error_chain(ChainedExpectedSarsa(tiny.gamma, A, K=1), tiny.problem), 3, SIGMA)
    assert found.tolist()[1:] == expected(tiny, concurrent(ratio=False), 2, 2, 1, 3, pairs=True)
