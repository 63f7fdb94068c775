"""Stragglers in short bursts: the model that sequential gradient codes are made for.

Krishnan, Ebrahimi, Khisti, *Sequential Gradient Coding for Straggler Mitigation* (ICLR 2023,
arXiv:2211.13802).
"""

from typing import Annotated, Literal

import numpy as np
import pydantic

from fastgc.arrays import Mask, Values
from fastgc.registry import register
from fastgc.stragglers.iid import Probability
from fastgc.stragglers.stragglers import Stragglers


@register("stragglers")
class Bursty(Stragglers):
    """Workers straggle as often as they may: in bursts, and not too many of them at a time.

    In every ``window`` of consecutive iterations at most ``distinct`` workers straggle, each in
    iterations that lie within ``burst`` consecutive ones. A worker would straggle with probability
    ``p`` in each iteration; it does where its burst allows, and of those who begin one as many,
    drawn at random, as the model allows. A trial begins without a past.

    * ``p`` (float): Probability that a worker would straggle, from 0 to 1.
    * ``burst`` (int): Iterations that a burst reaches over, at least 1 and at most ``window``.
    * ``window`` (int): Consecutive iterations that are looked at, at least 1.
    * ``distinct`` (int): Workers that may straggle in these, from 0 to n.

    >>> model = Bursty(p=1.0, burst=1, window=2, distinct=1)
    >>> alive = model.histories(np.array([[[0.5, 0.2]] * 3]), np.empty((1, 2)))
    >>> alive.tolist()
    [[[True, False], [True, True], [True, False]]]
    """

    model: Literal["bursty"] = "bursty"
    p: Probability
    burst: Annotated[int, pydantic.Field(ge=1)]
    window: Annotated[int, pydantic.Field(ge=1)]
    distinct: Annotated[int, pydantic.Field(ge=0)]

    @pydantic.field_validator("window")
    @classmethod
    def _at_least_a_burst(cls, window: int, info: pydantic.ValidationInfo) -> int:
        burst = info.data.get("burst")
        if burst is not None and window < burst:
            raise ValueError(f"must be at least burst (got burst={burst}, window={window})")
        return window

    def complaints(self, n: int) -> list[tuple[str, str]]:
        if self.distinct > n:
            return [("distinct", f"must be at most n={n} (got {self.distinct})")]
        return []

    def histories(self, uniforms: Values, hidden: Values) -> Mask:
        late = uniforms < self.p
        for r in range(late.shape[1]):
            begin = max(0, r - self.window + 1)
            recent = late[:, begin:r].any(axis=1)
            over = late[:, begin : max(begin, r - self.burst + 1)].any(axis=1)
            new = late[:, r] & ~recent
            # the smallest numbers first, which are alike for all who would straggle
            order = np.argsort(np.where(new, uniforms[:, r], 2.0), axis=1, kind="stable")
            room = self.distinct - recent.sum(axis=1)
            places = np.argsort(order, axis=1, kind="stable")
            late[:, r] &= ~over & (recent | (places < room[:, np.newaxis]))
        return ~late


def least_bursty(straggled: Mask, window: int) -> tuple[int, int]:
    """Return the smallest ``burst`` and ``distinct`` for which a recording (rounds, n) is bursty.

    >>> least_bursty(np.array([[1, 0], [1, 0], [0, 0], [0, 1]], bool), window=3)
    (2, 1)
    """
    burst, distinct = 1, 0
    for begin in range(max(1, len(straggled) - window + 1)):
        own = straggled[begin : begin + window]
        some = own.any(axis=0)
        distinct = max(distinct, int(some.sum()))
        if distinct:
            reach = len(own) - own[::-1].argmax(axis=0) - own.argmax(axis=0)
            burst = max(burst, int(np.where(some, reach, 1).max()))
    return burst, distinct


__all__ = ["Bursty", "least_bursty"]
