"""Which system and which parameters are best for a cluster: ``fastgc design``."""

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastgc.engine.executors.surroundings import available_cores
from fastgc.errors import FastgcError, StoppedError, public
from fastgc.latency.empirical import Empirical
from fastgc.latency.listed import recorded
from fastgc.planning.advice import advise
from fastgc.planning.candidate import Candidate, CandidateList
from fastgc.planning.code_search import search
from fastgc.planning.rank_systems import ClusterSample, certainty, growing, remarks, shown
from fastgc.planning.system_search import Search
from fastgc.registry.activity import Step
from fastgc.results.remedies import Ranking, Remedy
from fastgc.searching.search_result import SearchResult
from fastgc.statistics.changes import trend
from fastgc.study.design import DesignTable, parse
from fastgc.systems.system import GRADIENTS, System
from fastgc.systems.uncoded import Uncoded

__all__ = ["Ranking", "Remedy", "SearchResult", "Step", "advise", "design", "search"]

#: Systems of a list that are all looked at; of a longer one every other, every fourth, … first.
_LONGEST = 256


@public
def design(
    source: Mapping[str, Any] | str | Path,
    *,
    threads: int | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] | None = None,
) -> Ranking:
    """Rank all systems that fit a cluster by the mean or a quantile of their completion time.

    Values are exact where their law is known and quickly evaluated; others are sampled, all systems
    on the same workers' times, until the first is certainly the best or trials run out. Where
    rows of a recording are taken, they are a sample of what the cluster does: intervals, and what
    is certain, count its error.

    Parameters
    ----------
    source : str, Path or dict
        A study with a table ``[design]``, or that table: ``workers``, ``latency``, and perhaps
        other keys, those of `fastgc.study.design.DesignTable`.
    threads : int, optional
        Threads; by default all cores this process may use. They change no number.
    progress : callable, optional
        Called with a `Step` now and then.
    interrupted : callable, optional
        Asked often; a text it returns stops the search.

    Returns
    -------
    Ranking
        A sequence of `Remedy`, the best first: the best of every scheme, and its neighbours.

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
    table, warnings = _assumptions(parse(source))

    def report(done: int, total: int, name: str, trials: int) -> None:
        if (reason := interrupted and interrupted()) is not None:
            raise StoppedError(f"stopped early by {reason}: nothing was chosen yet")
        if progress is not None:
            progress(Step("parts", done, total, name + f", {trials} trials each" * (trials > 0)))

    report(0, 1, "systems", 0)
    refused: list[tuple[str, str]] = []

    def make(scheme: str, system: System) -> Candidate | None:
        try:
            candidate = Candidate(table, system)
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
    uncoded = (c for each in lists for c in each.candidates if c.family == "uncoded")
    baseline = next(uncoded, None)
    if baseline is None:
        with suppress(FastgcError):
            baseline = Candidate(table, Uncoded(n=table.workers))
    with ThreadPoolExecutor(available_cores(threads), "fastgc") as pool:
        search = Search(table, lists, pool, report)
        listed = search.run()
        search.value_well([] if baseline is None else [baseline])
    listed.sort(key=lambda c: (GRADIENTS.index(c.gradient), c.value, c.load))
    first, recordings = listed[0], dict[str, ClusterSample]()
    if any(recorded(law) for law in table.latency):
        if baseline in search.equals(first) or (baseline and baseline.identity == first.identity):
            baseline = first
        recordings = _recordings(table, search, listed, baseline)
    scope, separated, verdict = certainty(table, search, first, recordings)
    alike: dict[Candidate, list[Candidate]] = {}
    for candidate in listed:
        if not any(candidate in others for others in alike.values()):
            alike[candidate] = search.equals(candidate)
    looked_at = Counter[str]()
    for each in lists:
        looked_at[each.scheme] += each.seen
    choices = tuple(shown(*both, baseline, recordings) for both in alike.items())
    notes = tuple(remarks(table, search, alike, refused))
    sure: Any = {"confidence": table.confidence, "separated": separated, "scope": scope}
    seen: Any = {"trials": search.trials, "looked_at": dict(looked_at), "warnings": warnings}
    more = {"goal": table.goal, "notes": notes, **sure, **seen}
    return Ranking(choices, "ranking", verdict, table.times_in, **more)


def _recordings(
    table: DesignTable, search: Search, listed: Sequence[Candidate], baseline: Candidate | None
) -> dict[str, ClusterSample]:
    compared = dict.fromkeys((*search.looked_at, *listed, *([baseline] if baseline else [])))
    same = search.equals(listed[0])
    every = [candidate for candidate in compared if candidate not in same]
    found: dict[str, ClusterSample] = {}
    for gradient in {candidate.gradient for candidate in every}:
        own = [c for c in every if c.gradient == gradient or c is baseline]
        if (sample := ClusterSample.of(table, own, baseline)) is not None:
            found[gradient] = sample
    return found


def _assumptions(table: DesignTable) -> tuple[DesignTable, tuple[str, ...]]:
    said = []
    guessed = "work" not in table.model_fields_set and table.scaling != "recorded"
    if guessed and any(recorded(law) for law in table.latency):
        said.append(
            "Recorded times are taken for those of a load of 1, all of the work; if each worker "
            f"had 1/{table.workers} of it, give work = {table.workers}."
        )
    laws = []
    for law in table.latency:
        own, changed = law.going_on() if isinstance(law, Empirical) else (law, None)
        laws.append(own)
        for part in recorded(law):
            if (behind := part.behind_barrier()) is not None:  # wanted, or it had been refused
                said.append(f'{behind}. barrier = "ignore" takes them for workers\' own.')
        if changed is not None:
            said.append(f"{law.file}: {changed}.")
        for part in recorded(own):
            line = trend(part.trace.rows.mean(axis=1)) if len(part.trace.rows) else None
            if line is not None:
                said.append(f"{part.file}: {growing(*line)}")
        said += [
            f"{e.file}: {e.slope.straight}." for e in recorded(own) if e.slope and e.slope.curved
        ]
    return table.model_copy(update={"latency": tuple(laws)}), tuple(dict.fromkeys(said))


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
