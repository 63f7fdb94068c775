"""What a file of results says of the run that made it, so that the same run can be made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.results import store
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.version import STREAM_VERSION, __version__


@dataclass(frozen=True)
class Repeat:
    """A run that a file holds.

    Attributes
    ----------
    file : str
    study : str
        Its study's text.
    shard : (i, N)
    trials : mapping of str to int
        By the key of each unit, of how many trials of all shards its own are the share.
    provenance : dict
        The versions that made it.
    """

    file: str
    study: str
    shard: tuple[int, int]
    trials: Mapping[str, int]
    provenance: dict[str, Any]

    @classmethod
    def of(cls, file: str | Path) -> Repeat:
        """Read the file of a run.

        Raises
        ------
        FastgcError
            If it cannot be read, holds no run, or one that a single run cannot repeat.
        """
        path = Path(file)
        name = one_line(str(file))
        stored = store.load(path)
        if not stored.study:
            claims = list(dict.fromkeys(each["claim"] for each in stored.verdicts))
            some = f"{', '.join(claims[:3])}{', …' * (len(claims) > 3)}"
            raise FastgcError(
                f"{name}: holds a validation; `fastgc validate` repeats it, of the same claims "
                f"({some}) or of the file that states them"
            )
        if stored.merged is not None and stored.merged.note is not None:
            raise FastgcError(
                f"{name}: {stored.merged.note}; no single run has these trials, repeat its shards"
            )
        trials = {unit.key: _total(stored, unit) for unit in stored.units}
        return cls(str(file), stored.study, stored.shard, trials, stored.provenance)

    def remark(self) -> str | None:
        """Return what differs between the versions then and now, in a sentence; None if nothing."""
        stream, own = self.provenance.get("stream_version"), self.provenance.get("fastgc")
        name = one_line(self.file)
        if stream != STREAM_VERSION:
            return (
                f"{name}: was sampled with stream version {stream}, this fastgc has "
                f"{STREAM_VERSION}: other trials are drawn, and numbers agree within their "
                "intervals alone"
            )
        if own != __version__:
            return f"{name}: was made by fastgc {own}, this is {__version__}"
        return None


def _total(stored: StoredRun, unit: StoredUnit) -> int:
    """Trials of all shards of which those of a unit are the share."""
    own, shards = stored.shard
    if unit.partial is not None:
        return (own + shards * unit.done) * unit.block + unit.partial.trials
    return (own + shards * (unit.done - 1) + 1) * unit.block if unit.done else 0
