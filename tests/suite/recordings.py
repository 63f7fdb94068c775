"""Tables of times as a recording has them."""

from pathlib import Path
from typing import Any

import numpy as np


def written(times: Any, path: Path) -> Path:
    """Write times (rounds, n) of workers w0, w1, …"""
    lines = [",".join(f"w{j}" for j in range(times.shape[1]))]
    lines += [",".join(map(repr, row)) for row in times.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


def slow_together(rounds: int, n: int) -> Any:
    """Times (rounds, n) of workers who are all slow in some rounds."""
    rng = np.random.default_rng(0)
    busy = np.where(rng.random((rounds, 1)) < 0.3, 2.0, 1.0)
    return rng.gamma(4.0, 0.25, (rounds, n)).round(6) * busy


def replayed(times: Any, path: Path, **keys: Any) -> dict[str, Any]:
    """Write times (rounds, n), and return the law of a study that takes them in order."""
    law = {"distribution": "empirical", "file": str(written(times, path)), "order": "replay"}
    return law | keys


def slowing(rounds: int, path: Path) -> tuple[Any, str]:
    """Times of 5 workers of which one slows down in the middle, and another is always slow."""
    times = np.random.default_rng(5).gamma(4.0, 0.25, (rounds, 5))
    times[:, 3] *= 2.0
    times[rounds // 2 :, 1] *= 3.0
    return times, str(written(times, path))


def shared_by_speed(family: str, means: list[float]) -> list[float]:
    """Shares of workers with these mean times: balanced, or without the two slowest."""
    if family == "balanced":
        speeds = [1 / mean for mean in means]
        return [speed / sum(speeds) for speed in speeds]
    slowest = sorted(range(len(means)), key=lambda j: -means[j])[:2]
    return [0.0 if j in slowest else 1 / 3 for j in range(len(means))]
