"""Worst cases of codes that only decoding itself can judge, in a bounded number of multiplications.

Seconds would bound as well, and differ from machine to machine.
"""

import math

import numpy as np

from fastgc.codes.code import Code
from fastgc.decoding.decoder import MOST_WORKERS, Decoder
from fastgc.decoding.worst import any_rule
from fastgc.decoding.worst.climbing import Found, Sets, number_of_best, patterns_with, starved
from fastgc.draws.streams import uniforms

PER_SECOND = 1e10  # multiplications, about
AT_ONCE = 256  # sets, until it is looked how much work is left
_RANDOM = 1 / 3  # of the work
_MORE = 1e-9  # less is rounding


class Judge:
    """Decodes sets of so many stragglers, as long as there is work left.

    ``work``: multiplications; ``left``: those that are left.
    """

    def __init__(self, decoder: Decoder, code: Code, stragglers: int, work: float) -> None:
        self.left = work
        self._decoder, self._n = decoder, code.n
        parts = 2 if code.is_complex else 1
        n, k, s = parts * code.n, parts * code.k * code.pieces, parts * stragglers
        costs = {
            "lookup": 1.0,
            "least-squares": 200.0 + s**3 / 3.0,
            # what is larger than the cache comes late
            "gram-schmidt": n * (s * s + 10.0 * s + 20.0) * (1.0 + (n / 500.0) ** 2),
            "orthogonal": 2.0 * k * float(n - s) ** 2,
        }
        each = code.pieces * np.array([costs[tier] for tier in decoder.tiers])
        self._costs = np.cumsum(each)  # of a set that a tier decodes after those before it
        self._looks = np.cumsum([*each[:-1], 0.0])  # to tell that it does

    @property
    def each(self) -> float:
        """What a set takes in the fastest tier."""
        return float(self._costs[0])

    def worst_of(self, sets: Sets) -> tuple[float, int]:
        """Return the largest error, and the number of its set; −1 where no set is decoded.

        Sets of slow tiers are left out where there is no work left for them.
        """
        patterns = patterns_with(sets, self._n)
        tier = self._decoder.tier_of(patterns)
        self.left -= self._looks[tier].sum()
        order = np.argsort(tier, kind="stable")
        chosen = order[np.cumsum(self._costs[tier[order]]) <= max(self.left, self._costs[-1])]
        self.left -= self._costs[tier[chosen]].sum()
        if not chosen.size:
            return -1.0, -1
        errors = self._decoder.errors(patterns[chosen])
        best = int(np.argmax(errors))
        return float(errors[best]), int(chosen[best])


def is_enumerated(decoder: Decoder, code: Code, stragglers: int, most: int, work: float) -> bool:
    """Return whether all sets are decoded."""
    few = any_rule.is_enumerated(code.n, stragglers, most)
    each = Judge(decoder, code, stragglers, work).each
    return few and (code.n <= MOST_WORKERS or math.comb(code.n, stragglers) * each <= work)


def searched(decoder: Decoder, code: Code, stragglers: int, work: float) -> Found:
    """Return the largest error found, its stragglers, and how many starts of how many ended there.

    Starts are the worst of random sets, and of sets that take partitions from all their holders;
    from each, stragglers are exchanged for others, in random order, while that costs more.
    """
    n = code.n
    judge = Judge(decoder, code, stragglers, work)
    starts = [(0.0, list(range(stragglers)))]
    for number in range(any_rule.STARTS // 3):
        order = uniforms(0, f"starve {number}", code.k)
        first = starved(code, stragglers, order)
        others = np.setdiff1d(np.arange(n), first)[: stragglers - len(first)]
        own = np.array([[*first, *others.tolist()]], np.int64)
        starts.append((judge.worst_of(own)[0], own[0].tolist()))
    for sets in any_rule.random_sets(n, stragglers, AT_ONCE):
        error, best = judge.worst_of(sets)
        starts.append((error, sets[best].tolist()))
        if judge.left < (1.0 - _RANDOM) * work:
            break
    starts.sort(reverse=True)
    ends = [_exchanged(judge, n, start) for start in starts[:1]]
    for start in starts[1 : any_rule.STARTS]:
        if judge.left > 0.0:
            ends.append(_exchanged(judge, n, start))
    error, chosen = max(ends)
    hits = number_of_best(np.array([found for found, _ in ends]), code.k)
    return error, chosen, len(ends), hits


def _exchanged(judge: Judge, n: int, start: tuple[float, list[int]]) -> tuple[float, list[int]]:
    """Exchange stragglers for survivors while that makes the error larger and work is left."""
    error, inside = start[0], np.array(start[1])
    outside = np.setdiff1d(np.arange(n), inside)
    pairs = np.argsort(uniforms(0, "exchanges", inside.size * outside.size), kind="stable")
    at = idle = 0
    while idle < pairs.size and judge.left > 0.0:
        some = np.take(pairs, np.arange(at, at + min(AT_ONCE, pairs.size)), mode="wrap")
        out, into = some // outside.size, some % outside.size
        sets = np.tile(inside, (some.size, 1))
        sets[np.arange(some.size), out] = outside[into]
        found, best = judge.worst_of(sets)
        at, idle = (at + some.size) % pairs.size, idle + some.size
        if found > error + _MORE:
            i, j = out[best], into[best]
            error, idle = found, 0
            inside[i], outside[j] = outside[j], inside[i]
    return error, sorted(inside.tolist())
