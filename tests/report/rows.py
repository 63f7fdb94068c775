"""Rows as a run returns them, made here without one."""

from typing import Any


def row(
    value: float | None, error: float | None = 0.0, experiment: str = "a", **more: Any
) -> dict[str, Any]:
    """A mean error at p = 0.1: of 1000 trials where it has a standard error, else exact."""
    low, high = (None, None) if value is None else (value + w * 2 * (error or 0.0) for w in (-1, 1))
    return {
        "experiment": experiment, "point": {"p": 0.1}, "quantity": "error", "statistic": "mean",
        "index": None, "value": value, "standard_error": error, "low": low, "high": high,
        "trials": 1000 if error else None, "method": "monte-carlo" if error else "exact",
        "claim": None, "unit": None,
    } | more  # fmt: skip
