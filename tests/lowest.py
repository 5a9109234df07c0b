"""``python -m tests.lowest``: the declared minimum versions, as constraints for pip. ``make test-lowest`` runs on them."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lowest(extras):
    """``name==version`` for every ``name>=version`` of the package and of these extras, their own included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found, left = list(project["dependencies"]), list(extras)
    while left:
        for needed in project["optional-dependencies"][left.pop()]:
            if needed.startswith(f"{project['name']}["):
                left += needed.split("[")[1].rstrip("]").split(",")
            else:
                found.append(needed)
    return sorted({needed.replace(">=", "==") for needed in found})


if __name__ == "__main__":
    print("\n".join(lowest(["test"])))
