"""Random edits of stored certificates and witnesses: none that is false may be accepted, none may raise.

    python -m tests.symbolic.tampering --edits 100000 --seed 1

An edit changes one to three places of a stored document: a leaf becomes another leaf of it, a number changes, a part is
dropped, doubled, swapped, put in another's place, or becomes something of another type. Kernel and SymPy must agree
on what is left. What both accept must be true: within its own theory the claim vanishes on every exact model; with
an edited theory, whose assumptions are then others, the document must be a proof in both eyes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from copy import deepcopy
from typing import Any

from theory.propositions.registry import distinct_claims
from theory.symbolic import Certificate, Proved, Refuted, Rejected, Theory
from theory.symbolic.certify import indices_of
from theory.symbolic.outcomes import Witness
from theory.symbolic.recheck import recheck_proof
from theory.symbolic.recheck_witness import recheck_witness

Stored = tuple[dict[str, Any], Theory | None]
ODD: tuple[Any, ...] = (None, True, 0, -1, 3.5, "", "1/0", "0", "+1", "*", "1", "induction hypothesis", [], {}, [[]])


def certificates(every: int) -> list[Stored]:
    """Every distinct certificate behind the statements, or every so many."""
    outcomes = [(claim.theory, claim.decide()) for claim in distinct_claims()[::every]]
    return [(o.certificate.to_dict(), theory) for theory, o in outcomes if isinstance(o, Proved)]


def witnesses(every: int) -> list[Stored]:
    """Counterexamples to false variants: each left side against twice the right, where that is false."""
    found = []
    for claim in distinct_claims()[::every]:
        outcome = claim.theory.prove("twice", claim.left, 2 * claim.right)
        if isinstance(outcome, Refuted):
            found.append((outcome.witness.to_dict(), None))
    return found


def edited(rng: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """A copy with one to three changes."""
    copy = deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(copy))
        parent, key = rng.choice(places)
        _change(rng, parent, key, places)
    return copy


def _change(rng: random.Random, parent: Any, key: Any, places: list[tuple[Any, Any]]) -> None:
    old = parent[key]
    kind = rng.randrange(7)
    if kind == 0 and isinstance(old, str):
        leaves = [p[k] for p, k in places if isinstance(p[k], str)]
        parent[key] = rng.choice(leaves)
    elif kind == 1 and isinstance(old, str):
        parent[key] = rng.choice((f"-{old}".replace("--", ""), f"{old}0", old[1:], f"{old}^T", old.removesuffix("^T")))
    elif kind == 2:
        other, there = rng.choice(places)
        parent[key] = deepcopy(other[there])
    elif kind == 3 and isinstance(parent, list):
        del parent[key]
    elif kind == 3:
        parent.pop(key)
    elif kind == 4 and isinstance(parent, list):
        parent.insert(rng.randrange(len(parent) + 1), deepcopy(old))
    elif kind == 5 and isinstance(parent, list):
        other_key = rng.randrange(len(parent))
        parent[key], parent[other_key] = parent[other_key], parent[key]
    elif isinstance(old, bool):
        parent[key] = not old
    elif isinstance(old, int):
        parent[key] = old + rng.choice((-1, 1, 7))
    elif isinstance(parent, dict) and kind == 6:
        parent[rng.choice([str(k) for _, k in places])] = parent.pop(key)
    else:
        parent[key] = deepcopy(rng.choice(ODD))


def _places(node: Any) -> Any:
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], dict | list):
            yield from _places(node[key])


def judge_proof(document: dict[str, Any], theory: Theory | None) -> str:
    """What kernel and SymPy say: ``refused``, ``accepted``, or what is wrong with that."""
    kernel, certificate = _verdict(lambda: _read_and_check(document))
    sympy, _ = _verdict(lambda: recheck_proof(document))
    if kernel != sympy:
        return f"kernel {kernel}, SymPy {sympy}"
    if kernel == "accepted" and theory is not None and theory.accepts(certificate):
        claim = certificate.proof.claim
        indices = sorted(indices_of(theory.context, claim))
        for n in (0, 1, 2):
            for model in theory.models:
                if any(model.evaluate(claim, dict.fromkeys(indices, n)).entries()):
                    return "a false claim was accepted"
    return kernel


def judge_witness(document: dict[str, Any], theory: Theory | None) -> str:
    """Accepted only if the values refute: the checker multiplies them out. It must not raise; reading is stricter."""
    checker, _ = _verdict(lambda: recheck_witness(document))
    reader, _ = _verdict(lambda: Witness.from_dict(document).recheck())
    if reader not in (checker, "refused"):
        return f"checker {checker}, reader {reader}"
    return checker


def _read_and_check(document: dict[str, Any]) -> Certificate:
    certificate = Certificate.from_dict(document)
    certificate.check()
    return certificate


def _verdict(check: Any) -> tuple[str, Any]:
    try:
        return "accepted", check()
    except Rejected:
        return "refused", None
    except Exception as error:
        return f"raised {type(error).__name__}", None


def attack(edits: int, seed: int, show: Any = None, every: int = 1) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Counts of verdicts, and the documents on which something went wrong."""
    rng, counts, bad = random.Random(seed), Counter[str](), list[dict[str, Any]]()
    kinds = [(judge_proof, certificates(every)), (judge_proof, []), (judge_witness, witnesses(6 * every))]
    small = sorted(kinds[0][1], key=lambda stored: len(str(stored[0])))
    kinds[1] = (judge_proof, small[: len(small) // 3])  # most edits of what is short, where each matters more
    for i in range(edits):
        judge, stored = kinds[(0, 1, 1, 1, 2)[i % 5]]
        document, theory = rng.choice(stored)
        forged = edited(rng, document)
        verdict = "unchanged" if forged == document else judge(forged, theory)
        counts[verdict] += 1
        if verdict not in ("unchanged", "refused", "accepted"):
            bad.append(forged)
        if show is not None and i % 1000 == 999:
            show(f"{i + 1} edits: {dict(counts)}")
    return counts, bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edits", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts, bad = attack(options.edits, options.seed, lambda line: print(line, file=sys.stderr, flush=True))
    print(f"{options.edits} edits, seed {options.seed}: {dict(counts)}")
    for document in bad[:3]:
        print(document)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
