"""The figures, one file each: what is computed, the rows of the CSV, the plot, the caption, the title and the sizes.

A module of this folder whose name has no underscore in front is an exhibit: it ends in ``EXHIBIT = Exhibit(…)``, and
its name with hyphens is the figure's. That is the whole registration: ``theory figure``, ``theory report`` and the
tests find it by its file. ``compute`` makes plain data, ``rows``, ``plot`` and ``caption`` only show them.

- `_exhibit`: what an exhibit is, and which there are; `_style`: one look, one way to write
- `_random_problems`, `_curves`: what several exhibits share
- `live`: pictures of what a user brings, a problem or a run
"""

from theory.exhibits._exhibit import Caption, Exhibit, exhibit, exhibits, family, names

__all__ = ["Caption", "Exhibit", "exhibit", "exhibits", "family", "names"]
