"""Forms of a code of which mean, variance and exactness are known given r survivors, or iid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fastgc.theory.known.straggler_law import Law
from fastgc.theory.papers.closed_form import ClosedForm

#: Above it, mixtures of exactness over numbers of survivors take seconds.
_LARGEST = 256


@dataclass(frozen=True)
class Mixture:
    """What is known of a code in which n partitions are held by d of n workers each.

    ``mean``, ``variance`` and ``exact`` take ``survivors=r`` or ``p=q``. ``average(law, L,
    shuffle, variance)`` is the variance of the error averaged over L > 1 iterations whose classes
    of workers last, from the variance of one iteration; None where it is not known. ``claim`` tests
    the mean given the number of slow workers.
    """

    n: int
    d: int
    mean: Callable[..., Any]
    variance: Callable[..., Any]
    exact: Callable[..., Any]
    average: Callable[[Law, int, str, float], float | None]
    claim: str

    def forms(self, law: Law, iterations: int, shuffle: str) -> Iterator[ClosedForm]:
        """Every closed form of the code under a law of stragglers."""
        claim = None
        if law.persistent:
            claim = self.claim if law.p is None else "agc.remark2.corrected"
        mean, variance = self._moments(law)
        yield ClosedForm("error", "mean", None, mean, claim)
        yield ClosedForm("error", "variance", None, variance, None)
        yield from self._exact(law)
        yield from self._given_survivors(law)
        yield from self._not_accessed(law, iterations)
        yield ClosedForm("mean_error", "mean", None, mean, claim)

        average: float | None = variance / iterations
        changed = None
        if iterations > 1 and law.persistent:
            average = self.average(law, iterations, shuffle, variance)
            changed = "agc.shuffling.variance.corrected" if law.p is not None else None
        if average is not None:
            yield ClosedForm("mean_error", "variance", None, float(average), changed)

    def _moments(self, law: Law) -> tuple[float, float]:
        if law.p is not None:
            return float(self.mean(p=law.p)), float(self.variance(p=law.p))
        given = [
            (
                float(law.survivors[r]),
                float(self.mean(survivors=r)),
                float(self.variance(survivors=r)),
            )
            for r in law.possible
        ]
        mean = math.fsum(weight * one for weight, one, _ in given)
        square = (weight * (spread + (one - mean) ** 2) for weight, one, spread in given)
        return mean, math.fsum(square)

    def _exact(self, law: Law) -> Iterator[ClosedForm]:
        if law.p is not None:
            yield ClosedForm("exact", "mean", None, float(self.exact(p=law.p)), None)
        elif len(law.possible) == 1 or self.n <= _LARGEST:
            exact = math.fsum(
                law.survivors[r] * float(self.exact(survivors=r)) for r in law.possible
            )
            yield ClosedForm("exact", "mean", None, exact, None)

    def _given_survivors(self, law: Law) -> Iterator[ClosedForm]:
        claim = "agc.theorem1.survivors.corrected" if law.persistent and law.p is None else None
        for r, chance in enumerate(law.survivors.tolist()):
            yield ClosedForm("survivors", "mean", r, chance, claim)
        for r in law.possible:
            value = float(self.mean(survivors=r))
            yield ClosedForm("error_by_survivors", "mean", r, value, None)

    def _not_accessed(self, law: Law, iterations: int) -> Iterator[ClosedForm]:
        # d given workers straggle together as often as a group of frc does.
        n, d = self.n, self.d
        lost = (
            law.p**d
            if law.p is not None
            else math.fsum(
                law.survivors[r] * (math.comb(n - d, r) / math.comb(n, r)) for r in law.possible
            )
        )
        claim = None
        if law.persistent:
            known = "with-shuffling" if law.p is not None else "given-slow"
            claim = f"agc.proposition1.{known}.corrected"
        for partition in range(n):
            yield ClosedForm("not_accessed", "mean", partition, iterations * lost, claim)
