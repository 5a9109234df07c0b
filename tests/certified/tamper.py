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
from flint import fmpq, fmpq_mat, fmpq_poly

from tests.exact.examples import middle_window, quadrant
from tests.models import model_of
from theory.certified.answers import Answer, certificate
from theory.certified.decide import exact_roots
from theory.certified.evidence import Complete, Dominance
from theory.certified.proofs import ExactPencil, WindowPencil
from theory.certified.recheck import check, number
from theory.certified.verdicts import (
    chain_unbiased,
    richardson_converges,
    step_size_admissible,
    td_stable,
    uniformly_safe,
    window_stable,
)
from theory.exact.matrices import identity, is_positive_definite, matrix, rational, scaled_rows
from theory.exact.polynomials import irreducible_factors, is_anti_hurwitz, is_schur
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.thresholds import certificates
from theory.thresholds.discounts import chain_threshold

KINDS = ("crossings", "pieces", "monotone",
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


def along_originals():
    """Documents about all values of a parameter, with every kind of evidence of a stretch and of an end."""
    two, unsafe, complete = (quadrant(Phi) for Phi in ([[1], [3]], [[1], [-3]], [[1, 0], [3, 1]]))
    apart = Problem.from_matrices(
        "9/10",
        Phi=[[1, 0], [2, 0], [0, 1], [0, 3]],
        P_pi=[[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
        d_mu=["1/4", "1/4", "3/10", "1/5"],
    )
    middle = middle_window()
    found = [certificates.td_certificate(p) for p in (two, unsafe, complete, middle, quadrant([[1], [0]]))]
    found += [certificates.chain_certificate(p, chain_threshold(p)) for p in (two, unsafe, complete, middle)]
    found += [
        certificates._by_pieces(certificates._question(p, "td-discounts"), exact_model(p)) for p in (two, middle, apart)
    ]
    found += [
        certificates._by_verdicts(p, certificates._question(p, "chain-discounts"), chain_threshold(p))
        for p in (unsafe, middle)
    ]
    N, E = [fmpq_mat([[1, 2], [-3, 1]]), fmpq_mat([[-1, 0], [1, 1]])], [identity(2), fmpq_mat([[1, 0], [0, 0]])]
    for disc in (False, True):
        found.append(certificates.pencil_certificate(N, E, curve_factors(N, E), disc, fmpq(0), None))
    return [json.loads(json.dumps(c.to_dict())) for c in found]


def curve_factors(N, E):
    """det(z(E₀ + pE₁) − N₀ − pN₁) of 2×2 matrices, multiplied out."""
    p = fmpq_poly([0, 1])
    (n, e) = ([[A[i, j] + p * B[i, j] for j in range(2)] for i in range(2)] for A, B in (N, E))
    constant = n[0][0] * n[1][1] - n[0][1] * n[1][0]
    linear = e[0][1] * n[1][0] + n[0][1] * e[1][0] - e[0][0] * n[1][1] - n[0][0] * e[1][1]
    return irreducible_factors([constant, linear, e[0][0] * e[1][1] - e[0][1] * e[1][0]])


def truth_along(document):
    """Is what an accepted document says right at points of every stretch and beside every end?"""
    q, found = document["question"], certificates.AlongCertificate(document)
    points = set()
    for span in (*document["stretches"], *document.get("ends", ())):
        low = number(span["low"])
        high = number(span["high"]) if span["high"] is not None else low + 100
        points |= {low, high} | {low + (high - low) * Fraction(k, 1000) for k in (1, 333, 500, 999)}
    for at in sorted(points):
        said = found.holds_at(at)
        if said is Answer.UNDECIDED or (q["kind"] != "pencil" and not 0 <= at < 1):
            continue
        if q["kind"] == "pencil":
            N, E = (sum((matrix([[number(x) for x in row] for row in M]) * rational(at) ** k
                        for k, M in enumerate(q[name])), fmpq_mat(2, 2)) for name in ("N", "E"))  # fmt: skip
            p = E.solve(N).charpoly() if E.det() != 0 else None
            holds = p is not None and (is_schur(p) if q["claim"] == "disc" else is_anti_hurwitz(p))
        else:
            asked = {**q, "kind": q["kind"].removesuffix("-discounts"), "gamma": str(at)}
            if not _presupposed(asked):
                return False
            subject = pencil(asked)
            holds = subject.size == 0 or exact_roots(subject).side < 0
        if said is not Answer.of(holds):
            return False
    return True


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
    rng, documents, counts = random.Random(seed), originals() + along_originals(), Counter()
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
