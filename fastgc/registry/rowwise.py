"""What a plug-in computes of one trial must not depend on the trials beside it.

Blocks, shards, threads and a replay ask for the same trial in different company. A method that
draws from a generator of its own, keeps count of its calls or looks at other rows answers them
differently; it is tried on a few trials before it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry import plugins

#: Trials that a method is tried on, and those of the small part.
TRIED = 4096
_PART = 64

Rows = NDArray[Any]


def require(owner: type, method: str, call: Callable[[Rows], Rows], rows: Rows) -> None:
    """Call a plug-in's method on rows of some trials (trials, …) together and in two parts.

    An error is raised if a trial gets something else in the parts. fastgc's own classes are not
    tried.

    Examples
    --------
    >>> class Sums:
    ...     __module__ = "mine"
    >>> require(Sums, "times", np.cumsum, np.ones(128))
    Traceback (most recent call last):
        ...
    fastgc.errors.FastgcError: mine.Sums: times gives a trial something else when it is asked ...
    """
    if plugins.is_own(owner):
        return
    cut = min(_PART, len(rows) // 2)
    parts = [call(part.copy()) for part in (rows[:cut], rows[cut:]) if len(part)]
    whole = call(rows.copy())
    if not np.array_equal(whole, np.concatenate(parts)):
        raise refusal(owner, method)


def refusal(owner: type, method: str) -> FastgcError:
    """Return the error that says what a plug-in's method must be."""
    return FastgcError(
        f"{plugins.path(owner)}: {method} gives a trial something else when it is asked for again "
        "or beside other trials; it must be a function of the trial's own row of its arguments "
        "alone, without a generator of its own"
    )
