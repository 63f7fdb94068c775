"""Which trials a unit gets: when it has enough, the rules that look, and a shard's part of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fastgc.engine.units import Unit
from fastgc.statistics.estimates import Estimate, events, normal_quantile
from fastgc.statistics.tallies import Tally


class Rule(Protocol):
    """A rule that looks at a unit's tally after 1, 2, 4, 8, … blocks."""

    def reached(self, unit: Unit, tally: Tally) -> str | None:
        """The rule's name if it is satisfied."""


@dataclass(frozen=True)
class Precision:
    """Stop when one estimate's half-width is small enough.

    ``of`` picks the estimate from a unit's tally; ``relative`` is to the estimate's size, and
    neither is looked at with fewer than ``least_events`` non-zero outcomes.
    """

    of: Callable[[Unit, Tally], Estimate]
    relative: float | None = None
    absolute: float | None = None
    least_events: int = 100
    confidence: float = 0.95

    def reached(self, unit: Unit, tally: Tally) -> str | None:
        """The rule that is satisfied, if one is."""
        estimate = self.of(unit, tally)
        if estimate.value is None or estimate.standard_error is None:
            return None
        half = self.half_width(estimate)
        if events(estimate) < self.least_events:
            return None
        if self.absolute is not None and half <= self.absolute:
            return "absolute_error"
        if self.relative is not None and half <= self.relative * abs(estimate.value):
            return "relative_error"
        return None

    def half_width(self, estimate: Estimate) -> float:
        """Return half the width of an estimate's interval; 0 where it has none."""
        return normal_quantile(self.confidence) * (estimate.standard_error or 0.0)

    def needed(self, estimate: Estimate, trials: int) -> tuple[float, float] | None:
        """Return about how many trials width and events take; None where nothing is known.

        ``estimate`` is that of the rule, after so many ``trials``: half-widths fall with the square
        root of the trials, and events grow with them.
        """
        seen = events(estimate)
        if not estimate.value or estimate.standard_error is None or not seen:
            return None
        wanted = max(self.absolute or 0.0, (self.relative or 0.0) * abs(estimate.value))
        by_width = trials * (self.half_width(estimate) / wanted) ** 2
        return by_width, trials * self.least_events / seen


@dataclass(frozen=True)
class Limits:
    """When a unit has enough.

    ``deadline`` is a reading of ``time.monotonic``; ``interrupted`` says why to stop when what is
    under way is done, and leaves the unit to be continued; with ``begins`` something is sampled in
    any case.
    """

    trials: int
    precision: Rule | None = None
    deadline: float | None = None
    interrupted: Callable[[], str | None] = lambda: None
    begins: bool = True


# ---- Which of a unit's blocks are a shard's


@dataclass(frozen=True)
class Share:
    """A shard's part of a unit: every N-th block, from the i-th."""

    blocks: range  #: The numbers of its blocks.
    #: The number of the incomplete block at the end, and how many trials of it are the shard's.
    partial: int
    last: int
    alone: bool  #: Whether there is no other shard; only then precision stops it.

    @classmethod
    def of(cls, block: int, trials: int, shard: tuple[int, int]) -> "Share":
        """Return what is a shard's of so many trials, with so many in a block.

        >>> Share.of(64, 200, (1, 2))
        Share(blocks=range(1, 3, 2), partial=3, last=8, alone=False)
        """
        own, shards = shard
        full, rest = divmod(trials, block)
        return cls(range(own, full, shards), full, rest if full % shards == own else 0, shards == 1)

    def trials(self, block: int) -> int:
        """Return how many trials that are, with so many in a block."""
        return len(self.blocks) * block + self.last
