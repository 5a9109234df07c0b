"""Tables whose numbers are never cut: one wider than the terminal runs over its edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_table(console: Console, table: Table) -> None:
    """Every cell on one line and whole, as wide as that takes."""
    from rich.console import Console
    from rich.measure import Measurement

    unbounded = console.options.update(max_width=10**6)
    needed = Measurement.get(console, unbounded, table).maximum
    wide = Console(file=console.file, highlight=False, width=max(console.width, needed))
    wide.print(table)
