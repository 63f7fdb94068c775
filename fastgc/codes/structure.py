"""What makes a 0/1 matrix cheap to decode: groups, a cycle, intervals, a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Groups:
    """Any two workers hold the same partitions or none in common (frc, uncoded).

    Attributes
    ----------
    labels : int64 array (n,)
        Group of each worker, numbered by first appearance; −1 for a worker that holds nothing.
    weights : int64 array (g,)
        Partitions in each group.
    uncovered : int
        Partitions that nobody holds.

    Examples
    --------
    >>> from fastgc import codes
    >>> codes.frc(n=4, d=2).structure.labels.tolist()
    [0, 0, 1, 1]
    """

    labels: NDArray[np.int64]
    weights: NDArray[np.int64]
    uncovered: int


@dataclass(frozen=True)
class CycleGaps:
    """Worker j holds exactly partitions j and j + 1 (mod n), n ≥ 3 (circulant with d = 2).

    Examples
    --------
    >>> from fastgc import codes
    >>> codes.circulant(n=5, d=2).structure
    CycleGaps(n=5)
    """

    n: int


@dataclass(frozen=True, eq=False)
class Intervals:
    """Worker j holds consecutive partitions (binary).

    Attributes
    ----------
    start, stop : int64 array (n,)
        Worker j holds partitions start[j] … stop[j] − 1; none where the two are equal.
    k : int
        Partitions.

    Examples
    --------
    >>> from fastgc import codes
    >>> found = codes.binary(n=5, s=2).structure
    >>> found.start.tolist(), found.stop.tolist()
    ([0, 0, 0, 3, 3], [3, 3, 5, 5, 5])
    """

    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    k: int


@dataclass(frozen=True, eq=False)
class Components:
    """Workers are edges of a graph whose vertices are the partitions (graph).

    Attributes
    ----------
    edges : int64 array (n, 2)
        The one or two partitions that each worker holds, the smaller first; a worker that holds
        only partition v is the loop (v, v).
    k : int
        Partitions.

    Examples
    --------
    >>> from fastgc import codes
    >>> codes.graph(edges=[[0, 1], [0, 2], [0, 3]]).structure.edges.tolist()
    [[0, 1], [0, 2], [0, 3]]
    """

    edges: NDArray[np.int64]
    k: int


@dataclass(frozen=True)
class General:
    """No structure is known that makes decoding errors cheaper than least squares.

    Examples
    --------
    >>> from fastgc import codes
    >>> codes.circulant(n=5, d=3).structure
    General()
    """


Structure = Groups | CycleGaps | Intervals | Components | General


def structure_of(B: NDArray[np.float64]) -> Structure:
    """Find the structure of any encoding matrix.

    Parameters
    ----------
    B : array (k, n)
        Partitions × workers. Entries are compared with 0 and 1 exactly.

    Returns
    -------
    Groups, CycleGaps, Intervals, Components or General
        The first of them that holds.

    Examples
    --------
    >>> import numpy as np
    >>> structure_of(np.array([[1.0, 0, 1], [1, 1, 0], [0, 1, 1]]))
    CycleGaps(n=3)
    >>> structure_of(np.array([[0.5, 1.0]]))
    General()
    """
    B = np.asarray(B)
    held = B == 1
    if not np.all(held | (B == 0)):
        return General()
    return _groups(held) or _cycle_gaps(held) or _intervals(held) or _components(held) or General()


def _groups(held: NDArray[np.bool_]) -> Groups | None:
    found: dict[bytes, int] = {}
    labels = np.full(held.shape[1], -1, dtype=np.int64)
    weights: list[int] = []
    for worker, column in enumerate(held.T):
        weight = int(np.count_nonzero(column))
        if weight == 0:
            continue
        key = np.packbits(column).tobytes()
        if key not in found:
            found[key] = len(weights)
            weights.append(weight)
        labels[worker] = found[key]
    # Different groups are disjoint exactly when together they weigh what they cover.
    covered = int(np.count_nonzero(held.any(axis=1)))
    if sum(weights) != covered:
        return None
    return Groups(_fixed(labels), _fixed(np.array(weights, dtype=np.int64)), len(held) - covered)


def _cycle_gaps(held: NDArray[np.bool_]) -> CycleGaps | None:
    k, n = held.shape
    if k != n or n < 3:
        return None
    workers = np.arange(n)
    cycle = np.zeros((n, n), dtype=bool)
    cycle[workers, workers] = True
    cycle[(workers + 1) % n, workers] = True
    return CycleGaps(n) if np.array_equal(held, cycle) else None


def _intervals(held: NDArray[np.bool_]) -> Intervals | None:
    k = len(held)
    loads = np.count_nonzero(held, axis=0)
    start = np.argmax(held, axis=0) if k else np.zeros_like(loads)
    stop = np.where(loads > 0, k - np.argmax(held[::-1], axis=0), start) if k else start
    if np.any(stop - start != loads):
        return None
    return Intervals(_fixed(start.astype(np.int64)), _fixed(stop.astype(np.int64)), k)


def _components(held: NDArray[np.bool_]) -> Components | None:
    k = len(held)
    loads = np.count_nonzero(held, axis=0)
    if np.any((loads < 1) | (loads > 2)):
        return None
    ends = np.stack([np.argmax(held, axis=0), k - 1 - np.argmax(held[::-1], axis=0)], axis=1)
    return Components(_fixed(ends.astype(np.int64)), k)


def _fixed(array: NDArray[np.int64]) -> NDArray[np.int64]:
    array.flags.writeable = False
    return array
