"""Measuring claims: every case by the sharpest method that it has, and a sample beside it."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from fastgc.engine.blocks import Limits
from fastgc.engine.executors.pool import Pool
from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.activity import Step
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import ENUMERATION, EXACT
from fastgc.results.stored import StoredUnit
from fastgc.results.verdict_data import NONE
from fastgc.runs.loop import Loop, UnitStep, Work
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import AS_N_GROWS, Claim
from fastgc.training import scikit
from fastgc.validation import certainties
from fastgc.validation.decision_rules import Evidence, is_certainty
from fastgc.validation.finite import measure as measure_finite
from fastgc.validation.requests import MOST, build_requests

DEFAULT_TRIALS = 200_000_000
#: Family-wise error rate: probability that any true statement of a whole run is refuted.
ALPHA = 0.01

Method = Literal["both", "exact", "monte-carlo"]


@dataclass(frozen=True)
class Options:
    """How claims are measured; the words of `fastgc.validate`."""

    trials: int = DEFAULT_TRIALS
    seed: int = 1
    method: Method = "both"
    alpha: float = ALPHA


@dataclass
class CaseEvidence:
    """What was found of each case (by its identity), and the tallies it came from.

    ``significance`` is that of one case's interval, so that those of all cases hold together.
    """

    significance: float
    evidence: dict[int, Evidence] = field(default_factory=dict)
    units: list[StoredUnit] = field(default_factory=list)


def _unmeasurable(claim: Claim) -> Evidence | None:
    nothing = Estimate(None, None)
    if claim.missing:
        return Evidence(nothing, NONE, obstacle=claim.missing, is_out_of_reach=True)
    if claim.needs == "data" and not scikit.installed():
        said = "needs scikit-learn; install the extra data: pip install 'fastgc-sim[data]'"
        return Evidence(nothing, obstacle=said)
    return None


@dataclass
class ValidationRun:
    """A validation under way: what is known of the cases, and the experiments that wait.

    ``found`` is called whenever more is known.
    """

    claims: Sequence[Claim]
    pool: Pool
    options: Options
    keeper: Checkpointer | None = None
    progress: Callable[[Step], None] | None = None
    found: Callable[[CaseEvidence], None] = lambda measured: None
    interrupted: Callable[[], str | None] = lambda: None

    def __post_init__(self) -> None:
        claims, options = self.claims, self.options
        self._started, self._is_sampled = time.monotonic(), options.method == "monte-carlo"
        self._units: dict[str, StoredUnit] = {} if self.keeper is None else self.keeper.units
        self._begun: list[StoredUnit] = []  # of those that wait, in the order of the loop
        self._before: list[int] = []
        self._relations: dict[int, str] = {}
        missing, certain = dict[int, Evidence](), set()
        for claim in claims:
            own = _unmeasurable(claim)
            missing |= {} if own is None else dict.fromkeys(map(id, claim.cases), own)
            for case in claim.cases:
                if math.isnan(case.theory):
                    said = f"the theory is not a number at {dict(case.point)}"
                    raise FastgcError(f"{claim.id}: {said}")
                self._relations[id(case)] = claim.relation
                stated = Estimate(case.theory, None)
                if claim.holds != AS_N_GROWS and is_certainty(case, claim.relation, stated):
                    certain.add(id(case))
        cases = [case for claim in claims for case in claim.cases if id(case) not in missing]
        is_patient = options.method == "exact"
        self._waiting = build_requests(cases, options.seed, certain, is_patient=is_patient)
        for each in self._waiting if self._is_sampled else ():
            if each.is_worst_case:
                said = "a worst case draws no trials; leave --method monte-carlo out to have it "
                none = Evidence(Estimate(None, None), obstacle=f"{said}searched for")
                missing |= dict.fromkeys(map(id, each.cases), none)
                self._waiting = [other for other in self._waiting if other is not each]
        judged = [e for e in self._waiting if self._is_sampled or not e.has_exact_method]
        significance = options.alpha / max(1, sum(len(each.cases) for each in judged))
        self.measured = CaseEvidence(significance, missing)

    def _show(self, name: str, step: UnitStep | None = None) -> None:
        if self.progress is None:
            return
        begun, before = self._begun, self._before
        done = sum(unit.stopped_by is not None for unit in begun) if step is None else step.finished
        passed = time.monotonic() - self._started
        self.progress(
            replace(
                Step.of_equal("experiments", done, len(before), name, passed),
                trials=sum(unit.trials for unit in begun) + sum(before[len(begun) :]),
                before=sum(before),
                decided=0,
                claims=len(self.claims),
                kept=None if self.keeper is None else self.keeper.kept,
                begun={"cores": self.pool.workers},
            )
        )

    def measure(self) -> CaseEvidence:
        """Measure every case of every claim; cases on the same experiment share its trials."""
        self._count_finite()
        self._ask_methods()
        self._started = time.monotonic()
        reason = Loop(
            len(self._waiting),
            self._work,
            self.pool,
            interrupted=self.interrupted,
            keeper=self.keeper,
            write=self._write,
            progress=None if self.progress is None else self._sampling,
            finished=self._finished,
        ).run()
        self._show("")
        if reason is not None:
            self._write()
            remedy = "nothing was kept; name a file with -o to be able to go on"
            if self.keeper is not None:
                remedy = f"kept in {self.keeper.partial}; the same command goes on"
            raise StoppedError(f"stopped early by {reason}: {remedy}")
        return self.measured

    def _count_finite(self) -> None:
        self._show("")
        evidence = self.measured.evidence
        for claim in self.claims:
            finite = [c for c in claim.cases if c.is_finite and id(c) not in evidence]
            for case in finite:
                value = Estimate(measure_finite(case.experiment), 0.0)
                evidence[id(case)] = Evidence(value, ENUMERATION)
            if finite:  # once a claim: all that wait for their verdicts are looked through
                self.found(self.measured)
                self._show(claim.id)

    def _ask_methods(self) -> None:
        # what needs no trials; experiments wait on of which cases are left
        left = []
        for each in self._waiting:
            is_certain = each.is_certainty and not self._is_sampled
            alone = certainties.certain_evidence(each) if is_certain else {}
            if len(alone) < len(each.cases) and each.is_worst_case:
                alone = certainties.worst_case_evidence(each, self._relations) | alone
            elif len(alone) < len(each.cases) and not self._is_sampled:
                # an exact value that a sample is held beside is found with that
                is_beside = not is_certain and each.has_exact_method
                is_asked = self.options.method == "exact" or not is_beside
                alone = (each.known(self.options.trials) if is_asked else {}) | alone
            each.settled = frozenset(alone)
            left += [each] if len(alone) < len(each.cases) else []
            if alone:
                self.measured.evidence |= alone
                self.found(self.measured)
                self._show(each.name)
        self._waiting, own = left, (self._units.get(each.unit.key) for each in left)
        self._before = [0 if unit is None else unit.trials for unit in own]

    def _sampling(self, step: UnitStep) -> None:
        self._show(self._waiting[step.number].name, step)

    def _work(self, number: int) -> Work:
        each, most = self._waiting[number], self.options.trials
        stored = self._units[each.unit.key] = each.unit.among(self._units)
        self._begun.append(stored)
        self.measured.units.append(stored)
        values = {} if self._is_sampled else each.exactly()
        self.measured.evidence |= {case: replace(x, is_awaited=True) for case, x in values.items()}
        self.found(self.measured)
        if len(values) == len(each.cases):
            most = min(most, MOST * each.unit.block)
        else:
            each.significance = self.measured.significance
        return Work(each.unit, stored, Limits(most, each))

    def _finished(self, number: int) -> None:
        each, evidence = self._waiting[number], self.measured.evidence
        samples = each.sampled(self._begun[number].total())
        for case, sample in zip(each.cases, samples, strict=True):
            own = evidence.get(id(case))
            if own is not None and own.method == EXACT:
                own = replace(own, is_awaited=False, sampled=sample.estimate)
                own = replace(own, kurtosis=sample.kurtosis)
            evidence[id(case)] = own or each.alone(case, sample)
        self.found(self.measured)
        self._show(each.name)

    def _write(self) -> None:
        # the tallies of all units so far; verdicts wait until all of them are done
        if self.keeper is not None:
            self.keeper.keep(list(self.keeper.units.values()), [], complete=False)
