"""The schemes that are run, and the study of each."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastgc.registry import register
from fastgc.systems import System

#: Workers that sleep; seconds that a quarter of the work takes at least, and as many more on
#: average.
N, SECONDS = 4, 0.01
PROBLEM = {"model": "logistic", "samples": 96, "features": 8}


@register("system")
class Median(System):
    """A plug-in: any three of four workers do."""

    family: Literal["bench-median"] = "bench-median"
    n: int

    def workers(self) -> int:
        return self.n

    def default_share(self) -> float:
        return 2 / self.n

    def done(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.sort(times, axis=1)[:, self.n - 2])


#: Systems, and codes where they are not those that fit the system's load.
SCHEMES: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "uncoded": ({"family": "uncoded"}, None),
    "groups": ({"family": "gradient-code", "s": 1}, {"family": "frc", "d": 2}),
    "cyclic": ({"family": "gradient-code", "s": 1}, {"family": "cyclic", "d": 2}),
    "cyclic, s = 2": ({"family": "gradient-code", "s": 2}, {"family": "cyclic", "d": 3}),
    "in pieces": ({"family": "gradient-code", "s": 1, "m": 2}, None),
    "patient": ({"family": "gradient-code", "s": 1, "patience": 0.5}, None),
    "replication": ({"family": "replication", "d": 2}, None),
    "k of n": ({"family": "k-of-n", "k": 3}, None),
    "ignore stragglers": ({"family": "ignore-stragglers", "stragglers": 1}, None),
    "bounded wait": ({"family": "bounded-wait", "k": 3}, None),
    "random code": (
        {"family": "bounded-wait", "k": 3},
        {"family": "bernoulli", "k": N, "seed": 1, "density": 0.6},
    ),
    "drop late": ({"family": "drop-late", "deadline": 0.025}, None),
    "spare": ({"family": "spare", "n": N - 1, "b": 1}, None),
    "clones": ({"family": "clones", "n": 2, "r": 2, "after": 0.01}, None),
    "plug-in": ({"family": "bench-median"}, None),
    "hierarchical": ({"family": "hierarchical", "k": [2, 3]}, None),
    "coded reduce": ({"family": "coded-reduce", "n": 2, "layers": 2, "s": 1}, None),
    "leave out": ({"family": "leave-out", "k": 1}, None),
    "balanced": ({"family": "balanced"}, None),
}


def study(name: str, rounds: int, seed: int, seconds: float = SECONDS) -> dict[str, Any]:
    """Return the study of a scheme."""
    system, code = SCHEMES[name]
    coded = {} if code is None else {"code": {"n": N, **code}}
    return {
        "kind": "completion",
        "seed": seed,
        "system": {"n": N, **system},
        "latency": {"distribution": "exponential", "shift": seconds, "mean": seconds},
        "work": float(N),
        "measure": {"rounds": rounds, "problem": PROBLEM, **coded},
    }
