"""Every measure and every kind of experiment where nothing is compiled: the same numbers."""

import json
import sys
from typing import Any

import pytest

from conftest import environment, ran
from fastgc.experiments.decoding.measures import MEASURES

pytestmark = pytest.mark.night

FRC = {"family": "frc", "n": 8, "d": 2}
#: Random, graphs, designs, classes, components, any matrix; first what cannot be stable.
CODES: list[dict[str, Any]] = [
    {"family": "cyclic-mds", "n": 8, "d": 3, "field": "complex"},
    {"family": "ye-abbe", "n": 6, "s": 2, "m": 2},
    {"family": "cyclic-mds", "n": 9, "d": 3},
    {"family": "binary", "n": 11, "s": 3},
    FRC,
    {"family": "circulant", "n": 9, "d": 3},
    {"family": "graph", "name": "complete", "vertices": 4},
    {"family": "bibd", "name": "fano"},
    {"family": "matrix", "rows": [[1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 0.5, 3.0]]},
]
#: Of more workers than errors are looked up of.
LARGE = {"family": "sparse-regular", "n": 20, "d": 2}
EVERY = MEASURES.keys()
MARKOV = {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.6}
LATENCY = {"distribution": "exponential", "mean": 1.0, "shift": 0.5}
DESCENT = {
    "problem": {"model": "linear", "samples": 24, "features": 3},
    "optimizer": {"method": "gradient-descent", "step": 0.1},
    "iterations": 3,
}
SYSTEMS: list[dict[str, Any]] = [
    {"family": "gradient-code", "n": 5, "s": 1},
    {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1},
    {"family": "hierarchical", "n": 4, "k": [3, 2]},
    {"family": "replication", "n": 6, "d": 2},
    {"family": "partial", "n": 4, "d": 2},
    {"family": "clones", "n": 4, "r": 2, "after": 1.0},
    {"family": "local-sgd", "n": 4, "period": 2},
]
STUDIES = [
    {"code": LARGE, "stragglers": 0.2, "measure": ["norm", "amplification"]},
    *(
        {"code": code, "stragglers": 0.2, "measure": sorted(EVERY - left_out), "method": method}
        for place, code in enumerate(CODES)
        for method, left_out in (
            ("exact", {"stability"}),
            ("monte-carlo", {"stability"} if place < 2 else set()),
        )
    ),
    {"code": FRC, "stragglers": MARKOV, "iterations": 4}
    | {"measure": ["error", "mean_error", "error_lag", "not_accessed"]},
    *(
        {"system": system, "latency": LATENCY, "measure": ["time", "load"], "method": "monte-carlo"}
        for system in SYSTEMS
    ),
    DESCENT | {"code": FRC, "stragglers": 0.2, "measure": ["loss", "gradient_error"]},
    DESCENT
    | {"code": FRC, "system": {"family": "replication", "n": 8, "d": 2}}
    | {"latency": LATENCY, "measure": ["loss", "time"]},
]
SCRIPT = """
import json, sys
import fastgc
for study in json.load(sys.stdin):
    print(json.dumps(fastgc.run(study, trials=8).rows()))
"""


def rows(**surroundings: str) -> list[str]:
    """The rows of all studies, by a process of its own."""
    own = environment(**surroundings)
    done = ran(sys.executable, "-W", "error", "-c", SCRIPT, input=json.dumps(STUDIES), env=own)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_everything_runs_uncompiled_and_finds_the_same() -> None:
    found = rows(NUMBA_DISABLE_JIT="1")
    assert len(found) == len(STUDIES)
    for study, ours, theirs in zip(STUDIES, found, rows(), strict=True):
        assert ours == theirs, study
