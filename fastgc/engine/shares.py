"""Which of a unit's blocks are a shard's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """A shard's part of a unit: every N-th block, from the i-th."""

    blocks: range  #: The numbers of its blocks.
    #: The number of the incomplete block at the end, and how many trials of it are the shard's.
    partial: int
    last: int
    alone: bool  #: Whether there is no other shard; only then precision stops it.

    @classmethod
    def of(cls, block: int, trials: int, shard: tuple[int, int]) -> Share:
        """Return what is a shard's of so many trials, with so many in a block.

        Examples
        --------
        >>> Share.of(64, 200, (1, 2))
        Share(blocks=range(1, 3, 2), partial=3, last=8, alone=False)
        """
        own, shards = shard
        full, rest = divmod(trials, block)
        return cls(range(own, full, shards), full, rest if full % shards == own else 0, shards == 1)

    def trials(self, block: int) -> int:
        """Return how many trials that are, with so many in a block."""
        return len(self.blocks) * block + self.last
