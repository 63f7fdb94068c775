"""Communication-adaptive distributed Adam."""

from __future__ import annotations

from typing import Literal

from fastgc.registry import register
from fastgc.training.selections.adaptive import Adaptive


@register("selection")
class Cada(Adaptive):
    """CADA, the server choosing the workers: Section III of paper ``gcada``.

    Every worker has data of its own; the selected ones download the parameters, compute and upload
    a gradient, and the slowest of them is waited for. The parameters are those of `Adaptive`.

    Examples
    --------
    >>> Cada(workers=12, c=2.0, batch=100).window
    10
    """

    method: Literal["cada"] = "cada"
