"""``theory inspect``: one problem on one screen."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import (
    Count,
    ExactNumber,
    check_picture,
    given_option,
    json_option,
    print_json,
    problem_argument,
    save_picture,
    set_option,
)
from theory.text.progress import waiting
from theory.text.words import count

if TYPE_CHECKING:
    from theory.certified.enclosed_spectra import EnclosedSpectrum
    from theory.certified.verdicts import Verdict
    from theory.experiments.inspection import Inspection, Known
    from theory.linear.spectra import Spectrum
    from theory.noise.affordable import Affordable
    from theory.thresholds.discounts import Threshold

_RULER, _SHORTEST_RULER = 60, 10  # columns of the γ ruler


@click.command("inspect")
@problem_argument
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@click.option("--step-size", type=ExactNumber(), help="Step size α of the target network.")
@click.option("--window", type=Count(1, 10**9), default=100, show_default=True, help="Updates per target network.")
@click.option("--exact", "insist", is_flag=True, help="Insist on exact thresholds in γ, however long they take.")
@click.option("--flips", is_flag=True, help="Also the smallest changes that cross a boundary.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw it: .png, .svg or .pdf.")
@set_option
@click.option(
    "--coq",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.v",
    help="Write the verdicts on TD, the chain and a given --window as Coq theorems, checked where coqc is found.",
)
@click.option("--cold", is_flag=True, help="With --coq and --window: also where each target network starts anew.")
@click.option("--estimated", is_flag=True, help="Of transitions between named states: inspect the estimated problem.")
@json_option
def command(
    problem: str,
    gamma: Any,
    letters: str | None,
    step_size: Any,
    window: int,
    insist: bool,
    flips: bool,
    plot: Path | None,
    coq: Path | None,
    cold: bool,
    estimated: bool,
    as_json: bool,
) -> None:
    """Verdicts with their certificates, thresholds in γ, spectra and fixed points of one problem."""
    from theory.experiments.inspection import inspect_problem
    from theory.experiments.inspection_document import document
    from theory.problems.sources import find_problem, is_data_set

    if is_data_set(problem) and not estimated:
        needy = {"--plot": plot, "--coq": coq, "--flips": flips, "--exact": insist, "--step-size": step_size}
        for option, value in needy.items():
            if value:
                raise click.UsageError(f"{option} needs a problem: --estimated inspects the one that the data suggest")
        _recorded(problem, gamma, as_json)
        return
    if plot is not None:
        check_picture(plot)
    if cold and (coq is None or not given_option("window")):
        raise click.UsageError("--cold needs --coq and --window: it adds a theorem about the target network")
    if coq is not None:
        from theory.commands.coq import require_file

        require_file(coq)
    with waiting("reading the problem") as progress:
        given = find_problem(problem, gamma, letters)
        if given.is_large:
            from theory.commands.large import inspect_command

            needy = {"--plot": plot, "--coq": coq, "--flips": flips, "--exact": insist}
            inspect_command(given, needy, step_size, window, progress, as_json)
            return
        found = inspect_problem(given, step_size, window, progress, insist)
    result = document(found)
    if plot is not None:  # before the page: a picture that cannot be written is an error, not half an answer
        with waiting("picture"):
            _draw(found, step_size, plot)
    if coq is not None:
        from theory.commands.coq import write_verdicts

        with waiting("Coq"):
            asked = [found.target_network.verdict] if given_option("window") else []
            if cold:
                from theory.certified.verdicts import window_stable

                network = found.target_network
                asked.append(window_stable(found.problem, network.window, network.step_size, "cold"))
            result["coq"] = write_verdicts([found.td, found.chain, *asked], coq)
    if not as_json:
        _screen(found)
    if coq is not None and not as_json:
        from theory.commands.coq import verdict_line

        click.echo("\n" + verdict_line(result["coq"]))
    if flips:
        from theory.commands.flips import flip_lines
        from theory.experiments.flips import nearest_flips, scope

        with waiting("nearest flips") as progress:
            nearest = nearest_flips(found.problem, known=(found.chain_threshold, found.td_intervals), progress=progress)
        result["flips"] = [flip.to_dict() for flip in nearest]
        if not as_json:
            click.echo("\n" + "\n".join(flip_lines(nearest, scope(found.problem), found.problem.state_labels)))
    if plot is not None:
        result["plot"] = str(plot)
        if not as_json:
            click.echo(f"\nwrote {plot}")
    if as_json:
        print_json(result)


def _recorded(path: str, gamma: Any, as_json: bool) -> None:
    """Transitions: verdicts with their confidence."""
    from theory.data.inspect import open_data

    found = open_data(path, gamma)
    with waiting("bootstrap"):
        result = found.to_dict()
    if as_json:
        print_json(result)
    else:
        click.echo(str(found))


def _draw(found: Inspection, step_size: Any, path: Path) -> None:
    from theory.exhibits.live.inspection import plot_inspection
    from theory.experiments.inspection_plot import plot_data

    save_picture(plot_inspection(plot_data(found.problem, step_size)), path)


def _screen(found: Inspection) -> None:
    from rich.console import Console
    from rich.markup import escape

    from theory.problems.numbers import show_number

    console = Console(highlight=False)
    problem = found.problem
    kind = "exact" if problem.is_exact else "floats as given"
    rank = f" of rank {found.rank}" if found.rank < problem.n_features else ""
    console.print(
        f"[bold]{escape(problem.name)}[/bold]  {count(problem.n_states, 'state')}, "
        f"{count(problem.n_features, 'feature')}{rank}, γ = {show_number(problem.given.gamma)} ({kind})\n",
        soft_wrap=True,
    )
    _verdicts(console, found)
    _ruler(console, found)
    _spectra(console, found)
    _values(console, found)


def _verdicts(console: Any, found: Inspection) -> None:
    from theory.text.numbers import short_text, significant
    from theory.text.words import subject, word

    network = found.target_network
    asked: dict[str, Verdict | Known] = {
        "td": found.td_known,
        "chain": found.chain_known,
        "window": network.verdict,
        "uniform": found.safe,
    }
    names = {kind: subject(kind, network.window) for kind in asked}
    widest = max(25, *map(len, names.values()))
    for kind, verdict in asked.items():
        said, colour = word(kind, verdict.holds.json), verdict.holds.pick("green", "red", "yellow")
        proof = f"{verdict.reason} [dim]({verdict.how})[/dim]"
        console.print(f"{names[kind]:<{widest}} [{colour}]{said:<9}[/{colour}] {proof}", soft_wrap=True)
    steps = found.td_steps_note
    if found.td_limit is not None:
        steps = f"TD converges for 0 < α < {significant(found.td_limit, 6)}"
    elif steps is None:
        steps = f"TD converges for 0 < α < {found.td_steps.limit:.6g} (floats, not certified)"
    alpha = short_text(Fraction(network.step_size), longest=24)
    console.print(f"[dim]{steps}; target network at α = {alpha}[/dim]", soft_wrap=True)
    console.print(f"[dim]{_in_mean_square(found)}[/dim]\n", soft_wrap=True)
    _why(console, found)


def _in_mean_square(found: Inspection) -> str:
    """Sampled learners need smaller steps than expected updates."""
    said = []
    for who, limit in zip(("TD", "the chain's heads"), found.mean_square, strict=True):
        if limit.reason is not None:
            said.append(f"{who}: {limit.reason}")
        elif limit.value == 0:
            said.append(f"{who}: no step size")
        else:
            said.append(f"{who}: " + ("every α" if limit.value is None else f"α < {_short_limit(limit)}"))
    return "sampled, bounded in mean square: " + "; ".join(said)


def _short_limit(limit: Affordable) -> str:
    exact = limit.exact or ""
    return f"{exact} ≈ {limit}" if "root of" not in exact and len(exact) <= 24 else str(limit)


def _why(console: Any, found: Inspection) -> None:
    """What fails, why, in a sentence each."""
    from rich.markup import escape

    from theory.certified.answers import NO
    from theory.text.numbers import value_text

    asked = (("TD", found.td_known, found.why.td), ("the chain", found.chain_known, found.why.chain))
    said = [f"[bold]Why {who} fails:[/bold] {escape(d.sentence)}" for who, known, d in asked if d and known.holds == NO]
    if found.why.unsafe is not None and len(found.why.unsafe) <= 12:
        x = ", ".join(value_text(v) for v in found.why.unsafe)
        said.append(
            f"[bold]Why not every Φ is safe:[/bold] the one feature ({x}) makes TD unstable and the chain biased."
        )
    for line in said:
        console.print(line, soft_wrap=True)
    if said:
        console.print("[dim]directions and shares in floats; the verdicts are certified[/dim]\n", soft_wrap=True)


def _ruler(console: Any, found: Inspection) -> None:
    """γ from 0 to 1: where TD is stable and where the chain is unbiased, with the exact ends below."""
    from theory.thresholds.results import certified_part, is_wide, stable_text, unbiased_text, unknown_text

    columns = max(_SHORTEST_RULER, min(_RULER, console.width - 12))
    here = min(columns - 1, int(found.problem.gamma * columns))
    scale = ["0", *" " * (columns - 2), "1"]
    scale[here] = "▼"
    chain, td = found.chain_threshold, found.td_intervals
    rows = {
        "TD stable": ([interval.certified for interval in td.intervals], td.unknown),
        "unbiased": certified_part(chain),
    }
    console.print(f"{'γ':>10}  " + "".join(scale), soft_wrap=True)
    for name, (yes, unknown) in rows.items():
        cells = (Fraction(2 * i + 1, 2 * columns) for i in range(columns))
        marks = ("█" if _within(x, yes) else "?" if _within(x, unknown) else "·" for x in cells)
        console.print(f"{name:>10}  " + "".join(marks), soft_wrap=True)
    console.print(f"TD is stable for γ in {stable_text(td, end_text)}", soft_wrap=True)
    notes = [note for note in (td.reason, unknown_text(td)) if note is not None]
    if notes:
        console.print(f"[dim]  {'; '.join(notes)}{_go_on(is_wide(td))}[/dim]", soft_wrap=True)
    console.print(f"The chain is unbiased for {unbiased_text(chain, end_text)}", soft_wrap=True)
    if chain.exact is None and chain.reason is not None:
        stopped = chain.high is None and chain.low is not None and chain.low < 1
        console.print(f"[dim]  {chain.reason}{_go_on(stopped)}[/dim]", soft_wrap=True)
    if found.problem.gamma == 1:
        console.print("[dim]  the intervals are of γ < 1; the verdicts above are at γ = 1[/dim]", soft_wrap=True)
    console.print()


def _within(x: Fraction, stretches: Any) -> bool:
    return any(int(low.p) <= x * int(low.q) and x * int(high.q) < int(high.p) for low, high in stretches)


def _go_on(unknown: bool) -> str:
    return "; to go on: --exact" if unknown else ""


def end_text(end: Threshold) -> str:
    """As exact as fits into a line."""
    from theory.thresholds.results import bracket_text

    if end.exact is None:
        return bracket_text(end)
    text = str(end.exact)
    if end.exact.degree == 1 and len(text) <= 24:
        return text if end.exact in (0, 1) else f"{text} ≈ {end.value:.6g}"
    return f"{text} ≈ {end.value:.6g}" if len(text) <= 40 else f"{end.value:.12g}"


def _spectra(console: Any, found: Inspection) -> None:
    spectra = (("λ(A)", found.td_enclosed, found.td_spectrum), ("λ(γΠP)", found.chain_enclosed, found.chain_spectrum))
    for name, enclosed, spectrum in spectra:
        counts = _floats(spectrum) if enclosed is None else _balls(enclosed, name != "λ(A)")
        shown = [text + (f" (×{n})" if n > 1 else "") for text, n in counts.items()]
        rest = f"  … {len(shown)} different" if len(shown) > 6 else ""
        how = "" if enclosed is not None else "  [dim](floats, not certified)[/dim]"
        console.print(f"{name:>10}  {'  '.join(shown[:6]) or 'none'}{rest}{how}", soft_wrap=True)
    console.print()


def _balls(enclosed: EnclosedSpectrum, around_one: bool) -> Counter[str]:
    """Certified digits; what agrees in those shown is shown once."""
    from theory.text.numbers import complex_text

    counts: Counter[str] = Counter()
    for value in enclosed.values:
        counts[complex_text(value.ball, around_one=around_one)] += value.multiplicity
    return counts


def _floats(spectrum: Spectrum) -> Counter[str]:
    """Repeated eigenvalues come out of floats a little apart: what agrees to six digits is shown once."""

    errors = spectrum.error.tolist()
    values = spectrum.eigenvalues.tolist()
    return Counter(_complex(z, spectrum.radius, e) for z, e in zip(values, errors, strict=True))


def _values(console: Any, found: Inspection) -> None:
    from rich.markup import escape

    from theory.text.numbers import value_text
    from theory.text.tables import print_table

    problem = found.problem
    columns = (problem.given.d_mu, found.v_pi, found.target.values, found.v_mu, found.behaviour.values)
    rows = [
        (escape(label), *("–" if column is None else value_text(column[s]) for column in columns))
        for s, label in enumerate(problem.state_labels[:12])
    ]
    print_table(console, ("state", "d_μ", "v_π", "Φθ_π", "v_μ", "Φθ_μ"), rows)
    if problem.n_states > len(rows):
        console.print(f"… {problem.n_states} states in all; --json prints every one")
    for name, point in (("θ_π", found.target), ("θ_μ", found.behaviour)):
        if point.theta is not None:
            shown = ", ".join(value_text(x) for x in point.theta[:12]) + (", …" if len(point.theta) > 12 else "")
            console.print(f"{name} = ({shown})" + (f"  [dim]{point.note}[/dim]" if point.note else ""), soft_wrap=True)
        else:
            console.print(f"{name}: {point.note}", soft_wrap=True)
    for note in found.notes:
        console.print(f"[dim]{note}[/dim]", soft_wrap=True)


def _complex(z: complex, radius: float, error: float) -> str:
    """Six digits, where floats are sure of one; a bound where they cannot tell the number from zero."""
    smallest = max(1e-12 * radius, error)
    if z == 0 and error == 0:
        return "0"
    if abs(z) <= smallest:
        return f"|·| ≤ {abs(z) + error:.2g}" if error > 1e-9 * radius else "0"
    if abs(z.imag) <= smallest:
        return f"{z.real:.6g}"
    return f"{z.real:.6g}±{abs(z.imag):.6g}i"
