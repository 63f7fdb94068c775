"""Steps of training in a pipeline: what a step takes where workers are its stages.

The schedule is one forward, one backward (1F1B; Narayanan et al., *PipeDream*, SOSP 2019). A step's
time is the longest path through its graph: a piece begins when its stage is free and the stage
before it, or for a backward piece the one after it, has made what it needs. Messages take no time.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.registry.complaints import show

#: Numbers held at a time while steps are timed; micro-batches in a step, at most.
_HELD, _MOST = 2_000_000, 10_000
_FIELDS = ("{stage}", "{rank}")


@dataclass(frozen=True)
class Pipeline:
    """How workers make a pipeline, of which there may be several that wait for each other.

    * ``groups``: what workers are called, as ``"pp{stage}dp{rank}"``: workers of one rank are the
      stages of one pipeline. Or how many stages there are, whose workers come stage by stage.
    * ``micro_batches``: into how many equal pieces a worker's time of a step is parted. With one
      stage they do not matter.
    * ``backward``: how many times as long as a forward piece a backward piece takes.

    Raises FastgcError if a number is none that is allowed, or ``groups`` does not name a stage.

    With two micro-batches, two even stages take half as long again as their own work:

    >>> round(Pipeline(2, micro_batches=2).of(["a", "b"]).even, 9)
    1.5
    """

    groups: str | int
    micro_batches: int | None = None
    backward: float = 2.0

    def __post_init__(self) -> None:
        if isinstance(self.groups, str) and self.groups.isdecimal():
            object.__setattr__(self, "groups", int(self.groups))
        if isinstance(self.groups, str):
            if any(self.groups.count(field) != 1 for field in _FIELDS):
                raise FastgcError(
                    "groups: must be what workers are called, with {stage} and {rank} once each "
                    f"like pp{{stage}}dp{{rank}}, or a number of stages (got {show(self.groups)})"
                )
        elif isinstance(self.groups, bool) or self.groups < 1:
            raise FastgcError(f"groups: must be 1 stage or more (got {self.groups})")
        if self.micro_batches is not None and not 1 <= self.micro_batches <= _MOST:
            raise FastgcError(f"micro_batches: must be 1 … {_MOST} (got {self.micro_batches})")
        if not 0 <= self.backward < math.inf:
            raise FastgcError(f"backward: must be a number of at least 0 (got {self.backward:g})")

    def of(self, workers: Sequence[str]) -> "Schedule":
        """Return the schedule of these workers.

        Raises FastgcError if workers are not all stages of pipelines of one length, or it is not
        said how many micro-batches there are.

        >>> Pipeline("s{stage}r{rank}", 8).of(["s0r0", "s0r1", "s1r0", "s1r1"]).places.tolist()
        [[0, 1], [2, 3]]
        """
        places = self._counted(workers) if isinstance(self.groups, int) else self._named(workers)
        if self.micro_batches is None and len(places) > 1:
            raise FastgcError(
                "micro_batches: a recording of sums does not say how many micro-batches a step "
                "has; give their number (--micro-batches)"
            )
        return Schedule(np.array(places), self.micro_batches or 1, self.backward)

    def _counted(self, workers: Sequence[str]) -> list[list[int]]:
        assert isinstance(self.groups, int)
        ranks, left = divmod(len(workers), self.groups)
        if left or not ranks:
            raise FastgcError(
                f"groups: {len(workers)} workers are not {self.groups} stages of as many each"
            )
        return [list(range(p * ranks, (p + 1) * ranks)) for p in range(self.groups)]

    def _named(self, workers: Sequence[str]) -> list[list[int]]:
        pattern = re.escape(str(self.groups))
        for field in _FIELDS:
            pattern = pattern.replace(re.escape(field), f"(?P<{field[1:-1]}>[0-9]+)")
        found: dict[tuple[int, int], int] = {}
        for j, worker in enumerate(workers):
            match = re.fullmatch(pattern, worker)
            if match is None:
                raise FastgcError(f"groups: worker {show(worker)} is not called {self.groups}")
            key = int(match["stage"]), int(match["rank"])
            if key in found:
                raise FastgcError(
                    f"groups: workers {show(workers[found[key]])} and {show(worker)} are both "
                    f"stage {key[0]} of rank {key[1]}"
                )
            found[key] = j
        stages, ranks = (sorted({key[i] for key in found}) for i in (0, 1))
        for p in stages:
            for d in ranks:
                if (p, d) not in found:
                    raise FastgcError(f"groups: rank {d} has no worker for stage {p}; others do")
        return [[found[p, d] for d in ranks] for p in stages]


@dataclass(frozen=True, eq=False)
class Schedule:
    """The graph of a step: pipelines, each of which ends with its last piece.

    * ``places`` (int array (stages, ranks)): which worker is which stage of which pipeline.
    """

    places: NDArray[np.int64]
    micro_batches: int
    backward: float

    @property
    def even(self) -> float:
        """A step's time where every worker takes 1 for its pieces, all together."""
        return float(self.done(np.ones((1, self.places.size)))[0])

    def done(self, times: Values) -> Values:
        """Return the time of each step, (rounds,), of workers' times (rounds, n)."""
        return np.asarray(self._pipelines(times)[0].max(axis=1))

    def weights(self, times: Values) -> Values:
        """Return which part of each worker's time lies on the step's longest path, (rounds, n)."""
        ends, parts = self._pipelines(times)
        rounds, last = np.arange(len(times)), ends.argmax(axis=1)
        found = np.zeros(times.shape)
        found[rounds[:, np.newaxis], self.places.T[last]] = parts[rounds, last]
        return found

    def without(self, times: Values, workers: Sequence[int]) -> tuple[Values, Values]:
        """Return steps' times, and those of even workers, with the others' mean for some."""
        mean = np.delete(times, workers, axis=1).mean(axis=1)
        replaced = times.copy()
        replaced[:, workers] = mean[:, np.newaxis]
        return self.done(replaced), self.even * mean

    def each(self, times: Values) -> Iterator[tuple[Values, Values]]:
        """Yield `without` each worker.

        A worker delays its own pipeline alone, so that a stage is replaced in all of them at once.
        """
        n = times.shape[1]
        others = np.stack([np.delete(times, w, axis=1).mean(axis=1) for w in range(n)], axis=1)
        ends = self._pipelines(times)[0]
        found = np.empty(times.shape)
        for own in self.places:
            replaced = times.copy()
            replaced[:, own] = others[:, own]
            now = self._pipelines(replaced)[0]
            for d, worker in enumerate(own):
                rest = np.delete(ends, d, axis=1).max(axis=1, initial=0.0)
                found[:, worker] = np.maximum(rest, now[:, d])
        for w in range(n):
            yield found[:, w], self.even * others[:, w]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        stages, ranks = self.places.shape
        return {
            "stages": stages,
            "pipelines": ranks,
            "micro_batches": self.micro_batches,
            "backward": self.backward,
        }

    def _pipelines(self, times: Values) -> tuple[Values, Values]:
        """Return each pipeline's time (rounds, ranks), and its stages' parts in the longest path.

        The parts are (rounds, ranks, stages): times them, workers' times sum to the pipeline's.
        """
        stages, ranks = self.places.shape
        step = max(1, _HELD // (2 * self.micro_batches * stages * (stages + 1) * ranks))
        ends = np.empty((len(times), ranks))
        parts = np.empty((len(times), ranks, stages))
        for first in range(0, len(times), step):
            part = slice(first, first + step)
            path = self._path(times[part][:, self.places])
            ends[part], parts[part] = path[0], np.moveaxis(path[1:], 0, -1)
        return ends, parts

    def _path(self, times: Values) -> Values:
        """Return the longest path of steps (rounds, stages, ranks): its time, then its parts."""
        rounds, stages, ranks = times.shape
        forward = 1 / (1 + self.backward) / self.micro_batches
        share = {"forward": forward, "backward": self.backward * forward}
        ends: dict[tuple[str, int, int], Values] = {}
        free = [np.zeros((1 + stages, rounds, ranks)) for _ in range(stages)]
        waiting = [self._order(p) for p in range(stages)]
        while any(waiting):
            for p, own in enumerate(waiting):
                while own:
                    kind, i = own[0]
                    needs = _needs(kind, i, p, stages)
                    if needs is not None and needs not in ends:
                        break
                    own.pop(0)
                    begins = free[p] if needs is None else _later(free[p], ends[needs])
                    end = begins.copy()
                    end[0] += share[kind] * times[:, p]
                    end[1 + p] += share[kind]
                    ends[kind, i, p] = free[p] = end
        return free[0]  # its last backward piece needs that of every other stage

    def _order(self, stage: int) -> list[tuple[str, int]]:
        """Return a stage's pieces in 1F1B's order: it holds at most as many as stages follow."""
        many = self.micro_batches
        ahead = min(many, len(self.places) - stage) - 1
        found = [("forward", i) for i in range(ahead)]
        for i in range(many):
            if ahead + i < many:
                found.append(("forward", ahead + i))
            found.append(("backward", i))
        return found


def _needs(kind: str, i: int, stage: int, stages: int) -> tuple[str, int, int] | None:
    """Return the piece of another kind or stage that must be done before."""
    if kind == "forward":
        return ("forward", i, stage - 1) if stage else None
    return ("backward", i, stage + 1) if stage + 1 < stages else ("forward", i, stage)


def _later(a: Values, b: Values) -> Values:
    return np.where(a[0] >= b[0], a, b)
