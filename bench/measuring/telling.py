"""What is told of schemes that were run: of all, of real work, of overhead."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import fastgc
from bench.measuring.schemes import study
from fastgc.errors import FastgcError

#: A decoding error with which the gradient must be the whole one.
EXACT = 1e-9
#: What overhead may grow with.
PARAMETERS, WORKERS = (10, 1_000, 100_000, 1_000_000), (2, 4, 8, 16, 32, 64)


def figures(own: dict[str, Any]) -> dict[str, Any]:
    """Run a study; return how far rounds and gradients are from what they should be."""
    found = fastgc.measure(own)
    arrays, off = found.arrays, np.abs(found.measured - found.predicted)
    exact = arrays["decoding_error"] <= EXACT
    return {
        "off_ms": 1e3 * float(np.median(off)),
        "off_percent": 100 * float(np.median(off / found.measured)),
        "late_as_predicted": float((arrays["used"] == arrays["predicted_used"]).all(axis=1).mean()),
        "gradient_error": float(np.sqrt(np.nanmax(arrays["gradient_error"][exact], initial=0.0))),
        "exact_rounds": int(exact.sum()),
        "own_ms": 1e3 * float(np.nanmedian(arrays["own"])),
        "carrying_ms": 1e3 * float(np.median(arrays["over"] - arrays["predicted"])),
        "decoding_ms": 1e3 * float(np.median(arrays["measured"] - arrays["over"])),
        "verdicts": {each["comparison"]: each["verdict"] for each in found.verdicts},
    }


def row(name: str, rounds: int, seed: int) -> dict[str, Any]:
    """Run a scheme; return what is told of it, or the sentence that refuses it."""
    try:
        return {"scheme": name} | figures(study(name, rounds, seed))
    except FastgcError as refusal:
        return {"scheme": name, "refused": str(refusal).splitlines()[0]}


def natural(seed: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Measure real work on four processes."""
    for name in ("uncoded", "groups", "bounded wait"):
        own = study(name, rounds, seed)
        own["measure"]["inject"] = "none"
        own["measure"]["problem"] = {"model": "logistic", "samples": 40_000, "features": 40}
        yield {"what": f"real work, {name}", "of": 4} | figures(own)


def grows(seed: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Measure sleeping workers: longer and longer messages, then more and more workers."""
    sizes = [("parameters", 4, many) for many in PARAMETERS]
    for what, n, features in (*sizes, *(("workers", many, 100) for many in WORKERS)):
        own = study("uncoded", rounds, seed)
        own |= {"system": {"family": "uncoded", "n": n}, "work": float(n)}
        own["measure"]["problem"] = {"model": "linear", "samples": n, "features": features}
        yield {"what": what, "of": features if what == "parameters" else n} | figures(own)
