"""What to do about stragglers, from a recording of workers' times: ``fastgc advise``."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.errors import FastgcError
from fastgc.latency.empirical import Empirical, Rate
from fastgc.latency.names import stages_of, stages_said
from fastgc.latency.remarks import left_out
from fastgc.latency.source import Source, read
from fastgc.latency.traces import LAYOUT
from fastgc.planning.judging import Question, changed
from fastgc.planning.lateness import late_together
from fastgc.planning.recording import FEWEST_ROWS
from fastgc.planning.sentences import Findings, Refusal, worded
from fastgc.registry.complaints import check, lines
from fastgc.registry.numbers import counted
from fastgc.results.advised import Advice, BreakEven, Remedy

__all__ = ["Advice", "BreakEven", "Remedy", "advise"]

#: How many times as long times are that are taken to be in another unit: a minute is 60 seconds.
_OTHER_UNIT = 20.0
#: Of rounds in which a clock moves, at most so many in which it falls: one that starts again.
_FALLS = 0.1
#: A change of units is looked for after every sixteenth of the rows, an eighth or more from an end.
_PARTS, _END, _MOST_ROWS = 16, 2, 4096
_TWO = "Record at least two workers."
#: At no load a fitted time may be below 0 by so many mean times: lines may be a little curved.
_CURVED = 0.05
#: Seconds a unit of load, at most, and of a time: their squares must be numbers.
_HIGHEST_RATE, _SHORTEST = 1e100, 1e-100


def advise(
    trace: str | Path | Mapping[str, Any],
    *,
    load: float | None = None,
    rate: float | None = None,
    fit: Sequence[tuple[str | Path, float]] = (),
    fresh: bool = False,
    unit: str | None = None,
    groups: str | int | None = None,
    seed: int = 1,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Advice:
    """Say what to do about the stragglers of a recording, and how sure that is.

    Parameters
    ----------
    trace : str, Path or mapping
        A recording of each worker's own times, as `fastgc.traces.show` takes it.
    load : float, optional
        The share of the work that each worker had when it was recorded; 1/n by default.
    rate : float, optional
        Seconds that all of the work takes more than none of it, if that is known.
    fit : sequence of (file, load), optional
        Instead of ``rate``: recordings of the same workers at other loads.
    fresh : bool
        Whether every worker may draw mini-batches of its own in every round, so that any n of
        n + b answers are as good as others (`fastgc.systems.spare`).
    unit : str, optional
        What times are in; by default what the names of columns say, like ``time_ms``.
    groups : str or int, optional
        Of workers that are stages of pipelines: what they are called, like ``"pp{stage}dp{rank}"``,
        or how many stages there are, whose workers come stage by stage. Names that begin so are
        known without it.
    seed : int
        Of the rows that are drawn again.
    interrupted : callable, optional
        Asked often; a text it returns stops the work.

    Returns
    -------
    Advice

    Raises
    ------
    FastgcError
        If the recording cannot be read, or ``load``, ``rate`` and ``fit`` do not fit together.
    StoppedError
        If it was asked to stop.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "times.csv")
    >>> rows = [f"{1 + i % 7 / 500},{1 + i % 5 / 400},{1 + i % 3 / 300},4" for i in range(80)]
    >>> _ = path.write_text("\\n".join(["a,b,c,d", *rows]))
    >>> found = advise(path)
    >>> found.kind, found.system
    ('remedy', {'family': 'leave-out', 'n': 4, 'k': 1, 'who': [3]})
    """
    source = read(trace, rounds=1)
    share = 1 / source.trace.n if load is None else load
    for key, each in (("load", share), *(("fit", float(at)) for _, at in fit)):
        if not 0 <= each <= 1:
            raise FastgcError(
                f"{key}: must be a worker's share of all of the work, 0 to 1 (got {each:g}; of n "
                "workers without a code 1/n)"
            )
    if rate is not None and (fit or not (math.isfinite(rate) and rate >= 0)):
        raise FastgcError(f"rate: must be 0 or more, and without fit (got {rate:g})")
    if rate is not None and rate > _HIGHEST_RATE:
        raise FastgcError(f"rate: must be at most {_HIGHEST_RATE:g} (got {rate:g})")
    if rate is None and not fit and share == 0:
        raise FastgcError("load: times at load 0 do not say what load costs; give rate or fit")
    fitted = fitted_law(trace, share, fit) if fit else None
    names = source.trace.workers
    stages = stages_of(names) if groups is None else stages_said(groups, names)
    asked = Question(source, share, fresh, source.in_unit(unit), seed, interrupted)
    asked.facts["stages"] = stages
    refusal = unfit(source, fitted)
    if refusal is not None:
        found = Findings(asked.facts, refusal=refusal)
    else:
        slope = fitted.slope if fitted is not None else None if rate is None else Rate(rate, 0.0)
        found = asked.answered(slope)
    placed = late_together(asked.own, [each.system for each in found.remedies], asked.fastest)
    if stages and found.remedies:
        by = "by their names " if groups is None else ""
        said = f"{by}workers are {counted(len(stages), 'stages')} of pipelines"
        hint = "none can be left out or coded alone; compare the workers of one stage"
        placed = (*placed, f"{said}: {hint}")
    return replace(worded(found), warnings=(*left_out(source.trace), *placed))


def fitted_law(trace: Any, share: float, fit: Sequence[tuple[str | Path, float]]) -> Empirical:
    """Return the law whose rate other recordings show."""
    given = dict(trace) if isinstance(trace, Mapping) else {"file": str(trace)}
    layout = {key: given[key] for key in LAYOUT if key in given and key != "workers"}
    others = [{"file": str(file), "recorded_load": at, **layout} for file, at in fit]
    law, complaints = check(Empirical, {**given, "recorded_load": share, "fit": others})
    if law is None:
        raise FastgcError("; ".join(lines(complaints)))
    law = law.going_on()[0]
    for each in law.fit or ():
        if each.trace.n != law.trace.n:
            counts = f"{each.file} has {each.trace.n} workers, {law.file} {law.trace.n}"
            raise FastgcError(f"fit: {counts}; record the same workers at both loads")
    slope = law.slope
    assert slope is not None
    mean = float(law.trace.rows.mean())
    rest, error = slope.at_no_load(mean, share)
    if rest + 1.96 * error < -_CURVED * mean:
        raise FastgcError(
            f"fit: all of the work would cost {slope.value:.4g}, and at load {share:.4g} that is "
            f"{slope.value * share:.4g} of a mean time of {mean:.4g}; look at the loads and units "
            "of the recordings (`trace record --work N`, and then 2N)"
        )
    return law


def _of_rounds(said: str | None) -> Refusal | None:
    """Return the refusal of times behind a barrier, where a sentence says that they are."""
    if said is None:
        return None
    reason, _, remedy = said.rpartition("; ")
    return Refusal(reason, f"{remedy[0].upper()}{remedy[1:]}.")


def unfit(source: Source, fitted: Empirical | None = None) -> Refusal | None:
    """Return why a recording cannot tell what to do; None where it can."""
    refusal = _refusal(source)
    if refusal is None and fitted is not None:
        refusal = _of_rounds(fitted.behind_barrier())
    cut = source.trace.goes_on
    rows = len(source.rows) - cut
    if refusal is None and rows < FEWEST_ROWS:
        after = f" after {changed(source)}" if cut else ""
        said = f"it has {counted(rows, 'rows')}{after}; {FEWEST_ROWS} are needed"
        refusal = Refusal(said, "Record more rounds; 80 are better than 30.")
    return refusal


def _refusal(source: Source) -> Refusal | None:
    """Return why a recording cannot tell what to do, whatever its rows are; None where it can."""
    rows, names = source.rows, source.trace.workers
    if source.trace.n < 2:
        said = "it has 1 worker, and a straggler is slower than others"
        return Refusal(said, _TWO)
    units = sorted(filter(None, source.units))
    if len(units) > 1:
        return Refusal(
            f"its columns are in {' and '.join(units)}",
            "Give all times in one unit, and run it again.",
        )
    if not rows.max() > _SHORTEST:
        least = f"{_SHORTEST:g}" if rows.any() else "0"
        return Refusal(f"no time is more than {least}")
    steps = np.diff(rows, axis=0)
    rises, falls = (steps > 0).sum(axis=0), (steps < 0).sum(axis=0)
    clocks = (rises >= max(10, len(steps) / 2)) & (falls <= _FALLS * rises)
    if clocks.any():
        j = int(clocks.argmax())
        return Refusal(
            f"the times of worker {names[j]} rise in {rises[j]} of {len(steps)} rounds, as those "
            "of a clock; a recording says how long each round took",
            "Take differences of times that follow each other; or, if that is no worker, name the "
            "columns of a long table (--column).",
        )
    changed = _unit_changes(source)
    if changed is not None:
        j, first, last = changed
        return Refusal(
            f"the median of worker {names[j]} goes from {first:.3g} to {last:.3g}: its times seem "
            "to be in different units",
            "Give all times in one unit, and run it again.",
        )
    if source.barrier is not None:
        return _of_rounds(source.barrier)
    # a quarter of its times are shorter: slow moments count little
    usual = np.quantile(rows, 0.25, axis=0)
    order = [int(j) for j in np.argsort(usual, kind="stable") if usual[j] > 0]
    for j, other in pairwise(order):
        if usual[other] >= _OTHER_UNIT * usual[j]:
            return Refusal(
                f"worker {names[other]} usually takes {usual[other]:.3g} or more, and "
                f"{names[j]} {usual[j]:.3g} or more: they seem to be in different units",
                "Give all times in one unit, and run it again; leave out a worker that is broken.",
            )
    return None


def _unit_changes(source: Source) -> tuple[int, float, float] | None:
    """Return a worker whose times go over to another unit, and its median times before and after.

    Three quarters of those before and of those after must lie so far apart.
    """
    rows = source.rows
    places = {place for found in source.trace.changes.values() for place in found}
    if len(rows) <= _MOST_ROWS:  # of more, changes are seen well
        places |= {len(rows) * i // _PARTS for i in range(_END, _PARTS - _END + 1)} - {0}
    for place in sorted(places):
        parts = rows[:place], rows[place:]
        (low, high), (later_low, later_high) = (
            np.quantile(part, [0.25, 0.75], axis=0) for part in parts
        )
        apart = (later_low >= _OTHER_UNIT / 2 * high) | (low >= _OTHER_UNIT / 2 * later_high)
        apart &= np.minimum(low, later_low) > 0
        if apart.any():
            j = int(apart.argmax())
            first, last = (float(np.median(part[:, j])) for part in parts)
            if max(first, last) >= _OTHER_UNIT * min(first, last):
                return j, first, last
    return None
