r"""Why is it unstable? The direction that grows, which states feed it and by how much, and a sentence to repeat.

A right eigenvector u of A with left one l, lᴴu = 1, splits its eigenvalue over the states, as A is a sum over them:

    λ = Σ_s c_s,        c_s = d_s (lᴴφ_s) (w_s − γ(Pw)_s),        w = Φu.

Re c_s < 0 feeds the growth, Re c_s > 0 damps it. Of the chain, with Bu = βu and B = γX⁻¹ΦᵀDPΦ,
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
    """What a person can repeat."""
    names, z, w = problem.state_labels, found.eigenvalue, found.values
    turning = " while it turns" if abs(z.imag) > 1e-9 * abs(z) else ""
    shape = ", ".join(f"{w[s].real:.3g} at {names[s]}" for s in np.argsort(-_rounded(np.abs(w)), kind="stable")[:SHOWN])
    more = ", …" if len(w) > SHOWN else ""
    feeding = _rounded(-found.shares if found.kind == "td" else found.shares)
    worst = int(feeding.argmax())
    equal = int((feeding == feeding[worst]).sum()) - 1
    others = f" (and {equal} more as much)" if equal and feeding[worst] > 0 else ""
    ratio = (target[worst] / w[worst]).real if abs(w[worst]) > 1e-9 else np.inf
    asked = f"{ratio:.3g} times its own value" if np.isfinite(ratio) else "a value although it has none"
    if found.kind == "td":
        verb, who = "grows" if z.real < 0 else "shrinks slowest", "TD's error"
        part = f"{found.shares[worst]:+.3g} of Re λ = {z.real:.3g}"
        told = f"it is visited with d = {problem.d_mu[worst]:.3g} and told to move to {asked}: {part}"
    else:
        verb, who = "grows" if abs(z) > 1 else "shrinks slowest", "each head's bias"
        told = f"it passes on {asked}: {found.shares[worst]:.3g} of |β| = {abs(z):.3g}"
    return f"Along the values {shape}{more} {who} {verb}{turning}; state {names[worst]} feeds it most{others}: {told}."


def _rounded(values: FloatArray) -> FloatArray:
    """To nine digits of the largest, so that equals are equal on every machine and the first of them is named."""
    size = float(np.abs(values).max(initial=0.0))
    return np.round(values / size, 9) * size if size > 0 else values
