r"""Exact phase diagrams over two parameters, bounded by algebraic curves.

`theory figure phase PROBLEM --over gamma,phi[1,1]` draws a problem's, γ against an entry of Φ; `--over x,p` a family's.
The shading is in floats on a grid; each piece of a curve has a certified verdict on either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from theory.derivation.notation import NAMES
from theory.derivation.plane import Plane, plane_of_family, plane_of_problem
from theory.figures._figure import BEYOND, EVERY, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import look, new_figure
from theory.problems import InvalidProblem
from theory.problems.sources import find_family, find_problem, letters_and_discount
from theory.views.colours import CHAIN_LINE, QUADRANTS, TD_LINE

FAILING = ("nothing fails", "only TD fails", "only the chain fails", "both fail")
WALLS: dict[str, dict[str, Any]] = {
    "td": {"color": TD_LINE, "linestyle": "-", "linewidth": 1.8},
    "chain": {"color": CHAIN_LINE, "linestyle": (0, (4, 2)), "linewidth": 1.8},
}
NAMED = {"td": "TD stable | unstable", "chain": "chain unbiased | biased"}


@dataclass(frozen=True)
class Settings:
    """Whose plane, over which two letters, the others' numbers, and the discount where it is not drawn."""

    problem: str = "finite-window"
    over: str = "gamma,phi[1,1]"
    letters: str | None = None
    gamma: Any = None

    @property
    def options(self) -> str:
        """As typed behind ``theory figure phase``."""
        more = f" --set {self.letters}" if self.letters else ""
        return f"{self.problem} --over {self.over}{more}" + (f" --gamma {self.gamma}" if self.gamma is not None else "")


def compute(c: Settings, seed: int = 0, work: Work | None = None) -> Data:
    """Quadrants on a grid, and the curves."""
    plane = _plane(c)
    x, y, quadrant = plane.shading()
    return {
        "problem": c.problem,
        "options": c.options,
        "over": list(plane.names),
        "fixed": {name: str(value) for name, value in plane.fixed.items()},
        "here": _here(c, plane),
        "window": [[float(end) for end in ends] for ends in plane.window],
        "x": x.tolist(),
        "y": y.tolist(),
        "quadrant": quadrant.tolist(),
        "curves": [
            {"side": k.side, "below": k.below, "above": k.above, "x": k.x.tolist(), "y": k.y.tolist()}
            for k in plane.curves()
        ],
    }


def _plane(c: Settings) -> Plane:
    names = [name.strip() for name in _split(c.over)]
    if len(names) != 2:
        raise InvalidProblem(f"a plane has two letters, got {c.over!r}", "over")
    family, over = find_family(c.problem), (names[0], names[1])
    if family is not None:
        values, gamma = letters_and_discount(c.letters, c.gamma)
        return plane_of_family(family, over, values, gamma)
    return plane_of_problem(find_problem(c.problem, c.gamma, c.letters), over)


def _here(c: Settings, plane: Plane) -> list[float] | None:
    """Where a problem itself is in its plane; a family is nowhere in particular."""
    if find_family(c.problem) is not None:
        return None
    problem = find_problem(c.problem, c.gamma, c.letters)

    def value(name: str) -> float:
        if not name.startswith("phi["):
            return float(problem.gamma)
        state, feature = (int(x) for x in name[4:-1].split(","))
        return float(problem.Phi[state - 1, feature - 1])

    return [value(name) for name in plane.names]


def _split(text: str) -> list[str]:
    """At commas that are not within brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def rows(result: Data) -> list[Row]:
    """For CSV: the points of the curves."""
    first, second = result["over"]
    return [
        {"curve": i, "of": c["side"], first: x, second: y, "holds_below": c["below"], "holds_above": c["above"]}
        for i, c in enumerate(result["curves"])
        for x, y in zip(c["x"], c["y"], strict=True)
    ]


def plot(result: Data) -> Figure:
    """The plane: shaded regions, TD's boundary solid, the chain's dashed."""
    (a, b), (low, high) = result["window"]
    with look():
        figure, (axes,) = new_figure(width=6.4, height=4.6)
        axes.imshow(
            np.array(result["quadrant"]), origin="lower", extent=(a, b, low, high), aspect="auto", vmin=0, vmax=3,
            cmap=ListedColormap(QUADRANTS), interpolation="nearest",
        )  # fmt: skip
        for side in ("td", "chain"):
            for c in result["curves"]:
                if c["side"] == side:
                    axes.plot(c["x"], c["y"], **WALLS[side])
        seen = sorted({q for row in result["quadrant"] for q in row})
        handles: list[Any] = [
            Patch(facecolor=QUADRANTS[q], edgecolor="#999999", linewidth=0.6, label=FAILING[q]) for q in seen
        ]
        sides = [side for side in WALLS if any(c["side"] == side for c in result["curves"])]
        handles += [Line2D([], [], label=NAMED[side], **WALLS[side]) for side in sides]
        if result["here"] is not None:
            cross: dict[str, Any] = {
                "marker": "+",
                "markersize": 11,
                "markeredgewidth": 2,
                "color": "black",
                "linestyle": "none",
            }
            axes.plot(*([x] for x in result["here"]), clip_on=False, zorder=5, **cross)
            handles.append(Line2D([], [], label="this problem", **cross))
        at = ", ".join(f"{NAMES.get(name, name)} = {value}" for name, value in result["fixed"].items())
        name = result["problem"].partition(":")[0].replace("$", r"\$")
        axes.set(
            title=f"{name}{f' at {at}' if at else ''}: stability regions",
            xlabel=_letter(result["over"][0]),
            ylabel=_letter(result["over"][1]),
            xlim=(a, b),
            ylim=(low, high),
        )
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure


def _letter(name: str) -> str:
    if not name.startswith("phi["):
        return NAMES.get(name, name)
    state, feature = name[4:-1].split(",")
    return f"feature {feature} of state {state}"


def caption(result: Data) -> Caption:
    """What is drawn, and how much of it is which."""
    share = np.array(result["quadrant"])
    shares = ", ".join(f"{words} {100 * np.mean(share == q):.0f} %" for q, words in enumerate(FAILING))
    return Caption(
        f"Stability regions of {result['problem']} over {' and '.join(map(_letter, result['over']))}: bounded by "
        "algebraic curves, traced between cells whose verdicts are certified; the shading is in floats.",
        f"A plane in four shades with curves between them: {shares}.",
        f"{len(result['curves'])} certified pieces of curves, no sampling",
    )


FIGURE = FigureSpec(
    title="Exact phase diagram",
    section=BEYOND,
    sizes={EVERY: Settings()},
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(9, 9),
    of=Settings,
)
