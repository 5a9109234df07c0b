"""SymPy expressions as Unicode: (6γ/5)ᵏ(θ⁰ − θ_π), as on paper; and as text that SymPy reads back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Any

import sympy
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from theory.derivation.fractions import written
from theory.derivation.in_gamma import LAMBDA
from theory.views.page import Viewable

NAMES = {"gamma": "γ", "lambda": "λ", "alpha": "α", "theta": "θ", "pi": "π", "rho": "ρ", "epsilon": "ε", "mu": "μ"}
WIDE, LONGEST, MOST = 120, 300, 1500  # characters of a line, of an entry and of a vector that are written out
VECTORS = ("b", "theta_0", "theta_pi", "theta_mu", "theta_k", "bias", "values", "v_pi", "value_error")
_RAISED = str.maketrans("0123456789+−-k()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵏ⁽⁾")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_ONE_LETTER = re.compile(r"[^\W\d_][⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵏ]*")


class _Printer(StrPrinter):  # type: ignore[misc]
    def __init__(self, sums: dict[Any, str]) -> None:
        super().__init__()
        self.sums = sums  # names of the polynomials that a RootSum runs over

    def _print_Symbol(self, symbol: Any) -> str:
        return NAMES.get(symbol.name, symbol.name)

    def _print_Add(self, expression: Any, order: Any = None) -> str:
        if expression.is_number:
            whole, d = _over_one(expression)
            if d != 1:
                return f"({self._print(whole)})/{d}"
        terms = self._by_gamma(expression) or [
            self._print(term) for term in self._as_ordered_terms(expression, order=order)
        ]
        if terms[0].startswith("−"):  # 1 − x rather than −x + 1
            terms.reverse()
        if terms[0].startswith("−"):
            terms.sort(key=lambda text: text.startswith("−"))
        rest = "".join(f" − {text[1:]}" if text.startswith("−") else f" + {text}" for text in terms[1:])
        return terms[0] + rest

    def _by_gamma(self, expression: Any) -> list[str]:
        """A polynomial in γ and other letters by rising powers of γ: x² + p − px² − γx(x + p − px)."""
        symbols = {symbol.name: symbol for symbol in expression.free_symbols}
        if "gamma" not in symbols or len(symbols) < 2 or len(expression.args) < 4 or {"k", "lambda"} & set(symbols):
            return []
        if not expression.is_polynomial(*symbols.values()):
            return []
        terms = []
        for (power,), c in sorted(sympy.Poly(expression, symbols["gamma"]).terms()):
            if power == 0 and c.is_Add:
                terms += [self._print(term) for term in self._as_ordered_terms(c)]
                terms.sort(key=lambda text: text.startswith("−"))
            else:
                terms.append(self._print(written(c) * symbols["gamma"] ** power))
        return terms

    def _print_Pow(self, expression: Any, rational: bool = False) -> str:
        base, exponent = expression.as_base_exp() if not isinstance(expression, sympy.Pow) else expression.args
        if exponent == sympy.Rational(1, 2):
            inner = self._print(base)
            return f"√{inner}" if base.is_Symbol or base.is_Integer else f"√({inner})"
        if exponent.is_Rational and exponent < 0:
            return self._print_Mul(expression)
        raised = self._print(exponent).replace(" ", "")
        base_text = self.parenthesize(base, PRECEDENCE["Pow"], strict=False)
        if set(raised) <= set("0123456789+−-k"):
            return f"{base_text}{raised.translate(_RAISED)}"
        return f"{base_text}^({raised})"

    def _print_Mul(self, expression: Any) -> str:
        number, rest = expression.as_coeff_Mul()
        sign = "−" if number < 0 else ""
        above: list[Any] = []
        below: list[Any] = []
        number, divisor = sympy.fraction(abs(number))
        for factor in rest.as_ordered_factors() if rest != 1 else []:
            base, exponent = factor.as_base_exp()
            if factor.is_Add and factor.is_number:
                factor, d = _over_one(factor)
                divisor *= d
            if exponent.is_Rational and exponent < 0:
                below.append(sympy.Pow(base, -exponent))
            else:
                above.append(factor)
        common = sympy.gcd(number, divisor) if number.is_Integer else 1
        number, divisor = number / common, divisor / common
        above = [number, *above] if self._print(number) != "1" else above
        below = [divisor, *below] if divisor != 1 else below
        if not below:
            return sign + self._product(above)
        under = self._product(below)
        if len(below) > 1 or not (below[0].is_Integer or below[0].is_Symbol or below[0].is_Pow or below[0].is_Add):
            under = f"({under})"
        return f"{sign}{self._product(above)}/{under}"

    def _product(self, factors: list[Any]) -> str:
        parts = [self.parenthesize(factor, PRECEDENCE["Mul"], strict=False) for factor in factors]
        out = parts[0] if parts else "1"
        for before, part in pairwise(parts):
            # 6γ, γx², k(k − 1), but 6·5ᵏ and γ·√2.
            numbered = before.replace(".", "").isdigit() and _ONE_LETTER.fullmatch(part)
            letters = _ONE_LETTER.fullmatch(before) and _ONE_LETTER.fullmatch(part)
            joined = numbered or letters or part[0] == "(" or before[-1] == ")"
            out += ("" if joined else "·") + part
        return out

    def _print_Rational(self, x: Any) -> str:
        return f"{'−' if x.p < 0 else ''}{abs(x.p)}/{x.q}"

    def _print_Integer(self, x: Any) -> str:
        return f"{'−' if x.p < 0 else ''}{abs(x.p)}"

    def _print_NegativeOne(self, x: Any) -> str:
        return "−1"

    def _print_Float(self, x: Any) -> str:
        return f"{float(x):.5g}".replace("-", "−")

    def _print_ImaginaryUnit(self, x: Any) -> str:
        return "i"

    def _print_RootSum(self, total: Any) -> str:
        (variable,), body = total.fun.variables, total.fun.expr
        name = self.sums.get(total.poly)
        over = f"{name}({self._print(variable)}) = 0" if name else f"{self._print(total.poly.as_expr())} = 0"
        return f"Σ{{{over}}} {self.parenthesize(body, PRECEDENCE['Mul'])}"


def unicode_text(expression: Any, sums: dict[Any, str] | None = None) -> str:
    """One line.

    >>> gamma, k, x = sympy.Symbol("gamma", nonnegative=True), sympy.Symbol("k", integer=True), sympy.Symbol("x")
    >>> unicode_text((1 - (6 * gamma / 5) ** k) / (5 - 6 * gamma) * 3)
    '3(1 − (6γ/5)ᵏ)/(5 − 6γ)'
    >>> unicode_text(k * (gamma / 2) ** (k - 1)), unicode_text(sympy.sqrt(3) * gamma**2 / 6), unicode_text(-1 / (2 * x))
    ('k(γ/2)ᵏ⁻¹', '√3·γ²/6', '−1/(2x)')
    """
    return str(_Printer(sums or {}).doprint(expression))


def product(factors: Iterable[tuple[sympy.Expr, int]]) -> str:
    """A factored characteristic polynomial; equal factors together, λ before the others.

    >>> product([(LAMBDA - 1, 2), (LAMBDA, 1), (LAMBDA - 1, 1)])
    'λ·(λ − 1)³'
    """
    powers: Counter[sympy.Expr] = Counter()
    for polynomial, multiplicity in factors:
        powers[polynomial] += multiplicity
    parts = []
    for polynomial in sorted(powers, key=lambda p: p != LAMBDA):
        text, power = (
            in_lambda(polynomial),
            "" if powers[polynomial] == 1 else str(powers[polynomial]).translate(_RAISED),
        )
        if len(text) > LONGEST:
            degree = sympy.degree(polynomial, LAMBDA)
            text = f"an irreducible factor of degree {degree}, {shortened(text)}"
        alone = polynomial == LAMBDA or (len(powers) == 1 and not power)
        parts.append(text + power if alone else f"({text}){power}")
    return "·".join(parts) or "1"


def in_lambda(polynomial: sympy.Expr) -> str:
    """A polynomial by falling powers of λ, divided by its leading coefficient where that is a number.

    >>> GAMMA = sympy.Symbol("gamma")
    >>> in_lambda(2 * LAMBDA**2 + 4 * GAMMA * LAMBDA - 6 * LAMBDA + 2), in_lambda(3 * LAMBDA**2 - GAMMA * LAMBDA)
    ('λ² + (2γ − 3)λ + 1', 'λ² − (γ/3)λ')
    """
    poly = sympy.Poly(polynomial, LAMBDA)
    if poly.LC().is_number:
        poly = sympy.Poly(polynomial / poly.LC(), LAMBDA)
    out = ""
    for (power,), c in poly.terms():
        letter = unicode_text(LAMBDA**power) if power else ""
        negative = not c.is_Add and c.as_coeff_Mul()[0] < 0
        text = unicode_text(sympy.expand(-c if negative else c))
        if letter:
            text = "" if text == "1" else text if text.isdigit() else f"({text})"
        out += (("−" if negative else "") if not out else " − " if negative else " + ") + text + letter
    return out


class _Plain(StrPrinter):  # type: ignore[misc]
    def _print_RootSum(self, total: Any) -> str:
        """With its variable named, without which SymPy does not read a polynomial that has other letters in it."""
        (variable,) = total.fun.variables
        return f"RootSum(Poly({total.poly.as_expr()}, {variable}), {self._print(total.fun)})"


def plain_text(expression: Any) -> str:
    """What `sympy.sympify` reads back, given the letters, ``gamma`` and ``k``: λ is written z, for lambda is taken."""
    return str(_Plain().doprint(expression.xreplace({sympy.Symbol("lambda"): sympy.Symbol("z")})))


def plain_matrix(name: str, m: sympy.Matrix) -> list[Any]:
    """`plain_text` of the entries: a list of what is a vector by its name, lists of rows of a matrix, a 1×1 one too."""
    if name in VECTORS:
        return [plain_text(x) for x in m]
    return [[plain_text(m[i, j]) for j in range(m.cols)] for i in range(m.rows)]


def named_sums(*forms: sympy.Matrix) -> tuple[dict[Any, str], list[str]]:
    """f, or f₁, f₂, …, for the polynomials whose roots the sums in these forms run over; a line that defines each."""
    found = dict.fromkeys(total.poly for form in forms for total in form.atoms(sympy.RootSum))
    sums = {poly: f"f{i}".translate(_LOWERED) if len(found) > 1 else "f" for i, poly in enumerate(found, 1)}
    texts = {name: in_lambda(poly.as_expr()) for poly, name in sums.items()}
    return sums, [f"with {name}(λ) = {shortened(text)}" for name, text in texts.items()]


def vector_lines(name: str, vector: sympy.Matrix, sums: dict[Any, str] | None = None) -> list[str]:
    """``name = …``: one number, or a common factor before the others, or one entry a line where they are long.

    >>> gamma = sympy.Symbol("gamma")
    >>> vector_lines("v", sympy.Matrix([2 / (1 - gamma), 2 / (1 - gamma), 0, -1 / (1 - gamma)]))
    ['v = 1/(1 − γ)·(2, 2, 0, −1)']
    """
    if len(vector) == 1:
        return [f"{name} = {entry_text(vector[0], sums)}"]
    if not any(vector):
        return [f"{name} = 0"]
    common = _common(vector)
    if common is not None:
        factor, numbers = common
        short = f"{name} = {entry_text(factor, sums)}·({', '.join(map(unicode_text, numbers))})"
        return [short if factor != 1 else f"{name} = ({', '.join(map(unicode_text, numbers))})"]
    texts = [entry_text(x, sums) for x in vector]
    line = f"{name} = ({', '.join(texts)})"
    if len(line) <= WIDE:
        return [line]
    if sum(map(len, texts)) > MOST or all(text.startswith("⟨") for text in texts if text != "0"):
        long = max(len(unicode_text(x, sums)) if sympy.count_ops(x) < 5000 else 10_000 for x in vector)
        return [f"{name}: {len(texts)} entries of up to {long:,} characters, which --json and --latex print"]
    out: list[str] = []
    at = 1
    for text, same in groupby(texts):
        count = len(list(same))
        place = f"{at}" if count == 1 else f"{at}–{at + count - 1}"
        out.append(f"{'' if out else f'{name}: '}[{place}] {text}")
        at += count
    return [out[0], *(" " * (len(name) + 2) + line for line in out[1:])]


def _over_one(total: Any) -> tuple[Any, int]:
    """A sum of numbers as one without denominators, and what it is over: (1 + √13)/6."""
    d = sympy.ilcm(1, *(sympy.fraction(term.as_coeff_Mul()[0])[1] for term in total.args))
    return sympy.expand(total * d), int(d)


def _common(vector: sympy.Matrix) -> tuple[sympy.Expr, list[sympy.Rational]] | None:
    """f and integers n with vector = f·n, where the entries are multiples of each other."""
    first = next(x for x in vector if x != 0)
    if sympy.count_ops(first) > 80 or vector.has(sympy.RootSum):
        return None
    moving = {p: sympy.Dummy() for p in first.atoms(sympy.Pow) if not p.exp.is_number}
    multiples = []
    for x in vector:
        multiple = sympy.cancel(x.xreplace(moving) / first.xreplace(moving))
        if not multiple.is_Rational:
            return None
        multiples.append(multiple)
    below = sympy.ilcm(*(m.q for m in multiples)) if len(multiples) > 1 else multiples[0].q
    whole = sympy.igcd(*(m.p * (below // m.q) for m in multiples))
    scale = sympy.Rational(whole, below)
    if first.is_Rational:
        return sympy.Integer(1), list(vector)
    return first * scale, [m / scale for m in multiples]


def entry_text(expression: Any, sums: dict[Any, str] | None = None) -> str:
    """The expression, or how long it is."""
    if sympy.count_ops(expression) > 4 * LONGEST:
        return f"⟨{sympy.count_ops(expression)} operations⟩"
    return shortened(unicode_text(expression, sums))


def shortened(text: str) -> str:
    """The text, or how long it is."""
    return text if len(text) <= LONGEST else f"⟨{len(text)} characters⟩"


def matrix_lines(name: str, m: sympy.Matrix) -> list[str]:
    """``name = [..]`` over as many lines as there are rows; entry by entry, or in words, where that is too wide."""
    cells = [[entry_text(m[i, j]) for j in range(m.cols)] for i in range(m.rows)]
    widths = [max(len(row[j]) for row in cells) for j in range(m.cols)]
    indent = " " * (len(name) + 3)
    rows = ["[" + "  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) + "]" for row in cells]
    if len(indent) + len(rows[0]) <= WIDE:
        return [(f"{name} = " if i == 0 else indent) + row for i, row in enumerate(rows)]
    if m.rows * m.cols <= 9 and not any(x.startswith("⟨") for row in cells for x in row):
        return [f"{name}[{i + 1},{j + 1}] = {cells[i][j]}" for i in range(m.rows) for j in range(m.cols)]
    return [f"{name} is {m.rows}×{m.cols} and too wide for this page: --json and --latex print it"]


class ClosedForms(Viewable):
    """What derivations of a problem and of a family have in common: expressions by name, as text and as LaTeX."""

    def sympy(self) -> dict[str, Any]:
        """Every expression by name; None where there is none."""
        raise NotImplementedError

    def texts(self) -> dict[str, Any]:
        """Every expression as text that SymPy reads back, in gamma, k and z for λ."""
        return {name: None if x is None else plain_matrix(name, x) for name, x in self.sympy().items()}

    def latex(self) -> dict[str, str]:
        """LaTeX of every expression by name; each stands alone."""
        return {name: sympy.latex(x) for name, x in self.sympy().items() if x is not None}

    def _aligned(self) -> Iterator[str]:
        """The lines that a notebook shows."""
        raise NotImplementedError

    def _repr_latex_(self) -> str:
        return r"$\begin{aligned} " + r" \\ ".join(self._aligned()) + r" \end{aligned}$"
