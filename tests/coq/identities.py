"""The certificates on which the final theorems of the chain rest: ``python -m tests.coq.identities`` writes them.

``Identities.v`` is generated and kept with the hand-written files, so that the library compiles by itself; a test
generates it again.
"""

from theory.coq.compiler import LIBRARY
from theory.coq.export import certificate_name, coq_file
from theory.propositions.registry import statement

# Statement and claim; their theorems are used in Chain.v.
USED = (
    ("eq-closed-form", "closed_form"),
    ("eq-geometric", "geometric"),
    ("prop-2", "bias"),
    ("prop-2", "bias_gamma"),
    ("eq-zp", "zp"),
    ("eq-zp", "values_move_by_gamma_Pi_P"),
)
HEAD = """(** The identities of the chain as the engine proved them: generated from their certificates, not edited.

    Each Module is one certificate, for all dimensions and commutative rings; Chain.v puts X⁻¹ for Xi and builds the
    paper's statements on them.                                                                          *)

"""


FILE = LIBRARY / "Identities.v"


def identities_file():
    """The file as the engine's certificates make it."""
    chosen = []
    for id, claim in USED:
        certificates = [outcome.certificate.to_dict() for outcome in statement(id).prove()]
        [data] = [c for c in certificates if certificate_name(c) == claim]
        chosen.append((f"{id.replace('-', '_')}_{claim}", data))
    lines = coq_file(chosen).splitlines()
    return HEAD + "\n".join(line for line in lines if not line.startswith("Print Assumptions")) + "\n"


if __name__ == "__main__":
    FILE.write_text(identities_file())
