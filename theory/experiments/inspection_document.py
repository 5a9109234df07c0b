"""The JSON of ``theory inspect``: nearest doubles for machines, and beside them what is certain, as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.certified.enclosed_spectra import EnclosedSpectrum
from theory.certified.verdicts import Verdict
from theory.experiments.inspection import Inspection, Known
from theory.problems.numbers import Array
from theory.text.numbers import decimal_ends, nearest_double

LISTED = 10_000  # states whose values are written out


def document(found: Inspection) -> dict[str, Any]:
    """The JSON of ``theory inspect``."""
    problem, network, few = found.problem, found.target_network, found.problem.n_states <= LISTED
    entries = {} if found.bounds is None else {"entries": problem.successors.nnz, "moment_bound": found.bounds.moments}
    limit = None if found.td_steps_note else found.td_steps.limit
    return {
        "problem": problem.name,
        "states": problem.n_states,
        "features": problem.n_features,
        "rank": found.rank,
        "gamma": problem.given.gamma,
        "exact": problem.is_exact,
        "quadrant": found.quadrant,
        **entries,
        "state_names": None if problem.is_large else problem.state_labels,
        "d_mu": problem.given.d_mu if few else None,
        "td": {
            "stable": found.td_known.holds.json,
            **_how(found.td_known),
            **_eigenvalues(found.td_spectrum, found.td_enclosed),
            "gamma_threshold": found.td_intervals.threshold.to_dict(),
            "stable_intervals": found.td_intervals.to_dict() | {"rechecked": found.thresholds_rechecked[0]},
            "max_step_size": limit if found.td_limit is None else nearest_double(found.td_limit),
            "max_step_size_bounds": None if found.td_limit is None else decimal_ends(found.td_limit),
            "max_step_size_reason": found.td_steps_note,
            "max_step_size_mean_square": found.mean_square[0].document,
        },
        "chain": {
            "unbiased": found.chain_known.holds.json,
            **_how(found.chain_known),
            "rho": float(np.abs(found.chain_spectrum).max(initial=0.0))
            if found.chain_enclosed is None
            else nearest_double(found.chain_enclosed.radius),
            "rho_bounds": None if found.chain_enclosed is None else decimal_ends(found.chain_enclosed.radius),
            **_eigenvalues(found.chain_spectrum, found.chain_enclosed),
            "gamma_threshold": found.chain_threshold.to_dict() | {"rechecked": found.thresholds_rechecked[1]},
            "max_step_size_mean_square": found.mean_square[1].document,
        },
        "target_network": {
            "window": network.window,
            "step_size": str(network.step_size),
            "rho": network.rho,
            "stable": network.verdict.holds.json,
            **_how(network.verdict),
        },
        "uniform_safety": {"safe": found.safe.holds.json, **_how(found.safe), "bound": found.safety},
        "remedy": None if found.remedy is None else found.remedy.to_dict(),
        "why": found.why.to_dict(() if problem.is_large else problem.state_labels),
        "fixed_points": {
            "theta_pi": found.target.theta,
            "theta_mu": found.behaviour.theta,
            "v_pi": found.v_pi if few else None,
            "v_mu": found.v_mu if few else None,
            "v_td": found.target.values if few else None,
            "v_td_mu": found.behaviour.values if few else None,
            **_point_bounds(found),
            "notes": [note for note in (found.target.note, found.behaviour.note, *found.notes) if note]
            + ([] if few else [f"values of more than {LISTED:,} states are not listed: theory.inspect has them"]),
        },
    }


def _point_bounds(found: Inspection) -> dict[str, Any]:
    if found.bounds is None:
        return {}
    gap = None if found.target.values is None else found.target.values - found.v_pi
    return {
        "theta_pi_bound": found.target.bound,
        "theta_mu_bound": found.behaviour.bound,
        "v_pi_bound": found.bounds.v_pi,
        "v_mu_bound": found.bounds.v_mu,
        "error": None if gap is None else float(np.sqrt(np.mean(gap * gap))),
    }


def _eigenvalues(spectrum: Array, enclosed: EnclosedSpectrum | None) -> dict[str, Any]:
    """The nearest doubles, and the balls that surely hold the eigenvalues; null where floats are all there is."""
    values = spectrum.tolist() if enclosed is None else enclosed.floats()
    balls = None
    if enclosed is not None:
        balls = [
            {"real": decimal_ends(v.ball.real), "imag": decimal_ends(v.ball.imag), "count": v.multiplicity}
            for v in enclosed.values
        ]
    return {"eigenvalues": [[z.real, z.imag] for z in values], "eigenvalue_bounds": balls}


def _how(known: Verdict | Known) -> dict[str, Any]:
    said = {name: getattr(known, name) for name in ("certified", "rechecked", "reason", "method")}
    if getattr(known, "carried_by", None) is None:
        return said
    assert isinstance(known, Known)
    proof = None if known.certificate is None else known.certificate.to_dict()
    return said | {"carried_by": known.carried_by, "certificate": proof}
