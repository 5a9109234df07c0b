"""SymPy expressions as one line of Unicode: (6γ/5)ᵏ·(θ⁰ − θ_π), as on paper."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import sympy
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

NAMES = {"gamma": "γ", "lambda": "λ", "alpha": "α", "theta": "θ", "pi": "π", "rho": "ρ"}
_RAISED = str.maketrans("0123456789+−-k()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵏ⁽⁾")


class _Printer(StrPrinter):  # type: ignore[misc]
    def _print_Symbol(self, symbol: Any) -> str:
        return NAMES.get(symbol.name, symbol.name)

    def _print_Add(self, expression: Any, order: Any = None) -> str:
        terms = [self._print(term) for term in self._as_ordered_terms(expression, order=order)]
        if terms[0].startswith("−"):  # 1 − x rather than −x + 1
            terms.sort(key=lambda text: text.startswith("−"))
        rest = "".join(f" − {text[1:]}" if text.startswith("−") else f" + {text}" for text in terms[1:])
        return terms[0] + rest

    def _print_Pow(self, expression: Any, rational: bool = False) -> str:
        base, exponent = expression.as_base_exp() if not isinstance(expression, sympy.Pow) else expression.args
        if exponent == sympy.Rational(1, 2):
            inner = self._print(base)
            return f"√{inner}" if base.is_Symbol or base.is_Integer else f"√({inner})"
        if exponent.is_Rational and exponent < 0:
            return f"1/{self.parenthesize(sympy.Pow(base, -exponent), PRECEDENCE['Mul'] + 1)}"
        raised = self._print(exponent).replace(" ", "")
        base_text = self.parenthesize(base, PRECEDENCE["Pow"], strict=False)
        if set(raised) <= set("0123456789+−-k"):
            return f"{base_text}{raised.translate(_RAISED)}"
        return f"{base_text}^({raised})"

    def _print_Mul(self, expression: Any) -> str:
        above, below = sympy.fraction(expression, exact=True)
        if below != 1:
            sign = ""
            if (above.is_Mul and above.as_coeff_Mul()[0] < 0) or (above.is_Number and above < 0):
                sign, above = "−", -above
            numerator = self.parenthesize(above, PRECEDENCE["Mul"]) if not above.is_Mul else self._factors(above)
            denominator = f"({self._factors(below)})" if below.is_Mul else self.parenthesize(below, PRECEDENCE["Pow"])
            return f"{sign}{numerator}/{denominator}"
        return self._factors(expression)

    def _factors(self, expression: Any) -> str:
        number, rest = expression.as_coeff_Mul()
        sign = "−" if number < 0 else ""
        parts = [] if abs(number) == 1 else [str(abs(number))]
        for factor in rest.as_ordered_factors() if rest != 1 else []:
            parts.append(self.parenthesize(factor, PRECEDENCE["Mul"], strict=False))
        out = parts[0] if parts else "1"
        for before, part in pairwise(parts):
            # 6γ and k(k − 1), but 6·5ᵏ and γ·√2.
            joined = (before.isdigit() and part[0] in "γλαθkz") or part[0] == "(" or before[-1] == ")"
            out += ("" if joined else "·") + part
        return sign + out

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
        roots = f"{self._print(variable)}: {self._print(total.poly.as_expr())} = 0"
        return f"Σ{{{roots}}} {self.parenthesize(body, PRECEDENCE['Mul'])}"


def unicode_text(expression: Any) -> str:
    """One line.

    >>> gamma, k = sympy.Symbol("gamma", nonnegative=True), sympy.Symbol("k", integer=True)
    >>> unicode_text(3 * (1 - (6 * gamma / 5) ** k) / (5 - 6 * gamma))
    '(3 − 3(6γ/5)ᵏ)/(5 − 6γ)'
    >>> unicode_text(k * (gamma / 2) ** (k - 1)), unicode_text(sympy.sqrt(3) * gamma**2 / 6)
    ('k(γ/2)ᵏ⁻¹', '√3·γ²/6')
    """
    return str(_Printer().doprint(expression))


def plain_text(expression: Any) -> str:
    """What `sympy.sympify` reads back, given ``gamma`` and ``k``: λ is written z, since lambda is a word of Python."""
    return str(expression.xreplace({sympy.Symbol("lambda"): sympy.Symbol("z")}))


def vector_text(vector: sympy.Matrix, longest: int = 160) -> str:
    """``(a, b, …)``; entries beyond `longest` characters are named by their size."""
    return f"({', '.join(entry_text(x, longest) for x in vector)})"


def entry_text(expression: Any, longest: int = 160) -> str:
    """The expression, or how long it is."""
    if sympy.count_ops(expression) > 4 * longest:
        return f"⟨{sympy.count_ops(expression)} operations⟩"
    text = unicode_text(expression)
    return text if len(text) <= longest else f"⟨{len(text)} characters⟩"


def matrix_lines(m: sympy.Matrix, longest: int = 24) -> list[str]:
    """Rows in columns of equal width."""
    cells = [[entry_text(m[i, j], longest) for j in range(m.cols)] for i in range(m.rows)]
    widths = [max(len(row[j]) for row in cells) for j in range(m.cols)]
    return ["[" + "  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) + "]" for row in cells]
