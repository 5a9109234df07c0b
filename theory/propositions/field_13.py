r"""field-13: residual gradient always converges, ridge from some η* on; both land elsewhere, ridge by a closed form.

Residual gradient's matrix is the Gram matrix RᵀDR of R = (I − γP)Φ, whose columns are independent with those of Φ,
since I − γP is invertible: symmetric and positive definite. Ridge TD's A + ηI is stable for every η above
−λ_min((A + Aᵀ)/2); (A + ηI)(θ_η − θ_π) = −ηθ_π is its bias, and the ridge chain θ ← (X + ηI)⁻¹(γYθ + b) rests at the
same θ_η. *Not true* of the ridge chain: that the stable η are all from a threshold on. On `finite-window` they are
(.0691, 1.28) and (1.79, ∞). Diddigi, Kamanchi and Bhatnagar (2020) and Zhang, Yao and Whiteson (2021) regularise so.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from theory.certified.answers import Answer
from theory.certified.verdicts import td_stable
from theory.exact.matrices import identity, rational
from theory.methods.family import find_method
from theory.methods.outcome import outcome, rest, true_values
from theory.methods.parameters import stable_parameters
from theory.model.linear_model import exact_model
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.namespace import Namespace
from theory.thresholds.spans import StableSet

ETA = Fraction(1, 7)


@cache
def ridge_theory() -> Namespace:
    """θ_π and θ_η, and X + ηI invertible."""
    n = Namespace("gamma eta").with_problem()
    T, (theta_pi, ridged) = n.T, n.letters("theta_pi theta_eta", "1 -> F")
    T.assume("A theta_pi = b", n.A * theta_pi, n.b)
    T.inverse(n.A, "Ai", of="A", latex="A^{-1}")
    T.assume("(A + eta) theta_eta = b", n.A * ridged + T.eta * ridged, n.b)
    Ri = T.inverse(n.A + T.eta, "Ri", of="A + eta", latex=r"(A+\eta)^{-1}")
    Xi = T.inverse(n.X + T.eta, "Xi", of="X + eta", latex=r"(X+\eta)^{-1}")
    back = T.inverse(1 - T.gamma * n.P, "L", of="1 - gamma P", latex=r"(1-\gamma P)^{-1}")
    n.state("bias", ridged - theta_pi, -T.eta * Ri * theta_pi)
    n.state("the chain rests there", Xi * (T.gamma * n.Y * ridged + n.b), ridged)
    n.state("columns stay independent", back * (1 - T.gamma * n.P) * n.Phi, n.Phi)
    n.state("shifted form", (n.A + T.eta) + (n.A + T.eta).T, n.A + n.A.T + 2 * T.eta * T.one("F"))
    return n


def check() -> Checks:
    """Residual gradient certified; the exact η of ridge TD from a threshold on; the bias at η = 1/7."""
    for problem in cases("full-rank", "solvable"):
        model = exact_model(problem)
        found, _ = stable_parameters(find_method("ridge-td"), "eta", problem, model)
        wrong = int(not (isinstance(found, StableSet) and found.spans and found.spans[-1].high is None))
        wrong += outcome(find_method("residual-gradient"), problem).holds != Answer.YES
        m = matrices(problem)
        theta = m.A.solve(m.b)
        shifted = m.A + rational(ETA) * identity(problem.n_features)
        gap = shifted.solve(m.b) - theta + rational(ETA) * shifted.solve(theta)
        yield Check(problem.name, largest(gap) + wrong, detail="bias −η(A + ηI)⁻¹θ_π; stable η without end; RᵀDR ≻ 0")


def counterexamples() -> Counterexamples:
    """Where they land; a gap of the ridge chain; η below the threshold."""
    window = catalogue_problem("finite-window")
    found, _ = stable_parameters(find_method("ridge-chain"), "eta", window, exact_model(window))
    at = [outcome(find_method(f"ridge-chain:{x}"), window).holds for x in ("0", "1", "3/2", "2")]
    seen = at == [Answer.NO, Answer.YES, Answer.NO, Answer.YES]
    text = f"finite-window: the ridge chain converges exactly for η in {found}: more ridge can break it"
    yield Counterexample("TD, not the chain, for one threshold", text, seen, window)
    kolter = catalogue_problem("tsitsiklis-van-roy")
    text = "tsitsiklis-van-roy: TD needs η > 323/1250"
    low, _ = stable_parameters(find_method("ridge-td"), "eta", kolter, exact_model(kolter))
    yield Counterexample("η > η*", text, str(low) == "(323/1250, ∞)" and td_stable(kolter).refuted, kolter)
    walk = catalogue_problem("boyan-chain")
    model = exact_model(walk)
    v = true_values(model)
    biased, td = (rest(find_method(name), model, v) for name in ("residual-gradient", "td"))
    assert biased.error is not None  # both have a rest point here
    assert td.error is not None
    text = f"boyan-chain: residual gradient lands at the error {biased.error.d_mu:.4g}, TD at {td.error.d_mu:.4g}"
    yield Counterexample("the fixed point of TD", text, biased.error.d_mu != td.error.d_mu, walk)


STATEMENT = Statement(
    id="field-13",
    place=2130,
    title="Residual gradient and ridge",
    paper="does not treat them; residual gradient is Baird's (1995)",
    verdict="beyond the paper",
    precise="residual gradient is stable for every problem with independent features; ridge TD for every η above some"
    " η*, with θ_η − θ_π = −η(A + ηI)⁻¹θ_π; the ridge chain rests at the same θ_η, but its stable η may have gaps",
    assumptions=("Φ of full column rank", "0 ≤ γ < 1", "A and A + ηI invertible, for the bias"),
    cites=("a Gram matrix of independent columns is positive definite", "Lyapunov: M + Mᵀ ≻ 0 ⇒ Re λ(M) > 0"),
    where="η is the weight of ½‖θ‖²",
    latex=r"\theta_\eta - \theta_\pi = -\eta\,(A + \eta I)^{-1}\theta_\pi",
    claims=ridge_theory,
    check=check,
    counterexamples=counterexamples,
)
