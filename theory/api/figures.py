"""The figures of the report."""

from __future__ import annotations

import base64
import os
from html import escape
from typing import TYPE_CHECKING

from theory.api.given import Number, Path
from theory.problems import InvalidProblem

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(
    name: str,
    problem: Path | None = None,
    *,
    over: str | None = None,
    letters: str | None = None,
    gamma: Number | None = None,
    profile: str = "quick",
    seed: int = 0,
) -> Figure:
    """Compute and draw one of the figures that ``theory figure`` writes.

    Parameters
    ----------
    name : str
        Such as ``"success-rate"``; ``theory figure --help`` lists them.
    problem : str or path, optional
        Only of ``"phase"``: a problem or a family in place of the paper's example.
    over : str, optional
        Only of ``"phase"``, and required with `problem`: the axes, ``"gamma,phi[1,1]"``, or letters of a family.
    letters : str, optional
        Only of ``"phase"``: values of a family's other letters, ``"x=2,p=3/4"``.
    gamma : number or str, optional
        Only of ``"phase"``: the discount, where it is not an axis.
    profile : {"quick", "full"}, default "quick"
        Sizes of the samples; ``"full"`` is as in the paper.
    seed : int, default 0
        Seed of everything that is drawn at random.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, not shown and not saved.

    Raises
    ------
    InvalidProblem
        There is no such figure or profile, or the figure is not one of a problem.

    See Also
    --------
    png : A figure as bytes.

    Examples
    --------
    >>> import theory
    >>> theory.figure("phase", "twostate-family", over="x,p", gamma="9/10").get_axes()[0].get_xlabel()
    'x'
    """
    from theory.figures import figure_spec
    from theory.figures._figure import PROFILES

    found = figure_spec(name)
    if profile not in PROFILES:
        raise InvalidProblem(f"no profile named {profile!r}; there are {', '.join(PROFILES)}", "profile")
    path = None if problem is None else os.fspath(problem)
    options = {"problem": path, "over": over, "letters": letters, "gamma": gamma}
    given = {key: value for key, value in options.items() if value is not None}
    if given:
        found = found.made_for(**given)
    return found.plot(found.result(profile, seed))


class Picture(bytes):
    """A PNG file that a notebook shows, with a text for those who cannot see it."""

    alt = ""

    def _repr_html_(self) -> str:
        data = base64.b64encode(self).decode()
        return f'<img src="data:image/png;base64,{data}" alt="{escape(self.alt)}" style="width:100%;max-width:1100px">'


def png(figure: Figure, dpi: int = 130, alt: str = "") -> Picture:
    r"""Render a figure for a page, on white ground.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any figure.
    dpi : int, default 130
        Dots per inch.
    alt : str, optional
        What it shows, in words.

    Returns
    -------
    bytes
        The PNG file; marimo and Jupyter show it.

    See Also
    --------
    figure : Draw a figure of the report.

    Examples
    --------
    >>> import theory
    >>> theory.png(theory.inspect("twostate").plot())[:4]
    b'\x89PNG'
    """
    import io

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor="white")
    made = Picture(buffer.getvalue())
    made.alt = alt
    return made
