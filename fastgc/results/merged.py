"""What a file was merged from, and how the blocks of its shards lie among each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_NAMES = 6


@dataclass(frozen=True)
class MergedShard:
    """One of the shards that a file was merged from.

    Attributes
    ----------
    file : str
        Its file, as it was named.
    shard : int
        Which one, from 0.
    done : tuple of int
        For each unit, its full blocks.
    rest : tuple of int
        For each unit, the trials of its last, incomplete block.
    provenance : dict
        The versions that sampled it, and when it was written.
    """

    file: str
    shard: int
    done: tuple[int, ...]
    rest: tuple[int, ...]
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

    def interleaving(self, unit: int) -> Interleaving:
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

    @property
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
        """What people are told of the file."""
        files = [part.file for part in self.parts]
        listed = ", ".join(files[:MOST_NAMES])
        if len(files) > MOST_NAMES:
            listed += f" and {len(files) - MOST_NAMES} more"
        gaps = "" if self.note is None else f"; {self.note}"
        return f"this was merged from {len(files)} of {self.shards} shards: {listed}{gaps}"


@dataclass(frozen=True)
class Interleaving:
    """Blocks of shards in the order of one process: shard i has i, i + N, i + 2N, ….

    Parameters
    ----------
    shards : int
        The number N.
    done : mapping
        For each shard that is there, how many full blocks it has.
    """

    shards: int
    done: Mapping[int, int]

    def numbers(self) -> NDArray[np.int64]:
        """Return the numbers of all blocks, shard by shard as ``done`` has them."""
        dealt = [shard + self.shards * np.arange(done) for shard, done in self.done.items()]
        return np.concatenate(dealt).astype(np.int64)

    def woven(self, digests: Mapping[int, NDArray[np.uint64]]) -> NDArray[np.uint64]:
        """Return the digests of all blocks in their order, from those of each shard."""
        dealt = np.concatenate([digests[shard] for shard in self.done])
        return dealt[np.argsort(self.numbers())]

    def runs(self, shard: int, first: int, blocks: int) -> list[tuple[int, int, int]]:
        """Return where consecutive blocks of a shard stand among all that are there.

        Each run is (place of its first block, distance to the next, how many): the distance
        changes where another shard has no more.
        """
        last = first + blocks
        ends = np.fromiter(self.done.values(), np.int64)
        cuts = ends[(first < ends) & (ends < last)].tolist()
        return [
            (
                self._place(shard, start),
                int(np.sum(ends > start)),
                end - start,
            )
            for start, end in pairwise(sorted({first, last, *cuts}))
        ]

    def _place(self, shard: int, turn: int) -> int:
        """Number of blocks that are there before a shard's block, by its number in the shard."""
        own, done = np.array([*self.done.items()], np.int64).T
        return int(np.sum(np.minimum(done, turn) + ((own < shard) & (done > turn))))

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
    listed = ", ".join(f"{shard}/{of}" for shard in shards[:MOST_NAMES])
    if len(shards) > MOST_NAMES:
        listed += f" and {len(shards) - MOST_NAMES} more"
    return f"shard{'s' if len(shards) > 1 else ''} {listed}"
