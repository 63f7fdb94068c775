"""Schemes beyond the five papers against their definitions: over a thousand exact values.

``python -m bench.schemes [NAME ...]`` states each scheme once more, in plain Python that shares no
code with fastgc or its tests, runs fastgc's exact method on many small instances, and prints for
each scheme how many values were compared and the largest relative difference.

- ``partial``, ``block``, ``batches``: every way in which the workers' answers may lie
  before or after t, integrated over t.
- ``vector``: quadrature of the order statistic of two exponentials (Ye and Abbe,
  arXiv:1802.03475).
"""

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

import fastgc

#: Largest relative difference that counts as equal.
CLOSE = 1e-9
Case = tuple[str, float, float]
Values = NDArray[np.float64]

# Nodes on (0, 1) and their weights for integrals over t = u/(1 − u).
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)
_U = (_NODES + 1) / 2
T = _U / (1 - _U)
DT = _WEIGHTS / 2 / (1 - _U) ** 2
EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}


def rows(study: dict[str, Any]) -> dict[tuple[str, str], float]:
    """Values by quantity and statistic."""
    found = fastgc.run(study, method="exact").rows()
    return {
        (row["quantity"], row["statistic"]): row["value"]
        for row in found
        if row["method"] == "exact"
    }


def mean(done: Callable[[Values], Values]) -> tuple[float, float]:
    """Mean and variance of a time with this distribution function."""
    late = 1 - done(T)
    first, second = float(np.sum(DT * late)), float(np.sum(DT * 2 * T * late))
    return first, second - first**2


def compared(
    system: dict[str, Any], done: Callable[[Values], Values], **more: Any
) -> Iterator[Case]:
    """Mean and variance of the time of one round."""
    study = {"kind": "completion", "system": system, "latency": EXPONENTIAL, "measure": ["time"]}
    found = rows(study | {"work": system["n"]} | more)
    wanted = mean(done)
    yield f"{system}: mean", found["time", "mean"], wanted[0]
    yield f"{system}: variance", found["time", "variance"], wanted[1]


def exponential(t: Values) -> Values:
    """P(X <= t) of a mean of 1."""
    return -np.expm1(-t)


def within(n: int, least: int, p: Values) -> Values:
    """P(at least so many of n)."""
    counts = range(least, n + 1)
    terms = [math.comb(n, m) * p**m * (1 - p) ** (n - m) for m in counts]
    return np.asarray(np.sum(terms, axis=0))


def partial() -> Iterator[Case]:
    """Chunks sent as they are finished: all counts of finished chunks."""

    def done(orders: list[list[int]], copies: int, task: bool) -> Callable[[Values], Values]:
        d = len(orders[0])
        good = []
        for counts in itertools.product(range(d + 1), repeat=len(orders)):
            have = [0] * len(orders)
            for own, count in zip(orders, counts, strict=True):
                for chunk in own[:count]:
                    have[chunk] += 1
            if min(have) >= copies:
                good.append(counts)

        def distribution(t: Values) -> Values:
            by = [np.ones_like(t)]
            by += [gammainc(j, t) if task else exponential(t / j) for j in range(1, d + 1)]
            exactly = np.array([*(a - b for a, b in itertools.pairwise(by)), by[-1]])
            total = np.zeros_like(t)
            for counts in good:
                total += np.prod(exactly[list(counts)], axis=0)
            return total

        return distribution

    for (n, d), task in itertools.product(((2, 2), (3, 2), (4, 2), (3, 3), (4, 3), (5, 3)), (0, 1)):
        cyclic = [[(w + j) % n for j in range(d)] for w in range(n)]
        placements: list[tuple[dict[str, Any], list[list[int]]]] = [
            ({"order": "cyclic"}, cyclic),
            ({"order": "sorted"}, [sorted(own) for own in cyclic]),
            ({"order": [own[::-1] for own in cyclic]}, [own[::-1] for own in cyclic]),
        ]
        if n % d == 0:
            groups = [[w // d * d + j for j in range(d)] for w in range(n)]
            turned = [own[w % d :] + own[: w % d] for w, own in enumerate(groups)]
            placements.append(({"placement": "frc", "order": "sorted"}, groups))
            placements.append(({"placement": "frc"}, turned))
        for (told, orders), copies in itertools.product(placements, range(1, d + 1)):
            system = {"family": "partial", "n": n, "d": d, "copies": copies, **told}
            system |= {"draws": "task"} if task else {}
            yield from compared(system, done(orders, copies, bool(task)))


def block() -> Iterator[Case]:
    """Block-coordinate codes: all ways in which workers lie between the blocks' thresholds."""

    def done(shares: tuple[int, ...]) -> Callable[[Values], Values]:
        n, total = len(shares), sum(shares)
        ends = np.cumsum([(i + 1) * share / total for i, share in enumerate(shares)])
        used = [i for i in range(n) if shares[i]]

        def distribution(t: Values) -> Values:
            # how many of its blocks a worker has sent: the last ones take longest
            by = [np.ones_like(t), *(exponential(t / ends[i]) for i in used)]
            exactly = np.array([*(a - b for a, b in itertools.pairwise(by)), by[-1]])
            sum_ = np.zeros_like(t)
            for sent in itertools.product(range(len(used) + 1), repeat=n):
                if all(sum(m > j for m in sent) >= n - i for j, i in enumerate(used)):
                    sum_ += np.prod(exactly[list(sent)], axis=0)
            return sum_

        return distribution

    for n in (2, 3, 4):
        for shares in itertools.product((0, 1, 3), repeat=n):
            if any(shares) and (n < 4 or sum(map(bool, shares)) <= 3):
                yield from compared(
                    {"family": "block", "n": n, "blocks": list(shares)}, done(shares)
                )


def batches() -> Iterator[Case]:
    """One answer a worker: all sets of workers whose batches hold everything."""

    def done(held: list[set[int]]) -> Callable[[Values], Values]:
        n, d = len(held), len(held[0])
        everything = set().union(*held)
        sizes = [
            sum(set().union(*own) == everything for own in itertools.combinations(held, m))
            for m in range(n + 1)
        ]

        def distribution(t: Values) -> Values:
            p = exponential(t / d)
            return sum(
                (sets * p**m * (1 - p) ** (n - m) for m, sets in enumerate(sizes)), np.zeros_like(t)
            )

        return distribution

    for n in range(2, 10):
        for d in range(1, n + 1):
            system = {"family": "batches", "n": n, "d": d}
            cyclic = [{(w + j) % n for j in range(d)} for w in range(n)]
            yield from compared(system, done(cyclic))
            if n % d == 0:
                apart = [set(range(w // d * d, w // d * d + d)) for w in range(n)]
                yield from compared(system | {"placement": "disjoint"}, done(apart))


def vector() -> Iterator[Case]:
    """Messages of 1/m of the length: the (n − s)-th of d·work + send/m, both exponential."""

    def done(n: int, d: int, m: int, rates: tuple[float, float]) -> Callable[[Values], Values]:
        a, b = rates[0] / d, rates[1] * m

        def distribution(t: Values) -> Values:
            if math.isclose(a, b):
                p = gammainc(2, a * t)
            else:
                p = 1 - (a * np.exp(-b * t) - b * np.exp(-a * t)) / (a - b)
            return within(n, n - d + m, p)

        return distribution

    for n, rates in itertools.product((2, 3, 5, 8), ((0.8, 0.1), (1.0, 1.0), (0.2, 0.6))):
        for d in range(1, n + 1):
            for m in range(1, d + 1):
                system = {"family": "gradient-code", "n": n, "s": d - m, "m": m}
                more = {"latency": EXPONENTIAL | {"mean": 1 / rates[0]}}
                more |= {"send": EXPONENTIAL | {"mean": 1 / rates[1]}}
                yield from compared(system, done(n, d, m, rates), **more)


SCHEMES = (partial, block, batches, vector)


def main(names: list[str]) -> int:
    """Print a line for each scheme; 1 if a value differs."""
    wrong = 0
    for scheme in SCHEMES:
        if names and scheme.__name__ not in names:
            continue
        compared = [
            (abs(found - wanted) / max(abs(wanted), 1e-3), name, found, wanted)
            for name, found, wanted in scheme()
        ]
        for off, name, found, wanted in compared:
            if not off <= CLOSE:
                print(f"  {name}: fastgc {found!r}, here {wanted!r}")
                wrong += 1
        largest = max(compared)
        print(f"{scheme.__name__}: {len(compared)} values, largest difference {largest[0]:.1e}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
