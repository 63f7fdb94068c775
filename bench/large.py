"""Time and memory against the number of workers, 10 to 10⁶: ``python -m bench.large``.

Every point is a study run in a process of its own, on one thread: processor time a trial without
what a run costs once, and memory beyond that of the same study with few workers, at most. Beside
the slopes measured between neighbouring sizes stand those expected of the algorithms. Graph codes
are decoded by SciPy's connected components in the same process, too. ``--json`` prints everything
as data, ``-o FILE`` draws it.
"""

import argparse
import json
import math
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import fastgc
from bench import command
from bench.timing import machine
from fastgc.decoding.decoder import Decoder
from fastgc.report.pictures.drawing import styled

SIZES = (10, 100, 1000, 10_000, 100_000, 1_000_000)
SMALL = 20  # workers of the study that has everything loaded and compiled
DRAWS = 1 << 26  # about as many workers' answers are timed
LEAST = 64  # trials: they share a machine word
LATENCY = {"distribution": "exponential", "shift": 1e-3, "mean": 1e-3}
COMPLETION = {"kind": "completion", "latency": LATENCY, "work": 1000, "method": "monte-carlo"}
DECODING = {"kind": "decoding", "stragglers": {"model": "iid", "p": 0.2}, "method": "monte-carlo"}


@dataclass(frozen=True)
class Family:
    """Studies of one kind with more and more workers.

    ``study``: the experiment with about so many workers; ``most``: workers of the largest one;
    ``time``, ``memory``: slopes expected for many workers: what the algorithm does grows as n to
    this power.
    """

    study: Callable[[int], dict[str, Any]]
    most: int
    time: float
    memory: float


def _star(n: int) -> dict[str, Any]:
    system = {"family": "gradient-code", "n": n, "s": n // 10}
    return {**COMPLETION, "system": system, "port": {"receive": 1e-8}}


def _code(**table: Any) -> dict[str, Any]:
    return {**DECODING, "code": table}


def _tree(n: int) -> dict[str, Any]:
    """Two layers below the master, as many children everywhere, a tenth of them stragglers."""
    children = max(2, int((math.sqrt(1 + 4 * n) - 1) / 2))
    system = {"family": "coded-reduce", "n": children, "layers": 2, "s": children // 10}
    return {**COMPLETION, "system": system, "port": {"receive": 1e-5}}


def _layers(n: int) -> dict[str, Any]:
    k = [max(1, n - n * layer // 20) for layer in range(1, 11)]
    system = {"family": "hierarchical", "n": n, "k": k}
    return {**COMPLETION, "system": system}


FAMILIES = {
    "frc, d = 2": Family(lambda n: _code(family="frc", n=n, d=2), 1_000_000, 1.0, 1.0),
    "circulant, d = 2": Family(lambda n: _code(family="circulant", n=n, d=2), 1_000_000, 1.0, 1.0),
    "circulant, d = 3": Family(lambda n: _code(family="circulant", n=n, d=3), 1_000_000, 1.0, 1.0),
    "random regular graph, degree 4": Family(
        lambda n: _code(family="graph", name="random-regular", vertices=n // 2 + n % 2, degree=4),
        1_000_000,
        1.0,
        1.0,
    ),
    "star with a port": Family(_star, 1_000_000, 1.0, 1.0),
    "tree with a port": Family(_tree, 100_000, 1.0, 1.0),
    "ten layers": Family(_layers, 100_000, 0.0, 1.0),
}


def measured(family: str, n: int, draws: int) -> dict[str, Any]:
    """One point: what a run of the study takes in this process."""
    own = FAMILIES[family]
    small = {"experiment": [own.study(SMALL)]}
    fastgc.run(small, trials=LEAST, threads=1)
    before = _resident()
    table = own.study(n)
    study = {"experiment": [table], "seed": 1}
    trials = max(4 * LEAST, draws // n // LEAST * LEAST)
    fastgc.run(study, trials=LEAST, threads=1)  # warm
    few, many = (min(_seconds(study, count) for _ in range(3)) for count in (trials // 4, trials))
    found: dict[str, Any] = {
        "family": family,
        "n": n,
        "seconds": max(many - few, 0.0) / (trials - trials // 4),
        "once": max(few - (many - few) / 3, 0.0),
        "memory": _resident() - before,
        "trials": trials,
    }
    if "graph" in family:
        found["peer"] = _peer(table["code"], max(2, min(64, draws // n // 64)))
    return found


def _seconds(study: dict[str, Any], trials: int) -> float:
    started = time.process_time()
    fastgc.run(study, trials=trials, threads=1)
    return time.process_time() - started


def _resident() -> int:
    """Most bytes in memory so far."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _peer(table: Any, trials: int) -> dict[str, float]:
    """Decoding alone, by SciPy and by fastgc: seconds a trial, and how far errors are apart."""
    code = fastgc.codes.graph(table["name"], table["vertices"], table["degree"])
    assert isinstance(code.structure, fastgc.codes.Components)
    edges = code.structure.edges
    rng = np.random.default_rng(1)
    alive = rng.random((trials, code.n)) >= 0.2
    padded = np.zeros((trials, -(-code.n // 64) * 64), bool)
    padded[:, : code.n] = alive
    packed = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    decoder = Decoder(code)
    decoder.errors(packed[:1])
    started = time.process_time()
    ours = decoder.errors(packed)
    middle = time.process_time()
    theirs = np.array([by_scipy(edges[own], code.k) for own in alive])
    ended = time.process_time()
    return {
        "fastgc": (middle - started) / trials,
        "scipy": (ended - middle) / trials,
        "difference": float(np.abs(ours - theirs).max()),
    }


def by_scipy(edges: NDArray[np.int32], k: int) -> float:
    """The error of a graph code by connected components of the graph's bipartite double cover."""
    ends = np.concatenate([edges[:, 0], edges[:, 0] + k])
    others = np.concatenate([edges[:, 1] + k, edges[:, 1]])
    cover = coo_array((np.ones(len(ends), np.int8), (ends, others)), shape=(2 * k, 2 * k))
    count, label = connected_components(cover.tocsr(), directed=False)
    here, there = label[:k], label[k:]
    sides = np.bincount(here, minlength=count), np.bincount(there, minlength=count)
    # a bipartite component has two copies, that of one side's vertices and that of the other's
    whole = sides[0] + sides[1]
    apart = np.ones(count, bool)
    apart[here[here == there]] = False
    return float((np.square(sides[0] - sides[1])[apart] / whole[apart]).sum() / 2)


def slopes(points: Sequence[dict[str, Any]], key: str) -> list[float | None]:
    """Slopes between neighbours on logarithmic axes; None where there is nothing to divide."""
    found: list[float | None] = []
    for one, other in pairwise(points):
        both = one[key] > 0 and other[key] > 0
        ratio = math.log(other[key] / one[key]) / math.log(other["n"] / one["n"]) if both else None
        found.append(ratio)
    return found


def draw(points: Sequence[dict[str, Any]], file: Path) -> None:
    """Draw time and memory against n, and lines of the expected slopes through the last points."""
    from matplotlib import pyplot

    with styled():
        figure, axes = pyplot.subplots(1, 2, figsize=(9, 4), constrained_layout=True)
        for axis, key, unit, label in zip(
            axes, ("seconds", "memory"), (1e6, 2.0**-20), ("µs a trial", "MiB"), strict=True
        ):
            for color, (name, family) in enumerate(FAMILIES.items()):
                mine = [point for point in points if point["family"] == name]
                if mine:  # of short runs there may be nothing to draw
                    axis.plot([], [], "o-", color=f"C{color}", label=name, markersize=4)
                own = [point for point in mine if point[key] > 0]
                if not own:
                    continue
                n = np.array([point["n"] for point in own], float)
                values = unit * np.array([point[key] for point in own])
                axis.plot(n, values, "o-", color=f"C{color}", markersize=4)
                slope = family.time if key == "seconds" else family.memory
                line = values[-1] * (n / n[-1]) ** slope
                seen = line > values.min() / 2
                axis.plot(n[seen], line[seen], ":", color=f"C{color}", linewidth=1)
                axis.set(xscale="log", yscale="log")
            axis.set(xlabel="workers", ylabel=label)
        axes[0].legend(fontsize="small")
        axes[0].set_title("processor time (dotted: expected slope)")
        axes[1].set_title("memory beyond that of few workers")
        figure.savefig(file)
        pyplot.close(figure)


def _asked(family: str, n: int, draws: int) -> dict[str, Any]:
    """A point measured in a process of its own."""
    words = ["-m", "bench.large", "--one", family, str(n), "--draws", str(draws)]
    done = command.started(words)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _said(points: Sequence[dict[str, Any]], family: Family) -> None:
    times, memories = slopes(points, "seconds"), slopes(points, "memory")
    for place, point in enumerate(points):
        own = [None if place == 0 else found[place - 1] for found in (times, memories)]
        shown = ["" if value is None else f"{value:5.2f}" for value in own]
        line = (
            f"  {point['n']:>9}  {1e6 * point['seconds']:12.3f} µs  {shown[0]:>5} ({family.time:g})"
            f"  {1e9 * point['seconds'] / point['n']:9.3f} ns  {point['memory'] / 2**20:8.1f} MiB"
            f"  {shown[1]:>5} ({family.memory:g})  {point['once']:6.2f} s"
        )
        if "peer" in point:
            line += f"  {point['peer']['scipy'] / point['peer']['fastgc']:6.1f} ×"
        print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and draw; return 1 where fastgc and SciPy disagree."""
    options = command.parse(
        "bench.large",
        __doc__,
        arguments,
        family=FAMILIES,
        sizes={"type": int, "nargs": "+", "default": list(SIZES)},
        draws=DRAWS,
        json={"action": "store_true"},
        out={"type": Path, "metavar": "FILE", "help": "draw the points: svg, png or pdf"},
        one={"nargs": 2, "metavar": ("FAMILY", "N"), "help": argparse.SUPPRESS},
    )
    if options.one:
        print(json.dumps(measured(options.one[0], int(options.one[1]), options.draws)))
        return 0
    points = []
    for name in options.family or FAMILIES:
        family = FAMILIES[name]
        own = [_asked(name, n, options.draws) for n in options.sizes if n <= family.most]
        points += own
        if not options.json:
            print(f"{name}: workers, time a trial, slope (expected), time a worker, memory, slope")
            _said(own, family)
    if options.json:
        print(json.dumps({"machine": machine(), "points": points}))
    if options.out:
        draw(points, options.out)
    apart = [point["peer"]["difference"] / point["n"] for point in points if "peer" in point]
    return 1 if any(each > 1e-9 for each in apart) else 0


if __name__ == "__main__":
    sys.exit(main())
