"""From candidates to what a search shows: its choices, and the least time for each load."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fastgc.planning.candidate import Candidate
from fastgc.results.ranking import Choice
from fastgc.results.rows import EXACT, MONTE_CARLO

#: Entries of "load against time", at most.
MOST_LOADS = 12


def choice(candidate: Candidate, z: float) -> Choice:
    """Return a candidate as a choice, its interval z standard errors to each side."""
    low, high = candidate.interval(z)
    exact = candidate.known is not None
    notes = []
    if candidate.value == math.inf:
        notes.append("infinite")
    elif not exact and candidate.heavy:
        notes.append("infinite variance: the interval may be too short")
    if candidate.rule is not None:
        notes.append(f"rule {candidate.rule}")
    if candidate.idle:
        notes.append(f"{candidate.idle} {'worker' if candidate.idle == 1 else 'workers'} idle")
    return Choice(
        system=candidate.system.settings(),
        value=candidate.value,
        low=low,
        high=high,
        load=candidate.load,
        method=EXACT if exact else MONTE_CARLO,
        messages=candidate.messages,
        trials=None if exact else candidate.trials,
        note=", ".join(notes),
    )


def front(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates by rising load, without those that a lighter one equals or beats."""
    found: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.load, c.value)):
        if candidate.value < (found[-1].value if found else math.inf):
            found.append(candidate)
    return found


def thinned(candidates: Sequence[Candidate], kept: Sequence[Candidate]) -> list[Candidate]:
    """Return at most `MOST_LOADS` candidates, their loads at about equal ratios.

    The first and the last are among them, and those of ``kept`` that are candidates.
    """
    if len(candidates) <= MOST_LOADS:
        return list(candidates)
    first, last = candidates[0], candidates[-1]
    wanted = [first, last, *(c for c in kept if c in candidates)]
    room = max(0, MOST_LOADS - len({id(c) for c in wanted}))
    for step in range(1, room + 1):
        load = first.load * (last.load / first.load) ** (step / (room + 1))
        wanted.append(min(candidates, key=lambda c: abs(math.log(c.load / load))))
    return [c for c in candidates if any(c is each for each in wanted)]
