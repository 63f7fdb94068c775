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
from fastgc.runs.loop import Loop, Work
from fastgc.runs.loop import UnitStep as LoopStep
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


def measure(
    claims: Sequence[Claim],
    pool: Pool,
    options: Options,
    *,
    keeper: Checkpointer | None = None,
    progress: Callable[[Step], None] | None = None,
    found: Callable[[CaseEvidence], None] = lambda measured: None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> CaseEvidence:
    """Measure every case of every claim; cases on the same experiment share its trials.

    ``found`` is called whenever more are known.
    """
    started, trials, is_sampled = time.monotonic(), options.trials, options.method == "monte-carlo"
    missing: dict[int, Evidence] = {}
    certain, relations, nothing = set(), {}, Estimate(None, None)
    for claim in claims:
        if claim.missing:
            own = Evidence(nothing, NONE, obstacle=claim.missing, is_out_of_reach=True)
            missing |= dict.fromkeys(map(id, claim.cases), own)
        elif claim.needs == "data" and not scikit.installed():
            said = "needs scikit-learn; install the extra data: pip install 'fastgc-sim[data]'"
            missing |= dict.fromkeys(map(id, claim.cases), Evidence(nothing, obstacle=said))
        for case in claim.cases:
            if math.isnan(case.theory):
                raise FastgcError(f"{claim.id}: the theory is not a number at {dict(case.point)}")
            relations[id(case)] = claim.relation
            stated = Estimate(case.theory, None)
            if claim.holds != AS_N_GROWS and is_certainty(case, claim.relation, stated):
                certain.add(id(case))
    cases = [case for claim in claims for case in claim.cases if id(case) not in missing]
    waiting = build_requests(cases, options.seed, certain, is_patient=options.method == "exact")
    if is_sampled:
        for each in waiting:
            if each.is_worst_case:
                said = "a worst case draws no trials; leave --method monte-carlo out to have it "
                none = Evidence(nothing, obstacle=f"{said}searched for")
                missing |= dict.fromkeys(map(id, each.cases), none)
        waiting = [each for each in waiting if not each.is_worst_case]
    judged = [each for each in waiting if is_sampled or not each.has_exact_method]
    significance = options.alpha / max(1, sum(len(each.cases) for each in judged))
    measured = CaseEvidence(significance, missing)
    known: dict[str, StoredUnit] = {} if keeper is None else keeper.units
    begun: list[StoredUnit] = []  # of those that wait, in the order of the loop
    before: list[int] = []

    def show(name: str, step: LoopStep | None = None) -> None:
        if progress is None:
            return
        done = sum(unit.stopped_by is not None for unit in begun) if step is None else step.finished
        passed = time.monotonic() - started
        progress(
            replace(
                Step.of_equal("experiments", done, len(before), name, passed),
                trials=sum(unit.trials for unit in begun) + sum(before[len(begun) :]),
                before=sum(before),
                decided=0,
                claims=len(claims),
                kept=None if keeper is None else keeper.kept,
                begun={"cores": pool.workers},
            )
        )

    show("")
    for claim in claims:
        finite = [c for c in claim.cases if c.is_finite and id(c) not in measured.evidence]
        for case in finite:
            value = Estimate(measure_finite(case.experiment), 0.0)
            measured.evidence[id(case)] = Evidence(value, ENUMERATION)
        if finite:  # once a claim: all that wait for their verdicts are looked through
            found(measured)
            show(claim.id)

    done = []
    for each in waiting:
        is_certain = each.is_certainty and not is_sampled
        alone = certainties.certain_evidence(each) if is_certain else {}
        if len(alone) < len(each.cases):
            if each.is_worst_case:
                alone = certainties.worst_case_evidence(each, relations) | alone
            else:
                is_beside = options.method == "both" and not is_certain and each.has_exact_method
                alone = ({} if is_sampled or is_beside else each.known(trials)) | alone
        each.settled = frozenset(alone)
        if alone:
            measured.evidence |= alone
            done += [each] if len(alone) == len(each.cases) else []
            found(measured)
            show(each.name)
    waiting = [each for each in waiting if each not in done]
    before = [known[each.unit.key].trials if each.unit.key in known else 0 for each in waiting]
    started = time.monotonic()

    def work(number: int) -> Work:
        each = waiting[number]
        stored = known[each.unit.key] = each.unit.among(known)
        begun.append(stored)
        measured.units.append(stored)
        values = {} if is_sampled else each.exactly()
        measured.evidence |= {case: replace(x, is_awaited=True) for case, x in values.items()}
        found(measured)
        most = trials
        if len(values) == len(each.cases):
            most = min(trials, MOST * each.unit.block)
        else:
            each.significance = measured.significance
        return Work(each.unit, stored, Limits(most, each))

    def finished(number: int) -> None:
        each = waiting[number]
        for case, sample in zip(each.cases, each.sampled(begun[number].total()), strict=True):
            own = measured.evidence.get(id(case))
            if own is not None and own.method == EXACT:
                own = replace(own, is_awaited=False, sampled=sample.estimate)
                own = replace(own, kurtosis=sample.kurtosis)
            measured.evidence[id(case)] = own or each.alone(case, sample)
        found(measured)
        show(each.name)

    def write() -> None:
        # the tallies of all units so far; verdicts wait until all of them are done
        if keeper is not None:
            keeper.keep(list(keeper.units.values()), [], complete=False)

    def sampling(step: LoopStep) -> None:
        show(waiting[step.number].name, step)

    reason = Loop(
        len(waiting),
        work,
        pool,
        interrupted=interrupted,
        keeper=keeper,
        write=write,
        progress=None if progress is None else sampling,
        finished=finished,
    ).run()
    show("")
    if reason is not None:
        write()
        remedy = "nothing was kept; name a file with -o to be able to go on"
        if keeper is not None:
            remedy = f"kept in {keeper.partial}; the same command goes on"
        raise StoppedError(f"stopped early by {reason}: {remedy}")
    return measured
