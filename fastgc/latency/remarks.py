"""What a reader of a recording must know first: times of rounds, workers that change."""

import math

import numpy as np

from fastgc.arrays import Values
from fastgc.latency.traces import MATERIAL, Trace

#: Spread of workers within a round over the spread of the rounds: at most so much behind a barrier.
#: The recordings tried have .05 and less behind one, .2 and more of workers' own times.
MOST = 0.1
OWN = 0.2
#: Probability of the normal law that own times of the least such spread are taken for a round's.
_RISK = 1e-3


def spread(rows: Values) -> float | None:
    """Return how much workers differ within a round, as a share of how much rounds differ.

    ``rows`` is (rounds, n). Each worker's own mean is taken off first, so that one that is always
    slow, or whose clock starts later, does not count. Both spreads are standard deviations.
    Infinite where all rounds take the same time on average; None for fewer than two workers or
    rounds, or where no time differs.

    >>> import numpy as np
    >>> own = np.array([[1.0, 2.0], [4.0, 1.0], [1.0, 1.0], [2.0, 2.0], [1.0, 5.0]])
    >>> spread(own) > 1, spread(np.repeat(own.max(axis=1, keepdims=True), 2, axis=1))
    (True, 0.0)
    """
    rounds, n = rows.shape
    if rounds < 2 or n < 2:
        return None
    off = rows - rows.mean(axis=0)
    means = off.mean(axis=1)
    between = float((means**2).sum()) / (rounds - 1)
    within = float(((off - means[:, None]) ** 2).sum()) / ((rounds - 1) * (n - 1))
    # sums of equal times differ by rounding
    least = (1e-14 * float(abs(rows).max())) ** 2
    if between <= least:
        return None if within <= least else math.inf
    return math.sqrt(within / between)


def of_rounds(rows: Values) -> str | None:
    """Return what is wrong with times of rounds and what to do; None where workers' own are seen.

    Few rounds of few workers must be the more alike: own times that differ by ``OWN`` are taken for
    those of a round with probability .001 (F distribution).
    """
    from scipy import special  # its import takes longer than many a command

    found = spread(rows)
    if found is None:
        return None
    rounds, n = rows.shape
    quantile = float(special.fdtri((rounds - 1) * (n - 1), rounds - 1, _RISK))
    if found > min(MOST, OWN * math.sqrt(quantile)):
        return None
    return (
        "these are times of the round, not of workers: workers differ within a round "
        f"{found:.2g} times as much as rounds do (behind a barrier at most {MOST:g}, own times "
        f"{OWN:g} or more); time each worker's own work before it waits for the others "
        "(`fastgc help what-to-time`)"
    )


_NAMED = 3  # workers of those that change
_TOGETHER = 5  # rows that changes of all workers lie apart, at most, if they are one
_CLEARLY = 0.25  # more or fewer late rows after a change: such a change is reported


def sentence(trace: Trace, threshold: float) -> str | None:
    """Return which workers change, and what to do; None where none does.

    >>> changed = np.r_[np.tile([1.0, 1.1, 1.2], 40), np.tile([7.0, 7.2], 30)]
    >>> sentence(Trace(("a",), (changed,)), 2.0)
    'worker a changed at row 120 (late in 0 of 120 rows, in all of the next 60): cut there, or \
replace the worker'
    """
    if not trace.changes:
        return None
    last = {j: places[-1] for j, places in trace.changes.items()}
    how = {j: _how(trace, j, threshold) for j in list(last)[:_NAMED]}
    rows = last.values()
    if len(last) == trace.n > 1 and max(rows) - min(rows) <= _TOGETHER:
        return (
            f"all workers changed at row {min(rows)}, perhaps with the batch size or the load "
            f"(worker {trace.workers[min(how)]}: {how[min(how)]}): cut there"
        )
    said = [f"worker {trace.workers[j]} changed at row {last[j]} ({how[j]})" for j in how]
    more = len(trace.changes) - len(said)
    if more:
        said.append(f"{more} more of {trace.n} workers changed")
    them = "the workers" if len(trace.changes) > 1 else "the worker"
    return f"{'; '.join(said)}: cut there, or replace {them}"


def left_out(trace: Trace) -> tuple[str, ...]:
    """Return a sentence on rounds that are left out since a worker is missing, if there are any.

    >>> left_out(Trace(("a", "b"), (np.ones(40), np.ones(38))))
    ('2 of 40 rounds are left out, for workers are missing in them: worker b in 2; if they \
were late there, that hides it',)
    """
    count, missing = trace.missing
    order = sorted((j for j in range(trace.n) if missing[j]), key=lambda j: -missing[j])
    if not order:
        return ()
    said = [f"worker {trace.workers[j]} in {missing[j]}" for j in order[:_NAMED]]
    more = f" and {len(order) - _NAMED} more" if len(order) > _NAMED else ""
    return (
        f"{count - len(trace.rows)} of {count} rounds are left out, for workers are missing in "
        f"them: {', '.join(said)}{more}; if they were late there, that hides it",
    )


def _how(trace: Trace, j: int, threshold: float) -> str:
    *before, place = trace.changes[j]
    first = before[-1] if before else 0
    old, new = trace.rows[first:place, j], trace.rows[place:, j]
    late = [int((part > threshold).sum()) for part in (old, new)]
    if abs(late[0] / old.size - late[1] / new.size) >= _CLEARLY:
        count = "all" if late[1] == new.size else f"{late[1]}"
        return f"late in {late[0]} of {old.size} rows, in {count} of the next {new.size}"
    name, levels = "median", (np.median(old), np.median(new))
    if math.isclose(*levels, rel_tol=MATERIAL):
        name, levels = "mean", (old.mean(), new.mean())
    return f"{name} {levels[0]:.4g} over {old.size} rows, {levels[1]:.4g} over the next {new.size}"
