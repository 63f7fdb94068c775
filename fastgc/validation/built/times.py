"""What fastgc makes of times: exact laws of its systems, and the ports that it follows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc import systems
from fastgc.latency import Exponential
from fastgc.systems import CodedReduce
from fastgc.systems.timing.completing import complete
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.structure import Structure


def mean_time(system: Mapping[str, Any], receive: float = 0.0, opens: str = "start") -> float:
    """Mean time of a system whose workers' whole tasks take 1 plus an exponential time of mean 1.

    From fastgc's exact law.
    """
    return _mean(structure_of(system), receive, opens)


def port_delay(system: Mapping[str, Any], receive: float) -> float:
    """Return by how much ports delay a system on average."""
    structure = structure_of(system)
    return _mean(structure, receive, "start") - _mean(structure, 0.0, "start")


def messages_received(
    system: Mapping[str, Any], answering: int, seed: int, receive: float = 0.0
) -> float:
    """Count the messages of a round in which so many workers, drawn at random, ever answer."""
    structure = structure_of(system)
    draw = np.random.default_rng(seed)
    times = np.full(structure.workers, np.inf)
    times[draw.permutation(structure.workers)[:answering]] = draw.exponential(size=answering)
    return float(complete(structure, times, receive).messages)


def least_path(
    n: int, layers: int, s: int, receive: float, shift: float, paths: int, seed: int
) -> float:
    """Return the shortest time of a coded tree on so many random paths."""
    tree = CodedReduce(n=n, layers=layers, s=s)
    return float(np.min(complete(tree, _times(tree, shift, paths, seed), receive).time))


def longest_path_delay(
    n: int, layers: int, s: int, receive: float, shift: float, paths: int, seed: int
) -> float:
    """Return by how much ports delay a coded tree most, on so many random paths."""
    tree = CodedReduce(n=n, layers=layers, s=s)
    times = _times(tree, shift, paths, seed)
    late = np.asarray(complete(tree, times, receive).time) - complete(tree, times).time
    return float(np.max(late))


def structure_of(system: Mapping[str, Any]) -> Structure:
    """The structure that fastgc builds of a table, as in a study."""
    arguments = dict(system)
    family = arguments.pop("family").replace("-", "_")
    # the tree alone, without a code for its data
    maker = CodedReduce if family == "coded_reduce" else getattr(systems, family)
    structure: Structure = maker(**arguments).structure()
    return structure


def _times(tree: CodedReduce, shift: float, paths: int, seed: int) -> NDArray[np.float64]:
    draw = np.random.default_rng(seed)
    return shift + draw.exponential(size=(tree.workers(), paths))


@cache
def _mean(structure: Structure, receive: float, opens: str) -> float:
    return distribution(structure, [Exponential(mean=1.0, shift=1.0).time()], receive, opens).mean()
