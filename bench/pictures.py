"""Every picture of every packaged study: ``python -m bench.pictures FOLDER [STUDY…] [--trials N]``.

Each is drawn into the folder, to be looked at, and checked for what needs no eye: that something is
drawn, that nothing is cut, that names of ticks do not lie on each other, and that axes are named.
Exits with 1 if something is amiss.
"""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import fastgc
from bench import command
from fastgc.report import pictures
from fastgc.study.packaged import packaged

SLACK = 0.02  # inches: what antialiasing may take
#: A trial of training is a whole descent.
OF_TRAINING = 16


def main(arguments: Sequence[str] | None = None) -> int:
    own = {"folder_": {"type": Path}, "studies_": {"nargs": "*", "metavar": "STUDY"}}
    options = command.parse("bench.pictures", __doc__, arguments, **own, trials=2000)
    options.folder.mkdir(parents=True, exist_ok=True)
    amiss = 0
    for study in options.studies or sorted(packaged()):
        points = fastgc.Study.parse(study).points()
        of_training = any(point.table.kind == "training" for point in points)
        trials = min(options.trials, OF_TRAINING) if of_training else options.trials
        result = fastgc.run(study, trials=trials)
        for number, picture in enumerate(pictures.of(result)):
            name = f"{study.replace('/', '-')}-{number}-{picture.kind}.png"
            pictures.save(picture, options.folder / name)
            found = list(complaints(pictures.figure(picture)))
            amiss += bool(found)
            print(f"{name}: {'; '.join(found) or 'fine'}", flush=True)
    return 1 if amiss else 0


def complaints(figure: Figure) -> Iterator[str]:
    """What is wrong with a figure, in words."""
    figure.draw_without_rendering()  # type: ignore[no-untyped-call]
    width, height = figure.get_size_inches()
    box = figure.get_tightbbox()
    if min(box.x0, box.y0) < -SLACK or box.x1 > width + SLACK or box.y1 > height + SLACK:
        yield f"is cut: {box} of {width} × {height} inches"
    for axes in figure.axes:
        if not axes.has_data():
            yield "has nothing on its axes"
        if not (axes.get_xlabel() or axes.get_ylabel()):
            yield "has axes without names"
        for way, ticks in (("below", axes.get_xticklabels()), ("beside", axes.get_yticklabels())):
            if hit := _overlapping(axes, ticks):
                yield f"has ticks {way} that lie on each other: {hit}"


def _overlapping(axes: Axes, ticks: Sequence[Text]) -> str:
    """Which two names of ticks within the axes lie on each other, if any."""
    inside = axes.get_window_extent().padded(2)
    boxes = []
    for tick in ticks:
        x, y = tick.get_window_extent().get_points().mean(axis=0)
        is_along = inside.x0 <= x <= inside.x1 or inside.y0 <= y <= inside.y1
        if tick.get_text() and tick.get_visible() and is_along and not tick.get_rotation():
            boxes.append((tick.get_text(), tick.get_window_extent()))
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        # descenders of lines that follow each other may touch
        if a.x0 < b.x1 and b.x0 < a.x1 and a.y0 + 2 < b.y1 and b.y0 + 2 < a.y1:
            return f"{one!r} and {other!r}"
    return ""


if __name__ == "__main__":
    raise SystemExit(main())
