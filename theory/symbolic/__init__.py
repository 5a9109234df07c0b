"""The proof engine: identities of matrices, proved for all dimensions and all k, or refuted by exact matrices.

Letters are arrows between spaces (Φ : F → S, a vector is an arrow from 1), words are composable paths, coefficients
are polynomials in commuting scalars. A claim is proved by writing it as Σ c·a·h·b with assumptions h; that sum is the
certificate, a small kernel expands it, and `certificate.recheck()` lets SymPy do so again. An identity of your own
takes about ten lines:

>>> from theory.symbolic import Theory
>>> T = Theory("gamma")
>>> Phi, P = T.op("Phi", "F -> S"), T.op("P", "S -> S")
>>> D, r = T.op("D", "S -> S", symmetric=True), T.op("r", "1 -> S")
>>> theta0, theta_pi = T.op("theta0", "1 -> F"), T.op("theta_pi", "1 -> F")
>>> X, Y, b = Phi.T * D * Phi, Phi.T * D * P * Phi, Phi.T * D * r
>>> Xi = T.inverse(X, "Xi", of="X")
>>> T.assume("A theta_pi = b", (X - T.gamma * Y) * theta_pi, b)
>>> theta = T.sequence("theta", start=theta0, step=lambda t: Xi * (T.gamma * Y * t + b))
>>> G_k = T.power(T.gamma * Xi * Y)
>>> bias = T.for_all_k("bias", theta - theta_pi, G_k * (theta0 - theta_pi))
>>> print(bias)
Proved 'bias': for all dimensions and all k ≥ 0, by induction over k
  uses 'Xi X = 1', 'A theta_pi = b', induction hypothesis
>>> bias.certificate.recheck()
True

So the bias needs a solution of Aθ_π = b, not A⁻¹. A false identity comes back with the matrices that refute it; here
the projection is claimed to commute with P:

>>> Pi = Phi * Xi * Phi.T * D
>>> wrong = T.prove("commutes", Pi * P, P * Pi)
>>> print(wrong)
Refuted 'commutes': left minus right has entry [0, 0] = -2705/14041 at
  dim F = 2, dim S = 3, Phi = [1 5; 3 1; 5 2], P = [0 -1 1; -1 -2 1; -1 1 -2], D = [-4 0 7; 0 4 3; 7 3 10],
  Xi = [-24/14041 157/28082; 157/28082 -221/28082]
>>> wrong.witness.recheck()
True

A product that ends where it begins, in the space 1, is a 1×1 matrix and so its own transpose:

>>> u, v = T.op("u", "1 -> S"), T.op("v", "1 -> S")
>>> print(T.prove("inner product", u.T * P * v, v.T * P.T * u))
Proved 'inner product': for all dimensions
  uses '(uᵀ·P·v)ᵀ = uᵀ·P·v'

An outcome is `Proved`, `Refuted` or `Open` and has no truth value. What does not type-check fails at once:

>>> Phi * P
Traceback (most recent call last):
theory.symbolic.alphabet.IllTyped: (Phi) : F -> S cannot follow (P) : S -> S

The paper's own letters are ready in `theory.propositions.theories`, its identities in the statements beside them.

The modules, from what must be trusted outwards:

- `forms`, `context`, `kernel`: the trusted base; `recheck`, `recheck_witness`: a second opinion that shares no code
  with it;
- `search`, `certify`: find certificates, untrusted; `scalars`: lemmas about 1×1 matrices that they may use;
- `notation`, `alphabet`, `algebra`, `declarations`, `theory`: formulas as they are written, and the user's view;
- `matrices`, `models`, `decide`, `outcomes`: exact models, and the way from a claim to a verdict;
- `relevant`, `stored`, `derivation`: what a certificate carries, as JSON, and as a text to read;
- `mutants`: testing the prover.

Tools: `T.abbreviate` (a way of writing), `T.define` (a letter of its own), `T.inverse`, `T.assume`, `T.sequence`,
`T.scalar_sequence` (γᵏ), `T.power`, `T.geometric_sum`, `T.next` (k+1), `T.at` (k = n), `T.instance` (one fixed K),
`T.lemma` (prove once, use later), `T.model` (exact values where they cannot be solved for), ``using=`` (what a proof
may use).
"""

from theory.symbolic.algebra import Operator, Scalar
from theory.symbolic.alphabet import IllTyped
from theory.symbolic.forms import Rejected
from theory.symbolic.matrices import Draw
from theory.symbolic.outcomes import Certificate, Open, Outcome, Proved, Refuted, Witness
from theory.symbolic.search import Limits
from theory.symbolic.theory import Claim, Theory

__all__ = [
    "Certificate",
    "Claim",
    "Draw",
    "IllTyped",
    "Limits",
    "Open",
    "Operator",
    "Outcome",
    "Proved",
    "Refuted",
    "Rejected",
    "Scalar",
    "Theory",
    "Witness",
]
