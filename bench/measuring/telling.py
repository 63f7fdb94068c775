"""What is told of a scheme that was run."""

from typing import Any

import numpy as np

import fastgc
from bench.measuring.schemes import study
from fastgc.errors import FastgcError
from fastgc.results.measurements import Measurement

#: A decoding error with which the gradient must be the whole one.
EXACT = 1e-9


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
