"""What the study says of workers' times against the times that workers measured: the law.

The study's law is drawn as often as many measurements of as many rounds would do it: what is asked
of the times measured is asked of each, and what few of them show contradicts the law. So times with
heavy tails, ties, or a memory have the room that they need. Where a machine scatters more than the
law, room follows from the rounds themselves, in blocks of rounds that are alike.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import Batch
from fastgc.measuring.comparing import (
    DIFFERS,
    FEWEST,
    HELD,
    OPEN,
    SECONDS,
    SHARE,
    Comparison,
)
from fastgc.measuring.rule import Rule
from fastgc.statistics.changes import changes
from fastgc.statistics.estimates import normal_quantile
from fastgc.statistics.resampling import error_of_mean
from fastgc.traces.dependence import MATTERS, correlations, memory, pairs, ranks

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
class Question:
    """One assumption: what is asked, whether it held, and the numbers in words."""

    assumption: str
    held: bool
    said: str
    beyond: float = 0.0  #: Seconds by which a mean lies outside its interval by the law.


def law(
    rule: Rule, own: Values, seed: int, unknown: float = 0.0, worked: Mask | None = None
) -> Comparison:
    """Compare the workers' own seconds (rounds, n · parts) with the law of the study.

    Of a worker's parts in a round the mean is compared. ``unknown``: see `unknown_share`;
    ``worked`` (rounds,): in which rounds there was work, by default in all.
    """
    known = np.isfinite(own).all(axis=1)
    own = own[known]
    rows = rule.of_workers(own)[slice(None) if worked is None else worked[known]]
    held = max(rule.answers, rule.n * rule.simulated.tasks)
    most = max(FEWEST, _HELD // (64 * _GROUPS * held))
    batch = Batch(seed, "measure law", 0, _GROUPS, min(max(len(own), FEWEST), most))
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
    each = rule.of_workers(drawn)
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


def _allowed(seconds: float) -> float:
    return max(SECONDS, SHARE * seconds)


def _sure(questions: int) -> float:
    return normal_quantile(1 - RISK / (5 * questions))


def _ends(drawn: Values, rounds: int, used: int) -> tuple[float, float]:
    """Between what the means of so many rounds lie by the law, which (…, drawn) show of ``used``.

    A question is answered with no by a fifth of `RISK`.
    """
    low, high = np.quantile(drawn, [RISK / 10, 1 - RISK / 10])
    middle, shrunk = float(drawn.mean()), math.sqrt(used / rounds)
    return middle + shrunk * (float(low) - middle), middle + shrunk * (float(high) - middle)


def _mean(name: str, who: str, series: Values, drawn: Values) -> Question:
    """Whether the mean of a series (rounds,) is one that the law has.

    ``drawn`` (rounds, drawn) are series by the law; ``who`` says what takes the mean's seconds.
    """
    mean, expected = float(series.mean()), float(drawn.mean())
    own, room = _sure(1) * error_of_mean(series), _allowed(expected)
    low, high = _ends(drawn.mean(axis=0), series.size, len(drawn))
    low, high = min(low, expected - own), max(high, expected + own)
    by_law = f"{_ms(expected)} ({_ms(low)} … {_ms(high)} in so many rounds)"
    beyond = max(low - mean, mean - high, 0.0)
    return Question(name, beyond <= room, f"{who.format(_ms(mean))}, by the law {by_law}", beyond)


def _upper(rows: Values, drawn: Values) -> Question:
    """The quantile that a tenth of all times exceeds, by the share that does."""
    expected = float(np.quantile(drawn, _LEVEL))
    room = _allowed(expected)
    above = (rows > expected + room).mean(axis=1)
    below = (rows > expected - room).mean(axis=1)
    sizes = len(rows), len(drawn)
    _, most = _ends((drawn > expected).mean(axis=(0, 1)), *sizes)
    least, _ = _ends((drawn >= expected).mean(axis=(0, 1)), *sizes)
    often = above.mean() > max(most, 1 - _LEVEL + _sure(2) * error_of_mean(above))
    seldom = below.mean() < min(least, 1 - _LEVEL - _sure(2) * error_of_mean(below))
    share = 100 * float((rows > expected).mean())
    said = f"{share:.3g} % of the times exceed {_ms(expected)}, by the law {100 * (1 - _LEVEL):.3g}"
    return Question("quantile", not bool(often or seldom), said)


def _workers(rows: Values, drawn: Values) -> Question:
    n = rows.shape[1]
    means = drawn.mean(axis=0)
    expected, spread = means.mean(axis=1), means.std(axis=1)
    off = rows.mean(axis=0) - expected
    scaled = (means - expected[:, np.newaxis]) / np.where(spread > 0, spread, 1.0)[:, np.newaxis]
    sizes = len(rows), len(drawn)
    (low, _), (_, high) = _ends(scaled.min(axis=0), *sizes), _ends(scaled.max(axis=0), *sizes)
    by_law = spread * np.where(off > 0, high, -low)
    by_rows = _sure(n) * np.array([error_of_mean(rows[:, j]) for j in range(n)])
    room = np.array([_allowed(each) for each in expected])
    beyond = np.abs(off) > room + np.maximum(by_law, by_rows)
    if not beyond.any():
        return Question("workers", True, "no worker is faster or slower than its law")
    worst = int(np.argmax(np.where(beyond, np.abs(off), -1.0)))
    how = "slower" if off[worst] > 0 else "faster"
    said = (
        f"{int(beyond.sum())} of {n} workers are not as their law says, most of all worker "
        f"{worst}, {_ms(abs(float(off[worst])))} {how}"
    )
    return Question("workers", False, said)


def _unsaid(rule: Rule, rows: Values, drawn: Values, seed: int) -> list[Question]:
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
    found = [Question("change", not at, said)]
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
        found.append(Question(name, bool(held), fine if held else said))
    return found


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if math.isfinite(seconds) else "for ever"
