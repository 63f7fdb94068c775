"""Which worker takes which place of a system: by workers' mean times, never by their order."""

from collections.abc import Sequence

from fastgc.systems.timing.structure import (
    Capped,
    Chunks,
    Delayed,
    Patient,
    Replicated,
    Structure,
    Tree,
)


def dealt(workers: Sequence[int], size: int) -> list[int]:
    """Return workers in an order in which neighbours, ``size`` to a group, are a mix.

    >>> dealt([0, 1, 2, 3, 4, 5], 2)
    [0, 3, 1, 4, 2, 5]
    """
    groups = max(1, -(-len(workers) // size))
    return [workers[i] for first in range(groups) for i in range(first, len(workers), groups)]


def placed(structure: Structure, fastest: Sequence[int]) -> list[int]:
    """Return the worker of each place, from all workers, the fastest first.

    The slowest stay idle where there are more than places. Groups that hold one part are dealt a
    mix of fast and slow workers, each its fastest first; the fastest are at the top of a tree. In
    all other systems places are alike, or say which worker is meant: there workers keep their
    order.

    >>> from fastgc.systems import replication, uncoded
    >>> placed(replication(n=4, d=2).structure(), [3, 1, 0, 2])
    [3, 0, 1, 2]
    >>> placed(uncoded(n=3).structure(), [3, 1, 0, 2])
    [0, 1, 3]
    """
    used = list(fastest[: structure.workers])
    part = structure.part if isinstance(structure, Capped | Delayed | Patient) else structure
    if isinstance(part, Replicated):
        return dealt(used, part.size)
    if isinstance(part, Chunks):
        return dealt(used, part.d)
    if isinstance(part, Tree) and part.regular is not None:
        return _in_layers(used, part.regular[0])
    return used if isinstance(part, Tree) else sorted(used)


def _in_layers(workers: Sequence[int], n: int) -> list[int]:
    """Return the workers of a regular tree, layer by layer, the n children of a node a mix."""
    found: list[int] = []
    layer = n
    while len(found) < len(workers):
        found += dealt(workers[len(found) : len(found) + layer], n)
        layer *= n
    return found
