"""Parts of the sentences of `fastgc.advise`: what to do, who causes it, numbers and intervals."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.latency.empirical import Rate
from fastgc.latency.slowdown import Figure, Slowdown
from fastgc.planning.lateness import PARTS, Always, Late
from fastgc.registry.numbers import counted
from fastgc.results.advised import Remedy, called, in_unit

#: Workers that a sentence names.
_NAMED = 3
#: Workers that one that tells what to do names.
_TO_DO = 12
#: With S below this there is nothing to explain.
_LITTLE = 1.05


def advised(own: Remedy, names: Sequence[str]) -> str:
    """Return what to do, as a command to the reader; workers are named that are always left out."""
    system = own.system
    family, k = system["family"], system.get("k", 0)
    its = "its" if k == 1 else "their"
    if family == "uncoded":
        return "Do nothing"
    if "who" in system:
        who = listed([names[w] for w in system["who"]], _TO_DO)
        return f"Leave out {who} in all rounds, and share {its} work among the others"
    if family == "leave-out":
        those = "the worker that was" if k == 1 else f"the {k} workers that were"
        return (
            f"Before every round leave out {those} slowest in the {system.get('basis', 10)} rounds "
            f"before, and share {its} work among the others"
        )
    if family == "balanced":
        return (
            "Before every round share out the work in proportion to the workers' speeds in the "
            f"{system.get('basis', 10)} rounds before (balanced)"
        )
    if family == "spare":
        n, spare = system["n"], counted(system["b"], "workers")
        return (
            f"Keep {spare} spare: give each worker a mini-batch of 1/{n}, and take the first {n} "
            f"answers ({own.name})"
        )
    return f"Use the code {own.name}, with {100 * own.load:.3g} % of the work on each worker"


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
    gone = ""
    if found.M_W.value > 0:
        gone = f"M_W = {with_interval(found.M_W)} of S − 1 would go if {who} were like the others, "
    return (
        f"Who causes the waiting is not certain: {gone}{'and ' * bool(gone)}{left} if all workers "
        "were as fast on average."
    )


def waiting(found: Slowdown) -> str:
    """Return what waiting for the slowest costs."""
    return (
        f"A round that waits for its slowest worker takes S = {with_interval(found.S)} times as "
        "long as a worker does on average."
    )


def always_slow(
    found: Always, facts: Mapping[str, Any], stages: Mapping[str, Sequence[int]]
) -> str:
    """Return who is slow in all rounds, how much, and what to do: certain on this recording."""
    names, one = facts["names"], len(found.workers) == 1
    who = listed([names[w] for w in found.workers], _TO_DO)
    said = (
        f"{who} {'takes' if one else 'take'} {found.factor:.3g} times as long as the others in all "
        f"{facts['rows']} rounds ({found.least:.3g} to {found.most:.3g} times in each)"
    )
    it = "it" if one else "them"
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
            f"without {it}: look at {'its' if one else 'their'} machines and data."
        )
    return f"{said}: repair or replace {it}, or give {it} less work."


def growing(first: float, last: float) -> str:
    """Return that rounds grow slower, or faster, all the time."""
    said = f"{abs(100 * (last / first - 1)):.2g} % {'slower' if last > first else 'faster'}"
    return (
        f"Rounds grow {said} from the first to the last: how that goes on the recording does not "
        "say, and its two halves are not comparable."
    )


def rounds_of(facts: Mapping[str, Any], judged: int, blocks: str, *, in_turns: bool = False) -> str:
    """Return from how many rounds this is known."""
    rows = facts["rows"]
    change = ""
    if facts["since"]:
        why = facts["change"] or "the last ones are enough"
        change = f" Earlier rounds, up to row {facts['since']}, are left out: {why}."
    chosen = f"on the first {rows - judged} of them"
    if in_turns:
        chosen = f"on {rows - judged} of them, every other of {PARTS} parts"
    return (
        f"The {rows} rounds are worth {blocks}. Remedies were chosen {chosen}, and gains are of "
        f"the other {judged}.{change}"
    )


def blocks_of(blocks: int, length: int) -> str:
    """Return how many independent blocks there are.

    >>> blocks_of(9, 4), blocks_of(38, 1)
    ('some 9 independent blocks of 4 rounds', 'some 38 independent ones')
    """
    if length == 1:
        return f"some {blocks} independent ones"
    return f"some {counted(blocks, 'independent blocks')} of {length} rounds"


def where(slope: Rate | None, rate: float, in_unit: str) -> str:
    """Return for which cost of load something is said."""
    if slope is not None:
        return f"if all of the work costs {rate:.3g}{in_unit}"
    return "if more work takes no more time" if rate == 0 else "if time grows in proportion to work"


def cost(found: Figure) -> str:
    """Return a cost with its interval.

    >>> cost(Figure(37.441, 30.77, 44.102)), cost(Figure(920.0, 777.0, 1081.0))
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
