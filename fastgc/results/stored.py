"""Classes for the content of a file of results."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.results import sound
from fastgc.results.merged import Merger
from fastgc.statistics.tallies import Tally


@dataclass(frozen=True)
class Piece:
    """Where some of a segment's trials stand among all: runs of ``length``, ``stride`` apart."""

    first: int
    stride: int
    runs: int
    length: int

    @property
    def trials(self) -> int:
        """Number of trials."""
        return self.runs * self.length


@dataclass(frozen=True)
class Segment:
    """A file of raw samples beside the file of results; never changed once it is written.

    ``members`` names, for each member of the unit, the samples' arrays with shape and type.
    ``pieces`` say where its trials stand, in their order; without any, after all segments before.
    """

    file: str
    trials: int
    partial: bool
    members: tuple[dict[str, tuple[tuple[int, ...], str]], ...]
    pieces: tuple[Piece, ...] = ()


@dataclass
class StoredUnit:
    """The trials that were sampled for one unit.

    Attributes
    ----------
    key : str
        A hash of all that changes the unit's numbers.
    block : int
        Trials in a block.
    done : int
        Number of full blocks in ``tally``, counted in the shard's order.
    digests : uint64 array (done,)
        A digest of each full block's tally.
    tally : Tally
    partial : Tally or None
        The trials of a last, incomplete block, kept apart so that the run can be extended.
    stopped_by : str or None
        What ended the sampling of the unit.
    segments : list of Segment
        Files with its raw samples.
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
        """Number of trials, those of the partial block too."""
        return self.tally.trials + (0 if self.partial is None else self.partial.trials)

    def total(self) -> Tally:
        """Return the tally of all trials, those of the partial block too."""
        tally = self.tally.copy()
        if self.partial is not None:
            tally.merge(self.partial)
        return tally


@dataclass(frozen=True)
class Sampled:
    """What an array of raw samples means, its dimensions by name, and its unit if it has one."""

    meaning: str
    dimensions: tuple[str, ...]
    unit: str | None = None


@dataclass(frozen=True)
class Place:
    """The experiment and point that raw samples belong to, and what each array is."""

    experiment: str
    point: dict[str, Any]
    arrays: Mapping[str, Sampled]


@dataclass
class StoredRun:
    """The content of a file of results.

    ``verdicts`` are those of a validation, as data; their estimates stand behind its ``rows``.
    ``samples`` has, for every unit, a place for the raw samples of each member. ``merged`` says
    from which shards the file, or what it began with, was merged.
    """

    study: str
    identity: str
    provenance: dict[str, Any]
    shard: tuple[int, int] = (0, 1)
    units: list[StoredUnit] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = False
    samples: list[list[Place]] = field(default_factory=list)
    merged: Merger | None = None

    def asked(self) -> dict[str, Any]:
        """Return the study as data.

        Raises
        ------
        FastgcError
            If it is no TOML: the file is damaged.
        """
        with sound.reading("the study in the file", "bring back a copy"):
            return tomllib.loads(self.study)

    def identified(self) -> dict[str, Any]:
        """Return what decides the file as data: the seed, and points, or claims of a validation.

        Raises
        ------
        FastgcError
            If it is not as fastgc writes it: the file is damaged.
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
