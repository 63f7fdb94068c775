"""What was predicted against what was measured: structure, law and learning, kept apart.

A comparison holds, does not hold, or is open; it says so in one sentence, with the numbers.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import Trials
from fastgc.measuring.coded_work import CodedGradient, Scheme
from fastgc.measuring.plans import RoundRule
from fastgc.registry.display import finite
from fastgc.statistics.changes import changes
from fastgc.statistics.estimates import normal_quantile
from fastgc.statistics.resampling import block_length, error_of_mean, quantile_interval
from fastgc.traces.dependence import MATTERS, correlations, memory, pairs, ranks
from fastgc.training.coded_training import CodedDescent
from fastgc.training.optimizers import Optimizer

HELD, DIFFERS, OPEN = "held", "did not hold", "open"
#: The overhead of a round that is held to be none: so many seconds, or this share of the round.
SECONDS, SHARE = 2e-3, 0.03
#: Rounds without which nothing is said of how overhead goes on.
FEWEST = 20
#: By so much of itself may a loss differ from the simulation's, beside so much of the first one.
LOSS, FLOOR = 1e-9, 1e-21
#: Parameters beyond which no losses are simulated: it takes memory for some 250 vectors of them.
_SIMULATED = 200_000
#: Squared distance of an exact result from that of all of the work, of it.
RESULT = 1e-12
#: A decoding error of so much a worker counts as none.
EXACT = 1e-9
CONFIDENCE = 0.95
_SAME = "of the simulation for the same late workers"


@dataclass(frozen=True)
class Comparison:
    """One of the three: its verdict, what to do next in a sentence, the numbers as JSON."""

    comparison: str
    verdict: str
    sentence: str
    facts: dict[str, Any]


def structure(predicted: Values, measured: Values, alike: Mask, decoding: Values) -> Comparison:
    """Compare the seconds of each round with those which its workers' own seconds predict.

    They are infinite where a round is never over; ``alike``: whether those that answered in time
    are those that were predicted to; ``decoding``: seconds of a round after its rule was met.
    """
    both = np.isfinite(predicted) & np.isfinite(measured)
    over = measured[both] - predicted[both]
    if over.size < FEWEST:
        said = f"{over.size} whole rounds do not say what overhead is; measure {FEWEST} or more"
        return Comparison("structure", OPEN, said, {"rounds": int(over.size)})
    middle, late = np.quantile(over, [0.5, 0.9])
    typical = max(float(np.median(measured[both])), 1e-9)
    allowed = max(SECONDS, SHARE * typical)
    low, high = quantile_interval(over, 0.5, CONFIDENCE, min(block_length(over), over.size // 2))
    spent = float(np.median(decoding[both]))
    facts: dict[str, Any] = {
        "rounds": int(over.size),
        "overhead_median": float(middle),
        "overhead_median_low": finite(float(low)),
        "overhead_median_high": finite(float(high)),
        "allowed": allowed,
        "late_as_predicted": float(np.mean(alike[both])),
        "decoding_median": spent,
    }
    ends = ", ".join(f"{1e3 * end:.3g}" for end in (low, high)).replace("inf", "∞")
    numbers = (
        f"overhead {1e3 * middle:.3g} ms [{ends}] in the median ({100 * middle / typical:.2g} % of "
        f"a round; 90 %: {1e3 * late:.3g} ms), allowed {1e3 * allowed:.3g} ms"
    )
    verdict = DIFFERS
    if high < -allowed:
        said = (
            f"rounds are over before the workers' own seconds say: {numbers}; their seconds hold "
            "more than the work, or a port's `receive` is longer than sending takes"
        )
    elif low > allowed:
        said = (
            f"rounds last longer than that: {numbers}; it is what fastgc itself spends on decoding "
            f"({1e3 * spent:.3g} ms in the median), what sending takes, or waiting for a core, "
            "which the simulation leaves out (a port's `receive` stands for sending)"
        )
        if math.isfinite(high):
            said += f"; so much is allowed in rounds of {1e3 * high / SHARE:.3g} ms or longer"
    elif -allowed <= low and high <= allowed:
        verdict, said = HELD, f"rounds last as long as the workers' own seconds say: {numbers}"
    else:
        said = f"the interval holds what is allowed, and more: {numbers}; measure more rounds"
        verdict = OPEN
    return Comparison("structure", verdict, said, facts)


@np.errstate(over="ignore", invalid="ignore")  # where descent is unstable
def learning(
    scheme: Scheme, optimizer: Optimizer | None, used: Mask, loss: Values, errors: Values
) -> Comparison | None:
    """Compare losses with those that the simulation gives for the same patterns.

    ``used`` (rounds, n) are the answers that were decoded, ``loss`` (rounds + 1,) the losses. Where
    nothing moves, or no loss is known, the exact results are compared with those of all of the
    work: ``errors`` (rounds,), squared distances, of them. None where there are neither.
    """
    if not len(used):
        return None
    exact = scheme.errors(used) <= EXACT * used.shape[1]
    if not isinstance(scheme, CodedGradient) or scheme.problem is None or optimizer is None:
        return _results(errors[exact])
    if scheme.parameters > _SIMULATED:
        return _results(errors[exact])
    # the simulation's losses (rounds + 1,) for the workers that were heard
    assert scheme.data is not None
    ways, index = np.unique(used, axis=0, return_inverse=True)
    weights = scheme.weights(ways)
    descent = CodedDescent(scheme.problem, scheme.data, scheme.code.k, optimizer, len(used))
    simulated = descent.run(weights, index.reshape(-1, 1))["loss"][:, 0]
    both = np.isfinite(simulated) & np.isfinite(loss)
    if not both.any():
        return Comparison("learning", OPEN, "no loss is finite", {})
    # a loss that comes near 0 is the rest of numbers that cancel
    scale = np.maximum(np.abs(simulated), FLOOR / LOSS * abs(loss[0]))
    off = float((np.abs(loss - simulated)[both] / np.maximum(scale, 1e-300)[both]).max())
    off = min(off, 1e300)  # JSON has no infinity
    facts: dict[str, Any] = {"rounds": len(used), "largest_difference": off, "allowed": LOSS}
    facts |= {"first": float(loss[0]), "last": float(loss[both][-1])}
    if off > LOSS:
        said = f"losses differ from those {_SAME}, by {off:.2g} of themselves: answers are not "
        said += "what they should be, or the descent is unstable"
        return Comparison("learning", DIFFERS, said, facts)
    if both.all():
        said = f"losses are those {_SAME} (they differ by {off:.1g} at most): from {loss[0]:.6g} "
        return Comparison("learning", HELD, f"{said}to {loss[-1]:.6g}", facts)
    said = (
        f"descent is unstable: the simulation's losses are finite for {int(np.argmin(both)) - 1} "
        "rounds, in which they are the measured ones; take a smaller step"
    )
    return Comparison("learning", OPEN, said, facts)


def _results(errors: Values) -> Comparison | None:
    """Judge the squared distances of exact results from those of all of the work, of them."""
    if not errors.size:
        return None
    off = float(errors.max())
    facts = {"rounds": errors.size, "largest_difference": finite(float(off)), "allowed": RESULT}
    if wild := int((~np.isfinite(errors)).sum()):
        said = f"in {wild} of {errors.size} exact rounds results are no numbers: answers are not"
        return Comparison("learning", DIFFERS, said, facts)
    numbers = f"all of the work in {errors.size} exact rounds, to {off:.1g} of their squares"
    if off <= RESULT:
        return Comparison("learning", HELD, f"results are those of {numbers}", facts)
    said = f"results differ from those of {numbers}: answers are wrong, or random"
    return Comparison("learning", DIFFERS, said, facts)


# ---- The law
#
# The study's law is drawn as often as many measurements of as many rounds would do it: what is
# asked of the times measured is asked of each, and what few of them show contradicts the law. So
# times with heavy tails, ties, or a memory have the room that they need. Where a machine scatters
# more than the law, room follows from the rounds themselves, in blocks that are alike.


#: Measurements that are drawn from the study's law, in groups of 64, and numbers of them held.
_GROUPS, _HELD = 16, 8_000_000
#: Probability that a true law is said not to hold, about, all questions together.
RISK = 0.01
_LEVEL = 0.9
#: By so much may correlations differ from the law's, and standard errors beyond where it has some.
_CORRELATION, _ERRORS = 0.1, 4.0
#: Share of the rounds that may lack a worker's time.
UNKNOWN = 0.01


@dataclass(frozen=True)
class Assumption:
    """One assumption: what is asked, whether it held, and the numbers in words."""

    assumption: str
    held: bool
    said: str
    beyond: float = 0.0  #: Seconds by which a mean lies outside its interval by the law.


def law(
    rule: RoundRule, own: Values, seed: int, unknown: float = 0.0, worked: Mask | None = None
) -> Comparison:
    """Compare the workers' own seconds (rounds, n · parts) with the law of the study.

    Of a worker's parts in a round the mean is compared. ``unknown``: see `unknown_share`;
    ``worked`` (rounds,): in which rounds there was work, by default in all.
    """
    known = np.isfinite(own).all(axis=1)
    own = own[known]
    rows = rule.worker_means(own)[slice(None) if worked is None else worked[known]]
    held = max(rule.answers, rule.n * rule.simulated.tasks)
    most = max(FEWEST, _HELD // (64 * _GROUPS * held))
    batch = Trials(seed, "measure law", 0, _GROUPS, min(max(len(own), FEWEST), most))
    drawn = rule.drawn(rule.simulated, batch) if rule.has_law else np.empty(0)
    drained = 'with between_rounds = "drain"'
    why = (
        (not rule.has_law, "the study has no latency to compare with"),
        (
            rule.real.structure.relaunches > 0,
            "copies that leave off have no times; the law is judged without them: measure "
            '"uncoded"',
        ),
        (
            not np.isfinite(drawn).all(),
            "by the study's law some workers never answer; the times of the others say too little",
        ),
        (
            unknown > UNKNOWN,
            f"in {100 * unknown:.2g} % of the rounds late workers left off, or were not free, and "
            f"the others are no fair sample; measure {drained}",
        ),
        (
            len(rows) < FEWEST,
            f"{len(rows)} rounds have the times of all workers; measure {FEWEST} or more, "
            f"{drained}",
        ),
        (
            rule.system.rows_before() > 0,
            "shares of the work follow the workers' speeds; the law is judged with equal ones: "
            'measure "uncoded"',
        ),
    )
    for is_open, said in why:
        if is_open:  # numbers only where more rounds would settle it
            return Comparison("law", OPEN, said, {"rounds": len(rows)} if drained in said else {})
    over = rule.durations(own[..., np.newaxis])[:, 0]
    each = rule.worker_means(drawn)
    asked = [
        _mean("mean", "workers take {} on average", rows.mean(axis=1), each.mean(axis=1)),
        _upper(rows, each),
        _workers(rows, each),
        *_unsaid(rule, rows, each, seed),
    ]
    if np.isfinite(over).all():  # rounds of the later half, by the law and by those before them
        by_law, after = rule.durations(drawn)[len(drawn) // 2 :], over[len(over) // 2 :]
        asked.append(_mean("rounds", "rounds of the later half take {}", after, by_law))
    wrong = [each for each in asked if not each.held]
    facts: dict[str, Any] = {
        "rounds": len(rows),
        "mean": float(rows.mean()),
        "mean_of_law": float(drawn.mean()),
        "questions": [vars(each) for each in asked],
    }
    if wrong:
        return Comparison("law", DIFFERS, "; ".join(each.said for each in wrong), facts)
    far = max(asked, key=lambda each: each.beyond)
    said = f"the workers' own seconds do not contradict the study's law: {far.said}"
    if far.beyond > 1e-6:  # less than a microsecond may be rounding
        facts["beyond"] = far.beyond
        said = f"{far.said}; the {_ms(far.beyond)} outside it are allowed for the machine"
    return Comparison("law", HELD, said, facts)


def unknown_share(own: Values, began: Values) -> float:
    """Return the share of the rounds in which the time of a worker that stayed is not known.

    ``own`` (rounds, n · parts) and ``began`` (rounds, n), NaN where it is not known and where there
    was no order. Who left off was late: rounds without such workers are no fair sample.
    """
    if not len(own):
        return 0.0
    stays = np.isfinite(began)[::-1].cumsum(axis=0)[::-1] > np.isfinite(began)  # has later orders
    lacks = np.isnan(own.reshape(*began.shape, -1)).any(axis=2)
    return float((stays & lacks).any(axis=1).mean())


def _sure(questions: int) -> float:
    return normal_quantile(1 - RISK / (5 * questions))


def _ends(drawn: Values, rounds: int, used: int) -> tuple[float, float]:
    """Between what the means of so many rounds lie by the law, which (…, drawn) show of ``used``.

    A question is answered with no by a fifth of `RISK`.
    """
    low, high = np.quantile(drawn, [RISK / 10, 1 - RISK / 10])
    middle, shrunk = float(drawn.mean()), math.sqrt(used / rounds)
    return middle + shrunk * (float(low) - middle), middle + shrunk * (float(high) - middle)


def _mean(name: str, who: str, series: Values, drawn: Values) -> Assumption:
    """Whether the mean of a series (rounds,) is one that the law has.

    ``drawn`` (rounds, drawn) are series by the law; ``who`` says what takes the mean's seconds.
    """
    mean, expected = float(series.mean()), float(drawn.mean())
    own, room = _sure(1) * error_of_mean(series), max(SECONDS, SHARE * expected)
    low, high = _ends(drawn.mean(axis=0), series.size, len(drawn))
    low, high = min(low, expected - own), max(high, expected + own)
    by_law = f"{_ms(expected)} ({_ms(low)} … {_ms(high)} in so many rounds)"
    beyond = max(low - mean, mean - high, 0.0)
    return Assumption(name, beyond <= room, f"{who.format(_ms(mean))}, by the law {by_law}", beyond)


def _upper(rows: Values, drawn: Values) -> Assumption:
    """The quantile that a tenth of all times exceeds, by the share that does."""
    expected = float(np.quantile(drawn, _LEVEL))
    room = max(SECONDS, SHARE * expected)
    above = (rows > expected + room).mean(axis=1)
    below = (rows > expected - room).mean(axis=1)
    sizes = len(rows), len(drawn)
    _, most = _ends((drawn > expected).mean(axis=(0, 1)), *sizes)
    least, _ = _ends((drawn >= expected).mean(axis=(0, 1)), *sizes)
    often = above.mean() > max(most, 1 - _LEVEL + _sure(2) * error_of_mean(above))
    seldom = below.mean() < min(least, 1 - _LEVEL - _sure(2) * error_of_mean(below))
    share = 100 * float((rows > expected).mean())
    said = f"{share:.3g} % of the times exceed {_ms(expected)}, by the law {100 * (1 - _LEVEL):.3g}"
    return Assumption("quantile", not bool(often or seldom), said)


def _workers(rows: Values, drawn: Values) -> Assumption:
    n = rows.shape[1]
    means = drawn.mean(axis=0)
    expected, spread = means.mean(axis=1), means.std(axis=1)
    off = rows.mean(axis=0) - expected
    scaled = (means - expected[:, np.newaxis]) / np.where(spread > 0, spread, 1.0)[:, np.newaxis]
    sizes = len(rows), len(drawn)
    (low, _), (_, high) = _ends(scaled.min(axis=0), *sizes), _ends(scaled.max(axis=0), *sizes)
    by_law = spread * np.where(off > 0, high, -low)
    by_rows = _sure(n) * np.array([error_of_mean(rows[:, j]) for j in range(n)])
    room = np.maximum(SECONDS, SHARE * expected)
    beyond = np.abs(off) > room + np.maximum(by_law, by_rows)
    if not beyond.any():
        return Assumption("workers", True, "no worker is faster or slower than its law")
    worst = int(np.argmax(np.where(beyond, np.abs(off), -1.0)))
    how = "slower" if off[worst] > 0 else "faster"
    said = (
        f"{int(beyond.sum())} of {n} workers are not as their law says, most of all worker "
        f"{worst}, {_ms(abs(float(off[worst])))} {how}"
    )
    return Assumption("workers", False, said)


def _unsaid(rule: RoundRule, rows: Values, drawn: Values, seed: int) -> list[Assumption]:
    """Dependence and change, of which a law of independent times says nothing.

    A recording that is taken by rows may have both, and so may a law of the user's own: there it is
    asked whether they are the same.
    """
    recorded = rule.remembers
    few = np.moveaxis(drawn[..., :64], -1, 0)
    at = changes(rows.mean(axis=1))
    if at and recorded and any(changes(each.mean(axis=1)) for each in few):
        at = []
    said = f"times change after round {', '.join(map(str, at))}" if at else "times do not change"
    found = [Assumption("change", not at, said)]
    ordered = ranks(rows)
    one, two = memory(ordered, 1, seed), pairs(ordered, seed)
    values = np.array([correlations(ranks(each)) for each in few]) if recorded else None
    own = [one.lags[:1], np.array([two.mean] * (two.compared > 0))]
    told = (
        ("between rounds", one.p_value, "a worker's time remembers its last one", "rounds forget"),
        ("between workers", two.p_value, "workers are slow together", "workers differ"),
    )
    for place, (name, p_value, otherwise, fine) in enumerate(told):
        if not own[place].size:
            continue
        value, by_law = float(own[place][0]), 0.0
        held = p_value >= RISK / 5 or abs(value) <= MATTERS
        if values is not None:
            by_law = float(values[:, place].mean())
            room = _CORRELATION + _ERRORS * float(values[:, place].std())
            held, fine = abs(value - by_law) <= room, "dependence is the law's"
            otherwise = f"{otherwise} otherwise than by the law"
        said = f"{otherwise} (correlation {value:.2g} on average, by the law {by_law:.2g})"
        found.append(Assumption(name, bool(held), fine if held else said))
    return found


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if math.isfinite(seconds) else "for ever"
