"""The last resort: one problem at a time, with a certificate (`theory.exact`).

Here comes what lies within rounding error of the boundary, what has dependent features, and with ``--certify`` all that
the float proofs leave open. A tie counts as not stable, and not unbiased: the conditions are strict.
"""

from __future__ import annotations

from fractions import Fraction
from math import isinf

import numpy as np

from theory.certified.answers import Verdict
from theory.certified.certificates import Question
from theory.certified.decide import decide
from theory.certified.verdicts import chain_unbiased, td_stable, window_stable
from theory.montecarlo.squaring import NO, OPEN, YES
from theory.problems.ensembles import Batch
from theory.problems.numbers import Array, as_exact


def exact_td(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> int:
    """TD stable?"""
    if n_steps == 1:
        return _code(td_stable(batch.problem(i, gamma)))
    return _code(decide(_question("td", batch, i, gamma, n_steps)))


def exact_chain(batch: Batch, i: int, gamma: Fraction, n_steps: int) -> int:
    """Chain unbiased?"""
    if n_steps == 1:
        return _code(chain_unbiased(batch.problem(i, gamma)))
    return _code(decide(_question("chain", batch, i, gamma, n_steps)))


def exact_window(batch: Batch, i: int, gamma: Fraction, n_steps: int, window: float, alpha: float) -> int:
    """Stable with T = `window` updates per target network, hot start?"""
    if isinf(window):
        return exact_chain(batch, i, gamma, n_steps)
    if n_steps == 1:
        return _code(window_stable(batch.problem(i, gamma), int(window), Fraction(alpha)))
    question = _question("window", batch, i, gamma, n_steps)
    return _code(decide(_replaced(question, int(window), Fraction(alpha))))


def _question(kind: str, batch: Batch, i: int, gamma: Fraction, n_steps: int) -> Question:
    # Pⁿ with all its digits is no problem of its own: the rows of a P in floats do not sum to one exactly.
    P = as_exact(batch.P_pi[i])
    power: Array = P
    for _ in range(n_steps - 1):
        power = power @ P
    return Question(kind, gamma**n_steps, batch.Phi[i], power, batch.d_mu[i])


def _replaced(q: Question, window: int, alpha: Fraction) -> Question:
    return Question(q.kind, q.gamma, q.Phi, q.P, q.d, alpha=alpha, window=window, start="hot")


def _code(verdict: Verdict) -> int:
    return verdict.holds.pick(YES, NO, OPEN)


def decide_open(verdicts: np.ndarray, ask: object) -> int:
    """Fill in what is OPEN by asking ``ask(i)``; how many there were."""
    left = np.flatnonzero(verdicts == OPEN)
    for i in left:
        verdicts[i] = ask(int(i))  # type: ignore[operator]
    return len(left)
