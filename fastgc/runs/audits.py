"""`fastgc.runs.audit`: blocks of a file, sampled again, and rows computed anew, held against it."""

import json
import math
import random
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from fastgc.arrays import Brief
from fastgc.engine.executors.local import pool_for
from fastgc.engine.executors.pool import Pool, side_by_side
from fastgc.engine.units import BlockRun, Unit
from fastgc.errors import FastgcError, StudyError, public
from fastgc.registry.activity import Batch, Step, never
from fastgc.results import store
from fastgc.results.frames import grouped
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.runs.plan import Plan, called, unit_name
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study
from fastgc.version import STREAM_VERSION, __version__

DEFAULT_SHARE = 0.001
#: Numbers of a row that are computed anew agree to this share of them, or to rounding of 0.
CLOSE, ROUNDING = 1e-9, 1e-15
AT_ONCE = 16  # blocks of a task

Points = tuple[dict[str, Any], ...]
#: Blocks of a unit, by their places.
Drawn = tuple["UnitAudit", Sequence[int]]


@dataclass(frozen=True)
class Difference:
    """Something that the file says and that is not so.

    ``block`` counts the study's blocks of the unit from 0, ``trials`` are its first and last one;
    both are None where it is about more than a block.
    """

    unit: str
    points: Points
    what: str
    block: int | None = None
    trials: tuple[int, int] | None = None


@dataclass(eq=False, repr=False)
class UnitAudit(Brief):
    """A unit of a file: which of its blocks are sampled again, and what was found."""

    name: str
    points: Points  #: ``experiment`` and ``point`` of each of its points.
    stored: StoredUnit
    unit: Unit | None = None  #: What samples it again.
    obstacle: str = ""  #: Why no block of it can be sampled again; empty where they can.
    numbers: Sequence[int] = ()  #: The study's numbers of its blocks.
    #: Places of the blocks to be sampled again; the partial block has the last place.
    drawn: list[int] = field(default_factory=list)
    checked: int = 0  #: How many of them have been compared.
    #: Whether all blocks were added up, and the sum was compared with the file's.
    sums_compared: bool = False
    differences: list[Difference] = field(default_factory=list)
    total: Tally | None = None  #: The sum so far, where all blocks are drawn.

    @property
    def blocks(self) -> int:
        """Blocks that the file has of it, a last, partial one too."""
        return self.stored.done + (self.stored.partial is not None)

    def draw(self, share: float, draws: random.Random) -> None:
        """Draw blocks, all sets of so many alike: at least one, and none twice."""
        count = min(self.blocks, max(1, math.ceil(share * self.blocks)))
        self.drawn = draws.sample(range(self.blocks), count)
        if self.obstacle:
            self.drawn = []
        elif count == self.blocks and self.stored.done:
            self.total = Tally.empty(*self.stored.tally.shape)

    def tasks(self, workers: int) -> Iterator[tuple[Drawn, Callable[[], BlockRun]]]:
        """Yield drawn blocks, some at a time, and what samples them again."""
        assert self.unit is not None
        whole = sorted(place for place in self.drawn if place < self.stored.done)
        size = max(1, min(AT_ONCE, len(whole) // (4 * workers)))
        groups = [whole[start : start + size] for start in range(0, len(whole), size)]
        for places in groups + [[self.stored.done]] * (len(whole) < len(self.drawn)):
            numbers = [self.numbers[place] for place in places]
            yield (self, places), partial(self.unit.run, numbers, self.trials_of(places[0]))

    def trials_of(self, place: int) -> int:
        """Return how many trials the block at a place has."""
        partial = self.stored.partial if place == self.stored.done else None
        return self.stored.block if partial is None else partial.trials

    def compare(self, places: Sequence[int], run: BlockRun) -> None:
        """Hold blocks, sampled again, against the file."""
        stored = self.stored
        self.checked += len(places)
        if places[0] == stored.done:
            if not _same(run.tally, stored.partial):
                self._differs("the sums of this last, partial block are not", places[0])
            return
        for place, digest in zip(places, run.digests.tolist(), strict=True):
            if digest != int(stored.digests[place]):
                self._differs("its digest is not", place)
        if self.total is not None:
            self.total.merge(run.tally)
            if self.total.trials == stored.done * stored.block:
                self.sums_compared = True
                if not _same(self.total, stored.tally):
                    self._differs("the sums over all full blocks are not")

    def _differs(self, what: str, place: int | None = None) -> None:
        number, trials = None, None
        if place is not None:
            number = self.numbers[place]
            first = number * self.stored.block
            trials = first, first + self.trials_of(place) - 1
        said = f"{what} what sampling again gives"
        self.differences.append(Difference(self.name, self.points, said, number, trials))


def _same(a: Tally, b: Tally | None) -> bool:
    same_counts = b is not None and (a.trials, a.histograms) == (b.trials, b.histograms)
    return b is not None and same_counts and bool((a.sums.limbs() == b.sums.limbs()).all())


@dataclass(eq=False, repr=False)
class Audit(Brief):
    """What an audit found in the file ``path``, in whose ``units``; and what is ``stored`` there.

    * ``seed``: which blocks were drawn; the same seed draws the same ones.
    * ``share``: of each unit's blocks; at least one of each was drawn.
    * ``rows``, ``rows_compared``: rows of the file, and how many of them were computed anew.
    * ``differences``: what the file says and is not so; empty for an honest file.
    * ``unchecked``: sentences on what could not be checked.
    * ``stopped_by``: what ended the audit early.
    """

    path: str
    stored: StoredRun = field(repr=False)  #: What the file holds.
    seed: int
    share: float
    units: list[UnitAudit] = field(default_factory=list)
    rows_compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    stopped_by: str | None = None

    @property
    def rows(self) -> int:
        """Rows of the file."""
        return len(self.stored.rows)

    @property
    def blocks(self) -> int:
        """Blocks that the file holds."""
        return sum(unit.blocks for unit in self.units)

    @property
    def checked(self) -> int:
        """Blocks that were sampled again."""
        return sum(unit.checked for unit in self.units)

    @property
    def passed(self) -> bool:
        """Whether nothing differs, and not everything was left unchecked."""
        nothing = self.checked == 0 if self.blocks else self.rows_compared == 0
        return not self.differences and not nothing

    @property
    def missed(self) -> float | None:
        """Probability at most to have missed one forged block of the units that were sampled."""
        within = [unit for unit in self.units if unit.blocks and not unit.obstacle]
        return max((1 - unit.checked / unit.blocks for unit in within), default=None)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        shown = ("path", "seed", "share", "rows", "rows_compared", "unchecked", "stopped_by")
        more = ("passed", "blocks", "checked", "missed")
        of_unit = ("name", "points", "blocks", "checked", "sums_compared", "obstacle")
        return {key: getattr(self, key) for key in (*shown, *more)} | {
            "units": [
                {key: getattr(unit, key) for key in of_unit}
                | {"differences": len(unit.differences)}
                for unit in self.units
            ],
            "differences": [asdict(difference) for difference in self.differences],
        }

    @property
    def _is_same_version(self) -> bool:
        # then all that the file says must be what we find
        return bool(self.stored.provenance.get("fastgc") == __version__)

    @property
    def _other_stream(self) -> str:
        # why nothing of the file can be sampled again; empty where it can
        own = self.stored.provenance.get("stream_version")
        said = f"sampled with stream version {own}, this fastgc has {STREAM_VERSION}"
        return said if own != STREAM_VERSION else ""

    def _differs(self, name: str, points: Points, what: str) -> None:
        self.differences.append(Difference(name, points, what))

    def _says(self, what: str) -> None:
        """Count as a difference what another version may say otherwise in all honesty."""
        if self._is_same_version:
            self._differs("study", (), what)
        else:
            version = self.stored.provenance.get("fastgc")
            self.unchecked.append(f"{what}; the file is of fastgc {version}")

    def _add(self, name: str, points: Points, unit: Unit, known: StoredUnit) -> bool:
        """Add a unit whose blocks are drawn; return whether its tally is one of this unit's.

        A tally that says of itself what cannot be is a difference.
        """
        obstacle = self._other_stream
        try:
            block = unit.block
        except FastgcError as problem:  # without its data it has rows all the same
            block, obstacle = known.block, obstacle or str(problem)
        partial, numbers = known.partial, self.stored.blocks_of(known)
        fits = known.block == block and all(
            part is None or part.shape == unit.shape for part in (known.tally, partial)
        )
        wrong = ""
        if len(numbers) != known.done + (partial is not None):
            wrong = "its blocks are not those of the shards that the file was merged from"
        elif not fits and not obstacle:
            wrong = "its tally is not of this form"
        elif not obstacle:
            last, full = 1 if partial is None else partial.trials, known.done * known.block
            if known.tally.trials != full or not 0 < last < max(2, known.block):
                self._differs(name, points, "says other numbers of trials than its blocks have")
        if wrong:
            self._differs(name, points, wrong)
        self.units.append(UnitAudit(name, points, known, unit, wrong or obstacle, numbers))
        return fits

    def _stranger(self, known: StoredUnit, reason: str, *, wrong: bool) -> None:
        """Add a unit of which nothing here can sample blocks; whether that is ``wrong``.

        What can be said of it by its key alone is the name of its experiment.
        """
        try:
            name = str(json.JSONDecoder().raw_decode(known.key)[0]["experiment"])
        except (ValueError, TypeError, KeyError):
            name = known.key.split(" ")[0]
        name = name if len(name) < 60 else name[:57] + "…"
        self.units.append(UnitAudit(name, (), known, None, self._other_stream or reason))
        if wrong and self._is_same_version and not self._other_stream:
            self._differs(name, (), reason)

    def _hold_row(self, row: dict[str, Any], again: dict[str, Any]) -> None:
        for key in ("value", "standard_error", "low", "high", "trials", "theory"):
            said, found = row.get(key), again.get(key)
            alike = said is found
            if said is not None and found is not None:
                alike = math.isclose(said, found, rel_tol=CLOSE, abs_tol=ROUNDING)
            if not alike:
                self._differs_at(row, f" ({row['method']}): {key} is {said}, computed anew {found}")
                return

    def _differs_at(self, row: dict[str, Any], what: str) -> None:
        point = {"experiment": row["experiment"], "point": row["point"]}
        name = called([(row["experiment"], row["point"])])
        self._differs(name, (point,), f"{row['quantity']} {row['statistic']}{what}")

    def _compare(self) -> None:
        stored = self.stored
        try:
            study = Study.parse(stored.asked())
        except StudyError as problem:  # as of a part that is not installed here
            for own in stored.units:
                self._stranger(own, problem.complaints[0], wrong=False)
            self.unchecked.append(f"{self.rows} rows: {problem.complaints[0]}")
            return
        known = {unit.key: unit for unit in stored.units}
        plan = Plan.of(study, known)
        fitting = []
        for unit in plan.units:
            given = known.pop(unit.key, None)
            points = tuple(
                {"experiment": p.experiment, "point": dict(p.sweep)} for p in unit.points
            )
            if given is None:
                self._says(f"{unit_name(unit)}: the file has no tally of it")
            elif self._add(unit_name(unit), points, unit, given):
                fitting.append(given)
        for own in known.values():
            self._stranger(own, "the study in the file has no such tally", wrong=True)
        if study.identity() != stored.identity:
            self._says("the study in the file is not the one that its tallies are of")
        if len(fitting) < len(plan.units):
            if stored.rows:
                self.unchecked.append(f"{self.rows} rows: their tallies are not of this study")
            return
        as_read = (json.loads(json.dumps(row.as_dict())) for row in plan.rows(fitting))
        again, strange = grouped(as_read, _address), []
        for row in stored.rows:
            same = again.get(_address(row))
            if same:
                self.rows_compared += 1
                self._hold_row(row, same.pop(0))
            else:
                strange.append(row)
        if self._is_same_version:
            for row in strange:
                self._differs_at(row, ": nothing gives such a row")
            for row in (row for rows in again.values() for row in rows):
                self._differs_at(row, f" ({row['method']}): the file has no row")
        elif strange:
            self.unchecked.append(f"{len(strange)} rows: nothing here gives them")

    def _sample(self, pool: Pool, batch: Batch) -> None:
        draws = random.Random(self.seed)
        for unit in self.units:
            unit.draw(self.share, draws)
        started, total = time.monotonic(), sum(len(unit.drawn) for unit in self.units)
        tasks = chain.from_iterable(unit.tasks(pool.workers) for unit in self.units if unit.drawn)

        def tell(name: str) -> None:
            if batch.progress is not None:
                seconds = time.monotonic() - started
                batch.progress(Step.of_equal("blocks", self.checked, total, name, seconds))

        def interrupted() -> str | None:  # some are sampled in any case
            return (batch.interrupted or never)() if pool.under_way or self.checked else None

        tell("")
        for (unit, places), run in side_by_side(pool, tasks, interrupted):
            unit.compare(places, run)
            tell(unit.name)
        tell("")
        self.stopped_by = (batch.interrupted or never)()
        for unit in self.units:
            self.differences += sorted(unit.differences, key=lambda each: each.block or -1)
        left_out = [unit for unit in self.units if unit.obstacle]
        for reason, theirs in grouped(left_out, lambda unit: unit.obstacle).items():
            more = "" if len(theirs) == 1 else f" and {len(theirs) - 1} more"
            blocks = sum(unit.blocks for unit in theirs)
            self.unchecked.append(f"{blocks} blocks of {theirs[0].name}{more}: {reason}")
        within = [unit for unit in self.units if unit.blocks > 1 and not unit.obstacle]
        if left := sum(not unit.sums_compared for unit in within):
            self.unchecked.append(
                f"the sums of {left} unit{'s' * (left > 1)}: a digest is of one block; that the "
                "blocks add up to the sums is seen where all are (`--audit 1`, share=1)"
            )


@public
def audit(
    path: str | Path,
    *,
    share: float = DEFAULT_SHARE,
    seed: int | None = None,
    threads: int | None = None,
    batch: Batch | None = None,
) -> Audit:
    """Draw blocks of a file at random, sample them again, and compare.

    A file keeps a digest of every block of trials. Blocks are recomputed from the study in the
    file, so that digests which were forged to fit each other are found as well. Rows are computed
    anew, from the file's sums or exactly; with a share of 1 the sums are those of all blocks.

    Parameters
    ----------
    path : str or Path
        A file that ``fastgc run`` or ``fastgc merge`` wrote; an unfinished one ends in ``.part``.
    share : float
        Of each unit's blocks, more than 0 and at most 1; at least one block of each is drawn.
    seed : int, optional
        Draws the same blocks again; by default they cannot be foreseen.
    threads : int, optional
        As in `fastgc.run`.
    batch : Batch, optional
        Its executor, its ``progress``, and ``interrupted``, which ends the audit with what was
        found so far.

    Returns
    -------
    Audit
        What was checked, what differs, the probability to have missed forged blocks, and what could
        not be checked.

    Raises
    ------
    FastgcError
        If there is no such file, it is not one of a run, or a parameter is out of range.

    Examples
    --------
    >>> import fastgc, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.h5")
    >>> study = {"code": fastgc.codes.frc(4, 2), "stragglers": 0.1, "method": "monte-carlo"}
    >>> run = fastgc.run(study, trials=100_000, out=path)
    >>> found = fastgc.runs.audit(path, share=1)
    >>> found.passed, found.checked, found.missed
    (True, 2, 0.0)
    """
    if not 0 < share <= 1:
        raise FastgcError(f"share: must be more than 0 and at most 1 (got {share})")
    if seed is not None and not 0 <= seed < 2**64:
        raise FastgcError(f"seed: must be at least 0 and below 2⁶⁴ (got {seed})")
    if seed is None:  # a forger must not foresee which blocks are drawn
        seed = secrets.randbits(64)
    found = Audit(str(path), store.load(Path(path)), seed, share)
    if not found.stored.study:
        raise FastgcError(
            f"{path}: holds verdicts; `fastgc validate` of the same claims measures them again"
        )
    batch = batch or Batch()
    with pool_for(batch.executor, threads) as pool:
        found._compare()
        found._sample(pool, batch)
    return found


def _address(row: dict[str, Any]) -> str:
    keys = ("experiment", "point", "quantity", "statistic", "index", "method")
    return json.dumps([row[key] for key in keys], sort_keys=True)
