"""What a file of results holds, as objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.statistics.tallies import Tally


@dataclass(frozen=True)
class Segment:
    """A file of raw samples beside the file of results; never changed once it is written.

    ``members`` names, for each member of the unit, the samples' arrays with shape and type.
    """

    file: str
    trials: int
    partial: bool
    members: tuple[dict[str, tuple[tuple[int, ...], str]], ...]


@dataclass
class StoredUnit:
    """What is known of one unit of sampling.

    ``done`` counts the full blocks in ``tally``, in the shard's order; ``digests`` (done,) has one
    for each. ``partial`` holds the trials of a last, incomplete block, kept apart so that the run
    can be extended.
    """

    key: str
    block: int
    done: int
    digests: NDArray[np.uint64]
    tally: Tally
    partial: Tally | None = None
    stopped_by: str | None = None
    segments: list[Segment] = field(default_factory=list)

    @classmethod
    def fresh(cls, key: str, block: int, shape: tuple[int, int]) -> StoredUnit:
        """Return a unit with no trials yet; ``shape`` is that of its tally."""
        return cls(key, block, 0, np.empty(0, np.uint64), Tally.empty(*shape))

    @property
    def trials(self) -> int:
        """How many trials are known, those of a partial block too."""
        return self.tally.trials + (0 if self.partial is None else self.partial.trials)

    def total(self) -> Tally:
        """Return the tally of all trials, those of a partial block too."""
        tally = self.tally.copy()
        if self.partial is not None:
            tally.merge(self.partial)
        return tally


@dataclass(frozen=True)
class Place:
    """Whose raw samples a member of a unit has: experiment and point, and what each array is."""

    experiment: str
    point: dict[str, Any]
    meanings: dict[str, str]


@dataclass
class StoredRun:
    """A file of results.

    ``estimates`` is beside ``rows`` where these cannot be made again from a study and its tallies.
    ``samples`` has a place for every member of every unit, for raw samples.
    """

    study: str
    identity: str
    provenance: dict[str, Any]
    shard: tuple[int, int] = (0, 1)
    units: list[StoredUnit] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    estimates: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = False
    samples: list[list[Place]] = field(default_factory=list)
