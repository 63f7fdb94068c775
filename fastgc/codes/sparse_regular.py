"""Every worker holds d random partitions and every partition has d random holders."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns, require_room
from fastgc.codes.family import LargeFamily, Replication
from fastgc.draws.streams import uniforms
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Seed


@register("code")
class SparseRegular(LargeFamily):
    """A stochastic gradient code on a random regular graph (Bitar et al., 1905.05383).

    A random 0/1 matrix with d ones in every row and column. The d copies of every partition are
    dealt to the workers at random, d each; a copy that its worker holds already changes places with
    a random other one that mends this. All such matrices are thus nearly equally likely, and any
    two partitions share d²/n workers in the mean, as the paper's pair-wise balanced schemes do
    exactly. Exact only without stragglers, as far as is known.

    * ``d`` (int): Replication, 1 ≤ d ≤ n.
    * ``seed`` (int): Of the random matrix, 0 ≤ seed < 2⁶⁴; 1 by default.

    >>> sparse_regular(n=6, d=2, seed=3).loads.tolist()
    [2, 2, 2, 2, 2, 2]
    """

    family: Literal["sparse-regular"] = "sparse-regular"
    d: Replication
    seed: Seed = 1

    def build(self) -> Code:
        n, d, seed = self.n, self.d, self.seed
        require_room(n * d)
        few = min(d, n - d)  # the rest of a regular matrix is regular, and swaps need room
        places = np.sort(_partitions(n, few, seed).reshape(n, few))
        if few != d:
            rest = np.ones((n, n), bool)
            np.put_along_axis(rest, places, False, axis=1)
            places = np.nonzero(rest)[1]
        columns = Columns.of_ones(n, np.arange(0, n * d + 1, d), places.reshape(-1))
        # All columns together give d in every row.
        return code_of(columns, f"sparse-regular(n={n}, d={d}, seed={seed})", 0)


sparse_regular = maker(SparseRegular, build=True)


def _partitions(n: int, d: int, seed: int) -> NDArray[np.int64]:
    """Partitions of worker 0, then of worker 1, …: d different ones each, (n·d,), d ≤ n/2."""
    copies = n * d
    name = f"sparse-regular/{n}/{d}"
    held = np.argsort(uniforms(seed, name, copies), kind="stable") // max(d, 1)
    mine = np.repeat(np.arange(n), d)
    _, places, times = np.unique(mine * n + held, return_inverse=True, return_counts=True)
    starts = (uniforms(seed, f"{name}/swaps", copies) * copies).astype(np.int64)
    own = held.reshape(n, d)  # the same numbers, worker by worker
    for place in np.flatnonzero(times[places] > 1).tolist():
        worker, extra = place // d, held[place]
        if np.count_nonzero(own[worker] == extra) == 1:
            continue
        # At most 2d(d − 1) < n·d of the places do not mend it, and none adds another repetition.
        other = int(starts[place])
        while (own[worker] == held[other]).any() or (own[other // d] == extra).any():
            other = (other + 1) % copies
        held[place], held[other] = held[other], extra
    return held
