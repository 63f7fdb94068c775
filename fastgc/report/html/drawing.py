"""A picture inside a page: as wide as its column, and never too small to be read."""

from __future__ import annotations

import re

from fastgc.report.document import Figure

_PIXELS = 96 / 72  # a point of print has so many on a screen
_WIDEST = 1.35  # times its size; wider columns leave room


def drawing(figure: Figure) -> str:
    """Return a picture as SVG in a box, which scrolls where the page is narrower."""
    from fastgc.report import pictures

    return scaled(pictures.svg(figure.picture))


def scaled(svg: str) -> str:
    """Return an SVG element, its size in points taken as the least at which it is shown."""
    tag, body = svg[: svg.index(">") + 1], svg[svg.index(">") + 1 :]
    size = re.search(r'viewBox="0 0 ([0-9.]+) [0-9.]+"', tag)
    assert size is not None, "pictures have a size"
    width = float(size[1]) * _PIXELS
    style = f"width: 100%; min-width: {width:.0f}px; max-width: {width * _WIDEST:.0f}px"
    tag = re.sub(r'\s(?:width|height)="[^"]*"', "", tag)
    box = f'<div class="scroll">{tag[:-1]} style="{style}">{body.strip()}</div>'
    return box
