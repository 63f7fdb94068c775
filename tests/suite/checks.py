"""What tests compare with: numbers by their digits alone, and conditions that exist."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from numbers import Number
from typing import Any

import numpy as np
import pytest

from fastgc.errors import FastgcError, StudyError

#: Below this an expected number has to say how far from it is near enough.
SMALL = 1e-3


def refuse_bare_approx() -> None:
    """Fail every comparison of a small number with a ``pytest.approx`` that says no ``abs``."""
    approx: Any = type(pytest.approx(1.0))
    compare = approx.__eq__
    if hasattr(compare, "refuses"):  # a conftest may be read twice
        return

    def refusing(self: Any, actual: object) -> bool:
        if (
            self.abs is None
            and isinstance(self.expected, Number)
            and 0 < abs(self.expected) < SMALL
        ):
            pytest.fail(
                f"pytest.approx({self.expected!r}) accepts all within 1e-12 of it: "
                "compare with suite.checks.close, or say abs="
            )
        return bool(compare(self, actual))

    refusing.refuses = True  # type: ignore[attr-defined]
    approx.__eq__ = refusing


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


def refusal(attempt: Callable[..., object], *arguments: Any, **named: Any) -> str:
    """The sentence, on one line, with which fastgc refuses a call."""
    with pytest.raises(FastgcError) as caught:
        attempt(*arguments, **named)
    text = str(caught.value)
    assert "\n" not in text
    return text


def complaints(attempt: Callable[..., object], *arguments: Any, **named: Any) -> list[str]:
    """The lines, one for every mistake, with which fastgc refuses a study."""
    with pytest.raises(StudyError) as caught:
        attempt(*arguments, **named)
    assert str(caught.value).split("\n") == caught.value.complaints
    return caught.value.complaints


def patterns(n: int, p: float) -> Iterator[tuple[float, Any]]:
    """Every set of survivors of n independent workers, with its probability."""
    for alive in itertools.product([0, 1], repeat=n):
        live = np.flatnonzero(alive)
        yield (1 - p) ** len(live) * p ** (n - len(live)), live


def agree(rows: Iterable[dict[str, Any]], truth: float, rel: float = 1e-6) -> None:
    """Hold the exact and the sampled mean of one quantity against the truth."""
    means = [row for row in rows if row["statistic"] == "mean"]
    exact, sampled = sorted(means, key=lambda row: str(row["method"]))
    assert (exact["method"], sampled["method"]) == ("exact", "monte-carlo")
    assert exact["value"] == close(truth, rel)
    assert abs(sampled["value"] - truth) < 5 * sampled["standard_error"]


def a_third_by_day(cases: Iterable[Any]) -> list[Any]:
    """The parameters of many like tests, of which every third is of the day."""
    many = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=pytest.mark.night if place % 3 else ())
        for place, case in enumerate(many)
    ]
