"""What rounds say of those after them; real work in place of sleep; what overhead grows with."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastgc
from bench import made_up
from bench.measuring.carriers import figures
from bench.measuring.lies import ROUNDS, SECONDS
from bench.measuring.schemes import study
from fastgc.measuring.laws import foreseen

Values = NDArray[np.float64]

#: Shares of intervals that are to hold; rounds of those that are made up.
WANTED, LENGTHS = (0.9, 0.99), (40, 100, 300)
PARAMETERS, WORKERS = (10, 1_000, 100_000, 1_000_000), (2, 4, 8, 16, 32, 64)


def coverage(many: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield whether the interval of the mean round, from rounds before, holds that of those after.

    Of so many measurements; and of twice as many made-up recordings of each kind that stays as it
    is, of whose workers all are waited for.
    """

    def row(kind: str, rounds: int, found: Any) -> dict[str, Any]:
        held = found is not None and found["low"] <= found["after"] <= found["high"]
        return {"kind": kind, "rounds": rounds, "holds": held, "interval": found}

    for place in range(many):
        own = study("groups", ROUNDS, seed + 1000 + place, SECONDS)
        law = fastgc.measure(own).verdicts[1]
        yield row("measured", ROUNDS, law["facts"].get("mean_round"))
    for place, kind in enumerate(made_up.STEADY):
        for rounds in LENGTHS:
            for number in range(2 * many):
                rng = np.random.default_rng([seed, place, rounds, number])
                over = made_up.SOUND[kind](rng, rounds, 8).max(axis=1)
                yield row(kind, rounds, foreseen(over))


def natural(seed: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Measure real work on four processes."""
    for name in ("uncoded", "groups", "bounded wait"):
        own = study(name, rounds, seed)
        own["measure"] |= {
            "inject": "none",
            "problem": {"model": "logistic", "samples": 40_000, "features": 40},
        }
        yield {"what": f"real work, {name}", "of": 4} | figures(fastgc.measure(own))


def sleeping(parameters: Values, seconds: float) -> Values:
    """A gradient that takes so many seconds and nobody's core."""
    time.sleep(seconds)
    return np.ones_like(parameters)


def grows(_: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Measure sleeping workers: longer and longer messages, then more and more workers."""
    sizes = [("parameters", 4, many) for many in PARAMETERS]
    for what, workers, parameters in (*sizes, *(("workers", many, 100) for many in WORKERS)):
        found = fastgc.measure(
            gradient=sleeping,
            parameters=np.zeros(parameters),
            partitions=[0.02] * workers,
            code=fastgc.codes.uncoded(n=workers),
            rounds=rounds,
        )
        of = parameters if what == "parameters" else workers
        yield {"what": what, "of": of} | figures(found)
