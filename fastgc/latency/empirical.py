"""Recorded times as a law: all values of a trace alike, moved by the rate that a load costs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any, Literal, Self

import numpy as np
import pydantic
from numpy.typing import ArrayLike
from pydantic import Field

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.law import NOT_RECORDED, Law, NotNegative, Scaling
from fastgc.latency.recording import DEFAULT_THRESHOLD, Recording, sentence
from fastgc.latency.time import Affine, Certain, KernelLaw, Time
from fastgc.latency.traces import TraceMember
from fastgc.registry import register
from fastgc.registry.cached import cached_property
from fastgc.statistics.resampling import error_of_mean
from fastgc_kernels.draw import law_numbers

_OTHER_UNIT = 100.0  # times as long as the load explains


# ---- What a unit of load costs in seconds: fitted to recordings at several loads


#: Probability that a straight line is called curved.
CURVED = 0.01
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Rate:
    """Seconds for a unit of load, the ``error`` of that, and whether time is straight in the load.

    * ``own``: by how much the rate grows with the mean of the recording that it extends; 0 where
      the rate was given.
    * ``rest``: standard error that is left where that mean is known.
    * ``recordings``: how many it was fitted to; 0 where it was given.
    * ``p_value``: probability that means of a straight line lie as far off it by what their rows
      say; None below three loads.
    """

    value: float
    error: float
    own: float = 0.0
    rest: float = 0.0
    recordings: int = 0
    p_value: float | None = None

    @property
    def curved(self) -> bool:
        """Whether the recordings contradict a straight line."""
        return self.p_value is not None and self.p_value < CURVED

    def at_no_load(self, mean: float, load: float) -> tuple[float, float]:
        """Return the time at no load, and its standard error.

        ``mean`` is that of the recording that the rate extends, which had this load.
        """
        of_mean = math.sqrt(max(0.0, self.error**2 - self.rest**2)) / abs(self.own or 1.0)
        error = math.hypot((1 - load * self.own) * of_mean, load * self.rest)
        return mean - self.value * load, error

    @property
    def straight(self) -> str:
        """A sentence on whether time grows straight with the load; empty where it was given."""
        if not self.recordings:
            return ""
        if self.p_value is None:
            return (
                "the rate is that of two loads, which do not say whether time grows straight with "
                "the load, nor how much recordings differ: record a third"
            )
        means = f"mean times of {self.recordings} recordings do not"
        if not self.curved:
            return f"The {means} contradict a straight line (p {self.p_value:.2g})"
        return (
            f"the {means} lie on a straight line (p {self.p_value:.1g}): time is curved in the "
            "load, or recordings differ by more than their rows show; the error of the rate counts "
            "that, for loads between those recorded"
        )


def fitted(recordings: Sequence[tuple[float, Values]]) -> Rate:
    """Fit a straight line to the mean times of recordings, by least squares.

    Each is a load and its times (rows, n); the first is the one that is extended. The standard
    error is that of the means, whose rows may depend on each other. Of three or more recordings it
    is at least that of their distances from the line, which count that recordings differ, times
    Student's quantile over the normal one: so few distances do not tell their own size well. Fewer
    than two different loads, and recordings with a single row, are refused.
    """
    loads = np.array([load for load, _ in recordings])
    if np.unique(loads).size < 2:
        raise FastgcError(f"a rate needs recordings at two loads or more (got {loads[0]:g} only)")
    if min(len(rows) for _, rows in recordings) < 2:
        raise FastgcError("a rate needs recordings of two rows or more, for its standard error")
    rounds = [rows.mean(axis=1) for _, rows in recordings]
    means = np.array([each.mean() for each in rounds])
    errors = np.array([error_of_mean(each) for each in rounds])
    off = loads - loads.mean()
    weights = off / (off @ off)
    rate = float(weights @ means)
    distances = means - means.mean() - rate * off
    moved = weights * errors
    error = math.sqrt(float(moved @ moved))
    p_value: float | None = None
    if (freedom := distances.size - 2) > 0:
        from scipy import special  # its import takes longer than many a command

        if np.unique(loads).size > 2:  # of two no line shows that it is not straight
            p_value = float(np.allclose(distances, 0.0, atol=1e-12))
            if (errors > 0).all():  # F's, since errors are known from so many rows alone
                ratio = float(((distances / errors) ** 2).sum()) / freedom
                p_value = float(special.fdtrc(freedom, min(map(len, rounds)) - 1, ratio))
        student = float(special.stdtrit(freedom, (1 + _CONFIDENCE) / 2))
        factor = student / NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
        spread = float(distances @ distances) / freedom * float(weights @ weights)
        error = max(error, factor * math.sqrt(spread))
    rest = math.sqrt(max(0.0, error**2 - float(moved[0]) ** 2))
    return Rate(rate, error, float(weights[0]), rest, len(recordings), p_value)


# ---- The law


class AtLoad(TraceMember):
    """A recording of the same cluster at another load, for the rate.

    * ``recorded_load`` (float): The load that its workers had, 0 or more.
    """

    recorded_load: NotNegative


@register("latency")
class Empirical(TraceMember, Law):
    """Times drawn from a trace, whose values are seconds.

    * ``order`` ({"pooled", "workers", "rows", "replay"}): ``pooled`` (the default) takes every
      value of every worker as one law; ``workers`` is one law a worker; ``rows`` and ``replay``
      also take each worker's own values, whole rows at a time, drawn anew or in order, and so keep
      what goes on together: a model that needs independent workers must refuse them.
    * ``recorded_load`` (float, optional): For scaling "recorded": the load that workers had when
      they were recorded, 0 or more, in the unit of loads (share of the work · ``work``).
    * ``rate`` (float, optional): Seconds that a unit of load more takes, 0 or more.
    * ``rate_error`` (float, optional): Standard error of ``rate``; 0 if it is left out.
    * ``fit`` (tuple of table, optional): Instead of ``rate``: recordings of the same cluster at
      other loads, each with its ``file`` and ``recorded_load``. The rate is that of the straight
      line through the mean times.
    * ``barrier`` ({"refuse", "ignore"}): What `fastgc.design` does with times that are those of a
      round, not of workers, because all waited for the slowest: it refuses them (the default), or
      takes them for workers' own.

    >>> import fastgc
    >>> files = {"times.csv": "a,b\\n1.0,2.0\\n1.0,6.0\\n"}
    >>> result = fastgc.run({"files": files, "experiment": [{
    ...     "kind": "completion",
    ...     "system": {"family": "k-of-n", "n": 2, "k": 2},
    ...     "latency": {"distribution": "empirical", "file": "times.csv", "order": "rows"},
    ... }]})
    >>> result["experiment1"]["time"].mean.value
    2.0
    """

    distribution: Literal["empirical"] = "empirical"
    order: Literal["pooled", "workers", "rows", "replay"] = "pooled"
    recorded_load: NotNegative | None = None
    rate: NotNegative | None = None
    rate_error: NotNegative | None = None
    fit: Annotated[tuple[AtLoad, ...] | None, Field(min_length=1)] = None
    barrier: Literal["refuse", "ignore"] = "refuse"
    _slope: Rate | None = pydantic.PrivateAttr(default=None)

    @pydantic.model_validator(mode="after")
    def _one_rate(self) -> Self:
        if self.rate is not None and self.fit is not None:
            raise ValueError("give either rate or fit (got both)")
        if self.rate_error is not None and self.rate is None:
            raise ValueError("rate_error belongs to rate; give it, or drop rate_error")
        given = self.rate is not None or self.fit is not None
        if given != (self.recorded_load is not None):
            missing = "recorded_load" if given else "rate, or fit with recordings at other loads"
            raise ValueError(f"what a load costs is not known without {missing}; give both")
        if self.rate is not None:
            error = self.rate_error or 0.0
            self._slope = Rate(self.rate, error, rest=error)
        if self.fit is not None:
            self._slope = self._fitted(self.fit)
        return self

    def _fitted(self, others: tuple[AtLoad, ...]) -> Rate:
        assert self.recorded_load is not None
        own = float(self.trace.pooled.mean())
        for each in others:
            same = each.trace.digest == self.trace.digest
            if same and each.recorded_load != self.recorded_load:
                raise ValueError(
                    f"fit: {each.file} has the very times of {self.file}; record at another load"
                )
            given = float(each.trace.pooled.mean())
            if not (self.recorded_load and each.recorded_load and own and given):
                continue
            # times that have a part that does not grow with the load grow less than the load does
            loads, times = each.recorded_load / self.recorded_load, given / own
            if max(times / max(loads, 1), min(loads, 1) / times) > _OTHER_UNIT:
                raise ValueError(
                    f"fit: at {loads:.3g} times the load {each.file} has {times:.3g} times the "
                    f"times of {self.file}; give both in one unit, or give rate"
                )
        recordings = [(each.recorded_load, each.trace.rows) for each in others]
        try:
            found = fitted([(self.recorded_load, self.trace.rows), *recordings])
        except FastgcError as problem:
            raise ValueError(f"fit: {problem}") from None
        if found.value < 0:
            raise ValueError(
                f"fit: more load takes less time in these recordings ({found.value:.4g} a "
                "unit); look at recorded_load of each and at their units, or give rate"
            )
        return found

    @property
    def slope(self) -> Rate | None:
        """Seconds for a unit of load, given or fitted; None where the law does not say.

        Scaling "recorded" needs it.
        """
        return self._slope

    def moved(self, load: float, scaling: Scaling = "server-dependent") -> tuple[float, float]:
        """Return (factor, offset): a recorded time x becomes offset + factor · x for a load.

        Refused are "additive" loads but 1, and "recorded" ones where the law does not say what a
        load costs or a time would be negative.
        """
        if scaling == "server-dependent":
            return load, 0.0
        if scaling == "recorded":
            if self.recorded_load is None or self._slope is None:
                raise FastgcError(NOT_RECORDED.format("no recorded_load"))
            offset = self._slope.value * (load - self.recorded_load)
            least = self.trace.least
            if least + offset < 0:
                raise FastgcError(
                    f'scaling "recorded" gives a load of {load:.6g} a negative time: the shortest '
                    f"of {self.file}, {least:.4g} s at load {self.recorded_load:g}, less "
                    f"{-offset:.4g} s for what the load is smaller; record at a smaller load"
                )
            return 1.0, offset
        if scaling == "additive" and load != 1:
            raise FastgcError("a sum of times of several rows has no law that is known")
        return 1.0, 0.0

    def at_loads(
        self, rows: Values, loads: Values | float, scaling: Scaling, more: float = 0.0
    ) -> Values:
        """Return what rows of times become for a load, or for loads (rows, n); 0 without any.

        ``more`` are seconds a unit of load beyond the law's own `slope`.
        """
        if isinstance(loads, float):
            factor, offset = self.moved(loads, scaling)
            return np.asarray(offset + more * (loads - (self.recorded_load or 0.0)) + factor * rows)
        if scaling == "recorded":
            if self._slope is None:
                raise FastgcError(NOT_RECORDED.format("no recorded_load"))
            found = rows + (self._slope.value + more) * (loads - (self.recorded_load or 0.0))
        elif scaling == "server-dependent":
            found = loads * rows
        else:
            raise FastgcError(f"a recording shares out no work by speed with scaling {scaling!r}")
        found = np.where(loads > 0, found, 0.0)
        if (found < 0).any():
            raise FastgcError(
                'scaling "recorded" gives a worker with little work a negative time; record at a '
                "smaller load"
            )
        return np.asarray(found)

    def time(self, load: float = 1.0, scaling: Scaling = "server-dependent") -> Time:
        if scaling != "recorded":
            return super().time(load, scaling)
        return Certain(0.0) if load == 0 else Affine(self.rest(), *self.moved(load, scaling))

    def rest(self) -> Time:
        """Return the law of all values; `of_worker` gives one worker's."""
        return SampleTime(self.trace.pooled)

    def of_worker(self, j: int) -> Law:
        """Return the law of worker j's values; of rows, where rows are taken."""
        if self.order == "pooled":
            return self
        values = self.trace.values[j]
        if self.order != "workers":
            values = self.trace.rows[:, j]
        return self.on(Recording((self.trace.workers[j],), values[:, None]), order="pooled")

    def on(self, trace: Recording, **changed: Any) -> Self:
        """Return the law of another trace, with other keys where they are given."""
        own = self.model_copy(update=changed)
        own._trace = trace
        return own

    def identity(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "distribution": self.distribution,
            "order": self.order,
            "sha256": self.trace.digest,
        }
        if self._slope is not None:
            found |= {"recorded_load": self.recorded_load, "rate": self._slope.value}
        return found

    def files(self) -> dict[str, Any]:
        others = {name: text for each in self.fit or () for name, text in each.files().items()}
        return others | super().files()

    def behind_barrier(self) -> str | None:
        """Return a sentence if times, or those at other loads, are of rounds and not of workers."""
        for each in (self, *(self.fit or ())):
            said = each.trace.barrier
            if said is not None:
                return f"{each.file}: {said}"
        return None

    def going_on(self) -> tuple[Self, str | None]:
        """Return the law of the rows after the last change of any worker, and what changed.

        A rate that these rows and recordings at other loads show must not be negative.
        """
        trace = self.trace
        said = sentence(trace, trace.threshold(DEFAULT_THRESHOLD))
        if said is None:
            return self, None
        own = self.on(trace.after(trace.goes_on))
        if self.fit is not None:
            try:
                own._slope = own._fitted(self.fit)
            except ValueError as problem:
                raise FastgcError(f"{said}. {problem}") from None
        rows = len(own.trace.rows)
        return own, f"{said}. What follows is of the {rows} rows after row {trace.goes_on}"

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """Return (field, sentence) where there are not n workers; a pool fits any number."""
        return [] if self.order == "pooled" else self.layout_complaints(n)


@dataclass(frozen=True, eq=False)
class SampleTime(Time):
    """One of the given values, all alike."""

    values: Values

    @cached_property
    def _sorted(self) -> Values:
        return np.sort(self.values)

    def survival(self, t: ArrayLike) -> Values:
        size = self._sorted.size
        return np.asarray((size - np.searchsorted(self._sorted, t, "right")) / size)

    def cdf(self, t: ArrayLike) -> Values:
        return np.asarray(np.searchsorted(self._sorted, t, "right") / self._sorted.size)

    def quantile(self, u: ArrayLike) -> Values:
        size = self._sorted.size
        place = np.ceil(np.asarray(u, float) * size).astype(np.int64) - 1
        return np.asarray(self._sorted[np.clip(place, 0, size - 1)])

    def upper_quantile(self, v: ArrayLike) -> Values:
        size = self._sorted.size
        place = size - 1 - np.floor(np.asarray(v, float) * size).astype(np.int64)
        return np.asarray(self._sorted[np.clip(place, 0, size - 1)])

    def mean(self) -> float:
        return float(np.mean(self.values))

    def compiled(self) -> KernelLaw | None:
        return KernelLaw(law_numbers.VALUES, np.concatenate([[0.0, 1.0], self._sorted]))

    def bends(self) -> Values:
        return np.unique(self.values)

    def is_discrete(self) -> bool:
        return True
