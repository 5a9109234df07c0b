"""Results that are put together for the public API; the others come from the packages that compute them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from theory.problems import Problem
from theory.problems.numbers import Array
from theory.text.words import count
from theory.views.page import Column, Page, Viewable, data_frame, dim, prose, table

if TYPE_CHECKING:
    from theory.problems.catalogue import Entry
    from theory.thresholds.certificates import AlongCertificate
    from theory.thresholds.results import StableIntervals, Threshold


class Catalogue(dict[str, "Entry"], Viewable):
    """The named problems, by name."""

    def page(self) -> Page:
        """Name, parameters, what it is famous for."""
        columns = ("problem<", Column("parameters", left=True, drop=1), Column("", left=True, below=True))
        return Page((table(columns, ((row["problem"], row["parameters"], row["famous for"]) for row in self._rows())),))

    def to_pandas(self) -> Any:
        """A frame with a row a problem."""
        return data_frame(self._rows())

    def __repr__(self) -> str:
        return f"<Catalogue of {count(len(self), 'problem')}: {', '.join(list(self)[:4])}, …>"

    def _rows(self) -> list[dict[str, str]]:
        return [
            {
                "problem": name,
                "parameters": ",".join(f"{key}={p.default}" for key, p in entry.parameters.items()),
                "famous for": entry.famous_for,
                "title": entry.title,
                "source": entry.source,
            }
            for name, entry in self.items()
        ]


@dataclass(frozen=True, repr=False)
class GammaThresholds(Viewable):
    """For which discounts TD is stable and the chain unbiased: algebraic numbers, or certified brackets."""

    td: StableIntervals
    chain: Threshold
    problem: Problem

    def certificates(self) -> dict[str, AlongCertificate | None]:
        """``td``, ``chain``: for which γ yes and for which no, with a proof that other code can ``recheck()``.

        None where such a document would be too long.
        """
        from theory.thresholds import certificates

        return {
            "td": certificates.td_certificate(self.problem),
            "chain": certificates.chain_certificate(self.problem),
        }

    def sympy(self) -> dict[str, Any]:
        """``td``: the ends of each interval; ``chain``: the threshold; None where there is no exact number."""
        return {
            "td": [tuple(None if x.exact is None else x.exact.sympy() for x in ends) for ends in self.td.intervals],
            "chain": None if self.chain.exact is None else self.chain.exact.sympy(),
        }

    def latex(self) -> str:
        """Both sets of γ, their ends exact where they are known."""
        import sympy

        def end(threshold: Threshold) -> str:
            exact = threshold.exact
            return f"{threshold.value:.6g}" if exact is None else sympy.latex(exact.sympy())

        td = r" \cup ".join(f"[{end(low)}, {end(high)})" for low, high in self.td.intervals)
        chain = r"\gamma < 1" if self.chain.value is None else rf"\gamma < {end(self.chain)}"
        return rf"\text{{TD stable: }} \gamma \in {td}, \quad \text{{chain unbiased: }} {chain}"

    def _texts(self) -> tuple[str, str]:
        from theory.thresholds.results import stable_text, unbiased_text

        return stable_text(self.td, _end), unbiased_text(self.chain, _end)

    def page(self) -> Page:
        """A sentence each."""
        td, chain = self._texts()
        first, second = f"TD is stable for γ in {td}", f"The chain is unbiased for {chain}"
        return Page((prose(first, hang=2), prose(second, hang=2)))

    def __repr__(self) -> str:
        td, chain = self._texts()
        return f"<GammaThresholds of {self.problem.name}: TD stable for γ in {td}, chain unbiased for {chain}>"


@dataclass(frozen=True, eq=False, repr=False)
class Head(Viewable):
    """The k-th value function of the chain, all entries `Fraction`."""

    k: int
    theta: Array  # (F,)
    values: Array  # (S,), Φθᵏ
    bias: Array | None  # (F,), θᵏ − θ_π; None where there is no θ_π
    error: Array  # (S,), Φθᵏ − v_π
    note: str | None

    def sympy(self) -> dict[str, Any]:
        """The vectors as SymPy columns."""
        import sympy

        letters = {name: getattr(self, name) for name in ("theta", "values", "bias", "error")}
        return {name: None if x is None else sympy.Matrix(x.tolist()) for name, x in letters.items()}

    def latex(self) -> str:
        """θᵏ* as a column."""
        import sympy

        return rf"\theta^{{{self.k}}}_* = {sympy.latex(sympy.Matrix(self.theta.tolist()))}"

    def page(self) -> Page:
        """Values and error of each state, and θ."""
        from theory.text.numbers import value_text

        rows = [
            (str(s), value_text(v), value_text(e)) for s, (v, e) in enumerate(zip(self.values, self.error, strict=True))
        ]
        theta = prose(f"θᵏ = ({', '.join(map(value_text, self.theta))})", hang=2)
        notes = [prose(dim(self.note))] if self.note else []
        return Page((table(("state", "vᵏ = Φθᵏ", "vᵏ − v_π"), rows), theta, *notes))

    def __repr__(self) -> str:
        return f"Head(k={self.k}, theta=({', '.join(map(str, self.theta))}))"


@dataclass(frozen=True, eq=False, repr=False)
class Rates(Viewable):
    """One row a pair (S, F): counts, rates and their 95% intervals."""

    rows: list[dict[str, Any]]

    def page(self) -> Page:
        """The rates with their intervals."""
        from theory.montecarlo.pages import rates_page

        return rates_page(self.rows)

    def to_pandas(self) -> Any:
        """A frame with a row a size."""
        return data_frame(self.rows)

    def svg(self, title: str = "How often each fails") -> str:
        """A chart against S."""
        from theory.explorer.rates import rate_chart

        return rate_chart(self.rows, title)

    def _repr_html_(self) -> str:
        return self.svg() + self.page().html()

    def __repr__(self) -> str:
        first = self.rows[0]
        counts = f"TD unstable {first['td_unstable']}, chain biased {first['chain_biased']} of {first['samples']:,}"
        more = f" and {count(len(self.rows) - 1, 'size')} more" if len(self.rows) > 1 else ""
        return f"<Rates at S = {first['states']}, F = {first['features']}: {counts}{more}>"


def _end(threshold: Threshold) -> str:
    return threshold.text if threshold.exact is None else str(threshold.exact)
