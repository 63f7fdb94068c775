"""Rounds with given times, timed by fastgc's systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from fastgc import registry
from fastgc.systems.system import System
from fastgc.systems.timing.completing import Completion, complete

#: Seconds that each worker takes; None for one that never answers.
_Times = Sequence[float | None]


def round_time(
    system: Mapping[str, Any], times: Sequence[_Times], receive: float, opens: str
) -> float:
    """Mean time of rounds in which workers take the given times, (trials, n)."""
    return float(np.mean(_completed(system, times, receive, opens).time))


def round_messages(
    system: Mapping[str, Any], times: Sequence[_Times], receive: float, opens: str
) -> float:
    """Mean number of messages that all ports receive in such rounds."""
    return float(np.mean(_completed(system, times, receive, opens).messages))


def _completed(
    system: Mapping[str, Any], times: Sequence[_Times], receive: float, opens: str
) -> Completion:
    given = [[math.inf if time is None else time for time in row] for row in times]
    return complete(_system(system), np.transpose(given), receive, opens)


def _system(table: Mapping[str, Any]) -> System:
    """The system that a study's table names."""
    given = {key: tuple(x) if isinstance(x, list) else x for key, x in table.items()}
    family = str(given.pop("family"))
    return cast(System, registry.members("system")[family](**given))
