"""The library's figures in a notebook: a PNG with a text for those who do not see it."""

from __future__ import annotations

import io
from typing import Any

import marimo as mo


def picture(figure: Any, alt: str) -> Any:
    """A matplotlib figure as an image with alternative text."""
    buffer = io.BytesIO()
    # A white ground of its own: these figures are drawn for paper and must stay readable on a dark page.
    figure.savefig(buffer, format="png", dpi=130, facecolor="white")
    width = f"{figure.get_figwidth() * 100:.0f}px"
    return mo.image(buffer.getvalue(), alt=alt, style={"max-width": "100%", "width": width}, rounded=True)
