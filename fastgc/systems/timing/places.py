"""Workers dealt to places of a system: by their mean times, never by their order."""

from collections.abc import Sequence


def dealt(workers: Sequence[int], size: int) -> list[int]:
    """Return workers in an order in which neighbours, ``size`` to a group, are a mix.

    >>> dealt([0, 1, 2, 3, 4, 5], 2)
    [0, 3, 1, 4, 2, 5]
    """
    groups = max(1, -(-len(workers) // size))
    return [workers[i] for first in range(groups) for i in range(first, len(workers), groups)]


def in_layers(workers: Sequence[int], n: int) -> list[int]:
    """Return the workers of a regular tree, layer by layer, the n children of a node a mix."""
    found: list[int] = []
    layer = n
    while len(found) < len(workers):
        found += dealt(workers[len(found) : len(found) + layer], n)
        layer *= n
    return found
