"""Which patterns of stragglers are bursty, and which are decoded, by fastgc's own rounds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fastgc.arrays import Mask
from fastgc.experiments.sequence import SequenceExperiment
from fastgc.stragglers.bursty import Bursty
from fastgc.study.study import Study
from fastgc.validation.finite.brute_force import sequences as brute_force


def lost_patterns(system: Mapping[str, Any], jobs: int, model: str) -> int:
    """Count the patterns of a model of which some job is not decoded."""
    fits, decoded = _found(system, jobs, model)
    return int((fits & ~decoded).sum())


def _found(system: Mapping[str, Any], jobs: int, model: str) -> tuple[Mask, Mask]:
    """Whether each pattern is of the model, and whether it is decoded."""
    n = system["n"]
    every = [
        [[worker in late for worker in range(n)] for late in pattern]
        for pattern in brute_force.patterns(system, jobs)
    ]
    late = np.array(every)
    table = {
        "kind": "sequence",
        "system": dict(system),
        "jobs": jobs,
        "stragglers": {"model": "iid", "p": 0.1},
        "times": {"ok": 1.0, "straggle": 9.0},
        "patience": {"then": "never"},
    }
    [point] = Study.parse(table).points()
    own = point.compiled
    assert isinstance(own, SequenceExperiment)
    decoded = (own.play(np.where(late, 9.0, 1.0)).done >= 0).all(axis=0)
    keys = {key: system[key] for key in ("burst", "window", "distinct")}
    draws = np.where(late, 0.25, 0.75)
    if model != "bursty":
        raise ValueError(f"fastgc has no model {model}")
    # none of those who would straggle is kept from it
    drawn = Bursty(p=0.5, **keys).histories(draws, draws[:, 0])
    return np.asarray((drawn == ~late).all(axis=(1, 2))), np.asarray(decoded)
