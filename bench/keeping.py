"""What raw samples cost: ``python -m bench.keeping``.

Runs of one thread, without a file of samples and with it, in turn. With two cores the samples are
written while sampling goes on. No run is faster than the disk takes its bytes, which is measured
beside it; where that alone is too slow, nothing is judged.
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastgc
from bench import command, threads
from bench.timing import others_seconds
from fastgc.results.sample_files import SEGMENT_BYTES

#: Times as long a run may take, of so many nanoseconds a trial and more.
MOST = ((100.0, 1.15), (0.0, 1.5))
WORKLOADS = ("frc-20", "any-20", "circulant-64", "any-50", "any-100", "layers-100", "tree-156")
SECONDS = 0.5  # of a run without samples
ROUNDS = 5


@dataclass(frozen=True)
class Kept:
    """Time of a run with samples as a multiple of one without.

    ``disk`` are the nanoseconds a trial that the disk alone takes for them; ``processor`` is the
    ratio of processor times.
    """

    name: str
    nanoseconds: float
    ratio: float
    processor: float
    disk: float
    most: float
    others: float

    @property
    def judged(self) -> bool:
        """Whether the disk could be fast enough, and two cores were there."""
        enough = self.disk <= self.most * self.nanoseconds
        return enough and self.others <= threads.IDLE and (os.cpu_count() or 1) >= 2


def measure(name: str, rounds: int, size: float) -> Kept:
    """Run a workload with and without samples, in turn; the best of each counts."""
    table = {"name": "kept", "method": "monte-carlo", **threads.WORKLOADS[name]()}
    with tempfile.TemporaryDirectory(prefix="fastgc-bench-") as folder:
        run = _Runs(Path(folder), {"experiment": [table]})
        trials = 1 << 17
        run(trials, None)
        took = run(trials, None)[0]
        trials = max(1 << 12, int(trials * SECONDS * size / took))
        before, begun = others_seconds(), time.perf_counter()
        best: dict[str | None, tuple[float, float]] = {}
        for _ in range(rounds):
            for keep in (None, "samples"):
                wall, used = run(trials, keep)
                old = best.get(keep, (wall, used))
                best[keep] = min(old[0], wall), min(old[1], used)
        disk = run.disk(rounds)
        others = (others_seconds() - before) / (time.perf_counter() - begun)
    plain = 1e9 * best[None][0] / trials
    return Kept(
        name,
        plain,
        best["samples"][0] / best[None][0],
        best["samples"][1] / best[None][1],
        1e9 * disk * run.bytes / trials,
        next(most for least, most in MOST if plain >= least),
        max(0.0, others),
    )


class _Runs:
    """Runs of a study, each to a fresh file."""

    def __init__(self, folder: Path, study: dict[str, Any]) -> None:
        self._folder = folder
        self._study = study
        self._number = 0
        self.bytes = 0  # of the samples of the last run that has some

    def __call__(self, trials: int, keep: str | None) -> tuple[float, float]:
        """Return seconds, by the clock and of processors."""
        self._number += 1
        out = self._folder / f"{self._number}.h5"
        wall, used = time.perf_counter(), time.process_time()
        fastgc.run(self._study, out=out, trials=trials, threads=1, keep=keep)
        took = time.perf_counter() - wall, time.process_time() - used
        segments = list((self._folder / f"{out.name}.samples").glob("*"))
        if segments:
            self.bytes = sum(file.stat().st_size for file in segments)
        for file in segments:
            file.unlink()
        return took

    def disk(self, rounds: int) -> float:
        """Return the seconds a byte that the disk takes for a segment, written and synced."""
        content, best = bytes(SEGMENT_BYTES), float("inf")
        for _ in range(rounds):
            started = time.perf_counter()
            with (self._folder / "disk").open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            best = min(best, time.perf_counter() - started)
        return best / SEGMENT_BYTES


def measured(rounds: int, size: float, only: Sequence[str] | None = None) -> list[Kept]:
    """Measure all workloads, or some, and print a line for each."""
    found = []
    for name in only or WORKLOADS:
        kept = measure(name, min(rounds, ROUNDS), size)
        judged = "" if kept.judged else f"; not judged: others used {kept.others:.2f} cores"
        if kept.disk > kept.most * kept.nanoseconds:
            judged = "; not judged: the disk is too slow"
        print(
            f"{name:13} {kept.nanoseconds:8.1f} ns a trial, with samples {kept.ratio:.2f} × "
            f"(at most {kept.most:g}), processor time {kept.processor:.2f} ×, "
            f"the disk alone {kept.disk:.1f} ns{judged}",
            flush=True,
        )
        found.append(kept)
    return found


def complaints(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which workloads take too long with samples, where it can be judged."""
    return [
        f"{each['name']}: {each['ratio']:.2f} × with samples, at most {each['most']:g} ×"
        for each in found
        if each["judged"] and each["ratio"] > each["most"]
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every workload; 1 where one takes too long."""
    options = command.parse(
        "bench.keeping", __doc__, arguments, only=WORKLOADS, rounds=ROUNDS, size=1.0
    )
    found = measured(options.rounds, options.size, options.only)
    missed = complaints([threads.as_data(each) for each in found])
    print(*missed, sep="\n")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
