"""Every worker's times, trial by trial."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.draws.streams import Trials, uniforms
from fastgc.errors import FastgcError
from fastgc.latency.empirical import Empirical
from fastgc.latency.law import NOT_RECORDED, DrawnLaw, Law, Scaling
from fastgc.latency.laws import Bimodal
from fastgc.latency.listed import recorded
from fastgc.latency.time import KernelLaw, Time
from fastgc.registry import plugins
from fastgc.registry.cached import cached_property
from fastgc_kernels.draw import law_numbers, times

MOST_SUMMANDS = 10_000
_TRACE = 34  # bit of a number's part: workers of different traces take rows independently

Rows = NDArray[np.int64]


class Draws:
    """Times of n workers, as their laws have them.

    The time of worker j for its task m in iteration l of a trial depends on (seed, stream, trial,
    l, j, m) alone: systems of any size see the same times of the workers they share.

    * ``laws``: one for all workers, or one each. A `fastgc.latency.DrawnLaw` gives times of load 1.
    * ``load``: ℓ, what a time is for: one for all workers or one each.
    * ``scaling`` ({"server-dependent", "data-dependent", "additive", "recorded"}): how time grows
      with the load; see `fastgc.latency.law.Law.time`. With additive scaling laws whose sums are
      not known exactly are drawn ℓ ≤ 10 000 times and added up.
    * ``tasks``: times that each worker draws in an iteration.
    """

    def __init__(
        self,
        laws: Sequence[Law | DrawnLaw],
        n: int,
        load: float | Sequence[float] = 1.0,
        scaling: Scaling = "server-dependent",
        tasks: int = 1,
    ) -> None:
        if len(laws) not in (1, n):
            raise FastgcError(
                f"must be one law or a list of one per worker (got {len(laws)} for n={n})",
                "latency",
            )
        self.n, self.tasks, self._scaling = n, tasks, scaling
        self._traces: list[str] = []
        loads = list(load) if isinstance(load, Sequence) else [load] * n
        known: dict[tuple[int, float, int], tuple[_Source, int]] = {}
        together = {id(law) for law in laws if isinstance(law, Law) and _keeps_rows(law)}
        self._terms = []
        for j, own in enumerate(loads):
            law = laws[j % len(laws)]
            # workers of one law share what draws, unless their times go on together
            alone = id(law) in together or (isinstance(law, Law) and law.of_worker(j) is not law)
            key = id(law), own, j if alone else -1
            if key not in known:
                known[key] = self._summands(law, j, own)
            self._terms.append(known[key])

    def times(self, batch: Trials) -> Values:
        """Draw a batch: float64 (iterations, n, trials), or (iterations, n, tasks, trials)."""
        out = np.empty((batch.iterations, self.n, self.tasks, batch.trials))
        draw = _Draw(batch, self.tasks)
        laws, params = self._compiled
        if (laws[:, 0] >= 0).any():
            times.draw(laws, params, draw.key, draw.first, out)
        for j, (source, count) in enumerate(self._terms):
            for task in range(0 if isinstance(source, _KernelSource) else self.tasks):
                out[:, j, task] = source.one(j, draw, _Place(task, 0, count))
                for part in range(1, count):
                    out[:, j, task] += source.one(j, draw, _Place(task, part, count))
        return out if self.tasks > 1 else out.reshape(batch.iterations, self.n, batch.trials)

    @cached_property
    def common(self) -> KernelLaw | None:
        """The law of a time, where workers are independent and alike and kernels can invert it."""
        found = [source.law for source, count in self._terms if isinstance(source, _KernelSource)]
        single = all(count == 1 for _, count in self._terms)
        if not single or len(found) < self.n or len({law.content for law in found}) > 1:
            return None
        return found[0] if found[0].invertible else None

    @cached_property
    def _compiled(self) -> tuple[NDArray[np.int64], Values]:
        laws = np.full((self.n, 4), -1, np.int64)
        parts = [np.empty(0)]
        places: dict[int, tuple[int, int]] = {}
        size = 0
        for j, (source, count) in enumerate(self._terms):
            if not isinstance(source, _KernelSource):
                continue
            law = source.law
            if id(law) not in places:
                parts.append(law.params)
                places[id(law)] = size, size + law.params.size
                size += law.params.size
            laws[j] = law.kind, *places[id(law)], count
        return laws, np.concatenate(parts)

    # ---- what draws a worker's times

    def _summands(self, law: Law | DrawnLaw, worker: int, load: float) -> "tuple[_Source, int]":
        """Return what draws a worker's time, and how many of them add up to it."""
        if self._scaling != "additive" or load in (0, 1):
            return self._source(law, worker, load, self._scaling), 1
        if load != int(load):
            raise FastgcError(
                f'scaling "additive" adds up whole times and needs an integer load (got {load!r})'
            )
        count = int(load)
        if isinstance(law, Law) and law.total(count) is not None:
            return self._source(law, worker, load, self._scaling), 1
        if count > MOST_SUMMANDS:
            raise FastgcError(
                f'scaling "additive" draws and adds up at most {MOST_SUMMANDS} {law.distribution} '
                f"times (got a load of {count}); gamma and exponential times add up at any load"
            )
        return self._source(law, worker, 1.0, "server-dependent"), count

    def _source(self, law: Law | DrawnLaw, worker: int, load: float, scaling: Scaling) -> "_Source":
        if load == 0:
            return _KernelSource(KernelLaw.of(law_numbers.DETERMINISTIC, 0.0, 0.0))
        grows = load if scaling == "server-dependent" else 1.0
        if not isinstance(law, Law):
            if scaling == "recorded":
                raise FastgcError(NOT_RECORDED.format(law.distribution))
            # ℓ·shift + rest, where X = shift + rest is what the law draws
            shift = law.own_shift()
            return _InvertedSource(
                law, grows, (load - 1.0) * shift if scaling == "data-dependent" else 0.0
            )
        if isinstance(law, Empirical) and law.order in _ROWS:
            trace = law.trace
            if trace.digest not in self._traces:
                self._traces.append(trace.digest)
            number = self._traces.index(trace.digest)  # among traces of which rows are taken
            column = np.ascontiguousarray(trace.rows[:, worker])
            return _RowSource(column, number, law.order == "replay", *law.moved(load, scaling))
        if isinstance(law, Bimodal) and _keeps_rows(law):
            fast, slow = (self._source(p, worker, load, scaling) for p in (law.fast, law.slow))
            return _MixtureSource(law.p_slow, fast, slow)
        time = law.of_worker(worker).time(load, scaling)
        compiled = time.compiled()
        return _InvertedSource(time, 1.0, 0.0) if compiled is None else _KernelSource(compiled)


#: Orders of a recording whose rows are taken whole.
_ROWS = ("rows", "replay")


def _keeps_rows(law: Law) -> bool:
    return any(part.order in _ROWS for part in recorded(law))


class _Draw:
    # one batch being drawn: keys, and the rows of traces, which all workers share
    def __init__(self, batch: Trials, tasks: int) -> None:
        self.iterations, self.tasks, self.trials = batch.iterations, tasks, batch.trials
        self.key = batch.key("time")
        self.first = np.uint64(batch.first)
        self._rows: dict[tuple[int, int], Rows] = {}

    def uniforms(self, worker: int, number: int, purpose: int) -> Values:
        out = np.empty((self.iterations, self.trials))
        times.draw_uniforms(worker, number, purpose, self.key, self.first, out)
        return out

    def rows(self, rows: int, number: int, purpose: int, iterations: int) -> Rows:
        if (number, purpose) not in self._rows:
            out = np.empty((iterations, self.trials), np.int64)
            times.draw_rows(np.uint64(rows), number, purpose, self.key, self.first, out)
            self._rows[number, purpose] = out
        return self._rows[number, purpose]


@dataclass(frozen=True)
class _Place:
    """Which of a worker's times in an iteration is drawn: summand ``part`` of ``count``."""

    task: int
    part: int
    count: int

    @property
    def number(self) -> int:
        return (self.part << times.PART) + self.task


# Where one time comes from: ``one`` returns times of a worker, (L, T).


@dataclass(frozen=True, eq=False)
class _KernelSource:
    law: KernelLaw

    def one(self, worker: int, draw: _Draw, place: _Place) -> Values:
        out = np.empty((draw.iterations, draw.trials))
        law = self.law
        times.draw_one(law.kind, law.params, worker, place.number, draw.key, draw.first, out)
        return out


@dataclass(frozen=True, eq=False)
class _InvertedSource:
    """A law that makes ``factor`` · times + ``offset`` of uniform numbers in NumPy."""

    law: Time | DrawnLaw
    factor: float
    offset: float

    def __post_init__(self) -> None:
        if isinstance(self.law, DrawnLaw):
            tried = uniforms(0, "plug-in", plugins.TRIED)
            plugins.require_rowwise(type(self.law), "times", self.law.times, tried)

    def one(self, worker: int, draw: _Draw, place: _Place) -> Values:
        numbers = draw.uniforms(worker, place.number, times.INVERSION)
        drawn = np.asarray(self.law.times(numbers), np.float64)
        if (drawn < 0).any():
            law = self.law
            name = law.distribution if isinstance(law, DrawnLaw) else type(law).__name__
            raise FastgcError(
                f"latency: {name} gave a negative time ({drawn.min():g}); "
                "its times must be at least 0"
            )
        drawn = np.where(np.isnan(drawn), np.inf, drawn)  # without a time there is no answer
        return np.asarray(self.offset + self.factor * drawn)


@dataclass(frozen=True, eq=False)
class _RowSource:
    """One worker's column of a trace whose rows are taken whole."""

    column: Values
    trace: int
    replay: bool
    factor: float
    offset: float

    def one(self, worker: int, draw: _Draw, place: _Place) -> Values:
        size, number = self.column.size, self.trace << _TRACE
        if self.replay:
            turns = np.arange(draw.iterations)[:, np.newaxis] * draw.tasks + place.task
            rows = draw.rows(size, number, times.START, 1) + (turns * place.count + place.part)
            rows %= size
        else:
            rows = draw.rows(size, number + place.number, times.ROWS, draw.iterations)
        return np.asarray(self.offset + self.factor * self.column[rows])


@dataclass(frozen=True, eq=False)
class _MixtureSource:
    p_slow: float
    fast: "_Source"
    slow: "_Source"

    def one(self, worker: int, draw: _Draw, place: _Place) -> Values:
        slow = draw.uniforms(worker, place.number, times.CHOICE) < self.p_slow
        parts = self.slow.one(worker, draw, place), self.fast.one(worker, draw, place)
        return np.asarray(np.where(slow, *parts))


_Source: TypeAlias = _KernelSource | _InvertedSource | _RowSource | _MixtureSource
