"""What tests compare with: numbers by their digits alone, and conditions that exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def close(expected: Any, rel: float = 1e-6) -> Any:
    """Numbers that differ by a share of the expected ones at most, however small these are.

    ``pytest.approx`` without ``abs`` also accepts all within 1e-12, and so 0 for 1e-13.
    """
    return pytest.approx(expected, rel=rel, abs=0)


def every(conditions: Iterable[object]) -> bool:
    """Whether all conditions hold; that there are none is a failure."""
    found = list(conditions)
    if not found:
        pytest.fail("nothing was looked at: there are no conditions that could fail")
    return all(found)
