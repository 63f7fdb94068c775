"""Pictures as figures of matplotlib and as files: the same bytes each time."""

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.report import export
from fastgc.report.pictures.looks import HOUSE
from fastgc.report.pictures.picture import Picture, matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: By format, what would be another each time: dates, and the program's version.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the house's style inside the block."""
    with matplotlib("style").context([HOUSE, {"svg.hashsalt": "fastgc"}], after_reset=True):
        yield


def figure(pictures: Picture | Sequence[Picture]) -> "Figure":
    """Return a figure with pictures below each other, each on axes of its own."""
    several = _several(pictures)
    heights = [picture.size[1] for picture in several]
    size = max(picture.size[0] for picture in several), sum(heights)
    with styled():
        made: Figure = matplotlib("figure").Figure(figsize=size, layout="constrained")
        places: Any = [made]
        if len(several) > 1:  # or the names beside one picture would make another narrow
            places = made.subfigures(len(several), height_ratios=heights)
        for place, picture in zip(places, several, strict=True):
            picture.draw(place.add_subplot())
    return made


def _several(pictures: Picture | Sequence[Picture]) -> Sequence[Picture]:
    return [pictures] if isinstance(pictures, Picture) else pictures


def _saved(pictures: Picture | Sequence[Picture], form: str) -> bytes:
    with styled():
        out = io.BytesIO()
        figure(pictures).savefig(out, format=form, metadata=_METADATA[form])
    return out.getvalue()


def svg(pictures: Picture | Sequence[Picture]) -> str:
    """Return pictures as one SVG element that needs nothing else.

    Text is text. Title and caption are in it for screen readers, and what its parts are called is
    its own, so that several fit one page.
    """
    several = _several(pictures)
    text = _saved(pictures, "svg").decode()
    text = text[text.index("<svg ") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    title = escape("; ".join(picture.title for picture in several))
    caption = escape(" ".join(picture.caption for picture in several))
    own = "p" + hashlib.sha256((title + caption + text).encode()).hexdigest()[:8]
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{own}-", text)
    text = text.replace("*{stroke", f"#{own} *{{stroke", 1)
    head = f'<svg id="{own}" role="img" {text[len("<svg ") : text.index(">")]}>'
    said = f"<title>{title}</title>\n <desc>{caption}</desc>"
    return f"{head}\n {said}{text[text.index('>') + 1 :]}"


def save(pictures: Picture | Sequence[Picture], path: str | Path) -> Path:
    """Write pictures to a file whose name ends in .svg, .png or .pdf: the same bytes each time.

    Raises FastgcError if the name ends otherwise, or matplotlib is not installed. Raises
    StorageError if the file cannot be written.
    """
    place = Path(path)
    form = form_of(place)
    if form == "svg":
        head = '<?xml version="1.0" encoding="utf-8" standalone="no"?>\n'
        content = (head + svg(pictures)).encode()
    else:
        content = _saved(pictures, form)
    export.write(place, content)
    return place


def require(path: str | Path | None) -> None:
    """Refuse a file's name that ends otherwise, or to draw without matplotlib, before any work."""
    if path is not None:
        form_of(Path(path))
    matplotlib()


def form_of(path: Path) -> str:
    """Return the format that a file's name asks for; raise FastgcError at others."""
    form = path.suffix.lower().removeprefix(".")
    if form not in _METADATA:
        name = one_line(str(path))
        raise FastgcError(f"{name}: a picture's name must end in .svg, .png or .pdf")
    return form
