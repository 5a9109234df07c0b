"""A user's script with every public name, as `mypy --strict` should accept it; `tests/test_api.py` checks that it does.

It is read by the type checker, and not run: `reveal_type` lines say what a call is known to give.
"""

from fractions import Fraction
from pathlib import Path
from typing import reveal_type

from matplotlib.figure import Figure

import theory

mdp = theory.MDP([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], [[0, 1], [1, 0]], "9/10")
pi = mdp.optimal_policy()
problem: theory.Problem = theory.Problem.from_mdp(mdp, pi=pi, mu=[["1/2", "1/2"]] * 2, Phi=[[1], [2]])
swap = theory.Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=[Fraction(9, 10), "0.1"])
named = theory.open_problem(Path("mine.json"))
try:
    theory.catalogue()["kolter"].build(p="3/5").save("kolter.json")
except theory.InvalidProblem as error:
    print(error.complaint)

data = theory.open_data(theory.record("FrozenLake-v1", list, list, list, episodes=3), 0.9, features="obs")
reveal_type(data.compare())  # DataComparison
reveal_type(theory.compare(data, methods=["td"]))  # DataComparison
reveal_type(theory.compare(problem, methods="td,etd", step_size=0.1, tau="1/8"))  # Comparison
reveal_type(theory.inspect("baird", gamma=Fraction(1, 2), step_size="1/8").plot())  # Figure
reveal_type(theory.trajectory(problem, "td", start=[1, "1/2"], step_size="1/8").plot())  # Figure
reveal_type(theory.td_stable(problem, gamma=0.5))  # Verdict
reveal_type(theory.chain_unbiased(problem, gamma="1/2").proved)  # bool
reveal_type(theory.window_stable(problem, 16, "1/16", gamma="1/2").reason)  # str
reveal_type(theory.gamma_thresholds(swap))  # GammaThresholds
reveal_type(theory.chain_head(problem, 3, [1, "1/2"], gamma="1/2"))  # Head
reveal_type(theory.derive(problem, k=2))  # Derivation
reveal_type(theory.nearest_flips(problem, per_kind=1))  # Flips
reveal_type(theory.search(td="unstable", stable=["tdc"], gamma="1/2").problem)  # Problem | None

reveal_type(theory.statements())  # tuple[str, ...]
reveal_type(theory.verify("prop-2", strict=True))  # Finding
reveal_type(theory.verify())  # Findings
reveal_type(theory.prove("Pi Phi = Phi", assume=["Xi X = 1"]))  # Proved | Refuted | Open
reveal_type(theory.letters())  # dict[str, str]
T = theory.Theory("gamma")
A = T.op("A", "N -> N")
reveal_type(T.prove("square", A * A, A**2))  # Proved | Refuted | Open

reveal_type(theory.success_rate(range(2, 5), ["S-1", 2], samples=10, gamma=0.99))  # Rates
reveal_type(theory.learner_names())  # tuple[str, ...]
learned = theory.learn("threestate", "tdc", 0.01, beta="1/2", tune=True, gamma="1/2", start=[1, 2, 3], error="pbe")
reveal_type(learned.plot(learned))  # Figure
reveal_type(theory.mean_square("twostate", "target-network", window=5))  # LearnerNoise
reveal_type(theory.check_update(lambda theta, t: theta, problem, alpha=0.1))  # UpdateCheck

picture: Figure = theory.figure("phase", "twostate-family", over="x,p", gamma="9/10")
reveal_type(theory.png(picture))  # Picture
