"""The pictures of a page, where they can be drawn."""

from __future__ import annotations

import importlib.util
from typing import Any

from fastgc.errors import FastgcError
from fastgc.report.document import Block, Figure, Paragraph

_MISSING = (
    "There are no pictures: matplotlib is not installed, which draws them; "
    "pip install 'fastgc-sim[plot]' brings it."
)


def drawn(thing: Any) -> list[Block]:
    """Return all pictures of a result, of verdicts or of a ranking; or why there are none."""
    if importlib.util.find_spec("matplotlib") is None:
        return [Paragraph(_MISSING)]
    from fastgc.report import pictures

    try:
        found = pictures.of(thing)
    except FastgcError:  # there is nothing to be seen
        return []
    return [Figure(each, each.title, each.caption) for each in found]
