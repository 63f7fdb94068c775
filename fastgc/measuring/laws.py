"""What the study says of workers' times against the times that workers measured: the law.

Rounds are a series whose neighbours may be alike; all errors are those of blocks of them. What is
compared is sampled from the study: means, quantiles, each worker, rounds; then that what a law has
no word for: dependence between rounds and between workers, and change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import Batch
from fastgc.measuring.comparing import (
    CONFIDENCE,
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
from fastgc.statistics.resampling import block_length, error_of_mean, quantile_interval
from fastgc.traces.dependence import memory, pairs, ranks
from fastgc.traces.measurements import MATTERS

Values = NDArray[np.float64]

#: Trials that stand for the study's law, in groups of 64.
_GROUPS = 256
#: Probability that a true law is said not to hold, about, all questions together.
RISK = 0.01
_LEVEL = 0.9
#: Quantiles that are kept to be drawn.
_LEVELS = (0.01, *(each / 20 for each in range(1, 20)), 0.99)


@dataclass(frozen=True)
class Question:
    """One assumption: what is asked, whether it held, and the numbers in words."""

    name: str
    held: bool
    said: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"assumption": self.name, "held": self.held, "said": self.said}


def law(rule: Rule, own: Values, seed: int) -> Comparison:
    """Compare the workers' own seconds (rounds, n) with the law that the study gives them."""
    if not rule.has_law:
        return Comparison("law", OPEN, "the study has no latency to compare with", {})
    rows = own[np.isfinite(own).all(axis=1)]
    if len(rows) < FEWEST:
        said = (
            f"{len(rows)} rounds have the times of all workers; measure {FEWEST} or more, with "
            'between_rounds = "drain"'
        )
        return Comparison("law", OPEN, said, {"rounds": len(rows)})
    drawn = rule.simulated.draws.times(Batch(seed, "measure law", 0, _GROUPS, 1))[0]
    if not np.isfinite(drawn).all():
        said = (
            "by the study's law some workers never answer; the times of the others say too little"
        )
        return Comparison("law", OPEN, said, {"rounds": len(rows)})
    asked = [
        _mean(rows.mean(axis=1), float(drawn.mean())),
        _upper(rows, float(np.quantile(drawn, _LEVEL))),
        _workers(rows, drawn.mean(axis=1)),
        _rounds(rule, rows, rule.simulated.evaluator.done(drawn)),
        *_unsaid(rule, rows, seed),
    ]
    wrong = [each for each in asked if not each.held]
    facts: dict[str, Any] = {
        "rounds": len(rows),
        "mean": float(rows.mean()),
        "mean_of_law": float(drawn.mean()),
        "quantiles": _quantiles(rows, drawn.ravel()),
        "questions": [each.as_dict() for each in asked],
    }
    if not wrong:
        said = f"the workers' own seconds do not contradict the study's law: {asked[0].said}"
        return Comparison("law", HELD, said, facts)
    said = "; ".join(each.said for each in wrong)
    return Comparison("law", DIFFERS, said, facts)


def _allowed(seconds: float) -> float:
    """By how much seconds may differ without being said to."""
    return max(SECONDS, SHARE * seconds)


def _sure(questions: int) -> float:
    """Standard errors beyond which one of so many questions is answered with no."""
    return normal_quantile(1 - RISK / (5 * questions))


def _mean(series: Values, expected: float) -> Question:
    """The mean of all workers."""
    value, wide = float(series.mean()), _sure(1) * error_of_mean(series)
    held = abs(value - expected) <= wide + _allowed(expected)
    said = f"workers take {_ms(value)} ± {_ms(wide)} on average, by the law {_ms(expected)}"
    return Question("mean", held, said)


def _upper(rows: Values, expected: float) -> Question:
    """The quantile that a tenth of all times exceeds, by the share that does."""
    room = _allowed(expected)
    above = (rows > expected + room).mean(axis=1)
    below = (rows > expected - room).mean(axis=1)
    often = above.mean() - _sure(2) * error_of_mean(above) > 1 - _LEVEL
    seldom = below.mean() + _sure(2) * error_of_mean(below) < 1 - _LEVEL
    share = 100 * float((rows > expected).mean())
    said = f"{share:.3g} % of the times exceed {_ms(expected)}, by the law {100 * (1 - _LEVEL):.3g}"
    return Question("quantile", not (often or seldom), said)


def _quantiles(rows: Values, drawn: Values) -> list[dict[str, float | None]]:
    """Return quantiles of all times, with 95 % intervals, beside those of the law."""
    series = rows.ravel()
    length = min(rows.shape[1] * block_length(rows.mean(axis=1)), series.size // 2)
    found = []
    for level in _LEVELS:
        ends = quantile_interval(series, level, CONFIDENCE, length)
        low, high = (end if math.isfinite(end) else None for end in ends)
        own, by_law = float(np.quantile(series, level)), float(np.quantile(drawn, level))
        found.append({"level": level, "law": by_law, "own": own, "low": low, "high": high})
    return found


def _workers(rows: Values, expected: Values) -> Question:
    """Each worker's mean: who is slow."""
    n = rows.shape[1]
    errors = np.array([error_of_mean(rows[:, j]) for j in range(n)])
    off = rows.mean(axis=0) - expected
    beyond = np.abs(off) - np.array([_allowed(each) for each in expected]) > _sure(n) * errors
    if not beyond.any():
        return Question("workers", True, "no worker is faster or slower than its law")
    worst = int(np.argmax(np.where(beyond, np.abs(off), -1.0)))
    how = "slower" if off[worst] > 0 else "faster"
    said = (
        f"{int(beyond.sum())} of {n} workers are not as their law says, most of all worker "
        f"{worst}, {_ms(abs(float(off[worst])))} {how}"
    )
    return Question("workers", False, said)


def _rounds(rule: Rule, rows: Values, simulated: Values) -> Question:
    """Rounds of the later rows: their mean by the law, and by the rows before them."""
    over, _ = rule.predicted(np.zeros(rows.shape), rows)
    before, after = np.array_split(over, 2)
    if not np.isfinite(over).all():
        return Question("rounds", True, "rounds are not always over")
    value, error = float(after.mean()), error_of_mean(after)
    expected, earlier = float(simulated.mean()), float(before.mean())
    held = abs(value - expected) <= _sure(1) * error + _allowed(expected)
    said = (
        f"rounds of the later half take {_ms(value)} ± {_ms(_sure(1) * error)}, by the law "
        f"{_ms(expected)}, by the rows before {_ms(earlier)}"
    )
    return Question("rounds", held, said)


def _unsaid(rule: Rule, rows: Values, seed: int) -> list[Question]:
    """Dependence and change, of which a law of independent times says nothing."""
    found = []
    at = changes(rows.mean(axis=1))
    said = f"times change after round {', '.join(map(str, at))}" if at else "times do not change"
    found.append(Question("change", not at, said))
    if rule.simulated.rows is not None:
        return found  # a recording's rows depend as they do
    ordered = ranks(rows)
    one, two = memory(ordered, 1, seed), pairs(ordered, None, seed)
    if one.lags.size:
        keeps = one.p_value < RISK / 5 and abs(one.lags[0]) > MATTERS
        said = f"a worker's time remembers its last one (correlation {one.lags[0]:.2g})"
        found.append(Question("between rounds", not keeps, said if keeps else "rounds forget"))
    if two.compared:
        share = two.p_value < RISK / 5 and abs(two.mean) > MATTERS
        said = f"workers are slow together (correlation {two.mean:.2g} on average)"
        found.append(Question("between workers", not share, said if share else "workers differ"))
    return found


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if math.isfinite(seconds) else "for ever"
