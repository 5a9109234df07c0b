"""A problem's states on a circle: how one moves between them, and what each adds to a growth, drawn on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from theory.explorer.svg import GREY, Axis, Chart
from theory.views.colours import BAD, GOOD

if TYPE_CHECKING:
    import networkx as nx

Places = dict[int, tuple[float, float]]


def plot_graph(graph: nx.DiGraph, policy: str, alt: str) -> str:
    """Moves of one policy: thicker is likelier; a state's size is how often the behaviour visits it."""
    title = "Moves of π, the target" if policy == "pi" else "Moves of μ, the behaviour"
    visits = {s: min(22.0, 9 + 30 * math.sqrt(graph.nodes[s]["d_mu"])) for s in graph}
    chart, place, radius = _moves(graph, policy, title, visits)
    for s, (x, y) in place.items():
        chart.raw(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius[s]:.1f}" fill="#cfe8f7" stroke="{GOOD}"/>'
            + _label(x, y + 4, str(graph.nodes[s]["label"]))
        )
    return chart.svg(alt)


def plot_shares(graph: nx.DiGraph, feeds: Sequence[float], values: Sequence[str], title: str, alt: str) -> str:
    """What each state adds, on the target's moves: larger adds more, squares feed the growth and discs damp it.

    Beside a state stands its value in the direction that decides; small grey discs add nothing.
    """
    top = max((abs(x) for x in feeds), default=0.0) or 1.0
    size = {s: 7 + 15 * math.sqrt(abs(feeds[s]) / top) for s in graph}
    chart, place, radius = _moves(graph, "pi", title, size, 2.1)
    for s, (x, y) in place.items():
        r, side = radius[s], (feeds[s] > 0) - (feeds[s] < 0)
        fill = (GREY, BAD, GOOD)[side]
        shape = (
            f'rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}"'
            if side > 0
            else f'circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"'
        )
        kind, label = "rect" if side > 0 else "circle", str(graph.nodes[s]["label"])
        does = ("adds nothing", f"feeds the growth, {feeds[s]:.3g}", f"damps the growth, {-feeds[s]:.3g}")[side]
        told = escape(f"state {label} {does}; value {values[s]}")
        ink = "#ffffff" if side > 0 else "#10202c"
        chart.raw(
            f'<{shape} fill="{fill}" fill-opacity="0.9" stroke="currentColor"><title>{told}</title></{kind}>'
            + _label(x, y + 4, label, ink)
            + _beside(s, len(graph), x, y, r, values[s])
        )
    return chart.svg(alt)


def _beside(s: int, n: int, x: float, y: float, r: float, text: str) -> str:
    """A text outside of the circle of states."""
    across, up = _on_circle(s, n) if n > 1 else (0.0, 1.0)
    if abs(across) > 0.35:
        anchor, x = ("start", x + r + 5) if across > 0 else ("end", x - r - 5)
        y += 4
    else:
        anchor, y = "middle", y - r - 6 if up > 0 else y + r + 15
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'


def _moves(
    graph: nx.DiGraph, policy: str, title: str, size: dict[int, float], wide: float = 1.5
) -> tuple[Chart, Places, dict[int, float]]:
    """Where states stand, how large they are, and the arrows between them."""
    across, down = Axis("", -wide, wide), Axis("", -1.5, 1.5)
    chart = Chart(title, across, down, width=round(280 * wide), height=420, frame=False, left=10)
    place = {s: chart.pixel(*_on_circle(s, len(graph))) for s in graph}
    radius = {s: r * (1 if len(graph) <= 16 else 0.5) for s, r in size.items()}
    centre = chart.pixel(0, 0)
    for s, t, data in graph.edges(data=True):
        if data[policy]:
            chart.raw(_arrow(place[s], place[t], radius[s], radius[t], centre, data[policy]))
    return chart, place, radius


def _label(x: float, y: float, label: str, ink: str = "#10202c") -> str:
    shown = label if len(label) <= 6 else f"{label[:5]}…"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" fill="{ink}">{escape(shown)}</text>'


def _on_circle(s: int, n: int) -> tuple[float, float]:
    if n == 1:
        return 0.0, 0.0
    angle = math.pi / 2 - 2 * math.pi * s / n
    return math.cos(angle), math.sin(angle)


def _arrow(
    a: tuple[float, float], b: tuple[float, float], ra: float, rb: float, centre: tuple[float, float], p: float
) -> str:
    style = f'stroke="currentColor" stroke-opacity="{0.3 + 0.7 * p:.2f}" stroke-width="{0.6 + 1.8 * p:.2f}" fill="none"'
    if a == b:
        x, y = a[0] - centre[0], a[1] - centre[1]
        size = math.hypot(x, y)
        ux, uy = (x / size, y / size) if size > 1 else (0.0, -1.0)
        cx, cy = a[0] + ux * (ra + 9), a[1] + uy * (ra + 9)
        return f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="11" {style}/>'
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    # The way back bends to the other side.
    mx, my = (a[0] + b[0]) / 2 - uy * 0.13 * length, (a[1] + b[1]) / 2 + ux * 0.13 * length
    end_x, end_y = b[0] - mx, b[1] - my
    far = math.hypot(end_x, end_y)
    vx, vy = end_x / far, end_y / far
    tx, ty = b[0] - vx * (rb + 1), b[1] - vy * (rb + 1)
    hx, hy = tx - vx * 7, ty - vy * 7
    head = f"M{tx:.1f} {ty:.1f}L{hx - vy * 3.5:.1f} {hy + vx * 3.5:.1f}L{hx + vy * 3.5:.1f} {hy - vx * 3.5:.1f}Z"
    return (
        f'<path d="M{a[0]:.1f} {a[1]:.1f}Q{mx:.1f} {my:.1f} {hx:.1f} {hy:.1f}" {style}/>'
        f'<path d="{head}" fill="currentColor" fill-opacity="{0.3 + 0.7 * p:.2f}"/>'
    )
