"""What keeping a run costs: rows and file are made of what a pilot found, but not written."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from fastgc.results import store
from fastgc.results.checkpointer import (
    CHECKPOINT_SECONDS,
    CHECKPOINT_SHARE,
    FIRST_CHECKPOINT,
    provenance,
)
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.runs.pilots import Enumerated
from fastgc.runs.plan import Plan
from fastgc.runs.rates import Growth

T = TypeVar("T")
QUICK = 0.5  # seconds; what takes less is done twice, for the first time loads what it needs


@dataclass(frozen=True)
class Storage:
    """What a file takes."""

    #: Processor seconds for what is found out once, and for each checkpoint.
    once: float
    each: float
    memory: int  #: Bytes of memory while a checkpoint is made, without digests.
    bytes: int  #: Of the file, without digests.
    unit_bytes: list[int]  #: Of these, those for each unit's tally and rows.

    @classmethod
    def of(cls, plan: Plan, stored: Sequence[StoredUnit], exact: Sequence[Enumerated]) -> Storage:
        """Make rows and file of what is known so far, and throw them away."""
        tried = all(each.tried for each in exact)
        sampled = plan if tried else replace(plan, known=(), found={})
        extra = [] if tried else [row for each in exact for row in each.rows]
        points, once = _clocked(plan.describe)
        made = StoredRun(
            study=plan.study.text(),
            identity=plan.study.identity(),
            provenance=provenance() | {"points": points},
            units=list(stored),
            complete=True,
        )

        def file() -> tuple[list[dict[str, Any]], int]:
            rows = [row.as_dict() for row in [*sampled.rows(stored), *extra]]
            return rows, len(store.image_of(replace(made, rows=rows)))

        memory = Growth()
        (rows, size), each = _clocked(file)
        grown = memory.most or 0
        _, forms = _clocked(lambda: replace(plan).closed_forms)
        return cls(once + forms, each, grown, size, _bytes_of_units(plan, made, rows))

    def seconds(self, sampling: float, exact: float, checkpoint_seconds: float | None) -> float:
        """Return processor seconds for the checkpoints of a run that samples so long, and its file.

        The first checkpoint has to wait for the exact methods.
        """
        usual = checkpoint_seconds or CHECKPOINT_SECONDS
        pause = min(FIRST_CHECKPOINT, usual)
        due, written, cost = pause, 0, exact + self.once + self.each
        while due < sampling:
            written += 1
            pause = min(2 * pause, usual)
            due += cost + max(pause, 0.0 if checkpoint_seconds else cost / CHECKPOINT_SHARE)
            cost = self.each
        return self.once + (written + 1) * self.each


def _bytes_of_units(plan: Plan, made: StoredRun, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Bytes of every unit's tally and rows; units alike are looked at once."""

    def address(experiment: str, point: dict[str, Any]) -> str:
        return json.dumps([experiment, point])

    bare = len(store.image_of(replace(made, units=[], rows=[])))
    by_point: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["trials"] is not None:
            by_point.setdefault(address(row["experiment"], row["point"]), []).append(row)
    own: dict[tuple[tuple[int, int], bool, int], int] = {}
    found = []
    for unit, stored in zip(plan.units, made.units, strict=True):
        addresses = [address(point.experiment, point.sweep) for point in unit.points]
        mine = [row for each in addresses for row in by_point.get(each, [])]
        like = unit.shape, stored.partial is not None, len(mine)
        if like not in own:
            own[like] = len(store.image_of(replace(made, units=[stored], rows=mine))) - bare
        found.append(own[like])
    return found


def _clocked(work: Callable[[], T]) -> tuple[T, float]:
    """Do some work; return what it gives, and the processor time that it takes when warm."""
    took = 0.0
    for _ in range(2):
        started = time.process_time()
        found = work()
        took = time.process_time() - started
        if took > QUICK:
            break
    return found, took
