"""Contests in training: 1000 runs of 300 iterations, draws and tallies of whole curves included.

The problem is that of Fig. 2 (a) of paper ``agc`` and, for logistic regression, of Fig. 2 (b):
frc with 8 workers, two partitions each, whose slow workers stay slow for a run.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bench import training_peers as peers
from bench.contests import FASTGC, SEED, Contest, moments, sampled, unit_of
from bench.timing import Contestant
from bench.training_peers import Values
from fastgc.draws.streams import WORD
from fastgc.engine.units import Unit

ITERATIONS = 300
RUNS = 1000
SCRIPT = "script"
SCRIPTED = 10  # runs, some 0.1 s
TOLERANCE = 1e-9
CODE = {"family": "frc", "n": 8, "d": 2}
STRAGGLERS = {
    "model": "two-class",
    "p_slow": 0.3,
    "p_straggle_slow": 0.8,
    "p_straggle_active": 0.01,
}


def _own(unit: Unit, size: float) -> Contestant:
    """fastgc on whole blocks of a study; looked at is the mean of the last loss."""
    trials = max(WORD, min(unit.block, int(RUNS * size)))
    blocks = range(max(1, round(RUNS * size / trials)))
    return Contestant(
        FASTGC, lambda: sampled(unit, blocks, trials, "loss", ITERATIONS), trials * len(blocks)
    )


def descent(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return the experiment of coded descent on a problem."""
    return {
        "kind": "training",
        "problem": problem,
        "code": CODE,
        "stragglers": STRAGGLERS,
        "optimizer": {"method": "gradient-descent", "step": 0.1},
        "iterations": ITERATIONS,
    }


def _descent(name: str, model: str, samples: int, features: int, size: float) -> Contest:
    unit = unit_of(**descent({"model": model, "samples": samples, "features": features}))
    table: Any = unit.points[0].table
    data, code = table.problem.load(), table.code.build()
    peer = peers.Coded(data.X, data.y, code.B, 0.1, ITERATIONS, model == "logistic")
    rng = np.random.default_rng(SEED)

    def script(runs: int) -> Values:
        alive = peer.draw(rng, runs)
        return np.array([peer.script(alive[:, run])[-1] for run in range(runs)])

    def same() -> Mapping[str, float]:
        found = unit.compiled[0].replay(SEED, "bench", 0)
        own = np.array([entry["loss"] for entry in found])
        alive = np.ones((ITERATIONS, code.n), bool)
        for iteration, entry in enumerate(found[:-1]):
            alive[iteration, entry["stragglers"]] = False
        return {SCRIPT: float(np.abs(peer.script(alive) - own).max())}

    return Contest(
        name,
        [_own(unit, size), Contestant(SCRIPT, lambda: script(SCRIPTED), SCRIPTED)],
        moments,
        same,
        TOLERANCE,
    )


def linear(size: float) -> Contest:
    """Linear regression, 506 × 13 as Boston's."""
    return _descent("descent-linear", "linear", 506, 13, size)


def logistic(size: float) -> Contest:
    """Logistic regression, 442 × 10 as diabetes."""
    return _descent("descent-logistic", "logistic", 442, 10, size)
