"""A point of a decoding experiment: patterns drawn, decoded and tallied, or enumerated."""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.codes.structure import General, Groups
from fastgc.decoding import tiers, worst
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.trial_decoder import TrialDecoder, decoder_of
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.experiments.decoding.auditing import Audit
from fastgc.experiments.decoding.conditioning import Conditioning, conditioning
from fastgc.experiments.decoding.exact_method import ExactMethod, worst_rows
from fastgc.experiments.decoding.lost_groups import LostGroups
from fastgc.experiments.decoding.measures import (
    Block,
    Measure,
    Setting,
    Spread,
    class_of,
    in_range,
    made,
)
from fastgc.experiments.decoding.misfits import misfits
from fastgc.experiments.decoding.rare.events import has_events
from fastgc.experiments.decoding.rare.number_law import number_law
from fastgc.experiments.decoding.rare.road import MOST_WORKERS, DecodingRoad
from fastgc.experiments.decoding.table import DecodingTable
from fastgc.experiments.experiment import Experiment, Found, Samples, Shared, Values
from fastgc.experiments.measures import Measures
from fastgc.experiments.reference import first_trials
from fastgc.registry.cached import cached_property
from fastgc.results.stored import Sampled
from fastgc.statistics.tallies import Histogram
from fastgc.stragglers.drawing import drawing
from fastgc.stragglers.fixed_number import Adversarial
from fastgc.stragglers.pattern_law import PatternLaw

#: Trials of a pilot; fewer where they have so many draws, or decoding takes so long.
PILOT, PILOT_DRAWS, PILOT_ENTRIES = 4096, 1 << 22, 1 << 28


@dataclass
class Decoded(Block):
    """A block and, where raw samples are taken of it, the patterns of its workers."""

    workers: Patterns | None = None


class DecodingExperiment(Experiment[Block]):
    """One point of a decoding experiment.

    Parameters
    ----------
    table : DecodingTable
        The experiment with its sweep applied.
    """

    SAMPLES: ClassVar[Mapping[str, Sampled]] = {
        "error": Sampled(
            "decoding error in partitions, (trial, iteration)", ("trial", "iteration"), "partitions"
        ),
        "patterns": Sampled(
            "(trial, iteration, word): bit j % 64 of word j // 64 says that worker j "
            "survived; which column of B it played under random shuffling is told by fastgc replay",
            ("trial", "iteration", "word"),
        ),
    }

    RARE = (
        "the measure exact and for thresholds of error, with optimal decoding, one matrix for all "
        f"trials, at most {MOST_WORKERS} workers and stragglers of a known law of which none "
        "straggles for certain"
    )

    def __init__(self, table: DecodingTable) -> None:
        super().__init__(table.iterations)
        self._table = table

    # ---- parts

    @cached_property
    def code(self) -> Code | CodeOfTrials:
        """The code."""
        return self._table.code.build()

    @property
    def fixed_code(self) -> Code:
        """The code, where it has one matrix for all trials."""
        assert isinstance(self.code, Code)
        return self.code

    @cached_property
    def decoder(self) -> Decoder | TrialDecoder:
        """What decodes the code's patterns."""
        return decoder_of(self.code, self._table.decoder, self._table.rho)

    @property
    def _bound_to(self) -> Code:
        """The code; where trials have matrices of their own, one that refuses to show a matrix."""
        return cast(Code, self.code)

    @property
    def partitions(self) -> int:
        """Partitions of the code."""
        return self.code.k

    @cached_property
    def _law(self) -> PatternLaw:
        """The stragglers of this code."""
        return self._table.stragglers.bind(self._bound_to)

    @cached_property
    def _drawn(self) -> PatternLaw:
        """What draws them; a plug-in's is tried."""
        code, model = self._bound_to, self._table.stragglers
        return drawing(model, code, code.n, self.iterations, self.block)

    @cached_property
    def block(self) -> int:
        """Trials in a block."""
        return block_trials(self.code.n, self.iterations)

    @cached_property
    def _by_name(self) -> dict[str, Measure]:
        table, code = self._table, self.code
        setting = Setting(
            code=code,
            iterations=table.iterations,
            quantiles=table.quantiles,
            thresholds=table.thresholds,
            exact_threshold=self.decoder.exact_threshold,
            some=self._first_block,
            most=float(code.k) if table.decoder == "optimal" else math.inf,  # that of x = 0
            by=self._conditioning,
            pilot=lambda: self._pilot,
        )
        return {name: made(name, setting) for name in table.measure}

    def _first_block(self) -> Block:
        """Trials that references are made of."""
        return self.evaluate(first_trials(self.iterations), WORD, None, keep=False)

    @cached_property
    def _pilot(self) -> Block:
        """Trials that say how means are estimated: the same for all seeds, and no part of them."""
        n = self.code.n
        is_fast = isinstance(self.code, Code) and not isinstance(self.code.structure, General)
        most = min(PILOT_DRAWS // n, PILOT if is_fast else PILOT_ENTRIES // n**3)
        batch = Batch(0, "pilot", 0, max(WORD, min(PILOT, most)) // WORD, self.iterations)
        return self.evaluate(batch, batch.trials, None, keep=False)

    @cached_property
    def _conditioning(self) -> Conditioning | None:
        """What means are conditioned on; nothing of groups, whose mean error has a closed form."""
        table, code = self._table, self.code
        if self.iterations > 1 or not table.variance_reduction:
            return None
        fixed = code if isinstance(code, Code) else None
        if fixed is not None and isinstance(fixed.structure, Groups):
            return None
        return conditioning(self._law, code.n, fixed, shuffled=table.shuffle == "random")

    @cached_property
    def measures(self) -> Measures[Block]:
        """What a block is tallied as; the audit comes last."""
        if self._audit is None:
            return Measures(self._by_name)
        return Measures({**self._by_name, "audit": self._audit})

    @cached_property
    def _audit(self) -> Audit | None:
        """What decodes some patterns again, where the decoder has tiers."""
        return Audit.of(self.decoder, self.code)

    @cached_property
    def _lost_groups(self) -> LostGroups | None:
        """Where the number of lost groups is all that the measures ask for: what counts them."""
        code = self.code
        if (
            self.iterations == 1
            and self._table.decoder == "optimal"
            and isinstance(code, Code)
            and all(measure.levels for measure in self._by_name.values())
        ):
            return LostGroups.of(code)
        return None

    @cached_property
    def _tiers(self) -> dict[str, float]:
        """Share of patterns that each algorithm decodes."""
        if not isinstance(self.decoder, Decoder):
            return {self.decoder.algorithm: 1.0}
        shuffle = self._table.shuffle
        return tiers.shares(self.decoder, self._law.draw, self.code.n, self.iterations, shuffle)

    @cached_property
    def _exact(self) -> ExactMethod:
        """Enumeration of all patterns."""
        return ExactMethod(self._table, self.code, lambda: self._law, lambda: self._by_name)

    @cached_property
    def _worst(self) -> worst.Worst | None:
        """The worst that stragglers can do; None of those that are drawn."""
        model = self._table.stragglers
        if not isinstance(model, Adversarial):
            return None
        assert isinstance(self.decoder, Decoder)
        return worst.worst_case(self.decoder, self.fixed_code, model.stragglers)

    def prepare_parts(self) -> None:
        """Make what draws, decodes and tallies."""
        _ = self._drawn, self.decoder, self.measures, self._lost_groups

    # ---- what is asked of it

    def misfits(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        return misfits(self._table, lambda: self.fixed_code)

    def describe(self) -> dict[str, Any]:
        """Return how the point is decoded: its kernel, threshold and tiers, kept in files."""
        decoder = self.decoder
        found: dict[str, Any] = {
            "kernel": decoder.algorithm,
            "exact_threshold": decoder.exact_threshold,
            "linear_algebra": decoder.linear_algebra,
        }
        if isinstance(decoder, Decoder) and not isinstance(self._table.stragglers, Adversarial):
            found["tiers"] = self._tiers
        return found

    def exact_cost(self) -> int | None:
        """Patterns to be enumerated; None where there is no exact road, 0 for a worst case."""
        if isinstance(self._table.stragglers, Adversarial):
            return 0
        return self._exact.cost()

    def exact_seconds(self, patterns: int) -> float:
        """About how long the enumeration of so many patterns takes."""
        model = self._table.stragglers
        if isinstance(model, Adversarial):
            assert isinstance(self.decoder, Decoder)
            return worst.seconds(self.decoder, self.fixed_code, model.stragglers)
        return self._exact.seconds(patterns)

    def obstacle(self) -> str:
        """Why there is no exact road, where `exact_cost` is None."""
        return self._exact.obstacle()

    def not_exact(self) -> Iterator[Found]:
        """What is requested and not in `exact_rows`: no value, and the reason."""
        if isinstance(self._table.stragglers, Adversarial):
            return iter(())
        return self._exact.left_out()

    def exact_method(self) -> str:
        """What the numbers of `exact_rows` are: exact, or a bound where a search gave up."""
        model = self._table.stragglers
        if not isinstance(model, Adversarial):
            return "exact"
        assert isinstance(self.decoder, Decoder)
        found: worst.Worst | None = self.__dict__.get("_worst")
        if found is None:
            known = worst.is_exact(self.decoder, self.fixed_code, model.stragglers)
        else:
            known = found.is_exact
        return "exact" if known else "lower-bound"

    def exact_rows(self) -> Iterator[Found]:
        """Everything that enumeration gives exactly.

        Raises
        ------
        FastgcError
            If enumeration gives nothing, with the reason.
        """
        if self.exact_cost() is None:
            raise self._exact.refusal()
        assert isinstance(self.decoder, Decoder)
        if self._worst is not None:
            found = worst_rows(self._worst)
        else:
            found = self._exact.rows(self.decoder)
        return (
            (quantity, statistic, index, Audit.trusted(estimate, self.decoder))
            for quantity, statistic, index, estimate in found
        )

    def rare_road(self) -> DecodingRoad | None:
        """What leads to P(inexact) and P(error > x) of optimal decoding, if they are asked for."""
        return self._rare_road

    @cached_property
    def _rare_road(self) -> DecodingRoad | None:
        table, code = self._table, self.code
        if table.decoder != "optimal" or isinstance(code, CodeOfTrials) or not has_events(table):
            return None
        if isinstance(table.stragglers, Adversarial) or code.n > MOST_WORKERS:
            return None
        law = number_law(self._law, code.n, table.shuffle)
        return None if law is None else DecodingRoad(table, code, self._fixed_decoder, law)

    def needs_trials(self, known: Container[Any]) -> bool:
        """Whether something is requested that neither theory nor products of chances give."""
        table = self._table
        levels = [f"quantile({level!r})" for level in table.quantiles]
        above = [f"P(>{threshold!r})" for threshold in table.thresholds]
        wanted = list[tuple[str, str, None]]()
        for name in table.measure:
            if not issubclass(class_of(name), Spread) and name != "exact":
                return True
            spread = [] if name == "exact" else ["variance", *levels, *above]
            wanted += [(name, statistic, None) for statistic in ("mean", *spread)]
        rest = [address for address in wanted if address not in known]
        road = None if self.code.n > MOST_WORKERS else self._rare_road
        return road is None or not set(rest) <= road.exactly()

    def _fixed_decoder(self) -> Decoder:
        assert isinstance(self.decoder, Decoder)
        return self.decoder

    def evaluate(self, batch: Batch, trials: int, shared: Shared | None, *, keep: bool) -> Block:
        """Draw the batch's patterns and decode them."""
        workers, patterns = self._patterns(batch, shared)

        def decode() -> Values:
            errors = self._errors(patterns).reshape(batch.iterations, batch.trials)
            return np.ascontiguousarray(errors[:, :trials])

        block = Decoded(batch.first, trials, patterns, self.decoder, decode)
        block.by = None if shared is not None else self._conditioning
        if keep:
            block.workers = workers
        if self._lost_groups is not None and shared is None and not keep:
            block.counted = self._lost_groups.levels(patterns, trials)
        return block

    def evaluate_several(self, batches: Sequence[Batch], trials: int) -> Iterator[Block]:
        """Draw and decode batches; where lost groups say all, many of them in one call."""
        found = None
        if self._lost_groups is not None and self._table.shuffle == "none":
            found = self._lost_groups.of_blocks(self._drawn, self.code.n, batches, trials)
        if found is None:
            yield from super().evaluate_several(batches, trials)
            return
        for batch, levels in zip(batches, found, strict=True):
            nothing = Patterns(self.code.n, batch)
            yield Decoded(batch.first, trials, nothing, self.decoder, _never, levels)

    def samples(self, block: Block) -> Samples:
        """Every error (T, L), and every pattern (T, L, words) of survivors."""
        assert isinstance(block, Decoded) and block.workers is not None
        batch = block.workers.batch
        packed = block.workers.packed.reshape(batch.iterations, batch.trials, -1)
        return {
            "error": np.ascontiguousarray(block.errors.T),
            "patterns": np.ascontiguousarray(packed[:, : block.trials].transpose(1, 0, 2)),
        }

    def firsts(self, block: Block) -> Values | None:
        """Each trial's value of the first measure, (T,); of some there is none."""
        first = self._table.measure[0]
        if first in ("error", "mean_error"):
            return block.averages
        if first == "error_per_partition":
            return block.averages / self.partitions
        if first == "exact":
            exact = block.errors <= self.decoder.exact_threshold
            return np.asarray(exact.mean(axis=0))
        return None

    def replay(
        self, seed: int, stream: str, trial: int, *, common: bool = False
    ) -> list[dict[str, Any]]:
        """Who straggles in each iteration, which columns are left, the error, what nobody holds."""
        n = self.code.n
        batch = Batch(seed, stream, trial - trial % WORD, 1, self.iterations)
        workers = self._drawn.draw(n, batch)
        columns = workers.shuffled(self._table.shuffle)
        rows = np.arange(self.iterations) * WORD + trial % WORD
        errors = self._errors(columns)[rows]
        found = []
        for row, error in zip(rows, errors, strict=True):
            alive = _bits(columns.packed[row], n)
            found.append(
                {
                    "stragglers": np.flatnonzero(~_bits(workers.packed[row], n)).tolist(),
                    "columns": np.flatnonzero(alive).tolist(),
                    "error": float(error),
                    "exact": bool(error <= self.decoder.exact_threshold),
                    "not_accessed": None
                    if isinstance(self.code, CodeOfTrials)
                    else _not_accessed(self.code, alive),
                }
            )
        return found

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Found]:
        """Everything measured; the first row says how much of the decoding was slow, if any."""
        said = tiers.said(self._tiers)
        audit = None if self._audit is None else sums[len(sums) - Audit.cells :]
        for place, row in enumerate(super().rows(trials, sums, histograms)):
            quantity, statistic, index, estimate = row
            if place == 0 and said is not None:
                estimate = estimate.noting(said)
            if audit is not None:
                estimate = Audit.judged(estimate, audit)
            yield quantity, statistic, index, Audit.trusted(estimate, self.decoder)

    def _errors(self, patterns: Patterns) -> Values:
        """Errors of all patterns of a batch, iteration-major."""
        if isinstance(self.decoder, TrialDecoder):
            errors = self.decoder.errors_of(patterns)
        else:
            errors = self.decoder.errors(patterns.packed)
        return in_range(errors, self._table.name)

    def _patterns(self, batch: Batch, shared: Shared | None) -> tuple[Patterns, Patterns]:
        """The batch's patterns, of workers and on B's columns; common ones are drawn once."""
        law, n, shuffle = self._drawn, self.code.n, self._table.shuffle
        if shared is None:
            workers = law.draw(n, batch)
            return workers, workers.shuffled(shuffle)
        drawn: Hashable = (law, n, self.iterations)
        if drawn not in shared:
            shared[drawn] = law.draw(n, batch)
        turned: Hashable = (law, n, self.iterations, shuffle)
        if turned not in shared:
            shared[turned] = shared[drawn].shuffled(shuffle)
        return shared[drawn], shared[turned]


def _not_accessed(code: Code, alive: NDArray[np.bool_]) -> list[int]:
    """Partitions that no survivor holds."""
    held = code.columns
    accessed = np.zeros(code.k, bool)
    accessed[held.places[alive[held.owners]] // code.pieces] = True
    return [int(i) for i in np.flatnonzero(~accessed)]


def _never() -> Values:
    """Errors of a block that is not decoded pattern by pattern."""
    raise AssertionError("levels are enough")


def _bits(packed: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """One packed pattern as booleans, (n,)."""
    return np.unpackbits(packed.view(np.uint8), bitorder="little")[:n].astype(bool)
