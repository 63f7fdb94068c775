"""Which system and which parameters are best for a cluster: ``fastgc design``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError, StoppedError
from fastgc.planning import ranking
from fastgc.planning.candidates import lines
from fastgc.planning.contender import Contender
from fastgc.planning.contest import Contest, Course, Step
from fastgc.planning.ranking import Choice, Ranking
from fastgc.statistics.estimates import normal_quantile
from fastgc.study.design import DesignTable, parse
from fastgc.systems.system import System

__all__ = ["Choice", "Ranking", "Step", "design"]

#: Systems of a line that are all looked at; of a longer one every other, every fourth, … first.
_LONGEST = 256


def design(
    source: Mapping[str, Any] | str | Path,
    *,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Ranking:
    """Rank all systems that fit a cluster by the mean or a quantile of their completion time.

    Values are exact where their law is known and quickly evaluated; others are sampled, all systems
    on the same workers' times, until the first is certainly the best or trials run out.

    Parameters
    ----------
    source : str, Path or dict
        A study with a table ``[design]``, or that table: ``workers``, ``latency``, and perhaps
        ``schemes``, ``goal``, ``work``, ``scaling``, ``port``, ``stragglers``, ``layers``,
        ``tasks``, ``confidence``, ``trials``, ``seed``, ``most_load``.
    progress : callable, optional
        Called with a `Step` now and then.
    interrupted : callable, optional
        Asked often; a text it returns stops the search.

    Returns
    -------
    Ranking
        A list of `Choice`, the best first: the best of every scheme, and its neighbours.

    Raises
    ------
    StudyError
        Everything that is wrong with the study.
    FastgcError
        If no system can be timed, is light enough, or has a finite mean.
    StoppedError
        If the search was asked to stop.

    Examples
    --------
    >>> law = {"distribution": "exponential", "mean": 1.0, "shift": 1.0}
    >>> best = design({"workers": 6, "schemes": ["uncoded", "k-of-n"], "latency": law})[0]
    >>> best.system, round(best.value, 4)
    ({'family': 'k-of-n', 'n': 6, 'k': 4}, 0.4875)
    """
    table = parse(source)
    began = time.monotonic()

    def report(done: int, total: int, name: str, trials: int) -> None:
        reason = interrupted()
        if reason is not None:
            raise StoppedError(f"stopped early by {reason}: nothing was chosen yet")
        if progress is not None:
            progress(Step(done, total, name, trials, time.monotonic() - began))

    report(0, 1, "systems", 0)
    refused: list[tuple[str, str]] = []

    def make(scheme: str, system: System) -> Contender | None:
        try:
            contender = Contender(table, system, interrupted)
        except FastgcError as problem:
            refused.append((scheme, str(problem)))
            return None
        most = math.inf if table.most_load is None else table.most_load * (1 + 1e-12)
        return contender if contender.load <= most else None

    # not every load is an integer, so that all of them must be tried
    longest = sys.maxsize if table.scaling == "additive" else _LONGEST
    made = [Course(line, make, longest) for line in lines(table)]
    _require_some(table, made, refused)
    contest = Contest(table, made, report)
    listed = contest.run()
    shown = ranking.thinned(ranking.front(contest.everyone), listed)
    contest.finish(shown)
    shown = ranking.front(shown)
    z = normal_quantile(table.confidence)
    ranked = sorted(listed, key=lambda c: (c.value, c.load))
    out = Ranking(ranking.choice(contender, z) for contender in ranked)
    out.goal, out.confidence = table.goal, table.confidence
    out.front = [ranking.choice(contender, z) for contender in shown]
    out.separated, out.trials = not contest.rivals, contest.trials
    out.notes = _notes(table, contest, ranked[0], refused)
    return out


def _require_some(
    table: DesignTable, courses: Sequence[Course], refused: Sequence[tuple[str, str]]
) -> None:
    everyone = [c for course in courses for c in course.contenders]
    if not everyone and len(refused) == sum(course.seen for course in courses):
        raise FastgcError(f"design: no system can be timed: {refused[0][1]}")
    if not everyone:
        raise FastgcError(
            f"design.most_load: no system of these schemes gives a worker so little of the work "
            f"(got {table.most_load:g}); allow more, or other schemes"
        )
    if all(c.known == math.inf for c in everyone):
        raise FastgcError(
            "design.goal: the mean time of every system is infinite under this latency; "
            'take goal = "quantile(0.5)" or another quantile'
        )


def _notes(
    table: DesignTable,
    contest: Contest,
    first: Contender,
    refused: Sequence[tuple[str, str]],
) -> list[str]:
    """Say what the list leaves out or cannot say."""
    notes = []
    if contest.equal:
        notes.append(f"equal to the first: {_several(contest.equal)}")
    if any(c.heavy for c in (first, *contest.rivals)) and contest.rivals:
        notes.append(
            f"not certainly worse than the first: {_several(contest.rivals)}; an infinite variance "
            'lets no number of trials decide between means, goal = "quantile(0.5)" would'
        )
    elif contest.rivals:
        notes.append(
            f"{contest.trials} trials do not tell the first from {_several(contest.rivals)} at "
            f"confidence {table.confidence:g}; give more trials, or take either"
        )
    if any(c.known == math.inf for c in contest.everyone):
        notes.append('some means are infinite; goal = "quantile(0.99)" compares all systems')
    family = first.system.settings()["family"]
    if family == "ignore-stragglers":
        notes.append("ignore-stragglers loses what its stragglers hold: its result is not exact")
    if table.schemes is None:
        notes.append(
            "k-of-n and hierarchical code linear computations, like products with a matrix; name "
            "schemes without them for other gradients"
        )
        notes += table.unfit.values()
    trees = [course for course in contest.courses if course.scheme == "coded-reduce"]
    if trees and all(c.idle for course in trees for c in course.contenders):
        notes.append(f"no regular tree has exactly {table.workers} workers; some stay idle")
    for course in contest.courses:
        if course.seen < len(course):
            notes.append(
                f"of {len(course)} {course.scheme} systems {course.seen} were looked at: all near "
                "the best, some further away"
            )
    for scheme in dict.fromkeys(scheme for scheme, _ in refused):
        reasons = [reason for own, reason in refused if own == scheme]
        notes.append(f"{len(reasons)} {scheme} left out: {reasons[0]}")
    return notes


def _several(contenders: Sequence[Contender]) -> str:
    texts = [ranking.written(contender.system.settings()) for contender in contenders[:3]]
    more = len(contenders) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")
