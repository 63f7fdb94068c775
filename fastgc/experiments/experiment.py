"""What every kind of experiment offers: the one class that the engine and the runs know.

An experiment is one point of a study, compiled: its parts (code, decoder, scenario, measures) are
made when first asked for, once, and every question is asked of the same object.
"""

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Trials
from fastgc.experiments.accumulators import Sums
from fastgc.experiments.measures import Measures
from fastgc.experiments.methods import ExactMethod, Method, RareMethod, Statistic
from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import Histogram

#: A block of trials, as a kind of experiment evaluates it.
B = TypeVar("B")
#: Raw samples of a block by name.
Samples = dict[str, NDArray[Any]]
#: What happened in each iteration of a trial, by name.
Replayed = list[dict[str, Any]]
#: Patterns that points on the same draws share.
Shared = dict[Hashable, Patterns]


class Experiment(ABC, Generic[B]):
    """One point of a study, compiled: that of a table, whose trials have ``iterations``.

    ``RARE`` says what the method for rare events is for, where there is one; ``PARTS`` are the
    properties that sampling needs.
    """

    RARE: ClassVar[str] = "other kinds of experiments"
    PARTS: ClassVar[tuple[str, ...]] = ("measures",)

    def __init__(self, table: Any) -> None:
        self.table = table
        self.iterations: int = table.iterations
        self._lock = threading.Lock()
        self._is_prepared = False

    @abstractmethod
    def cross_field_errors(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts of the table that do not fit together."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return what files of results keep of how the point was evaluated."""

    @property
    def exact_method(self) -> ExactMethod:
        """The exact method, which says whether and why it does not apply."""
        return ExactMethod()

    @property
    def rare_method(self) -> RareMethod | None:
        """The method for rare events; None where there is none, or no event is asked for."""
        return None

    # ---- Monte Carlo

    @property
    @abstractmethod
    def block(self) -> int:
        """Trials in a block."""

    @property
    @abstractmethod
    def by_name(self) -> Mapping[str, Any]:
        """The measures by name, in the order of the table."""

    @cached_property
    def measures(self) -> Measures[B]:
        """What a block is tallied as."""
        return Measures(self.by_name)

    @property
    def first(self) -> Any:
        """The first measure."""
        return next(iter(self.by_name.values()))

    @property
    def conditional(self) -> bool:
        """Whether the first measure's mean is over the iterations that have a value."""
        return False

    @property
    def moments(self) -> float:
        """Moments of the first measure below it are finite."""
        return math.inf

    @property
    def partitions(self) -> int | None:
        """Partitions of the code whose errors are measured; None where none are."""
        return None

    @property
    def remark(self) -> str | None:
        """What is to be said of ratios of the first measure."""
        return None

    @property
    def leaves_out(self) -> bool:
        """Whether trials may have no value of the first measure."""
        return self.conditional

    @abstractmethod
    def evaluate(self, batch: Trials, trials: int, shared: Shared | None, *, keep: bool) -> B:
        """Draw a batch, and evaluate its first ``trials`` trials.

        Given ``shared``, what is drawn is the same for all points on the same draws, and kept
        there for them. ``keep`` says that raw samples will be taken of the block.
        """

    @cached_property
    def reference(self) -> B:
        """Some trials, the same for all seeds, shards and threads, that others are tallied less."""
        batch = Trials(0, "reference", 0, 1, self.iterations)
        return self.evaluate(batch, batch.trials, None, keep=False)

    def firsts(self, block: B) -> Values | None:
        """Each trial's value of the first measure, where it has one: for ratios and differences.

        (T,), NaN for a trial without one; or (2, T), sums and how many values each is of.
        """
        values: Values = self.first.each(block)
        return values

    @abstractmethod
    def samples(self, block: B) -> Samples:
        """Raw samples of a block, trials first."""

    def replay(self, seed: int, stream: str, trial: int, *, common: bool = False) -> Replayed:
        """What happened in each iteration of one trial, on common random numbers or not."""
        batch = Trials(seed, stream, trial - trial % WORD, 1, self.iterations)
        return self.replay_one(batch, trial % WORD, common=common)

    @abstractmethod
    def replay_one(self, batch: Trials, place: int, *, common: bool) -> Replayed:
        """What happened in each iteration of the trial at a place in a batch."""

    @staticmethod
    def columns(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
        """Return what `replay` found as columns under their headings; by default under its keys."""
        names = dict.fromkeys(name for row in iterations for name in row)
        found: dict[str, Sequence[Any]] = {"iteration": range(len(iterations))}
        return found | {n.replace("_", " "): [row.get(n) for row in iterations] for n in names}

    def prepare(self) -> None:
        """Make every part that sampling needs, in one thread; others wait for it."""
        with self._lock:
            if not self._is_prepared:
                for name in self.PARTS:
                    getattr(self, name)
                self._is_prepared = True

    def evaluate_several(self, batches: Sequence[Trials], trials: int) -> Iterator[B]:
        """Draw batches, and evaluate the first ``trials`` trials of each.

        They share nothing, and no raw samples are taken of them; so a kind may have them evaluated
        by one call of a kernel, where its blocks are so short that Python would show.
        """
        for batch in batches:
            yield self.evaluate(batch, trials, None, keep=False)

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Statistic]:
        """Everything measured."""
        return self.measures.rows(trials, sums, histograms)


def by_cost(
    points: Sequence[Experiment[Any]], seconds: float, trials: int = 0
) -> tuple[Sequence[Method], str | None]:
    """Return the methods that are asked before trials are drawn, and why the exact one is not.

    The exact one (of points on the same draws one of each) is taken if it costs at most so many
    ``seconds``, or has no more patterns than ``trials``; else, of a single point, that for rare
    events. The reason is empty where nothing else is expected.
    """
    exact = [each.exact_method for each in points]
    why = next((each.why_not for each in exact if each.why_not is not None), None)
    patterns = sum(each.patterns for each in exact)
    if why is None and patterns > trials and (cost := sum(each.cost for each in exact)) > seconds:
        why = f"exact method not taken: {patterns} patterns, about {cost:.2g} s"
    if why is None:
        return exact, None
    rare = points[0].rare_method if len(points) == 1 else None
    return [] if rare is None else [rare], why
