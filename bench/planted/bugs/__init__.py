"""All bugs that are planted, by room."""

from __future__ import annotations

from bench.planted.bugs import (
    completing,
    decoding,
    drawing,
    keeping,
    planning,
    rare,
    recordings,
    statistics,
    stragglers,
    theory,
    training,
)

BUGS = {
    bug.name: bug
    for room in (
        drawing, stragglers, decoding, completing, training, theory, statistics, planning,
        rare, keeping, recordings,
    )
    for bug in room.BUGS
}  # fmt: skip
