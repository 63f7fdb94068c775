"""Sizes that paper codedreduce prints: of a figure's data, and of the network of Table II."""

from __future__ import annotations

import numpy as np

#: What captions say of (d, p): data points and features.
CAPTIONS = {10: {"d": 7644, "p": 6500}, 12: {"d": 32760, "p": 5000}}

#: Layers of Table II as they are printed; the second dimension is that of the outputs.
NETWORK = (
    ("Conv2d", (3, 16, 3, 3)),
    ("Conv2d", (16, 64, 4, 4)),
    ("Linear", (64, 384)),
    ("Linear", (384, 192)),
    ("Linear", (192, 10)),
)
_OUTPUTS = 1


def caption(figure: int, letter: str) -> int:
    """What a figure's caption says of d or p."""
    return CAPTIONS[figure][letter]


def data_elements(figure: int) -> int:
    """Count the numbers in a figure's data."""
    return CAPTIONS[figure]["d"] * CAPTIONS[figure]["p"]


def network_parameters(layers: str, biases: bool) -> int:
    """Count the weights of layers of one kind, or of "all", and a bias for each output if asked."""
    weights = [np.zeros(shape, bool) for kind, shape in NETWORK if layers in (kind, "all")]
    return sum(each.size + biases * each.shape[_OUTPUTS] for each in weights)
