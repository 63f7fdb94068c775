"""The exact methods of a decoding experiment: all patterns enumerated, and the worst one found."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from fastgc.codes.code import Code
from fastgc.decoding import worst
from fastgc.decoding.decoder import Decoder, lost
from fastgc.errors import FastgcError
from fastgc.experiments.decoding.auditing import ErrorAudit
from fastgc.experiments.decoding.decoding_table import DecodingTable
from fastgc.experiments.decoding.measures import MemberMeasure, class_of
from fastgc.experiments.decoding.measures.base import ErrorMeasure, TrialLaw, named
from fastgc.experiments.methods import ROUNDING, ExactMethod, Statistic
from fastgc.registry.cached import cached_property
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.stragglers.pattern_law import PatternLaw

MOST_WORKERS = 24
#: Seconds to decode a pattern, and to go through all patterns once, for each: measured on a core of
#: a shared 2-core machine for every family at n = 14 and 18 (41 to 347 ns decoding, 30 to 120 ns a
#: pass), and rounded up.
DECODING_SECONDS = 5e-7
PASS_SECONDS = 1e-7


#: Measures that count, and those that are errors, of which it is known what rounding does.
_COUNTED = frozenset({"survivors", "not_accessed", "lost"})
_ERRORS = frozenset({"error", "mean_error", "error_by_survivors", "error_per_partition"})


@dataclass(frozen=True, eq=False)
class Enumeration(ExactMethod):
    """Enumeration of all patterns, each with its probability.

    Every measure is enumerated for itself: one that is only sampled takes it from no other.
    """

    table: DecodingTable
    code: Code
    #: Give the code's decoder, its stragglers, and the measures by name; they are made when they
    #: are needed.
    decoder: Callable[[], Decoder]
    law: Callable[[], PatternLaw]
    measures: Callable[[], Mapping[str, ErrorMeasure]]

    @property
    def _trial(self) -> TrialLaw:  # not kept, for its arrays are large
        return TrialLaw(self.table, self.code, self.decoder, self.law())

    @cached_property
    def patterns(self) -> int:
        return 1 << self.code.n

    @cached_property
    def cost(self) -> float:
        trial = self._trial
        passes = sum(class_of(name).passes(trial) for name in self.table.measure)
        return self.patterns * (DECODING_SECONDS + float(passes) * PASS_SECONDS)

    @cached_property
    def why_not(self) -> str | None:
        """Why enumeration gives nothing, or less than is required; None where it applies."""
        if self.code.n > MOST_WORKERS:
            return f"exact method not taken: 2^{self.code.n} patterns"
        unknown = self.law().without_distribution()
        if unknown is not None:
            return f"no exact method: {named(self.table.stragglers)} {unknown}"
        missing = len(self._only_sampled)
        if missing < len(self.table.measure) and (not missing or self.table.method != "exact"):
            return None
        name, why = next(iter(self._only_sampled.items()))
        return f"no exact method: {name} {why}"

    def refusal(self) -> FastgcError:
        n = self.code.n
        if n > MOST_WORKERS:
            return FastgcError(
                f'method: "exact" enumerates 2ⁿ patterns and takes n ≤ {MOST_WORKERS} '
                f'(got n={n}); use "monte-carlo"'
            )
        return super().refusal()

    def _statistics(self) -> Iterator[Statistic]:
        trial, measures = self._trial, self.measures()
        most = float(trial.errors.max())
        # probabilities of further patterns may have underflown
        mean = 0.0
        is_sure = trial.pooled[trial.pooled > 0].min() >= math.sqrt(estimates.SMALLEST)
        for name in self.table.measure:
            if name not in self._only_sampled:
                for statistic, index, estimate in measures[name].exactly(trial):
                    if statistic == "mean":  # stands before all others
                        mean = estimate.value or 0.0
                    if estimate.rounding is None and estimate.value is not None:
                        rounded = self._rounding(name, statistic, estimate.value, mean, most)
                        estimate = replace(estimate, rounding=rounded)
                    found = estimate if is_sure else _unsure(statistic, estimate)
                    yield name, statistic, index, ErrorAudit.trusted(found, trial.decoder)

    def _rounding(
        self, name: str, statistic: str, value: float, mean: float, most: float
    ) -> float | None:
        """By how much rounding may have changed a value, at most; None where that is not known.

        An error e ≤ ``most`` is a sum of positive numbers, or a square whose root is wrong by δ:
        ê − e ≤ 2 δ √e + δ², so that for means Jensen gives the same. A variance is a difference.
        """
        root = 0.0
        if name in _ERRORS and isinstance(self.table.decoder, str):
            root = self.decoder().root_lost
            if name == "error_per_partition":
                root, most = root / math.sqrt(self.code.k), most / self.code.k
        elif name not in _COUNTED:
            return None
        if statistic != "variance":
            return lost(value, root)
        known = ROUNDING * (value + mean**2) + (2.0 * math.sqrt(most) + 5.0 * root) * root * mean
        return 4.0 * (known + root**4)

    def left_out(self) -> Iterator[Statistic]:
        for name in self.table.measure:
            why = self._only_sampled.get(name)
            if why is not None:
                yield name, "mean", None, _nothing(f"{name} {why}")
                continue
            for statistic, index, reason in class_of(name).left_out(self._trial):
                yield name, statistic, index, _nothing(reason)

    @cached_property
    def _only_sampled(self) -> dict[str, str]:
        found = {}
        for name in self.table.measure:
            kind, why = class_of(name), class_of(name).ONLY_SAMPLED
            if issubclass(kind, MemberMeasure) and self.table.iterations > 1:
                why = cast(MemberMeasure, self.measures()[name]).only_sampled()
            if why is not None:
                found[name] = why
        return found


def _unsure(statistic: str, estimate: Estimate) -> Estimate:
    if estimate.value is None:
        note = "never happens, or so seldom that its probability underflows"
        return replace(estimate, note=note)
    if statistic in ("mean", "variance") or statistic.startswith("P("):
        return estimates.not_surely_zero(estimate)
    if statistic in ("minimum", "maximum"):
        return estimate.noting("of what has a probability that does not underflow")
    return estimate


@dataclass(frozen=True, eq=False)
class WorstCase(ExactMethod):
    """The largest error that so many stragglers can cause, and who they are."""

    is_worst_case = True
    why_not = None  # something is always found

    decoder: Callable[[], Decoder]
    code: Code
    stragglers: int

    @property
    def name(self) -> str:
        if "largest" in self.__dict__:
            known = self.largest.is_exact
        else:
            known = worst.is_exact(self.decoder(), self.code, self.stragglers)
        return "exact" if known else "lower-bound"

    @cached_property
    def cost(self) -> float:
        return worst.seconds(self.decoder(), self.code, self.stragglers)

    @cached_property
    def largest(self) -> worst.Worst:
        """The worst set that is known or found."""
        return worst.worst_case(self.decoder(), self.code, self.stragglers)

    def _statistics(self) -> Iterator[Statistic]:
        found, decoder = self.largest, self.decoder()
        most = None if decoder.is_coarse else decoder.lost(found.error)
        estimate = Estimate(found.error, 0.0, at_most=found.at_most, rounding=most)
        estimate = estimate.noting(found.remark) if found.remark else estimate
        yield "error", "maximum", None, ErrorAudit.trusted(estimate, decoder)


def _nothing(why: str) -> Estimate:
    return Estimate(None, None, note=f"not known exactly: {why}")
