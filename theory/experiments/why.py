r"""Why is it unstable? The mode that grows, which states contribute to it and how much, and that in a sentence.

A right eigenvector u of A with left one l, lᴴu = 1, splits its eigenvalue over the states, as A is a sum over them:

    λ = Σ_s c_s,        c_s = d_s (lᴴφ_s) (w_s − γ(Pw)_s),        w = Φu.

Re c_s < 0 makes it grow, Re c_s > 0 damps it. Of the chain, with Bu = βu and B = γX⁻¹ΦᵀDPΦ,
β = Σ_s γ d_s (lᴴX⁻¹φ_s)(Pw)_s. Behind "not every choice of features is safe" stands one feature x with
xᵀD(I − γP)x ≤ 0, exactly.

The directions are in floats; whether it is unstable is certified elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from theory.certified.proofs import Witness
from theory.certified.verdicts import Verdict
from theory.model.linear_model import FloatModel, float_model
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray
from theory.text.words import listed

SHOWN = 4  # states named in a sentence


@dataclass(frozen=True, eq=False)
class Direction:
    """The eigenvector that decides: of TD that with the smallest Re λ, of the chain that with the largest |β|."""

    kind: str  # "td" or "chain"
    eigenvalue: complex
    features: Array  # (F,) complex: θ = u
    values: Array  # (S,) complex: Φu, its largest entry 1
    shares: FloatArray  # (S,) Re c_s of TD; of the chain the part of |β|
    sentence: str

    def to_dict(self, states: tuple[str, ...] | list[str]) -> dict[str, Any]:
        """For JSON."""
        named = sorted(zip(states, self.shares.tolist(), strict=True), key=lambda x: x[1], reverse=self.kind == "chain")
        return {
            "eigenvalue": [self.eigenvalue.real, self.eigenvalue.imag],
            "features": [[z.real, z.imag] for z in self.features.tolist()],
            "values": [[z.real, z.imag] for z in self.values.tolist()],
            "states": [{"state": name, "share": share} for name, share in named],
            "sentence": self.sentence,
        }


class Why(NamedTuple):
    """The directions that decide TD and the chain, and the feature behind "not safe", where there is one."""

    td: Direction | None
    chain: Direction | None
    unsafe: Array | None  # (S,), exact

    def to_dict(self, states: tuple[str, ...] | list[str]) -> dict[str, Any]:
        """For JSON."""
        td, chain = (None if d is None else d.to_dict(states) for d in (self.td, self.chain))
        reason = None if td is not None and chain is not None else "defective, or beyond double precision"
        return {"td": td, "chain": chain, "unsafe_feature": self.unsafe, "reason": reason}


def direction(problem: Problem, kind: str) -> Direction | None:
    """The direction that decides TD (``td``) or the chain (``chain``); None where floats cannot tell, or Φ = 0."""
    try:
        model = float_model(problem)
    except InvalidProblem:
        return None
    if model.rank == 0:
        return None
    with np.errstate(all="ignore"):  # what is not finite is no direction
        return _direction(problem, model, kind)


def _direction(problem: Problem, model: FloatModel, kind: str) -> Direction | None:
    ahead = problem.gamma * problem.P_pi @ model.Phi  # γPΦ
    try:
        whole = model.A if kind == "td" else problem.gamma * np.linalg.solve(model.X, model.Y)
        values, right = np.linalg.eig(whole)
        left = np.linalg.inv(right)  # its rows, with left·right = 1
        inverse = np.eye(model.rank) if kind == "td" else np.linalg.inv(model.X)
    except (np.linalg.LinAlgError, ValueError):
        return None
    i = int(values.real.argmin() if kind == "td" else np.abs(values).argmax())
    if values[i].imag < 0:  # of a pair the upper one
        i = int(np.abs(values - values[i].conjugate()).argmin())
    u, row = right[:, i].astype(complex), left[i].astype(complex)
    w = model.Phi @ u
    top = w[np.abs(w).argmax()]
    if not (np.isfinite(w).all() and abs(top) > 0 and np.linalg.norm(row) * np.linalg.norm(u) < 1e12):
        return None  # defective, or nearly
    u, w, row = u / top, w / top, row * top
    if kind == "td":
        parts = problem.d_mu * (model.Phi @ row) * (w - ahead @ u)
        shares = parts.real
    else:
        parts = problem.d_mu * (model.Phi @ inverse @ row) * (ahead @ u)
        shares = (parts * np.exp(-1j * np.angle(values[i]))).real
    if not np.isfinite(shares).all():
        return None
    found = Direction(kind, complex(values[i]), model.parameters(u), w, shares, "")
    return Direction(kind, found.eigenvalue, found.features, w, shares, _sentence(problem, found, ahead @ u))


def unsafe_feature(verdict: Verdict) -> Array | None:
    """The exact x behind "not safe"."""
    evidence = verdict.evidence
    if not verdict.refuted or not isinstance(evidence, Witness):
        return None
    x = evidence.x
    return x if x[np.abs(x.astype(float)).argmax()] > 0 else -x


def _sentence(problem: Problem, found: Direction, target: Array) -> str:
    """The mode, the states that contribute most to it, and how far the target of the first is from its value."""
    names, z, td = problem.state_labels, found.eigenvalue, found.kind == "td"
    fails = z.real < 0 if td else abs(z) > 1
    mode = f"{'Unstable' if fails else 'Slowest'}{' oscillating' if abs(z.imag) > 1e-9 * abs(z) else ''} mode"
    size = f"Re λ = {z.real:.3g}" if td else f"|β| = {abs(z):.3g}"
    parts = _rounded(-found.shares if td else found.shares)
    most = np.flatnonzero(parts == parts.max()).tolist()
    shown = [names[s] for s in most[:SHOWN]]
    more = [f"{len(most) - SHOWN} more"] if len(most) > SHOWN else []
    who = f"state {shown[0]} contributes" if len(most) == 1 else f"states {listed([*shown, *more], 'and')} contribute"
    each = " each" if len(most) > 1 else ""
    value = found.values[most[0]]
    ratio = f"{(target[most[0]] / value).real:.3g} times its value" if abs(value) > 1e-9 else "not 0 but its value is"
    share = f"{found.shares[most[0]]:.3g}{each}"
    return f"{mode}, {size}: {who} {share}; the target of state {shown[0]} is {ratio}."


def _rounded(values: FloatArray) -> FloatArray:
    """To nine digits of the largest, so that equals are equal on every machine and the first of them is named."""
    size = float(np.abs(values).max(initial=0.0))
    return np.round(values / size, 9) * size if size > 0 else values
