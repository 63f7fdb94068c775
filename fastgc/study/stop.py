"""When a study's sampling stops."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fastgc.registry import Table

_Precision = Annotated[float | None, Field(gt=0, allow_inf_nan=False)]


class Stop(Table):
    """When to stop: whichever comes first.

    Attributes
    ----------
    trials : int
        At most this many for each point of an experiment; 1 000 000 by default.
    seconds : float, optional
        Wall-clock time of a run, more than 0.
    relative_error, absolute_error : float, optional
        95 % half-width of the mean of the first measure, relative to it or in its unit.
    events : int
        Non-zero outcomes without which precision is not judged, 1 or more; 100 by default.
    """

    trials: Annotated[int, Field(ge=1, le=10**18)] = 1_000_000
    seconds: _Precision = None
    relative_error: _Precision = None
    absolute_error: _Precision = None
    events: Annotated[int, Field(ge=1)] = 100
