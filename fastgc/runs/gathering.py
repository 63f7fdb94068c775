"""The trials of shards, added up: a shard is read, added and forgotten, however many there are."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError, MistakesError
from fastgc.registry.complaints import one_line
from fastgc.results import sample_files, sound
from fastgc.results.checkpointer import provenance
from fastgc.results.stored import MergedShard, Merger, Segment, StoredRun, StoredUnit
from fastgc.runs.plan import Plan, name_of
from fastgc.runs.shards import shard_from, why_not_of_one_run
from fastgc.statistics.tallies import Tally
from fastgc.study.stop import Stop
from fastgc.study.study import Study


@dataclass
class GatheredUnit:
    """A unit's trials in all shards that were read: sums, and by shard what has an order."""

    key: str
    block: int
    tally: Tally
    partial: Tally | None = None
    digests: dict[int, NDArray[np.uint64]] = field(default_factory=dict)
    segments: dict[int, list[Segment]] = field(default_factory=dict)
    stopped_by: set[str] = field(default_factory=set)

    @classmethod
    def like(cls, unit: StoredUnit) -> GatheredUnit:
        """Return one without trials."""
        tally = Tally.empty(len(unit.tally.sums), len(unit.tally.histograms))
        return cls(unit.key, unit.block, tally)

    def add(self, shard: int, unit: StoredUnit) -> None:
        """Add a shard's trials: exact sums, of which any order gives the same bits."""
        self.tally.merge(unit.tally)
        if unit.partial is not None:
            self.partial = unit.partial
        self.digests[shard] = unit.digests
        self.segments[shard] = unit.segments
        self.stopped_by.add(unit.stopped_by or "trials")


class Gathered:
    """What the shards hold that were read so far.

    Parameters
    ----------
    file : Path
        The first of them.
    first : StoredRun
        What it holds; it stands for all that they have in common.

    Attributes
    ----------
    parts : dict
        The shards by their number.
    trials : dict
        By shard, how many trials its study asked for.
    """

    def __init__(self, file: Path, first: StoredRun) -> None:
        self.file = file
        self.first = first
        self.units = [GatheredUnit.like(unit) for unit in first.units]
        self.parts: dict[int, MergedShard] = {}
        self.trials: dict[int, int] = {}
        self._studies: dict[int, str] = {}
        self._keeping: dict[bool, Path] = {}

    def why_not(self, file: Path, run: StoredRun) -> str | None:
        """Why a shard cannot be added, in one sentence; None where it can."""
        own, shards = run.shard
        why = why_not_of_one_run(file, run, self.file, self.first)
        if why is not None:
            return why
        name = one_line(str(file))
        if own in self.parts:
            other = one_line(self.parts[own].file)
            same = "is named twice" if name == other else f"is shard {own}/{shards}, as {other} is"
            return f"{name}: {same}; name each shard once"
        unlike = self._keeping.get(not _keeps(run)) if _sampled(run) else None
        if unlike is not None:
            has = "has raw samples, {} has none" if _keeps(run) else "has no raw samples, {} has"
            remedy = "sample all shards with keep samples, or all without"
            return f"{name}: {has.format(one_line(str(unlike)))}; {remedy}"
        return None

    def add(self, file: Path, run: StoredRun) -> None:
        """Add a shard's trials."""
        own = run.shard[0]
        # how points are measured is said once, and again only of a shard where it was otherwise
        common = self.first.provenance.get("points")
        versions = {
            key: value
            for key, value in run.provenance.items()
            if key != "points" or value != common
        }
        done = tuple(unit.done for unit in run.units)
        rest = tuple(0 if u.partial is None else u.partial.trials for u in run.units)
        self.parts[own] = MergedShard(str(file), own, done, rest, versions)
        self.trials[own] = _trials_asked(file, run)
        if _sampled(run):
            self._keeping.setdefault(_keeps(run), file)
        self._studies.setdefault(self.trials[own], run.study)
        for gathered, unit in zip(self.units, run.units, strict=True):
            gathered.add(own, unit)

    @property
    def study(self) -> str:
        """The study's text: that of the most trials."""
        return self._studies[max(self._studies)]

    def name(self, unit: int) -> str:
        """What people call a unit."""
        plan = Plan.of(Study.parse(tomllib.loads(self.study)), [each.key for each in self.units])
        return name_of(plan.units[unit])

    def merger(self) -> Merger:
        """Return which shards were read."""
        return Merger(self.first.shard[1], tuple(self.parts[own] for own in sorted(self.parts)))

    def run(self, path: Path, merger: Merger) -> tuple[StoredRun, dict[Path, Path]]:
        """Return the merged run without its rows, and the files that its samples link to."""
        units = []
        links: dict[Path, Path] = {}
        for number, unit in enumerate(self.units):
            weave = merger.interleaving(number)
            segments, more = sample_files.linked(path, merger, number, unit.block, unit.segments)
            links |= more
            merged = StoredUnit(
                key=unit.key,
                block=unit.block,
                done=sum(weave.done.values()),
                digests=weave.woven(unit.digests),
                tally=unit.tally,
                partial=unit.partial,
                stopped_by=min(unit.stopped_by - {"trials"}, default="trials"),
                segments=segments,
            )
            units.append(merged)
        points = self.first.provenance.get("points", [])
        run = StoredRun(
            study=self.study,
            identity=self.first.identity,
            provenance=provenance() | {"points": points},
            units=units,
            complete=True,
            merged=merger,
        )
        return run, links


def _trials_asked(file: Path, run: StoredRun) -> int:
    """How many trials a shard's study asks for."""
    with sound.reading(one_line(str(file)), "sample it again"):
        return Stop.model_validate(run.asked().get("stop", {})).trials


def _sampled(run: StoredRun) -> bool:
    """Whether a shard has any trials; one of few blocks may have none."""
    return any(unit.trials for unit in run.units)


def _keeps(run: StoredRun) -> bool:
    """Whether a shard keeps raw samples."""
    return any(unit.segments for unit in run.units)


@dataclass(frozen=True)
class Step:
    """How far a merge is: ``done`` of ``total`` shards are read, ``name`` is the next."""

    done: int
    total: int
    name: str
    seconds: float


def gather(files: Sequence[Path], progress: Callable[[Step], None] | None = None) -> Gathered:
    """Read all shards, one at a time; ``progress`` is called before each.

    Raises
    ------
    MistakesError
        One line for every file that is not a complete shard of the same run as the first.
    """
    gathered: Gathered | None = None
    complaints = []
    started = time.monotonic()
    for done, file in enumerate(files):
        if progress is not None:
            progress(Step(done, len(files), str(file), time.monotonic() - started))
        try:
            run = shard_from(file)
        except FastgcError as problem:
            complaints.append(str(problem))
            continue
        if gathered is None:
            gathered = Gathered(file, run)
        why = gathered.why_not(file, run)
        if why is None:
            gathered.add(file, run)
        else:
            complaints.append(why)
    if gathered is None or complaints:
        raise MistakesError(complaints)
    return gathered
