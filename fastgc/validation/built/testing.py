"""How fastgc tests many statements at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fastgc.results import verdicts
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case
from fastgc.validation import judgement
from fastgc.validation.evidence import Evidence
from fastgc.validation.requests import Measuring, NarrowEnough, Request

_TRIALS = 1_000_000
_ERROR = 1e-4


def holm_rejections(p_values: Sequence[float], alpha: float) -> float:
    """How many of the statements with these p-values are refuted."""
    return float(sum(verdicts.rejected(list(p_values), alpha)))


def two_sided_p_value(errors: float) -> float:
    """P-value of a measured mean so many standard errors from the theory."""
    estimate = Estimate(1.0 + errors * _ERROR, _ERROR, _TRIALS)
    return float(judgement.p_value(_case(), "=", estimate))


def half_width_in_errors(significance: float) -> float:
    """Half of the interval that misses with this chance, in standard errors."""
    estimate = Estimate(1.0, _ERROR, _TRIALS)
    return judgement.half_width(_case(), estimate, significance) / _ERROR


def _case() -> Case:
    """An equality with the theory 1."""
    return Case({}, 1.0, {}, "mean")


def summed_error(first: float, second: float) -> float:
    """Standard error of a difference of two variances on common draws, over the sum of both.

    The variances are those of frc's error with these probabilities to straggle.
    """
    tables = tuple(
        {
            "code": {"family": "frc", "n": 8, "d": 2},
            "stragglers": {"model": "iid", "p": p},
            "method": "monte-carlo",
        }
        for p in (first, second)
    )
    case = Case({}, 0.0, tables[0], "error", "variance", against=tables[1])
    each = Measuring(Request(tables, [case]), seed=1)
    tally = each.unit.run([0], each.unit.block).tally
    [difference] = each.sampled(tally)
    alone = [row[-1] for row in each.unit.rows(tally) if row[2] == "variance"]
    errors = [estimate.standard_error or 0.0 for estimate in (difference.estimate, *alone)]
    return errors[0] / sum(errors[1:])


def may_be_rejected(events: int, trials: int) -> float:
    """Whether a probability of one in the trials may be rejected where it was seen so often."""
    share = events / trials
    error = math.sqrt(share * (1.0 - share) / trials)
    estimate = Estimate(share, error, trials, proportion=True)
    return float(judgement.may_reject(Case({}, 1.0 / trials, {}, "exact"), Evidence(estimate)))


def stops(trials: int, tolerances: Sequence[float]) -> float:
    """Whether sampling of frc's mean error and variance stops after so many trials.

    Each is to be known to the given share of it.
    """
    table = {
        "code": {"family": "frc", "n": 8, "d": 2},
        "stragglers": {"model": "iid", "p": 0.3},
        "method": "monte-carlo",
    }
    truth = {"mean": 0.72, "variance": 1.3104}
    cases = [
        Case({}, truth[name], table, "error", name, tolerance=share)
        for name, share in zip(truth, tolerances, strict=True)
    ]
    each = Measuring(Request((table,), cases), seed=1)
    tally = each.unit.run(range(trials // each.unit.block), each.unit.block).tally
    return float(NarrowEnough(each, 0.01).reached(each.unit, tally) is not None)
