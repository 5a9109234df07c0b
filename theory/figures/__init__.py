"""The figures, one file each: what is computed, the rows of the CSV, the plot, the caption, the title and the sizes.

A module of this folder whose name has no underscore in front is a figure: it ends in ``FIGURE = FigureSpec(…)``, and
its name with hyphens is the figure's. That is the whole registration: ``theory figure``, ``theory report`` and the
tests find it by its file. ``compute`` makes plain data, ``rows``, ``plot`` and ``caption`` only show them.

- `_figure`: what a figure is, and which there are; `_style`: one look, one way to write
- `_random_problems`, `_curves`: what several figures share
- `live`: pictures of what a user brings, a problem or a run
"""

from theory.figures._figure import Caption, FigureSpec, family, figure_spec, figure_specs, names

__all__ = ["Caption", "FigureSpec", "family", "figure_spec", "figure_specs", "names"]
