"""Schemes beyond the five papers against their definitions: over a thousand exact values.

``python -m bench.schemes [NAME ...]`` states each scheme once more, in plain Python that shares no
code with fastgc or its tests, runs fastgc's exact method on many small instances, and prints for
each scheme how many values were compared and the largest relative difference.

- ``sequences``: every matrix of slow and fast workers, round by round (Krishnan, Ebrahimi and
  Khisti, arXiv:2211.13802).
- ``partial``, ``block``, ``batches``: every way in which the workers' answers may lie
  before or after t, integrated over t.
- ``vector``: quadrature of the order statistic of two exponentials (Ye and Abbe,
  arXiv:1802.03475).
- ``loads``: work of a worker of sequences, counted task by task, in fractions.
"""

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
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


# ---- sequences


def every_matrix(n: int, rounds: int, model: dict[str, Any]) -> Iterator[tuple[float, list[int]]]:
    """Chance and slow workers of each round, as bits."""
    if model["model"] == "iid":
        start = {0: model["p"], 1: model["p"]}
        first = model["p"]
    else:
        start = {0: model["p_straggle_after_ok"], 1: model["p_straggle_after_straggle"]}
        first = start[0] / (1 + start[0] - start[1])
    own: list[tuple[float, tuple[int, ...]]] = []
    for word in itertools.product((0, 1), repeat=rounds):
        chance = first if word[0] else 1 - first
        for before, now in itertools.pairwise(word):
            chance *= start[before] if now else 1 - start[before]
        own.append((chance, word))
    for workers in itertools.product(own, repeat=n):
        chance = math.prod(p for p, _ in workers)
        yield chance, [sum(w[r] << i for i, (_, w) in enumerate(workers)) for r in range(rounds)]


def fits(before: list[int], now: int, burst: int, window: int, distinct: int) -> bool:
    """Whether stragglers ``now`` keep to the bursty model after those ``before``, as bits."""
    if now == 0:
        return True
    recent = before[max(0, len(before) - window + 1) :]
    union = now
    for bits in recent:
        union |= bits
    old = recent[: max(0, len(recent) - burst + 1)]
    return union.bit_count() <= distinct and all(now & bits == 0 for bits in old)


def gone_through(
    system: dict[str, Any], jobs: int, slow: list[int], rule: str, never: bool
) -> tuple[float, int, int]:
    """Seconds, rounds waited for and jobs decoded; slow workers take 5 s, others 1, patience 2."""
    n, family = system["n"], system["family"]
    everybody = (1 << n) - 1
    burst, window, distinct = (system.get(key, 0) for key in ("burst", "window", "distinct"))
    s = system.get("s", 0)
    if family == "sr-sgc":
        s = -(-burst * distinct // (window - 1 + burst))
    seconds, waits = 0.0, 0
    late: list[int] = []  # stragglers of each round, those that the code sees
    counted: list[int] = []  # of sr-sgc: without rounds that any code would take
    have = [0] * jobs  # of sr-sgc: who has sent its task of a job
    ended = [False] * jobs
    for r, now in enumerate(slow):
        owed = 0
        if family == "sr-sgc" and 0 <= r - burst < jobs:
            missing = [i for i in range(n) if not have[r - burst] >> i & 1]
            owed = sum(1 << i for i in missing[: max(0, len(missing) - s)])
        if family == "sr-sgc" and r >= jobs and not owed:
            counted.append(0)  # nothing is left to do in this round
            continue
        stragglers = 0 if now == everybody else now
        if family == "gradient-code":
            taken = stragglers.bit_count() <= s
        elif family == "uncoded":
            taken = stragglers == 0
        elif family == "m-sgc":
            taken = fits(late, stragglers, burst, window, distinct)
        else:
            taken = fits(counted, stragglers, burst, window, distinct) or (
                rule == "paper" and not owed and stragglers.bit_count() <= s
            )
        slowest = 5.0 if now == everybody else (2.0 if now else 1.0)
        if not taken and not never:
            stragglers, slowest = 0, 5.0
        waits += not taken
        seconds += slowest
        late.append(stragglers)
        counted.append(stragglers if owed or stragglers.bit_count() > s else 0)
        if family == "sr-sgc":
            for i in range(n):
                job = r - burst if owed >> i & 1 else r
                if not stragglers >> i & 1 and job < jobs:
                    have[job] |= 1 << i
            for job in (r, r - burst):
                if 0 <= job < jobs and have[job].bit_count() >= n - s:
                    ended[job] = True
        elif family != "m-sgc" and r < jobs:
            ended[r] = stragglers.bit_count() <= s
    if family == "m-sgc":
        ended = [mini(late, job, n, burst, window, distinct) for job in range(jobs)]
    return seconds, waits, sum(ended)


def mini(late: list[int], job: int, n: int, burst: int, window: int, distinct: int) -> bool:
    """Whether m-sgc decodes a job: chunks of their own first, then what was missed, then groups."""
    answers = [0] * burst
    for i in range(n):
        left = window - 1
        missed = 0
        for slot in range(window - 1 + burst):
            came = not late[job + slot] >> i & 1
            if slot < window - 1:
                missed += not came
                left -= came
            elif missed:
                missed -= came
                left -= came
            else:
                answers[slot - window + 1] += came
        if left:
            return False
    return all(count >= n - distinct for count in answers)


def systems_of_sequences() -> Iterator[tuple[dict[str, Any], int, int]]:
    """Each system with its jobs and its rounds, where all matrices can be gone through."""
    for n, jobs in ((1, 5), (2, 3), (2, 5), (3, 2), (3, 3), (3, 4), (4, 3)):
        yield {"family": "uncoded", "n": n}, jobs, jobs
        for s in range(n):
            yield {"family": "gradient-code", "n": n, "s": s}, jobs, jobs
    for burst, window in ((1, 2), (1, 3), (2, 3), (1, 4), (2, 5)):
        for n, jobs in itertools.product((1, 2, 3), (1, 2, 3)):
            for distinct in range(1, n + 1):
                code = {"n": n, "burst": burst, "window": window, "distinct": distinct}
                if (window - 1) % burst == 0 and n * (jobs + burst) <= 12:
                    s = -(-burst * distinct // (window - 1 + burst))
                    if s < n:
                        yield {"family": "sr-sgc", **code}, jobs, jobs + burst
                if n * (jobs + window - 2 + burst) <= 12:
                    yield {"family": "m-sgc", **code}, jobs, jobs + window - 2 + burst


def sequences() -> Iterator[Case]:
    """Mean and variance of the seconds, rounds that were waited for, jobs that were decoded."""
    models: list[dict[str, Any]] = [
        {"model": "iid", "p": 0.3},
        {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.6},
    ]
    for system, jobs, rounds in systems_of_sequences():
        rules = ("paper", "peer") if system["family"] == "sr-sgc" else ("paper",)
        for model, rule, then in itertools.product(models, rules, ("all", "never")):
            if system["family"] == "uncoded":
                continue  # has no patience: the next line's case s = 0 waits for all
            told = system | ({"rule": rule} if len(rules) > 1 else {})
            study = {"kind": "sequence", "system": told, "jobs": jobs, "stragglers": model}
            study |= {"times": {"ok": 1.0, "straggle": 5.0}, "patience": {"then": then}}
            study |= {"measure": ["seconds", "waits", "exact"]}
            found = rows(study)
            sums = np.zeros(4)
            for chance, slow in every_matrix(system["n"], rounds, model):
                seconds, waits, done = gone_through(system, jobs, slow, rule, then == "never")
                sums += chance * np.array([seconds, seconds**2, waits, done / jobs])
            name = f"{told} jobs={jobs} {model['model']} {then}"
            yield f"{name}: seconds", found["seconds", "mean"], sums[0]
            yield f"{name}: variance", found["seconds", "variance"], sums[1] - sums[0] ** 2
            yield f"{name}: waits", found["waits", "mean"], sums[2]
            yield f"{name}: exact", found["exact", "mean"], sums[3]


def loads() -> Iterator[Case]:
    """Work of a worker in a round, as a share of a gradient: all tasks of a round are as long."""
    stragglers = {"stragglers": {"model": "iid", "p": 0.1}, "times": {"ok": 1.0, "straggle": 5.0}}
    for n, (burst, window) in itertools.product((2, 5, 16, 256), ((1, 2), (1, 5), (2, 3), (3, 7))):
        for distinct in sorted({1, n // 2, n - 1, n}):
            code = {"n": n, "burst": burst, "window": window, "distinct": distinct}
            # a worker's own chunk is as long as distinct + 1 chunks of a group; a gradient has
            # window - 1 own chunks of each worker, and n chunks of each of the groups
            held = distinct + 1 if distinct < n else 1
            shared = burst if distinct < n else 0
            chunk = Fraction(1, n * ((window - 1) * held + shared))
            load = (window - 1 + burst) * held * chunk
            studies = [({"family": "m-sgc", **code}, load)]
            s = -(-burst * distinct // (window - 1 + burst))
            if (window - 1) % burst == 0 and s < n:
                studies.append(({"family": "sr-sgc", **code}, Fraction(s + 1, n)))
            for system, wanted in studies:
                study = {"kind": "sequence", "system": system, "jobs": 4, "measure": ["load"]}
                found = fastgc.run(study | stragglers, trials=16).rows()
                for value in {row["value"] for row in found if row["statistic"] == "mean"}:
                    yield str(system), value, float(wanted)


# ---- one round


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


SCHEMES = (sequences, loads, partial, block, batches, vector)


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
