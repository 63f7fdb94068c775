"""Everybody in every iteration."""

from __future__ import annotations

from typing import Literal

from fastgc.registry import register
from fastgc.training.selections.selection import Selection


@register("selection")
class All(Selection):
    """Every worker computes a gradient in every iteration, and the slowest is waited for.

    With the optimizer ``gradient-descent`` this is distributed SGD, with ``adam`` or ``amsgrad``
    distributed Adam, of which paper ``gcada`` leaves open which it is. The parameters are those of
    `Selection`.

    Examples
    --------
    >>> All(workers=12, batch=100).parts
    12
    """

    method: Literal["all"] = "all"
