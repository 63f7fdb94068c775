"""Codes over several rounds: which patterns of stragglers are bursty, and which are decoded.

A pattern is a tuple of sets, the stragglers of each round. Patterns in which a round has no answer
at all are left out: a master does not tell them from rounds that were slow.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Pattern = Sequence[frozenset[int]]
Decodes = Callable[[Mapping[str, Any], int, Pattern], bool]


def lost_patterns(system: Mapping[str, Any], jobs: int, model: str) -> int:
    """Count the patterns of a model of which some job is not decoded."""
    return sum(
        _conforms(system, model, pattern) and not decodes(system, jobs, pattern)
        for pattern in patterns(system, jobs)
    )


def patterns(system: Mapping[str, Any], jobs: int) -> Iterator[Pattern]:
    """Yield all patterns of the rounds of so many jobs."""
    n = int(system["n"])
    late = [frozenset(own) for m in range(n) for own in itertools.combinations(range(n), m)]
    yield from itertools.product(late, repeat=jobs + _delay(system))


def _delay(system: Mapping[str, Any]) -> int:
    repeating = system["family"] == "sr-sgc"
    return int(system["burst"] if repeating else system["window"] - 2 + system["burst"])


def _conforms(system: Mapping[str, Any], model: str, pattern: Pattern) -> bool:
    """Whether a pattern is "bursty", or "mixed": in every window that, or few a round."""
    window, burst, distinct = system["window"], system["burst"], system["distinct"]
    few = _tolerance(system) if model == "mixed" else -1
    for begin in range(max(1, len(pattern) - window + 1)):
        own = pattern[begin : begin + window]
        if all(len(late) <= few for late in own):
            continue
        some = frozenset[int]().union(*own)
        for worker in some:
            when = [r for r, late in enumerate(own) if worker in late]
            if when[-1] - when[0] >= burst:
                return False
        if len(some) > distinct:
            return False
    return True


def _tolerance(system: Mapping[str, Any]) -> int:
    """The smallest whole number that is not below burst·distinct/(window − 1 + burst)."""
    return next(
        s
        for s in range(int(system["n"]) + 1)
        if s * (system["window"] - 1 + system["burst"]) >= system["burst"] * system["distinct"]
    )


def decodes(system: Mapping[str, Any], jobs: int, pattern: Pattern) -> bool:
    """Whether all jobs are decoded, each by the end of its last round."""
    run = _repeating if system["family"] == "sr-sgc" else _multiplexed
    return run(system, jobs, pattern)


def _repeating(system: Mapping[str, Any], jobs: int, pattern: Pattern) -> bool:
    n, burst, need = system["n"], system["burst"], system["n"] - _tolerance(system)
    results: list[set[int]] = [set() for _ in range(jobs)]
    for r, late in enumerate(pattern):
        earlier, again = r - burst, set[int]()
        if 0 <= earlier < jobs:
            owing = [worker for worker in range(n) if worker not in results[earlier]]
            again = set(owing[: max(0, need - n + len(owing))])
            results[earlier] |= again - late
            if len(results[earlier]) < need:
                return False
        if r < jobs:
            results[r] |= set(range(n)) - again - late
    return True


def _multiplexed(system: Mapping[str, Any], jobs: int, pattern: Pattern) -> bool:
    chunks, groups = system["window"] - 1, system["burst"]
    for job in range(jobs):
        own = dict.fromkeys(range(system["n"]), chunks)  # chunks that a worker still owes
        coded = [0] * groups
        for slot in range(chunks + groups):
            for worker in set(own) - pattern[job + slot]:
                if own[worker]:
                    own[worker] -= 1
                else:
                    coded[slot - chunks] += 1
        if any(own.values()) or min(coded) < system["n"] - system["distinct"]:
            return False
    return True
