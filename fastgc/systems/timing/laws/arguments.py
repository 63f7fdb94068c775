"""Checking the arguments of `distribution`, and sorting workers into classes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fastgc.errors import FastgcError
from fastgc.latency.time import Time
from fastgc.systems.timing.laws import nature
from fastgc.systems.timing.laws.evaluation import Worker
from fastgc.systems.timing.structure import Flat, Layers, Own, Structure, Tree


def classes_of(
    structure: Structure, times: Sequence[Time], answers: Sequence[float] | float
) -> tuple[list[Worker], list[int]]:
    """Return the classes of equal workers, and the number of each worker's class."""
    n = structure.workers
    chances = np.asarray(answers, float)
    if chances.shape not in ((), (1,), (n,)):
        raise FastgcError(
            f"answers: must be one probability or one per worker (got {chances.size} for n={n})"
        )
    if not np.all((chances >= 0) & (chances <= 1)):
        raise FastgcError(
            f"answers: must be probabilities from 0 to 1 (got {float(chances.flat[0])!r})"
            if chances.size == 1
            else "answers: must be probabilities from 0 to 1, one per worker"
        )
    each = list(times) * n if len(times) == 1 else list(times)
    number: dict[tuple[object, float], int] = {}
    keys = {id(time): nature.key(time) for time in {id(time): time for time in each}.values()}
    classes = [
        number.setdefault((keys[id(time)], float(chance)), len(number))
        for time, chance in zip(each, np.broadcast_to(chances, (n,)).tolist(), strict=True)
    ]
    first = {c: j for j, c in reversed(list(enumerate(classes)))}
    chance = np.broadcast_to(chances, (n,))
    return [Worker(each[first[c]], float(chance[first[c]])) for c in range(len(number))], classes


def check(structure: Structure, times: Sequence[Time], receive: float, opens: str) -> None:
    """Raise an error if an argument makes no sense."""
    n = structure.workers
    if isinstance(structure, Own):
        raise FastgcError("a system that says itself when it is done has no law that is known")
    if len(times) not in (1, n):
        raise FastgcError(f"times: must be one law or one per worker (got {len(times)} for n={n})")
    if not 0 <= receive < math.inf:
        raise FastgcError(f"receive: must be a number of seconds ≥ 0 (got {receive!r})")
    if opens not in ("start", "after-own"):
        raise FastgcError(f'opens: must be "start" or "after-own" (got {opens!r})')
    if isinstance(structure, Flat) and not 0 <= structure.need <= n:
        raise FastgcError(f"need: must be from 0 to n={n} (got {structure.need})")
    if isinstance(structure, Layers) and not all(0 <= k <= n for k in structure.k):
        raise FastgcError(f"k: must be from 0 to n={n} in every layer (got {structure.k})")
    if isinstance(structure, Tree):
        counts = np.bincount(structure.parents, minlength=n + 1)
        if np.any(np.asarray(structure.need) > counts):
            node = int(np.argmax(np.asarray(structure.need) > counts))
            raise FastgcError(
                f"need: node {node} waits for {structure.need[node]} answers of "
                f"{counts[node]} children"
            )
