"""A report's Markdown cut at its headings, so that a notebook can show the first part and fold the rest."""

from __future__ import annotations

import re


def sections(markdown: str) -> tuple[str, dict[str, str]]:
    """What comes before the first ``## `` heading, and the other parts by heading.

    >>> sections("# Title\\n\\nFirst.\\n\\n## Why\\n\\nBecause.\\n")
    ('# Title\\n\\nFirst.', {'Why': 'Because.'})
    """
    first, *rest = re.split(r"^## ", markdown, flags=re.MULTILINE)
    cut = (part.partition("\n") for part in rest)
    return first.strip(), {heading.strip(): text.strip() for heading, _, text in cut}
