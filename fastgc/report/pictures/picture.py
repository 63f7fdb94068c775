"""A picture: what is drawn on axes, in words too; as a figure of matplotlib, and as a file."""

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.results import image

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure
else:
    Axes = Any  # matplotlib is an extra, and imported when a picture is drawn


def matplotlib(module: str = "") -> Any:
    """Import matplotlib, or one of its modules.

    Raises FastgcError if it is not installed, with the command that installs it.
    """
    try:
        return import_module(f"matplotlib.{module}" if module else "matplotlib")
    except ImportError as problem:
        raise FastgcError(
            f"pictures need matplotlib, which cannot be used ({problem}); install the extra: "
            "pip install 'fastgc-sim[plot]'"
        ) from None


#: A column of a paper that has two, in inches.
COLUMN = 3.4
#: Height of the axes with their labels, without a legend.
HEIGHT = 2.3
#: What a line of a legend, or of a list of names, takes.
LINE = 0.155


@dataclass(frozen=True)
class Picture:
    """Something to be drawn.

    ``kind``: what sort it is, as ``fastgc plot --kind`` has it; ``title``: what is drawn, in a few
    words; ``caption``: what is seen, in full sentences: also for readers who cannot see it;
    ``draw``: draws it on the axes that it is given; ``size``, (float, float): width and height that
    it takes, in inches.
    """

    kind: str
    title: str
    caption: str
    draw: Callable[[Axes], None]
    size: tuple[float, float] = (COLUMN, HEIGHT)


BLACK, GREY = "#000000", "#767676"
#: Settings of matplotlib.
STYLE = Path(__file__).with_name("paper.mplstyle")
#: By format, what would be another each time: dates, and the program's version.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in fastgc's style inside the block."""
    with matplotlib("style").context(STYLE, after_reset=True):
        yield


def figure(pictures: Picture | Sequence[Picture]) -> "Figure":
    """Return a figure with pictures below each other, each on axes of its own."""
    several = [pictures] if isinstance(pictures, Picture) else pictures
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
    several = [pictures] if isinstance(pictures, Picture) else pictures
    text = _saved(several, "svg").decode()
    text = text[text.index("<svg ") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    title = escape("; ".join(picture.title for picture in several))
    caption = escape(" ".join(picture.caption for picture in several))
    own = "p" + hashlib.sha256((title + caption + text).encode()).hexdigest()[:8]
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{own}-", text)
    text = text.replace("*{stroke", f"#{own} *{{stroke", 1)
    head, _, rest = text.removeprefix("<svg ").partition(">")
    said = f"<title>{title}</title>\n <desc>{caption}</desc>"
    return f'<svg id="{own}" role="img" {head}>\n {said}{rest}'


def save(pictures: Picture | Sequence[Picture], path: str | Path) -> Path:
    """Write pictures to a file whose name ends in .svg, .png or .pdf: the same bytes each time.

    Raises FastgcError if the name ends otherwise, or matplotlib is not installed. Raises
    StorageError if the file cannot be written.
    """
    place = Path(path)
    form = picture_form(place)
    if form == "svg":
        head = '<?xml version="1.0" encoding="utf-8" standalone="no"?>\n'
        content = (head + svg(pictures)).encode()
    else:
        content = _saved(pictures, form)
    image.write(place, content)
    return place


def require(path: str | Path | None) -> None:
    """Refuse a file's name that ends otherwise, or to draw without matplotlib, before any work."""
    if path is not None:
        picture_form(Path(path))
    matplotlib()


def picture_form(path: Path) -> str:
    """Return the format that a file's name asks for; raise FastgcError at others."""
    form = path.suffix.lower().removeprefix(".")
    if form not in _METADATA:
        name = one_line(str(path))
        raise FastgcError(f"{name}: a picture's name must end in .svg, .png or .pdf")
    return form
