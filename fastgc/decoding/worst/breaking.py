"""Sets of stragglers that break a code, by its structure, and how many are needed for certain."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.structure import CycleGaps, Groups, Intervals
from fastgc.decoding.decoder import Decoder


@dataclass(frozen=True)
class Breaking:
    """Stragglers without whom an error is left, fewest as far as is known.

    ``least``: no fewer stragglers break the code; ``why``: why that is so.
    """

    stragglers: tuple[int, ...]
    least: int
    why: str


def breaking(decoder: Decoder, code: Code) -> Breaking | None:
    """Return what breaks exact decoding; None of decoders of which structure says nothing.

    It is a group; of intervals a cut of the graph of their ends, of as many workers as there are
    disjoint paths (Menger); of a cycle one worker, or two neighbours; of other codes the holders of
    a partition, but for m − 1 of them where it has m pieces.

    >>> from fastgc import codes
    >>> code = codes.binary(n=11, s=3)
    >>> found = breaking(Decoder(code), code)
    >>> found.stragglers, found.least, found.why
    ((0, 1, 2, 3), 4, '4 disjoint chains of workers hold all partitions')
    """
    classes = _disjoint_classes(code)
    by_classes = f"{len(classes)} disjoint classes of workers each add up to the whole gradient"
    if decoder.algorithm == "class":
        if not classes:
            return None
        return Breaking(tuple(own[0] for own in classes), len(classes), by_classes)
    if not decoder.is_optimal:
        return None
    structure, least, why = code.structure, len(classes), by_classes
    offsets, workers = code.holders
    rare = int(np.diff(offsets).argmin())
    held = workers[offsets[rare] : offsets[rare + 1]].tolist()
    chosen = held[: max(0, len(held) - code.pieces + 1)]
    if isinstance(structure, CycleGaps):
        chosen = [0] if structure.n % 2 else [0, 1]
        least, why = len(chosen), "an odd cycle decodes, and of an even one every second worker"
    elif isinstance(structure, Groups) and chosen:
        least = int(np.diff(structure.members[0]).min())
        why = f"each of {structure.weights.size} groups has {least} workers or more"
    elif isinstance(structure, Intervals) and chosen:
        chosen = _cut(structure)
        least, why = len(chosen), f"{len(chosen)} disjoint chains of workers hold all partitions"
    return Breaking(tuple(sorted(chosen)), least, why if least else "")


def _disjoint_classes(code: Code) -> Sequence[tuple[int, ...]]:
    """Classes without a common worker whose columns, added up here, are 1 in every partition."""
    classes = code.classes or ()
    label = np.full(code.n, -1)
    for number, own in enumerate(classes):
        if (label[list(own)] >= 0).any():
            return ()
        label[list(own)] = number
    held = code.columns
    for number in range(len(classes)):
        own = label[held.owners] == number
        sums = np.bincount(held.places[own], np.real(held.values[own]), code.k)
        if code.is_complex or code.pieces > 1 or not np.all(sums == 1.0):
            return ()
    return classes


def _cut(structure: Intervals) -> list[int]:
    """The fewest workers without whom no chain of intervals reaches over all partitions."""
    # their import takes longer than many a command
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    ends = np.array([0, structure.k])
    points = np.unique(np.concatenate([structure.start, structure.stop, ends]))
    start, stop = (  # graphs of SciPy have indices of 32 bits
        np.searchsorted(points, each).astype(np.int32) for each in (structure.start, structure.stop)
    )
    size, last = points.size, int(np.searchsorted(points, structure.k))
    ones = np.ones(2 * start.size, np.int32)  # a chain may go through a worker either way
    links = (ones, (np.concatenate([start, stop]), np.concatenate([stop, start])))
    graph = coo_array(links, (size, size)).tocsr()
    left = graph - maximum_flow(graph, 0, last).flow
    left.eliminate_zeros()
    near = np.zeros(size, bool)
    near[breadth_first_order(left, 0, return_predecessors=False)] = True
    return np.flatnonzero(near[start] != near[stop]).tolist()
