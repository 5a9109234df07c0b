"""The data behind the success-rate figures: four studies of random problems.

rates        the paper's figure 1 (F = S) and beside it F = S − 1, over the number of states
map          the (S, F/S) plane
conjecture   S ≫ F: normal features, for which the bias rate is provably small, and absolute normal ones with a sink
windows      T updates per target network, from TD (T = 1) to the chain (T = ∞)

All at γ = .99. Measured on two busy cores: the quick profile takes half a minute (27 s of processor time), the full one
about 22 minutes of processor time; a quarter of it are windows at S = F = 30, where half of the verdicts at T ≥ 16384
need exact arithmetic.
"""

from __future__ import annotations

import platform
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

import theory
from theory.montecarlo import Cell, Store, Study, run_study
from theory.montecarlo.study import Progress
from theory.problems import InvalidProblem

GAMMA = Fraction(99, 100)
EIGHTHS = range(1, 9)


@dataclass(frozen=True)
class Profile:
    """Sizes of the four studies."""

    rate_states: tuple[int, ...]
    rate_samples: int
    map_states: tuple[int, ...]
    map_samples: int
    conjecture_states: tuple[int, ...]
    conjecture_features: tuple[int, ...]
    conjecture_samples: int
    windows: tuple[float, ...]
    window_sizes: tuple[tuple[int, int], ...]
    window_samples: int


_POWERS = tuple(float(2**k) for k in range(17))
PROFILES = {
    "quick": Profile(
        rate_states=(2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100),
        rate_samples=1000,
        map_states=(8, 16, 24, 32, 48, 64),
        map_samples=500,
        conjecture_states=(4, 6, 8, 12, 16, 32, 64, 128, 256),
        conjecture_features=(1, 2, 4),
        conjecture_samples=1000,
        windows=(*_POWERS[::2], inf),
        window_sizes=((10, 9), (10, 10)),
        window_samples=1000,
    ),
    "full": Profile(
        rate_states=(2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100),
        rate_samples=40_000,
        map_states=(8, 16, 24, 32, 40, 48, 56, 64, 80, 96),
        map_samples=10_000,
        conjecture_states=(4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512),
        conjecture_features=(1, 2, 4),
        conjecture_samples=10_000,
        windows=(*_POWERS, inf),
        window_sizes=((10, 9), (10, 10), (30, 29), (30, 30)),
        window_samples=5_000,
    ),
}


def studies(profile: str = "quick", seed: int = 0) -> dict[str, Study]:
    """The four studies by name."""
    if profile not in PROFILES:
        raise InvalidProblem(f"no profile named {profile!r}; there are {', '.join(PROFILES)}", "profile")
    p = PROFILES[profile]
    line = [Cell(S, F, GAMMA) for S in p.rate_states for F in (S, S - 1) if F >= 1]
    plane = [Cell(S, S * k // 8, GAMMA) for S in p.map_states for k in EIGHTHS]
    wide = [(S, F) for F in p.conjecture_features for S in p.conjecture_states if S >= 2 * F]
    holds = [Cell(S, F, GAMMA) for S, F in wide]
    fails = [Cell(S, F, GAMMA, law="absolute-normal", sink=1.0) for S, F in wide]
    curves = [Cell(S, F, GAMMA, windows=p.windows) for S, F in p.window_sizes]
    return {
        "rates": Study(tuple(line), p.rate_samples, seed, chunk=250),
        "map": Study(tuple(plane), p.map_samples, seed, chunk=250),
        "conjecture": Study((*holds, *fails), p.conjecture_samples, seed, chunk=250),
        "windows": Study(tuple(curves), p.window_samples, seed, chunk=250),
    }


def run(
    store: Store,
    profile: str = "quick",
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    command: str = "theory figure success-rate",
) -> dict[str, Any]:
    """The rows of the four studies, with config, seed, versions and command; plain data for JSON."""
    parts = {name: run_study(study, store, executor, progress) for name, study in studies(profile, seed).items()}
    return {
        "profile": profile,
        "seed": seed,
        "gamma": float(GAMMA),
        "versions": {
            "theory": theory.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "command": command,
        **parts,
    }
