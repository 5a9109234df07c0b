"""Counts on random problems as pages."""

from __future__ import annotations

from typing import Any

from theory.views.page import Block, Column, Page, prose, table


def methods_page(row: dict[str, Any]) -> Page:
    """One size: how often each method converges, and how often where another fails."""
    names = [m["method"] for m in row["methods"]]
    cells = (
        (m["method"], _rate(m["rate"], m["ci95"]), *(str(k) if i != j else "–" for j, k in enumerate(rescued)))
        for i, (m, rescued) in enumerate(zip(row["methods"], row["rescued"], strict=True))
    )
    others = [Column(f"→ {name}", drop=i + 1) for i, name in enumerate(names)]
    columns: list[Column | str] = ["method<", "converges", *others]
    causes = {
        kind: ", ".join(f"{_CAUSES[name].format(_REAL[kind])}: {k}" for name, k in causes.items())
        for kind, causes in row["causes"].items()
    }
    undecided = _undecided(row["undecided"])
    size = f"S = {row['states']}, F = {row['features']}: {row['samples']:,} problems, γ = {row['gamma']:g}"
    return Page(
        (
            prose(),
            prose(size),
            prose(),
            table(columns, cells),
            prose(),
            prose("converges: in % with 95% Wilson intervals; → m: problems on which it fails and m converges"),
            *(
                prose(f"{entry['count']:>7,}  solved by {', '.join(entry['solved_by']) or 'none'}", hang=9)
                for entry in row["joint"][:6]
            ),
            *(
                prose(f"{'TD' if kind == 'td' else 'the chain'} fails by {text}", hang=2)
                for kind, text in causes.items()
                if text
            ),
            *([prose(undecided)] if row["undecided"] else []),
        )
    )


_CAUSES = {
    "determinant": "det A < 0",
    "negative": "a real β < −1",
    "pair": "a complex pair",
    "real": "an even number of {}",
}
_REAL = {"td": "real λ < 0", "chain": "real β > 1"}


def rates_page(rows: list[dict[str, Any]]) -> Page:
    """TD unstable, chain biased, both, and rescued, a row a size."""
    names = ("td_unstable", "chain_biased", "both", "unbiased_given_td_unstable")
    cells = (
        (str(row["states"]), str(row["features"]), *(_rate(row["rates"][name], row["ci95"][name]) for name in names))
        for row in rows
    )
    blocks: list[Block] = [
        table(("S", "F", "TD unstable", "chain biased", Column("both", drop=1), Column("rescued", drop=2)), cells),
        prose(),
        prose(f"{rows[0]['samples']:,} problems each; rates in % with 95% Wilson intervals."),
        prose("Rescued: the chain is unbiased, given that TD is unstable."),
    ]
    if undecided := sum(row["undecided"] for row in rows):
        blocks.append(prose(_undecided(undecided)))
    for row in rows:
        size = f"S={row['states']} F={row['features']}"
        if "windows" in row:
            stable = " ".join(f"T={w['window']}: {100 * w['rate']:.2f}" for w in row["windows"])
            blocks.append(prose(f"{size} stable with target network, in %:  {stable}", hang=4))
        if "rho_quantiles" in row:
            shown = "  ".join(f"{float(q):.0%}: {x:.4g}" for q, x in row["rho_quantiles"].items())
            radius = "ρ(γΠP)" if row["n_steps"] == 1 else f"ρ(γⁿΠPⁿ), n = {row['n_steps']}"
            blocks.append(prose(f"{size} quantiles of {radius}:  {shown}", hang=4))
    return Page(tuple(blocks))


def _rate(rate: float | None, interval: list[float]) -> str:
    low, high = (100 * x for x in interval)
    return "–" if rate is None else f"{100 * rate:.1f} ({low:.1f}–{high:.1f})"


def method_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a size and method, for files."""
    return [
        {
            "states": row["states"],
            "features": row["features"],
            "gamma": row["gamma"],
            "samples": row["samples"],
            "undecided": row["undecided"],
            "method": m["method"],
            "converges": m["converges"],
            "rate": m["rate"],
            "low": m["ci95"][0],
            "high": m["ci95"][1],
        }
        for row in rows
        for m in row["methods"]
    ]


def _undecided(n: int) -> str:
    if n == 1:
        return "1 problem is undecided; the intervals allow for it."
    return f"{n:,} problems are undecided; the intervals allow for them."
