"""Time and memory against the number of workers, 10 to 10⁶: ``python -m bench.large``.

Every point is a study run on one thread: processor time a trial without what a run costs once, and
the most memory so far beyond that of few workers. A family has a process of its own; it ends with
the first size that is refused, or after 20 processor seconds: the whole takes ten minutes at most
on an idle core. Every line that is printed is JSON: the machine, then the points.
"""

import argparse
import json
import math
import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import fastgc
from bench import command
from bench.timing import machine
from fastgc.errors import FastgcError

SIZES = (10, 100, 1000, 10_000, 100_000, 1_000_000)
SMALL = 20  # workers of the study that has everything loaded and compiled
LEAST = 64  # trials: they share a machine word
MOST = 1 << 24  # trials
AIM = 0.1  # seconds that more trials take
SLOW = 1.0
LIMIT = 20  # processor seconds of a family
MEMORY = 8 << 30  # bytes that a process may ask for
LATENCY = {"distribution": "exponential", "shift": 1e-3, "mean": 1e-3}
COMPLETION = {"kind": "completion", "latency": LATENCY, "work": 1000, "method": "monte-carlo"}
DECODING = {"kind": "decoding", "stragglers": {"model": "iid", "p": 0.2}, "method": "monte-carlo"}

Family = Callable[[int], dict[str, Any]]


def _code(n: int, family: str, **table: Any) -> dict[str, Any]:
    return {**DECODING, "code": {"family": family, "n": n, **table}}


def _graph(n: int) -> dict[str, Any]:
    """The code of a random regular graph of degree 4: two workers a vertex."""
    named = {"family": "graph", "name": "random-regular", "degree": 4}
    return {**DECODING, "code": {**named, "vertices": max(6, n // 4 * 2)}}


def _system(n: int, family: str, port: float = 0.0, **table: Any) -> dict[str, Any]:
    system = {"family": family, "n": n, **table}
    return {**COMPLETION, "system": system, "port": {"receive": port}}


def _tree(n: int) -> dict[str, Any]:
    """Two layers below the master, as many children everywhere, a tenth of them stragglers."""
    children = max(2, int((math.sqrt(1 + 4 * n) - 1) / 2))
    return _system(children, "coded-reduce", port=1e-5, layers=2, s=children // 10)


def _tenth(n: int) -> int:
    return max(1, n // 10)


FAMILIES: dict[str, Family] = {
    "uncoded": lambda n: _code(n, "uncoded"),
    "frc, d = 2": lambda n: _code(n, "frc", d=2),
    "binary, s = 4": lambda n: _code(n, "binary", s=4),
    "circulant, d = 2": lambda n: _code(n, "circulant", d=2),
    "circulant, d = 3": lambda n: _code(n, "circulant", d=3),
    "graph, degree 4": _graph,
    "sparse-regular, d = 5": lambda n: _code(n, "sparse-regular", d=5),
    "bernoulli, 5 a worker": lambda n: _code(n, "bernoulli", density=min(1.0, 5 / n)),
    "cyclic, d = 3": lambda n: _code(n, "cyclic", d=3),
    "cyclic-mds, d = 4": lambda n: _code(n, "cyclic-mds", d=4),
    "k-of-n": lambda n: _system(n, "k-of-n", k=n - n // 10),
    "gradient-code with a port": lambda n: _system(n, "gradient-code", port=1e-8, s=_tenth(n)),
    "tree with a port": _tree,
    "ten layers": lambda n: _system(
        n, "hierarchical", k=[max(1, n - n * layer // 20) for layer in range(1, 11)]
    ),
    "replication, d = 2": lambda n: _system(n, "replication", d=2),
    "batches, d = 2": lambda n: _system(n, "batches", d=2),
    "partial, d = 2": lambda n: _system(n, "partial", d=2),
    "block": lambda n: _system(n, "block", blocks=[1] * n),
    "ring-all-reduce": lambda n: _system(n, "ring-all-reduce"),
    "bounded-wait": lambda n: _system(n, "bounded-wait", k=n - n // 10),
    "leave-out": lambda n: _system(n, "leave-out", k=n - n // 10),
    "spare": lambda n: _system(n, "spare", b=_tenth(n)),
    "clones": lambda n: _system(n, "clones", r=1),
    "drop-late": lambda n: _system(n, "drop-late", deadline=2.0),
    "balanced": lambda n: _system(n, "balanced"),
    "local-sgd": lambda n: _system(n, "local-sgd", period=5),
}


def measure(family: str, sizes: Sequence[int]) -> None:
    """Print a point for each size, ended by one that is refused or takes too long."""
    last: dict[str, Any] = {"family": family, "n": 0}
    begun = time.process_time()

    def watch() -> None:
        while time.process_time() - begun < LIMIT:
            time.sleep(0.1)
        print(json.dumps(last | {"refused": f"beyond {LIMIT} s of the family"}), flush=True)
        os._exit(0)

    fastgc.run({"experiment": [FAMILIES[family](SMALL)]}, trials=LEAST, threads=1)
    threading.Thread(target=watch, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    before = _resident()
    for last["n"] in sizes:
        try:
            point = last | _measured(family, last["n"])
        except (FastgcError, MemoryError) as error:
            print(json.dumps(last | {"refused": f"{error or 'out of memory'}"}), flush=True)
            break
        print(json.dumps(point | {"memory": _resident() - before}), flush=True)


def _measured(family: str, n: int) -> dict[str, Any]:
    study = {"experiment": [FAMILIES[family](n)], "seed": 1}
    took = least = _seconds(study, LEAST)
    if least < SLOW:  # else it hardly matters what is loaded
        took = least = min(_seconds(study, LEAST) for _ in range(3))
    trials = LEAST
    while took - least < AIM and trials < MOST:
        trials *= 8 if least < AIM else 2
        took = _seconds(study, trials)
    a_trial = max(took - least, 0.0) / (trials - LEAST)
    once = max(least - LEAST * a_trial, 0.0)
    return {"seconds": a_trial, "once": once, "trials": trials}


def _seconds(study: dict[str, Any], trials: int) -> float:
    started = time.process_time()
    fastgc.run(study, trials=trials, threads=1)
    return time.process_time() - started


def _resident() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def points_of(family: str, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Points of a family, measured in a process of its own."""
    words = ["-m", "bench.large", "--one", family, "--sizes", *map(str, sorted(sizes))]
    return [json.loads(line) for line in command.started(words).stdout.splitlines()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = command.parse(
        "bench.large",
        __doc__,
        arguments,
        family=FAMILIES,
        sizes={"type": int, "nargs": "+", "default": list(SIZES)},
        one={"default": None, "help": argparse.SUPPRESS},
    )
    if options.one:
        measure(options.one, options.sizes)
        return 0
    print(json.dumps(machine()))
    for name in options.family or FAMILIES:
        for point in points_of(name, options.sizes):
            print(json.dumps(point), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
