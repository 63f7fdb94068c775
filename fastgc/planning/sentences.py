"""The sentences of `fastgc.advise`: a few templates with numbers in them."""

import math
from collections.abc import Sequence
from typing import Any

from fastgc.latency.slowdown import Figure, Slowdown
from fastgc.planning.judging import Always
from fastgc.planning.ranking import named
from fastgc.registry.numbers import counted
from fastgc.results.ranking import Remedy, written

#: Workers that a sentence names which tells what to do.
_TO_DO = 12
#: With S below this there is nothing to explain.
_LITTLE = 1.05

CANNOT = "Cannot tell: {}."
FEW = "the {rows} rounds are worth {blocks}, and {fewest} are needed"
MORE = "Record {} rounds or more{}."
STEADY = ", when times are steady"
BETTER = (
    "{own} was the best in the first half of the rounds, but in the other half {best} takes "
    "{saved:.2g} % less time"
)
DISAGREE = (
    "what is best depends on what load costs, and the two halves of the rounds do not agree on "
    "what is best at which cost"
)
UNSURE = (
    "by the half of the rounds that nothing was chosen on, it is not certain whether the best "
    "remedy, {own}, makes rounds faster: {gain} times as fast"
)
NOTHING = (
    "Do nothing: of the remedies that keep the gradient exact, the best, {own}, makes rounds "
    "{gain} times as fast."
)
NO_OTHER = "Do nothing: there is no other system for so few workers."
LATER = "Record again when workers or the work change."
DEPENDS = "It depends on what load costs, {why}. {parts}."
FROM_COST = "If all of the work costs more than {least} a round, {do}"
FROM_TWICE = (
    "If twice the work takes {least} longer or more (in training it takes some 100 % longer), {do}"
)
SAVES = "{do}: that makes rounds {times}."
ALWAYS = (
    "{who}: {factor:.3g} times as long as the others in all {rows} rounds ({least:.3g} to "
    "{most:.3g} times in each). {do}"
)
REPAIR = "Repair or replace what is slow, or give it less work."
REBALANCE = (
    "That is {stages} of a pipeline, which cannot be left out or coded: rebalance the stages, with "
    "fewer layers there."
)
ONE_OF_STAGE = (
    "Others of the same stage of the pipeline are fast, and no pipeline can do without one: look "
    "at machines and data."
)
TWO_LOADS = (
    "Find out what load costs: record the same workers with {much}, {share:.4g} % of all of it on "
    "each, and run {again}."
)
THIRD_LOAD = "Record at a third load, or more rounds, so that the cost has a smaller error."
LEFT_OUT = (
    "Look at what is left out: sound workers in its place would be better still. Then record "
    "again, and run `fastgc advise` on the new recording."
)
DO_IT = "Do it, record the workers again, and run `fastgc advise` on the new recording."
TRY_IT = (
    "Try it: time {share:.3g} % of the work on each worker, which the recording does not have, and "
    "run {again}."
)
WAITING = (
    "A round that waits for its slowest worker takes S = {} times as long as a worker does on "
    "average."
)
KNOWN = (
    "The {rows} rounds are worth {blocks}. Remedies were chosen on {chosen} of them{how}, and "
    "gains are of the other {judged}."
)
EARLIER = " Earlier rounds, up to row {since}, are left out: {why}."
GROWING = (
    "Rounds grow {:.2g} % {} from the first to the last: how that goes on the recording does not "
    "say, and its two halves are not comparable."
)


def growing(first: float, last: float) -> str:
    """Return that rounds grow slower, or faster, all the time."""
    return GROWING.format(abs(100 * (last / first - 1)), "slower" if last > first else "faster")


def because(found: Slowdown, names: Sequence[str]) -> str:
    """Return who causes the waiting."""
    if found.M_W is None or found.balanced is None or found.S.high < _LITTLE:
        return "Workers take nearly the same time, so that little is lost by waiting."
    who, alone = named([names[w] for w in found.slowest]), len(found.slowest) == 1
    first, *others = (found.S_w[w] for w in found.ranked)
    # of few workers, of two above all, any one's replacement takes much of the waiting away
    apart = all(first.high < one.low for one in others) and found.ranked[0] == found.slowest[0]
    if found.M_W.low > 0.5 and (not alone or apart):
        said = f"{who}: most of the waiting, M_W = {with_interval(found.M_W)} of S − 1"
        like = f"; S would be {with_interval(first)} if it were like the others"
        return f"{said}{like * alone}."
    if found.M_together is not None and found.M_together.low > 0.5:
        who = named([names[w] for w in found.together])
        gone = f"{with_interval(found.M_together)} of S − 1"
        return f"{who}: most of the waiting together, {gone} would go if they were as fast."
    said = "Who causes the waiting is not certain"
    if found.balanced.low > 0.5:
        said = "No single worker causes the waiting, slow moments wander"
    elif found.balanced.high < 0.5:
        said = "Some workers are always slower than others"
    left = with_interval(found.balanced)
    return f"{said}: {left} of S − 1 would be left if all workers were as fast on average."


def always_slow(found: Always, names: Sequence[str], rows: int, stages: Any) -> str:
    """Return who is slow in all rounds, how much, and what to do: certain on this recording."""
    do, slow = REPAIR, set(found.workers)
    if stages:
        whole = [each for each, own in stages.items() if set(own) <= slow]
        do = ONE_OF_STAGE
        if sum(len(stages[each]) for each in whole) == len(slow):
            do = REBALANCE.format(stages=f"stage{'s' * (len(whole) > 1)} {', '.join(whole)}")
    who = named([names[w] for w in found.workers], _TO_DO)
    numbers = found._asdict()
    return ALWAYS.format(**{**numbers, "who": who, "rows": rows, "do": do})


def advised(own: Remedy, names: Sequence[str]) -> str:
    """Return what to do, as a command to the reader; workers are named that are always left out."""
    system = own.system
    family, k, basis = system["family"], system.get("k", 0), system.get("basis", 10)
    its = "its" if k == 1 else "their"
    before = f"Before every round {{}} in the {basis} rounds before"
    if family == "uncoded":
        return "Do nothing"
    if "who" in system:
        who = named([names[w] for w in system["who"]], _TO_DO)
        return f"Leave out {who} in all rounds, and share {its} work among the others"
    if family == "leave-out":
        those = f"leave out the {counted(k, 'workers')} that took longest"
        return f"{before.format(those)}, and share {its} work among the others"
    if family == "balanced":
        return before.format("share out the work in proportion to the workers' speeds")
    if family == "spare":
        n, spare = system["n"], counted(system["b"], "workers")
        return (
            f"Keep {spare} spare: give each worker a mini-batch of 1/{n}, and take the first {n} "
            f"answers ({own.name})"
        )
    return f"Use the code {written(system)}, with {100 * own.load:.3g} % of the work on each worker"


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
