"""Where each part of a tally lies."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import accumulate
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Layout(Generic[K]):
    """Named runs one after another, in a tally's cells or its histograms; nothing else counts them.

    Parameters
    ----------
    sizes : mapping of name to int
        How long each run is, in their order.

    Attributes
    ----------
    size : int
        How long all are together.

    Examples
    --------
    >>> layout = Layout({"mean": 4, "above": 2})
    >>> layout.size
    6
    >>> "abcdef"[layout["above"]]
    'ef'
    """

    def __init__(self, sizes: Mapping[K, int]) -> None:
        ends = accumulate(sizes.values())
        self._runs = {
            name: slice(end - size, end)
            for (name, size), end in zip(sizes.items(), ends, strict=True)
        }
        self.size = sum(sizes.values())

    def __getitem__(self, name: K) -> slice:
        return self._runs[name]

    def __iter__(self) -> Iterator[tuple[K, slice]]:
        return iter(self._runs.items())
