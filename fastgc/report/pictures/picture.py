"""A picture: what is drawn on axes, what it shows in words, and the library that draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastgc.errors import FastgcError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def matplotlib(module: str = "") -> Any:
    """Import matplotlib, or one of its modules.

    Raises
    ------
    FastgcError
        If it is not installed, with the command that installs it.
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

    Attributes
    ----------
    kind : str
        What sort it is, as ``fastgc plot --kind`` has it.
    title : str
        What is drawn, in a few words.
    caption : str
        What is seen, in full sentences: also for readers who cannot see it.
    draw : callable
        Draws it on the axes that it is given.
    size : (float, float)
        Width and height that it takes, in inches.
    """

    kind: str
    title: str
    caption: str
    draw: Callable[[Axes], None]
    size: tuple[float, float] = (COLUMN, HEIGHT)
