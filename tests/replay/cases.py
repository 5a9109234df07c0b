"""Which problems are asked which commands.

A case is a problem's id and a command line in which ``{}`` stands for the problem. The id alone makes the problem
again: ``catalogue:baird``, ``gymnasium:…``, ``adversary:tabular:3``, ``random:17``, ``data:2``, ``large:5``.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.adversary.families import FAMILIES, Known
from tests.replay.files import DATA_SETS, LARGE, write_data, write_large
from tests.replay.problems import DERIVE_EVERY, NOISE_EVERY, random_problem

RANDOM, OF_A_FAMILY = 2200, 25
VARIANTS = (
    "kolter:p=3/5", "kolter:p=7147/10000", "baird:gamma=15/17", "baird-star:outer=8", "twostate:gamma=5/6",
    "random-walk:features=dependent", "random-walk:features=inverted", "boyan-chain:target=3/4", "corridor:states=9",
    "random:seed=5,states=20,features=6", "gridworld:side=12,features=6", "gridworld:side=60,features=10,law=tiles",
    "sparse:states=800,features=10", "sparse:states=5000,features=12", "garnet:seed=3,states=60",
)  # fmt: skip
GYMNASIUM = (
    "FrozenLake-v1,gamma=0.9,features=aggregated,groups=4", "FrozenLake-v1,features=random,count=6,seed=1",
    "FrozenLake-v1,is_slippery=no,gamma=0.95", "FrozenLake-v1,map_name=8x8,features=aggregated,groups=8",
    "FrozenLake-v1,desc=SFF:HFF:FFG,target=uniform,behaviour=1", "CliffWalking-v1,features=aggregated,groups=6",
    "CliffWalking-v1,features=random,count=5,gamma=1/2", "Taxi-v4,features=aggregated,groups=10,gamma=0.9",
    "FrozenLake-v1,groups=4", "CartPole-v1",
)  # fmt: skip
FAMILY_SETTINGS = (
    "inspect twostate-family --set x=3,p=1/2", "inspect baird-star-5 --set w=2,q=5/6", "derive twostate-family",
    "compare kolter-family --set p=2/5,epsilon=0", "derive kolter-family", "derive tsitsiklis-van-roy-family",
)  # fmt: skip


class Case(NamedTuple):
    problem: str
    command: str

    @property
    def group(self) -> str:
        return self.problem.partition(":")[0]

    @property
    def name(self) -> str:
        return self.command.split()[0]

    @property
    def limit(self) -> float:
        """Seconds after which the question is given up."""
        return 20.0 if self.name == "noise" else 60.0


def all_cases(catalogue: list[str]) -> list[Case]:
    """The cases to record; `catalogue` are the names that ``theory list`` gives."""
    cases = [Case("catalogue:", "list"), *(Case("catalogue:", command) for command in FAMILY_SETTINGS)]
    ways = ("inspect {}", "inspect {} --window 7 --step-size 1/10", "compare {}", "chain {} --k 5", "derive {} --k 3")
    cases += [Case(f"catalogue:{name}", way) for name in (*catalogue, *VARIANTS) for way in ways]
    cases += [Case(f"catalogue:{name}", "noise {}") for name in catalogue]
    cases += [Case(f"gymnasium:{spec}", way) for spec in GYMNASIUM for way in ("inspect {}", "compare {}")]
    for name in FAMILIES:
        for i in range(OF_A_FAMILY):
            inspect = " ".join(("inspect {}", *_adversary(name, i)[1].arguments))
            cases += [Case(f"adversary:{name}:{i}", way) for way in [inspect] + ["compare {}"] * (i % 2)]
    for i in range(RANDOM):
        ways = ["inspect {}" + " --window 7 --step-size 1/10" * (i % 5 == 0)] + ["compare {}"] * (i % 3 == 0)
        ways += ["chain {} --k 5"] * (i % 10 == 0) + ["derive {} --k 3"] * (i % DERIVE_EVERY == 0)
        cases += [Case(f"random:{i}", way) for way in ways + ["noise {}"] * (i % NOISE_EVERY == 0)]
    for i in range(DATA_SETS):
        ways = ["inspect {}", "compare {}"] + ["inspect {} --estimated", "chain {} --k 2"] * (i % 5 == 4)
        cases += [Case(f"data:{i}", f"{way} --gamma 0.{(5, 9, 99, 95)[i % 4]}") for way in ways]
    ways = ("inspect {}", "compare {}", "inspect {} --window 5")
    cases += [Case(f"large:{i}", way) for i in range(LARGE) for way in ways]
    return cases


def make(problem: str, folder: Path) -> str:
    """Write the problem's files into `folder`; returns what stands for it on the command line."""
    group, _, rest = problem.partition(":")
    if group == "catalogue":
        return rest
    if group == "gymnasium":
        return problem
    if group in ("data", "large"):
        return (write_data if group == "data" else write_large)(int(rest), folder)
    name = f"{problem.replace(':', '-')}.json"
    text = random_problem(int(rest)) if group == "random" else json.dumps(_adversary(*rest.split(":"))[0])
    (folder / name).write_text(text)
    return name


def _adversary(name: str, index: int | str) -> tuple[dict[str, Any], Known]:
    return FAMILIES[name](Random(f"replay {name} {index}"))
