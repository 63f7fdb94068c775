"""The sentences of `fastgc.advise`: what was found becomes a verdict, why, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fastgc.latency.rates import Rate
from fastgc.latency.slowdown import Figure, Slowdown
from fastgc.planning.advised import Advice, BreakEven, Remedy
from fastgc.planning.recording import FEWEST_BLOCKS
from fastgc.systems.system import GRADIENTS

#: What is as good as the best, in parts of its time.
NEAR = 0.05
#: Workers that a sentence names.
_NAMED = 3


class Refusal(NamedTuple):
    """Why a recording cannot tell what to do, and what to do about that."""

    reason: str
    remedy: str = "Correct the recording, and look at it with `fastgc trace show`."


@dataclass(frozen=True)
class Findings:
    """What was found of a recording: ``refusal`` alone, or all the rest.

    ``named`` is the system chosen on the first half of the rows, ``remedies`` were judged on the
    other ``judged`` rows, ``slowest`` are the workers by their last times. All rows make ``blocks``
    of ``length`` that are nearly independent, of which there may be too ``few``.
    """

    facts: Mapping[str, Any]
    refusal: Refusal | None = None
    slope: Rate | None = None
    rates: tuple[float, ...] = ()
    named: Any = None
    remedies: tuple[Remedy, ...] = ()
    slowdown: Slowdown | None = None
    break_even: BreakEven | None = None
    judged: int = 0
    length: int = 1
    blocks: int = 0
    slowest: tuple[int, ...] = ()
    few: bool = False

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


def shortfall(time: float, best: float, uncoded: float) -> float:
    """Return how far a time is from the best: as a share of that, or of what the best saves.

    The smaller one counts: where a remedy takes away nearly all of what is lost, what is left may
    still be many times as long as the rest that a better one leaves.

    >>> round(shortfall(1.04, 1.0, 1.1), 12), shortfall(15.0, 10.0, 110.0)
    (0.04, 0.05)
    """
    if time <= best:
        return 0.0
    saved = (time - best) / (uncoded - best) if uncoded > best else math.inf
    return min(saved, time / best - 1 if best > 0 else math.inf)


def worded(found: Findings) -> Advice:
    """Return the advice that follows from what was found."""
    facts = found.facts
    kind, verdict, then = _verdict(found)
    return Advice(
        trace=facts["trace"],
        workers=len(facts["names"]),
        rounds=facts["rows"],
        kind=kind,
        verdict=verdict,
        why=_why(found),
        next=then,
        system=found.system if kind in ("remedy", "nothing") else None,
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
            f"Cannot tell: {found.facts['rows']} rows are some {found.blocks} independent blocks "
            f"of {found.length}, and {FEWEST_BLOCKS} are needed."
        )
        return "unsure", said, f"Record {max(need, 2 * found.facts['rows'])} rows or more."
    if found.named is None:
        ends = [
            f"{_favourite(found, rate)} {_where(found, rate)}"
            for rate in (found.rates[0], found.rates[-1])
        ]
        said = (
            f"Cannot tell before it is known what load costs: best is {', and '.join(ends)}"
            f"{_pay(found)}{_local_steps(found)}."
        )
        return "load", said, _two_loads(found)
    own = found.own()
    for each in own:
        best, uncoded = _best(found, each.rate), found.at(each.rate)[0]
        if shortfall(each.time.value, best.time.value, uncoded.time.value) > 2 * NEAR:
            faster = 100 * (1 - best.time.value / each.time.value)
            return (
                "unsure",
                (
                    f"Cannot tell: the first half of the rows names {each.name}, but in the other "
                    f"half {best.name} takes {faster:.2g} % less time."
                ),
                _more_rows(found, 2),
            )
    if own[0].system["family"] == "uncoded":
        return _of_nothing(found)
    return _of_remedy(found, own)


def _of_remedy(found: Findings, own: Sequence[Remedy]) -> tuple[str, str, str]:
    least = min(own, key=lambda each: each.gain.low)
    if least.gain.low <= 1:
        gain = least.gain
        short = ((gain.value - gain.low) / (gain.value - 1)) ** 2 if gain.value > 1 else 4.0
        return (
            "unsure",
            (
                f"Cannot tell: {own[0].name} was the best in the first half of the rows, and its "
                f"gain in the other half, {_gain(gain)}, is not certainly more than 1."
            ),
            _more_rows(found, max(2.0, short)),
        )
    times = f"{_gain(least.gain)} times as long"
    most = max(own, key=lambda each: each.gain.value)
    if most.gain.value > least.gain.value * (1 + NEAR):
        times += f" {_where(found, least.rate)}, {_gain(most.gain)} {_where(found, most.rate)}"
    said = f"{_advised(found, own[0])}: uncoded work takes {times}"
    for each in own:
        best = _best(found, each.rate)
        if each.time.value > best.time.value * (1 + NEAR):
            faster = 100 * (1 - best.time.value / each.time.value)
            said += f"; {best.name} takes {faster:.2g} % less time still {_where(found, each.rate)}"
    return "remedy", f"{said}.", _tried(found, own[0])


def _of_nothing(found: Findings) -> tuple[str, str, str]:
    rivals = [
        max(
            (each for each in found.at(rate) if each.system["family"] != "uncoded"),
            key=lambda each: each.gain.value,
            default=None,
        )
        for rate in found.rates
    ]
    best = max((each for each in rivals if each), key=lambda each: each.gain.high, default=None)
    if best is None:
        return "nothing", "Do nothing: there is no other system for so few workers.", _later(found)
    if best.gain.high > 1 + 2 * NEAR:
        return (
            "unsure",
            (
                f"Cannot tell: nothing gained more than {100 * NEAR:g} % in the first half of the "
                f"rows, but {best.name} may gain {_gain(best.gain)} by the other half."
            ),
            _more_rows(found, 4),
        )
    said = (
        f"Do nothing: of the remedies that keep the gradient exact, the best, {best.name}, is "
        f"{_gain(best.gain)} times as fast as uncoded work"
    )
    return "nothing", f"{said}{_local_steps(found)}.", _later(found)


def _local_steps(found: Findings) -> str:
    """Return what local steps gain where that is certain at every rate; else nothing."""
    stale = [each for each in found.remedies if each.gradient == "stale"]
    least = min(stale, key=lambda each: each.gain.low, default=None)
    if least is None or len(stale) < len(found.rates) or least.gain.low <= 1:
        return ""
    return (
        f"; if stale gradients will do, {least.name} gains {_gain(least.gain)} in time at any "
        "cost of load, which says nothing of the loss"
    )


def _favourite(found: Findings, rate: float) -> str:
    """Return the best at a rate: uncoded work, if that is near it."""
    best, uncoded = _best(found, rate), found.at(rate)[0]
    near = shortfall(uncoded.time.value, best.time.value, uncoded.time.value) <= NEAR
    return (uncoded if near else best).name


def _pay(found: Findings) -> str:
    """Return up to what cost of load codes pay; nothing where that is not known."""
    even = found.break_even
    if even is None or not 0 < even.value < even.highest:
        return ""
    return (
        f"; codes pay while all of the work costs less than {even.value:.3g} "
        f"[{even.low:.3g}, {even.high:.3g}] {found.facts['unit']} a round"
    )


def _best(found: Findings, rate: float) -> Remedy:
    return min(found.at(rate), key=lambda each: each.time.value)


def _advised(found: Findings, own: Remedy) -> str:
    """Return what to do, as a command to the reader."""
    system, names = own.system, found.facts["names"]
    family = system["family"]
    if family == "leave-out":
        k = system["k"]
        who = _listed([names[w] for w in found.slowest[:k]])
        slowest = "the slowest worker" if k == 1 else f"the {k} slowest workers"
        return f"Leave out {slowest} ({who}) and share the work among the others"
    if family == "balanced":
        return "Share out the work in proportion to the workers' speeds (balanced)"
    if family == "spare":
        spare = "1 worker" if system["b"] == 1 else f"{system['b']} workers"
        return (
            f"Keep {spare} spare: give {system['n']} mini-batches' work to all, and take the "
            f"first {system['n']} answers ({own.name})"
        )
    return f"Use the code {own.name}, with {100 * own.load:.3g} % of the work on each worker"


def _why(found: Findings) -> tuple[str, ...]:
    """Return who causes it, what waiting costs, and how sure that is."""
    facts, cost = found.facts, found.slowdown
    change = (
        ""
        if facts["change"] is None
        else (
            f" What is said is of the {facts['rows']} rows after row {facts['since']}: "
            f"{facts['change']}."
        )
    )
    if found.refusal is not None or cost is None:
        return ()
    said = (
        f"This is from {facts['rows']} rows, some {found.blocks} independent "
        f"{'block' if found.blocks == 1 else 'blocks'} of {found.length}; remedies were chosen on "
        f"the first {facts['rows'] - found.judged} rows, and gains are of the other "
        f"{found.judged}.{change}"
    )
    whole = (
        f"A round that waits for all takes S = {_gain(cost.S)} times as long as a worker does on "
        "average."
    )
    return _cause(found, cost), whole, said


def _cause(found: Findings, cost: Slowdown) -> str:
    names = found.facts["names"]
    if cost.M_W is None or cost.balanced is None or cost.S.high < 1 + NEAR:
        return "Workers take nearly the same time, so that little is lost by waiting."
    who = _listed([names[w] for w in cost.slowest])
    if cost.M_W.low > 0.5:
        verb = "causes" if len(cost.slowest) == 1 else "cause"
        them = "its times" if len(cost.slowest) == 1 else "their times"
        first = cost.ranked[0]
        rest = ""
        if len(cost.slowest) == 1 and first == cost.slowest[0]:
            rest = f", and S would be {_gain(cost.S_w[first])} with {them} like the others'"
        return f"{who} {verb} most of it: M_W = {_gain(cost.M_W)} of the excess{rest}."
    left = _gain(cost.balanced)
    if cost.balanced.low > 0.5:
        return (
            f"No worker causes it: slow moments wander, and {left} of the excess would be left if "
            "all workers were as fast on average."
        )
    if cost.balanced.high < 0.5:
        return (
            "Some workers are always slower than others: "
            f"{left} of the excess would be left if all were as fast on average."
        )
    return (
        f"Who causes it is not certain: M_W = {_gain(cost.M_W)} of the excess is that of {who}, "
        f"and {left} of it would be left if all workers were as fast on average."
    )


# ---- What to do next


def _two_loads(found: Findings) -> str:
    if found.slope is not None:
        return "Record at a third load, or record more rows, so that the rate has a smaller error."
    trace, load = found.facts["trace"], found.facts["load"]
    other = 2 * load if load else 1 / len(found.facts["names"])
    return (
        f"Record the same workers with a share of {other:.4g} of the work each, and run `fastgc "
        f"advise {trace} --load {load:.4g} --fit OTHER.csv:{other:.4g}`."
    )


def _more_rows(found: Findings, times: float) -> str:
    rows = found.facts["rows"] * min(times, 100.0)
    digits = 10 ** max(0, math.floor(math.log10(rows)) - 1)
    return f"Record some {math.ceil(rows / digits) * digits} rows."


def _tried(found: Findings, own: Remedy) -> str:
    if own.system["family"] == "leave-out":
        return (
            "Look at what is left out: sound workers in its place would be better still. Then "
            "record again, and run `fastgc advise` on the new recording."
        )
    if own.system["family"] == "balanced":
        return "Do it, record the workers again, and run `fastgc advise` on the new recording."
    return (
        f"Time {100 * own.load:.3g} % of the work on each worker, which the recording does not "
        f"have, and run `fastgc advise {found.facts['trace']} --fit OTHER.csv:{own.load:.4g}`."
    )


def _later(found: Findings) -> str:
    return "Record again when workers or the work change."


# ---- Numbers


def _where(found: Findings, rate: float) -> str:
    """Return for which cost of load something is said."""
    if rate == 0:
        return "if load costs nothing"
    if found.slope is None:
        return "if all of the time is load"
    return f"if all of the work costs {rate:.3g} {found.facts['unit']}"


def _gain(found: Figure) -> str:
    """Return a number with its interval, to as many digits as that allows."""
    ends = [end if math.isfinite(end) else None for end in (found.low, found.high)]
    width = found.high - found.low
    digits = 2 if not math.isfinite(width) or width <= 0 else max(2, -math.floor(math.log10(width)))
    low, high = ("∞" if end is None else f"{end:.{min(digits, 4)}f}" for end in ends)
    return f"{found.value:.{min(digits, 4)}f} [{low}, {high}]"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
