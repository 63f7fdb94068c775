"""Pages and tables as HTML that stands alone, for screen, print and screen readers.

What they look like is in ``templates``; jinja2 escapes everything that is put into these.
"""

import itertools
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from fastgc.registry.display import shown
from fastgc.report.document import Cell, Document, Figure, Interval, Number
from fastgc.report.templating import environment, render

#: Characters; a longer cell of words has a column that is wide enough to be read.
SENTENCE = 24
_PIXELS = 96 / 72  # a point of print has so many on a screen
_WIDEST = 1.35  # times its size; wider columns leave room


def as_html(document: Document) -> str:
    """Return a page as a whole HTML document."""
    parts = _parts()
    sections = Markup("").join(parts.section(each) for each in document.sections)
    head = parts.head(document)
    return render("frame.html", title=document.title, before=head, inside=sections)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str, *, heads: int = 1
) -> str:
    """Return a table in a box that scrolls by itself where the page is narrow; all is escaped.

    The first ``heads`` cells of a row name it, as screen readers say.
    """
    return str(_parts().table(columns, rows, caption, heads)).strip()


def scaled(svg: str) -> Markup:
    """Return an SVG element in a box that scrolls, its size in points the least it is shown at."""
    tag, body = svg[: svg.index(">") + 1], svg[svg.index(">") + 1 :]
    size = re.search(r'viewBox="0 0 ([0-9.]+) [0-9.]+"', tag)
    assert size is not None, "pictures have a size"
    width = float(size[1]) * _PIXELS
    style = f"width: 100%; min-width: {width:.0f}px; max-width: {width * _WIDEST:.0f}px"
    tag = re.sub(r'\s(?:width|height)="[^"]*"', "", tag)
    return Markup(f'<div class="scroll">{tag[:-1]} style="{style}">{body.strip()}</div>')


@cache
def _parts() -> Any:
    found = environment()
    found.filters["drawing"] = lambda figure: scaled(shown("pictures").svg(figure.picture))
    # runs of figures and of other blocks
    found.filters["by_figures"] = lambda blocks: [
        (is_figure, list(some))
        for is_figure, some in itertools.groupby(blocks, lambda block: isinstance(block, Figure))
    ]
    # a number and its per cent sign stay on a line
    found.filters["prose"] = lambda text: Markup(str(escape(text)).replace(" %", "&nbsp;%"))
    found.tests |= {
        "kind": lambda block, name: type(block).__name__ == name,
        "long": lambda cell: len(str(cell)) > SENTENCE,
        "numeric": lambda cell: isinstance(cell, Number | Interval),
    }
    return found.get_template("blocks.html").module
