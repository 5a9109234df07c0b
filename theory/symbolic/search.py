"""The untrusted search: noncommutative Buchberger that carries cofactors.

Given forms hᵢ that are zero and a goal, find goal = Σ c·m·a·hᵢ·b, or the residue where it got stuck. Terms m·w are
ordered by length of the word, then the word, then the scalars; since scalars commute with everything, treating the
*pair* (m, w) as the leading term gives rational leading coefficients, never a division by γ, and S-polynomials by the
least common multiple of the scalar parts. Two rules meet in an overlap of their words; each nonzero S-polynomial is a
new rule that remembers what it was made of. Nothing here needs to be right: the kernel expands what comes out.

When scalars are not units a set of rules whose overlaps all resolve still need not be complete (γ·u and γ·v meet in
γ·u·w·v for every w). So "not found" is never evidence against a claim.

Inside, a letter is one character and a word a string, which makes looking for a subword fast.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add, le, sub

from flint import fmpq

from theory.symbolic.forms import ANYWHERE, Form, Mono, Word
from theory.symbolic.kernel import Entry, Reference

Exponents = tuple[int, ...]
Term = tuple[int, str, int, Exponents]  # length, word, degree, scalars: compares as the term order
Cofactor = tuple[fmpq, Exponents, str, int, str]  # c, m, a, rule, b; rule -1 - i is the i-th known zero


@dataclass(frozen=True)
class Limits:
    """When to give up: S-polynomials, rewriting steps, letters beyond the longest word given, processor seconds.

    The counts come first, so that the answer does not depend on the machine; the seconds are a safety net.
    """

    pairs: int = 6000
    steps: int = 300_000
    stretch: int = 4
    seconds: float = 20.0


@dataclass(frozen=True)
class Found:
    """The entries of a certificate, or the residue that was left."""

    entries: tuple[Entry, ...] | None
    residue: Form
    pairs: int  # S-polynomials looked at


def find(goal: Form, known: Sequence[tuple[Reference, Form]], limits: Limits | None = None) -> Found:
    """Write the goal as a combination of the known zeros."""
    return _Completion(goal, known, limits or Limits()).run()


class _Completion:
    def __init__(self, goal: Form, known: Sequence[tuple[Reference, Form]], limits: Limits) -> None:
        forms = [goal, *(form for _, form in known)]
        self.goal, self.known, self.limits = goal, known, limits
        self.scalars = sorted({s for form in forms for mono, _ in form.terms for s in mono})
        letters = sorted({x for form in forms for _, word in form.terms for x in word})
        self.code = {x: chr(0x100 + i) for i, x in enumerate(letters)}
        self.name = {c: x for x, c in self.code.items()}
        self.unit = (0,) * len(self.scalars)
        self.longest = max((len(w) for form in forms for _, w in form.terms), default=0) + limits.stretch
        self.steps = 0
        self.leads: list[Term] = []
        self.tails: list[list[tuple[Term, fmpq]]] = []
        self.made_of: list[list[Cofactor]] = []
        self.by_word: dict[str, list[int]] = {}
        self.lengths: list[int] = []
        self.queue: list[tuple[int, int, int, int, int]] = []  # size, age, rule, rule, offset

    def run(self) -> Found:
        deadline = time.process_time() + self.limits.seconds
        log: list[Cofactor] = []
        residue = self._encode(self.goal)
        for i, (_, form) in enumerate(self.known):
            if any(word for _, word in form.terms) or form.source == ANYWHERE:
                self._add_rule(self._encode(form), [(fmpq(1), self.unit, "", -1 - i, "")], form.source == ANYWHERE)
        residue = self._reduce(residue, log)
        pairs = 0
        while residue and self.queue and pairs < self.limits.pairs and self.steps < self.limits.steps:
            if time.process_time() > deadline:
                break
            pairs += 1
            _, _, i, j, offset = heapq.heappop(self.queue)
            if self._add_rule(*self._s_polynomial(i, j, offset)):
                residue = self._reduce(residue, log)
        return Found(None if residue else self._entries(log), self._decode(residue), pairs)

    def _add_rule(self, terms: dict[Term, fmpq], made_of: list[Cofactor], scalar: bool = False) -> bool:
        """Reduce, make monic and keep, unless nothing is left; `made_of` expands to the terms.

        A rule c·1 = 0 of one space fits only where a word passes through it; such a rule is not worth its trouble.
        """
        used: list[Cofactor] = []
        terms = self._reduce(terms, used)
        if not any(word for _, word, _, _ in terms) and not (terms and scalar):
            return False
        made_of = made_of + [(-c, m, a, rule, b) for c, m, a, rule, b in used]
        lead = max(terms)
        c = terms.pop(lead)
        new = len(self.leads)
        self.leads.append(lead)
        self.tails.append([(t, x / c) for t, x in terms.items()])
        self.made_of.append([(x / c, m, a, rule, b) for x, m, a, rule, b in made_of])
        self.by_word.setdefault(lead[1], []).append(new)
        if lead[0] not in self.lengths:
            self.lengths.append(lead[0])
        for old in range(new + 1):
            self._push_overlaps(old, new)
            if old != new:
                self._push_overlaps(new, old)
        return True

    def _push_overlaps(self, i: int, j: int) -> None:
        """Queue the places where word j starts inside word i."""
        (_, u, _, m), (_, v, _, n) = self.leads[i], self.leads[j]
        if v and v[0] not in u:
            return
        degree = sum(map(max, m, n))
        if not v:  # a relation among scalars meets every rule with which it shares one
            if u and any(map(min, m, n)):
                heapq.heappush(self.queue, (len(u) + degree, len(self.leads), i, j, 0))
            return
        offset = u.find(v[0])
        while offset >= 0:
            size = max(len(u), offset + len(v))
            if u[offset : offset + len(v)] == v[: len(u) - offset] and size <= self.longest and (i != j or offset):
                heapq.heappush(self.queue, (size + degree, len(self.leads), i, j, offset))
            offset = u.find(v[0], offset + 1)

    def _s_polynomial(self, i: int, j: int, offset: int) -> tuple[dict[Term, fmpq], list[Cofactor]]:
        """(lcm/lead i)·rule i − (lcm/lead j)·rule j, where word j starts at `offset` in word i."""
        (_, u, _, m), (_, v, _, n) = self.leads[i], self.leads[j]
        lcm = tuple(map(max, m, n))
        right_i, left_j, right_j = v[len(u) - offset :], u[:offset], u[offset + len(v) :]
        up_i, up_j = tuple(map(sub, lcm, m)), tuple(map(sub, lcm, n))
        terms: dict[Term, fmpq] = {}
        self._subtract(terms, fmpq(-1), up_i, "", i, right_i)
        self._subtract(terms, fmpq(1), up_j, left_j, j, right_j)
        return terms, [(fmpq(1), up_i, "", i, right_i), (fmpq(-1), up_j, left_j, j, right_j)]

    def _reduce(self, terms: dict[Term, fmpq], log: list[Cofactor]) -> dict[Term, fmpq]:
        """Rewrite from the largest term down; what was subtracted goes into the log."""
        terms, done = dict(terms), dict[Term, fmpq]()
        while terms:
            self.steps += 1
            if self.steps > self.limits.steps:
                return terms | done
            term = max(terms)
            c = terms.pop(term)
            hit = self._divisor(term)
            if hit is None:
                done[term] = c
                continue
            rule, left, right = hit
            up = tuple(map(sub, term[3], self.leads[rule][3]))
            self._subtract(terms, c, up, left, rule, right)
            log.append((c, up, left, rule, right))
        return done

    def _divisor(self, term: Term) -> tuple[int, str, str] | None:
        size, word, _, mono = term
        for length in self.lengths:
            for start in range(size - length + 1 if length else 1):
                for rule in self.by_word.get(word[start : start + length], ()):
                    if all(map(le, self.leads[rule][3], mono)):
                        return rule, word[:start], word[start + length :]
        return None

    def _subtract(self, terms: dict[Term, fmpq], c: fmpq, up: Exponents, left: str, rule: int, right: str) -> None:
        """Subtract c·up·left·(tail of rule)·right; the leading terms are known to cancel."""
        extra = len(left) + len(right)
        for (size, word, _, mono), x in self.tails[rule]:
            new = tuple(map(add, mono, up))
            key = (size + extra, left + word + right, sum(new), new)
            value = terms.get(key, 0) - c * x
            if value:
                terms[key] = value
            else:
                del terms[key]

    def _entries(self, log: list[Cofactor]) -> tuple[Entry, ...]:
        """Unfold rules into what they were made of, newest first, until only known zeros are left."""
        pending: dict[int, dict[tuple[Exponents, str, str], fmpq]] = {}

        def put(c: fmpq, m: Exponents, a: str, rule: int, b: str) -> None:
            place = pending.setdefault(rule, {})
            place[m, a, b] = place.get((m, a, b), 0) + c

        for cofactor in log:
            put(*cofactor)
        for rule in range(len(self.leads) - 1, -1, -1):
            for (m, a, b), c in pending.pop(rule, {}).items():
                for x, n, left, source, right in self.made_of[rule] if c else ():
                    put(c * x, tuple(map(add, m, n)), a + left, source, right + b)
        return tuple(
            (Fraction(int(c.p), int(c.q)), self._mono(m), self._word(a), self.known[-1 - number][0], self._word(b))
            for number, places in sorted(pending.items(), reverse=True)
            for (m, a, b), c in sorted(places.items())
            if c
        )

    def _encode(self, form: Form) -> dict[Term, fmpq]:
        out = {}
        for (mono, word), c in form.terms.items():
            exponents = tuple(mono.count(s) for s in self.scalars)
            out[len(word), "".join(self.code[x] for x in word), len(mono), exponents] = fmpq(c.numerator, c.denominator)
        return out

    def _decode(self, terms: dict[Term, fmpq]) -> Form:
        decoded = {(self._mono(m), self._word(w)): Fraction(int(c.p), int(c.q)) for (_, w, _, m), c in terms.items()}
        return Form(self.goal.source, self.goal.target, decoded)

    def _mono(self, exponents: Exponents) -> Mono:
        return tuple(s for s, n in zip(self.scalars, exponents, strict=True) for _ in range(n))

    def _word(self, word: str) -> Word:
        return tuple(self.name[c] for c in word)
