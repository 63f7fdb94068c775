"""How often intervals hold the truth, and the like: what is promised, counting, and the table."""

import contextlib
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from multiprocessing import get_context

from scipy import stats

from bench import command

#: How seldom a coverage at the edge of its band is called a failure.
ALARM = 0.001
#: Of seeds: in so many parts a situation is given to processes.
PARTS = 40


@dataclass(frozen=True)
class Promise:
    """The shares of intervals between which the truth may be covered; None promises nothing.

    ``alarm`` is how seldom a coverage at the edge of the band is called a failure: with 1/2 the
    share that is counted must itself lie in the band.
    """

    least: float | None
    most: float | None = None
    alarm: float = ALARM

    def __str__(self) -> str:
        """Return it in percent."""
        if self.least is None:
            return "no promise"
        if self.most is None:
            return f"≥ {100 * self.least:g}"
        return f"{100 * self.least:g}–{100 * self.most:g}"

    def is_kept(self, hits: int, replications: int) -> bool:
        """Whether so many hits are no less and no more than the band makes likely."""
        few, many = (self.least or 0.0), (self.most or 1.0)
        return bool(
            stats.binom.cdf(hits, replications, few) >= self.alarm
            and stats.binom.sf(hits - 1, replications, many) >= self.alarm
        )


NONE = Promise(None)


@dataclass(frozen=True)
class Setting:
    """Numbers that are known, and how their intervals are found with a seed.

    ``promises``: what is promised of each number, by what people call it; ``hits``: with a seed:
    how many intervals of each number hold its truth, and sums for the note; ``note``: from what was
    found with so many seeds: what else the table says.
    """

    name: str
    promises: Mapping[str, Promise]
    hits: Callable[[int], Counter[str]]
    note: Callable[[Counter[str], int], str] = lambda found, replications: ""


Listing = Callable[[], Iterable[Setting]]


@dataclass(frozen=True)
class Coverage:
    """How often the intervals of a number hold its truth."""

    situation: str
    number: str
    promise: Promise
    replications: int
    hits: int
    note: str = ""

    @property
    def coverage(self) -> float:
        """Share of the intervals."""
        return self.hits / self.replications

    @property
    def fine(self) -> bool:
        """Whether the promise makes such a count likely."""
        return self.promise.is_kept(self.hits, self.replications)

    def __str__(self) -> str:
        error = math.sqrt(self.coverage * (1 - self.coverage) / self.replications)
        known = f"{100 * self.coverage:.1f} ± {100 * error:.1f}"
        said = str(self.promise) if self.fine else f"{self.promise}: **missed**"
        return f"| {self.situation} | {self.number} | {known} | {said} | {self.note} |"


@cache
def _made(listing: Listing) -> list[Setting]:
    return list(listing())


def _counted(listing: Listing, place: int, seeds: range) -> Counter[str]:
    return sum(map(_made(listing)[place].hits, seeds), Counter())


def rows_of(situation: Setting, seeds: range, found: Counter[str] | None = None) -> list[Coverage]:
    """Return a row for each number; ``found`` are the hits, where they are counted already."""
    found = sum(map(situation.hits, seeds), Counter()) if found is None else found
    note = situation.note(found, len(seeds))
    return [
        Coverage(situation.name, number, promise, len(seeds), found[number], note)
        for number, promise in situation.promises.items()
    ]


def measured(listing: Listing, seeds: range, only: str, workers: int) -> Iterator[Coverage]:
    """Count all situations whose name has ``only``, in this process or in several others.

    The table is printed as it comes; how long each situation took, to stderr.
    """
    print("| situation | number | counted % | promised | note |\n|---|---|---|---|---|")
    step = max(1, len(seeds) // PARTS)
    parts = [seeds[start : start + step] for start in range(0, len(seeds), step)]
    with contextlib.ExitStack() as stack:
        count: Callable[..., Iterable[Counter[str]]] = map
        if workers > 1:
            executor = ProcessPoolExecutor(workers, get_context("spawn"))
            count = stack.enter_context(executor).map
        for place, situation in enumerate(_made(listing)):
            if only not in situation.name:
                continue
            began = time.perf_counter()
            found = sum(count(partial(_counted, listing, place), parts), Counter[str]())
            for row in rows_of(situation, seeds, found):
                print(row, flush=True)
                yield row
            took = time.perf_counter() - began
            print(f"{situation.name}: {took:.0f} s", file=sys.stderr, flush=True)


def judge(
    name: str, doc: str | None, listing: Listing, many: int, arguments: Sequence[str] | None
) -> int:
    """Do what the command of a bench does: count, print, write; 1 where a promise is not kept."""
    flags = ("--only", "--workers", "--json")
    options = command.parse(name, doc, arguments, *flags, replications=many)
    rows = list(measured(listing, range(options.replications), options.only, options.workers))
    more = [{"promise": str(row.promise), "fine": row.fine} for row in rows]
    command.write(options.json, [asdict(row) | said for row, said in zip(rows, more, strict=True)])
    return 0 if all(row.fine for row in rows) else 1
