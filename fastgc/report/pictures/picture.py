"""A picture: what is drawn on axes, in words too, the axes as a paper wants them, the library."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from fastgc.errors import FastgcError

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
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


SCALES = ("linear", "log", "symlog", "logit")
#: Of a picture, in inches.
NARROWEST, WIDEST = 1, 40


@dataclass(frozen=True)
class Frame:
    """What is changed of a picture's axes, as `plot` has it; None leaves it as it is.

    Ends may be a text like ``"0.01,0.5"``. FastgcError names what cannot be.
    """

    xlabel: str | None = None
    ylabel: str | None = None
    xlim: Any = None
    ylim: Any = None
    xscale: str | None = None
    yscale: str | None = None
    width: float | None = None

    def __post_init__(self) -> None:
        """Check everything, and read ends that are text."""
        for way in "xy":
            _check_formula(f"{way}label", vars(self)[f"{way}label"])
            object.__setattr__(self, f"{way}lim", _ends(f"{way}lim", vars(self)[f"{way}lim"]))
            scale = vars(self)[f"{way}scale"]
            if scale is not None and scale not in SCALES:
                said = f"must be one of {', '.join(SCALES)} (got {scale!r})"
                raise FastgcError(said, f"{way}scale")
        is_number = isinstance(self.width, int | float)
        if self.width is not None and not (is_number and NARROWEST <= self.width <= WIDEST):
            said = f"must be from {NARROWEST} to {WIDEST} inches (got {self.width!r})"
            raise FastgcError(said, "width")

    def on(self, picture: Picture) -> Picture:
        """Return a picture with its axes changed; drawing refuses a log axis from 0 or below."""
        wanted = {key: value for key, value in vars(self).items() if value is not None}
        width = wanted.pop("width", picture.size[0])
        for key in wanted:
            if picture.kind == "heat-map" and not key.endswith("label"):
                said = 'belongs to axes of numbers, and a heat-map has fields; take kind "sweep"'
                raise FastgcError(said, key)
        # a scale first: it chooses limits of its own
        order = sorted(wanted, key=lambda key: not key.endswith("scale"))

        def draw(axes: Axes) -> None:
            picture.draw(axes)
            for key in order:
                scale = axes.get_xscale() if key[0] == "x" else axes.get_yscale()
                if key.endswith("lim") and scale in ("log", "logit") and wanted[key][0] <= 0:
                    said = f'must lie above 0 on an axis of scale "{scale}"'
                    got = f"(got {wanted[key][0]:g}); take another {key[0]}scale"
                    raise FastgcError(f"{said} {got}", key)
                ends = _shares(axes, key) if wanted[key] == "logit" else None
                axes.set(**{key: wanted[key]})
                if ends is not None:  # matplotlib's own leave out what is near 1
                    axes.set(**{f"{key[0]}lim": ends})
                elif wanted[key] == "log":  # those of a linear axis may begin at 0
                    axes.autoscale(axis="x" if key[0] == "x" else "y")

        return replace(picture, draw=draw, size=(width, picture.size[1] * width / picture.size[0]))


def _ends(name: str, ends: Any) -> tuple[float, float] | None:
    if ends is None:
        return None
    try:
        low, high = map(float, ends.split(",") if isinstance(ends, str) else ends)
    except (TypeError, ValueError):
        low = high = 0.0
    if not -math.inf < low < high < math.inf:
        said = f"must be two numbers, the smaller first, like 0.01,0.5 (got {ends!r})"
        raise FastgcError(said, name)
    return low, high


def _shares(axes: Axes, key: str) -> tuple[float, float]:
    """Return the ends of a logit axis, on which all values must be from 0 to 1, and some within."""
    way = 0 if key[0] == "x" else 1
    low, high = axes.dataLim.get_points()[:, way].tolist()
    lines = [np.asarray(line.get_xydata())[:, way] for line in axes.lines]
    drawn = np.concatenate([np.empty(0), *lines])
    values = drawn[(drawn > 0) & (drawn < 1)]
    if not (len(values) and low >= 0 and high <= 1):
        said = f'"logit" is for values between 0 and 1 (they are from {low:.3g} to {high:.3g})'
        raise FastgcError(f"{said}; take another scale", key)
    return float(values.min()) / 2, (1 + float(values.max())) / 2


def _check_formula(name: str, label: str | None) -> None:
    if not isinstance(label, str | None):
        raise FastgcError(f"must be text (got {label!r})", name)
    if label is None or "$" not in label:
        return
    from matplotlib import cbook, mathtext

    try:
        if cbook.is_math_text(label):
            mathtext.MathTextParser("path").parse(label)
    except ValueError:
        said = f"must have formulas that matplotlib reads (got {label!r})"
        raise FastgcError(said, name) from None
