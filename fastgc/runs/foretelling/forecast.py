"""What a dry run found: a study's points, each with its roads, and what all of them take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastgc.engine.units import Unit
from fastgc.experiments.point import Point
from fastgc.runs.foretelling.batch_lines import Batch
from fastgc.runs.foretelling.ending import Ending
from fastgc.runs.foretelling.exact_pilot import Enumerated
from fastgc.runs.foretelling.expected import Expected
from fastgc.runs.foretelling.pilot import Pilot
from fastgc.runs.plan import Plan, name_of


@dataclass(frozen=True)
class Sampled:
    """A unit that will be sampled: one point, or all points on common random numbers.

    Attributes
    ----------
    unit : Unit
    pilot : Pilot
        What its first blocks showed.
    ending : Ending
        After how many trials it stops, and why.
    seconds : Expected
        Of processor time.
    memory : int or None
        Bytes that a process takes while it samples the unit; None where nobody tells.
    bytes : int
        In the file.
    sample_bytes : int
        In the folder of raw samples.
    """

    unit: Unit
    pilot: Pilot
    ending: Ending
    seconds: Expected
    memory: int | None
    bytes: int
    sample_bytes: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "name": name_of(self.unit),
            "points": [_address(point) for point in self.unit.points],
            **self.ending.as_dict(),
            "core_seconds": self.seconds.as_dict(),
            "memory_bytes": self.memory,
            "file_bytes": self.bytes,
            "sample_bytes": self.sample_bytes,
            "pilot": {"trials": self.pilot.trials, "core_seconds": self.pilot.seconds},
        }


@dataclass(frozen=True)
class Forecast:
    """What a run will take.

    Attributes
    ----------
    plan : Plan
        The roads of every point.
    shard : (i, N)
        Which part of the blocks is meant.
    threads : int
        That sample.
    enumerated : tuple of Enumerated
        The points on the exact road.
    sampled : tuple of Sampled
        What is sampled.
    exact, sampling, keeping : Expected
        Processor seconds for exact roads, for sampling, and for rows, checkpoints and file.
    clock : Expected
        Seconds from the first to the last block on idle cores.
    start_up : float
        Processor seconds of a process until it samples, Python's own start not counted; more where
        kernels are not yet compiled.
    memory : int or None
        Bytes that a process takes at most; None where nobody tells.
    bytes : int
        Of the file.
    batch : Batch or None
        What to ask a queue for; None where the study is no file.
    """

    plan: Plan
    shard: tuple[int, int]
    threads: int
    enumerated: tuple[Enumerated, ...]
    sampled: tuple[Sampled, ...]
    exact: Expected
    sampling: Expected
    keeping: Expected
    clock: Expected
    start_up: float
    memory: int | None
    bytes: int
    batch: Batch | None

    @property
    def core_seconds(self) -> Expected:
        """Processor seconds of all, the start apart."""
        return self.exact + self.sampling + self.keeping

    @property
    def seconds(self) -> Expected:
        """Seconds from beginning to end on idle cores; the threads share nothing but sampling."""
        return Expected.exactly(self.start_up) + self.exact + self.keeping + self.clock

    @property
    def sample_bytes(self) -> int:
        """Of the folder of raw samples."""
        return sum(each.sample_bytes for each in self.sampled)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        parts = {
            "all": self.core_seconds,
            "sampling": self.sampling,
            "exact": self.exact,
            "keeping": self.keeping,
            "start_up": Expected.exactly(self.start_up),
        }
        return {
            "study": self.plan.study.where,
            "title": self.plan.study.title,
            "shard": list(self.shard),
            "threads": self.threads,
            "points": [self._point(point) for point in self.plan.points],
            "sampled": [each.as_dict() for each in self.sampled],
            "core_seconds": {name: part.as_dict() for name, part in parts.items()},
            "seconds": self.seconds.as_dict(),
            "memory_bytes": self.memory,
            "file_bytes": self.bytes,
            "sample_bytes": self.sample_bytes,
            "batch": None if self.batch is None else self.batch.as_dict(),
        }

    def _point(self, point: Point) -> dict[str, Any]:
        """A point's roads; one that is not taken says why."""
        roads: list[dict[str, Any]] = []
        forms = self.plan.closed_forms[id(point.table)]
        known = [key for key in forms if key[0] in point.table.measure]
        if known:
            roads.append({"method": "closed-form", "values": len(known)})
        for found in self.enumerated:
            if found.point is point:
                roads.append(
                    {
                        "method": "rare" if found.is_rare else point.compiled.exact_method(),
                        "patterns": found.patterns,
                        "core_seconds": found.seconds.as_dict(),
                        "memory_bytes": found.memory,
                        "tried": found.tried,
                    }
                )
        for number, each in enumerate(self.sampled):
            if any(own is point for own in each.unit.points):
                reasons = self.plan.reasons.get(id(point.table), {})
                why = "; ".join(dict.fromkeys(reasons.values())) or None
                roads.append({"method": "monte-carlo", "sampled": number, "why_not_exact": why})
        return {**_address(point), "roads": roads}


def _address(point: Point) -> dict[str, Any]:
    return {"experiment": point.experiment, "point": point.sweep}
