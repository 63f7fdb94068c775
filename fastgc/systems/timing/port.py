"""How masters and parents receive: their port."""

from typing import Literal

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
