"""What is told of schemes that were run: of all, of later rounds, of real work, of overhead."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import fastgc
from bench.measuring.lies import ROUNDS, SECONDS
from bench.measuring.schemes import study
from fastgc.errors import FastgcError
from fastgc.results.measurements import Measurement

#: A decoding error with which the gradient must be the whole one.
EXACT = 1e-9
#: What overhead may grow with.
PARAMETERS, WORKERS = (10, 1_000, 100_000, 1_000_000), (2, 4, 8, 16, 32, 64)


def row(name: str, rounds: int, seed: int) -> dict[str, Any]:
    """Run a scheme; return what is told of it, or the sentence that refuses it."""
    head = {"scheme": name}
    try:
        return head | figures(fastgc.measure(study(name, rounds, seed)))
    except FastgcError as refusal:
        return head | {"refused": str(refusal).splitlines()[0]}


def figures(found: Measurement) -> dict[str, Any]:
    """Return how far rounds are from their predictions, gradients from true ones; and verdicts."""
    own = found.arrays
    off = np.abs(found.measured - found.predicted)
    exact = own["decoding_error"] <= EXACT
    return {
        "off_ms": 1e3 * float(np.median(off)),
        "off_percent": 100 * float(np.median(off / found.measured)),
        "late_as_predicted": float((own["used"] == own["predicted_used"]).all(axis=1).mean()),
        "gradient_error": float(np.sqrt(np.nanmax(own["gradient_error"][exact], initial=0.0))),
        "exact_rounds": int(exact.sum()),
        "own_ms": 1e3 * float(np.nanmedian(own["own"])),
        "carrying_ms": 1e3 * float(np.median(own["over"] - own["predicted"])),
        "decoding_ms": 1e3 * float(np.median(own["measured"] - own["over"])),
        "verdicts": {each["comparison"]: each["verdict"] for each in found.verdicts},
    }


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
