r"""The data of the paper's figures 2 and 4.

Figure 2: *expected* updates on Baird-Reward, γ = .9, α = .1, from zero, seen at state 7 (the paper's caption says
state 8, but there are seven). One head after the other for T = 250 steps each; all heads at once; all at once with
steps of length α. Head k's fixed point there is its k-step expedition, 10(1 − .9ᵏ).

Figure 4: the first eight heads of a concurrent chain of 1-step and of 8-step estimators on Threestate, γ = .99; the
step size is the one whose head 8 does best on tuning seeds. Head k of an n-step chain settles at distance
γⁿᵏ/(1 − γ) from v_π.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theory.experiments.bootstrap import bootstrap_band, root_mean
from theory.experiments.table1 import PROFILES as SCALES
from theory.experiments.tables import provenance
from theory.learners.bulk import draw_transitions, run_bulk
from theory.learners.concurrent import ConcurrentChain
from theory.learners.model import Model
from theory.learners.protocol import grid
from theory.learners.sequential import SequentialChain
from theory.linear.n_step import n_step_moments
from theory.linear.values import behaviour_values, expedition_values, rmse, target_values
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import FloatArray


@dataclass(frozen=True)
class ExpectedUpdates:
    """Settings of figure 2."""

    problem: str = "baird-reward:gamma=9/10"
    alpha: float = 0.1
    window: int = 250
    heads: int = 40
    state: int = 6  # counting from 0: state 7
    steps: int = 1000  # of the concurrent chains


def expected_updates(config: ExpectedUpdates | None = None) -> dict[str, Any]:
    """Values of every head at the state over time; for the sequential chain, of the head in training."""
    c = config or ExpectedUpdates()
    problem = catalogue_problem(c.problem)
    model, phi = Model(problem), problem.Phi[c.state]
    zero = np.zeros((c.heads + 1, problem.n_features))
    chain = SequentialChain(problem.gamma, c.alpha, c.window, c.heads, after="stop")
    turns, value = chain.init(zero), []
    for _ in range(c.window * (c.heads + 1)):
        head = turns.head
        turns = chain.expected_update(turns, model)
        value.append(float(phi @ turns.heads[head]))
    together = {
        name: _concurrent(ConcurrentChain(problem.gamma, c.alpha, c.heads, normalise=normalise), zero, model, phi, c)
        for name, normalise in (("concurrent", False), ("normalised", True))
    }
    return {
        "problem": problem.name,
        "gamma": problem.gamma,
        "alpha": c.alpha,
        "window": c.window,
        "heads": c.heads,
        "state": problem.state_labels[c.state],
        "target": float(target_values(problem)[c.state]),
        "fixed_points": expedition_values(problem, c.heads)[:, c.state].tolist(),
        "sequential": value,
        **{name: values.tolist() for name, values in together.items()},
        "about": provenance(0, "theory figure expected-updates"),
    }


def expected_update_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """For CSV: panel, head, step and value; every tenth step of the sequential chain."""
    T = result["window"]
    rows = [
        {"chain": "sequential", "k": t // T, "step": t + 1, "value": v}
        for t, v in enumerate(result["sequential"])
        if (t + 1) % 10 == 0
    ]
    for name in ("concurrent", "normalised"):
        for k in range(0, result["heads"] + 1, 5):
            rows += [{"chain": name, "k": k, "step": t, "value": row[k]} for t, row in enumerate(result[name])]
    return rows


def _concurrent(
    chain: ConcurrentChain, start: FloatArray, model: Model, phi: FloatArray, c: ExpectedUpdates
) -> FloatArray:
    """(steps + 1, heads + 1)."""
    state, values = chain.init(start), [start @ phi]
    for _ in range(c.steps):
        state = chain.expected_update(state, model)
        values.append(state.heads @ phi)
    return np.array(values)


def n_step_chains(profile: str = "quick", seed: int = 0, n: tuple[int, ...] = (1, 8), heads: int = 8) -> dict[str, Any]:
    """RMSE of the heads 0..8 over time with bands, tuned and tested as table 1 is."""
    if profile not in SCALES:
        raise InvalidProblem(f"no profile named {profile!r}; there are {', '.join(SCALES)}", "profile")
    scale = SCALES[profile]
    problem = catalogue_problem("threestate:gamma=99/100")
    streams, starts, resampling = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    tuning = draw_transitions(streams, problem, scale.steps, scale.tuning_seeds)
    testing = draw_transitions(streams, problem, scale.steps, scale.test_seeds)
    protocol = replace(scale.protocol, last_head=heads)
    first, second = (protocol.starts(starts, "chained-n-step", problem, m.seeds) for m in (tuning, testing))
    marks = np.unique(np.linspace(0, scale.steps, 101).astype(np.int64))
    chains = []
    for steps in n:
        settings = grid(alpha=protocol.step_sizes, n=[steps], k=[heads])
        tuned = run_bulk("chained-n-step", problem, settings, tuning, first)
        alpha = float(tuned.settings["alpha"][tuned.best()])
        every = grid(alpha=[alpha], n=[steps], k=range(heads + 1))
        tested = run_bulk("chained-n-step", problem, every, testing, second, marks=marks)
        assert tested.curve is not None  # there are marks
        goals = _n_step_errors(problem, steps, heads)
        found = []
        for k in range(heads + 1):
            low, high = bootstrap_band(resampling, tested.curve[k])
            columns = (marks.tolist(), root_mean(tested.curve[k]).tolist(), low.tolist(), high.tolist())
            found.append(
                {
                    "k": k,
                    "rmse": float(tested.rmse[k]),
                    "fixed_point": float(goals[k]),
                    "curve": [list(row) for row in zip(*columns, strict=True)],
                }
            )
        chains.append({"n": steps, "alpha": alpha, "heads": found})
    command = f"theory figure n-step-chains --profile {profile} --seed {seed}"
    return {
        "problem": problem.name,
        "profile": profile,
        "steps": scale.steps,
        "seeds": scale.test_seeds,
        "chains": chains,
        "about": provenance(seed, command),
    }


def n_step_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """For CSV."""
    return [
        {"n": c["n"], "alpha": c["alpha"], "k": h["k"], "step": t, "rmse": r, "low": low, "high": high}
        for c in result["chains"]
        for h in c["heads"]
        for t, r, low, high in h["curve"]
    ]


def _n_step_errors(problem: Problem, n: int, heads: int) -> FloatArray:
    """RMSE of the fixed points of heads 0..K; Π = I here, so head 0's is v_μ."""
    m = n_step_moments(problem, n)
    values = [behaviour_values(problem)]
    for _ in range(heads):
        theta = np.linalg.solve(problem.Phi, values[-1])
        values.append(problem.Phi @ np.linalg.solve(m.X, m.b + problem.gamma**n * (m.Y @ theta)))
    return np.array([rmse(problem, v) for v in values])
