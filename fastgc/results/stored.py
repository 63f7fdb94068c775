"""Classes for the content of a file of results."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.registry.cached import cached_property
from fastgc.results import sound
from fastgc.statistics.tallies import Tally

LONGEST = 40  # characters of a value that is shown


def difference(mine: Any, theirs: Any) -> tuple[str, str, str]:
    """Return where two `StoredRun.identified` that differ do so first, and what each has there."""
    here, there = dict(_leaves(mine)), dict(_leaves(theirs))
    names = (name for name in {**here, **there} if here.get(name) != there.get(name))
    where = next(names, "a table without keys")
    ours, others = (_shortened(own.get(where, "not given")) for own in (here, there))
    for place, point in enumerate(mine.get("points", [])):  # as people know a point
        name = point["experiment"]
        where = where.replace(f"points[{place}].table.", f"{name}'s ")
        where = where.replace(f"points[{place}].sweep.", f"{name}'s swept ")
        where = where.replace(f"points[{place}].experiment", "an experiment's name")
    return where, ours, others


def _leaves(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    # the places of a value from JSON that hold no table, and what stands there
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key], f"{where}.{key}".lstrip("."))
    elif isinstance(value, list):
        yield f"the number of {where}", str(len(value))
        for place, each in enumerate(value):
            yield from _leaves(each, f"{where}[{place}]")
    else:
        yield where, json.dumps(value, ensure_ascii=False)


def _shortened(said: str) -> str:
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"


@dataclass(frozen=True)
class MergedShard:
    """One of the shards that a file was merged from."""

    file: str  #: Its file, as it was named.
    shard: int  #: Which one, from 0.
    done: tuple[int, ...]  #: For each unit, its full blocks.
    rest: tuple[int, ...]  #: For each unit, the trials of its last, incomplete block.
    #: The versions that sampled it, and when it was written.
    provenance: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Merger:
    """The shards, of how many, that a file was merged from, in their order."""

    shards: int
    parts: tuple[MergedShard, ...]

    @property
    def missing(self) -> list[int]:
        """Shards that it was merged without."""
        return sorted(set(range(self.shards)) - {part.shard for part in self.parts})

    def interleaving(self, unit: int) -> "Interleaving":
        """How the blocks of a unit, by its number, lie among each other."""
        return Interleaving(self.shards, {part.shard: part.done[unit] for part in self.parts})

    def blocks(self, unit: int) -> list[int]:
        """Numbers of a unit's blocks in their order, an incomplete one last."""
        begun = [p.shard + self.shards * p.done[unit] for p in self.parts if p.rest[unit]]
        return [*sorted(self.interleaving(unit).numbers().tolist()), *begun]

    def short(self) -> dict[int, int]:
        """Shards with less than their share of what others have sampled; each with such a unit."""
        found: dict[int, int] = {}
        for unit in range(len(self.parts[0].done)):
            rest = {part.shard for part in self.parts if part.rest[unit]}
            for shard in self.interleaving(unit).short(rest):
                found.setdefault(shard, unit)
        return found

    @cached_property
    def note(self) -> str | None:
        """What every row of a file with gaps says; None where it has none."""
        said = []
        if self.missing:
            said.append(f"without {named(self.missing, self.shards)}")
        if self.short():
            said.append("from shards of unequal length")
        return f"merged {' and '.join(said)}" if said else None

    @property
    def sentence(self) -> str:
        """How the file was merged, in a sentence."""
        files = [part.file for part in self.parts]
        listed = ", ".join(files)
        gaps = "" if self.note is None else f"; {self.note}"
        return f"this was merged from {len(files)} of {self.shards} shards: {listed}{gaps}"


@dataclass(frozen=True)
class Interleaving:
    """Blocks of shards in the order of one process: shard i has i, i + N, i + 2N, …."""

    shards: int  #: The number N.
    done: Mapping[int, int]  #: For each shard that is there, how many full blocks it has.

    def numbers(self) -> NDArray[np.int64]:
        """Return the numbers of all blocks, shard by shard as ``done`` has them."""
        dealt = [shard + self.shards * np.arange(done) for shard, done in self.done.items()]
        return np.concatenate(dealt).astype(np.int64)

    def woven(self, digests: Mapping[int, NDArray[np.uint64]]) -> NDArray[np.uint64]:
        """Return the digests of all blocks in their order, from those of each shard."""
        dealt = np.concatenate([digests[shard] for shard in self.done])
        return dealt[np.argsort(self.numbers())]

    def short(self, rest: set[int]) -> Sequence[int]:
        """Return shards that would go on with a block before one that others have.

        ``rest`` are the shards that have begun, but not completed, the block they go on with.
        """
        following = {shard: shard + self.shards * done for shard, done in self.done.items()}
        reach = [following[shard] for shard in rest]
        reach += [block - self.shards + 1 for block in following.values() if block >= self.shards]
        return [shard for shard, block in following.items() if block < max(reach, default=0)]


def named(shards: Sequence[int], of: int) -> str:
    """Return shards as people read them, like "shards 1/3, 2/3"."""
    listed = ", ".join(f"{shard}/{of}" for shard in shards)
    return f"shard{'s' if len(shards) > 1 else ''} {listed}"


@dataclass
class StoredUnit:
    """The trials that were sampled for one unit."""

    key: str  #: A hash of all that changes the unit's numbers.
    block: int  #: Trials in a block.
    done: int  #: Number of full blocks in ``tally``, counted in the shard's order.
    digests: NDArray[np.uint64]  #: A digest of each full block's tally.
    tally: Tally
    #: The trials of a last, incomplete block, kept apart so that the run can be extended.
    partial: Tally | None = None
    stopped_by: str | None = None  #: What ended the sampling of the unit.

    @classmethod
    def fresh(cls, key: str, block: int, shape: tuple[int, int]) -> "StoredUnit":
        """Return a unit with no trials yet; ``shape`` is that of its tally."""
        return cls(key, block, 0, np.empty(0, np.uint64), Tally.empty(*shape))

    @property
    def trials(self) -> int:
        """Number of trials, those of the partial block too."""
        return self.tally.trials + (0 if self.partial is None else self.partial.trials)

    def total(self) -> Tally:
        """Return the tally of all trials, those of the partial block too."""
        tally = Tally.empty(*self.tally.shape)
        tally.merge(self.tally)
        if self.partial is not None:
            tally.merge(self.partial)
        return tally


@dataclass(frozen=True)
class ArrayMeaning:
    """What an array of measurements means, its dimensions by name, and its unit if it has one."""

    meaning: str
    dimensions: tuple[str, ...]
    unit: str | None = None


@dataclass
class StoredRun:
    """The content of a file of results.

    ``verdicts`` are those of a validation, as data; their estimates stand behind its ``rows``.
    ``merged`` says from which shards the file, or what it began with, was merged.
    """

    study: str
    identity: str
    provenance: dict[str, Any]
    shard: tuple[int, int] = (0, 1)
    units: list[StoredUnit] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = False
    merged: Merger | None = None

    def asked(self) -> dict[str, Any]:
        """Return the study as data. Raises FastgcError if it is no TOML: the file is damaged."""
        with sound.reading("the study in the file", "bring back a copy"):
            return tomllib.loads(self.study)

    def identified(self) -> dict[str, Any]:
        """Return what decides the file as data: the seed, and points, or claims of a validation.

        Raises FastgcError if it is not as fastgc writes it: the file is damaged.
        """
        with sound.reading("what the file says of its run", "bring back a copy"):
            found = json.loads(self.identity)
            sound.identity(found, self.study)
            return dict(found)

    def blocks_of(self, unit: StoredUnit) -> Sequence[int]:
        """Return the numbers of a unit's blocks in the study, a partial one last."""
        if self.merged is not None and self.merged.note is not None:
            number = next(i for i, each in enumerate(self.units) if each is unit)
            return self.merged.blocks(number)
        own, shards = self.shard
        return range(own, own + shards * (unit.done + (unit.partial is not None)), shards)

    @property
    def origin(self) -> str | None:
        """Return whether this is a shard or was merged, in one sentence; None if neither."""
        own, shards = self.shard
        if shards > 1:
            return f"this is shard {own}/{shards} of a run; `fastgc merge` joins all {shards}"
        return None if self.merged is None else self.merged.sentence
