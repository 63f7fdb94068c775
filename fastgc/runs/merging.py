"""`fastgc.runs.merge`: shards of a run, made one file as one process would have written it."""

import contextlib
import math
import os
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastgc.engine.blocks import Precision
from fastgc.engine.units import Unit
from fastgc.errors import FastgcError, MistakesError, StorageError, public
from fastgc.registry.activity import Step
from fastgc.registry.complaints import one_line
from fastgc.registry.number_types import spaced
from fastgc.results import image, sound, store
from fastgc.results.checkpointer import provenance
from fastgc.results.rows import Result
from fastgc.results.stored import MergedShard, Merger, StoredRun, StoredUnit, difference, named
from fastgc.runs.plan import Plan, precision_rule, stop_rules, unit_name
from fastgc.runs.run import planned
from fastgc.statistics.estimates import events
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Stop, Study
from fastgc.version import STREAM_VERSION


@dataclass(frozen=True)
class UnitPrecision:
    """How precisely a unit is known, against what its study asks for."""

    name: str  #: The unit's point.
    trials: int  #: Its trials.
    events: float  #: Non-zero outcomes behind its first measure's mean, at least.
    rule: str | None  #: The rule that is satisfied, if one is.
    #: About how many more trials it takes; 0 if a rule is satisfied, None where nothing is known.
    more: int | None

    @classmethod
    def of(cls, unit: Unit, tally: Tally, rule: Precision) -> "UnitPrecision":
        """Return how precisely a unit is known, and about how many more trials the rule takes."""
        estimate, met = rule.of(unit, tally), rule.reached(unit, tally)
        more = None
        if estimate.value and estimate.standard_error is not None:
            wanted = rule.needed(estimate, tally.trials)
            if met:
                more = 0
            elif wanted is not None:
                left = max(max(wanted) - tally.trials, 1.0)
                digit = 10 ** max(0, math.floor(math.log10(left)) - 1)
                more = math.ceil(left / digit) * digit
        return cls(unit_name(unit), tally.trials, events(estimate), met, more)


def summary(found: Sequence[UnitPrecision]) -> list[str]:
    """Return sentences: how many points are precise, and what the others take."""
    if not found:
        return []
    met = sum(each.rule is not None for each in found)
    lines = [f"{met} of {len(found)} points have the precision that is asked for"]
    # twice the standard error of what is wanted more: that is enough in 19 of 20 cases
    more = [(each.trials + each.more, each.events, each.name) for each in found if each.more]
    if more:
        most, name = max((math.ceil(n * (1 + 2 / math.sqrt(seen))), name) for n, seen, name in more)
        how = f"to get there, run each shard again with --trials {most} and merge again"
        lines.append(f"{how}; {name} takes most")
    return lines


@dataclass(frozen=True, repr=False)
class MergedResult(Result):
    """The numbers of a merged run.

    ``precision``: for each sampled point, how far it is from the precision that the study asks for;
    empty where it asks for none; ``missing``: shards that it was merged without.
    """

    precision: list[UnitPrecision] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)


@public
def merge(
    shards: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    partial: bool = False,
    progress: Callable[[Step], None] | None = None,
) -> MergedResult:
    """Merge the shards of a run into one file, equal to that of one process with the same trials.

    Parameters
    ----------
    shards : sequence of str or Path
        The files of all shards, in any order: those that `fastgc.run` of one study wrote with
        ``batch=fastgc.runs.Batch(shard=(i, N))`` for i = 0 … N − 1. They stay as they are.
    out : str or Path
        The merged file. `fastgc.run` goes on from it.
    partial : bool
        Merge also where shards are missing or shorter than others; every row then says so, and the
        file cannot be gone on with.
    progress : callable, optional
        Called with a `fastgc.registry.activity.Step` before each shard is read.

    Returns
    -------
    MergedResult
        Rows and estimates, and how far they are from the precision that the study asks for, which
        stops no shard.

    Raises
    ------
    FastgcError
        For every file that is not a complete shard of the same run as the first, with the
        difference; for shards that are missing, named twice or shorter than others; for an ``out``
        that holds something else. Nothing is written then.
    StorageError
        If it cannot be written.

    Examples
    --------
    >>> import fastgc, tempfile
    >>> study = {"code": fastgc.codes.frc(8, 2), "stragglers": 0.1, "method": "monte-carlo"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = [f"{folder}/{i}.h5" for i in range(2)]
    ...     for i in range(2):
    ...         part = fastgc.runs.Batch(shard=(i, 2))
    ...         _ = fastgc.run(study, batch=part, out=files[i], trials=100_000)
    ...     merged = fastgc.runs.merge(files, f"{folder}/all.h5")
    >>> merged.rows() == fastgc.run(study, trials=100_000).rows()
    True
    """
    files = [Path(shards)] if isinstance(shards, str | Path) else [Path(each) for each in shards]
    if not files:
        raise FastgcError("shards: name at least one file")
    path = Path(out)
    with image.locked(path):
        gathered = gather(files, progress)
        parts = tuple(gathered.parts[own] for own in sorted(gathered.parts))
        merger = Merger(gathered.first.shard[1], parts)
        _refuse_gaps(merger, gathered, partial=partial)
        run = gathered.run(merger)
        _refuse_to_replace(path, files, run)
        first, name = gathered.first.provenance, merger.parts[0].file
        study, plan, units = planned(replace(run, provenance=first), name)
        entries = [row.noting(merger.note) for row in plan.rows(units)]
        run.rows = [row.as_dict() for row in entries]
        image.remove_temporary_files(path)
        try:
            store.save(path, run)
        except StorageError as error:
            said = f"{error}; the shards are as they were: merge them again"
            raise StorageError(said) from None
    rule, pairs = precision_rule(study.stop), zip(plan.units, units, strict=True)
    return MergedResult(
        entries=entries,
        title=study.title,
        stopped_by=stop_rules(run.units),
        path=path,
        precision=[] if rule is None else [UnitPrecision.of(u, s.total(), rule) for u, s in pairs],
        missing=merger.missing,
    )


def _refuse_gaps(merger: Merger, gathered: "ShardSums", *, partial: bool) -> None:
    short, most, complaints = merger.short(), max(gathered.trials.values()), []
    # a file has room for one incomplete block, the last
    rests = ([p for p in merger.parts if p.rest[unit]] for unit in range(len(gathered.units)))
    unit, begun = next((each for each in enumerate(rests) if len(each[1]) > 1), (0, []))
    accept = "" if begun else ", or accept that with --partial"
    if merger.missing:
        are, them = ("is", "it") if len(merger.missing) == 1 else ("are", "them")
        lacks = f"{named(merger.missing, merger.shards)} {are} missing"
        only = "" if partial else _begun(merger, gathered.first)
        complaints.append(f"{lacks}{only}; run and name {them}{accept}")
    for part in (part for part in merger.parts if part.shard in short):
        unit = short[part.shard]
        trials = part.done[unit] * gathered.units[unit].block + part.rest[unit]
        again = "" if gathered.trials[part.shard] == most else f" with --trials {most}"
        complaints.append(
            f"{one_line(part.file)}: has {spaced(trials)} trials of {gathered.name(unit)}, less "
            f"than its share of what others have; run its command again{again}{accept}"
        )
    if complaints and not partial:
        raise MistakesError(complaints)
    if begun:
        first, second, *_ = (one_line(part.file) for part in begun)
        fewer = [own for own, trials in sorted(gathered.trials.items()) if trials < most]
        raise FastgcError(
            f"{first}: ends in an incomplete block of {gathered.name(unit)}, and so does {second}, "
            f"where one can; run {named(fewer, merger.shards)} again with --trials {most}"
        )


def _begun(merger: Merger, run: StoredRun) -> str:
    # which files beside the shards hold a part of those that are missing
    found, missing = [], [(own, merger.shards) for own in merger.missing]
    folders = {Path(part.file).parent for part in merger.parts}
    for file in sorted(file for each in folders for file in each.glob(f"*{image.PARTIAL_SUFFIX}")):
        with contextlib.suppress(FastgcError):
            begun = store.load(file)
            if begun.identity == run.identity and begun.shard in missing:
                found.append(one_line(file.name))
    return f"; there is only {', '.join(found)}, with which its command goes on" if found else ""


def _refuse_to_replace(path: Path, files: Sequence[Path], run: StoredRun) -> None:
    name, unfinished = one_line(str(path)), image.partial_path(path)
    if unfinished.exists():
        raise FastgcError(
            f"{one_line(str(unfinished))}: is an unfinished run of the same name; go on with its "
            "command, remove it, or name another file"
        )
    if not path.exists():
        return
    if any(path.samefile(file) for file in files):
        raise FastgcError(f"{name}: is one of the shards; name another file")
    before, (own, shards) = store.load(path), store.load(path).shard
    both = zip(before.units, run.units, strict=False)
    more = [(mine.trials, new.trials) for mine, new in both if mine.trials > new.trials]
    keys = [[unit.key for unit in each.units] for each in (before, run)]
    holds = {
        "another study or seed": before.identity != run.identity or not before.study,
        f"shard {own}/{shards}": before.shard != run.shard,
        "samples of other points": keys[0] != keys[1],
        **{f"{spaced(a)} trials, the shards together {spaced(b)}": True for a, b in more},
    }
    for held in (held for held, is_so in holds.items() if is_so):
        raise FastgcError(f"{name}: holds {held}; name another file or remove it")


# ---- The trials of shards, added up: a shard is read, added, forgotten, however many there are


@dataclass
class ShardSums:
    """What the shards hold that were read so far."""

    file: Path  #: The first of them.
    first: StoredRun  #: What it holds; it stands for all that they have in common.

    def __post_init__(self) -> None:
        own = self.first.units
        #: Their trials, added up.
        self.units = [StoredUnit.fresh(unit.key, unit.block, unit.tally.shape) for unit in own]
        self.parts: dict[int, MergedShard] = {}  #: The shards by their number.
        self.trials: dict[int, int] = {}  #: By shard, how many trials its study asked for.
        self._studies: dict[int, str] = {}
        self._digests: list[dict[int, NDArray[np.uint64]]] = [{} for _ in own]

    def add(self, file: Path, run: StoredRun) -> None:
        """Add a shard's trials: exact sums, of which any order gives the same bits."""
        own = run.shard[0]
        versions = dict(run.provenance)
        # how points are measured is said once, and again only of a shard where it was otherwise
        if versions.get("points") == self.first.provenance.get("points"):
            versions.pop("points", None)
        done = tuple(unit.done for unit in run.units)
        rest = tuple(0 if u.partial is None else u.partial.trials for u in run.units)
        self.parts[own] = MergedShard(str(file), own, done, rest, versions)
        with sound.reading(one_line(str(file)), "sample it again"):
            self.trials[own] = Stop.model_validate(run.asked().get("stop", {})).trials
        self._studies.setdefault(self.trials[own], run.study)
        for merged, digests, unit in zip(self.units, self._digests, run.units, strict=True):
            merged.tally.merge(unit.tally)
            if unit.partial is not None:
                merged.partial = unit.partial
            digests[own] = unit.digests
            # where a rule other than the trials has stopped some, the first of these by name
            rules = {merged.stopped_by or "trials", unit.stopped_by or "trials"} - {"trials"}
            merged.stopped_by = min(rules, default="trials")

    @property
    def study(self) -> str:
        """The study's text: that of the most trials."""
        return self._studies[max(self._studies)]

    def name(self, unit: int) -> str:
        """What people call a unit."""
        plan = Plan.of(Study.parse(tomllib.loads(self.study)), [each.key for each in self.units])
        return unit_name(plan.units[unit])

    def run(self, merger: Merger) -> StoredRun:
        """Return the merged run without its rows."""
        for number, unit in enumerate(self.units):
            weave = merger.interleaving(number)
            unit.done = sum(weave.done.values())
            unit.digests = weave.woven(self._digests[number])
        points = self.first.provenance.get("points", [])
        return StoredRun(
            study=self.study,
            identity=self.first.identity,
            provenance=provenance() | {"points": points},
            units=self.units,
            complete=True,
            merged=merger,
        )


def gather(files: Sequence[Path], progress: Callable[[Step], None] | None = None) -> ShardSums:
    """Read all shards, one at a time; ``progress`` is called before each.

    Raises MistakesError with one line for every file that is not a complete shard of the same run
    as the first.
    """
    gathered: ShardSums | None = None
    complaints = []
    started = time.monotonic()
    for done, file in enumerate(files):
        if progress is not None:
            seconds = time.monotonic() - started
            progress(Step.of_equal("shards", done, len(files), str(file), seconds))
        try:
            run = shard_from(file)
        except FastgcError as problem:
            complaints.append(str(problem))
            continue
        if gathered is None:
            gathered = ShardSums(file, run)
        why = _why_not(file, run, gathered)
        if why is None:
            gathered.add(file, run)
        else:
            complaints.append(why)
    if gathered is None or complaints:
        raise MistakesError(complaints)
    return gathered


# ---- Shards, read one by one: what is not one of the same run is refused with the difference


def shard_from(file: Path) -> StoredRun:
    """Read one shard.

    Raises FastgcError if there is no such file, it cannot be read, is not complete or no shard.
    """
    name, partial = one_line(str(file)), image.partial_path(file)
    remedy = "run its command again, which goes on"
    if os.path.exists(partial) and not os.path.exists(file):  # these take any name
        raise FastgcError(f"{name}: is not complete, there is only {partial.name}; {remedy}")
    run = store.load(file)
    (own, shards), found = run.shard, run.provenance.get("stream_version")
    reasons = {
        "holds verdicts of a validation, no shard of a run; leave it out": not run.study,
        "was merged itself; name the shards it was merged from": run.merged is not None,
        f"shard {own}/{shards} is not complete; {remedy}": not run.complete,
        f"was sampled with stream version {found}, this fastgc has {STREAM_VERSION}; merge it with "
        "the fastgc that sampled it": found != STREAM_VERSION,
    }
    for reason in (reason for reason, is_so in reasons.items() if is_so):
        raise FastgcError(f"{name}: {reason}")
    return run


def _why_not(file: Path, run: StoredRun, gathered: ShardSums) -> str | None:
    first = gathered.first
    name, other = one_line(str(file)), one_line(str(gathered.file))
    (own, shards), of = run.shard, first.shard[1]
    if run.identity != first.identity:
        where, mine, theirs = difference(run.identified(), first.identified())
        return (
            f"{name}: is of another study or seed than {other}: {where} is {mine}, there {theirs}; "
            "leave one of the two out"
        )
    if shards != of:
        return (
            f"{name}: is shard {own}/{shards}, {other} is one of {of}; merge shards of one run, "
            "all with the same N"
        )
    forms = [[(u.key, u.block, u.tally.shape) for u in each.units] for each in (run, first)]
    if forms[0] != forms[1]:
        return (
            f'{name}: sampled other points than {other}, for method "auto" chose other methods for '
            "other trials; run both with the same trials"
        )
    if own in gathered.parts:
        before = one_line(gathered.parts[own].file)
        same = "is named twice" if name == before else f"is shard {own}/{shards}, as {before} is"
        return f"{name}: {same}; name each shard once"
    return None
