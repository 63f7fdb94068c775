"""What a recording shows: each worker's times, who straggles, and what goes on together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.arrays import Brief, Values
from fastgc.errors import public
from fastgc.latency.slowdown import Slowdown, slowdown
from fastgc.latency.traces import read
from fastgc.registry.activity import never
from fastgc.statistics import shares
from fastgc.traces import dependence
from fastgc.traces.dependence import Memory, Pairs
from fastgc.traces.parameters import half_width

LEVELS = (0.5, 0.9, 0.99)
LAGS = 10
#: Rounds whose correlations are looked at: shuffling more takes minutes and shows no more.
_COMPARED = 4096


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Brief):
    """What `show` found of a recording, whose file is ``name``, of the ``workers``.

    ``times``, float array (rounds, n): of the rounds that all workers have; ``recorded``: each
    worker's times, those of other rounds too; ``threshold``: who takes longer straggles;
    ``warnings``: what comes before all else: times of rounds instead of workers', workers that
    change; ``since``: after how many rows each worker goes on as it does at the end; how often it
    straggles is said of these; ``memory``, ``pairs``: correlations of times, of the last 4096
    rounds where there are more; ``unit``: what times are in, where that is known; ``slowdown``:
    what waiting for the slowest costs; None for one worker, and where times are not workers' own or
    never differ from 0.
    """

    name: str
    workers: tuple[str, ...]
    times: Values
    recorded: tuple[int, ...]
    threshold: float
    warnings: tuple[str, ...]
    since: tuple[int, ...]
    memory: Memory
    pairs: Pairs
    slowdown: Slowdown | None
    unit: str | None = None

    @property
    def straggled(self) -> Any:
        """Who straggled when, bool (rounds, n)."""
        return self.times > self.threshold

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each worker: its quantiles, how often it straggles, its memory."""
        straggled = self.straggled
        found = []
        for j, worker in enumerate(self.workers):
            own = self.times[:, j]
            share, low, high = fraction(straggled[self.since[j] :, j])
            found.append(
                {
                    "worker": worker,
                    "rounds": self.recorded[j],
                    "since": self.since[j],
                    "minimum": float(own.min()),
                    **{f"quantile({p!r})": float(np.quantile(own, p)) for p in LEVELS},
                    "maximum": float(own.max()),
                    "mean": float(own.mean()),
                    "straggled": share,
                    "low": low,
                    "high": high,
                    "lag": self.memory.per_worker[j],
                }
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "trace": self.name,
            "workers": len(self.workers),
            "rounds": len(self.times),
            "unit": self.unit,
            "threshold": self.threshold,
            "median": float(np.median(self.times)),
            "straggled": float(self.straggled.mean()),
            "warnings": list(self.warnings),
            **({} if self.slowdown is None else self.slowdown.as_dict(self.workers)),
            "each": self.rows(),
            "compared": min(len(self.times), _COMPARED),
            "memory": self.memory.as_dict(self.workers),
            "pairs": self.pairs.as_dict(self.workers),
        }


def fraction(straggled: Any) -> tuple[float, float, float]:
    """Return how often a worker straggles, and the 95 % interval.

    Rounds of a worker that straggles in runs count as the fewer independent ones that they are
    worth, by the correlation at lag 1.

    >>> [round(each, 3) for each in fraction(np.array([True, False, False, False] * 25))]
    [0.25, 0.175, 0.343]
    """
    rounds = len(straggled)
    share, size = float(np.mean(straggled)), float(rounds)
    if 0 < share < 1:
        changes = int(np.count_nonzero(straggled[1:] != straggled[:-1]))
        lag = 1 - changes / (2 * (rounds - 1) * share * (1 - share))
        lag = min(max(lag, 0.0), 1 - 1 / rounds)
        size = rounds * (1 - lag) / (1 + lag)
    low, high = shares.wilson(share, size, half_width())
    return share, max(0.0, low), min(1.0, high)


@public
def show(
    trace: str | Path | Mapping[str, Any],
    threshold: float | str | None = None,
    *,
    seed: int = 1,
    unit: str | None = None,
    interrupted: Callable[[], str | None] | None = None,
) -> Summary:
    """Look at a recording.

    * ``trace`` (str, Path or mapping): A wide csv table, or ``{"file": …, "worker": …, "value":
      …}`` with the keys that a study's trace has.
    * ``threshold`` (float or str, optional): A worker that takes longer straggles: in the trace's
      unit, or a multiple of the median of all values; ``"1.5 median"`` by default.
    * ``seed`` (int): Of the shuffles that say what chance alone gives.
    * ``unit`` (str, optional): What times are in; by default what the recording says.
    * ``interrupted`` (callable, optional): Asked often; a text it returns stops the work.

    Returns
    -------
    Summary
        Of each worker: how long it takes, how often it straggles, what it remembers.

    Raises
    ------
    FastgcError
        If the trace cannot be read or has fewer than 2 rounds, or the threshold is none.
    StoppedError
        If it was asked to stop.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "trace.csv")
    >>> _ = path.write_text("a,b\\n1,1\\n9,1\\n1,2\\n")
    >>> [(row["worker"], round(row["straggled"], 3)) for row in show(path).rows()]
    [('a', 0.333), ('b', 0.333)]
    """
    source = read(trace, threshold)
    times = source.rows
    ranked = dependence.ranks(times[-_COMPARED:])
    waits = source.barrier is None and source.n > 1 and bool(times.any())
    return Summary(
        source.name,
        source.workers,
        times,
        tuple(map(len, source.values)),
        source.limit,
        source.warnings,
        tuple(source.since),
        dependence.memory(ranked, LAGS, seed, interrupted or never),
        dependence.pairs(ranked, seed, interrupted or never),
        slowdown(times, seed) if waits else None,
        source.in_unit(unit),
    )
