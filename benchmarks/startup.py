"""How long one waits for the first line: `theory --help`, `inspect`, `verify` over ``import numpy``, in one run."""

from __future__ import annotations

import json
import subprocess
import sys
from time import perf_counter

COMMANDS = {
    "numpy": ["-c", "import numpy"],
    "help": ["-m", "theory", "--help"],
    "inspect_baird": ["-m", "theory", "inspect", "baird"],
    "verify_prop_2": ["-m", "theory", "verify", "prop-2"],
}


def run(repeats: int = 5) -> dict[str, float]:
    """Ratios over ``import numpy``, and seconds; the fastest of a few rounds, taken in turn to share the noise."""
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(repeats):
        for name, arguments in COMMANDS.items():
            begun = perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            best[name] = min(best[name], perf_counter() - begun)
    ratios = {f"{name}_over_numpy": best[name] / best["numpy"] for name in COMMANDS if name != "numpy"}
    return ratios | {f"{name}_s": seconds for name, seconds in best.items()}


def main(quick: bool = False) -> None:
    print(json.dumps(run(1) if quick else run(), indent=1))


if __name__ == "__main__":
    main(quick=sys.argv[1:] == ["quick"])
