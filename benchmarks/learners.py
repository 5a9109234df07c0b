"""Bulk kernels against NumPy and JAX, in one run: Baird-Reward, γ = .9, the error measured after every transition.

One core: processor time of this process (for JAX, which may use threads of its own, that counts them all). A unit is
one transition seen by one setting (or by one head of a chain). Peers execute every one; our kernels skip those of ratio
0 (6 of 7 here), which change nothing: `…_per_update` leaves that advantage out and counts only updates that we make.
Step sizes are so small that no run diverges and none is retired.

`over_plain_loop`: one setting, one transition at a time, a few NumPy calls each; for the chain, head by head.
`over_vectorised`: NumPy over all settings at once; for the chain, over step sizes and heads.
`over_jax`: ``jit(vmap(scan))`` over parameters, double precision; `over_jax_values` the same in value space. Without
JAX in the environment they are left out and `jax` says so.
`executed_millions`: updates that our kernel really makes, per second, in double and in single precision; `peak_share`:
their multiply-adds as a share of the core's measured peak, `single_error`: the largest relative difference that
single precision makes to the mean squared error.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from theory.learners.bulk import Options, draw_initials, run_bulk
from theory.learners.protocol import grid
from theory.learners.registry import heads_of
from theory.linear.values import target_values
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import Transitions, sample_transitions

K = 256
LEARNERS = ("off-policy-td", "gtd2", "chained-concurrent")
SIZES = np.geomspace(1e-6, 1e-4, 40)


def run(steps: int = 20_000, repeats: int = 5) -> dict[str, object]:
    problem = catalogue_problem("baird-reward")
    out: dict[str, Any] = {"learners": {}}
    out["peak_multiply_adds_billions"] = peak = multiply_add_peak()
    for learner in LEARNERS:
        out["learners"][learner] = compare(learner, problem, steps, repeats, peak)
    out["jax"] = "measured" if jax_present() else "skipped: jax is not installed (the benchmark extra)"
    return out


def compare(learner: str, problem: Problem, steps: int, repeats: int, peak: float) -> dict[str, Any]:
    settings = {
        "off-policy-td": {"alpha": np.repeat(SIZES, 40)},
        "gtd2": grid(alpha=SIZES, beta=SIZES),
        "chained-concurrent": grid(alpha=SIZES[::5], k=[2**i for i in range(9)]),
    }[learner]
    units = len(np.unique(settings["alpha"])) * K if learner == "chained-concurrent" else len(settings["alpha"])
    moves = sample_transitions(np.random.default_rng(0), problem, steps, 1)
    few = Transitions(*(x[:, :300].copy() for x in (
        moves.state, moves.action, moves.next_state, moves.reward, moves.ratio)))  # fmt: skip
    starts = draw_initials(np.random.default_rng(1), 1, heads_of(learner, K), problem.n_features)
    tasks: dict[str, tuple[float, Callable[[], Any]]] = {
        "ours": (units * steps, lambda: run_bulk(learner, problem, settings, moves, starts)),
        "single": (units * steps, lambda: run_bulk(learner, problem, settings, moves, starts, options=SINGLE)),
        "plain_loop": (300 * (K if learner == "chained-concurrent" else 1), lambda: PLAIN[learner](problem, few)),
        "vectorised": (300 * units, lambda: VECTORISED[learner](problem, few, settings)),
    }
    if jax_present():
        for values in (False, True):
            program = jax_program(learner, problem, moves, settings, values=values)
            tasks["jax_values" if values else "jax"] = (units * steps, program)
    rate = rates(tasks, repeats)
    share = float((moves.ratio != 0).mean())
    executed = share * rate["ours"]
    peers = [name for name in rate if name not in ("ours", "single")]
    N = problem.n_states
    work = {"off-policy-td": 2 * N + 3, "gtd2": 4 * N + 7, "chained-concurrent": N + 2}[learner]
    exact, rough = tasks["ours"][1]().mean_square, tasks["single"][1]().mean_square
    return {
        **{f"over_{name}": round(rate["ours"] / rate[name], 1) for name in peers},
        **{f"over_{name}_per_update": round(executed / rate[name], 1) for name in peers},
        "single_over_double": round(rate["single"] / rate["ours"], 2),
        "single_error": float(np.abs(rough / exact - 1).max()),
        "executed_millions": round(executed / 1e6),
        "peak_share": round(executed * work / 1e9 / peak, 3),
    }


SINGLE = Options(dtype="float32")


def rates(tasks: dict[str, tuple[float, Callable[[], Any]]], repeats: int) -> dict[str, float]:
    """Units per second of processor time, the best of interleaved repeats."""
    best = dict.fromkeys(tasks, float("inf"))
    for _, task in tasks.values():
        task()  # compiles
    for _ in range(repeats):
        for name, (_, task) in tasks.items():
            begin = time.process_time()
            task()
            best[name] = min(best[name], time.process_time() - begin)
    return {name: units / best[name] for name, (units, _) in tasks.items()}


def multiply_add_peak() -> float:
    """Billions of double multiply-adds a second: Horner's rule on independent numbers that stay in cache."""

    def horner(x, y, a, c):
        for _ in range(300):
            for j in range(x.size):
                v = x[j]
                for _ in range(12):
                    v = v * a + c
                y[j] = v

    kernel = njit(fastmath={"contract"})(horner)
    x, y = np.ones(1024), np.ones(1024)
    rate = rates({"peak": (300 * 12 * 1024, lambda: kernel(x, y, 0.9, 0.1))}, 20)
    return round(rate["peak"] / 1e9, 2)


# The plain loops: what one writes first.


def columns(problem: Problem, moves: Transitions) -> tuple[Any, ...]:
    parts = (moves.state, moves.next_state, moves.reward, moves.ratio)
    return problem.Phi, target_values(problem), problem.gamma, list(zip(*(x[0].tolist() for x in parts), strict=True))


def plain_td(problem: Problem, moves: Transitions) -> float:
    Phi, v, gamma, stream = columns(problem, moves)
    theta, alpha, total = np.ones(Phi.shape[1]), 1e-5, 0.0
    for s, x, reward, rho in stream:
        phi = Phi[s]
        theta = theta + alpha * rho * (reward + gamma * (Phi[x] @ theta) - phi @ theta) * phi
        total += np.square(Phi @ theta - v).mean()
    return total


def plain_gtd2(problem: Problem, moves: Transitions) -> float:
    Phi, v, gamma, stream = columns(problem, moves)
    theta, w, alpha, beta, total = np.ones(Phi.shape[1]), np.zeros(Phi.shape[1]), 1e-5, 1e-5, 0.0
    for s, x, reward, rho in stream:
        phi, phi_next = Phi[s], Phi[x]
        delta, estimate = reward + gamma * (phi_next @ theta) - phi @ theta, phi @ w
        theta = theta + alpha * rho * estimate * (phi - gamma * phi_next)
        w = w + beta * rho * (delta - estimate) * phi
        total += np.square(Phi @ theta - v).mean()
    return total


def plain_chain(problem: Problem, moves: Transitions) -> float:
    Phi, v, gamma, stream = columns(problem, moves)
    heads, alpha, total = np.ones((K + 1, Phi.shape[1])), 1e-5, 0.0
    for s, x, reward, rho in stream:
        phi, phi_next = Phi[s], Phi[x]
        for k in range(K, 0, -1):  # downwards, so that head k − 1 has not moved yet
            delta = reward + gamma * (phi_next @ heads[k - 1]) - phi @ heads[k]
            heads[k] += alpha * rho * delta * phi
        heads[0] += alpha * (reward + gamma * (phi_next @ heads[0]) - phi @ heads[0]) * phi
        for i in range(9):
            total += np.square(Phi @ heads[2**i] - v).mean()
    return total


def vectorised_td(problem: Problem, moves: Transitions, settings: dict[str, Any]) -> Any:
    Phi, v, gamma, stream = columns(problem, moves)
    alpha = settings["alpha"]
    theta, total = np.ones((len(alpha), Phi.shape[1])), np.zeros(len(alpha))
    for s, x, reward, rho in stream:
        delta = reward + gamma * (theta @ Phi[x]) - theta @ Phi[s]
        theta += (alpha * rho * delta)[:, None] * Phi[s]
        total += np.square(theta @ Phi.T - v).mean(axis=1)
    return total


def vectorised_gtd2(problem: Problem, moves: Transitions, settings: dict[str, Any]) -> Any:
    Phi, v, gamma, stream = columns(problem, moves)
    alpha, beta = settings["alpha"], settings["beta"]
    theta, w, total = np.ones((len(alpha), Phi.shape[1])), np.zeros((len(alpha), Phi.shape[1])), np.zeros(len(alpha))
    for s, x, reward, rho in stream:
        delta, estimate = reward + gamma * (theta @ Phi[x]) - theta @ Phi[s], w @ Phi[s]
        theta += (alpha * rho * estimate)[:, None] * (Phi[s] - gamma * Phi[x])
        w += (beta * rho * (delta - estimate))[:, None] * Phi[s]
        total += np.square(theta @ Phi.T - v).mean(axis=1)
    return total


def vectorised_chain(problem: Problem, moves: Transitions, settings: dict[str, Any]) -> Any:
    Phi, v, gamma, stream = columns(problem, moves)
    alpha = np.unique(settings["alpha"])[:, None]
    heads, scored = np.ones((len(alpha), K + 1, Phi.shape[1])), 2 ** np.arange(9)
    total = np.zeros((len(alpha), 9))
    for s, x, reward, rho in stream:
        here, ahead = heads @ Phi[s], heads @ Phi[x]
        step = alpha * rho * (reward + gamma * np.roll(ahead, 1, axis=1) - here)
        step[:, 0] = alpha[:, 0] * (reward + gamma * ahead[:, 0] - here[:, 0])
        heads += step[:, :, None] * Phi[s]
        total += np.square(heads[:, scored] @ Phi.T - v).mean(axis=2)
    return total


PLAIN = {"off-policy-td": plain_td, "gtd2": plain_gtd2, "chained-concurrent": plain_chain}
VECTORISED = {"off-policy-td": vectorised_td, "gtd2": vectorised_gtd2, "chained-concurrent": vectorised_chain}


def jax_present() -> bool:
    try:
        import jax  # noqa: F401
    except ImportError:
        return False
    return True


def jax_program(
    learner: str, problem: Problem, moves: Transitions, settings: dict[str, Any], *, values: bool
) -> Callable[[], Any]:
    """`jit(vmap(scan))` over the settings; in value space the parameters are errors and the features Gram columns."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    v, gamma = target_values(problem), problem.gamma
    state, next_state = moves.state[0].astype(np.int32), moves.next_state[0].astype(np.int32)
    reward = moves.reward[0] + (gamma * v[next_state] - v[state] if values else 0.0)
    # In value space row s is read by a unit vector and moved along column s of the Gram matrix.
    read = jnp.eye(len(v)) if values else jnp.asarray(problem.Phi)
    push = jnp.asarray(problem.Phi @ problem.Phi.T if values else problem.Phi)
    truth = jnp.zeros(len(v)) if values else jnp.asarray(v)
    stream = (jnp.asarray(state), jnp.asarray(next_state), jnp.asarray(reward), jnp.asarray(moves.ratio[0]))
    scored = jnp.asarray(2 ** np.arange(9))

    def look(theta, s):
        return theta[..., s] if values else theta @ read[s]

    def squared(theta):
        return jnp.square(theta - truth if values else theta @ read.T - truth).mean(axis=-1)

    def td(alpha, _):
        def step(carry, move):
            theta, total = carry
            s, x, r, rho = move
            theta = theta + alpha * rho * (r + gamma * look(theta, x) - look(theta, s)) * push[s]
            return (theta, total + squared(theta)), None

        return jax.lax.scan(step, (jnp.ones(push.shape[1]), 0.0), stream)[0][1]

    def gtd2(alpha, beta):
        def step(carry, move):
            theta, w, total = carry
            s, x, r, rho = move
            delta, estimate = r + gamma * look(theta, x) - look(theta, s), look(w, s)
            theta = theta + alpha * rho * estimate * (push[s] - gamma * push[x])
            w = w + beta * rho * (delta - estimate) * push[s]
            return (theta, w, total + squared(theta)), None

        start = (jnp.ones(push.shape[1]), jnp.zeros(push.shape[1]), 0.0)
        return jax.lax.scan(step, start, stream)[0][2]

    def chain(alpha, _):
        def step(carry, move):
            heads, total = carry
            s, x, r, rho = move
            here, ahead = look(heads, s), look(heads, x)
            rate = jnp.full(K + 1, alpha * rho).at[0].set(alpha)
            delta = r + gamma * jnp.roll(ahead, 1).at[0].set(ahead[0]) - here
            heads = heads + (rate * delta)[:, None] * push[s]
            return (heads, total + squared(heads[scored])), None

        return jax.lax.scan(step, (jnp.ones((K + 1, push.shape[1])), jnp.zeros(9)), stream)[0][1]

    rule = {"off-policy-td": td, "gtd2": gtd2, "chained-concurrent": chain}[learner]
    alpha = np.unique(settings["alpha"]) if learner == "chained-concurrent" else settings["alpha"]
    first, second = jnp.asarray(alpha), jnp.asarray(settings.get("beta", alpha))
    program = jax.jit(jax.vmap(rule))
    return lambda: program(first, second).block_until_ready()


if __name__ == "__main__":
    print(json.dumps(run(), indent=2))
