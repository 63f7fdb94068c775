"""A point of a decoding experiment: patterns drawn, decoded and tallied, or enumerated."""

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.codes.structure import General, Groups
from fastgc.decoding.decoder import Decoder, TrialDecoder
from fastgc.draws.patterns import Patterns, unpacked
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.experiments.accumulators import Sums, first_trials
from fastgc.experiments.decoding.auditing import Audit
from fastgc.experiments.decoding.conditioning import Conditioning, conditioning
from fastgc.experiments.decoding.decoding_table import (
    DecodingTable,
    cross_field_errors,
    errors_of_changing_code,
)
from fastgc.experiments.decoding.exact_errors import Enumeration, OfChangingCode, WorstCase
from fastgc.experiments.decoding.lost_groups import LostGroups
from fastgc.experiments.decoding.measures import made
from fastgc.experiments.decoding.measures.base import Block, Measure, Setting, in_range
from fastgc.experiments.decoding.rare import MOST_WORKERS, RareErrors
from fastgc.experiments.experiment import Experiment, Replayed, Samples, Shared
from fastgc.experiments.measures import Measures
from fastgc.experiments.methods import ExactMethod, Found
from fastgc.experiments.table import rho_of
from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import Histogram
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import drawing
from fastgc.stragglers.uniform import Adversarial

#: Trials of a pilot; fewer where they have so many draws, or decoding takes so long.
PILOT, PILOT_DRAWS, PILOT_ENTRIES = 4096, 1 << 22, 1 << 28


class _Decoding(Experiment[Block]):
    RARE = (
        "the measure exact and for thresholds of error, with optimal decoding, one matrix for all "
        f"trials, at most {MOST_WORKERS} workers (or groups of workers that straggle "
        "independently of each other, with low thresholds), and stragglers of a known law of which "
        "none straggles for certain"
    )

    _table: DecodingTable

    # ---- parts

    @cached_property
    @abstractmethod
    def code(self) -> Code | CodeOfTrials:
        """The code."""

    @cached_property
    @abstractmethod
    def decoder(self) -> Decoder | TrialDecoder:
        """What decodes the code's patterns."""

    @property
    def _bound_to(self) -> Code:
        """The code; where trials have matrices of their own, one that refuses to show a matrix."""
        return cast(Code, self.code)

    @property
    def partitions(self) -> int:
        return self.code.k

    @cached_property
    def _law(self) -> PatternLaw:
        return self._table.stragglers.bind(self._bound_to)

    @cached_property
    def _drawn(self) -> PatternLaw:
        code, model = self._bound_to, self._table.stragglers
        return drawing(model, code, code.n, self.iterations, self.block)  # a plug-in's is tried

    @cached_property
    def block(self) -> int:
        return block_trials(self.code.n, self.iterations)

    @cached_property
    def by_name(self) -> dict[str, Measure]:
        table, code = self._table, self.code
        setting = Setting(
            code=code,
            iterations=table.iterations,
            quantiles=table.quantiles,
            thresholds=table.thresholds,
            exact_threshold=self.decoder.exact_threshold,
            some=lambda: self.evaluate(first_trials(self.iterations), WORD, None, keep=False),
            most=self.decoder.most,
            by=self._conditioning,
            pilot=lambda: self._pilot,
        )
        return {name: made(name, setting) for name in table.measure}

    @cached_property
    def _pilot(self) -> Block:
        """Trials that say how means are estimated: the same for all seeds, and no part of them."""
        code, n = self.code, self.code.n
        # whether decoding a pattern takes about as long as drawing it
        is_fast = isinstance(code, Code) and not isinstance(code.structure, General)
        most = min(PILOT_DRAWS // n, PILOT if is_fast else PILOT_ENTRIES // n**3)
        batch = Batch(0, "pilot", 0, max(WORD, min(PILOT, most)) // WORD, self.iterations)
        return self.evaluate(batch, batch.trials, None, keep=False)

    @cached_property
    def _conditioning(self) -> Conditioning | None:
        table, code = self._table, self.code
        fixed = code if isinstance(code, Code) else None
        if self.iterations > 1 or not table.variance_reduction:
            return None
        if fixed is not None and isinstance(fixed.structure, Groups):
            return None  # their mean error has a closed form
        return conditioning(self._law, code.n, fixed, shuffled=table.shuffle == "random")

    def prepare_parts(self) -> None:
        _ = self._drawn, self.decoder, self.measures

    # ---- what is asked of it

    def describe(self) -> dict[str, Any]:
        decoder = self.decoder
        return {
            "kernel": decoder.algorithm,
            "exact_threshold": decoder.exact_threshold,
            "linear_algebra": decoder.linear_algebra,
        }

    def evaluate(self, batch: Batch, trials: int, shared: Shared | None, *, keep: bool) -> Block:
        workers, patterns = self._patterns(batch, shared)

        def decode() -> Values:
            return self._errors(patterns, trials).reshape(batch.iterations, trials)

        block = Block(batch.first, trials, patterns, self.decoder, decode)
        block.by = None if shared is not None else self._conditioning
        block.workers = workers if keep else None
        return block

    def samples(self, block: Block) -> Samples:
        """Every error (T, L), and every pattern (T, L, words) of survivors.

        Bit j % 64 of word j // 64 says that worker j survived.
        """
        assert block.workers is not None
        batch = block.workers.batch
        packed = block.workers.packed.reshape(batch.iterations, batch.trials, -1)
        return {
            "error": np.ascontiguousarray(block.errors.T),
            "patterns": np.ascontiguousarray(packed[:, : block.trials].transpose(1, 0, 2)),
        }

    def firsts(self, block: Block) -> Values | None:
        first = self._table.measure[0]
        if first == "exact":
            return np.asarray((block.errors <= self.decoder.exact_threshold).mean(axis=0))
        scale = {"error": 1, "mean_error": 1, "error_per_partition": self.partitions}.get(first)
        return None if scale is None else block.averages / scale

    def replay(self, seed: int, stream: str, trial: int, *, common: bool = False) -> Replayed:
        n = self.code.n
        batch = Batch(seed, stream, trial - trial % WORD, 1, self.iterations)
        workers = self._drawn.draw(n, batch)
        columns = workers.shuffled(self._table.shuffle, _cluster(self._table))
        rows = np.arange(self.iterations) * WORD + trial % WORD
        errors = self._errors(columns, WORD)[rows]
        found = []
        masks = (unpacked(each.packed[rows], n) for each in (workers, columns))
        for error, answered, alive in zip(errors, *masks, strict=True):
            found.append(
                {
                    "stragglers": np.flatnonzero(~answered).tolist(),
                    "columns": np.flatnonzero(alive).tolist(),
                    "error": float(error),
                    "exact": bool(error <= self.decoder.exact_threshold),
                    "not_accessed": self._not_accessed(alive),
                }
            )
        return found

    @staticmethod
    def columns(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
        names = "error", "exact", "stragglers", "not_accessed"
        return Experiment.columns([{name: row[name] for name in names} for row in iterations])

    def _errors(self, patterns: Patterns, trials: int) -> Values:
        return in_range(self._decoded(patterns, trials), self._table.name)

    @abstractmethod
    def _decoded(self, patterns: Patterns, trials: int) -> Values:
        """Errors of the patterns of the first trials, iteration-major."""

    def _not_accessed(self, alive: Mask) -> list[int] | None:
        return None  # there is no one matrix that says who holds what

    def _patterns(self, batch: Batch, shared: Shared | None) -> tuple[Patterns, Patterns]:
        law, n = self._drawn, self.code.n
        how = self._table.shuffle, _cluster(self._table)
        if shared is None:
            workers = law.draw(n, batch)
            return workers, workers.shuffled(*how)
        drawn: Hashable = (law, n, self.iterations)
        if drawn not in shared:
            shared[drawn] = law.draw(n, batch)
        turned: Hashable = (law, n, self.iterations, *how)
        if turned not in shared:
            shared[turned] = shared[drawn].shuffled(*how)
        return shared[drawn], shared[turned]


class DecodingExperiment(_Decoding):
    """One point of a decoding experiment whose code has one matrix for all trials."""

    @cached_property
    def code(self) -> Code:
        found = self._table.code.build()
        assert isinstance(found, Code)
        return found

    @cached_property
    def decoder(self) -> Decoder:
        code, table = self.code, self._table
        return Decoder(code, decoder=table.decoder, rho=rho_of(table, code))

    @cached_property
    def measures(self) -> Measures[Block]:
        if self._audit is None:
            return Measures(self.by_name)
        return Measures({**self.by_name, "audit": self._audit})  # the last cells are its own

    @cached_property
    def _audit(self) -> Audit | None:
        return Audit.of(self.decoder, self.code)

    @cached_property
    def _lost_groups(self) -> LostGroups | None:
        is_optimal = self.iterations == 1 and self._table.decoder == "optimal"
        if is_optimal and all(measure.levels for measure in self.by_name.values()):
            return LostGroups.of(self.code)
        return None

    def prepare_parts(self) -> None:
        super().prepare_parts()
        _ = self._lost_groups

    def cross_field_errors(self) -> list[tuple[str, str]]:
        return cross_field_errors(self._table, lambda: self.code)

    @cached_property
    def exact_method(self) -> Enumeration | WorstCase:
        table = self._table
        if isinstance(table.stragglers, Adversarial):
            return WorstCase(lambda: self.decoder, self.code, table.stragglers.stragglers)
        return Enumeration(
            table, self.code, lambda: self.decoder, lambda: self._law, lambda: self.by_name
        )

    @cached_property
    def rare_method(self) -> RareErrors | None:
        if isinstance(self._table.stragglers, Adversarial):
            return None
        return RareErrors.of(self._table, self.code, lambda: self.decoder, self._law)

    def evaluate(self, batch: Batch, trials: int, shared: Shared | None, *, keep: bool) -> Block:
        block = super().evaluate(batch, trials, shared, keep=keep)
        if self._lost_groups is not None and shared is None and not keep:
            block.counted = self._lost_groups.levels(block.patterns, trials)
        return block

    def evaluate_several(self, batches: Sequence[Batch], trials: int) -> Iterator[Block]:
        found = None
        if self._lost_groups is not None and self._table.shuffle == "none":
            found = self._lost_groups.of_blocks(self._drawn, self.code.n, batches, trials)
        if found is None:
            yield from super().evaluate_several(batches, trials)
            return
        for batch, levels in zip(batches, found, strict=True):
            nothing = Patterns(self.code.n, batch)
            yield Block(batch.first, trials, nothing, self.decoder, None, levels)

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Found]:
        audit = None if self._audit is None else sums[len(sums) - Audit.cells :]
        for quantity, statistic, index, estimate in super().rows(trials, sums, histograms):
            if audit is not None:
                estimate = Audit.judged(estimate, audit)
            yield quantity, statistic, index, Audit.trusted(estimate, self.decoder)

    def _decoded(self, patterns: Patterns, trials: int) -> Values:
        packed = patterns.packed
        # one by one these may take seconds; of others it is the same calls for any trials
        if trials < patterns.batch.trials and self.decoder.algorithm == "sparse":
            each = packed.reshape(-1, patterns.batch.trials, packed.shape[1])
            return self.decoder.errors(each[:, :trials].reshape(-1, packed.shape[1]))
        return _first(self.decoder.errors(packed), patterns, trials)

    def _not_accessed(self, alive: Mask) -> list[int]:
        code, held = self.code, self.code.columns
        accessed = np.zeros(code.k, bool)
        accessed[held.places[alive[held.owners]]] = True
        return [int(i) for i in np.flatnonzero(~accessed)]


class DecodingOfTrials(_Decoding):
    """One point of a decoding experiment whose code has another matrix in every trial."""

    @cached_property
    def code(self) -> CodeOfTrials:
        found = self._table.code.build()
        assert isinstance(found, CodeOfTrials)
        return found

    @cached_property
    def decoder(self) -> TrialDecoder:
        assert isinstance(self._table.decoder, str)  # a rule needs a matrix that stays
        return TrialDecoder(self.code, self._table.decoder, self._table.rho)

    def cross_field_errors(self) -> list[tuple[str, str]]:
        return errors_of_changing_code(self._table)

    @property
    def exact_method(self) -> ExactMethod:
        return OfChangingCode()

    def _decoded(self, patterns: Patterns, trials: int) -> Values:
        return _first(self.decoder.errors_of(patterns), patterns, trials)


def choose(table: DecodingTable) -> type[_Decoding]:
    """Return the class for a table: its code has one matrix, or a new one in every trial."""
    return DecodingOfTrials if table.code.per_trial else DecodingExperiment


def _first(errors: Values, patterns: Patterns, trials: int) -> Values:
    return np.ascontiguousarray(errors.reshape(-1, patterns.batch.trials)[:, :trials]).reshape(-1)


def _cluster(table: DecodingTable) -> int:
    return int(table.code.settings()["d"]) if table.shuffle == "clusters" else 0
