"""What a search found, as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.problems import Problem
from theory.text.words import count, subject, word
from theory.views.page import Block, Column, Lines, Page, prose, strong, table

if TYPE_CHECKING:
    from theory.experiments.search.find import SearchResult


def search_page(result: SearchResult) -> Page:
    """The problem with its matrices and verdicts, or why there is none."""
    problem, proof = result.problem, result.proof
    if problem is None or proof is None:
        head = f"impossible: {result.impossible}" if result.impossible else f"not found in {result.tried}"
        return Page((prose(head),))
    rho = "" if result.rho is None else f", ρ(γΠP) = {result.rho:.6g}"
    sizes = f"{count(problem.n_states, 'state')}, {count(problem.n_features, 'feature')}"
    asked = {"td": proof.td, "chain": proof.chain}
    if proof.middle is not None:
        asked["window"] = proof.middle.verdict
    window = proof.middle.window if proof.middle else None
    rows = [(subject(kind, window), word(kind, v.holds.json), v.reason) for kind, v in asked.items()]
    for text, outcome in proof.methods.items():
        rows.append((text, outcome.holds.pick("converges", "does not converge", "undecided"), outcome.reason))
    blocks: list[Block] = [
        prose(strong(problem.name), f"  {sizes}, γ = {problem.given.gamma}{rho}"),
        prose(),
        Lines(tuple(matrices(problem))),
        prose(),
        table(("<", "<", Column("", left=True, below=True)), rows),
    ]
    if proof.middle is not None:
        low, high = proof.middle.stable
        blocks.append(prose(f"at step size α = {proof.middle.step_size} stable for T = {low}..{high}"))
    blocks += [prose(), prose(f"Certified, and the certificates re-checked; {result.tried}")]
    return Page(tuple(blocks))


def matrices(problem: Problem) -> list[str]:
    """Φ, P_π and d_μ side by side, one line a state."""
    g = problem.given
    blocks = [("Φ", g.Phi.tolist()), ("P_π", g.P_pi.tolist()), ("d_μ", [[x] for x in g.d_mu.tolist()])]
    lines = [""] * (problem.n_states + 1)
    for name, rows in blocks:
        width = max(len(str(x)) for row in rows for x in row)
        texts = ["  ".join(f"{x!s:>{width}}" for x in row) for row in rows]
        texts = [name, *texts]
        wide = max(map(len, texts))
        lines = [line + "    " + text.ljust(wide) for line, text in zip(lines, texts, strict=True)]
    return [line.rstrip() for line in lines]
