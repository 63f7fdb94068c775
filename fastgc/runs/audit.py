"""A file of results, held against what its study gives today: its blocks, its sums and its rows."""

import json
import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fastgc.engine.executors.pool import Pool
from fastgc.engine.units import Unit
from fastgc.errors import FastgcError, StudyError
from fastgc.registry.activity import Step
from fastgc.results import other_programs
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.runs import recomputing
from fastgc.runs.plan import Plan, called
from fastgc.runs.recomputing import Difference, Subject
from fastgc.study.study import Study
from fastgc.version import STREAM_VERSION, __version__

DEFAULT_SHARE = 0.001
#: Numbers of a row that are computed anew agree to this share of them, or to rounding of 0.
CLOSE, ROUNDING = 1e-9, 1e-15
SOME = 0.01  # share of forged blocks: the probability to miss them is reported, beside one block


@dataclass
class Exhibit:
    """What a file holds, made ready to be audited."""

    subjects: list[Subject] = field(default_factory=list)  #: Its units.
    #: How many rows it has, and how many were computed anew from its tallies or exactly.
    rows: int = 0
    compared: int = 0
    differences: list[Difference] = field(default_factory=list)  #: What is already known to differ.
    unchecked: list[str] = field(default_factory=list)  #: Sentences on what cannot be checked.
    remarks: list[str] = field(default_factory=list)  #: What else there is to say.


@dataclass(frozen=True)
class AuditedUnit:
    """How many blocks of a unit were sampled again.

    ``sums_compared``: all of them, and their sum was compared with the file's; ``obstacle`` says
    why none was.
    """

    name: str
    points: tuple[dict[str, Any], ...]
    blocks: int
    checked: int
    sums_compared: bool
    differences: int
    obstacle: str


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    * ``seed``: which blocks were drawn; the same seed draws the same ones.
    * ``share``: of each unit's blocks; at least one of each was drawn.
    * ``rows``, ``rows_compared``: rows of the file, and how many of them were computed anew.
    * ``differences``: what the file says and is not so; empty for an honest file.
    * ``missed``: probability that this audit would have missed so many forged blocks, of those
      units that could be sampled again, wherever they lie.
    * ``unchecked``: sentences on what could not be checked.
    * ``remarks``: what else there is to say.
    * ``stopped_by``: what ended the audit early.
    """

    path: str
    seed: int
    share: float
    units: tuple[AuditedUnit, ...]
    rows: int
    rows_compared: int
    differences: tuple[Difference, ...]
    missed: dict[int, float]
    unchecked: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    stopped_by: str | None = None

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

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        totals = {"passed": self.passed, "blocks": self.blocks, "checked": self.checked}
        found = asdict(self) | totals
        found["missed"] = [
            {"forged": forged, "probability": probability}
            for forged, probability in self.missed.items()
        ]
        return found


def carry_out(
    path: Path,
    stored: StoredRun,
    exhibit: Exhibit,
    pool: Pool,
    *,
    share: float = DEFAULT_SHARE,
    seed: int | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Audit:
    """Draw blocks of a file, sample them again, and say what was found.

    Raises FastgcError if a parameter is out of range.
    """
    if not 0 < share <= 1:
        raise FastgcError(f"share: must be more than 0 and at most 1 (got {share})")
    if seed is not None and not 0 <= seed < 2**64:
        raise FastgcError(f"seed: must be at least 0 and below 2⁶⁴ (got {seed})")
    if seed is None:  # a forger must not foresee which blocks are drawn
        seed = secrets.randbits(64)
    _hold_copies(path, stored, exhibit)
    drawn = recomputing.draw(exhibit.subjects, share, seed)
    reason = recomputing.recompute(drawn, pool, progress, interrupted)
    units = [
        AuditedUnit(
            each.subject.name,
            each.subject.points,
            each.subject.blocks,
            each.checked,
            each.sums_compared,
            len(each.differences),
            each.obstacle,
        )
        for each in drawn
    ]
    found = [difference for each in drawn for difference in each.differences]
    return Audit(
        path=str(path),
        seed=seed,
        share=share,
        units=tuple(units),
        rows=exhibit.rows,
        rows_compared=exhibit.compared,
        differences=(*exhibit.differences, *found),
        missed=_missed(units),
        unchecked=(*exhibit.unchecked, *_unchecked(units)),
        remarks=tuple(exhibit.remarks),
        stopped_by=reason,
    )


def subject(
    name: str,
    points: tuple[dict[str, Any], ...],
    unit: Unit,
    known: StoredUnit,
    stored: StoredRun,
    exhibit: Exhibit,
) -> bool:
    """Add a unit to those to be audited; return whether its tally is one of this unit's.

    A tally that says of itself what cannot be is a difference.
    """
    obstacle = other_stream(stored)
    try:
        block = unit.block
    except FastgcError as problem:  # its data are not here, without which it has rows all the same
        block, obstacle = known.block, obstacle or str(problem)
    parts = [known.tally, *([] if known.partial is None else [known.partial])]
    fits = known.block == block and all(
        (len(part.sums), len(part.histograms)) == unit.shape for part in parts
    )
    numbers = stored.blocks_of(known)
    if len(numbers) != known.done + (known.partial is not None):
        obstacle = "its blocks are not those of the shards that the file was merged from"
        exhibit.differences.append(Difference(name, points, obstacle))
    elif not fits and not obstacle:
        obstacle = "its tally is not of this form"
        exhibit.differences.append(Difference(name, points, obstacle))
    elif not obstacle:
        exhibit.differences += [
            Difference(name, points, what) for what in _contradictions(known) if what
        ]
    exhibit.subjects.append(Subject(name, points, known, unit, obstacle, numbers))
    return fits


def _hold_copies(path: Path, stored: StoredRun, exhibit: Exhibit) -> None:
    """Hold what other programs read in the file against its rows."""
    names = other_programs.differing(path, stored)
    if names and not is_same_version(stored):
        exhibit.unchecked.append("what other programs read: the file is of another version")
        return
    for name in names:
        what = f"what other programs read as results/{name} is not what its rows say"
        exhibit.differences.append(Difference("results", (), what))


def _contradictions(known: StoredUnit) -> list[str]:
    """What a unit says of its own size that cannot be."""
    found = []
    if known.tally.trials != known.done * known.block:
        trials = known.done * known.block
        found.append(f"says {known.tally.trials} trials where its full blocks have {trials}")
    if known.partial is not None and not 0 < known.partial.trials < known.block:
        found.append(f"has a partial block of {known.partial.trials} trials")
    return found


def other_stream(stored: StoredRun) -> str:
    """Return why nothing of a file can be sampled again; empty where it can."""
    version = stored.provenance.get("stream_version")
    if version == STREAM_VERSION:
        return ""
    return f"sampled with stream version {version}, this fastgc has {STREAM_VERSION}"


def is_same_version(stored: StoredRun) -> bool:
    """Return whether this fastgc wrote the file: then all that it says must be what we find."""
    return bool(stored.provenance.get("fastgc") == __version__)


def row_difference(row: dict[str, Any], again: dict[str, Any]) -> Difference | None:
    """Return how a row differs from the same row computed anew, None where it does not."""
    for key in ("value", "standard_error", "low", "high", "trials", "theory"):
        said, found = row.get(key), again.get(key)
        if not _close(said, found):
            name = f"{row['quantity']} {row['statistic']} ({row['method']})"
            what = f"{name}: {key} is {said}, computed anew {found}"
            return of_row(row, what)
    return None


def of_row(row: dict[str, Any], what: str) -> Difference:
    """Return a difference in a row."""
    point = {"experiment": row["experiment"], "point": row["point"]}
    return Difference(named([point]), (point,), what)


def named(points: Sequence[dict[str, Any]]) -> str:
    """Return points in a few words, for people."""
    return called([(point["experiment"], point["point"]) for point in points])


def _close(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=CLOSE, abs_tol=ROUNDING)


def _missed(units: Sequence[AuditedUnit]) -> dict[int, float]:
    """Probability to miss one forged block, and one in a hundred, of units that were checked."""
    within = [unit for unit in units if not unit.obstacle]
    blocks, checked = [u.blocks for u in within], [u.checked for u in within]
    total = sum(blocks)
    forged = (1, math.ceil(SOME * total)) if total else ()
    return {count: recomputing.missed(blocks, checked, count) for count in forged}


def _unchecked(units: Sequence[AuditedUnit]) -> list[str]:
    """Say why units were not sampled again, and how many sums were not compared."""
    reasons: dict[str, list[AuditedUnit]] = {}
    for unit in units:
        if unit.obstacle:
            reasons.setdefault(unit.obstacle, []).append(unit)
    found = []
    for reason, theirs in reasons.items():
        blocks = sum(unit.blocks for unit in theirs)
        more = "" if len(theirs) == 1 else f" and {len(theirs) - 1} more"
        found.append(f"{blocks} blocks of {theirs[0].name}{more}: {reason}")
    open_ = sum(not unit.sums_compared and not unit.obstacle and unit.blocks > 1 for unit in units)
    if open_:
        whose = "1 unit" if open_ == 1 else f"{open_} units"
        found.append(
            f"the sums of {whose}: a digest is of one block; that the blocks add up to the sums is "
            "seen with a share of 1"
        )
    return found


# ---- What a run's file holds, made ready to be audited: its units from its study, its rows anew


def of_run(stored: StoredRun) -> Exhibit:
    """Make the file of a run ready to be audited."""
    exhibit = Exhibit(rows=len(stored.rows))
    data = stored.asked()
    study, missing = _study(data, exhibit)
    known = {unit.key: unit for unit in stored.units}
    plan = None if study is None else Plan.of(study, known)
    stands_in = {} if plan is None else _units(plan, stored, known, exhibit)
    is_whole = study is not None and not missing
    for unit in stored.units:
        if unit.key not in stands_in:
            _stranger(unit, stored, exhibit, is_whole=is_whole)
    if study is not None:
        if is_whole and study.identity() != stored.identity:
            _says(stored, exhibit, "the study in the file is not the one that its tallies are of")
        _copies(data, study, exhibit)
    if plan is not None and len(stands_in) == len(plan.units):
        _rows(plan, list(stands_in.values()), stored, exhibit, is_whole=is_whole)
    elif stored.rows:
        exhibit.unchecked.append(f"{len(stored.rows)} rows: their tallies are not of this study")
    return exhibit


def _study(data: dict[str, Any], exhibit: Exhibit) -> tuple[Study | None, list[str]]:
    """Check the study in a file: where it has parts that are not installed here, without them.

    ``data`` keeps what is left; also returns the names of the experiments that were left out.
    """
    try:
        return Study.parse(data), []
    except StudyError as problem:
        whole = problem
    tables = data.get("experiment")
    if not isinstance(tables, list) or data.get("common_random_numbers"):
        exhibit.unchecked.append(f"all blocks and rows: {whole.complaints[0]}")
        return None, ["all"]
    sound, missing = [], []
    for i, given in enumerate(tables):
        table = {"name": f"experiment{i + 1}"} | given
        try:
            Study.parse({**data, "experiment": [table]})
            sound.append(table)
        except StudyError as problem:
            missing.append(table["name"])
            exhibit.unchecked.append(f"experiment {table['name']}: {problem.complaints[0]}")
    data["experiment"] = sound
    return (Study.parse(data) if sound else None), missing


def _units(
    plan: Plan, stored: StoredRun, known: dict[str, StoredUnit], exhibit: Exhibit
) -> dict[str, StoredUnit]:
    """Find the file's units among the study's; return those whose tallies have the right form."""
    found = {}
    for unit in plan.units:
        own = known.get(unit.key)
        points = tuple(
            {"experiment": point.experiment, "point": dict(point.sweep)} for point in unit.points
        )
        if own is None:
            _says(stored, exhibit, f"{named(points)}: the file has no tally of it")
        elif subject(named(points), points, unit, own, stored, exhibit):
            found[unit.key] = own
        else:
            known.pop(unit.key)
    return found


def _stranger(unit: StoredUnit, stored: StoredRun, exhibit: Exhibit, *, is_whole: bool) -> None:
    """Say of a unit that the study does not have why it is not checked."""
    if any(each.stored is unit for each in exhibit.subjects):
        return
    name = _name(unit.key)
    reason = other_stream(stored) or (
        "the study in the file has no such tally" if is_whole else "its experiment is left out"
    )
    exhibit.subjects.append(Subject(name, (), unit, None, reason))
    if is_whole and is_same_version(stored) and not other_stream(stored):
        exhibit.differences.append(Difference(name, (), reason))


def _name(key: str) -> str:
    """Return what can be said of a unit by its key alone."""
    try:
        found = json.JSONDecoder().raw_decode(key)[0]["experiment"]
    except (ValueError, TypeError, KeyError):
        return key.split(" ")[0]
    return str(found)


def _says(stored: StoredRun, exhibit: Exhibit, what: str) -> None:
    """Count as a difference what another version may say otherwise in all honesty."""
    if is_same_version(stored):
        exhibit.differences.append(Difference("study", (), what))
    else:
        version = stored.provenance.get("fastgc")
        exhibit.unchecked.append(f"{what}; the file is of fastgc {version}")


def _copies(data: dict[str, Any], study: Study, exhibit: Exhibit) -> None:
    """Say which files that the study names are no more what they were: their copies are used."""
    carried = study.files_read()
    for name in study.files:
        content = carried.get(name)
        if content is None or _is_description(content):
            continue
        rest = {other: text for other, text in study.files.items() if other != name}
        try:
            now = Study.parse(data | {"files": rest}).files_read()
        except FastgcError:
            state = "is not here, or cannot be read"
        else:
            if now.get(name) == content:
                continue
            state = "has changed since"
        exhibit.remarks.append(f"{name} {state}; the copy in the file was used")


def _is_description(content: Any) -> bool:
    """Whether the file has of large data only what they were: sampling tells if they still are."""
    return isinstance(content, dict) and isinstance(content.get("samples"), int)


def _rows(
    plan: Plan, units: Sequence[StoredUnit], stored: StoredRun, exhibit: Exhibit, *, is_whole: bool
) -> None:
    """Hold the file's rows against those that follow from its tallies, and exact ones anew."""
    again: dict[str, list[dict[str, Any]]] = {}
    for each in plan.rows(units):
        as_read = json.loads(json.dumps(each.as_dict()))
        again.setdefault(_address(as_read), []).append(as_read)
    strange = 0
    for row in stored.rows:
        same = again.get(_address(row))
        if not same:
            strange += 1
            if is_whole and is_same_version(stored):
                what = f"{row['quantity']} {row['statistic']}: nothing gives such a row"
                exhibit.differences.append(of_row(row, what))
            continue
        exhibit.compared += 1
        found = row_difference(row, same.pop(0))
        if found is not None:
            exhibit.differences.append(found)
    if strange and not (is_whole and is_same_version(stored)):
        exhibit.unchecked.append(f"{strange} rows: nothing here gives them")
    left = [row for rows in again.values() for row in rows]
    if left and is_same_version(stored):
        for row in left:
            what = f"{row['quantity']} {row['statistic']} ({row['method']}): the file has no row"
            exhibit.differences.append(of_row(row, what))


def _address(row: dict[str, Any]) -> str:
    keys = ("experiment", "point", "quantity", "statistic", "index", "method")
    return json.dumps([row[key] for key in keys], sort_keys=True)
