"""Trials in a block of a training experiment."""

from __future__ import annotations

from fastgc.draws.streams import block_trials
from fastgc.experiments.training.table import TrainingTable
from fastgc.training.data.data import Data

#: Products that take as long as a draw.
PRODUCTS = 64


def trials_of_block(table: TrainingTable, data: Data, drawn: int) -> int:
    """Return how many trials a block has when an iteration draws so many numbers.

    An iteration's products, in which samples meet parameters, count as draws where they are
    more: blocks would else take minutes where data are many, and leave cores without work.
    """
    products = data.samples * int(table.problem.parameters(data))
    return block_trials(max(drawn, products // PRODUCTS), table.iterations)
