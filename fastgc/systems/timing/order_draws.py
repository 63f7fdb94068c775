"""Completion times drawn from order statistics, where no single worker's time is needed.

With one law for all workers, F⁻¹ of an order statistic of uniform numbers is that of the times:
the k-th of n costs one Beta number and not n times.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.draws.streams import Trials
from fastgc.latency.time import KernelLaw
from fastgc_kernels.complete import networks, trees
from fastgc_kernels.draw import spacings, strips

if TYPE_CHECKING:
    from fastgc.systems.timing.timed_structure import Structure

#: Most numbers of a trial: its addresses must leave room for those that are drawn again.
_ADDRESSES = 1 << 20


#: Where each network starts, and all networks, one after the other.
Networks = tuple[NDArray[np.int64], NDArray[np.int32]]


def selection(n: int, places: Sequence[int] | range) -> NDArray[np.int32]:
    """Return the network that brings the right ones of n values to some places."""
    wanted = np.zeros(n, np.bool_)
    wanted[list(places)] = True
    return networks.selection(wanted)


def joined(parts: Sequence[NDArray[np.int32]]) -> Networks:
    """Return networks one after the other."""
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return starts, np.concatenate(parts)


@dataclass(frozen=True)
class Draw:
    """What draws completion times without workers' times; given a `Trials`, it returns (L, T).

    ``plain`` draws them alone, ``beside`` with the controls (m, L, T), and ``weighted`` with Σ w c
    of these for weights w (m,). Each of ``controls`` is a multiple of the completion time of a
    structure without a port, so that its mean is known.
    """

    plain: Callable[[Trials], Values]
    controls: tuple[tuple[float, "Structure"], ...] = ()
    beside: Callable[[Trials], tuple[Values, Values]] | None = None
    weighted: Callable[[Trials, Values], tuple[Values, Values]] | None = None

    def __call__(self, batch: Trials) -> Values:
        """Return completion times (L, T)."""
        return self.plain(batch)


def _with_one(fill: Callable[[Trials, Values, Values], None], structure: "Structure") -> Draw:
    """Return what draws a time and, where asked, that of the same structure without a port."""

    def plain(batch: Trials) -> Values:
        done = np.empty((batch.iterations, batch.trials))
        fill(batch, done, np.empty((0, 0)))
        return done

    def beside(batch: Trials) -> tuple[Values, Values]:
        done, without = np.empty((2, batch.iterations, batch.trials))
        fill(batch, done, without)
        return done, without[np.newaxis]

    def weighted(batch: Trials, weights: Values) -> tuple[Values, Values]:
        done, without = beside(batch)
        without *= weights[0]
        return done, without[0]

    return Draw(plain, ((1.0, structure),), beside, weighted)


def fused(
    structure: "Structure", law: KernelLaw, receive: float = 0.0, opens: str = "start"
) -> Draw | None:
    """Return what draws completion times, or None where workers must be drawn."""
    return structure.drawn(law, receive, opens == "after-own") if law.invertible else None


@functools.lru_cache(maxsize=256)
def _strips(n: int, k: int) -> Values:
    found = np.empty((strips.ROWS, strips.STRIPS))
    strips.lay(n, k, found)
    return found


def steps_between(n: int, places: Sequence[int]) -> Values:
    """Return the strips that draw each of some order statistics from the one before."""
    before = (0, *places)
    return np.stack([_strips(n - a, b - a) for a, b in zip(before, places, strict=False)])


def _addressed(law: KernelLaw, batch: Trials) -> tuple[int, Values, np.uint64, np.uint64]:
    return law.kind, law.params, batch.key("order"), np.uint64(batch.first)


def latest(
    law: KernelLaw,
    n: int,
    multiples: Mapping[int, float],
    share: float = 1.0,
    of_place: Callable[[int, int], "Structure"] | None = None,
) -> Draw | None:
    """Return what draws the largest of multiples of order statistics; ``multiples`` by place.

    ``share``: of the workers' times there are so many as one over it for each of n, of which the
    least counts. ``of_place``: what waits for so many of n, and is a control where several do.
    """
    places: list[int] = []
    for place in sorted(multiples, reverse=True):
        # an earlier one counts only if it is taken more often
        if not places or multiples[place] > multiples[places[-1]]:
            places.append(place)
    places.reverse()
    if len(places) > _ADDRESSES:
        return None
    steps = steps_between(n, places)
    factors = np.array([multiples[place] for place in places], np.float64)

    def plain(batch: Trials) -> Values:
        done = np.empty((batch.iterations, batch.trials))
        own = _addressed(law, batch)
        spacings.latest(steps, factors, share, factors, *own, done, done[:0])
        return done

    def beside(batch: Trials) -> tuple[Values, Values]:
        each = np.empty((batch.iterations, len(places), batch.trials))
        spacings.each(steps, *_addressed(law, batch), each)
        each *= factors[:, np.newaxis]
        return np.asarray(each.max(axis=1)), each.swapaxes(0, 1)

    def weighted(batch: Trials, weights: Values) -> tuple[Values, Values]:
        done, total = np.empty((2, batch.iterations, batch.trials))
        own = _addressed(law, batch)
        spacings.latest(steps, factors, 1.0, weights, *own, done, total)
        return done, total

    if of_place is None or len(places) < 2:
        return Draw(plain)
    controls = tuple((float(multiples[place]), of_place(n, place)) for place in places)
    return Draw(plain, controls, beside, weighted)


def of_star(
    law: KernelLaw, structure: "Structure", n: int, need: int, receive: float = 0.0
) -> Draw | None:
    """Return what draws when a master is done that waits for ``need`` of n workers."""
    if receive == 0:
        return latest(law, n, {need: 1})

    def fill(batch: Trials, done: Values, without: Values) -> None:
        spacings.completion(n, need, receive, *_addressed(law, batch), done, without)

    return _with_one(fill, structure)


def of_regular_tree(
    law: KernelLaw, tree: "Structure", shape: tuple[int, int, int], receive: float, after_own: bool
) -> Draw | None:
    """Return what draws the completion time of a tree: children a parent, layers, and needs."""
    n, layers, need = shape
    if layers == 1:
        return of_star(law, tree, n, need, receive)
    if n > networks.LARGEST or n ** (layers - 1) * (need + 6) // 2 > _ADDRESSES:
        return None
    last = selection(n, [need - 1])
    network = selection(n, range(need)) if receive > 0 else last
    step = _strips(n, need)

    def fill(batch: Trials, done: Values, without: Values) -> None:
        given = shape, step, network, receive, after_own, *_addressed(law, batch)
        trees.regular_completion(*given, done, last, without)

    drawn = _with_one(fill, tree)
    return drawn if receive > 0 else Draw(drawn.plain)
