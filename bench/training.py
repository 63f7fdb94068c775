"""Contests in training: 1000 runs of 300 iterations, draws and tallies of whole curves included.

The problem is that of Fig. 2 (a) of paper ``agc`` and, for logistic regression, of Fig. 2 (b):
frc with 8 workers, two partitions each, whose slow workers stay slow for a run. The peer is a
script in NumPy alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.contests import FASTGC, SEED, Contest, Floats, Peer, sampled, unit_of
from bench.timing import Contestant
from fastgc.draws.streams import WORD
from fastgc.training.data import bounds

Survivors = NDArray[np.bool_]

ITERATIONS = 300
RUNS = 1000
SCRIPTED = 10  # runs, some 0.1 s
STEP = 0.1
TOLERANCE = 1e-9
CODE = {"family": "frc", "n": 8, "d": 2}
LAW = {"p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.01}


def descent(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return the experiment of coded descent on a problem."""
    return {
        "kind": "training",
        "problem": problem,
        "code": CODE,
        "stragglers": {"model": "two-class", **LAW},
        "optimizer": {"method": "gradient-descent", "step": STEP},
        "iterations": ITERATIONS,
    }


@dataclass(frozen=True)
class Script:
    """Linear or logistic regression by descent with coded gradients, as a researcher writes it."""

    X: Floats
    y: Floats
    B: Floats
    logistic: bool

    def losses(self, alive: Survivors) -> Floats:
        """One run (L, n): each worker's gradient, then decoding; losses (L + 1,)."""
        cuts = bounds(len(self.y), len(self.B))
        held = [
            np.concatenate([np.arange(cuts[i], cuts[i + 1]) for i in np.flatnonzero(column)])
            for column in self.B.T
        ]
        data = [(self.X[rows], self.y[rows]) for rows in held]
        theta = np.zeros(self.X.shape[1])
        losses = [self._loss(theta)]
        ones = np.ones(len(self.B))
        for survivors in alive:
            workers = np.flatnonzero(survivors)
            answers = [self._gradient(*data[j], theta) for j in workers]
            x = np.linalg.lstsq(self.B[:, workers], ones, rcond=None)[0]
            total = sum((w * g for w, g in zip(x, answers, strict=True)), np.zeros(theta.size))
            theta = theta - STEP / len(self.y) * total
            losses.append(self._loss(theta))
        return np.array(losses)

    def _gradient(self, X: Floats, y: Floats, theta: Floats) -> Floats:
        if self.logistic:
            return np.asarray(X.T @ (-y / (1.0 + np.exp(y * (X @ theta)))))
        return np.asarray(X.T @ (X @ theta - y))

    def _loss(self, theta: Floats) -> float:
        if self.logistic:
            return float(np.logaddexp(0.0, -self.y * (self.X @ theta)).mean())
        return 0.5 * float(((self.X @ theta - self.y) ** 2).mean())


def contest(name: str, model: str, samples: int, features: int, size: float) -> Contest:
    """Descent on made-up data; looked at is the mean of the last loss."""
    unit = unit_of(**descent({"model": model, "samples": samples, "features": features}))
    table: Any = unit.points[0].table
    data, code = table.problem.load(), table.code.build()
    script = Script(data.X, data.y, code.B, model == "logistic")
    rng = np.random.default_rng(SEED)
    trials = max(WORD, min(unit.block, int(RUNS * size)))
    blocks = range(max(1, round(RUNS * size / trials)))

    def run() -> Floats:
        slow = rng.random((SCRIPTED, code.n)) < LAW["p_slow"]
        late = np.where(slow, LAW["p_straggle_slow"], LAW["p_straggle_active"])
        alive = rng.random((ITERATIONS, *late.shape)) >= late
        return np.array([script.losses(alive[:, run])[-1] for run in range(SCRIPTED)])

    def given() -> tuple[Survivors, Floats]:
        found = unit.compiled[0].replay(SEED, "bench", 0)
        alive = np.ones((ITERATIONS, code.n), bool)
        for iteration, entry in enumerate(found[:-1]):
            alive[iteration, entry["stragglers"]] = False
        return alive, np.array([entry["loss"] for entry in found])

    own = Contestant(
        FASTGC, lambda: sampled(unit, blocks, trials, "loss", ITERATIONS), trials * len(blocks)
    )
    return Contest(name, own, {"script": Peer(run, SCRIPTED, script.losses)}, given, TOLERANCE)
