"""Random edits of certificates: whatever the checker still accepts must be true, and it never raises.

Run as ``python -m tests.certified.tamper --edits 100000 --seed 0``. An edit changes a number, a word, a sign, a shape,
the kind of evidence, the answer or the type of any field; a document gets one to three of them. An accepted document is
judged by Sturm's count of the roots of its exact pencil (`theory.exact.polynomials`), which the checker does not use.
"""

import argparse
import copy
import json
import random
from collections import Counter
from fractions import Fraction

import numpy as np

from tests.exact.examples import middle_window, quadrant
from tests.models import model_of
from theory.certified.answers import certificate
from theory.certified.decide import exact_roots
from theory.certified.proofs import Complete, Dominance, ExactPencil, WindowPencil
from theory.certified.recheck.checker import check
from theory.certified.recheck.integers import number
from theory.certified.verdicts import (
    chain_unbiased,
    richardson_converges,
    step_size_admissible,
    td_stable,
    uniformly_safe,
    window_stable,
)
from theory.exact.matrices import identity, is_positive_definite, matrix, rational, scaled_rows
from theory.exact.polynomials import is_anti_hurwitz, is_schur
from theory.methods.family import find_method
from theory.methods.parameters import parameter_certificate
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.thresholds.certificates import chain_certificate, td_certificate

KINDS = ("td-discounts", "chain-discounts", "resolvent",
         "complete", "dominance", "roots", "witness", "vacuous", "signature", "oracle")  # fmt: skip
ODD = (None, True, False, "", "x", "1/0", [], {}, [[]], -1, 10**40, 0.5, float("nan"), float("inf"), "1e999999999", "٣")
LONGEST = 400  # the judge counts roots exactly


def originals():
    """Certificates of every question and every kind of evidence, as documents."""
    problems = [
        quadrant(Phi) for Phi in ([[1], [0]], [[1], [3]], [[1], [-3]], [[1, 0], [3, 1]], [[0], [0]], [[1, 2], [2, 4]])
    ]
    floats = Problem.from_matrices(0.9, Phi=[[1.0, 0.0], [3.0, 1.0]], P_pi=[[0.0, 1], [1, 0]], d_mu=[0.9, 0.1])
    three = Problem.from_matrices(
        "3/4", Phi=[[1, 0, 0], [1, 1, 0], [0, 0, 2]], P_pi=[[0, 1, 0], [0, 1, 0], [0, 0, 1]], d_mu=["1/2", "1/4", "1/4"]
    )
    middle = middle_window()
    verdicts = [ask(p) for p in (*problems, floats, three) for ask in (td_stable, chain_unbiased)]
    verdicts += [chain_unbiased(problems[2].with_gamma("3/5")), td_stable(three.with_gamma(0))]
    verdicts += [window_stable(middle, T, "1/16", start) for T in (1, 8, 60, 128) for start in ("hot", "cold")]
    verdicts += [step_size_admissible(p, alpha) for p in problems[:4] for alpha in ("1/2", "9")]
    verdicts += [uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], gamma) for gamma in ("1/2", "3/5", "9/10")]
    triangular = [["1/2", 7, 9], [0, "1/2", 5], [0, 0, "1/3"]]
    verdicts += [richardson_converges(triangular, a) for a in (1, "4", 6)]
    verdicts += [
        richardson_converges([[1, -1, 0], [0, 1, -1], ["1/8", 0, 1]], 1),
        richardson_converges([[0, 9], [9, 0]], 1),
    ]
    found = [v.certificate for v in verdicts]
    found.append(certificate("chain", chain_unbiased(three).question.given(), True, Complete()))
    tabular = three.with_features([[1, 0, 0], [0, 1, 0], [0, 0, 2]])
    ones = np.array([Fraction(1), Fraction(1), Fraction(1, 2)], dtype=object)
    asked = td_stable(tabular).question, chain_unbiased(tabular).question, window_stable(tabular, 3, "1/2").question
    found += [certificate(q.kind, q.given(), True, Dominance(ones)) for q in asked]
    return [json.loads(json.dumps(c.to_dict())) for c in found]


def range_originals():
    """Documents about all values of a parameter: of γ, and of a method's matrix, with and without an end."""
    discounts = [quadrant(Phi) for Phi in ([[1], [3]], [[1], [-3]], [[1, 0], [3, 1]], [[0], [0]])]
    found = [ask(p) for p in (*discounts, middle_window()) for ask in (td_certificate, chain_certificate)]
    for name, parameter, problem in (
        ("td-lambda", "lambda", "baird"),
        ("lstd", "lambda", "twostate"),
        ("ridge-chain", "eta", "quadrant-stable-biased"),
        ("soft-target", "tau", "finite-window"),
        ("tdc", "ratio", "twostate"),
    ):
        method, model = find_method(name, {"alpha": Fraction(1, 16)}), exact_model(catalogue_problem(problem))
        found.append(parameter_certificate(method, parameter, model))
    return [json.loads(json.dumps(c.to_dict())) for c in found]


def truth_along(document):
    """Does every stretch tell the truth, at its ends and at points between them? By exact counts of roots."""
    q = document["question"]
    if "Phi" in q and not _presupposed({**q, "gamma": "0"}):
        return False
    for stretch in document["stretches"]:
        low = number(stretch["low"])
        high = low + 1000 if stretch["high"] is None else number(stretch["high"])
        points = [low + (high - low) * Fraction(k, 5) for k in range(6)]
        if any(_holds_at(q, p) is not stretch["holds"] for p in points):
            return False
    return True


def _holds_at(q, p):
    if "Phi" in q:
        subject = pencil({**q, "kind": q["kind"].removesuffix("-discounts"), "gamma": str(p)})
        return subject.size == 0 or exact_roots(subject).side < 0
    O, *rest = (exact(M) for M in (q["O"], *q["L"], *q["R"]))  # noqa: E741
    try:
        M = O * (rest[0] + rational(p) * rest[1]).solve(rest[2] + rational(p) * rest[3])
    except ZeroDivisionError:  # an eigenvalue at infinity
        return False
    judge = {"half-plane": is_anti_hurwitz, "disc": is_schur}.get(q["claim"])
    return bool(M.det() != 0 if judge is None else judge(M.charpoly()))


def edited(document, rng):
    """A copy with one to three edits."""
    out = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(out))
        place, key = rng.choice(places)
        value = place[key]
        choice = rng.random()
        if isinstance(value, bool):
            place[key] = not value
        elif key == "kind" and choice < 0.8:
            place[key] = rng.choice((*KINDS, "td", "chain", "window", "step", "uniform", "matrix"))
        elif choice < 0.1:
            place[key] = copy.deepcopy(rng.choice(ODD))  # lists among them, which later edits would grow
        elif isinstance(value, list) and value and choice < 0.5:
            value.insert(
                rng.randrange(len(value) + 1), copy.deepcopy(rng.choice(value))
            ) if choice < 0.3 else value.pop()
        elif isinstance(place, dict) and choice < 0.2:
            del place[key]
        elif isinstance(value, int | str):
            place[key] = _near(value, rng)
    return out


def _places(value):
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield value, key
        yield from _places(item)


def _near(value, rng):
    try:
        x = number(value)  # not Fraction, which would write "1e999999999" out
    except (ValueError, ZeroDivisionError):
        return rng.choice(("hot", "cold", "td", "sequential", "joint", "behaviour", f"{value}0"))
    new = rng.choice(
        (-x, x + 1, x - 1, x * 2, x / 2, 1 - x, Fraction(0), x + Fraction(rng.randint(-9, 9), 10 ** rng.randint(0, 30)))
    )
    return int(new) if isinstance(value, int) else str(new)


def truth(document):
    """Is the answer of an accepted document right? None where the judge cannot tell."""
    if "stretches" in document:
        return truth_along(document)
    q = document["question"]
    if q["kind"] == "uniform":
        P, d = exact(q["P"]), exact([q["d"]]).entries()
        N = scaled_rows(d, identity(len(d)) - rational(number(q["gamma"])) * P)
        return is_positive_definite(N + N.transpose()) == document["holds"]
    subject = pencil(q)
    if isinstance(subject, WindowPencil):
        if subject.window > LONGEST:
            return None
        subject = subject.exact()
    holds = subject.size == 0 or exact_roots(subject).side < 0
    return holds == document["holds"] and _presupposed(q)


def exact(rows):
    return matrix([[number(x) for x in row] for row in rows])


def pencil(q):
    """The pencil of a question in a document, by FLINT."""
    if q["kind"] in ("mean", "iteration"):
        return ExactPencil(q["kind"] == "iteration", exact(q["M"]))
    Phi, P = (np.array([[number(x) for x in row] for row in q[name]], dtype=object) for name in ("Phi", "P"))
    r = model_of(number(q["gamma"]), Phi, P, np.array([number(x) for x in q["d"]], dtype=object))
    if q["kind"] == "window":
        hot = q["start"] == "hot"
        moment = r.A if hot else r.gamma * r.Y
        return WindowPencil(r.X, moment, rational(number(q["alpha"])), q["window"], hot)
    return ExactPencil(True, r.gamma * r.Y_hat, r.X_hat) if q["kind"] == "chain" else ExactPencil(False, r.A)


def _presupposed(q):
    if "M" in q:
        return True
    P, d, gamma = exact(q["P"]), [number(x) for x in q["d"]], number(q["gamma"])
    rows = [[number(x) for x in row] for row in q["P"]]
    fits = [sum(row) - 1 < Fraction(1, 10**8) for row in rows] + [abs(sum(d) - 1) < Fraction(1, 10**8)]
    ends = gamma < 1 or (identity(len(d)) - P).det() != 0
    return 0 <= gamma <= 1 and ends and min(d) > 0 and all(fits) and min(map(min, rows)) >= 0


def run(edits, seed):
    """How many documents were refused, accepted and true, or not judged; a false one is an error."""
    rng, documents, counts = random.Random(seed), originals() + range_originals(), Counter()
    assert all(check(document) for document in documents)
    for _ in range(edits):
        document = edited(rng.choice(documents), rng)
        if not check(document):
            counts["refused"] += 1
            continue
        right = truth(document)
        if right is False:
            raise AssertionError(f"a false certificate was accepted: {json.dumps(document)}")
        counts["not judged" if right is None else "accepted, and true"] += 1
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edits", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(dict(run(arguments.edits, arguments.seed)))
