"""The sentences of `fastgc.advise`: what was found becomes a verdict, and what to do next."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fastgc.latency.empirical import Rate
from fastgc.latency.slowdown import Figure, Slowdown
from fastgc.planning.lateness import Always, Late
from fastgc.planning.phrases import (
    advised,
    always_slow,
    because,
    blocks_of,
    cost,
    growing,
    rounds_of,
    waiting,
    where,
    with_interval,
)
from fastgc.planning.recording import FEWEST_BLOCKS
from fastgc.results.advised import Advice, BreakEven, Range, Remedy, called, in_unit
from fastgc.results.ranking import written
from fastgc.systems.system import GRADIENTS

#: What is as good as the best, in parts of its time.
NEAR = 0.05
#: Halves agree on a system that takes at most so much longer than the best of the second.
AGREE = 2 * NEAR


class Refusal(NamedTuple):
    """Why a recording cannot tell what to do, and what to do about that."""

    reason: str
    remedy: str = "Correct the recording, and look at it with `fastgc trace show`."


@dataclass(frozen=True)
class Findings:
    """What was found of a recording: ``refusal`` alone, or all the rest.

    ``named`` is the system chosen on the first half of the rows, ``remedies`` were judged on the
    other ``judged`` rows, in which perhaps another is ``better``, by a share of the time.
    All rows make ``blocks`` of ``length`` that are nearly independent, of which there may be too
    ``few``; ``late`` are workers that nearly all late times belong to, ``always`` those that are
    late in all rounds, alone, ``drift`` is one whose times rise or fall all the time, with its
    first and last mean, ``trend`` where a line through the rounds' mean times begins and ends.
    """

    facts: Mapping[str, Any]
    refusal: Refusal | None = None
    slope: Rate | None = None
    rates: tuple[float, ...] = ()
    named: Any = None
    ranges: tuple[Range, ...] = ()
    better: tuple[Any, float] | None = None
    remedies: tuple[Remedy, ...] = ()
    slowdown: Slowdown | None = None
    break_even: BreakEven | None = None
    judged: int = 0
    length: int = 1
    blocks: int = 0
    few: bool = False
    late: Late | None = None
    drift: tuple[int, float, float] | None = None
    trend: tuple[float, float] | None = None
    always: Always | None = None

    @property
    def in_unit(self) -> str:
        """The unit behind a number; nothing where it is not known."""
        return in_unit(self.facts["unit"])

    @property
    def system(self) -> dict[str, Any] | None:
        """The named system's table."""
        found: dict[str, Any] | None = None if self.named is None else self.named.settings()
        return found

    def at(self, rate: float, *, of: str = "exact") -> list[Remedy]:
        """Remedies at a rate that do one thing to the gradient."""
        return [each for each in self.remedies if each.rate == rate and each.gradient == of]

    def own(self) -> list[Remedy]:
        """The named system at each rate."""
        return [each for each in self.remedies if each.system == self.system]


def shortfall(time: float, best: float) -> float:
    """Return how much longer a time is than the best, in parts of that.

    >>> shortfall(5.0, 4.0), shortfall(3.0, 4.0)
    (0.25, 0.0)
    """
    if time <= best:
        return 0.0
    return time / best - 1 if best > 0 else math.inf


def _why(found: Findings) -> tuple[str, ...]:
    if found.refusal is not None or found.slowdown is None:
        return ()
    drift = () if found.trend is None else (growing(*found.trend),)
    return (
        waiting(found.slowdown),
        because(found.slowdown, found.late, found.facts),
        *drift,
        rounds_of(
            found.facts,
            found.judged,
            blocks_of(found.blocks, found.length),
            in_turns=found.trend is not None,
        ),
    )


def worded(found: Findings) -> Advice:
    """Return the advice that follows from what was found."""
    facts = found.facts
    kind, verdict, then = _verdict(found)
    stages = facts["stages"]
    if found.always is not None and (kind == "unsure" or stages):
        said = always_slow(found.always, facts, stages)
        rest = verdict.replace("Cannot tell:", "What else is best is not certain:")
        kind, verdict = "slow", f"{said} {rest}" if kind == "unsure" else said
        then = f"Do that, and record again. {then}" if rest != verdict else then
    return Advice(
        trace=facts["trace"],
        workers=len(facts["names"]),
        rounds=facts["rows"],
        kind=kind,
        verdict=verdict,
        why=_why(found),
        next=then,
        system=found.system if kind in ("remedy", "nothing") else None,
        ranges=found.ranges if kind == "load" else (),
        remedies=tuple(
            sorted(
                found.remedies,
                key=lambda each: (each.rate, GRADIENTS.index(each.gradient), each.time.value),
            )
        ),
        break_even=found.break_even,
        slowdown=found.slowdown,
        load=facts["load"],
        rates=found.rates,
        rate_known=found.slope is not None,
        names=facts["names"],
        unit=facts["unit"],
    )


def _verdict(found: Findings) -> tuple[str, str, str]:
    """Return the kind of the advice, the verdict, and what to do next."""
    if found.refusal is not None:
        return "refused", f"Cannot tell: {found.refusal.reason}.", found.refusal.remedy
    if found.few:
        need = FEWEST_BLOCKS * found.length
        said = (
            f"Cannot tell: the {found.facts['rows']} rounds are worth "
            f"{blocks_of(found.blocks, found.length)}, and {FEWEST_BLOCKS} are needed."
        )
        then = f"Record {max(need, 2 * found.facts['rows'])} rounds or more"
        if found.drift is not None:
            worker, first, last = found.drift
            then += (
                f", when times are steady: the mean of {called(found.facts['names'][worker])} goes "
                f"from {first:.3g} in the first quarter of the rounds to {last:.3g} in the last, "
                "and more rounds alone do not cure that"
            )
        return "unsure", said, f"{then}."
    if found.named is None:
        return _of_ranges(found)
    own = found.own()
    if found.better is not None:
        best, saved = found.better
        said = (
            f"Cannot tell: {own[0].name} was the best in the first half of the rounds, but in the "
            f"other half {written(best.settings())} takes {100 * saved:.2g} % less time."
        )
        return "unsure", said, _more_rounds(found, 2)
    if own[0].system["family"] == "uncoded":
        return _of_nothing(found)
    return _of_remedy(found, own)


def _of_ranges(found: Findings) -> tuple[str, str, str]:
    """Return an advice for each cost of load, where all of it holds in the rows not chosen on."""
    coded = [each for each in found.ranges if each.system["family"] != "uncoded"]
    gains = [max(each.judged, key=lambda one: one.gain.value).gain for each in coded]
    behind = max((each.behind for each in found.ranges), default=math.inf)
    if behind > AGREE or any(gain.low <= 1 for gain in gains):
        said = (
            "Cannot tell: what is best depends on what load costs, and the two halves of the "
            "rounds do not agree on what is best at which cost."
        )
        return "unsure", said, _more_rounds(found, 2)
    ranges, names = found.ranges[::-1], found.facts["names"]
    if found.slope is not None:
        wide = Figure(found.slope.value, found.rates[0], found.rates[-1])
        why = f"which is known as {cost(wide)}{found.in_unit} only"
    else:
        why = "which the recording does not say"
    parts = []
    for place, each in enumerate(ranges):
        do = advised(each.judged[0], names)
        do = do[0].lower() + do[1:]
        if place == 0:
            gain = each.judged[1].gain
            if each.system["family"] != "uncoded":
                do += f" (rounds {with_interval(gain)} times as fast at the highest cost)"
            parts.append(f"{_condition(found, each.low)}, {do}")
        elif place < len(ranges) - 1:
            parts.append(f"from {_in_terms(found, each.low)} to that, {do}")
        else:
            parts.append(f"below that, {do}")
    said = f"It depends on what load costs, {why}. {'; '.join(parts)}.{_local_steps(found)}"
    return "load", said, _two_loads(found)


def _condition(found: Findings, least: Figure) -> str:
    """Return the condition of the highest costs: there times in proportion to the work are."""
    if found.slope is not None or not found.facts["load"]:
        return f"If all of the work costs more than {_in_terms(found, least)} a round"
    longer = f"{_in_terms(found, least)} longer or more"
    return f"If twice the work takes {longer} (in training it takes some 100 % longer)"


def _in_terms(found: Findings, at: Figure) -> str:
    """Return a cost as what twice the work adds to a time; itself, where it is known, or not so."""
    share, mean = found.facts["load"], found.facts["mean"]
    if found.slope is not None or not share:
        return f"{cost(at)}{found.in_unit}"
    part = 100 * share / mean  # what a worker has of all the work would come once more
    return f"{cost(Figure(at.value * part, at.low * part, at.high * part))} %"


def _of_remedy(found: Findings, own: Sequence[Remedy]) -> tuple[str, str, str]:
    least = min(own, key=lambda each: each.gain.low)
    if least.gain.low <= 1:
        gain = least.gain
        short = ((gain.value - gain.low) / (gain.value - 1)) ** 2 if gain.value > 1 else 4.0
        said = (
            f"Cannot tell: {own[0].name} was the best in the first half of the rounds, and that it "
            f"makes rounds faster is not certain by the other half: {with_interval(gain)} times "
            "as fast."
        )
        return "unsure", said, _more_rounds(found, max(2.0, short))
    times = f"{with_interval(least.gain)} times as fast"
    most = max(own, key=lambda each: each.gain.value)
    if most.gain.value > least.gain.value * (1 + NEAR):
        times += (
            f" {where(found.slope, least.rate, found.in_unit)}, {with_interval(most.gain)} times "
            f"{where(found.slope, most.rate, found.in_unit)}"
        )
    do = advised(own[0], found.facts["names"])
    said = f"{do}: that makes rounds {times}"
    for each in own:
        best = _best(found, each.rate)
        if each.time.value > best.time.value * (1 + NEAR):
            said += f"; {_faster(best, each)} {where(found.slope, each.rate, found.in_unit)}"
    return "remedy", f"{said}.", _tried(found, own[0])


def _of_nothing(found: Findings) -> tuple[str, str, str]:
    others = [each for each in found.remedies if each.gradient == "exact"]
    others = [each for each in others if each.system["family"] != "uncoded"]
    later = "Record again when workers or the work change."
    if not others:
        return "nothing", "Do nothing: there is no other system for so few workers.", later
    rivals = [
        max((each for each in others if each.rate == rate), key=lambda each: each.gain.value)
        for rate in found.rates
        if any(each.rate == rate for each in others)
    ]
    best = max(rivals, key=lambda each: each.gain.high)
    gain = f"{best.name}, makes rounds {with_interval(best.gain)} times as fast"
    if best.gain.high > 1 + 2 * NEAR:
        said = (
            f"Cannot tell: nothing gained more than {100 * NEAR:g} % in the first half of the "
            f"rounds, but by the other half the best remedy, {gain}."
        )
        return "unsure", said, _more_rounds(found, 4)
    said = f"Do nothing: of the remedies that keep the gradient exact, the best, {gain}."
    return "nothing", f"{said}{_local_steps(found)}", later


def _local_steps(found: Findings) -> str:
    """Return what local steps gain where that is certain at every rate; else nothing."""
    stale = [each for each in found.remedies if each.gradient == "stale"]
    least = min(stale, key=lambda each: each.gain.low, default=None)
    if least is None or len(stale) < len(found.rates) or least.gain.low <= 1:
        return ""
    return (
        f" If stale gradients will do, {least.name} makes rounds {with_interval(least.gain)} times "
        "as fast, whatever load costs; what the loss pays for it, times do not show."
    )


def _best(found: Findings, rate: float) -> Remedy:
    return min(found.at(rate), key=lambda each: each.time.value)


def _faster(best: Remedy, each: Remedy) -> str:
    return f"{best.name} takes {100 * (1 - best.time.value / each.time.value):.2g} % less time"


# ---- What to do next


def _again(found: Findings, other: float) -> str:
    """Return the options that take another recording for what load costs."""
    load, n = found.facts["load"], len(found.facts["names"])
    own = "" if math.isclose(load, 1 / n) else f"--load {load:.4g} "
    return f"the same command with `{own}--fit OTHER.csv:{other:.4g}`"


def _two_loads(found: Findings) -> str:
    if found.slope is not None:
        return "Record at a third load, or more rounds, so that the cost has a smaller error."
    load = found.facts["load"]
    other = (2 if load <= 0.5 else 0.5) * load if load else 1 / len(found.facts["names"])
    much = "work" if not load else "twice the work" if load <= 0.5 else "half the work"
    return (
        f"Find out what load costs: record the same workers with {much}, {100 * other:.4g} % of "
        f"all of it on each, and run {_again(found, other)}."
    )


def _more_rounds(found: Findings, times: float) -> str:
    rows = found.facts["rows"] * min(times, 100.0)
    digits = 10 ** max(0, math.floor(math.log10(rows)) - 1)
    return f"Record {math.ceil(rows / digits) * digits} rounds or more."


def _tried(found: Findings, own: Remedy) -> str:
    if "who" in own.system:
        return (
            "Look at what is left out: sound workers in its place would be better still. Then "
            "record again, and run `fastgc advise` on the new recording."
        )
    if own.system["family"] in ("leave-out", "balanced"):
        return "Do it, record the workers again, and run `fastgc advise` on the new recording."
    return (
        f"Try it: time {100 * own.load:.3g} % of the work on each worker, which the recording does "
        f"not have, and run {_again(found, own.load)}."
    )
