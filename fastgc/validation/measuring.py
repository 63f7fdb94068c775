"""Measuring claims: every case by the sharpest method that it has, and a sample beside it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from fastgc.engine.blocks import Limits
from fastgc.engine.executors.pool import Pool
from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.activity import Step
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import ENUMERATION, EXACT
from fastgc.results.stored import StoredUnit
from fastgc.results.verdicts import NONE
from fastgc.runs.loop import Loop, Work
from fastgc.runs.loop import Step as LoopStep
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import AS_N_GROWS, Claim
from fastgc.training import scikit
from fastgc.validation import certainties
from fastgc.validation.decision_rules import Evidence, is_certainty
from fastgc.validation.finite import measure as measure_finite
from fastgc.validation.progress import Watch
from fastgc.validation.requests import MOST, Measuring, NarrowEnough, WouldShow, requests_of

DEFAULT_TRIALS = 200_000_000
DEFAULT_ALPHA = 0.01

_NO_TRIALS = Evidence(
    Estimate(None, None),
    obstacle="a worst case draws no trials; leave --method monte-carlo out to have it searched for",
)

Method = Literal["both", "exact", "monte-carlo"]


@dataclass(frozen=True)
class Options:
    """How claims are measured, and where it is kept; the words of `fastgc.validate`."""

    trials: int = DEFAULT_TRIALS
    seed: int = 1
    alpha: float = DEFAULT_ALPHA
    method: Method = "both"
    out: Path | None = None
    checkpoint_seconds: float | None = None

    def check(self) -> None:
        """Refuse numbers out of range by a `FastgcError`."""
        if not 0 < self.alpha < 1:
            raise FastgcError(f"alpha: must be between 0 and 1 (got {self.alpha})")
        if self.trials < 1:
            raise FastgcError(f"trials: must be at least 1, a whole number (got {self.trials})")


@dataclass
class Measured:
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
    kept: Mapping[int, Evidence] = MappingProxyType({}),
    progress: Callable[[Step], None] | None = None,
    found: Callable[[Measured], None] = lambda measured: None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Measured:
    """Measure every case of every claim; cases on the same experiment share its trials.

    ``kept``: what is known of cases, by identity; ``found`` is called whenever more are known.
    """
    _refuse_nonsense(claims)
    trials, method = options.trials, options.method
    missing = _without_extras(claims) | _out_of_reach(claims)
    cases = [case for claim in claims for case in claim.cases if id(case) not in missing]
    relations = {id(case): claim.relation for claim in claims for case in claim.cases}
    certain = {
        id(case)
        for claim in claims
        for case in claim.cases
        if claim.holds != AS_N_GROWS
        and is_certainty(case, claim.relation, Estimate(case.theory, None))
    }
    waiting = [
        Measuring(
            each,
            options.seed,
            is_certainty=all(id(case) in certain for case in each.cases),
            is_patient=method == "exact",
        )
        for each in requests_of(cases, certain)
    ]
    if method == "monte-carlo":
        unsampled = [each for each in waiting if each.is_worst_case]
        missing |= {id(case): _NO_TRIALS for each in unsampled for case in each.cases}
        waiting = [each for each in waiting if not each.is_worst_case]
    judged = [each for each in waiting if method == "monte-carlo" or not each.has_exact_method]
    measured = Measured(options.alpha / max(1, sum(len(each.cases) for each in judged)))
    measured.evidence |= {**kept, **missing}
    known: dict[str, StoredUnit] = {} if keeper is None else keeper.units
    settled = {each: all(id(case) in kept for case in each.cases) for each in waiting}
    keys = [each.unit.key for each in waiting if settled[each]]
    measured.units += [known[key] for key in keys if key in known]
    waiting = [each for each in waiting if not settled[each]]
    watch = Watch(len(claims), pool.workers)
    begun: list[StoredUnit] = []  # of those that wait, in the order of the loop

    def show(name: str, step: LoopStep | None = None) -> None:
        if progress is not None:
            kept = None if keeper is None else keeper.kept
            progress(watch.step(name, begun, step, kept))

    def sampling(step: LoopStep) -> None:
        show(waiting[step.number].request.name, step)

    show("")
    for claim in claims:
        finite = [c for c in claim.cases if c.is_finite and id(c) not in measured.evidence]
        for case in finite:
            measured.evidence[id(case)] = Evidence(
                Estimate(measure_finite(case.experiment), 0.0), ENUMERATION
            )
        if finite:  # once a claim: all that wait for their verdicts are looked through
            found(measured)
            show(claim.id)
    if kept:
        found(measured)

    def exactly(each: Measuring) -> dict[int, Estimate]:
        """Cases of a request that the exact method decides."""
        if method == "monte-carlo" or not each.has_exact_method:
            return {}
        values = {id(case): each.exactly(case) for case in each.cases}
        return {case: value for case, value in values.items() if value is not None}

    def work(number: int) -> Work:
        each = waiting[number]
        stored = known[each.unit.key] = each.unit.among(known)
        begun.append(stored)
        measured.units.append(stored)
        values = exactly(each)
        for case in each.cases:
            if id(case) in values:
                measured.evidence[id(case)] = Evidence(values[id(case)], EXACT, is_awaited=True)
        found(measured)
        if len(values) == len(each.cases):
            most = min(trials, MOST * each.unit.block)
            return Work(each.unit, stored, Limits(most, WouldShow(each)))
        rule = NarrowEnough(each, measured.significance)
        return Work(each.unit, stored, Limits(trials, rule))

    def finished(number: int) -> None:
        each = waiting[number]
        for case, sample in zip(each.cases, each.sampled(begun[number].total()), strict=True):
            own = measured.evidence.get(id(case))
            if own is not None and own.method == EXACT:
                own = replace(own, sampled=sample.estimate, kurtosis=sample.kurtosis)
                own = replace(own, is_awaited=False)
            measured.evidence[id(case)] = own or each.alone(case, sample)
        found(measured)
        show(each.request.name)

    done = []
    for each in waiting:
        is_certain = each.is_certainty and method != "monte-carlo"
        alone = certainties.settled(each) if is_certain else {}
        if len(alone) == len(each.cases):
            pass  # nothing is left to be measured
        elif each.is_worst_case:
            alone = certainties.of_the_worst(each, relations) | alone
        else:
            exact: dict[int, Evidence] = {}
            if method == "exact" or is_certain:
                exact = {case: Evidence(value, EXACT) for case, value in exactly(each).items()}
            is_known = bool(exact) if is_certain else each.has_exact_method
            if method != "monte-carlo" and not is_known:
                exact = each.rarely(trials)
            alone = exact | alone
        each.settled = frozenset(alone)
        if not alone:
            continue
        measured.evidence |= alone
        done += [each] if len(alone) == len(each.cases) else []
        found(measured)
        show(each.request.name)
    waiting = [each for each in waiting if each not in done]
    before = [known[each.unit.key].trials if each.unit.key in known else 0 for each in waiting]
    beside = method != "monte-carlo"
    most = [
        min(trials, MOST * each.unit.block) if beside and each.has_exact_method else trials
        for each in waiting
    ]
    watch.expect(waiting, before, [max(both) for both in zip(most, before, strict=True)])

    def write() -> None:
        """Keep the tallies of all units so far; verdicts wait until all of them are done."""
        if keeper is not None:
            keeper.keep(list(keeper.units.values()), [], complete=False)

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
        raise _stopped(reason, keeper)
    return measured


def _refuse_nonsense(claims: Sequence[Claim]) -> None:
    for claim in claims:
        for case in claim.cases:
            if math.isnan(case.theory):
                raise FastgcError(f"{claim.id}: the theory is not a number at {dict(case.point)}")


def _without_extras(claims: Sequence[Claim]) -> dict[int, Evidence]:
    if scikit.installed():
        return {}
    said = "needs scikit-learn; install the extra data: pip install 'fastgc-sim[data]'"
    nothing = Evidence(Estimate(None, None), obstacle=said)
    return {id(case): nothing for c in claims if c.needs == "data" for case in c.cases}


def _out_of_reach(claims: Sequence[Claim]) -> dict[int, Evidence]:
    return {
        id(case): Evidence(Estimate(None, None), NONE, obstacle=claim.missing, is_out_of_reach=True)
        for claim in claims
        if claim.missing
        for case in claim.cases
    }


def _stopped(reason: str, keeper: Checkpointer | None) -> StoppedError:
    if keeper is None:
        remedy = "nothing was kept; name a file with -o to be able to go on"
    else:
        remedy = f"kept in {keeper.partial}; the same command goes on"
    return StoppedError(f"stopped early by {reason}: {remedy}")
