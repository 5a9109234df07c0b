"""`theory derive PROBLEM`: closed forms in γ and k, checked against Richardson iteration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.chain import read_start
from theory.commands.common import (
    Count,
    ExactNumber,
    check_picture,
    json_option,
    print_json,
    problem_argument,
    save_picture,
    set_option,
    wide_option,
)
from theory.text.progress import waiting

if TYPE_CHECKING:
    from theory.problems.formulas import Family


@click.command("derive")
@problem_argument
@click.option("--gamma", type=ExactNumber(), help="The discount at which forms and iteration are compared.")
@click.option("--k", type=Count(0, 64), default=4, show_default=True, help="The head that is compared.")
@click.option(
    "--start",
    default="zero",
    show_default=True,
    metavar="zero|behaviour|a,b,…",
    help="θ⁰: zero, the behaviour's fixed point θ_μ, or one number per feature.",
)
@click.option("--heads", type=Count(0, 8), default=2, show_default=True, help="M is written for the heads 0..K.")
@click.option("--window", type=Count(1, 10_000), default=100, show_default=True, help="T of G_T.")
@click.option("--step-size", type=ExactNumber(), help="Step size of the iterations; by default the fastest admitted.")
@click.option("--steps", type=Count(1, 100_000), help="Steps of each iteration; by default until ten digits are right.")
@click.option("--over", metavar="x,p", help="Of a family: cut one or two letters, gamma among them, into cells.")
@click.option(
    "--points", type=Count(1, 100_000), default=40, show_default=True, help="Of a family: random members to check."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Where those come from.")
@set_option
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the iterations: .png, .svg, .pdf.")
@click.option("--latex", "as_latex", is_flag=True, help="Print LaTeX.")
@wide_option
@json_option
def command(
    problem: str,
    gamma: Any,
    k: int,
    start: str,
    heads: int,
    window: int,
    step_size: Any,
    steps: int | None,
    over: str | None,
    points: int,
    seed: int,
    letters: str | None,
    plot: Path | None,
    as_latex: bool,
    wide: bool,
    as_json: bool,
) -> None:
    """Closed forms of one problem with γ and k kept as letters.

    X, Y, A(γ), θ_π(γ), θ_μ(γ), the spectra, θᵏ(γ, k), its bias and values, M, M⁻¹, G_T and the thresholds; then each
    form's number at the problem's γ beside the expected updates that should arrive there. Exit code 1 where one does
    not. A family, a file that declares letters or one of `theory list`, gives the same with the letters kept, and the
    conditions under which TD is stable and the chain unbiased, checked by certified verdicts at random points; with
    --set it is an ordinary problem.
    """
    from theory.derivation.derive import derive
    from theory.problems.sources import find_family, find_problem, letters_and_discount

    if plot is not None:
        check_picture(plot)
    family = find_family(problem)
    if family is not None and (over is not None or letters is None):
        if plot is not None:
            raise click.BadParameter("a family's iterations are its members': give --set", param_hint="--plot")
        values, gamma = letters_and_discount(letters, gamma)
        _family(family, over, values, gamma, (points, seed), (as_latex, as_json))
        return
    if over is not None:
        raise click.BadParameter("a problem without letters has nothing to cut", param_hint="--over")
    found = find_problem(problem, gamma, letters)
    first = start if start in ("zero", "behaviour") else read_start(start, found.n_features)
    with waiting(f"closed forms of {found.name}"):
        result = derive(found, k=k, start=first, heads=heads, window=window, step_size=step_size, steps=steps)
        document = result.to_dict() if as_json else None
    if plot is not None:  # before the page: a picture that cannot be written is an error, not half an answer
        with waiting("drawing"):
            save_picture(result.plot(), plot)
    if document is not None:
        print_json(document | ({} if plot is None else {"plot": str(plot)}))
    elif as_latex:
        _latex(result.latex())
    else:
        result.page().print(wide)
        if plot is not None:
            click.echo(f"\nwrote {plot}")
    click.get_current_context().exit(0 if result.ok else 1)


def _latex(forms: dict[str, str]) -> None:
    for name, text in forms.items():
        said = "" if name.startswith(("td_", "chain_")) else f"{LATEX.get(name, name)} = "
        click.echo(f"% {name}\n\\[ {said}{text} \\]\n")


def _family(
    family: Family,
    over: str | None,
    values: dict[str, Any],
    gamma: Any,
    drawn: tuple[int, int],
    shape: tuple[bool, bool],
) -> None:
    from theory.derivation.families import derive_family

    names = tuple(name.strip() for name in over.split(",")) if over else ()
    (points, seed), (as_latex, as_json) = drawn, shape
    with waiting(f"closed forms of {family.name}"):
        result = derive_family(family, names, values, gamma, points=points, seed=seed)
        document = result.to_dict() if as_json else None
    if document is not None:
        print_json(document)
    elif as_latex:
        _latex(result.latex())
    else:
        result.page().print()
    click.get_current_context().exit(0 if result.ok else 1)


LATEX = {
    "A": "A(\\gamma)",
    "A_mu": "A_\\mu(\\gamma)",
    "R": "X^{-1}Y",
    "theta_0": "\\theta^0",
    "theta_pi": "\\theta_\\pi(\\gamma)",
    "theta_mu": "\\theta_\\mu(\\gamma)",
    "theta_k": "\\theta^k_*",
    "bias": "\\theta^k_* - \\theta_\\pi",
    "values": "v^k",
    "v_pi": "v_\\pi(\\gamma)",
    "value_error": "v^k - v_\\pi",
    "M_inverse": "M^{-1}",
}
