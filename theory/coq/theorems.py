"""Which theorem of the library says which statement, and what of it is left to others.

A statement is *checked* when one theorem in Coq says it, and *checked-citing* when the theorem says all but what
`cites` names. Everything here is compiled and its axioms are printed by Coq: the table cannot claim more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Theorem:
    """The theorem of one statement."""

    statement: str  # its id
    file: str
    cites: tuple[str, ...] = ()
    leaves: str = ""  # what our wording adds to the paper's and the theorem does not say

    @property
    def name(self) -> str:
        """The theorem has the statement's name.

        >>> Theorem("prop-2", "Chain").name
        'prop_2'
        """
        return self.statement.replace("-", "_")


THEOREMS = (
    Theorem("eq-td", "Expectation"),
    Theorem("eq-chain", "Expectation"),
    Theorem("def-richardson", "Chain"),
    Theorem("prop-1", "Convergence"),
    Theorem("eq-recursion", "Convergence"),
    Theorem("eq-closed-form", "Chain"),
    Theorem("eq-geometric", "Chain"),
    Theorem("prop-2", "Chain"),
    Theorem("eq-zp", "Chain"),
    Theorem("prop-3", "Convergence", leaves="which single θ⁰ converge where not all do"),
    Theorem(
        "claim-exponential",
        "Convergence",
        leaves="a norm that falls at every step; that the Euclidean one may grow",
    ),
    Theorem("prop-4", "Convergence"),
    Theorem("eq-M", "Chain"),
    Theorem("prop-5", "Convergence"),
    Theorem("prop-6", "Chain"),
    Theorem("prop-7", "Convergence", leaves="that M is defective on Twostate and Threestate"),
    Theorem("fig-1", "Convergence"),
    Theorem("claim-stable", "Convergence", leaves="heads of fixed k: those are prop_4 and prop_7"),
    Theorem("claim-baird", "Baird", leaves="TD between the three γ; that the pair is complex up to γ ≈ .976"),
    Theorem("claim-hot-start", "Windows", leaves="where cold starts rest: `extra_cold_start`"),
    Theorem("claim-normalise", "Examples"),
    Theorem("claim-grid", "Examples", leaves="the smallest step, 9.69·10⁻⁵"),
    Theorem("claim-v", "Examples", leaves="Π = I on both problems"),
    Theorem("example-twostate", "Twostate"),
    Theorem("n-step", "Sweeps", leaves="unbiased ⇔ ρ(γⁿΠPⁿ) < 1: that is prop_3 for Pⁿ and γⁿ"),
    Theorem("alg-1", "Sweeps"),
    Theorem("alg-2", "Windows"),
    Theorem("alg-3", "Windows"),
    Theorem("alg-target", "Windows"),
    Theorem("sec-target", "Windows"),
    Theorem("lemma-1", "Chain"),
    Theorem("prop-8", "Projection", leaves="dependent features"),
    Theorem("prop-9", "Convergence"),
    Theorem(
        "conjecture",
        "Random",
        cites=("fourth moments of the normal law (Isserlis): E‖X − I‖², E‖Y − τI‖² ≤ F(F+1)Σd²",),
        leaves="the bound with ‖DP‖ in place of one √Σd²; the simulations (Hoeffding)",
    ),
    Theorem("neumann", "Convergence"),
    Theorem("extra-target-network", "Windows", leaves="the problems on which every T is decided"),
    Theorem("extra-cold-start", "Windows", leaves="the problem on which ρ(γS_TY) is not monotone in T"),
    Theorem("extra-basis", "Extras", leaves="a problem on which TD's stability changes with the basis"),
    Theorem("extra-light-cone", "Sweeps"),
    Theorem("extra-n-step", "Extras", leaves="that it is not necessary"),
    Theorem("extra-on-policy", "Extras"),
    Theorem("field-2", "Field", leaves="that the converse fails, and TD's stability"),
    Theorem("field-6", "Field", leaves="that TD may diverge: `claim_baird`"),
    Theorem("field-9", "Field", leaves="that the norm of O − I is attained, and without bound"),
    Theorem("field-10", "Field", leaves="that ETD(λ) has m ≥ 0 with m = d + Wᵀm, for every λ"),
    Theorem("field-13", "Field", leaves="a problem on which the ridge chain's stable η have a gap"),
    Theorem("field-14", "Field", leaves="that each head converges: `eq_recursion`"),
)


def theorem_of(statement: str) -> Theorem | None:
    """The theorem of a statement, if there is one.

    >>> theorem_of("prop-3").file, theorem_of("extra-transient")
    ('Convergence', None)
    """
    return next((t for t in THEOREMS if t.statement == statement), None)


def final_file(theorems: Sequence[Theorem] = THEOREMS) -> str:
    """A file that asks Coq what all of these theorems together rest on: what each rests on is among it."""
    files = " ".join(dict.fromkeys(t.file for t in theorems))
    together = ", ".join(f"@{t.file}.{t.name}" for t in theorems)
    return f"From theory Require {files}.\nDefinition together := ({together}).\nPrint Assumptions together.\n"


def table() -> str:
    """Statement, theorem, file, axioms, as Markdown; that there are none is what the tests ask Coq."""
    rows = ["| statement | theorem | file | axioms | left to Python |", "|---|---|---|---|---|"]
    for t in THEOREMS:
        axioms = "none" if not t.cites else "none; cites " + ", ".join(t.cites)
        rows.append(f"| {t.statement} | `{t.name}` | `{t.file}.v` | {axioms} | {t.leaves or '–'} |")
    return "\n".join(rows) + "\n"
