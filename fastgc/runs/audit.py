"""An audit: blocks of a file, sampled again, and rows computed anew, held against what it says."""

import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fastgc.engine.blocks import MOST_BLOCKS, Timed, timed
from fastgc.engine.executors.pool import Job, Pool
from fastgc.engine.units import BlockRun, Unit
from fastgc.errors import FastgcError, StudyError
from fastgc.registry.activity import Step
from fastgc.results import other_programs
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.runs.plan import Plan, called, name_of
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study
from fastgc.version import STREAM_VERSION, __version__

WAIT_SECONDS = 0.2
NO_DIGESTS = "the file keeps no digests of it; only a share of 1 compares its sums"
#: How many blocks it may be that a file says it has and keeps nothing of.
MOST_WITHOUT_DIGESTS = 10**7
#: Numbers of a row that are computed anew agree to this share of them, or to rounding of 0.
CLOSE, ROUNDING = 1e-9, 1e-15


@dataclass(frozen=True)
class Difference:
    """Something that the file says and that is not so.

    ``block`` counts the study's blocks of the unit from 0, ``trials`` are its first and last one;
    both are None where it is about more than a block.
    """

    unit: str
    points: tuple[dict[str, Any], ...]
    what: str
    block: int | None = None
    trials: tuple[int, int] | None = None


@dataclass(eq=False)
class Audited:
    """A unit of a file: which of its blocks are sampled again, and what was found."""

    name: str
    points: tuple[dict[str, Any], ...]  #: ``experiment`` and ``point`` of each of its points.
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
    size: int = 1  #: Blocks of a task, which grows until tasks take long enough.

    @property
    def blocks(self) -> int:
        """Blocks that the file has of it, a last, partial one too."""
        return self.stored.done + (self.stored.partial is not None)

    def tasks(self, workers: int) -> Iterator[list[int]]:
        """Yield the places of some blocks after the other; a partial one comes alone."""
        whole, start = [place for place in self.drawn if place < self.stored.done], 0
        while start < len(whole) and not self.obstacle:
            # near the end smaller tasks keep all workers busy
            end = start + min(self.size, max(1, (len(whole) - start) // (2 * workers)))
            yield whole[start:end]
            start = end
        if len(whole) < len(self.drawn) and not self.obstacle:
            yield [self.stored.done]

    def trials_of(self, place: int) -> int:
        """Return how many trials the block at a place has."""
        partial = self.stored.partial if place == self.stored.done else None
        return self.stored.block if partial is None else partial.trials

    def compare(self, places: Sequence[int], run: BlockRun) -> None:
        """Hold blocks that were sampled again against the file."""
        stored = self.stored
        self.checked += len(places)
        if stored.partial is not None and places[0] == stored.done:
            if not _same(run.tally, stored.partial):
                self._differs("the sums of this last, partial block are not", places[0])
            return
        for place, digest in zip(places, run.digests.tolist(), strict=True):
            if place < len(stored.digests) and digest != int(stored.digests[place]):
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

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        shown = ("name", "points", "blocks", "checked", "sums_compared", "obstacle")
        return {key: getattr(self, key) for key in shown} | {"differences": len(self.differences)}


@dataclass(eq=False)
class Audit:
    """What an audit found.

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
    units: list[Audited] = field(default_factory=list)
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
        return {key: getattr(self, key) for key in (*shown, *more)} | {
            "units": [unit.as_dict() for unit in self.units],
            "differences": [asdict(difference) for difference in self.differences],
        }

    # ---- what it is held against

    @property
    def is_same_version(self) -> bool:
        """Whether this fastgc wrote the file: then all that it says must be what we find."""
        return bool(self.stored.provenance.get("fastgc") == __version__)

    @property
    def other_stream(self) -> str:
        """Why nothing of the file can be sampled again; empty where it can."""
        version = self.stored.provenance.get("stream_version")
        if version == STREAM_VERSION:
            return ""
        return f"sampled with stream version {version}, this fastgc has {STREAM_VERSION}"

    def differs(self, name: str, points: tuple[dict[str, Any], ...], what: str) -> None:
        """Count something as a difference."""
        self.differences.append(Difference(name, points, what))

    def says(self, what: str) -> None:
        """Count as a difference what another version may say otherwise in all honesty."""
        if self.is_same_version:
            self.differs("study", (), what)
        else:
            version = self.stored.provenance.get("fastgc")
            self.unchecked.append(f"{what}; the file is of fastgc {version}")

    def add(
        self, name: str, points: tuple[dict[str, Any], ...], unit: Unit, known: StoredUnit
    ) -> bool:
        """Add a unit whose blocks are drawn; return whether its tally is one of this unit's.

        A tally that says of itself what cannot be is a difference.
        """
        obstacle = self.other_stream
        try:
            block = unit.block
        except FastgcError as problem:  # without its data it has rows all the same
            block, obstacle = known.block, obstacle or str(problem)
        partial, numbers = known.partial, self.stored.blocks_of(known)
        fits = known.block == block and all(
            part is None or part.shape == unit.shape for part in (known.tally, partial)
        )
        wrong, odd = "", []
        if len(numbers) != known.done + (partial is not None):
            wrong = "its blocks are not those of the shards that the file was merged from"
        elif not fits and not obstacle:
            wrong = "its tally is not of this form"
        elif not obstacle:
            trials, full = known.tally.trials, known.done * known.block
            if trials != full:
                odd.append(f"says {trials} trials where its full blocks have {full}")
            if partial is not None and not 0 < partial.trials < known.block:
                odd.append(f"has a partial block of {partial.trials} trials")
        for what in [wrong] if wrong else odd:
            self.differs(name, points, what)
        self.units.append(Audited(name, points, known, unit, wrong or obstacle, numbers))
        return fits

    def stranger(self, known: StoredUnit, reason: str, *, wrong: bool) -> None:
        """Add a unit of which nothing here can sample blocks; whether that is ``wrong``.

        What can be said of it by its key alone is the name of its experiment.
        """
        try:
            name = str(json.JSONDecoder().raw_decode(known.key)[0]["experiment"])
        except (ValueError, TypeError, KeyError):
            name = known.key.split(" ")[0]
        name = name if len(name) < 60 else name[:57] + "…"
        self.units.append(Audited(name, (), known, None, self.other_stream or reason))
        if wrong and self.is_same_version and not self.other_stream:
            self.differs(name, (), reason)

    def hold_row(self, row: dict[str, Any], again: dict[str, Any]) -> bool:
        """Hold a row against the same row computed anew; return whether they agree."""
        for key in ("value", "standard_error", "low", "high", "trials", "theory"):
            said, found = row.get(key), again.get(key)
            if said is None or found is None:
                alike = said is found
            else:
                alike = math.isclose(said, found, rel_tol=CLOSE, abs_tol=ROUNDING)
            if not alike:
                name = f"{row['quantity']} {row['statistic']} ({row['method']})"
                self.of_row(row, f"{name}: {key} is {said}, computed anew {found}")
                return False
        return True

    def of_row(self, row: dict[str, Any], what: str) -> None:
        """Count something about a row as a difference."""
        point = {"experiment": row["experiment"], "point": row["point"]}
        self.differs(called([(row["experiment"], row["point"])]), (point,), what)

    def carry_out(
        self,
        pool: Pool,
        progress: Callable[[Step], None] | None,
        interrupted: Callable[[], str | None],
    ) -> None:
        """Draw blocks, sample them again, and say what was found."""
        names = other_programs.differing(Path(self.path), self.stored)
        if names and not self.is_same_version:
            self.unchecked.append("what other programs read: the file is of another version")
        else:
            for name in names:
                what = f"what other programs read as results/{name} is not what its rows say"
                self.differs("results", (), what)
        draw(self.units, self.share, self.seed)
        self.stopped_by = recompute(self.units, pool, progress, interrupted)
        self.differences += [found for unit in self.units for found in unit.differences]
        reasons: dict[str, list[Audited]] = {}
        for unit in self.units:
            reasons.setdefault(unit.obstacle, []).append(unit)
        for reason, theirs in reasons.items():
            if reason:
                more = "" if len(theirs) == 1 else f" and {len(theirs) - 1} more"
                blocks = sum(unit.blocks for unit in theirs)
                self.unchecked.append(f"{blocks} blocks of {theirs[0].name}{more}: {reason}")
        within = [unit for unit in self.units if unit.blocks > 1 and not unit.obstacle]
        if left := sum(not unit.sums_compared for unit in within):
            self.unchecked.append(
                f"the sums of {left} unit{'s' * (left > 1)}: a digest is of one block; that the "
                "blocks add up to the sums is seen with a share of 1"
            )


def draw(units: Sequence[Audited], share: float, seed: int) -> None:
    """Draw blocks of every unit, all sets of so many alike: at least one, and none twice.

    ``share``: of each unit's blocks, 0 < share ≤ 1; ``seed``: who forges a file must not know it.
    """
    draws = random.Random(seed)
    for unit in units:
        stored = unit.stored
        count = min(unit.blocks, max(1, math.ceil(share * unit.blocks)))
        if len(stored.digests) or count <= MOST_WITHOUT_DIGESTS:
            unit.drawn = draws.sample(range(unit.blocks), count)
        is_whole = len(unit.drawn) == unit.blocks
        if stored.done and not len(stored.digests) and not is_whole:
            unit.obstacle = unit.obstacle or NO_DIGESTS
        if unit.obstacle:
            unit.drawn = []
        elif is_whole and stored.done:
            unit.total = Tally.empty(len(stored.tally.sums), len(stored.tally.histograms))


def recompute(
    units: Sequence[Audited],
    pool: Pool,
    progress: Callable[[Step], None] | None,
    interrupted: Callable[[], str | None],
) -> str | None:
    """Sample the drawn blocks again, side by side, and compare them; return why it was stopped.

    A unit that cannot be sampled here, as without its data, says so as its obstacle.
    """
    started = time.monotonic()
    total = sum(len(unit.drawn) for unit in units)
    tasks = ((unit, places) for unit in units for places in unit.tasks(pool.workers))
    waiting: list[tuple[Job[Timed], Audited, list[int]]] = []
    reason: str | None = None

    def say() -> None:
        if progress is not None:
            done = sum(unit.checked for unit in units)
            name = waiting[0][1].name if waiting else ""
            progress(Step.of_equal("blocks", done, total, name, time.monotonic() - started))

    say()
    try:
        while True:
            while reason is None and pool.has_room and (task := next(tasks, None)) is not None:
                unit, places = task
                assert unit.unit is not None
                numbers = [unit.numbers[place] for place in places]
                job = pool.submit(timed, unit.unit, numbers, unit.trials_of(places[0]))
                waiting.append((job, unit, places))
            if not waiting:
                return reason
            wait([job.future for job, _, _ in waiting], WAIT_SECONDS, FIRST_COMPLETED)
            for each in [each for each in waiting if each[0].done()]:
                waiting.remove(each)
                job, unit, places = each
                try:
                    run, seconds = job.result()
                    unit.compare(places, run)
                except FastgcError as problem:
                    unit.obstacle = str(problem)
                    continue
                if seconds < pool.task_seconds and len(places) >= unit.size:
                    unit.size = min(2 * unit.size, MOST_BLOCKS)
            say()
            reason = reason or interrupted()
            if reason is not None:
                waiting = [each for each in waiting if not each[0].cancel()]
    finally:
        for job, _, _ in waiting:
            job.cancel()


def _same(a: Tally, b: Tally) -> bool:
    return (
        a.trials == b.trials
        and a.histograms == b.histograms
        and bool((a.sums.limbs() == b.sums.limbs()).all())
    )


# ---- What a run's file is held against: units from its study, rows anew from its tallies


def of_run(audit: Audit) -> None:
    """Give an audit the units and rows that the study in its file has today."""
    stored = audit.stored
    try:
        study = Study.parse(stored.asked())
    except StudyError as problem:  # as of a part that is not installed here
        for own in stored.units:
            audit.stranger(own, problem.complaints[0], wrong=False)
        audit.unchecked.append(f"{audit.rows} rows: {problem.complaints[0]}")
        return
    known = {unit.key: unit for unit in stored.units}
    plan = Plan.of(study, known)
    fitting = []
    for unit in plan.units:
        given = known.pop(unit.key, None)
        points = tuple(
            {"experiment": point.experiment, "point": dict(point.sweep)} for point in unit.points
        )
        if given is None:
            audit.says(f"{name_of(unit)}: the file has no tally of it")
        elif audit.add(name_of(unit), points, unit, given):
            fitting.append(given)
    for own in known.values():
        audit.stranger(own, "the study in the file has no such tally", wrong=True)
    if study.identity() != stored.identity:
        audit.says("the study in the file is not the one that its tallies are of")
    if len(fitting) == len(plan.units):
        _rows(audit, plan, fitting)
    elif stored.rows:
        audit.unchecked.append(f"{audit.rows} rows: their tallies are not of this study")


def _rows(audit: Audit, plan: Plan, units: Sequence[StoredUnit]) -> None:
    """Hold the file's rows against those that follow from its tallies, and exact ones anew."""
    again: dict[str, list[dict[str, Any]]] = {}
    for each in plan.rows(units):
        as_read = json.loads(json.dumps(each.as_dict()))
        again.setdefault(_address(as_read), []).append(as_read)
    strange = []
    for row in audit.stored.rows:
        same = again.get(_address(row))
        if same:
            audit.rows_compared += 1
            audit.hold_row(row, same.pop(0))
        else:
            strange.append(row)
    if audit.is_same_version:
        for row in strange:
            audit.of_row(row, f"{row['quantity']} {row['statistic']}: nothing gives such a row")
        for row in (row for rows in again.values() for row in rows):
            what = f"{row['quantity']} {row['statistic']} ({row['method']}): the file has no row"
            audit.of_row(row, what)
    elif strange:
        audit.unchecked.append(f"{len(strange)} rows: nothing here gives them")


def _address(row: dict[str, Any]) -> str:
    keys = ("experiment", "point", "quantity", "statistic", "index", "method")
    return json.dumps([row[key] for key in keys], sort_keys=True)
