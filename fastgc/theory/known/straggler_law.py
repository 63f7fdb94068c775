"""Which laws of the number of survivors the closed forms know, read from a straggler table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.common.combinatorics import binomial_probabilities
from fastgc.theory.common.two_class import straggle_probability, survivors_given_slow


@dataclass(frozen=True)
class Law:
    """P_0 … P_n, all patterns of r survivors being alike in one iteration.

    ``p`` where workers are independent in one iteration; ``persistent`` where the classes last for
    a trial: ``two_class`` holds the arguments of the variance, p_slow or the number slow first.
    """

    survivors: NDArray[np.float64]
    p: float | None = None
    persistent: bool = False
    two_class: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def possible(self) -> list[int]:
        """Numbers of survivors that can be."""
        return np.flatnonzero(self.survivors > 0.0).tolist()

    @property
    def simple(self) -> bool:
        """Whether formulas given p or a number of survivors hold as they are."""
        return self.p is not None or len(self.possible) == 1

    def mean(self, given: Callable[..., float]) -> float:
        """Mean of what a formula gives for ``p=q``, or else for ``survivors=r`` of every r."""
        if self.p is not None:
            return given(p=self.p)
        return math.fsum(self.survivors[r] * given(survivors=r) for r in self.possible)


def law_of(n: int, table: Mapping[str, Any]) -> Law | None:
    """Law of iid stragglers with one p, uniform, two-class with one p_slow or so many slow.

    >>> law_of(2, {"model": "iid", "p": 0.5}).survivors
    array([0.25, 0.5 , 0.25])
    """
    model = table.get("model")
    if model == "iid" and is_probability(table.get("p")):
        return Law(binomial_probabilities(n, 1.0 - table["p"]), p=table["p"])
    if model == "uniform" and isinstance(table.get("stragglers"), int):
        if not 0 <= table["stragglers"] <= n:
            return None
        certain = np.zeros(n + 1)
        certain[n - table["stragglers"]] = 1.0
        return Law(certain)
    if model == "two-class":
        straggle = (table.get("p_straggle_slow"), table.get("p_straggle_active"))
        if not all(map(is_probability, straggle)):
            return None
        ss, active = table["p_straggle_slow"], table["p_straggle_active"]
        if is_probability(table.get("p_slow")):
            q = float(straggle_probability(table["p_slow"], ss, active))
            two_class = (table["p_slow"], ss, active)
            return Law(binomial_probabilities(n, 1.0 - q), q, True, two_class)
        slow = table.get("slow")
        if isinstance(slow, int) and not isinstance(slow, bool) and 0 <= slow <= n:
            return Law(survivors_given_slow(n, slow, ss, active), None, True, (slow, ss, active))
    return None


def is_probability(value: Any) -> bool:
    """Whether a value of a table is one probability."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
