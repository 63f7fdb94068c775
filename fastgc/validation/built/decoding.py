"""Decoding errors that fastgc finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import worst_case
from fastgc.registry import members
from fastgc.registry.complaints import check

MOST_SETS = 3_000_000  # looked at; beyond, claims are about what searches find


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
    """Largest error of a code that fastgc finds with so many stragglers, without formulas."""
    family, _ = check(members("code")[code["family"]], dict(code))
    assert family is not None
    built = family.build()  # type: ignore[attr-defined]
    found = worst_case(Decoder(built), built, stragglers, most=MOST_SETS, use_formulas=False)
    return found.error
