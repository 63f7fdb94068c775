"""The picture of a benchmark: how many times as long every peer takes, with floors and goals."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from bench import targets
from bench.table import COLUMNS, named

MARKS = {"loop": "o", "numpy": "s", "same": "D", "script": "v"}
ROW = 0.3  # inches


def figure(report: Mapping[str, Any]) -> Figure:
    """Draw a line for every workload, ratios to the right."""
    contests = report["contests"][::-1]
    drawn = Figure(figsize=(9.0, 1.6 + ROW * len(contests)), layout="constrained")
    axes = drawn.add_subplot()
    for role, (mark, colour) in _styles().items():
        points = [
            (ratio, y)
            for y, each in enumerate(contests)
            for peer, ratio in each["ratios"].items()
            if targets.role(peer) == role
        ]
        if points:
            x, y = zip(*points, strict=True)
            axes.plot(x, y, mark, color=colour, label=COLUMNS[role], markersize=5)
    for y, each in enumerate(contests):
        for peer, floor in each["floors"].items():
            colour = _styles()[targets.role(peer)][1]
            axes.plot([floor, each["goals"][peer]], [y, y], "-", color=colour, alpha=0.35, lw=5)
    axes.plot([], [], "-", color="0.5", alpha=0.5, lw=5, label="from floor to goal")
    axes.axvline(1.0, color="0.3", lw=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(contests)), [targets.words(c["name"]) for c in contests])
    axes.set_ylim(-0.7, len(contests) - 0.3)
    axes.set_xlabel("time of a peer, as a multiple of fastgc's")
    drawn.suptitle(f"{named(report['machine'])}; {report['machine']['date']}", fontsize=8)
    axes.grid(axis="x", alpha=0.3)
    drawn.legend(loc="outside lower center", ncols=6, fontsize=8, frameon=False)
    return drawn


def _styles() -> dict[str, tuple[str, str]]:
    """Marker and colour by kind of peer."""
    return {role: (MARKS[role], f"C{i}") for i, role in enumerate(COLUMNS)}


def save(report: Mapping[str, Any], path: Path) -> None:
    """Write the picture; what it is drawn as says the name's ending."""
    figure(report).savefig(path)
