"""What rounds say of those after them; real work in place of sleep; what overhead grows with."""

from collections.abc import Iterator
from typing import Any

import fastgc
from bench.measuring.lies import ROUNDS, SECONDS
from bench.measuring.schemes import study
from bench.measuring.telling import figures

PARAMETERS, WORKERS = (10, 1_000, 100_000, 1_000_000), (2, 4, 8, 16, 32, 64)


def coverage(many: int, seed: int) -> Iterator[dict[str, Any]]:
    """Measure so often; yield the mean of later rounds, and its interval from rounds before."""
    for place in range(many):
        law = fastgc.measure(study("groups", ROUNDS, seed + 1000 + place, SECONDS)).verdicts[1]
        yield law["facts"]["mean_round"]


def natural(seed: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Measure real work on four processes."""
    work = {"model": "logistic", "samples": 40_000, "features": 40}
    for name in ("uncoded", "groups", "bounded wait"):
        own = study(name, rounds, seed)
        own["measure"] |= {"inject": "none", "problem": work}
        yield {"what": f"real work, {name}", "of": 4} | figures(fastgc.measure(own))


def grows(seed: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Measure sleeping workers: longer and longer messages, then more and more workers."""
    sizes = [("parameters", 4, many) for many in PARAMETERS]
    for what, n, features in (*sizes, *(("workers", many, 100) for many in WORKERS)):
        own = study("uncoded", rounds, seed)
        own |= {"system": {"family": "uncoded", "n": n}, "work": float(n)}
        own["measure"]["problem"] = {"model": "linear", "samples": n, "features": features}
        of = features if what == "parameters" else n
        yield {"what": what, "of": of} | figures(fastgc.measure(own))
