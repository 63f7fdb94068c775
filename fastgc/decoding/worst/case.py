"""The largest error that so many stragglers can cause, and who they are.

The optimal error never falls when a straggler is added, so the worst of at most s stragglers is a
worst of exactly s; one-step decoding has no such rule, and its worst is of exactly s.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from fastgc.codes.code import Code
from fastgc.codes.structure import CycleGaps, Groups
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import formulas, searches
from fastgc.decoding.worst.formulas import UpperBounds
from fastgc.decoding.worst.searches import error_with

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
        chosen = formulas.of_groups(code.structure, stragglers)
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
