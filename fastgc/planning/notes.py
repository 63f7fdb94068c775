"""What a ranking leaves out or cannot say, in sentences."""

import math
from collections.abc import Sequence

from fastgc.latency.empirical import Empirical
from fastgc.latency.listed import recorded
from fastgc.planning.candidate import Candidate, CandidateList
from fastgc.planning.confidence import several
from fastgc.planning.placement import late_together
from fastgc.planning.search import Search
from fastgc.results.advised import placement
from fastgc.results.ranking import written
from fastgc.searching import table as known_codes
from fastgc.study.design import DesignTable, schemes

_NOT_EXACT = {
    "fresh": "the gradient is that of the fresh mini-batches that came first; where data is dealt "
    "out to workers, that of the late ones is lost",
    "lost": "a share of the gradient is lost, always the same where the same workers are late",
    "stale": "workers move on their own parameters, so that gradients are stale",
}


def of_ranking(
    table: DesignTable,
    search: Search,
    kept: Sequence[Candidate],
    also: dict[int, list[Candidate]],
    refused: Sequence[tuple[str, str]],
) -> list[str]:
    """Return sentences on what the ranking leaves out or cannot say."""
    notes: list[str] = []
    equal = [
        c
        for c in search.equal
        if c is not kept[0] and all(c is not other for other in also[id(kept[0])])
    ]
    if equal:
        notes.append(f"as fast as the first: {several(equal)}")
    if any(c.known == math.inf for c in search.looked_at):
        notes.append('some means are infinite; goal = "quantile(0.99)" compares all systems')
    for gradient, said in _NOT_EXACT.items():
        names = dict.fromkeys(c.family for c in kept if c.gradient == gradient)
        if names:
            notes.append(f"{' and '.join(names)}: {said}; time alone does not compare them")
    lost = [f"{100 * c.lost:.2g} % by {written(c.system.settings())}" for c in kept if c.lost]
    if lost:
        notes.append(f"share of the gradient that is lost, on average: {', '.join(lost)}")
    linear = [name for name in table.wanted if schemes()[name].LINEAR]
    if linear:
        notes.append(
            f"{' and '.join(linear)}: for linear computations alone, like products with a matrix; "
            "other gradients they cannot code"
        )
    first = kept[0].system.settings()
    is_coded = first["family"] == "gradient-code" and first["s"] > 0
    if is_coded and known_codes.cells(first["n"], first["s"] + 1):
        size = f"{first['n']},{first['s'] + 1}"
        notes.append(
            f"if more than {first['s']} straggle, codes of this load differ in what is lost; the "
            f"best that are known: `fastgc search --show {size}`"
        )
    law = table.latency[0]
    if isinstance(law, Empirical) and law.order in ("rows", "replay"):
        systems = [c.system.settings() for c in kept]
        notes += late_together(law.trace, systems, table.placement.fastest or range(table.workers))
        workers = law.trace.workers
        places = kept[0].places
        notes += [placement([workers[j] for j in places], systems[0])] if places else []
    return [*notes, *of_lists(table, search.lists, refused)]


def of_lists(
    table: DesignTable, lists: Sequence[CandidateList], refused: Sequence[tuple[str, str]]
) -> list[str]:
    """Return sentences on times, and on systems that were not looked at."""
    notes: list[str] = []
    if table.scaling == "recorded":
        rates = [each.slope for law in table.latency for each in recorded(law) if each.slope]
        notes += dict.fromkeys(e.straight for e in rates if e.straight and not e.curved)
        notes.append(
            "tails do not grow with the load: it adds the same seconds to every time, so that "
            "waiting for the slowest is too short where slow times are slow in proportion"
        )
    trees = [each for each in lists if each.scheme == "coded-reduce"]
    if trees and all(c.idle for each in trees for c in each.candidates):
        notes.append(f"no regular tree has exactly {table.workers} workers; some stay idle")
    for each in lists:
        if each.seen < len(each):
            notes.append(
                f"of {len(each)} {each.scheme} systems {each.seen} were looked at: all near "
                "the best, some further away"
            )
    for scheme in dict.fromkeys(scheme for scheme, _ in refused):
        reasons = [reason for own, reason in refused if own == scheme]
        notes.append(f"{len(reasons)} {scheme} left out: {reasons[0]}")
    return notes
