"""What `fastgc design` says of a cluster from a part of its recording, held against the whole.

``python -m bench.windows --traces FOLDER|FILE … [--rows 20,40,60,100,150] [--windows 40]``

Windows of so many successive rows are cut out of each recording. For every one it is asked how
often the intervals of the systems that `design` lists hold their values on the whole recording, and
how often a system that it calls certainly the best on the cluster takes more than 1.5 times as long
there as the best one does. Then the same is asked out of sample, of the rows after the window alone
where they are as many: how often its intervals hold their values there, how often its first system
is within 5 % of the best there, of all windows and of those that call it certain. Values are
computed here, from sorted rows. Times of rounds, which `design` refuses, are named.
"""

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastgc
from bench import command
from fastgc.errors import FastgcError
from fastgc.latency.remarks import of_rounds
from fastgc.latency.traces import parse
from fastgc.results.ranking import Ranking

Values = NDArray[np.float64]

ROWS = (20, 40, 60, 100, 150)
GOALS = ("mean", "quantile(0.5)", "quantile(0.9)", "quantile(0.99)")
SCHEMES = ("uncoded", "gradient-code", "replication")
#: So many times as long as the best is a wrong choice; and so many a right one.
WRONG, RIGHT = 1.5, 1.05


@dataclass(frozen=True)
class Window:
    """What one window said.

    Attributes
    ----------
    held, given : int
        Intervals that hold the whole recording's value, and all of them.
    open : int
        Intervals that have no upper end.
    speaks : bool
        Whether the window speaks for the cluster.
    certain : bool
        Whether it is certain which system is the best there.
    worse : float
        How many times as long as the best of the whole its first system takes there.
    held_after : int
        Intervals that hold the value on the rows after the window.
    worse_after : float or None
        As ``worse``, on the rows after the window; None where they are fewer than its own.
    """

    held: int
    given: int
    open: int
    speaks: bool
    certain: bool
    worse: float
    held_after: int = 0
    worse_after: float | None = None


def windows(times: Values, rows: int, goal: str, most: int) -> Iterator[Window]:
    """Ask `fastgc.design` of windows of a recording.

    ``times``: float64 array (rows, n); ``rows``: of a window; ``most``: windows, at most; they
    begin at equal steps.
    """
    last = len(times) - rows
    for start in np.unique(np.linspace(0, last, most).round().astype(int)):
        found = fastgc.design(_study(times[start : start + rows], goal), threads=1)
        after = times[start + rows :]
        yield _judged(found, times, after if len(after) >= rows else None, goal)


def value(system: Mapping[str, Any], times: Values, goal: str) -> float:
    """Return a system's goal on all rows of a recording.

    >>> value({"family": "gradient-code", "n": 2, "s": 1}, np.array([[1.0, 3.0]]), "mean")
    1.0
    """
    n = times.shape[1]
    if system["family"] == "replication":
        d = system["d"]
        done = d / n * times.reshape(len(times), n // d, d).min(axis=2).max(axis=1)
    else:
        s = system.get("s", 0)
        done = (s + 1) / n * np.sort(times, axis=1)[:, n - 1 - s]
    if goal == "mean":
        return float(done.mean())
    level = float(goal.removeprefix("quantile(").removesuffix(")"))
    return float(np.sort(done)[math.ceil(level * done.size * (1 - 1e-12)) - 1])


def _judged(found: Ranking, times: Values, after: Values | None, goal: str) -> Window:
    held, worse = _against(found, times, goal)
    there = (0, None) if after is None else _against(found, after, goal)
    return Window(
        held=held,
        given=len(found),
        open=sum(choice.high == math.inf for choice in found),
        speaks=found.scope == "cluster",
        certain=found.separated,
        worse=worse,
        held_after=there[0],
        worse_after=there[1],
    )


def _against(found: Ranking, times: Values, goal: str) -> tuple[int, float]:
    """Return how many intervals hold on some rows, and how much longer the first takes there."""
    truths = [value(choice.system, times, goal) for choice in found]
    n = times.shape[1]
    every = [{"family": "gradient-code", "n": n, "s": s} for s in range(n)]
    every += [{"family": "replication", "n": n, "d": d} for d in range(1, n + 1) if n % d == 0]
    best = min(value(system, times, goal) for system in every)
    held = [
        choice.low <= truth * (1 + 1e-12) and truth <= choice.high * (1 + 1e-12)
        for choice, truth in zip(found, truths, strict=True)
    ]
    return sum(held), truths[0] / best


def _study(times: Values, goal: str) -> dict[str, Any]:
    lines = [",".join(f"w{j}" for j in range(times.shape[1]))]
    lines += [",".join(repr(float(x)) for x in row) for row in times]
    latency = {"distribution": "empirical", "file": "window.csv", "order": "rows"}
    table = {"workers": times.shape[1], "schemes": list(SCHEMES), "goal": goal, "latency": latency}
    return {"design": table, "files": {"window.csv": "\n".join(lines)}}


def summary(found: Sequence[Window]) -> dict[str, float]:
    """Return shares over windows: of intervals that hold, of those that speak, and of mistakes."""
    speaking = [each for each in found if each.speaks]
    certain = [each for each in found if each.certain]
    after = [each for each in found if each.worse_after is not None]
    right = [each for each in after if (each.worse_after or math.inf) <= RIGHT]
    sure = sum(each.certain for each in after)
    given = sum(each.given for each in found)
    return {
        "windows": len(found),
        "covered": _share(sum(each.held for each in found), given),
        "open": _share(sum(each.open for each in found), given),
        "speaking": _share(len(speaking), len(found)),
        "covered_speaking": _share(
            sum(each.held for each in speaking), sum(each.given for each in speaking)
        ),
        "certain": _share(len(certain), len(found)),
        "certain_wrong": _share(sum(each.worse > WRONG for each in certain), len(found)),
        "first_wrong": _share(sum(each.worse > WRONG for each in found), len(found)),
        "after": len(after),
        "covered_after": _share(
            sum(each.held_after for each in after), sum(each.given for each in after)
        ),
        "first_right_after": _share(len(right), len(after)),
        "certain_after": sure,
        "certain_right_after": _share(sum(each.certain for each in right), sure),
    }


#: Of the table: the widths of the summary's columns, and what stands above them.
WIDTHS = (7, 7, 5, 5, 7, 7, 5, 11, 7, 7, 11, 7, 5)
HEADS = (
    *("windows", "covered", "open", "speak", "covered", "certain", "wrong", "first wrong"),
    *("| after", "covered", "first right", "certain", "right"),
)


def _row(recording: str, goal: str, rows: object, cells: Iterable[object]) -> str:
    shown = [
        f"{100 * cell:.0f} %" if isinstance(cell, float) and cell == cell else f"{cell}"
        for cell in cells
    ]
    words = [
        f"{cell.replace('nan', '–'):>{width}}" for cell, width in zip(shown, WIDTHS, strict=True)
    ]
    return f"{recording:20} {goal:14} {rows:>4} {' '.join(words)}"


def _share(part: int, of: int) -> float:
    return part / of if of else math.nan


def recordings(places: Sequence[str], columns: Sequence[str]) -> dict[str, Values]:
    """Return the rows of every csv file, wide or long, by its name.

    ``places``: files, and folders of them; ``columns``: of long tables: the columns worker, value
    and perhaps iteration.
    """
    paths = [
        path
        for place in map(Path, places)
        for path in (sorted(place.glob("*.csv")) if place.is_dir() else [place])
    ]
    long = dict(zip(("worker", "value", "iteration"), columns, strict=False))
    found = {}
    for path in paths:
        text = path.read_text()
        try:
            trace = parse(text, path.name)
        except FastgcError:
            trace = parse(text, path.name, **long)
        found[path.stem] = trace.rows
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    asked = command.parse(
        "bench.windows",
        __doc__,
        arguments,
        traces={"nargs": "+", "required": True, "metavar": "FOLDER|FILE"},
        columns="worker,batch_time_norm,time",
        rows=",".join(map(str, ROWS)),
        goals=";".join(GOALS),
        windows=40,
        json={"action": "store_true"},
    )
    if not asked.json:
        print(_row("recording", "goal", "rows", HEADS))
    for name, times in recordings(asked.traces, asked.columns.split(",")).items():
        if of_rounds(times) is not None:
            print(f"{name:20} refused: times of rounds", file=sys.stderr)
            continue
        for goal in asked.goals.split(";"):
            for rows in map(int, asked.rows.split(",")):
                if 2 * rows > len(times):
                    continue
                said = summary(list(windows(times, rows, goal, asked.windows)))
                if asked.json:
                    plain = {key: each if each == each else None for key, each in said.items()}
                    print(json.dumps({"recording": name, "goal": goal, "rows": rows} | plain))
                else:
                    print(_row(name, goal, rows, said.values()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
