"""A point of a decoding experiment: patterns drawn, decoded and tallied, or enumerated."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.codes.structure import General, Groups
from fastgc.decoding.decoder import Decoder, TrialDecoder
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Trials, block_trials
from fastgc.experiments.accumulators import Sums
from fastgc.experiments.decoding.auditing import ErrorAudit
from fastgc.experiments.decoding.conditioning import Conditioning, conditioning
from fastgc.experiments.decoding.decoding_table import (
    DecodingTable,
    changing_code_errors,
    cross_field_errors,
)
from fastgc.experiments.decoding.exact_errors import Enumeration, WorstCase
from fastgc.experiments.decoding.lost_groups import LostGroupCounter
from fastgc.experiments.decoding.measures import make
from fastgc.experiments.decoding.measures.base import ErrorBlock, ErrorMeasure, in_range
from fastgc.experiments.decoding.rare import MOST_WORKERS, RareErrors
from fastgc.experiments.experiment import Experiment, Replayed, Samples, Shared
from fastgc.experiments.measures import Measures
from fastgc.experiments.methods import ExactMethod, Statistic
from fastgc.experiments.table import rho_of
from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import Histogram
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import drawing
from fastgc.stragglers.uniform import Adversarial

#: Trials of a pilot; fewer where they have so many draws, or decoding takes so long.
PILOT, PILOT_DRAWS, PILOT_ENTRIES = 4096, 1 << 22, 1 << 28


class DecodingExperiment(Experiment[ErrorBlock]):
    """One point of a decoding experiment, with one matrix for all trials or another in each."""

    RARE = (
        "the measure exact and for thresholds of error, with optimal decoding, one matrix for all "
        f"trials, at most {MOST_WORKERS} workers (or groups of workers that straggle "
        "independently of each other, with low thresholds), and stragglers of a known law of which "
        "none straggles for certain"
    )
    PARTS = ("_drawn", "decoder", "measures", "_lost_groups")

    table: DecodingTable

    # ---- parts

    @cached_property
    def code(self) -> Code | CodeOfTrials:
        """The code."""
        return self.table.code.build()

    @property
    def _fixed(self) -> Code:
        """The code; where trials have matrices of their own, one that refuses to show a matrix."""
        return cast(Code, self.code)

    @cached_property
    def decoder(self) -> Decoder | TrialDecoder:
        """What decodes the code's patterns."""
        code, table = self.code, self.table
        if isinstance(code, Code):
            return Decoder(code, decoder=table.decoder, rho=rho_of(table, code))
        assert isinstance(table.decoder, str)  # a rule needs a matrix that stays
        return TrialDecoder(code, table.decoder, table.rho)

    @property
    def partitions(self) -> int:
        return self.code.k

    @cached_property
    def _law(self) -> PatternLaw:
        return self.table.stragglers.bind(self._fixed)

    @cached_property
    def _drawn(self) -> PatternLaw:
        model = self.table.stragglers
        # a plug-in's is tried
        return drawing(model, self._fixed, self.code.n, self.iterations, self.block)

    @cached_property
    def block(self) -> int:
        return block_trials(self.code.n, self.iterations)

    @cached_property
    def by_name(self) -> dict[str, ErrorMeasure]:
        return {name: make(name, self) for name in self.table.measure}

    @cached_property
    def measures(self) -> Measures[ErrorBlock]:
        # the last cells are the audit's own
        audit = {} if self._audit is None else {"audit": self._audit}
        return Measures({**self.by_name, **audit})

    @cached_property
    def _audit(self) -> ErrorAudit | None:
        is_fixed = isinstance(self.code, Code)
        return ErrorAudit.of(_fixed_decoder(self), self._fixed) if is_fixed else None

    @cached_property
    def _lost_groups(self) -> LostGroupCounter | None:
        is_optimal = self.iterations == 1 and self.table.decoder == "optimal"
        is_counted = is_optimal and all(measure.levels for measure in self.by_name.values())
        return (
            LostGroupCounter.of(self.code) if is_counted and isinstance(self.code, Code) else None
        )

    @cached_property
    def pilot(self) -> ErrorBlock:
        """Trials that say how means are estimated: the same for all seeds, and no part of them."""
        code, n = self.code, self.code.n
        # whether decoding a pattern takes about as long as drawing it
        is_fast = isinstance(code, Code) and not isinstance(code.structure, General)
        most = min(PILOT_DRAWS // n, PILOT if is_fast else PILOT_ENTRIES // n**3)
        batch = Trials(0, "pilot", 0, max(WORD, min(PILOT, most)) // WORD, self.iterations)
        return self.evaluate(batch, batch.trials, None, keep=False)

    @cached_property
    def conditioning(self) -> Conditioning | None:
        """What means of one iteration are conditioned on, if anything."""
        table, code = self.table, self.code
        fixed = code if isinstance(code, Code) else None
        if self.iterations > 1 or not table.variance_reduction:
            return None
        if fixed is not None and isinstance(fixed.structure, Groups):
            return None  # their mean error has a closed form
        return conditioning(self._law, code.n, fixed, shuffled=table.shuffle == "random")

    # ---- what is asked of it

    def cross_field_errors(self) -> list[tuple[str, str]]:
        if self.table.code.per_trial:
            return changing_code_errors(self.table)
        return cross_field_errors(self.table, lambda: self._fixed)

    def describe(self) -> dict[str, Any]:
        decoder = self.decoder
        return {
            "kernel": decoder.algorithm,
            "exact_threshold": decoder.exact_threshold,
            "linear_algebra": decoder.linear_algebra,
        }

    @cached_property
    def exact_method(self) -> ExactMethod:
        table = self.table
        if table.code.per_trial:
            return ExactMethod("no exact method: the matrix is another one in every trial")
        if isinstance(table.stragglers, Adversarial):
            return WorstCase(
                partial(_fixed_decoder, self), self._fixed, table.stragglers.stragglers
            )
        return Enumeration(
            table,
            self._fixed,
            partial(_fixed_decoder, self),
            lambda: self._law,
            lambda: self.by_name,
        )

    @cached_property
    def rare_method(self) -> RareErrors | None:
        if self.table.code.per_trial or isinstance(self.table.stragglers, Adversarial):
            return None
        return RareErrors.of(self.table, self._fixed, partial(_fixed_decoder, self), self._law)

    def evaluate(
        self, batch: Trials, trials: int, shared: Shared | None, *, keep: bool
    ) -> ErrorBlock:
        workers, patterns = self._patterns(batch, shared)

        def decode() -> Values:
            return _errors(self, patterns, trials).reshape(batch.iterations, trials)

        block = ErrorBlock(batch.first, trials, patterns, self.decoder, decode)
        block.by = None if shared is not None else self.conditioning
        block.workers = workers if keep else None
        if self._lost_groups is not None and shared is None and not keep:
            block.counted = self._lost_groups.levels(patterns, trials)
        return block

    def evaluate_several(self, batches: Sequence[Trials], trials: int) -> Iterator[ErrorBlock]:
        found = None
        if self._lost_groups is not None and self.table.shuffle == "none":
            found = self._lost_groups.of_blocks(self._drawn, self.code.n, batches, trials)
        if found is None:
            yield from super().evaluate_several(batches, trials)
            return
        for batch, levels in zip(batches, found, strict=True):
            nothing = Patterns(self.code.n, batch)
            yield ErrorBlock(batch.first, trials, nothing, self.decoder, None, levels)

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Statistic]:
        audit = None if self._audit is None else sums[len(sums) - ErrorAudit.cells :]
        for quantity, statistic, index, estimate in super().rows(trials, sums, histograms):
            if audit is not None:
                estimate = ErrorAudit.judged(estimate, audit)
            if isinstance(self.decoder, Decoder):
                estimate = ErrorAudit.trusted(estimate, self.decoder)
            yield quantity, statistic, index, estimate

    def samples(self, block: ErrorBlock) -> Samples:
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

    def firsts(self, block: ErrorBlock) -> Values | None:
        first = self.table.measure[0]
        if first == "exact":
            return np.asarray((block.errors <= self.decoder.exact_threshold).mean(axis=0))
        scale = {"error": 1, "mean_error": 1, "error_per_partition": self.partitions}.get(first)
        return super().firsts(block) if scale is None else block.averages / scale

    def replay_one(self, batch: Trials, place: int, *, common: bool) -> Replayed:
        workers, columns = self._patterns(batch, None)
        errors = _errors(self, columns, WORD).reshape(-1, WORD)[:, place].tolist()
        each = zip(workers.alive[..., place], columns.alive[..., place], errors, strict=True)
        return [
            {
                "stragglers": np.flatnonzero(~answers).tolist(),
                "columns": np.flatnonzero(alive).tolist(),
                "error": error,
                "exact": bool(error <= self.decoder.exact_threshold),
                "not_accessed": _not_accessed(self.code, alive),
            }
            for answers, alive, error in each
        ]

    @staticmethod
    def columns(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
        names = "error", "exact", "stragglers", "not_accessed"
        return Experiment.columns([{name: row[name] for name in names} for row in iterations])

    def _patterns(self, batch: Trials, shared: Shared | None) -> tuple[Patterns, Patterns]:
        """Patterns of the workers, and of the columns of B that they have."""
        law, n, table = self._drawn, self.code.n, self.table
        if shared is None:
            workers = law.draw(n, batch)
            return workers, workers.shuffled(table.shuffle)
        drawn = law, n, self.iterations
        turned = *drawn, table.shuffle
        if drawn not in shared:
            shared[drawn] = law.draw(n, batch)
        if turned not in shared:
            shared[turned] = shared[drawn].shuffled(table.shuffle)
        return shared[drawn], shared[turned]


def _fixed_decoder(experiment: DecodingExperiment) -> Decoder:
    return cast(Decoder, experiment.decoder)


def _not_accessed(code: Code | CodeOfTrials, alive: Mask) -> list[int] | None:
    if not isinstance(code, Code):  # there is no one matrix that says who holds what
        return None
    accessed = np.zeros(code.k, bool)
    accessed[code.columns.places[alive[code.columns.owners]]] = True
    return [int(i) for i in np.flatnonzero(~accessed)]


def _errors(experiment: DecodingExperiment, patterns: Patterns, trials: int) -> Values:
    """Errors of the patterns of the first trials, iteration-major."""
    decoder, name, packed = experiment.decoder, experiment.table.name, patterns.packed
    by_trial = (-1, patterns.batch.trials)
    if isinstance(decoder, TrialDecoder):
        found = decoder.errors_of(patterns)
    # one by one these may take seconds; of others it is the same calls for any trials
    elif trials < patterns.batch.trials and decoder.algorithm == "sparse":
        own = packed.reshape(*by_trial, packed.shape[1])[:, :trials]
        return in_range(decoder.errors(own.reshape(-1, packed.shape[1])), name)
    else:
        found = decoder.errors(packed)
    first = np.ascontiguousarray(found.reshape(by_trial)[:, :trials]).reshape(-1)
    return in_range(first, name)
