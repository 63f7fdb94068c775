"""Measures of one's own: a number of every iteration, from what is known of its decoding."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.experiments.accumulators import Distribution, EveryValue, Pooled
from fastgc.experiments.decoding.measures.base import ErrorBlock, some_patterns
from fastgc.experiments.decoding.measures.builtin import VECTORS, PatternMeasure
from fastgc.registry import Member, plugins
from fastgc.registry.cached import cached_property


class Outcome:
    """What a measure looks at: a block of trials, decoded.

    * ``code``: its ``B`` is (k, n), partitions × workers.
    * ``trials``, ``iterations``: how many.
    """

    def __init__(self, code: Code, block: ErrorBlock, chosen: slice) -> None:
        self.code = code
        self.iterations: int = block.patterns.batch.iterations
        self._block, self._chosen = block, chosen
        self.trials = len(range(*chosen.indices(block.trials)))

    @property
    def errors(self) -> Values:
        """Decoding errors, float64 array (trials, iterations)."""
        return np.ascontiguousarray(self._block.errors.T[self._chosen])

    @cached_property
    def alive(self) -> Mask:
        """Which columns of B survived, bool array (trials, iterations, n)."""
        alive = self._block.patterns.alive[..., : self._block.trials]
        return np.ascontiguousarray(alive.transpose(2, 0, 1)[self._chosen])

    @cached_property
    def vectors(self) -> Values:
        """Decoding vectors, (trials, iterations, n): a weight a column of B, 0 for stragglers.

        They are complex where B is.
        """
        each = self._block.vectors.reshape(self.iterations, self._block.trials, -1)
        return np.ascontiguousarray(each.transpose(1, 0, 2)[self._chosen])


def _values(measure: Any, found: Any, outcome: Outcome) -> str | None:
    shape = outcome.trials, outcome.iterations
    fits = isinstance(found, np.ndarray) and found.shape == shape and found.dtype == np.float64
    if not fits:
        return f"a float64 array of shape {shape}, trials × iterations"
    return None if np.isfinite(found).all() and (found >= 0).all() else "finite numbers, 0 or more"


class DecodingMeasure(Member):
    """Base of every measure of one's own of decoding experiments; it has no keys but its tag.

    Its mean, variance, extremes, quantiles and exceedances are estimated as those of the error.

    * ``unit`` (str): Of one value; "1", the default, for pure numbers.

    >>> from typing import Literal
    >>> class Largest(DecodingMeasure):
    ...     measure: Literal["largest_weight"] = "largest_weight"
    ...     def values(self, outcome):
    ...         return np.abs(outcome.vectors).max(axis=2)
    >>> Largest().measure, Largest.unit
    ('largest_weight', '1')
    """

    GROUP: ClassVar[str | None] = "measure"
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {"values": _values}
    unit: ClassVar[str] = "1"

    @abstractmethod
    def values(self, outcome: Outcome) -> Values:
        """Return the value of every iteration of every trial.

        Parameters
        ----------
        outcome : Outcome
            ``code``, and of every trial and iteration ``errors``, ``alive`` and ``vectors``.

        Returns
        -------
        float64 array (trials, iterations)
            Finite numbers, 0 or more; a trial's row must depend on that trial alone.
        """


class MemberMeasure(PatternMeasure):
    """Tallies what a measure of one's own gives; its unit is the member's.

    Where each value follows from its iteration's pattern, as is looked at, it is enumerated, too.
    """

    needs_fixed_matrix = True
    MORE_PASSES = VECTORS
    OF_ALL = False

    def __init__(self, experiment: Any, member: DecodingMeasure) -> None:
        super().__init__(experiment, Pooled(), margin=0.0)
        self._experiment, self._member = experiment, member
        self._is_tried = False

    def only_sampled(self) -> str | None:
        """Why values are not enumerated: they depend on more than their iteration's pattern."""
        experiment = self._experiment
        if experiment.iterations == 1:
            return None
        block = experiment.reference
        alone = some_patterns(experiment.code.n, block.packed, block.decoder)
        each = self._of(alone, slice(0, alone.trials)).reshape(experiment.iterations, -1)
        together = self._of(block, slice(0, block.trials)).T
        if np.allclose(each, together, rtol=1e-9, atol=1e-12):
            return None
        return "depends on more than the pattern of its iteration"

    def _values(self, block: ErrorBlock) -> Distribution:
        if not self._is_tried:

            def asked(numbers: NDArray[np.int64]) -> Values:
                return self._of(block, slice(int(numbers[0]), int(numbers[-1]) + 1))

            numbers = np.arange(min(block.trials, plugins.TRIED))
            plugins.require_rowwise(type(self._member), "values", asked, numbers)
            self._is_tried = True
        found = self._of(block, slice(0, block.trials))
        return EveryValue(np.ascontiguousarray(found.T))

    def _of(self, block: ErrorBlock, chosen: slice) -> Values:
        return self._member.values(Outcome(self._experiment.code, block, chosen))
