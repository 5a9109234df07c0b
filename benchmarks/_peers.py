"""What others would write for the three learners of `benchmarks.learners`: NumPy loops, NumPy over settings, JAX.

Each measures the error after every transition, adds it up, starts from ones, and returns the sum and the last error.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from theory.model.points import target_values
from theory.problems import Problem
from theory.problems.sampling import Transitions

K = 256


def columns(problem: Problem, moves: Transitions) -> tuple[Any, ...]:
    state, _, next_state, reward, ratio, _ = moves.seed(0)
    stream = zip(*(x.tolist() for x in (state, next_state, reward, ratio)), strict=True)
    return problem.Phi, target_values(problem), problem.gamma, list(stream)


def plain_td(problem: Problem, moves: Transitions) -> tuple[float, float]:
    Phi, v, gamma, stream = columns(problem, moves)
    theta, alpha, total = np.ones(Phi.shape[1]), 1e-5, 0.0
    for s, x, reward, rho in stream:
        phi = Phi[s]
        theta = theta + alpha * rho * (reward + gamma * (Phi[x] @ theta) - phi @ theta) * phi
        error = np.square(Phi @ theta - v).mean()
        total += error
    return total, error


def plain_gtd2(problem: Problem, moves: Transitions) -> tuple[float, float]:
    Phi, v, gamma, stream = columns(problem, moves)
    theta, w, alpha, beta, total = np.ones(Phi.shape[1]), np.zeros(Phi.shape[1]), 1e-5, 1e-5, 0.0
    for s, x, reward, rho in stream:
        phi, phi_next = Phi[s], Phi[x]
        delta, estimate = reward + gamma * (phi_next @ theta) - phi @ theta, phi @ w
        theta = theta + alpha * rho * estimate * (phi - gamma * phi_next)
        w = w + beta * rho * (delta - estimate) * phi
        error = np.square(Phi @ theta - v).mean()
        total += error
    return total, error


def plain_chain(problem: Problem, moves: Transitions) -> tuple[float, float]:
    Phi, v, gamma, stream = columns(problem, moves)
    heads, alpha, total = np.ones((K + 1, Phi.shape[1])), 1e-5, 0.0
    for s, x, reward, rho in stream:
        phi, phi_next = Phi[s], Phi[x]
        for k in range(K, 0, -1):  # downwards, so that head k − 1 has not moved yet
            delta = reward + gamma * (phi_next @ heads[k - 1]) - phi @ heads[k]
            heads[k] += alpha * rho * delta * phi
        heads[0] += alpha * (reward + gamma * (phi_next @ heads[0]) - phi @ heads[0]) * phi
        for i in range(9):
            error = np.square(Phi @ heads[2**i] - v).mean()
            total += error
    return total, error


def vectorised_td(problem: Problem, moves: Transitions, settings: dict[str, Any]) -> tuple[Any, Any]:
    Phi, v, gamma, stream = columns(problem, moves)
    alpha = settings["alpha"]
    theta, total = np.ones((len(alpha), Phi.shape[1])), np.zeros(len(alpha))
    for s, x, reward, rho in stream:
        delta = reward + gamma * (theta @ Phi[x]) - theta @ Phi[s]
        theta += (alpha * rho * delta)[:, None] * Phi[s]
        error = np.square(theta @ Phi.T - v).mean(axis=1)
        total += error
    return total, error


def vectorised_gtd2(problem: Problem, moves: Transitions, settings: dict[str, Any]) -> tuple[Any, Any]:
    Phi, v, gamma, stream = columns(problem, moves)
    alpha, beta = settings["alpha"], settings["beta"]
    theta, w, total = np.ones((len(alpha), Phi.shape[1])), np.zeros((len(alpha), Phi.shape[1])), np.zeros(len(alpha))
    for s, x, reward, rho in stream:
        delta, estimate = reward + gamma * (theta @ Phi[x]) - theta @ Phi[s], w @ Phi[s]
        theta += (alpha * rho * estimate)[:, None] * (Phi[s] - gamma * Phi[x])
        w += (beta * rho * (delta - estimate))[:, None] * Phi[s]
        error = np.square(theta @ Phi.T - v).mean(axis=1)
        total += error
    return total, error


def vectorised_chain(problem: Problem, moves: Transitions, settings: dict[str, Any]) -> tuple[Any, Any]:
    Phi, v, gamma, stream = columns(problem, moves)
    alpha = np.unique(settings["alpha"])[:, None]
    heads, scored = np.ones((len(alpha), K + 1, Phi.shape[1])), 2 ** np.arange(9)
    total = np.zeros((len(alpha), 9))
    for s, x, reward, rho in stream:
        here, ahead = heads @ Phi[s], heads @ Phi[x]
        step = alpha * rho * (reward + gamma * np.roll(ahead, 1, axis=1) - here)
        step[:, 0] = alpha[:, 0] * (reward + gamma * ahead[:, 0] - here[:, 0])
        heads += step[:, :, None] * Phi[s]
        error = np.square(heads[:, scored] @ Phi.T - v).mean(axis=2)
        total += error
    return total, error


PLAIN = {"off-policy-td": plain_td, "gtd2": plain_gtd2, "chained-concurrent": plain_chain}
VECTORISED = {"off-policy-td": vectorised_td, "gtd2": vectorised_gtd2, "chained-concurrent": vectorised_chain}


def jax_present() -> bool:
    return find_spec("jax") is not None


def jax_program(
    learner: str, problem: Problem, moves: Transitions, settings: dict[str, Any], *, values: bool
) -> Callable[[], Any]:
    """`jit(vmap(scan))` over the settings; in value space the parameters are errors and the features Gram columns."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    v, gamma = target_values(problem), problem.gamma
    seen = moves.seed(0)
    state, next_state = seen.state.astype(np.int32), seen.next_state.astype(np.int32)
    reward = seen.reward + (gamma * v[next_state] - v[state] if values else 0.0)
    # In value space row s is read by a unit vector and moved along column s of the Gram matrix.
    read = jnp.eye(len(v)) if values else jnp.asarray(problem.Phi)
    push = jnp.asarray(problem.Phi @ problem.Phi.T if values else problem.Phi)
    truth = jnp.zeros(len(v)) if values else jnp.asarray(v)
    one = jnp.asarray(problem.Phi.sum(axis=1) - v) if values else jnp.ones(problem.n_features)
    stream = (jnp.asarray(state), jnp.asarray(next_state), jnp.asarray(reward), jnp.asarray(seen.ratio))
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

        theta, total = jax.lax.scan(step, (one, 0.0), stream)[0]
        return total, squared(theta)

    def gtd2(alpha, beta):
        def step(carry, move):
            theta, w, total = carry
            s, x, r, rho = move
            delta, estimate = r + gamma * look(theta, x) - look(theta, s), look(w, s)
            theta = theta + alpha * rho * estimate * (push[s] - gamma * push[x])
            w = w + beta * rho * (delta - estimate) * push[s]
            return (theta, w, total + squared(theta)), None

        theta, _, total = jax.lax.scan(step, (one, 0.0 * one, 0.0), stream)[0]
        return total, squared(theta)

    def chain(alpha, _):
        def step(carry, move):
            heads, total = carry
            s, x, r, rho = move
            here, ahead = look(heads, s), look(heads, x)
            rate = jnp.full(K + 1, alpha * rho).at[0].set(alpha)
            delta = r + gamma * jnp.roll(ahead, 1).at[0].set(ahead[0]) - here
            heads = heads + (rate * delta)[:, None] * push[s]
            return (heads, total + squared(heads[scored])), None

        heads, total = jax.lax.scan(step, (jnp.tile(one, (K + 1, 1)), jnp.zeros(9)), stream)[0]
        return total, squared(heads[scored])

    rule = {"off-policy-td": td, "gtd2": gtd2, "chained-concurrent": chain}[learner]
    alpha = np.unique(settings["alpha"]) if learner == "chained-concurrent" else settings["alpha"]
    first, second = jnp.asarray(alpha), jnp.asarray(settings.get("beta", alpha))
    program = jax.jit(jax.vmap(rule))
    return lambda: jax.block_until_ready(program(first, second))
