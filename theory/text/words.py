r"""The words of a verdict, of counts and of durations: the same wherever they are said.

A question of a kind has one word for yes and one for no; undecided is neither.

Every letter, once, as in *Chaining Value Functions for Off-Policy Learning* (S states, F features).

A letter has a name in code and in typed identities, a shape, and a formula as text; reports set it in LaTeX. What only
one statement uses is said there. `help(theory)`, `theory.letters` and the report's table are written from this list.

Short texts for exact numbers and for balls: fractions, decimals, polynomials, quadratic surds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, inf
from typing import NamedTuple

from flint import acb, arb, fmpq, fmpz

from theory.problems.numbers import is_short

STABLE, UNBIASED, SAFE = ("stable", "unstable"), ("unbiased", "biased"), ("safe", "not safe")
UNDECIDED = "undecided"
_WORDS = {"td": STABLE, "chain": UNBIASED, "window": STABLE, "uniform": SAFE}
_SUBJECTS = {
    "td": "off-policy TD",
    "chain": "chained TD, k → ∞",
    "window": "target network T = {T}",
    "uniform": "every choice of features",
}


def word(kind: str, holds: bool | None) -> str:
    """What is said of a question's answer, as JSON has it; of an iteration, that it converges.

    >>> word("td", True), word("chain", False), word("window", None)
    ('stable', 'biased', 'undecided')
    """
    yes, no = _WORDS.get(kind, ("convergent", "divergent"))
    return UNDECIDED if holds is None else yes if holds else no


def subject(kind: str, window: int | None = None) -> str:
    """What a question is about.

    >>> subject("window", 10)
    'target network T = 10'
    """
    return _SUBJECTS[kind].format(T=window)


def quadrant(td: bool | None, chain: bool | None) -> str:
    """``td-stable/chain-biased`` and its kin.

    >>> quadrant(True, None)
    'td-stable/chain-undecided'
    """
    return f"td-{word('td', td)}/chain-{word('chain', chain)}"


def count(n: int, noun: str) -> str:
    """``1 state``, ``2 states``."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


def duration(seconds: float) -> str:
    """``40 s``, ``3 min``, ``5 h``, ``more than a day``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 86400 else "more than a day"


class Letter(NamedTuple):
    """What is known of one letter, or of a few that belong together; empty where it does not apply."""

    latex: str
    meaning: str
    code: str = ""
    shape: str = ""
    formula: str = ""

    @property
    def said(self) -> str:
        """``X − γY: key matrix of …``."""
        return f"{self.formula}: {self.meaning}" if self.formula else self.meaning


LETTERS = (
    Letter(r"S, F", "numbers of states and of features"),
    Letter(r"\gamma", "discount in [0, 1)", "gamma", "()"),
    Letter(r"\alpha", "step size", "alpha", "()"),
    Letter(r"\pi, \mu", "target policy, whose values are wanted, and behaviour, which moves"),
    Letter(r"\Phi, \phi", "features, S × F, one row a state; a row of it", "Phi", "(S, F)"),
    Letter(r"P, P_\pi", "transitions under π, S × S: two names for one matrix", "P, P_pi", "(S, S)"),
    Letter(r"P_\mu", "transitions under μ", "P_mu", "(S, S)"),
    Letter(r"r, r_\pi, r_\mu", "expected rewards under π (two names) and under μ", "r, r_pi, r_mu", "(S,)"),
    Letter(r"d, d_\mu, D", "how often each state is visited, by the behaviour unless said otherwise, and D = diag(d)",
           "d_mu, D", "(S,)"),
    Letter(r"\rho(a, s) = \pi(a|s)/\mu(a|s)", "importance ratio, where ρ stands beside a sample; R is the reward",
           "rho", "()", "π(a|s)/μ(a|s)"),
    Letter(r"\rho(M)", "spectral radius of a matrix"),
    Letter(r"X = \Phi^{\top} D \Phi", "second moments of the features", "X", "(F, F)", "ΦᵀDΦ"),
    Letter(r"Y = \Phi^{\top} D P \Phi", "moments of features and next features under π", "Y", "(F, F)", "ΦᵀDPΦ"),
    Letter(r"A = X - \gamma Y", "key matrix of off-policy TD, which is stable if all its eigenvalues have Re λ > 0",
           "A", "(F, F)", "X − γY"),
    Letter(r"A_\mu = \Phi^{\top} D (I - \gamma P_\mu) \Phi", "the same of the behaviour", "A_mu", "(F, F)",
           "ΦᵀD(I − γP_μ)Φ"),
    Letter(r"b = \Phi^{\top} D r, \; b_\mu = \Phi^{\top} D r_\mu", "right-hand sides", "b, b_mu", "(F,)",
           "ΦᵀDr, ΦᵀDr_μ"),
    Letter(r"\theta_\pi, \theta_\mu", r"TD’s fixed points: A θ_π = b and A_μ θ_μ = b_μ", "theta_pi, theta_mu", "(F,)"),
    Letter(r"B = \gamma X^{-1} Y", "operator of the chain, which is unbiased if ρ(B) is below 1", "B", "(F, F)",
           "γX⁻¹Y"),
    Letter(r"\Pi = \Phi X^{-1} \Phi^{\top} D",
           "projection onto the span of Φ; ΠP and B/γ have the same nonzero spectrum", "Pi", "(S, S)", "ΦX⁻¹ΦᵀD"),
    Letter(r"\theta^k_t, \theta^k_*",
           "head k after t updates, and its fixed point; head 0 is θ⁰, learnt on μ or given", "theta_k, theta0",
           "(F,)"),
    Letter(r"e_k", "error of head k or after k windows, against θ_π"),
    Letter(r"v_\pi, v_\mu, v^k", "values: of π, of μ, and of head k", "v_pi, v_mu", "(S,)"),
    Letter(r"k, K", "number of a head and of the last head", "k, K", "()"),
    Letter(r"W_k = \sum_{i<k} B^i", "geometric sum of the chain", "W_k", "(F, F)", "1 + B + … + Bᵏ⁻¹"),
    Letter(r"M", "joint matrix of all heads (eq-M); in def-richardson and prop-1 any matrix", "M"),
    Letter(r"T", "updates of a head, or with one target network: a window", "window", "()"),
    Letter(r"Q = (I - \alpha X)^{T}", "what T updates leave of a start; in claim-exponential and neumann any Q ≻ 0, in "
           "prop-5 and extra-on-policy the weights of edges"),
    Letter(r"S_T = \alpha \sum_{j<T} (I - \alpha X)^j", "what T updates take from the target"),
    Letter(r"G_T = Q + (I - Q) B", "what a window with hot start does to the error"),
    Letter(r"n, X_n, Y_n, b_n, B_n", "steps of an n-step estimator, and its moments", "n", "()"),
    Letter(r"\lambda, \lambda_{\max}", "an eigenvalue, the largest"),
    Letter(r"M^{\top}, M^{T}", "transpose (in text ᵀ) and T-th power (in text ^T): two different signs"),
    Letter(r"M \succ 0", "symmetric and positive definite"),
    Letter(r"I, \mathbf{1}", "identity, also written 1 where matrices are meant, and the vector of ones"),
)  # fmt: skip
TERMS = (
    "A head starts *hot* from the values of the one before, *cold* anywhere. *Swap* is the P of two states that go to "
    "each other, \\[\\[0, 1\\], \\[1, 0\\]\\]. An *expedition* of m steps follows π for m steps and μ ever after."
)


def meaning(code: str) -> str:
    """What a letter of code is.

    >>> meaning("Pi")
    'ΦX⁻¹ΦᵀD: projection onto the span of Φ; ΠP and B/γ have the same nonzero spectrum'
    """
    return next(letter.said for letter in LETTERS if code in letter.code.split(", "))


def code_table() -> str:
    """The letters that code uses, a line each."""
    return "\n".join(f"{x.code:<18} {x.shape:<7} {x.said}" for x in LETTERS if x.code)


MAX_DISCRIMINANT = 160  # bits; square factors of a larger discriminant are left under the root


def decimal_text(scaled: int, digits: int) -> str:
    """scaled/10^digits with all its digits.

    >>> decimal_text(-314, 2)
    '-3.14'
    """
    sign, body = "-" if scaled < 0 else "", str(abs(scaled)).rjust(digits + 1, "0")
    return sign + (f"{body[:-digits]}.{body[-digits:]}" if digits else body)


def fraction_text(x: fmpq, longest: int = 24) -> str:
    """The fraction up to `longest` characters, with its decimal value where that helps; else the value alone.

    >>> [fraction_text(fmpq(*x)) for x in ((3, 4), (1000, 3333), (10**50, 3))]
    ['3/4', '1000/3333 ≈ 0.30003', '≈ 3.33333333333e+49']
    """
    if digit_count(x) <= 60:
        text = str(x)
        if x.q == 1 or len(text) <= 7:
            return text
        if len(text) <= longest:
            return f"{text} ≈ {significant(arb(x), 6)}"
    return f"≈ {significant(arb(x), 12)}"


def short_text(x: Fraction, longest: int = 12, digits: int = 6) -> str:
    """The fraction where its text is at most so long, and otherwise its first digits, whatever the size of the number.

    >>> [short_text(x) for x in (Fraction(3, 4), Fraction(10**20, 3), Fraction(10) ** 400 / 3, Fraction(0))]
    ['3/4', '3.33333e+19', '3.33333e+399', '0']
    """
    if is_short(x) and len(str(x)) <= longest:
        return str(x)
    if 2.0**-1000 < abs(x) < 2**1000:
        return f"{float(x):.{digits}g}"
    return significant(arb(fmpq(x.numerator, x.denominator)), digits)


def value_text(value: Fraction | int | float, longest: int = 12) -> str:
    """A number of a table: a short fraction as it is, else six digits, never −0.

    >>> value_text(Fraction(1, 3)), value_text(-0.0), value_text(2 / 3)
    ('1/3', '0', '0.666667')
    """
    return f"{value + 0.0:.6g}" if isinstance(value, float) else short_text(Fraction(value), longest)


def rank_note(features: int, rank: int, what: str = "θ") -> str:
    """What is said of a solution where the features are dependent."""
    noun = "feature" if features == 1 else "features"
    return f"{features} {noun} of rank {rank}: {what} of least norm, values unique"


def ball_text(x: arb, digits: int = 12) -> str:
    """At most so many digits of the number in a ball, all of them certain up to one unit in the last; or a bound on it.

    >>> ball_text(arb(2).sqrt(), 6), ball_text(arb(0, 1e-40), 6)
    ('1.41421', '|·| < 1.0e-40')
    """
    if x.is_zero():
        return "0"
    if x.contains(0):
        return f"|·| < {significant(x.abs_upper() * arb(1.01), 2, strip=False)}"
    return significant(x, digits)


def decimal_ends(x: arb, digits: int = 40) -> tuple[str, str]:
    """Two decimals with the ball between them, about so many digits long.

    >>> decimal_ends(arb(0.5, 0.25), 2)
    ('2499999e-7', '7500001e-7')
    """
    middle, radius, exponent = (int(v) for v in x.mid_rad_10exp(digits))
    return f"{middle - radius}e{exponent}", f"{middle + radius}e{exponent}"


def nearest_double(x: arb) -> float:
    """The double nearest to the middle of a ball (FLINT's own conversion rounds towards zero); ±inf beyond them all."""
    mantissa, exponent = (int(v) for v in x.mid().man_exp())
    try:
        return float(Fraction(mantissa) * Fraction(2) ** exponent)
    except OverflowError:
        return inf if mantissa > 0 else -inf


def significant(x: arb, digits: int, *, strip: bool = True) -> str:
    """As many digits as asked for or as the ball has, without the zeros that a double would not show either."""
    text: str = x.str(digits, radius=False)
    mantissa, mark, exponent = text.partition("e")
    if strip and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + mark + exponent


def complex_text(z: acb, digits: int = 6, *, around_one: bool = False) -> str:
    """A complex number with at most so many digits of each part, all certain; ± for it and its conjugate.

    What a ball cannot tell from zero is shown as 0 beside a part that it can. With `around_one` a real number that six
    digits would round to 1 is shown by its distance from it.

    >>> complex_text(acb(fmpq(1, 4), 2)), complex_text(acb(1 - arb(2) ** -40), around_one=True)
    ('0.25±2i', '1 − 9.09495e-13')
    """
    re, im = z.real, z.imag
    if im.contains(0):
        if around_one and not re.contains(1) and abs(1 - re) < arb("1e-6"):
            return f"1 {'−' if re < 1 else '+'} {significant(abs(1 - re), digits)}"
        if re.contains(0):
            return "0" if im.is_zero() and re.is_zero() else ball_text(abs(z), digits)
        return significant(re, digits)
    real = "" if re.is_zero() else "0" if re.contains(0) else significant(re, digits)
    return f"{real}±{significant(abs(im), digits)}i"


def digit_count(x: fmpq) -> int:
    """About how many digits numerator and denominator have, together."""
    return int((int(x.p.height_bits()) + int(x.q.height_bits())) * 0.30103) + 2


def polynomial_text(coefficients: Sequence[int]) -> str:
    """A polynomial in x from its coefficients, the constant first.

    >>> polynomial_text([-2, 1, 0, -3])
    '-3*x^3 + x - 2'
    """
    terms = []
    for j, c in reversed(list(enumerate(coefficients))):
        if c:
            size = "" if abs(c) == 1 and j else str(abs(c))
            power = "" if j == 0 else "x" if j == 1 else f"x^{j}"
            terms.append(("- " if c < 0 else "+ ") + "*".join(part for part in (size, power) if part))
    text = " ".join(terms) or "+ 0"
    return text[2:] if text.startswith("+ ") else "-" + text[2:]


def surd_text(c0: int, c1: int, c2: int, *, larger: bool) -> str:
    """The larger or smaller root of c0 + c1 x + c2 x², c2 > 0, as (a+b*sqrt(c))/d.

    >>> surd_text(-1, -1, 1, larger=True), surd_text(-1, 0, 2, larger=False)
    ('(1+sqrt(5))/2', '-sqrt(2)/2')
    """
    under, outside = c1 * c1 - 4 * c0 * c2, 1
    if under.bit_length() <= MAX_DISCRIMINANT:
        for prime, power in fmpz(under).factor():
            outside *= int(prime) ** (power // 2)
            under //= int(prime) ** (2 * (power // 2))
    a, b, d = -c1, outside if larger else -outside, 2 * c2
    common = gcd(a, b, d)
    a, b, d = a // common, b // common, d // common
    size = "" if abs(b) == 1 else f"{abs(b)}*"
    sign = "-" if b < 0 else "+" if a else ""
    text = f"{a or ''}{sign}{size}sqrt({under})"
    if d == 1:
        return text
    return f"({text})/{d}" if a else f"{text}/{d}"
