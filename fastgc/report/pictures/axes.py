"""Axes as somebody wants them for a paper: labels, limits, scales and width."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastgc.errors import FastgcError
from fastgc.report.pictures.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALES = ("linear", "log", "symlog", "logit")


@dataclass(frozen=True)
class Look:
    """What is changed of a picture's axes; None leaves it as it is.

    Attributes
    ----------
    xlabel, ylabel : str or None
        Labels; mathematics stands between dollar signs.
    xlim, ylim : (float, float) or None
        Ends of the axes.
    xscale, yscale : str or None
        One of `SCALES`.
    width : float or None
        Of the picture, in inches; its height changes in proportion.
    """

    xlabel: str | None = None
    ylabel: str | None = None
    xlim: tuple[float, float] | None = None
    ylim: tuple[float, float] | None = None
    xscale: str | None = None
    yscale: str | None = None
    width: float | None = None


def limits(text: str, name: str = "limits") -> tuple[float, float]:
    """Read two ends like ``0.01,0.5``.

    Raises
    ------
    FastgcError
        If they are not two finite numbers, the smaller first.

    Examples
    --------
    >>> limits("0.01,0.5")
    (0.01, 0.5)
    """
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = 0.0
    if not -math.inf < low < high < math.inf:
        sentence = f"must be two numbers, the smaller first, like 0.01,0.5 (got {text!r})"
        raise FastgcError(sentence, name)
    return low, high


def adjusted(picture: Picture, look: Look) -> Picture:
    """Return a picture with its axes changed.

    Raises
    ------
    FastgcError
        If a label's formula is none, and by drawing if an axis by decades is to begin at 0 or less.
    """
    for name in ("xlabel", "ylabel"):
        _check_formula(name, vars(look)[name])
    wanted = {key: value for key, value in vars(look).items() if value is not None}
    width = wanted.pop("width", picture.size[0])
    # a scale first: it chooses limits of its own
    order = sorted(wanted, key=lambda key: not key.endswith("scale"))

    def draw(axes: Axes) -> None:
        picture.draw(axes)
        for key in order:
            if key.endswith("lim"):
                _check_scale(axes, key, wanted[key][0])
            axes.set(**{key: wanted[key]})

    height = picture.size[1] * width / picture.size[0]
    return replace(picture, draw=draw, size=(width, height))


def _check_formula(name: str, label: str | None) -> None:
    from matplotlib import cbook, mathtext

    if label is None or not cbook.is_math_text(label):
        return
    try:
        mathtext.MathTextParser("path").parse(label)
    except ValueError:
        raise FastgcError(
            f"must have formulas that matplotlib reads (got {label!r})", name
        ) from None


def _check_scale(axes: Axes, key: str, low: float) -> None:
    scale = axes.get_xscale() if key == "xlim" else axes.get_yscale()
    if scale in ("log", "logit") and low <= 0:
        said = f'must lie above 0 on an axis of scale "{scale}" (got {low:g})'
        raise FastgcError(f"{said}; take another {key[0]}scale", key)
