"""How far commands and searches are: shown to people while they wait, part of no result."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from fastgc.errors import FastgcError

MOST_SHARDS = 10**6


@dataclass(frozen=True)
class Step:
    """How far a command is, in one form for all of them: as a line of text, as JSON, as a bar."""

    what: str  #: What is counted: points, experiments, blocks, parts, rounds or shards.
    done: int
    total: int
    name: str = ""  #: What is in hand, such as a scheme; empty before and after all sampling.
    _: KW_ONLY
    #: Trials so far, about how many there will be, and how many earlier runs have sampled.
    trials: int | None = None
    goal: int | None = None
    before: int = 0
    eta: float | None = None  #: About the seconds that are left; None where nothing is known.
    until: str = (
        ""  #: The limit that ends it then, ``max_seconds`` or ``seconds``; empty: no limit.
    )
    quantity: str | None = None  #: What is measured in hand,
    estimate: Any = None  #: and its mean so far, an estimate; of several the least certain one.
    #: Verdicts that have fallen, and all claims that are judged.
    decided: int | None = None
    claims: int | None = None
    kept: int | None = None  #: Trials in the last checkpoint; None where nothing is kept.
    #: What is said once: ``cores``, of a run also its ``title``, ``points``, and how many of these
    #: are known exactly.
    begun: dict[str, Any] = field(default_factory=dict)
    waiting: str = ""  #: What keeps it where it gets no further, such as compiling.

    @classmethod
    def of_equal(cls, what: str, done: int, total: int, name: str, seconds: float) -> "Step":
        """Return how far it is by parts that take equally long, after so many seconds."""
        left = seconds * (total / done - 1) if done else None
        return cls(what, done, total, name, eta=left)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        keys = ["what", "done", "total", "name"]
        keys += ["decided", "claims"] * (self.claims is not None)
        keys += ["trials", "goal"] * (self.trials is not None)
        values = {key: getattr(self, key) for key in keys}
        if self.what == "points":
            value, low, high = self._measured()
            values |= {"quantity": self.quantity, "value": value, "low": low, "high": high}
        if self.kept is not None:
            values["kept"] = self.kept
        values |= {key: said for key in ("waiting", "until") if (said := getattr(self, key))}
        return values | {"eta": None if self.eta is None else round(self.eta, 1)}

    def line(self, rate: float | None) -> str:
        """Return it as a line of text, with what is done a second."""
        from fastgc.registry.number_types import spaced

        parts = []
        if self.claims is not None:
            parts.append(f"{self.decided} of {self.claims} claims decided")
        if self.what != "points":
            parts.append(f"{spaced(self.done)} of {spaced(self.total)} {self.what}")
        if self.goal is not None and self.trials is not None:
            about = "" if self.goal == self.trials else "about "
            parts.append(f"{spaced(self.trials)} of {about}{spaced(self.goal)} trials")
        elif self.trials:
            parts.append(f"{spaced(self.trials)} trials")
        if rate is not None:
            parts.append(f"{spaced(round(rate))}/s")
        value, *ends = self._measured()
        if value is not None:
            low, high = ("?" if end is None else f"{end:.6g}" for end in ends)
            parts.append(f"{self.quantity} {value:.6g} [{low}, {high}]")
        parts += [each for each in (self.time_left(), self.waiting) if each]
        label = self.label()
        return f"{label}: {', '.join(parts)}" if label else ", ".join(parts)

    def label(self) -> str:
        """Return what is in hand."""
        place = f"[{min(self.done + 1, self.total)}/{self.total}] "
        return f"{place if self.what == 'points' and self.name else ''}{self.name}"

    def time_left(self) -> str:
        """Return about how long it still takes, as people say it; empty where it is not known."""
        if self.eta is None or not (self.eta or self.until):
            return ""
        limit = "--max-seconds" if self.until == "max_seconds" else "the study's stop.seconds"
        if self.eta:
            return f"about {duration(self.eta)} {f'until {limit}' if self.until else 'left'}"
        return f"{limit} passed, ending"

    def _measured(self) -> tuple[float | None, float | None, float | None]:
        if self.estimate is None or self.estimate.value is None:
            return None, None, None
        return self.estimate.value, *self.estimate.interval()


def never() -> None:
    """Let what is asked for go on to its end."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """How long work is carried out and watched; none of it changes a number.

    * ``executor``: where blocks are sampled: "threads" (the default), "processes", "mpi", "dask",
      "dask:ADDRESS", or any `concurrent.futures.Executor`.
    * ``shard``: sample only every N-th block, from the i-th: (i, N).
    * ``max_seconds``: stop after so long with what there is; the result is then not complete.
    * ``checkpoint_seconds``: most seconds between two checkpoints. The first one comes after half a
      second of sampling, each next one after twice as long, up to this time; by default up to 30
      seconds, and never so often that writing takes more than 1 % of the time.
    * ``progress``: called with a `Step` at the beginning, now and then, and at the end.
    * ``found``: called with what is found as soon as it is: the rows of a point, or a verdict.
    * ``interrupted``: asked often; a text it returns stops the work, which can be continued.

    >>> import fastgc
    >>> rows = []
    >>> batch = fastgc.runs.Batch(executor="threads", found=rows.extend)
    >>> result = fastgc.run(code=[[1, 0], [1, 1]], stragglers=0.1, batch=batch)
    >>> rows == result.rows()
    True
    """

    executor: str | Executor | None = None
    shard: tuple[int, int] = (0, 1)
    max_seconds: float | None = None
    checkpoint_seconds: float | None = None
    progress: Callable[[Step], None] | None = None
    found: Callable[[Any], None] | None = None
    interrupted: Callable[[], str | None] | None = None

    def __post_init__(self) -> None:
        own, shards = self.shard
        if not 0 <= own < shards <= MOST_SHARDS:
            bounds = f"0 ≤ i < N ≤ {MOST_SHARDS}"
            raise FastgcError(f"shard: must be i/N with {bounds} (got {own}/{shards})")


def duration(seconds: float) -> str:
    """Return a time in at most two units.

    >>> duration(7.2), duration(125), duration(9000)
    ('8 s', '2 min 5 s', '2 h 30 min')
    """
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"), (rest, "s")]
    first = next(place for place, (count, _) in enumerate(parts) if count)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count)


@dataclass
class SearchStep:
    """A search under way: ``done`` of ``total`` are looked at."""

    what: str
    total: float
    done: float = 0.0


_UNDER_WAY: list[SearchStep] = []


@contextmanager
def searching(what: str, total: float) -> Iterator[SearchStep]:
    """Let others see how far a search is; it counts up ``done`` of what is given.

    >>> with searching("sets", 200) as search:
    ...     search.done += 50
    ...     under_way()
    'searching sets: 25 % of 200'
    """
    search = SearchStep(what, total)
    _UNDER_WAY.append(search)
    try:
        yield search
    finally:
        _UNDER_WAY.remove(search)


def under_way() -> str:
    """Return how far the last search that was begun is; empty without one."""
    if not _UNDER_WAY:
        return ""
    last = _UNDER_WAY[-1]
    share = min(1.0, last.done / last.total) if last.total else 1.0
    return f"searching {last.what}: {100 * share:.0f} % of {last.total:.3g}"
