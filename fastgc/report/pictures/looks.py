"""Colours, lines and markers: distinct with colour blindness and in grey print.

The colours are those of Okabe and Ito without yellow, which is too light for a line on white.
"""

import itertools
from collections.abc import Iterator
from typing import Any

from fastgc.report.pictures.picture import matplotlib

#: How a curve is drawn: keywords of `Axes.plot`, at least color, linestyle and marker.
Look = dict[str, Any]

BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, ORANGE, SKY, BLACK = "#CC79A7", "#E69F00", "#56B4E9", "#000000"
GREY = "#767676"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
# in numbers without a common divisor: 105 curves before a look comes again
LINES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "<", ">", "h", "*")
#: Colours of an image: from dark to light, in order in grey, too.
COLOUR_MAP = "cividis"
BAND = 0.22  # opacity

#: Settings of matplotlib: legible at the width of a column, text as text.
HOUSE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.prop_cycle": f"cycler(color={list(COLOURS)})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8,
    "figure.dpi": 100,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "image.cmap": COLOUR_MAP,
    "legend.borderaxespad": 0.2,
    "legend.columnspacing": 1.2,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "legend.labelspacing": 0.3,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.6,
    "lines.markeredgewidth": 0.8,
    "pdf.fonttype": 42,
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
}


def looks() -> Iterator[Look]:
    """Yield looks, one a curve: of the style in force, where it has its own colours."""
    library = matplotlib()
    cycle = library.rcParams["axes.prop_cycle"]
    if cycle == library.rcParamsDefault["axes.prop_cycle"]:
        cycle = [{"color": color} for color in COLOURS]
    own = itertools.cycle(cycle)
    for line, marker in zip(itertools.cycle(LINES), itertools.cycle(MARKERS), strict=False):
        yield {"color": BLACK, "linestyle": line, "marker": marker} | next(own)
