"""``theory inspect``: one problem on one screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import (
    Count,
    ExactNumber,
    check_picture,
    data_options,
    given_option,
    json_option,
    print_json,
    problem_argument,
    refuse_data_options,
    save_picture,
    set_option,
    wide_option,
)
from theory.text.progress import waiting

if TYPE_CHECKING:
    from theory.experiments.inspection import Inspection


@click.command("inspect")
@problem_argument
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@click.option("--step-size", type=ExactNumber(), help="Step size α of the target network.")
@click.option("--window", type=Count(1, 10**9), default=100, show_default=True, help="Updates per target network.")
@click.option("--exact", "insist", is_flag=True, help="Insist on exact thresholds in γ, however long they take.")
@click.option("--flips", is_flag=True, help="Also the smallest changes that cross a boundary.")
@click.option("--average-reward", is_flag=True, help="Also differential TD, and the η at which it is stable.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw it: .png, .svg or .pdf.")
@set_option
@click.option(
    "--coq",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.v",
    help="Write the verdicts on TD, the chain and a given --window as Coq theorems, checked where coqc is found.",
)
@click.option("--cold", is_flag=True, help="With --coq and --window: also where each target network starts anew.")
@click.option("--action-values", is_flag=True, help="Of pairs (s, a), each action with a copy of the features.")
@click.option("--estimated", is_flag=True, help="Of transitions between named states: inspect the estimated problem.")
@data_options
@wide_option
@json_option
def command(
    problem: str,
    gamma: Any,
    letters: str | None,
    step_size: Any,
    window: int,
    insist: bool,
    flips: bool,
    average_reward: bool,
    plot: Path | None,
    coq: Path | None,
    cold: bool,
    action_values: bool,
    estimated: bool,
    wide: bool,
    as_json: bool,
    **of_data: Any,
) -> None:
    """Verdicts with their certificates, thresholds in γ, spectra and fixed points of one problem."""
    from theory.experiments.inspection import inspect_problem
    from theory.experiments.inspection_document import document
    from theory.problems.sources import find_problem, is_data_set

    if is_data_set(problem) and not estimated:
        needy = {"--plot": plot, "--coq": coq, "--flips": flips, "--exact": insist, "--step-size": step_size}
        needy |= {"--action-values": action_values, "--average-reward": average_reward}
        for option, value in needy.items():
            if value:
                raise click.UsageError(f"{option} needs a problem: --estimated inspects the one that the data suggest")
        _recorded(problem, gamma, of_data, as_json)
        return
    recorded = estimated and is_data_set(problem)
    if not recorded:
        refuse_data_options(of_data)
    if plot is not None:
        check_picture(plot)
    if cold and (coq is None or not given_option("window")):
        raise click.UsageError("--cold needs --coq and --window: it adds a theorem about the target network")
    if coq is not None:
        from theory.commands.coq import require_file

        require_file(coq)
    with waiting("reading the problem") as progress:
        if recorded and letters is None:
            from theory.commands.recorded import estimated as estimated_problem

            given = estimated_problem(problem, gamma, of_data)
        else:
            given = find_problem(problem, gamma, letters)
        if action_values:
            given = given.action_values()
        for option, value in {"--plot": plot, "--coq": coq, "--flips": flips, "--exact": insist}.items():
            if value and given.is_large:
                raise click.UsageError(f"{option} needs a dense P, and {given.name} has {given.n_states:,} states")
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
        found.page().print(wide)
    if coq is not None and not as_json:
        from theory.commands.coq import verdict_line

        click.echo("\n" + verdict_line(result["coq"]))
    if flips:
        from theory.experiments.flips import nearest_flips

        with waiting("nearest flips") as progress:
            nearest = nearest_flips(found.problem, known=(found.chain_threshold, found.td_intervals), progress=progress)
        result["flips"] = [flip.to_dict() for flip in nearest]
        if not as_json:
            click.echo()
            nearest.page().print(wide)
    if average_reward:
        from theory.experiments.average_reward import average_reward as differential

        with waiting("average reward"):
            result["average_reward"] = (rewarded := differential(found.problem)).to_dict()
        if not as_json:
            click.echo()
            rewarded.page().print(wide)
    if plot is not None:
        result["plot"] = str(plot)
        if not as_json:
            click.echo(f"\nwrote {plot}")
    if as_json:
        print_json(result)


def _recorded(path: str, gamma: Any, given: dict[str, Any], as_json: bool) -> None:
    """Transitions: verdicts with their confidence."""
    from theory.commands.recorded import leave, reading

    with reading(path, gamma, given) as (found, say):
        found.passed()
        say("bootstrap")
        result = found.to_dict()
    if as_json:
        print_json(result)
    else:
        from theory.views.page import Page, hanging

        Page(tuple(hanging(str(found)))).print()
    leave(found)


def _draw(found: Inspection, step_size: Any, path: Path) -> None:
    from theory.experiments.inspection_plot import plot_data
    from theory.figures.live.inspection import plot_inspection

    save_picture(plot_inspection(plot_data(found.problem, step_size)), path)
