"""What answers give back a layer's tasks, and when they are there (paper hierarchical)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fastgc.theory.cases.finite import built, finite
from fastgc.theory.common.arguments import check_not_negative
from fastgc.theory.hierarchical import paper
from fastgc.theory.hierarchical.time import check_layers
from fastgc.theory.papers.claim import Cases


@paper.claim("example.printed", "Section I, example of vector-matrix multiplication")
def _() -> Cases:
    """Two workers with one half of the rows each and a third with the sum of both halves: any two
    of them give the product (sets of answers that do not), and one alone does not."""
    for answers, theory in ((2, 0), (1, 3), (3, 0)):
        yield finite("undecodable_answers", theory, k=2, n=3, answers=answers)
        yield built("undecodable_answers", theory, k=[2], layer=1, n=3, answers=answers)


#: n, k.
_LAYERS: tuple[tuple[int, list[int]], ...] = ((4, [3, 2]), (7, [6, 4, 1]), (9, [7, 5, 3, 2]))


def _each() -> Iterator[tuple[int, list[int], int]]:
    """Go through n, k and the layers from 1."""
    for n, k in _LAYERS:
        for layer in range(1, len(k) + 1):
            yield n, k, layer


@paper.claim("decoding.printed", "Section II, (1) and (2)")
def _() -> Cases:
    """Each layer is a channel of its own: with an (n, k_j) MDS code any k_j of its n answers give
    back its k_j tasks, whatever is missing of other layers (sets that do not)."""
    for n, k, layer in _each():
        need = k[layer - 1]
        yield finite("undecodable_answers", 0, n=n, k=need, answers=need)
        yield built("undecodable_answers", 0, n=n, k=k, layer=layer, answers=need)


@paper.claim("decoding.fewer.derived", "Section II, (2), with an answer less")
def _() -> Cases:
    """k_j - 1 answers never do: all C(n, k_j - 1) sets fail."""
    for n, k, layer in _each():
        need = k[layer - 1]
        theory = math.comb(n, need - 1)
        yield finite("undecodable_answers", theory, n=n, k=need, answers=need - 1)
        yield built("undecodable_answers", theory, n=n, k=k, layer=layer, answers=need - 1)


@paper.formula
def finished_at(k: Sequence[int], times: Sequence[float]) -> float:
    """Moment max_j j·X_(k_j) at which every layer j has k_j answers (hierarchical, Section III-A).

    ``times`` are the workers' times X_i for one task; X_(k) is the k-th smallest.

    >>> finished_at([3, 2], [5.0, 1.0, 2.0, 3.0])
    4.0
    """
    needs = check_layers(len(times), k)
    for time in times:
        check_not_negative(times=time)
    order = sorted(times)
    return max(j * order[need - 1] for j, need in enumerate(needs, 1) if need)


#: k, and times X_i.
_TIMES: tuple[tuple[list[int], list[float]], ...] = (
    ([3, 2], [5.0, 1.0, 2.0, 3.0]),
    ([4, 3, 1], [1.0, 1.5, 2.5, 2.75]),
    ([2, 2, 2], [3.0, 7.0, 0.5, 4.0, 6.0]),
    ([5, 0, 2], [1.0, 2.0, 3.0, 4.0, 50.0]),
)


@paper.claim("finishing.printed", "Section III-A")
def _() -> Cases:
    """The job is done once every layer j has k_j of its answers, which come one after the other
    from each worker: at max_j j X_(k_j) for workers that take X_i for each task."""
    for k, times in _TIMES:
        theory = finished_at(k, times)
        yield finite("finished_at", theory, k=k, times=times)
        yield built("finished_at", theory, k=k, times=times)
