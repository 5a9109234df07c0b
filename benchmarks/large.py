"""What certainty costs at many states: ``theory inspect`` and ``compare`` of a sparse problem, in seconds and in GiB.

The problem is ``sparse:states=S,features=50``, five successors a state. `inspect_over_moments` and the like are over
the time that NumPy and SciPy take to form X and Y, uncertified, of the same arrays; `s` are seconds of processor time.
Each command runs in a process of its own, whose largest memory is measured. S = 10⁵; for the million of the
documentation: ``python -m benchmarks.large 1000000``.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from time import process_time

from theory.problems import open_problem

FEATURES = 50


def spec(states: int) -> str:
    return f"sparse:states={states},features={FEATURES}"


def moments(states: int) -> float:
    """Seconds for X = ΦᵀDΦ and Y = ΦᵀDPΦ in floats."""
    problem = open_problem(spec(states))
    start = process_time()
    weighted = problem.Phi * problem.d_mu[:, None]
    _ = weighted.T @ problem.Phi, weighted.T @ (problem.successors @ problem.Phi)
    return process_time() - start


def command(*arguments: str) -> tuple[float, float]:
    """Processor seconds and GiB of one call in a process of its own."""
    code = (
        "import resource, sys, contextlib, io, theory.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    theory.cli.main(sys.argv[1:])\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    seconds, memory = (float(x) for x in done.stdout.split())
    return seconds, memory


def run(states: int) -> dict[str, float]:
    bare = moments(states)
    found: dict[str, float] = {"states": states, "moments_s": bare}
    for name in ("inspect", "compare"):
        seconds, memory = command(name, spec(states))
        found |= {f"{name}_s": seconds, f"{name}_GiB": memory, f"{name}_over_moments": seconds / bare}
    return found


def main(argument: str | None = None) -> None:
    states = {"quick": 3000, None: 100_000}.get(argument) or int(str(argument))
    print(json.dumps(run(states), indent=2))
    print("largest process", round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20, 2), "GiB")


if __name__ == "__main__":
    main(*sys.argv[1:])
