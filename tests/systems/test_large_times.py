"""Times whose squares are no numbers are refused in a sentence, those below are not."""

from __future__ import annotations

import pytest

import fastgc
from fastgc.errors import FastgcError


def rows(unit: float) -> list[dict]:
    latency = {"distribution": "exponential", "mean": unit, "shift": unit}
    system = {"family": "coded-reduce", "n": 2, "layers": 2, "s": 1}
    port = {"receive": 0.1 * unit}
    study = {"kind": "completion", "system": system, "latency": latency, "port": port}
    return fastgc.run(study, trials=64, threads=1).rows()


def test_times_without_squares() -> None:
    with pytest.raises(FastgcError, match="their squares are no numbers; take a larger unit"):
        rows(1e308)
    [one, large] = (
        row["value"]
        for unit in (1.0, 1e100)
        for row in rows(unit)
        if (row["statistic"], row["method"]) == ("mean", "exact")
    )
    assert large == pytest.approx(1e100 * one, rel=1e-9)
