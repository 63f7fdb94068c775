"""The largest error that so many stragglers can cause, who they are, and what structure says of it.

The optimal error never falls when a straggler is added, so the worst of at most s stragglers is a
worst of exactly s; one-step decoding has no such rule, and its worst is of exactly s.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.codes.structure import CycleGaps, Groups, Intervals
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.factorization import scale_columns
from fastgc.decoding.worst import searches
from fastgc.decoding.worst.searches import error_with
from fastgc.registry.cached import cached_property

_LARGEST = 400  # rows or columns; each strength takes a decomposition
_STRENGTHS = np.logspace(-5, 1, 25)  # of ridge regression, in squares of the largest singular value


def worst_groups(structure: Groups, stragglers: int) -> list[int]:
    """Return a worst set: a group costs what it holds if all its workers straggle, else nothing."""
    labels = structure.labels
    sizes = np.bincount(labels[labels >= 0], minlength=structure.weights.size)
    chosen = np.zeros(sizes.size + 1, bool)  # the last is of workers that hold nothing
    chosen[_fitting(sizes, structure.weights, stragglers)] = True
    is_found = chosen[labels]
    found, spare = np.flatnonzero(is_found), np.flatnonzero(~is_found)
    return [*map(int, found), *map(int, spare[: stragglers - found.size])]


def _fitting(sizes: NDArray[np.int64], weights: NDArray[np.int64], room: int) -> list[int]:
    if sizes.size and np.all(sizes == sizes[0]):
        heaviest = np.argsort(-weights, kind="stable")
        return [int(thing) for thing in heaviest[: room // sizes[0]]]
    best = np.zeros(room + 1, np.int64)
    taken = np.zeros((sizes.size, room + 1), bool)
    for thing, (size, weight) in enumerate(zip(sizes.tolist(), weights.tolist(), strict=True)):
        if size <= room:
            better = best[: room + 1 - size] + weight
            taken[thing, size:] = better > best[size:]
            best[size:] = np.maximum(best[size:], better)
    chosen = []
    for thing in range(sizes.size - 1, -1, -1):
        if taken[thing, room]:
            chosen.append(thing)
            room -= int(sizes[thing])
    return chosen


# ---- What no set of so many stragglers can cost more than


class UpperBounds:
    """Upper bounds on the error of any set of s stragglers of one code, decoded optimally.

    Dropping the stragglers' weights x_T from the best x leaves ‖B x_T‖² more than the error
    without stragglers, no more than σ₁² ‖x_T‖². Where each of n workers holds d partitions of n,
    and each partition is held by d, with weight 1, the error is at most (σ₂/d)² n s/(n − s) too.
    With weights x that are kept for any stragglers it is at most (‖Bx − 1‖ + σ_max(B diag x) √s)²,
    by the triangle inequality: x is that of ridge regression, of the best of some strengths.
    """

    def __init__(self, decoder: Decoder, code: Code) -> None:
        self.decoder, self.code = decoder, code
        self._is_small = code.obstacle is None and max(code.k, code.n) <= _LARGEST

    def of(self, stragglers: int, *, of_large: bool = False) -> tuple[float, str]:
        """Return the least bound, rounded up to 6 digits, and its name.

        ``of_large`` decomposes a large real matrix, too; without it, k bounds the error there.
        """
        bounds = [(float(self.code.k), "no answer at all")]
        if stragglers == self.code.n or not self.code.loads.any():
            return bounds[0]
        if self._is_small or (of_large and self.code.obstacle is None):
            bounds += self._matrix_bounds(stragglers)
        bound, name = min(bounds)
        # to 12 digits first: a bound of 4 that rounding leaves above 4 is 4
        own = Decimal(f"{max(bound, 0.0):.12g}")
        return float(Context(prec=6, rounding=ROUND_CEILING).create_decimal(own)), name

    def _matrix_bounds(self, s: int) -> Iterator[tuple[float, str]]:
        code, parts, n = self.code, self.decoder.decomposition, self.code.n
        x = parts.shortest
        largest = np.sort(x * x)[::-1][:s].sum()
        yield float(parts.remainder + parts.S[0] ** 2 * largest), "spectral bound"
        B, d = code.B, int(code.loads[0])
        regular = np.all((B == 0) | (B == 1)) and code.k == n
        if regular and np.all(code.loads == d) and np.all(np.count_nonzero(B, axis=1) == d) and d:
            second = np.ldexp(parts.S[1] if len(parts.S) > 1 else 0.0, int(scale_columns(B)[1][0]))
            yield float((second / d) ** 2 * n * s / (n - s)), "expander bound"
        if self._is_small:
            kept, strongest = self._ridges
            yield float((kept + strongest * np.sqrt(s)).min() ** 2), "ridge bound"

    @cached_property
    def _ridges(self) -> Values:
        """‖Bx − 1‖ and σ_max(B diag x) of ridge weights x of every strength, (2, strengths)."""
        B = self.code.B
        U, S, Vt = np.linalg.svd(B, full_matrices=False)
        ones = U.sum(axis=0)
        found = []
        for strength in S[0] ** 2 * _STRENGTHS:
            x = (S / (S * S + strength) * ones) @ Vt
            found.append((np.linalg.norm(B @ x - 1), np.linalg.norm(B * x, 2)))
        return np.array(found).T


# ---- Sets that break a code, and how many stragglers are needed for certain


@dataclass(frozen=True)
class BreakingSet:
    """Stragglers without whom an error is left, fewest as far as is known.

    ``least``: no fewer stragglers break the code; ``why``: why that is so.
    """

    stragglers: tuple[int, ...]
    least: int
    why: str


def breaking(decoder: Decoder, code: Code) -> BreakingSet | None:
    """Return what breaks exact decoding; None of decoders of which structure says nothing.

    It is a group; of intervals a cut of the graph of their ends, of as many workers as there are
    disjoint paths (Menger); of a cycle one worker, or two neighbours; of other codes the holders of
    a partition.
    """
    classes = _disjoint_classes(code)
    by_classes = f"{len(classes)} disjoint classes of workers each add up to the whole gradient"
    if decoder.algorithm == "class":
        if not classes:
            return None
        return BreakingSet(tuple(own[0] for own in classes), len(classes), by_classes)
    if not decoder.is_optimal:
        return None
    structure, least, why = code.structure, len(classes), by_classes
    offsets, workers = code.holders
    rare = int(np.diff(offsets).argmin())
    held = workers[offsets[rare] : offsets[rare + 1]].tolist()
    chosen = held
    if isinstance(structure, CycleGaps):
        chosen = [0] if structure.n % 2 else [0, 1]
        least, why = len(chosen), "an odd cycle decodes, and of an even one every second worker"
    elif isinstance(structure, Groups) and chosen:
        least = int(np.diff(structure.members[0]).min())
        why = f"each of {structure.weights.size} groups has {least} workers or more"
    elif isinstance(structure, Intervals) and chosen:
        chosen = _cut(structure)
        least, why = len(chosen), f"{len(chosen)} disjoint chains of workers hold all partitions"
    return BreakingSet(tuple(sorted(chosen)), least, why if least else "")


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
        if code.is_complex or not np.all(sums == 1.0):
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


# ---- The worst case, by whatever knows it


MOST_ENUMERATED = 1_000_000_000
LARGEST_CONDITION = 1e6  # beyond it, what elimination leaves has too few digits
MOST_SHOWN = 20  # stragglers that a remark names


@dataclass(frozen=True)
class Worst:
    """The largest error found, and how."""

    error: float  #: In partitions.
    stragglers: tuple[int, ...]  #: A set of them that causes it.
    #: Whether no other set causes more; else the error is a lower bound of the largest.
    is_exact: bool
    #: Searches, and how many of them ended at this error; 0 where it was not searched for.
    starts: int = 0
    hits: int = 0
    #: What no set of so many stragglers exceeds, of optimal decoding; None of other decoders.
    at_most: float | None = None
    bound_name: str = ""  #: Where that is from.

    @property
    def remark(self) -> str:
        """Which stragglers, and how they were found."""
        said = ""
        if 0 < len(self.stragglers) <= MOST_SHOWN:
            said = f"with stragglers {' '.join(map(str, self.stragglers))}"
        if self.is_exact:
            return said
        found = f"the best of {self.starts} searches, of which {self.hits} ended there"
        said = f"{said}; {found}" if said else found
        if self.at_most is not None:
            said += f"; no set costs more than {self.at_most:.6g} ({self.bound_name})"
        return said

    def bounded(self, bounds: UpperBounds, stragglers: int) -> "Worst":
        """Return the same worst case with the bound for so many stragglers."""
        is_decomposed = not self.is_exact and bounds.code.n <= searches.MOST_WORKERS
        at_most, name = bounds.of(stragglers, of_large=is_decomposed)
        return replace(self, at_most=max(at_most, self.error), bound_name=name)


def worst_case(
    decoder: Decoder,
    code: Code,
    stragglers: int,
    *,
    most: int = MOST_ENUMERATED,
    starts: int | None = None,
    bounds: UpperBounds | None = None,
) -> Worst:
    """Return the largest error that so many stragglers can cause.

    Where formulas do not know it, all sets are looked at if there are no more than ``most``;
    beyond, it is the best of several hundred searches.

    ``decoder``: of the code; ``stragglers``: from 0 to n; ``most``: sets to be looked at, at most;
    ``starts``: searches at most, of optimal decoding; by default as many as take a second or two,
    and 512 at least; ``bounds``: of the decoder and the code: to be given where several numbers of
    stragglers are asked for.
    """
    method = _method(decoder, code, stragglers, most)
    chosen: Iterable[int] | None = None
    if method == "formula" and isinstance(code.structure, Groups):
        chosen = worst_groups(code.structure, stragglers)
    elif method in ("any set", "formula"):
        chosen = range(stragglers)
    elif method == "parts":
        chosen = searches.worst_of_parts(code, stragglers)
    if chosen is None and searches.is_enumerated(code.n, stragglers, most):
        # ill-conditioned, or too many sets lost digits
        chosen = searches.enumerated(decoder, code, stragglers)
    if chosen is not None:
        each = tuple(sorted(chosen))
        found = Worst(error_with(decoder, each, code.n), each, True)
    else:
        if not _is_real_and_optimal(decoder, code) and starts is None:
            best = searches.searched(decoder, code, stragglers)
        elif not _is_real_and_optimal(decoder, code) or code.n > searches.MOST_WORKERS:
            best = searches.starving(decoder, code, stragglers)  # each start takes long
        else:
            best = searches.climbed(decoder, code, stragglers, starts)
        error, some, begun, hits = best
        found = Worst(error, tuple(sorted(some)), False, begun, hits)
    if not decoder.is_optimal:
        return found
    return found.bounded(bounds or UpperBounds(decoder, code), stragglers)


def is_exact(decoder: Decoder, code: Code, stragglers: int, most: int = MOST_ENUMERATED) -> bool:
    """Return whether `worst_case` is to look at all sets, or knows the worst one."""
    return _method(decoder, code, stragglers, most) != "search"


def seconds(decoder: Decoder, code: Code, stragglers: int) -> float:
    """Return about how long `worst_case` takes on a core."""
    if stragglers in (0, code.n) or isinstance(code.structure, Groups | CycleGaps):
        return 0.0
    if is_exact(decoder, code, stragglers):
        return 1e-8 * math.comb(code.n, stragglers)
    return searches.seconds(code.n, stragglers)


def _method(decoder: Decoder, code: Code, stragglers: int, most: int) -> str:
    if stragglers in (0, code.n):
        return "any set"
    if _is_real_and_optimal(decoder, code):
        if isinstance(code.structure, Groups | CycleGaps):
            return "formula"
        few = code.n <= searches.MOST_WORKERS and searches.are_few_sets(code, stragglers, most)
        if few and decoder.condition <= LARGEST_CONDITION:
            return "parts"
    return "sets" if searches.is_enumerated(code.n, stragglers, most) else "search"


def _is_real_and_optimal(decoder: Decoder, code: Code) -> bool:
    return decoder.is_optimal and code.obstacle is None
