"""What paper codedreduce prints: sizes of data and of the network of Table II, speed-ups."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

_GISETTE = (6552, 5001)
_SYNTHETIC = (7644, 6500)
#: Data points and features of the figures' data.
DATA = {8: _GISETTE, 9: _GISETTE, 10: _SYNTHETIC, 11: _SYNTHETIC, 12: (32760, 5000)}

#: Layers of Table II as they are printed; the second dimension is that of the outputs.
NETWORK = (
    ("Conv2d", (3, 16, 3, 3)),
    ("Conv2d", (16, 64, 4, 4)),
    ("Linear", (64, 384)),
    ("Linear", (384, 192)),
    ("Linear", (192, 10)),
)
_OUTPUTS = 1


def times_as_large(samples: int, features: int, figure: int) -> Fraction:
    """How many times as many numbers such data have as a figure's."""
    return Fraction(samples * features, math.prod(DATA[figure]))


def features_of_figure(figure: int) -> int:
    """Features of a figure's data, as its own section or caption has them."""
    return DATA[figure][1]


def speedup_over(first: float, second: float) -> float:
    """How many times as long as the second the first takes, by what a third is faster than both."""
    return first / second


def network_parameters(layers: str, biases: bool) -> int:
    """Count the weights of layers of one kind, or of "all", and a bias for each output if asked."""
    weights = [np.zeros(shape, bool) for kind, shape in NETWORK if layers in (kind, "all")]
    return sum(each.size + biases * each.shape[_OUTPUTS] for each in weights)
