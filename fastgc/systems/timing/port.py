"""How masters and parents receive: their port."""

from typing import Literal

import numpy as np

from fastgc.arrays import Values
from fastgc.latency.law import NotNegative
from fastgc.registry import Table


class Port(Table):
    """How a node receives: one message at a time.

    * ``receive`` (float): Seconds that a message takes; 0, the default, is no port.
    * ``opens`` ({"start", "after-own"}): Whether a tree's inner node receives from the start (the
      default) or once its own work is done.
    """

    receive: NotNegative = 0.0
    opens: Literal["start", "after-own"] = "start"


def received(arrivals: Values, receive: float) -> Values:
    """Return when a port has received each answer, one at a time in order of arrival.

    ``arrivals`` are (answers, T); those at the same moment are received in their order.

    >>> received(np.array([[2.0], [0.0], [0.5]]), 1.0).tolist()
    [[3.0], [1.0], [2.0]]
    """
    found, clock = np.empty_like(arrivals), np.zeros(arrivals.shape[1])
    order = np.argsort(arrivals, axis=0, kind="stable")
    for place, arrival in zip(order, np.take_along_axis(arrivals, order, axis=0), strict=True):
        clock = np.maximum(clock, arrival) + receive
        np.put_along_axis(found, place[np.newaxis], clock[np.newaxis], axis=0)
    return found
