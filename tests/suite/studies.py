"""Experiments that many tests are about: one code, stragglers that know nothing of each other."""

from typing import Any


def ring(n: int = 5, p: float = 0.2, **changes: Any) -> dict[str, Any]:
    """Sampled patterns of a circulant code."""
    return _sampled("ring", "circulant", n, p) | changes


def groups(n: int = 6, p: float = 0.2, **changes: Any) -> dict[str, Any]:
    """Sampled patterns of fractional repetition."""
    return _sampled("groups", "frc", n, p) | changes


def race(**changes: Any) -> dict[str, Any]:
    """Sampled times of a gradient code that waits for three of four workers."""
    system, latency = {"family": "gradient-code", "n": 4, "s": 1}, {"distribution": "exponential"}
    table = {"name": "time", "kind": "completion", "system": system, "method": "monte-carlo"}
    return table | {"latency": latency | {"mean": 1.0}} | changes


def descent(n: int, samples: int, features: int, iterations: int) -> dict[str, Any]:
    """Linear regression by fractional repetition, with stragglers in every iteration."""
    data = {"model": "linear", "data": "synthetic", "noise": 1.0}
    return {
        "name": "descent",
        "kind": "training",
        "problem": data | {"samples": samples, "features": features},
        "code": {"family": "frc", "n": n, "d": 2},
        "stragglers": {"model": "iid", "p": 0.2},
        "optimizer": {"method": "gradient-descent", "step": 0.1},
        "iterations": iterations,
    }


def _sampled(name: str, family: str, n: int, p: float) -> dict[str, Any]:
    code, stragglers = {"family": family, "n": n, "d": 2}, {"model": "iid", "p": p}
    return {"name": name, "code": code, "stragglers": stragglers, "method": "monte-carlo"}
