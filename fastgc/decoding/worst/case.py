"""The largest error that so many stragglers can cause, and who they are.

The optimal error never falls when a straggler is added, so the worst of at most s stragglers is a
worst of exactly s; one-step decoding has no such rule, and its worst is of exactly s.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.structure import CycleGaps, Groups
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import formulas, parts, searches
from fastgc.decoding.worst.formulas import UpperBounds
from fastgc.decoding.worst.searches import errors_with

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
    use_formulas: bool = True,
    bounds: UpperBounds | None = None,
) -> Worst:
    """Return the largest error that so many stragglers can cause.

    Where formulas do not know it, all sets are looked at if there are no more than ``most``;
    beyond, it is the best of several hundred searches, each greedy at first and then exchanging
    stragglers while that costs more.

    ``decoder``: of the code; ``stragglers``: from 0 to n; ``most``: sets to be looked at, at most;
    ``starts``: searches at most, of optimal decoding; by default as many as take a second or two,
    and 512 at least; ``use_formulas``: whether formulas for groups and cycles may be used;
    ``bounds``: of the decoder and the code: to be given where several numbers of stragglers are
    asked for.
    """
    found = _found(decoder, code, stragglers, most, starts, use_formulas)
    if not decoder.is_optimal:
        return found
    return found.bounded(bounds or UpperBounds(decoder, code), stragglers)


def _found(
    decoder: Decoder, code: Code, stragglers: int, most: int, starts: int | None, use_formulas: bool
) -> Worst:
    if stragglers in (0, code.n):
        return _exactly(decoder, code, range(stragglers))
    if not _is_optimal(decoder, code):
        if searches.is_enumerated(code.n, stragglers, most):
            return _exactly(decoder, code, searches.enumerated(decoder, code, stragglers))
        if starts is not None:  # each takes longer than a climb
            return _searched(searches.starving(decoder, code, stragglers))
        return _searched(searches.searched(decoder, code, stragglers))
    if use_formulas and isinstance(code.structure, Groups):
        return _exactly(decoder, code, formulas.of_groups(code.structure, stragglers))
    if use_formulas and isinstance(code.structure, CycleGaps):
        return _exactly(decoder, code, range(stragglers))
    if _is_enumerated(decoder, code, stragglers, most):
        found = parts.worst(code, stragglers)
        if found is not None:
            return _exactly(decoder, code, found)
    if searches.is_enumerated(code.n, stragglers, most):
        # ill-conditioned, or too many sets lost digits
        return _exactly(decoder, code, searches.enumerated(decoder, code, stragglers))
    if code.n > searches.MOST_WORKERS:
        return _searched(searches.starving(decoder, code, stragglers))
    return _searched(searches.climbed(decoder, code, stragglers, starts))


def is_exact(decoder: Decoder, code: Code, stragglers: int, most: int = MOST_ENUMERATED) -> bool:
    """Return whether `worst_case` is to look at all sets, or knows the worst one."""
    if stragglers in (0, code.n):
        return True
    if not _is_optimal(decoder, code):
        return searches.is_enumerated(code.n, stragglers, most)
    if isinstance(code.structure, Groups | CycleGaps):
        return True
    few = searches.is_enumerated(code.n, stragglers, most)
    return few or _is_enumerated(decoder, code, stragglers, most)


def seconds(decoder: Decoder, code: Code, stragglers: int) -> float:
    """Return about how long `worst_case` takes on a core."""
    if stragglers in (0, code.n) or isinstance(code.structure, Groups | CycleGaps):
        return 0.0
    if is_exact(decoder, code, stragglers):
        return 1e-8 * math.comb(code.n, stragglers)
    return searches.seconds(code.n, stragglers)


def _is_enumerated(decoder: Decoder, code: Code, stragglers: int, most: int) -> bool:
    return (
        code.n <= searches.MOST_WORKERS
        and parts.is_enumerated(code, stragglers, most)
        and decoder.condition <= LARGEST_CONDITION
    )


def _is_optimal(decoder: Decoder, code: Code) -> bool:
    """Whether errors are those of least squares with real weights."""
    return decoder.is_optimal and code.obstacle is None


def _searched(found: searches.Found) -> Worst:
    error, chosen, starts, hits = found
    return Worst(error, tuple(sorted(chosen)), False, starts, hits)


def _exactly(decoder: Decoder, code: Code, found: Iterable[int]) -> Worst:
    chosen = tuple(sorted(found))
    sets = np.array([chosen], np.int64).reshape(1, -1)
    return Worst(float(errors_with(decoder, sets, code.n)[0]), chosen, True)
