"""The sentences of `fastgc.advise`: what was found becomes a verdict, and what to do next."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fastgc.latency.empirical import Rate
from fastgc.latency.slowdown import Figure, Slowdown
from fastgc.planning.lateness import PARTS, Always, Late
from fastgc.planning.recording import FEWEST_BLOCKS
from fastgc.registry.numbers import counted
from fastgc.results.advised import Advice, BreakEven, Range, Remedy, at_cost, called, in_unit
from fastgc.results.ranking import written
from fastgc.systems.system import GRADIENTS

#: What is as good as the best, in parts of its time.
NEAR = 0.05
#: Halves agree on a system that takes at most so much longer than the best of the second.
AGREE = 2 * NEAR
#: Workers that a sentence names; and one that tells what to do.
_NAMED, _TO_DO = 3, 12
#: With S below this there is nothing to explain.
_LITTLE = 1.05


class Refusal(NamedTuple):
    """Why a recording cannot tell what to do, and what to do about that."""

    reason: str
    remedy: str = "Correct the recording, and look at it with `fastgc trace show`."


@dataclass(frozen=True)
class Findings:
    """What was found of a recording: ``refusal`` alone, or all the rest.

    ``named`` is the system chosen on the first half of the rows, ``remedies`` were judged on the
    other ``judged`` rows, in which perhaps another is ``better``, by a share of the time.
    All rows make ``blocks`` of ``length`` that are nearly independent; ``late`` are workers that
    nearly all late times belong to, ``always`` those that are late in all rounds, alone, ``drift``
    is one whose times rise or fall all the time, with its first and last mean, ``trend`` where a
    line through the rounds' mean times begins and ends.
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
    late: Late | None = None
    drift: tuple[int, float, float] | None = None
    trend: tuple[float, float] | None = None
    always: Always | None = None

    @property
    def system(self) -> dict[str, Any] | None:
        """The named system's table."""
        found: dict[str, Any] | None = None if self.named is None else self.named.settings()
        return found


def shortfall(time: float, best: float) -> float:
    """Return how much longer a time is than the best, in parts of that.

    >>> shortfall(5.0, 4.0), shortfall(3.0, 4.0)
    (0.25, 0.0)
    """
    if time <= best:
        return 0.0
    return time / best - 1 if best > 0 else math.inf


def worded(found: Findings) -> Advice:
    """Return the advice that follows from what was found."""
    facts = found.facts
    kind, verdict, then = _verdict(found)
    if found.always is not None and (kind == "unsure" or facts["stages"]):
        said = _always_slow(found.always, facts)
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


# ---- Why


def _why(found: Findings) -> tuple[str, ...]:
    """Say what waiting costs, who causes it, and from how many rounds this is known."""
    if found.refusal is not None or found.slowdown is None:
        return ()
    rows, since = found.facts["rows"], found.facts["since"]
    drift = () if found.trend is None else (growing(*found.trend),)
    chosen = f"on the first {rows - found.judged} of them"
    if found.trend is not None:
        chosen = f"on {rows - found.judged} of them, every other of {PARTS} parts"
    known = (
        f"The {rows} rounds are worth {_blocks(found)}. Remedies were chosen {chosen}, and gains "
        f"are of the other {found.judged}."
    )
    if since:
        why = found.facts["change"] or "the last ones are enough"
        known += f" Earlier rounds, up to row {since}, are left out: {why}."
    waiting = (
        "A round that waits for its slowest worker takes S = "
        f"{with_interval(found.slowdown.S)} times as long as a worker does on average."
    )
    return waiting, because(found.slowdown, found.late, found.facts), *drift, known


def because(found: Slowdown, late: Late | None, facts: Mapping[str, Any]) -> str:
    """Return who causes the waiting."""
    if found.M_W is None or found.balanced is None or found.S.high < _LITTLE:
        return "Workers take nearly the same time, so that little is lost by waiting."
    names = facts["names"]
    who, alone = listed([names[w] for w in found.slowest]), len(found.slowest) == 1
    first, *others = (found.S_w[w] for w in found.ranked)
    # of few workers, of two above all, any one's replacement takes much of the waiting away
    apart = all(first.high < one.low for one in others)
    if found.M_W.low > 0.5 and (not alone or (apart and found.ranked[0] == found.slowest[0])):
        said = f"{who} {'causes' if alone else 'cause'} most of the waiting"
        said += f": M_W = {with_interval(found.M_W)} of S − 1"
        if alone:
            said += f"; were it like the others, S would be {with_interval(first)}"
        return f"{said}."
    if late is not None:
        one = len(late.workers) == 1
        said = f"{listed([names[w] for w in late.workers])} {'is' if one else 'are'} late"
        said += f" in {late.rounds} of {facts['rows']} rounds, all others together in {late.others}"
        if late.explained.value > 0:
            said += f"; were {'it' if one else 'they'} like the others, "
            said += f"{with_interval(late.explained)} of S − 1 would go"
        return f"{said} (late: longer than {facts['threshold']:.3g}{in_unit(facts['unit'])})."
    left = f"{with_interval(found.balanced)} of S − 1 would be left"
    if found.balanced.low > 0.5:
        said = "No single worker causes the waiting: slow moments wander"
        if apart and len(others) > 1:
            top = called(names[found.ranked[0]])
            said = f"Were {top} like the others, S would be {with_interval(first)}"
        return f"{said}, and {left} if all workers were as fast on average."
    if found.balanced.high < 0.5:
        return f"Some workers are always slower than others: {left} if all were as fast on average."
    if found.M_W.value > 0:
        gone = f"M_W = {with_interval(found.M_W)} of S − 1"
        left = f"{gone} would go if {who} were like the others, and {left}"
    return f"Who causes the waiting is not certain: {left} if all workers were as fast on average."


def growing(first: float, last: float) -> str:
    """Return that rounds grow slower, or faster, all the time."""
    said = f"{abs(100 * (last / first - 1)):.2g} % {'slower' if last > first else 'faster'}"
    return (
        f"Rounds grow {said} from the first to the last: how that goes on the recording does not "
        "say, and its two halves are not comparable."
    )


def _blocks(found: Findings) -> str:
    """Return how many independent blocks there are."""
    if found.length == 1:
        return f"some {found.blocks} independent ones"
    return f"some {counted(found.blocks, 'independent blocks')} of {found.length} rounds"


# ---- The verdict


def _verdict(found: Findings) -> tuple[str, str, str]:
    """Return the kind of the advice, the verdict, and what to do next."""
    if found.refusal is not None:
        return "refused", f"Cannot tell: {found.refusal.reason}.", found.refusal.remedy
    if found.blocks < FEWEST_BLOCKS:
        rows = found.facts["rows"]
        said = (
            f"Cannot tell: the {rows} rounds are worth {_blocks(found)}, and {FEWEST_BLOCKS} are "
            "needed."
        )
        then = f"Record {max(FEWEST_BLOCKS * found.length, 2 * rows)} rounds or more"
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
    own = [each for each in found.remedies if each.system == found.system]
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
    share, mean, unit = found.facts["load"], found.facts["mean"], in_unit(found.facts["unit"])

    def in_terms(at: Figure) -> str:
        """A cost as what twice the work adds to a time; itself, where it is known, or not so."""
        if found.slope is not None or not share:
            return f"{_cost(at)}{unit}"
        part = 100 * share / mean  # what a worker has of all the work would come once more
        return f"{_cost(Figure(at.value * part, at.low * part, at.high * part))} %"

    why = "which the recording does not say"
    if found.slope is not None:
        wide = Figure(found.slope.value, found.rates[0], found.rates[-1])
        why = f"which is known as {_cost(wide)}{unit} only"
    parts = []
    for place, each in enumerate(ranges := found.ranges[::-1]):
        do = _advised(each.judged[0], found.facts["names"])
        do = do[0].lower() + do[1:]
        least = in_terms(each.low)
        if place == 0:  # at the highest costs times are in proportion to the work
            if each.system["family"] != "uncoded":
                gain = with_interval(each.judged[1].gain)
                do += f" (rounds {gain} times as fast at the highest cost)"
            condition = f"If all of the work costs more than {least} a round"
            if found.slope is None and share:
                condition = (
                    f"If twice the work takes {least} longer or more (in training it takes some "
                    "100 % longer)"
                )
            parts.append(f"{condition}, {do}")
        elif place < len(ranges) - 1:
            parts.append(f"from {least} to that, {do}")
        else:
            parts.append(f"below that, {do}")
    said = f"It depends on what load costs, {why}. {'; '.join(parts)}.{_local_steps(found)}"
    return "load", said, _two_loads(found)


def _of_remedy(found: Findings, own: Sequence[Remedy]) -> tuple[str, str, str]:
    least = min(own, key=lambda each: each.gain.low)
    most = max(own, key=lambda each: each.gain.value)
    if least.gain.low <= 1:
        gain = least.gain
        short = ((gain.value - gain.low) / (gain.value - 1)) ** 2 if gain.value > 1 else 4.0
        said = (
            f"Cannot tell: {own[0].name} was the best in the first half of the rounds, and that it "
            f"makes rounds faster is not certain by the other half: {with_interval(gain)} times "
            "as fast."
        )
        return "unsure", said, _more_rounds(found, max(2.0, short))

    def where(each: Remedy) -> str:
        return at_cost(each.rate, found.facts["unit"], known=found.slope is not None)

    times = f"{with_interval(least.gain)} times as fast"
    if most.gain.value > least.gain.value * (1 + NEAR):
        times += f" {where(least)}, {with_interval(most.gain)} times {where(most)}"
    said = f"{_advised(own[0], found.facts['names'])}: that makes rounds {times}"
    for each in own:
        rivals = [r for r in found.remedies if r.rate == each.rate and r.gradient == "exact"]
        best = min(rivals, key=lambda rival: rival.time.value)
        if each.time.value > best.time.value * (1 + NEAR):
            less = 100 * (1 - best.time.value / each.time.value)
            said += f"; {best.name} takes {less:.2g} % less time {where(each)}"
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


def _always_slow(found: Always, facts: Mapping[str, Any]) -> str:
    """Return who is slow in all rounds, how much, and what to do: certain on this recording."""
    names, stages, one = facts["names"], facts["stages"], len(found.workers) == 1
    it, its = ("it", "its") if one else ("them", "their")
    said = (
        f"{listed([names[w] for w in found.workers], _TO_DO)} {'takes' if one else 'take'} "
        f"{found.factor:.3g} times as long as the others in all {facts['rows']} rounds "
        f"({found.least:.3g} to {found.most:.3g} times in each)"
    )
    whole = [each for each, own in stages.items() if set(own) <= set(found.workers)]
    if stages and sum(len(stages[each]) for each in whole) == len(found.workers):
        which = f"stage {whole[0]}" if len(whole) == 1 else f"stages {', '.join(whole)}"
        return (
            f"{said}. That is {which} of a pipeline, which "
            "cannot be left out or coded: rebalance the stages, with fewer layers there."
        )
    if stages:
        return (
            f"{said}, and others of the same stage of the pipeline are fast. No pipeline can do "
            f"without {it}: look at {its} machines and data."
        )
    return f"{said}: repair or replace {it}, or give {it} less work."


def _advised(own: Remedy, names: Sequence[str]) -> str:
    """Return what to do, as a command to the reader; workers are named that are always left out."""
    system = own.system
    family, k, basis = system["family"], system.get("k", 0), system.get("basis", 10)
    its = "its" if k == 1 else "their"
    if family == "uncoded":
        return "Do nothing"
    if "who" in system:
        who = listed([names[w] for w in system["who"]], _TO_DO)
        return f"Leave out {who} in all rounds, and share {its} work among the others"
    if family == "leave-out":
        those = "the worker that was" if k == 1 else f"the {k} workers that were"
        return (
            f"Before every round leave out {those} slowest in the {basis} rounds before, and share "
            f"{its} work among the others"
        )
    if family == "balanced":
        return (
            "Before every round share out the work in proportion to the workers' speeds in the "
            f"{basis} rounds before (balanced)"
        )
    if family == "spare":
        n, spare = system["n"], counted(system["b"], "workers")
        return (
            f"Keep {spare} spare: give each worker a mini-batch of 1/{n}, and take the first {n} "
            f"answers ({own.name})"
        )
    return f"Use the code {own.name}, with {100 * own.load:.3g} % of the work on each worker"


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


# ---- Numbers and names


def _cost(found: Figure) -> str:
    """Return a cost with its interval.

    >>> _cost(Figure(37.441, 30.77, 44.102)), _cost(Figure(920.0, 777.0, 1081.0))
    ('37.4 [30.8, 44.1]', '920 [777, 1080]')
    """
    value, low, high = (f"{float(f'{e:.3g}'):g}" for e in (found.value, found.low, found.high))
    return f"{value} [{low}, {high}]"


def with_interval(found: Figure) -> str:
    """Return a number with its interval, to as many digits as that allows."""
    width = found.high - found.low
    digits = 2 if not math.isfinite(width) or width <= 0 else max(2, -math.floor(math.log10(width)))
    low, high = (f"{end:.{min(digits, 4)}f}".replace("inf", "∞") for end in (found.low, found.high))
    return f"{found.value:.{min(digits, 4)}f} [{low}, {high}]"


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """Return some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(map(called, names[:most])) + (f" and {more} more" if more > 0 else "")
