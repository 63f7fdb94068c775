"""What was predicted against what was measured: structure, law and learning, kept apart.

A comparison holds, does not hold, or is open; it says so in one sentence, with the numbers.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.measuring.schemes import CodedGradient, Scheme
from fastgc.results.measurements import finite
from fastgc.statistics.resampling import block_length, quantile_interval
from fastgc.training.coded import Descent
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
    are those that were predicted to; ``decoding``: seconds that a round went on after its rule was
    met.
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
        "overhead_median_low": finite(low),
        "overhead_median_high": finite(high),
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
    if scheme.parameters > _SIMULATED or not (scheme.code.pieces == 1 or exact.all()):
        return _results(errors[exact])
    simulated = _simulated(scheme, optimizer, used)
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


def _simulated(scheme: CodedGradient, optimizer: Optimizer, used: Mask) -> Values:
    assert scheme.problem is not None and scheme.data is not None
    ways, index = np.unique(used, axis=0, return_inverse=True)
    weights = np.ones((len(ways), scheme.code.k))  # of several pieces, where results are exact
    if scheme.code.pieces == 1:
        weights = scheme.weights(ways)
    descent = Descent(scheme.problem, scheme.data, scheme.code.k, optimizer, len(used))
    return descent.run(weights, index.reshape(-1, 1)).loss[:, 0]


def _results(errors: Values) -> Comparison | None:
    """Judge the squared distances of exact results from those of all of the work, of them."""
    if not errors.size:
        return None
    off = float(errors.max())
    facts = {"rounds": errors.size, "largest_difference": finite(off), "allowed": RESULT}
    if wild := int((~np.isfinite(errors)).sum()):
        said = f"in {wild} of {errors.size} exact rounds results are no numbers: answers are not"
        return Comparison("learning", DIFFERS, said, facts)
    numbers = f"all of the work in {errors.size} exact rounds, to {off:.1g} of their squares"
    if off <= RESULT:
        return Comparison("learning", HELD, f"results are those of {numbers}", facts)
    said = f"results differ from those of {numbers}: answers are wrong, or random"
    return Comparison("learning", DIFFERS, said, facts)
