"""Measures of a distribution: of the error of an iteration or a trial, and what is made of them."""

from __future__ import annotations

import math
from abc import ABC
from typing import ClassVar

import numpy as np

from fastgc.codes.code import Code
from fastgc.experiments import measures
from fastgc.experiments.accumulators import Exceedances, Pooled, PowerSums
from fastgc.experiments.decoding.measures.base import Block, Setting
from fastgc.experiments.decoding.measures.conditioning import Conditioned
from fastgc.experiments.pooled import Distribution, EveryValue
from fastgc.experiments.reference import Reference, typical


class Spread(measures.Spread[Block], ABC):
    """Mean, variance and distribution of a value."""

    unit: ClassVar[str] = "1"
    levels = False

    def __init__(
        self,
        setting: Setting,
        averages: PowerSums,
        margin: float | None = None,
        reference: Reference | None = None,
    ) -> None:
        shift = setting.margin if margin is None else margin
        above = Exceedances(setting.thresholds, shift)
        reduction = None if setting.by is None else Conditioned(setting.by)
        super().__init__(averages, setting.quantiles, above, reduction, reference)


class Error(Spread):
    """The decoding error of one iteration, pooled over iterations."""

    unit = "partitions"
    levels = True

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, Pooled(setting.most, setting.exact_threshold))

    def _values(self, block: Block) -> Distribution:
        return block.error


class MeanError(Spread):
    """A trial's error averaged over its iterations; its variance is what shuffling changes."""

    unit = "partitions"
    levels = True

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, PowerSums(setting.most, setting.exact_threshold))

    def _values(self, block: Block) -> Distribution:
        return block.mean_error


class Norm(Spread):
    """Square root of the error: the distance that some papers report unsquared."""

    def __init__(self, setting: Setting) -> None:
        noise = math.sqrt(setting.exact_threshold)
        first = setting.first
        self._own = Reference(lambda: 0.0 if first is None else typical(np.sqrt(first())))
        most = math.sqrt(setting.most)
        super().__init__(setting, Pooled(most, noise), reference=self._own)

    def _values(self, block: Block) -> Distribution:
        return EveryValue(np.sqrt(block.errors), self._own.value)


class Amplification(Spread):
    """‖x‖² of the decoding vector: how much independent noise in the answers grows."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, Pooled())
        self._iterations = setting.iterations
        assert isinstance(setting.code, Code)
        self._pieces = setting.code.pieces

    def _values(self, block: Block) -> Distribution:
        vectors = block.vectors
        total = np.zeros(len(vectors))
        for worker in range(vectors.shape[1]):  # in one order, so with the same bits everywhere
            total += np.abs(vectors[:, worker]) ** 2
        total /= self._pieces
        return EveryValue(total.reshape(self._iterations, block.trials))
