"""Wrong certificates and wrong theorems, for Coq to reject: ``python -m tests.coq.mutants`` tries them all.

A mutated certificate has an entry with another sign, without an entry, or a claim whose right side is negated; Coq must
reject the very part that was changed, with its lemmas intact. Mutated theorems are in `tests.coq.theorem_mutants`.
"""

import argparse
import copy
import random
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.coq.theorem_mutants import MUTANTS
from theory.coq.compiler import compile_files, library
from theory.coq.export import HEADER, coq_module, rejected_module
from theory.coq.trees import NotExported
from theory.propositions.registry import IDS, statement


def certificate_mutants():
    """(name, stored certificate, the part that is wrong)."""
    seen, translated = set(), set()
    for id in IDS:
        for outcome in statement(id).prove():
            data = outcome.certificate.to_dict()
            if str(data) in seen:
                continue
            seen.add(str(data))
            with suppress(NotExported):
                coq_module("m", data)
                translated.add(str(data))
            if str(data) not in translated:
                continue
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


def rejected_certificates(mutants, directory, jobs=2, per_file=40):
    """How many of the mutants Coq rejects; it says which it accepts."""
    files = {}
    for at in range(0, len(mutants), per_file):
        modules = [rejected_module(name, data, part) for name, data, part in mutants[at : at + per_file]]
        files[f"Mutants{at}"] = HEADER + "\n" + "\n".join(modules)
    results = compile_files({"Certify": library()["Certify"], **files}, directory, jobs=jobs)
    return sum(r.accepted for n, r in results.items() if n != "Certify"), [r.error for r in results.values() if r.error]


def surviving_theorems(mutants, directory, say=lambda line: None):
    """Those that Coq does not reject in the proof, with the library compiled in the directory."""
    names = {f"{m.file}_{m.statement.replace('-', '_')}_{m.kind}_{i}": m for i, m in enumerate(mutants)}

    def told(done, count, total):
        say(f"{count}/{total} {'rejected' if names[done.name].rejected(done) else 'SURVIVES'}  {names[done.name]}")

    results = compile_files({name: m.text for name, m in names.items()}, directory, timeout=600, report=told)
    return [str(m) for name, m in names.items() if not m.rejected(results[name])]


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
    with tempfile.TemporaryDirectory() as fresh:
        compile_files(library(), Path(fresh))
        survivors = surviving_theorems(MUTANTS, Path(fresh), lambda line: print(line, file=sys.stderr))
    print(f"theorems: {len(MUTANTS)} mutants, {len(MUTANTS) - len(survivors)} rejected; {survivors or 'no survivor'}")
    return 1 if errors or survivors else 0


if __name__ == "__main__":
    sys.exit(main())
