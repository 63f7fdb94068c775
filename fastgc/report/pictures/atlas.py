"""The pictures of an atlas: who wins where, and up to what cost of load codes pay."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.report.pictures import scales
from fastgc.report.pictures.looks import BLACK, GREY, looks
from fastgc.report.pictures.picture import COLUMN, Axes, Picture, matplotlib

#: Of each kind of remedy: what the legend says, and the colour of its fields.
KINDS = {
    "code": ("gradient code or replication", "#F0B860"),
    "sharing": ("work shared out anew", "#8CC4EA"),
    "nothing": ("nothing saves 1 %", "#E4E4E4"),
}
UNDECIDED = "the rows do not decide"
SHORT = {
    "uncoded": "–",
    "leave-out": "leave out",
    "balanced": "balance",
    "gradient-code": "code",
    "replication": "repl.",
    "coded-reduce": "tree",
    "clones": "clones",
}
#: Inches: of a row, of what is above and below all rows; curves beside each other.
_ROW, _ROUND, _CURVES = 0.19, 0.75, 3.1
#: Below such a ratio of its ends a logarithmic axis has ticks at equal steps.
_NARROW = 4.0
_TICKS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)


def of_atlas(found: Mapping[str, Any]) -> list[Picture]:
    """Return a map and the curves of each group of recordings or laws, from plain data."""
    groups: dict[str, list[Any]] = {}
    for each in found["subjects"]:
        groups.setdefault(each["group"], []).append(each)
    pictures = []
    for group, subjects in groups.items():
        pictures += [_map(subjects, found["costs"], group), _curves(subjects, group)]
    return pictures


def _map(subjects: Sequence[Any], costs: Sequence[str], group: str) -> Picture:
    names = {name: color for name, color in KINDS.values()}
    fields = [cell for each in subjects for cell in each["cells"]]
    is_open = any(not cell["decided"] for cell in fields)
    said = [
        "who wins, by recording or law (down) and by the part of the mean time that grows with "
        "the load (to the right); numbers are the winner's time ÷ that of uncoded work",
        *(f"{name}: {_share(fields, kind)}" for kind, (name, _) in KINDS.items()),
        *(["hatched where the rows do not decide"] * is_open),
    ]

    def draw(axes: Axes) -> None:
        patches = matplotlib("patches")
        for row, each in enumerate(subjects):
            for cell in each["cells"]:
                column = costs.index(cell["cost"])
                won = next(w for w in cell["systems"] if w["system"]["family"] == cell["winner"])
                hatch = None if cell["decided"] else "//////"
                box = patches.Rectangle(
                    (column - 0.5, row - 0.5),
                    1,
                    1,
                    facecolor=KINDS[cell["kind"]][1],
                    edgecolor="white",
                    hatch=hatch,
                    linewidth=0.8,
                )
                axes.add_patch(box)
                text = SHORT[cell["winner"]]
                if cell["kind"] != "nothing":
                    text += f" {won['time']['value']:.2f}"
                behind = {"facecolor": KINDS[cell["kind"]][1], "edgecolor": "none", "pad": 0.6}
                axes.text(column, row, text, ha="center", va="center", fontsize=5.6, bbox=behind)
        axes.set(xlim=(-0.5, len(costs) - 0.5), ylim=(len(subjects) - 0.5, -0.5))
        axes.set_xticks(range(len(costs)), costs)
        axes.set_yticks(range(len(subjects)), [each["name"] for each in subjects])
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("part of the mean time that grows with the load")
        for name, color in names.items():
            axes.plot([], [], "s", color=color, markersize=7, label=name)
        if is_open:
            box = patches.Rectangle(
                (0, 0), 0, 0, facecolor="white", edgecolor=GREY, hatch="//////", label=UNDECIDED
            )
            axes.add_patch(box)

    title = "Who wins where" + (f": {group}" if group else "")
    legend = [*names, *([UNDECIDED] * is_open)]
    height = _ROUND + _ROW * len(subjects)
    return scales.made("atlas", title, said, draw, legend, height=height, width=2 * COLUMN)


def _share(cells: Sequence[Any], kind: str) -> str:
    own = [cell for cell in cells if cell["kind"] == kind]
    return f"{len(own)} of {len(cells)} fields"


def _curves(subjects: Sequence[Any], group: str) -> Picture:
    """Return the time of the best code over that of the best other system, against the cost."""
    known = [each for each in subjects if each["break_even"] is not None]
    said = [
        "time of the best code ÷ time of the best system without one, against the part of the "
        "mean time that grows with the load, chosen anew at each; below 1 codes pay"
    ]

    def draw(axes: Axes) -> None:
        axes.set_yscale("log")
        axes.axhline(1.0, color=BLACK, linewidth=0.8)
        for each, look in zip(known, looks(), strict=False):
            curve = each["break_even"]["curve"]
            points = [(share**0.5, code / other) for share, code, other in curve if other > 0]
            axes.plot(
                *zip(*points, strict=True), label=each["name"], markevery=4, linewidth=1.0, **look
            )
        axes.set_xticks([share**0.5 for share in _TICKS], [f"{share:g}" for share in _TICKS])
        ticker = matplotlib("ticker")
        low, high = axes.get_ylim()
        decades = ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=12)
        few = ticker.MaxNLocator(nbins=6, steps=[1, 2, 5, 10])
        axes.yaxis.set_major_locator(few if high < _NARROW * low else decades)
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
        axes.set_xlabel("part of the mean time that grows with the load")
        axes.set_ylabel("best code ÷ best without")

    title = "Up to what cost codes pay" + (f": {group}" if group else "")
    names = [each["name"] for each in known]
    return scales.made("break-even", title, said, draw, names, height=_CURVES, width=2 * COLUMN)
