"""Every worker's times, trial by trial."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.draws.streams import Batch, uniforms
from fastgc.errors import FastgcError
from fastgc.latency.bimodal import Bimodal
from fastgc.latency.empirical import Empirical
from fastgc.latency.law import NOT_RECORDED, DrawnLaw, Law, Scaling
from fastgc.latency.listed import recorded
from fastgc.latency.time import Compiled, Time
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

    * ``laws``: one for all workers, or one each. A `fastgc.latency.DrawnLaw` gives times of a load
      of 1.
    * ``load``: ℓ, what a time is for: one for all workers or one each.
    * ``scaling`` ({"server-dependent", "data-dependent", "additive", "recorded"}): how time grows
      with the load; see `fastgc.latency.law.Law.time`. With additive scaling laws whose sums are
      not known exactly are drawn ℓ ≤ 10 000 times and added up.
    * ``tasks``: times that each worker draws in an iteration.

    >>> from fastgc.latency import Exponential
    >>> from fastgc.draws.streams import Batch, uniforms
    >>> draws = Draws([Exponential(mean=1.0, shift=0.5)], n=3, load=2.0)
    >>> draws.times(Batch(seed=1, stream="s", first=0, groups=1, iterations=2)).shape
    (2, 3, 64)
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
        self.n = n
        self.tasks = tasks
        loads = list(load) if isinstance(load, Sequence) else [load] * n
        make = _Maker(scaling)
        self._terms = [make(laws[j % len(laws)], j, loads[j]) for j in range(n)]

    def times(self, batch: Batch) -> Values:
        """Draw a batch: float64 (iterations, n, trials), or (iterations, n, tasks, trials)."""
        out = np.empty((batch.iterations, self.n, self.tasks, batch.trials))
        draw = _Draw(batch, self.tasks)
        laws, params = self._compiled
        if (laws[:, 0] >= 0).any():
            times.draw(laws, params, draw.key, draw.first, out)
        for j, terms in enumerate(self._terms):
            if not isinstance(terms.source, _Known):
                terms.fill(j, draw, out[:, j])
        return out if self.tasks > 1 else out.reshape(batch.iterations, self.n, batch.trials)

    @cached_property
    def common(self) -> Compiled | None:
        """The law of a time, where workers are independent and alike and kernels can invert it."""
        laws = [
            terms.source.law
            for terms in self._terms
            if isinstance(terms.source, _Known) and terms.count == 1
        ]
        if len(laws) < self.n or len({law.content for law in laws}) > 1:
            return None
        return laws[0] if laws[0].invertible else None

    @cached_property
    def _compiled(self) -> tuple[NDArray[np.int64], Values]:
        """What kernels need to know of each worker's law."""
        laws = np.full((self.n, 4), -1, np.int64)
        parts = [np.empty(0)]
        places: dict[int, tuple[int, int]] = {}
        size = 0
        for j, terms in enumerate(self._terms):
            if not isinstance(terms.source, _Known):
                continue
            law = terms.source.law
            if id(law) not in places:
                parts.append(law.params)
                places[id(law)] = size, size + law.params.size
                size += law.params.size
            laws[j] = law.kind, *places[id(law)], terms.count
        return laws, np.concatenate(parts)


class _Draw:
    """One batch being drawn: keys, and the rows of traces, which all workers share."""

    def __init__(self, batch: Batch, tasks: int) -> None:
        self.iterations, self.tasks, self.trials = batch.iterations, tasks, batch.trials
        self.key = batch.key("time")
        self.first = np.uint64(batch.first)
        self._rows: dict[tuple[int, int], Rows] = {}

    def uniforms(self, worker: int, number: int, purpose: int) -> Values:
        """Uniform numbers of a worker, (L, T)."""
        out = np.empty((self.iterations, self.trials))
        times.draw_uniforms(worker, number, purpose, self.key, self.first, out)
        return out

    def rows(self, rows: int, trace: int, number: int) -> Rows:
        """Rows drawn anew, the same for all workers of a trace, (L, T)."""
        return self._drawn(rows, (trace << _TRACE) + number, times.ROWS, self.iterations)

    def starts(self, rows: int, trace: int) -> Rows:
        """The row that each trial starts at, (1, T)."""
        return self._drawn(rows, trace << _TRACE, times.START, 1)

    def _drawn(self, rows: int, number: int, purpose: int, iterations: int) -> Rows:
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
        """Number of its draws."""
        return (self.part << times.PART) + self.task


# Where one time comes from: ``one`` returns times of a worker, (L, T).


@dataclass(frozen=True, eq=False)
class _Known:
    """A law that kernels know."""

    law: Compiled

    def one(self, worker: int, draw: _Draw, place: _Place) -> Values:
        out = np.empty((draw.iterations, draw.trials))
        law = self.law
        times.draw_one(law.kind, law.params, worker, place.number, draw.key, draw.first, out)
        return out


@dataclass(frozen=True, eq=False)
class _Own:
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
class _Rows:
    """One worker's column of a trace whose rows are taken whole."""

    column: Values
    trace: int
    replay: bool
    factor: float
    offset: float

    def one(self, worker: int, draw: _Draw, place: _Place) -> Values:
        size = self.column.size
        if not self.replay:
            rows = draw.rows(size, self.trace, place.number)
            return np.asarray(self.offset + self.factor * self.column[rows])
        turns = np.arange(draw.iterations)[:, np.newaxis] * draw.tasks + place.task
        rows = draw.starts(size, self.trace) + (turns * place.count + place.part)
        return np.asarray(self.offset + self.factor * self.column[rows % size])


@dataclass(frozen=True, eq=False)
class _Either:
    """A mixture of which a part keeps rows of a trace together."""

    p_slow: float
    fast: "_Source"
    slow: "_Source"

    def one(self, worker: int, draw: _Draw, place: _Place) -> Values:
        slow = draw.uniforms(worker, place.number, times.CHOICE) < self.p_slow
        parts = self.slow.one(worker, draw, place), self.fast.one(worker, draw, place)
        return np.asarray(np.where(slow, *parts))


_Source: TypeAlias = _Known | _Own | _Rows | _Either


@dataclass(frozen=True)
class _Terms:
    """The sum of ``count`` times."""

    source: _Source
    count: int

    def fill(self, worker: int, draw: _Draw, out: Values) -> None:
        """Fill one worker's ``out`` (L, tasks, T)."""
        for task in range(draw.tasks):
            out[:, task] = self.source.one(worker, draw, _Place(task, 0, self.count))
            for part in range(1, self.count):
                out[:, task] += self.source.one(worker, draw, _Place(task, part, self.count))


#: Orders of a recording whose rows are taken whole.
_ROWS = ("rows", "replay")


class _Maker:
    """Makes what draws a worker's times; workers of one law share it."""

    def __init__(self, scaling: Scaling) -> None:
        self._scaling = scaling
        self._traces: list[str] = []
        self._made: dict[tuple[int, float], _Terms] = {}
        self._of_rows: dict[int, bool] = {}
        self._alike: dict[tuple[int, float, Scaling], tuple[Values, int, tuple[float, float]]] = {}

    def __call__(self, law: Law | DrawnLaw, worker: int, load: float) -> _Terms:
        """Return what draws one worker's times."""
        alike = not isinstance(law, Law) or self._is_alike(law, worker)
        if alike and (id(law), load) in self._made:
            return self._made[id(law), load]
        terms = self._terms(law, worker, load)
        if alike:
            self._made[id(law), load] = terms
        return terms

    def _is_alike(self, law: Law, worker: int) -> bool:
        """Whether a worker's time has the law that is given, and nothing to do with others'."""
        if id(law) not in self._of_rows:
            self._of_rows[id(law)] = _keeps_rows(law)
        return not self._of_rows[id(law)] and law.of_worker(worker) is law

    def _terms(self, law: Law | DrawnLaw, worker: int, load: float) -> _Terms:
        if self._scaling != "additive" or load in (0, 1):
            return _Terms(self._source(law, worker, load, self._scaling), 1)
        if load != int(load):
            raise FastgcError(
                f'scaling "additive" adds up whole times and needs an integer load (got {load!r})'
            )
        count = int(load)
        if isinstance(law, Law) and law.total(count) is not None:
            return _Terms(self._source(law, worker, load, self._scaling), 1)
        if count > MOST_SUMMANDS:
            raise FastgcError(
                f'scaling "additive" draws and adds up at most {MOST_SUMMANDS} {law.distribution} '
                f"times (got a load of {count}); gamma and exponential times add up at any load"
            )
        return _Terms(self._source(law, worker, 1.0, "server-dependent"), count)

    def _source(self, law: Law | DrawnLaw, worker: int, load: float, scaling: Scaling) -> _Source:
        if load == 0:
            return _Known(Compiled.of(law_numbers.DETERMINISTIC, 0.0, 0.0))
        grows = load if scaling == "server-dependent" else 1.0
        if not isinstance(law, Law):
            if scaling == "recorded":
                raise FastgcError(NOT_RECORDED.format(law.distribution))
            # ℓ·shift + rest, where X = shift + rest is what the law draws
            shift = law.own_shift()
            return _Own(law, grows, (load - 1.0) * shift if scaling == "data-dependent" else 0.0)
        if isinstance(law, Empirical) and law.order in _ROWS:
            return self._rows(law, worker, load, scaling)
        if isinstance(law, Bimodal) and _keeps_rows(law):
            fast, slow = (self._source(p, worker, load, scaling) for p in (law.fast, law.slow))
            return _Either(law.p_slow, fast, slow)
        time = law.of_worker(worker).time(load, scaling)
        compiled = time.compiled()
        return _Own(time, 1.0, 0.0) if compiled is None else _Known(compiled)

    def _rows(self, law: Empirical, worker: int, load: float, scaling: Scaling) -> _Rows:
        key = id(law), load, scaling
        if key not in self._alike:  # looks at all times
            digest = law.trace.digest
            if digest not in self._traces:
                self._traces.append(digest)
            number = self._traces.index(digest)  # among traces of which rows are taken
            self._alike[key] = law.trace.rows, number, law.moved(load, scaling)
        rows, number, (factor, offset) = self._alike[key]
        column = np.ascontiguousarray(rows[:, worker])
        return _Rows(column, number, law.order == "replay", factor, offset)


def _keeps_rows(law: Law) -> bool:
    """Whether a law, or a part of it, takes rows of a trace whole."""
    return any(part.order in _ROWS for part in recorded(law))
