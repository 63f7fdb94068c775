"""What makes a 0/1 matrix cheap to decode: groups, a cycle, intervals, a graph."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Brief, Values
from fastgc.codes.columns import Columns, ReadOnly
from fastgc.errors import public
from fastgc.registry.cached import cached_property


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Brief, ReadOnly):
    """Any two workers hold the same partitions or none in common (frc, uncoded).

    * ``labels`` (int64 array (n,)): group of each worker, numbered by first appearance; −1 for a
      worker that holds nothing.
    * ``weights`` (int64 array (g,)): partitions in each group.
    * ``uncovered``: partitions that no worker holds.

    >>> from fastgc import codes
    >>> codes.frc(n=4, d=2).structure.labels.tolist()
    [0, 0, 1, 1]
    """

    labels: NDArray[np.int64]
    weights: NDArray[np.int64]
    uncovered: int

    @cached_property
    def members(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Offsets, int64 (g + 1,), and workers, int32: those of one group after another."""
        order = np.argsort(self.labels, kind="stable").astype(np.int32)
        own = self.labels[self.labels >= 0]
        sizes = np.bincount(own, minlength=len(self.weights))
        return np.concatenate([[0], np.cumsum(sizes)]), order[len(order) - len(own) :]


@dataclass(frozen=True)
class CycleGaps:
    """Worker j holds exactly partitions j and j + 1 (mod n), n ≥ 3 (circulant with d = 2).

    >>> from fastgc import codes
    >>> codes.circulant(n=5, d=2).structure
    CycleGaps(n=5)
    """

    n: int


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Brief, ReadOnly):
    """Worker j holds consecutive partitions (binary).

    * ``start``, ``stop`` (int64 array (n,)): worker j holds partitions start[j] … stop[j] − 1; none
      where the two are equal.
    * ``k``: partitions.

    >>> from fastgc import codes
    >>> found = codes.binary(n=5, s=2).structure
    >>> found.start.tolist(), found.stop.tolist()
    ([0, 0, 0, 3, 3], [3, 3, 5, 5, 5])
    """

    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    k: int


@dataclass(frozen=True, eq=False, repr=False)
class Components(Brief, ReadOnly):
    """Workers are edges of a graph whose vertices are the partitions (graph).

    * ``edges`` (int32 array (n, 2)): the one or two partitions that each worker holds, the smaller
      first; a worker that holds only partition v is the loop (v, v).
    * ``k``: partitions.

    >>> from fastgc import codes
    >>> codes.graph(edges=[[0, 1], [0, 2], [0, 3]]).structure.edges.tolist()
    [[0, 1], [0, 2], [0, 3]]
    """

    edges: NDArray[np.int32]
    k: int


@dataclass(frozen=True)
class General:
    """No structure is known that makes decoding errors cheaper than least squares.

    >>> from fastgc import codes
    >>> codes.circulant(n=5, d=3).structure
    General()
    """


Structure = Groups | CycleGaps | Intervals | Components | General


@public
def structure_of(B: Values | Columns) -> Structure:
    """Find the structure of any encoding matrix.

    Parameters
    ----------
    B : array (k, n) or Columns
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
    if not isinstance(B, Columns):
        B = np.asarray(B)
        if not np.all((B == 1) | (B == 0)):
            return General()
        B = Columns.from_matrix(B)
    if not B.are_ones:
        return General()
    return _groups(B) or _cycle_gaps(B) or _intervals(B) or _components(B) or General()


def _groups(held: Columns) -> Groups | None:
    loads, starts = held.counts, held.offsets[:-1]
    some = loads > 0
    own = np.flatnonzero(some)
    # The first worker that holds a worker's first partition must hold the same as it does.
    first = np.full(held.height, held.n)
    np.minimum.at(first, held.places[starts[own]], own)
    leaders = np.full(held.n, -1)
    leaders[own] = first[held.places[starts[own]]]
    if np.any(loads[leaders[own]] != loads[own]):
        return None
    shift = np.zeros(held.n, np.int64)
    shift[own] = starts[leaders[own]] - starts[own]
    same = np.arange(len(held.places)) + np.repeat(shift, loads)
    if not np.array_equal(held.places[same], held.places):
        return None
    # Different groups are disjoint exactly when together they weigh what they cover.
    heads = np.unique(leaders[own])
    weights = loads[heads]
    covered = np.zeros(held.height, bool)
    covered[held.places] = True
    count = int(np.count_nonzero(covered))
    if weights.sum() != count:
        return None
    labels = np.where(some, np.searchsorted(heads, leaders), -1)
    return Groups(labels, weights, held.height - count)


def _cycle_gaps(held: Columns) -> CycleGaps | None:
    n = held.n
    if held.height != n or n < 3 or np.any(held.counts != 2):
        return None
    ends = held.places.reshape(n, 2)
    last = n - 1
    around = np.array_equal(ends[:last, 0], np.arange(last)) and ends[last].tolist() == [0, last]
    return CycleGaps(n) if around and np.all(np.diff(ends[:last]) == 1) else None


def _intervals(held: Columns) -> Intervals | None:
    first, last = _ends(held)
    if np.any(last + 1 - first != held.counts):
        return None
    return Intervals(first, last + 1, held.height)


def _components(held: Columns) -> Components | None:
    loads = held.counts
    if np.any((loads < 1) | (loads > 2)):
        return None
    edges = held.places.reshape(held.n, 2) if np.all(loads == 2) else np.stack(_ends(held), axis=1)
    return Components(edges.astype(np.int32, copy=False), held.height)


def _ends(held: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    some = held.counts > 0
    first, last = np.zeros(held.n, np.int64), np.full(held.n, -1)
    first[some] = held.places[held.offsets[:-1][some]]
    last[some] = held.places[held.offsets[1:][some] - 1]
    return first, last
