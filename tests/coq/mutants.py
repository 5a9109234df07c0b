"""Wrong certificates and wrong theorems, for Coq to reject: ``python -m tests.coq.mutants`` tries them all.

A mutated certificate has an entry with another sign, without an entry, or a claim whose right side is negated; Coq must
reject the very part that was changed, with its lemmas intact. A mutated theorem is a final theorem of the library with
one sign, index, bound or quantifier of its statement changed; Coq must reject its file.
"""

import argparse
import copy
import random
import re
import sys
import tempfile
from pathlib import Path

from theory.coq.compiler import compile_files, library
from theory.coq.export import HEADER, rejected_module
from theory.coq.theorems import THEOREMS
from theory.propositions.registry import IDS, statement

CHANGES = (  # in the statement of a theorem, tried in this order
    (" - ", " + "),
    ("k.+1", "k"),
    (" + ", " - "),
    (" < 1", " < 2%:R"),
    ("-> 0 < ", "-> 1 < "),
    ("rho_lt", "rho_le"),
    (" 1 <", " 0 <"),
    (" <-> ", " <-> ~ "),
    ("1%:M", "0"),
    (" *m ", " + "),
    ("^T", ""),
    (" = 0", " = 1"),
    ("< x", "> x"),
    ("2%:R", "3%:R"),
)


def certificate_mutants():
    """(name, stored certificate, the part that is wrong)."""
    seen = set()
    for id in IDS:
        for outcome in statement(id).prove():
            data = outcome.certificate.to_dict()
            if str(data) in seen:
                continue
            seen.add(str(data))
            for part, entries in data["proof"]["parts"].items():
                for i in range(len(entries)):
                    for change in ("sign", "dropped"):
                        wrong = copy.deepcopy(data)
                        entry = wrong["proof"]["parts"][part][i]
                        if change == "sign":
                            entry["coefficient"] = str(-int(entry["coefficient"]))
                        else:
                            del wrong["proof"]["parts"][part][i]
                        yield f"m{len(seen)}_{part}_{i}_{change}", wrong, part
            if data["proof"]["parts"].get("identity"):
                wrong = copy.deepcopy(data)
                claim = wrong["proof"]["claim"]
                claim["right"] = ["minus", claim["right"]]
                if claim["right"][1][0] != "zero":
                    yield f"m{len(seen)}_claim", wrong, "identity"


def theorem_mutants():
    """(name, file, its text with one statement changed)."""
    texts = library()
    for theorem in THEOREMS:
        text = texts[theorem.file]
        found = re.search(rf"Theorem {theorem.name}\b.*?\nProof\.", text, re.DOTALL)
        body = found.group()
        for old, new in CHANGES:
            if old in body.split(":", 1)[1]:
                head, rest = body.split(":", 1)
                changed = text.replace(body, head + ":" + rest.replace(old, new, 1))
                yield f"{theorem.name}: {old.strip()} to {new.strip()}", theorem.file, changed
                break


def rejected_certificates(mutants, directory, jobs=2, per_file=40):
    """How many of the mutants Coq rejects; it says which it accepts."""
    files = {}
    for at in range(0, len(mutants), per_file):
        modules = [rejected_module(name, data, part) for name, data, part in mutants[at : at + per_file]]
        files[f"Mutants{at}"] = HEADER + "\n" + "\n".join(modules)
    results = compile_files({"Certify": library()["Certify"], **files}, directory, jobs=jobs)
    return sum(r.accepted for n, r in results.items() if n != "Certify"), [r.error for r in results.values() if r.error]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificates", type=int, default=240, help="how many, drawn with seed 1")
    options = parser.parse_args()
    drawn = list(certificate_mutants())
    random.Random(1).shuffle(drawn)
    drawn = drawn[: options.certificates]
    with tempfile.TemporaryDirectory() as fresh:
        _, errors = rejected_certificates(drawn, Path(fresh))
        print(f"certificates: {len(drawn)} mutants, {errors or 'all rejected'}")
    survivors, tried = [], 0
    with tempfile.TemporaryDirectory() as fresh:
        directory = Path(fresh)
        compile_files(library(), directory)
        for name, file, text in theorem_mutants():
            result = compile_files({f"{file}Mutant{tried}": text}, directory)[f"{file}Mutant{tried}"]
            tried += 1
            print(f"{'accepted' if result.accepted else 'rejected'}  {name}", file=sys.stderr)
            survivors += [name] if result.accepted else []
    print(f"theorems: {tried} mutants, {tried - len(survivors)} rejected; accepted: {survivors or 'none'}")
    return 1 if errors or survivors else 0


if __name__ == "__main__":
    sys.exit(main())
