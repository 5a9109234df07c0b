r"""Small pieces of Markdown that every code host renders, and the report's own renderer too.

Displayed formulas are fences marked ``math`` and inline ones stand between dollars; where one has a backslash before
punctuation, which Markdown would take for an escape, it also stands between backquotes.
"""

from __future__ import annotations

import re

from theory.report.mathml import plain_operators

_ABOVE = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_BELOW = str.maketrans("0123456789+-ijkmnstax", "₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₘₙₛₜₐₓ")


def plain(text: str) -> str:
    r"""Text in which nothing means anything to Markdown: θᵏ* keeps its star, E_μ[ρφφᵀ] its brackets.

    >>> print(plain("θᵏ* − θ_π, |β| < 1, X_{t+1}, π(a|s), [1](2)"))
    θᵏ\* − θ_π, |β| \< 1, X\_{t+1}, π(a|s), \[1\](2)
    """
    escaped = re.sub(r"([\\`*\[\]<$#~])", r"\\\1", text)
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\_", escaped)


def prose(text: str) -> str:
    r"""Plain text with indices of several letters below the line, numbers as exponents above it, no stars for products.

    >>> print(prose("θᵏ_{t+1}, λ_max(X), e_k, x^2 + 3/4*x"))
    θᵏₜ₊₁, λₘₐₓ(X), e_k, x² + 3/4 x
    """
    lowered = re.sub(r"_\{([+\-0-9ijkmnst]+)\}|_(max)\b", lambda m: (m[1] or m[2]).translate(_BELOW), text)
    raised = re.sub(r"(?<=[a-zλ])\^(\d+)", lambda m: m[1].translate(_ABOVE), lowered)
    return plain(re.sub(r"(?<=\d)\*(?=[a-zλ])", " ", raised))


def inline(latex: str) -> str:
    r"""A formula within a line.

    >>> print(inline(r"\gamma < 1"), inline(r"a\,b"))
    $\gamma < 1$ $`a\,b`$
    """
    text = plain_operators(" ".join(latex.split()))
    return f"$`{text}`$" if re.search(r"\\[^A-Za-z]|\|", text) else f"${text}$"


def display(latex: str) -> str:
    """A formula in a line of its own."""
    return f"```math\n{plain_operators(latex.strip())}\n```"


def figure(alt: str, source: str, caption: str) -> str:
    """A picture with its text for those who do not see it, and its caption, which begins in bold."""
    return f"![{' '.join(plain(alt).split())}]({source})\n\n{caption}"


def slug(heading: str) -> str:
    """The anchor that code hosts give a heading.

    >>> slug("prop-2: Bias of the k-th value function"), slug("How often? (γ = .99)")
    ('prop-2-bias-of-the-k-th-value-function', 'how-often-γ--99')
    """
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def link(heading: str, text: str | None = None) -> str:
    """A link to a heading of the same page."""
    return f"[{text or heading}](#{slug(heading)})"
