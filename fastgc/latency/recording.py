"""A recording of workers' times, and what a reader of it must know first.

That is whether its times are those of rounds, not of workers, and which workers change.
"""

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.errors import FastgcError
from fastgc.latency.names import of_stages, unit_of
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import show
from fastgc.statistics.changes import changes, is_line, ranks

Label = tuple[float, int]  # an iteration, and which of the worker's values of it
#: Late is who takes longer, where nothing else is said.
DEFAULT_THRESHOLD = "1.5 median"
#: A worker has changed if its mean or median has, by such a share.
MATERIAL = 0.01
_MEDIAN = re.compile(r"\s*([0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?)\s*median\s*")


@dataclass(frozen=True, eq=False)
class Recording:
    """Times that workers took, as they were recorded.

    * ``frame``, float array (iterations, n): NaN where a worker has no time.
    * ``labels``: the iteration of each row, where the recording says it and workers differ in them.
    * ``name``: what messages call it; ``units``: those that the file's first line says, or that
      names of columns of times end in; None for a name without.
    * ``limit``: who takes longer straggles.
    """

    workers: tuple[str, ...]
    frame: Values
    labels: tuple[Label, ...] | None = None
    name: str = ""
    units: frozenset[str | None] = frozenset([None])
    limit: float = math.nan

    @property
    def n(self) -> int:
        """The number of workers."""
        return len(self.workers)

    @cached_property
    def _there(self) -> Mask:
        return ~np.isnan(self.frame)

    @cached_property
    def values(self) -> tuple[Values, ...]:
        """Each worker's times, in order."""
        return tuple(own[there] for own, there in zip(self.frame.T, self._there.T, strict=True))

    @cached_property
    def rows(self) -> Values:
        """Times (rows, n) of the iterations that all workers have."""
        whole = self._there.all(axis=1)
        return self.frame if whole.all() else self.frame[whole]

    @cached_property
    def pooled(self) -> Values:
        """Every time of every worker."""
        return np.concatenate(self.values)

    @cached_property
    def least(self) -> float:
        """The shortest time."""
        return float(self.pooled.min())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the values, of how many each worker has, and of iterations that differ."""
        content = hashlib.sha256(repr([len(values) for values in self.values]).encode())
        # −0.0 and 0.0 are one number
        content.update((self.pooled + 0.0).astype("<f8").tobytes())
        if self.labels is not None:
            own = tuple(tuple(compress(self.labels, there)) for there in self._there.T)
            content.update(repr(own).encode())
        return content.hexdigest()

    @cached_property
    def changes(self) -> dict[int, list[int]]:
        """After how many rows workers change for good: those that do; see `statistics.changes`.

        What moves neither mean nor median of a worker by `MATERIAL` is no change, nor is what a
        line fits better than steps: times that grow all the time have no part that goes on.
        """
        found = {j: _material(own, changes(own, self.n)) for j, own in enumerate(self.rows.T)}
        return {j: at for j, at in found.items() if at and not is_line(self.rows[:, j], at)}

    @property
    def goes_on(self) -> int:
        """Rows up to the last change of any worker; 0 where none changes."""
        return max((rows[-1] for rows in self.changes.values()), default=0)

    def of(self, places: Sequence[int]) -> "Recording":
        """Return the same of some workers, in the order of ``places``."""
        own = replace(
            self,
            workers=tuple(self.workers[j] for j in places),
            frame=np.ascontiguousarray(self.frame[:, list(places)]),
        )
        return own._of_rows(np.flatnonzero(own._there.any(axis=1)).tolist())

    def after(self, rows: int) -> "Recording":
        """Return what was recorded after so many rows."""
        whole = np.flatnonzero(self._there.all(axis=1)).tolist()
        end = len(self.frame)
        return self._of_rows(range([*whole, end][rows], end))

    def _of_rows(self, kept: Sequence[int]) -> "Recording":
        labels = None if self.labels is None else tuple(self.labels[i] for i in kept)
        return replace(self, frame=self.frame[kept], labels=labels)

    def threshold(self, given: float | str) -> float:
        """Return a threshold in its unit, given so, or as ``"1.5 median"`` of `pooled`."""
        return multiple_of_median(given, self.pooled)

    @cached_property
    def barrier(self) -> str | None:
        """A sentence where times are those of rounds or of groups, not of workers."""
        return of_rounds(self.rows) or of_groups(self.rows, self.workers)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before all else."""
        said = self.barrier or sentence(self, self.limit), of_stages(self.workers)
        return (*filter(None, said), *left_out(self))

    @property
    def since(self) -> list[int]:
        """After how many rows each worker goes on as it does at the end, (n,)."""
        found = {} if self.barrier is not None else self.changes
        return [found[j][-1] if j in found else 0 for j in range(self.n)]

    @property
    def unit(self) -> str | None:
        """What times are in, where the recording says it, and says one."""
        return next(iter(self.units)) if len(self.units) == 1 else None

    def in_unit(self, given: str | None) -> str | None:
        """Return what times are in, by the recording or as given; refuse what contradicts it."""
        if given is None or self.unit is None:
            return given or self.unit
        if given != self.unit and unit_of(given) != (unit_of(self.unit) or self.unit):
            raise FastgcError(
                f"unit: {self.name} says that its times are in {self.unit} (got {show(given)}); "
                "leave it out, or give times in that unit"
            )
        return self.unit


def _material(series: Values, places: list[int]) -> list[int]:
    found: list[int] = []
    for place, end in pairwise([*places, series.size]):
        before, after = series[found[-1] if found else 0 : place], series[place:end]
        middles = ((middle(before), middle(after)) for middle in (np.mean, np.median))
        if not all(math.isclose(*pair, rel_tol=MATERIAL) for pair in middles):
            found.append(place)
    return found


def multiple_of_median(given: float | str, pooled: Values) -> float:
    """Return a threshold given as it is or as a multiple of a pool's median."""
    factor: float = math.nan
    if isinstance(given, str):
        match = _MEDIAN.fullmatch(given)
        factor = float(match[1]) if match else math.nan
    elif not isinstance(given, bool):
        factor = float(given)
    if not 0 < factor < math.inf:
        raise FastgcError(
            'must be a number more than 0, or so many times the median like "1.5 median" '
            f"(got {show(given)})"
        )
    return factor * float(np.median(pooled)) if isinstance(given, str) else factor


# ---- Times of rounds, and workers that change


#: Spread of workers within a round over the spread of the rounds: at most so much behind a barrier.
#: The recordings tried have .05 and less behind one, .2 and more of workers' own times.
MOST = 0.1
OWN = 0.2
#: Probability of the normal law that own times of the least such spread are taken for a round's.
_RISK = 1e-3
#: Workers of a group are alike by their ranks, too, and in so many rows that are not their usual.
_ALIKE, _ROWS = 0.9, 10
_BEFORE = "time each worker's own work before it waits for the others (`fastgc help what-to-time`)"


def spread(rows: Values) -> float | None:
    """Return how much workers differ within a round, as a share of how much rounds differ.

    ``rows`` is (rounds, n). Each worker's own mean is taken off first, so that one that is always
    slow, or whose clock starts later, does not count. Both spreads are standard deviations.
    Infinite where all rounds take the same time on average; None for fewer than two workers or
    rounds, or where no time differs.
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
    found = spread(rows)
    if found is None or found > _most(len(rows), rows.shape[1], _RISK):
        return None
    return (
        "these are times of the round, not of workers: workers differ within a round "
        f"{found:.2g} times as much as rounds do (behind a barrier at most {MOST:g}, own times "
        f"{OWN:g} or more); {_BEFORE}"
    )


def _most(rounds: int, n: int, risk: float) -> float:
    from scipy import special  # its import takes longer than many a command

    quantile = float(special.fdtri((rounds - 1) * (n - 1), rounds - 1, risk))
    return min(MOST, OWN * math.sqrt(quantile))


def of_groups(rows: Values, names: Sequence[str]) -> str | None:
    """Return which workers wait for each other and what to do; None where no two of them do.

    Two do if their times are those of a round, with the risk of `of_rounds` for all pairs; and not
    only since a few of them are as long: by their ranks, too.
    """
    rounds, n = rows.shape
    vary = np.flatnonzero((rows != np.median(rows, axis=0)).sum(axis=0) >= _ROWS)
    if n < 3 or vary.size < 2:
        return None
    off = rows[:, vary] - rows[:, vary].mean(axis=0)
    products = off.T @ off
    sums = np.add.outer(np.diag(products), np.diag(products))
    most = _most(rounds, 2, _RISK / (n * (n - 1) / 2))
    alike = np.triu(2 * (sums - 2 * products) <= most**2 * (sums + 2 * products), 1)
    own = {j: ranks(off[:, j]) for j in np.flatnonzero(alike.any(axis=0) | alike.any(axis=1))}
    for i in np.flatnonzero(alike.any(axis=1)):
        others = np.flatnonzero(alike[i])
        group = [j for j in others if np.corrcoef(own[i], own[j])[0, 1] >= _ALIKE]
        if group:
            who = [names[vary[j]] for j in (i, *group)]
            more = f", … ({len(who)} workers)" if len(who) > _NAMED else ""
            return (
                f"workers {', '.join(who[:_NAMED])}{more} take the same time in each round, or "
                f"nearly so: they wait for each other, these are not their own times; {_BEFORE}"
            )
    return None


_GONE = 0.05  # of the rows, the last, in which a worker that left has no time, or more
_NAMED = 3  # workers of those that change
_TOGETHER = 5  # rows that changes of all workers lie apart, at most, if they are one
_CLEARLY = 0.25  # more or fewer late rows after a change: such a change is reported


def sentence(recording: Recording, threshold: float) -> str | None:
    """Return which workers change, and what to do; None where none does."""
    if not recording.changes:
        return None
    last = {j: places[-1] for j, places in recording.changes.items()}
    how = {j: _how(recording, j, threshold) for j in list(last)[:_NAMED]}
    rows = last.values()
    if len(last) == recording.n > 1 and max(rows) - min(rows) <= _TOGETHER:
        return (
            f"all workers changed at row {min(rows)}, perhaps with the batch size or the load "
            f"(worker {recording.workers[min(how)]}: {how[min(how)]}): cut there"
        )
    said = [f"worker {recording.workers[j]} changed at row {last[j]} ({how[j]})" for j in how]
    more = len(recording.changes) - len(said)
    if more:
        said.append(f"{more} more of {recording.n} workers changed")
    them = "the workers" if len(recording.changes) > 1 else "the worker"
    return f"{'; '.join(said)}: cut there, or replace {them}"


def left_out(recording: Recording) -> tuple[str, ...]:
    """Return a sentence on rounds that are left out since a worker is missing, if there are any."""
    missing = np.isnan(recording.frame).sum(axis=0).tolist()
    order = sorted((j for j in range(recording.n) if missing[j]), key=lambda j: -missing[j])
    if not order:
        return ()
    count, own = len(recording.frame), recording.workers
    ends = [count - int(np.isnan(recording.frame[::-1, j]).argmin()) for j in range(recording.n)]
    gone = [j for j in order if missing[j] == count - ends[j] >= _GONE * count]
    said = [
        f"worker {own[j]} in {missing[j]}" + f" (it has none after row {ends[j]})" * (j in gone)
        for j in order[:_NAMED]
    ]
    more = f" and {len(order) - _NAMED} more" if len(order) > _NAMED else ""
    return (
        f"{count - len(recording.rows)} of {count} rounds are left out, for workers are missing in "
        f"them: {', '.join(said)}{more}; "
        + ("leave out who left (--workers) to keep the others' later rounds; " * bool(gone))
        + "of rounds only complete ones count: far off if workers were late in the others",
    )


def idle(recording: Recording) -> str | None:
    """Return which worker takes no time in any row, while others do, and what to do."""
    rows = recording.rows
    none = np.flatnonzero(~rows.any(axis=0)).tolist() if rows.any() else []
    if not none:
        return None
    more = f" (and {len(none) - 1} more)" if len(none) > 1 else ""
    return (
        f"worker {recording.workers[none[0]]}{more} takes no time in any round, so it does no "
        "work; leave out its column, or name the others with workers = […]"
    )


def _how(recording: Recording, j: int, threshold: float) -> str:
    *before, place = recording.changes[j]
    first = before[-1] if before else 0
    old, new = recording.rows[first:place, j], recording.rows[place:, j]
    late = [int((part > threshold).sum()) for part in (old, new)]
    if abs(late[0] / old.size - late[1] / new.size) >= _CLEARLY:
        count = "all" if late[1] == new.size else f"{late[1]}"
        return f"late in {late[0]} of {old.size} rows, in {count} of the next {new.size}"
    name, levels = "median", (np.median(old), np.median(new))
    if math.isclose(*levels, rel_tol=MATERIAL):
        name, levels = "mean", (old.mean(), new.mean())
    return f"{name} {levels[0]:.4g} over {old.size} rows, {levels[1]:.4g} over the next {new.size}"
