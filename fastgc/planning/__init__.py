"""Which system and which parameters are best for a cluster: ``fastgc design``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from fastgc.engine.executors.opening import pool_for
from fastgc.engine.parcels import Parcel
from fastgc.errors import FastgcError, StoppedError
from fastgc.planning import ranking
from fastgc.planning.candidate import Candidate
from fastgc.planning.candidate_list import CandidateList
from fastgc.planning.search import Search, Step
from fastgc.planning.timed_system import Setting
from fastgc.planning.valuation import Valuation
from fastgc.results.ranking import Choice, Ranking, written
from fastgc.statistics.estimates import normal_quantile
from fastgc.study.design import DesignTable, parse
from fastgc.systems.system import System

__all__ = ["Choice", "Ranking", "Step", "design"]

#: Systems of a list that are all looked at; of a longer one every other, every fourth, … first.
_LONGEST = 256


def design(
    source: Mapping[str, Any] | str | Path,
    *,
    threads: int | None = None,
    executor: str | Executor | None = None,
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
    threads : int, optional
        Threads, or processes of the executor; by default all cores this process may use. They
        change no number.
    executor : str or concurrent.futures.Executor, optional
        Where systems are sampled and their laws evaluated, which changes no number either: as for
        `fastgc.run`.
    progress : callable, optional
        Called with a `Step` now and then.
    interrupted : callable, optional
        Asked often; a text it returns stops the search.

    Returns
    -------
    Ranking
        A sequence of `Choice`, the best first: the best of every scheme, and its neighbours.

    Raises
    ------
    StudyError
        Everything that is wrong with the study.
    FastgcError
        If no system can be timed, is light enough, or has a finite mean.
    StoppedError
        If the search was asked to stop.
    WorkersError
        If the executor's workers were lost.

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
    setting = Parcel(Setting(table))

    def make(scheme: str, system: System) -> Candidate | None:
        try:
            candidate = Candidate(setting, system)
        except FastgcError as problem:
            refused.append((scheme, str(problem)))
            return None
        most = math.inf if table.most_load is None else table.most_load * (1 + 1e-12)
        return candidate if candidate.load <= most else None

    # not every load is an integer, so that all of them must be tried
    longest = sys.maxsize if table.scaling == "additive" else _LONGEST
    lists = [
        CandidateList(scheme, offered, make, longest)
        for scheme in table.wanted
        for offered in table.candidates(scheme)
    ]
    _require_some(table, lists, refused)
    with pool_for(executor, threads) as pool:
        search = Search(table, lists, Valuation(pool, report))
        listed = search.run()
        shown = ranking.thinned(ranking.front(search.looked_at), listed)
        search.finish(shown)
    listed.sort(key=lambda c: (c.value, c.load))
    z = normal_quantile(table.confidence)
    return Ranking(
        choices=tuple(ranking.choice(candidate, z) for candidate in listed),
        goal=table.goal,
        confidence=table.confidence,
        front=tuple(ranking.choice(candidate, z) for candidate in ranking.front(shown)),
        separated=not search.unresolved,
        trials=search.trials,
        notes=tuple(_notes(table, search, listed[0], refused)),
    )


def _require_some(
    table: DesignTable, lists: Sequence[CandidateList], refused: Sequence[tuple[str, str]]
) -> None:
    looked_at = [c for each in lists for c in each.candidates]
    if not looked_at and len(refused) == sum(each.seen for each in lists):
        raise FastgcError(f"design: no system can be timed: {refused[0][1]}")
    if not looked_at:
        raise FastgcError(
            f"design.most_load: no system of these schemes gives a worker so little of the work "
            f"(got {table.most_load:g}); allow more, or other schemes"
        )
    if all(c.known == math.inf for c in looked_at):
        raise FastgcError(
            "design.goal: the mean time of every system is infinite under this latency; "
            'take goal = "quantile(0.5)" or another quantile'
        )


def _notes(
    table: DesignTable,
    search: Search,
    first: Candidate,
    refused: Sequence[tuple[str, str]],
) -> list[str]:
    """Return sentences on what the ranking leaves out or cannot say."""
    notes = []
    if search.equal:
        notes.append(f"equal to the first: {_several(search.equal)}")
    if any(c.heavy for c in (first, *search.unresolved)) and search.unresolved:
        notes.append(
            f"not certainly worse than the first: {_several(search.unresolved)}; an infinite "
            'variance lets no number of trials decide between means, goal = "quantile(0.5)" would'
        )
    elif search.unresolved:
        notes.append(
            f"{search.trials} trials do not tell the first from {_several(search.unresolved)} at "
            f"confidence {table.confidence:g}; give more trials, or take either"
        )
    if any(c.known == math.inf for c in search.looked_at):
        notes.append('some means are infinite; goal = "quantile(0.99)" compares all systems')
    if first.family == "ignore-stragglers":
        notes.append("ignore-stragglers loses what its stragglers hold: its result is not exact")
    if table.schemes is None:
        notes.append(
            "k-of-n and hierarchical code linear computations, like products with a matrix; name "
            "schemes without them for other gradients"
        )
        notes += table.unfit.values()
    trees = [each for each in search.lists if each.scheme == "coded-reduce"]
    if trees and all(c.idle for each in trees for c in each.candidates):
        notes.append(f"no regular tree has exactly {table.workers} workers; some stay idle")
    for each in search.lists:
        if each.seen < len(each):
            notes.append(
                f"of {len(each)} {each.scheme} systems {each.seen} were looked at: all near "
                "the best, some further away"
            )
    for scheme in dict.fromkeys(scheme for scheme, _ in refused):
        reasons = [reason for own, reason in refused if own == scheme]
        notes.append(f"{len(reasons)} {scheme} left out: {reasons[0]}")
    return notes


def _several(candidates: Sequence[Candidate]) -> str:
    texts = [written(candidate.system.settings()) for candidate in candidates[:3]]
    more = len(candidates) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")
