"""Decoding errors that fastgc finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastgc.decoding.decoder import Decoder
from fastgc.runs.run import run


def decoding_difference(
    rows: Sequence[Sequence[float]], patterns: Sequence[Sequence[int]], errors: Sequence[float]
) -> float:
    """Largest difference of the errors of some patterns of a matrix from given ones.

    Patterns are lists of survivors; each is decoded on its own, not looked up.
    """
    packed = np.zeros((len(patterns), 1), np.uint64)
    for place, survivors in enumerate(patterns):
        packed[place, 0] = sum(1 << worker for worker in survivors)
    decoder = Decoder(np.asarray(rows, np.float64), use_lookup=False)
    return float(np.max(np.abs(decoder.errors(packed) - np.asarray(errors))))


def worst_error(code: Mapping[str, Any], stragglers: int) -> float:
    """Largest error of a code that fastgc finds with so many stragglers."""
    adversary = {"model": "adversarial", "stragglers": stragglers}
    rows = run({"code": dict(code), "stragglers": adversary, "measure": ["error"]}).rows()
    [value] = [
        row["value"]
        for row in rows
        if row["statistic"] == "maximum" and row["method"] != "closed-form"
    ]
    return float(value)
