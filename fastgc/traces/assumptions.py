"""What fitted laws and models take for granted, and whether the recording contradicts it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from fastgc.results.verdicts import rejected
from fastgc.traces import dependence, measurements
from fastgc.traces.fits import Independence
from fastgc.traces.parameters import Values
from fastgc.traces.recording import Recording
from fastgc.traces.source import Source

ALPHA = 0.01  # chance that any sort of independence is said to fail that does not


def independence(
    source: Source, straggled: Any, seed: int, interrupted: Callable[[], str | None]
) -> tuple[Independence, ...]:
    """Test what laws and models take for granted.

    Parameters
    ----------
    source : Source
    straggled : bool array (rounds, n)
    seed : int
        Of the shuffles.
    interrupted : callable
        Asked often; a text it returns stops the work.
    """
    names = source.trace.workers
    series = dependence.ranks(source.rows)
    over = dependence.memory(series, 1, seed, interrupted)
    found: list[tuple[str, float | None, float, str]] = []
    first = float(over.lags[0]) if len(over.lags) else None
    factor = math.sqrt((1 + first) / (1 - first)) if first and 0 < first < 1 else 1.0
    remark = "correlation of a worker's time with its next"
    if factor > 1.05:
        remark += f"; intervals of the latency laws would have to be {factor:.2g} × as wide"
    found.append(("times independent over rounds", first, over.p_value, remark))
    if source.trace.n > 1:
        between = dependence.pairs(series, None, seed, interrupted)
        remark = "mean correlation between workers"
        if between.strongest:
            i, j, value = between.strongest[0]
            remark += f"; strongest: {names[i]} and {names[j]}, {value:.2f}"
        found.append(("times independent between workers", between.mean, between.p_value, remark))
        found.append(("times alike for all workers", *_unlike(source.rows)))
    if straggled.any() and not straggled.all():
        recording = Recording(straggled, names, seed, interrupted)
        measures = [("straggling independent over rounds", measurements.within_a_worker)]
        if source.trace.n > 1:
            measures.append(("straggling independent between workers", measurements.across_workers))
        if source.trace.n > 2:
            measures.append(("straggling at two rates", measurements.two_classes))
        for name, measure in measures:
            measured = measure(recording)
            if measured.value is not None:
                found.append((name, measured.value, measured.p_value, measured.remark))
    fallen = rejected([p for _, _, p, _ in found], ALPHA)
    return tuple(
        Independence(name, value, p, fails, remark)
        for (name, value, p, remark), fails in zip(found, fallen, strict=True)
    )


def _unlike(rows: Values) -> tuple[float, float, str]:
    """Return which share of the variance of all times' ranks lies between workers, and its p-value.

    The test is Kruskal and Wallis's.
    """
    from scipy import special

    ranked = dependence.ranks(rows.reshape(-1, 1)).reshape(rows.shape)
    total = float(((ranked - ranked.mean()) ** 2).sum())
    between = len(rows) * float(((ranked.mean(axis=0) - ranked.mean()) ** 2).sum())
    share = between / total if total else 0.0
    p = float(special.chdtrc(rows.shape[1] - 1, (rows.size - 1) * share))
    return share, p, "share of the variance of the times' ranks that lies between workers"
