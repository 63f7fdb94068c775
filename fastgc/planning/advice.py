"""What to do about stragglers, from a recording of workers' times: ``fastgc advise``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.errors import FastgcError, public
from fastgc.latency.empirical import Empirical, Rate
from fastgc.latency.names import of_stages
from fastgc.latency.recording import Recording, left_out
from fastgc.latency.traces import LAYOUT, read
from fastgc.planning.judging import Question, changed
from fastgc.planning.rank_systems import FEWEST_ROWS
from fastgc.planning.verdict import AdviceFindings
from fastgc.registry.activity import never
from fastgc.registry.complaints import check, lines
from fastgc.registry.number_types import counted
from fastgc.results.remedies import Ranking

__all__ = ["Ranking", "advise"]

#: At no load a fitted time may be below 0 by so many mean times: lines may be a little curved.
_CURVED = 0.05
#: Seconds a unit of load, at most: its square must be a number.
_HIGHEST_RATE = 1e100


@public
def advise(
    trace: str | Path | Mapping[str, Any],
    *,
    load: float | None = None,
    rate: float | None = None,
    fit: Sequence[tuple[str | Path, float]] = (),
    fresh: bool = False,
    unit: str | None = None,
    interrupted: Callable[[], str | None] | None = None,
) -> Ranking:
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
    interrupted : callable, optional
        Asked often; a text it returns stops the work.

    Returns
    -------
    Ranking
        Its ``verdict`` says what to do, ``next`` what would decide; ``kind`` is as `Ranking` says.

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
    share = 1 / source.n if load is None else load
    for key, each in (("load", share), *(("fit", float(at)) for _, at in fit)):
        if not 0 <= each <= 1:
            raise FastgcError(
                f"{key}: must be a worker's share of all of the work, 0 to 1 (got {each:g}; of n "
                "workers without a code 1/n)"
            )
    if rate is not None and (fit or not 0 <= rate <= _HIGHEST_RATE):
        raise FastgcError(f"rate: must be 0 to {_HIGHEST_RATE:g}, and without fit (got {rate:g})")
    if rate is None and not fit and share == 0:
        raise FastgcError("load: times at load 0 do not say what load costs; give rate or fit")
    fitted = _fitted(trace, share, fit) if fit else None
    slope = fitted.slope if fitted is not None else None if rate is None else Rate(rate, 0.0)
    if slope is not None:
        mean = float((source if fitted is None else fitted.trace).rows.mean())
        _require_a_part("fit" if fit else "rate", slope, mean, share)
    own = source.in_unit(unit)
    asked = Question(source, share, fresh=fresh, unit=own, interrupted=interrupted or never)
    refused = refusal(source, fitted)
    if refused is not None:
        reason, do = refused
        found = asked.answer((), "refused", f"Cannot tell: {reason}.", next=do)
    else:
        found = AdviceFindings(asked, slope, [at for _, at in fit]).ranking()
    kept = isinstance(trace, Mapping) and trace.get("workers") is not None
    said = (f"rounds are those of the {counted(source.n, 'workers')} that were kept alone",) * kept
    return replace(found, warnings=(*left_out(source), *said))


def _fitted(trace: Any, share: float, fit: Sequence[tuple[str | Path, float]]) -> Empirical:
    given = dict(trace) if isinstance(trace, Mapping) else {"file": str(trace)}
    named = {key: given[key] for key in LAYOUT if key in given}
    layout = {key: each for key, each in named.items() if key != "workers" or isinstance(each, str)}
    others = [{"file": str(file), "recorded_load": at, **layout} for file, at in fit]
    law, complaints = check(Empirical, {**given, "recorded_load": share, "fit": others})
    if law is None:
        raise FastgcError("; ".join(lines(complaints)))
    law = law.going_on()[0]
    for each in law.fit or ():
        if each.trace.n != law.trace.n:
            counts = f"{each.file} has {each.trace.n} workers, {law.file} {law.trace.n}"
            raise FastgcError(f"fit: {counts}; record the same workers at both loads")
    return law


def _require_a_part(key: str, slope: Rate, mean: float, share: float) -> None:
    rest, error = slope.at_no_load(mean, share)
    if rest + 1.96 * error < -_CURVED * mean:
        hints = {"fit": "`trace record --work N`, and then 2N", "rate": "it is in the times' unit"}
        raise FastgcError(
            f"{key}: all of the work would cost {slope.value:.4g}, and at load {share:.4g} that is "
            f"{slope.value * share:.4g} of a mean time of {mean:.4g}; look at the loads and units "
            f"({hints[key]})"
        )


#: How many times as long times are that are taken to be in another unit: a minute is 60 seconds.
_OTHER_UNIT = 20.0
#: Of rounds in which a clock moves, at most so many in which it falls: one that starts again.
_FALLS = 0.1
#: A change of units is looked for after every sixteenth of the rows, an eighth or more from an end.
_PARTS, _END, _MOST_ROWS = 16, 2, 4096
#: Seconds of a time, at least: its square must be a number.
_SHORTEST = 1e-100
_ONE_UNIT = "Give all times in one unit, and run it again; leave out a worker that is broken."


def refusal(source: Recording, fitted: Empirical | None = None) -> tuple[str, str] | None:
    """Return why a recording cannot tell what to do, and what to do then; None where it can."""
    rows, names = source.rows, source.workers
    if source.n < 2:
        said = "it has 1 worker, and a straggler is slower than others"
        return said, "Record at least two workers."
    if (stages := of_stages(names)) is not None:
        return _parts(stages)
    units = sorted(filter(None, source.units))
    if len(units) > 1:
        return f"its columns are in {' and '.join(units)}", _ONE_UNIT
    if not rows.max() > _SHORTEST:
        least = f"{_SHORTEST:g}" if rows.any() else "0"
        do = "Correct the recording, and look at it with `fastgc trace show`."
        return f"no time is more than {least}", do
    steps = np.diff(rows, axis=0)
    rises, falls = (steps > 0).sum(axis=0), (steps < 0).sum(axis=0)
    clocks = (rises >= max(10, len(steps) / 2)) & (falls <= _FALLS * rises)
    if clocks.any():
        j = int(clocks.argmax())
        return (
            f"the times of worker {names[j]} rise in {rises[j]} of {len(steps)} rounds, as those "
            "of a clock; a recording says how long each round took",
            "Take differences of times that follow each other; or, if that is no worker, name the "
            "columns of a long table (--column).",
        )
    found = _unit_changes(source)
    if found is not None:
        j, first, last = found
        return (
            f"the median of worker {names[j]} goes from {first:.3g} to {last:.3g}: its times seem "
            "to be in different units",
            _ONE_UNIT,
        )
    for behind in (source.barrier, None if fitted is None else fitted.behind_barrier()):
        if behind is not None:
            return _parts(behind)
    # a quarter of its times are shorter: slow moments count little
    usual = np.quantile(rows, 0.25, axis=0)
    order = [int(j) for j in np.argsort(usual, kind="stable") if usual[j] > 0]
    for j, other in pairwise(order):
        if usual[other] >= _OTHER_UNIT * usual[j]:
            return (
                f"worker {names[other]} usually takes {usual[other]:.3g} or more, and "
                f"{names[j]} {usual[j]:.3g} or more: they seem to be in different units",
                _ONE_UNIT,
            )
    cut = source.goes_on
    if len(rows) - cut < FEWEST_ROWS:
        after = f" after {changed(source)}" if cut else ""
        said = f"it has {counted(len(rows) - cut, 'rows')}{after}; {FEWEST_ROWS} are needed"
        return said, "Record more rounds; 80 are better than 30."
    judged = rows[max(cut, len(rows) // 2) :]  # a system that waits for the first takes no time
    if not judged.all(axis=1).any():
        idle = (judged == 0).sum(axis=0)
        return (
            f"in each of the last {len(judged)} rounds some worker takes no time, and "
            f"{names[int(idle.argmax())]} in {idle.max()} of them",
            "Leave out who does no work, or record again.",
        )
    return None


def _parts(warning: str) -> tuple[str, str]:
    reason, _, remedy = warning.rpartition("; ")
    return reason, f"{remedy[0].upper()}{remedy[1:]}."


def _unit_changes(source: Recording) -> tuple[int, float, float] | None:
    """Return a worker whose times go over to another unit, and its median times before and after.

    Three quarters of those before and of those after must lie so far apart.
    """
    rows = source.rows
    places = {place for found in source.changes.values() for place in found}
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
