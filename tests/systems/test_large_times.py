"""Times whose squares are no numbers are refused in a sentence, those below are not."""

from __future__ import annotations

import pytest

import fastgc
from fastgc.errors import FastgcError


def rows(shift: float) -> list[dict]:
    latency = {"distribution": "exponential", "mean": 1.0, "shift": shift}
    system = {"family": "coded-reduce", "n": 4, "layers": 2, "s": 1}
    study = {"kind": "completion", "system": system, "latency": latency, "port": {"receive": 0.1}}
    return fastgc.run(study, trials=64, threads=1).rows()


def test_times_without_squares() -> None:
    with pytest.raises(FastgcError, match="their squares are no numbers; take a larger unit"):
        rows(1e308)
    [mean] = [row for row in rows(1e9) if (row["statistic"], row["method"]) == ("mean", "exact")]
    assert 0 < mean["value"] < float("inf")
