"""How far commands and searches are: shown to people while they wait, part of no result."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """How far a command is: ``done`` of ``total`` equal parts."""

    done: int
    total: int
    name: str  #: What is in hand, such as a scheme.
    trials: int = 0  #: That are sampled so far.
    seconds: float = 0.0  #: Since the command began.


@dataclass
class Search:
    """A search under way: ``done`` of ``total`` are looked at."""

    what: str
    total: float
    done: float = 0.0

    def __str__(self) -> str:
        share = min(1.0, self.done / self.total) if self.total else 1.0
        return f"searching {self.what}: {100 * share:.0f} % of {self.total:.3g}"


_UNDER_WAY: list[Search] = []


@contextmanager
def searching(what: str, total: float) -> Iterator[Search]:
    """Let others see how far a search is; it counts up ``done`` of what is given.

    >>> with searching("sets", 200) as search:
    ...     search.done += 50
    ...     under_way()
    'searching sets: 25 % of 200'
    >>> under_way()
    ''
    """
    search = Search(what, total)
    _UNDER_WAY.append(search)
    try:
        yield search
    finally:
        _UNDER_WAY.remove(search)


def under_way() -> str:
    """Return how far the last search that was begun is; empty without one."""
    return str(_UNDER_WAY[-1]) if _UNDER_WAY else ""
