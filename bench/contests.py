"""One contest: fastgc and its peers at the same work, who must also agree on the numbers."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import targets
from bench.timing import Contestant, Moments, Timing, interleaved
from fastgc import experiments
from fastgc.engine.units import Unit
from fastgc.experiments.table import Point
from fastgc.statistics.estimates import Estimate

Floats = NDArray[np.float64]

SEED = 20240607
FASTGC = "fastgc"


@dataclass(frozen=True)
class Peer:
    """What fastgc is measured against.

    ``run`` does ``trials`` trials of the work; ``values`` are its numbers for a given input.
    """

    run: Callable[[], Floats]
    trials: int
    values: Callable[[Any], Floats]


def moments(result: Any) -> Moments:
    """Mean and standard error of fastgc's estimate, or of a peer's values."""
    if isinstance(result, Estimate):
        assert result.value is not None and result.standard_error is not None
        return result.value, result.standard_error
    values = np.asarray(result, float)
    return float(values.mean()), float(values.std() / math.sqrt(values.size))


@dataclass(frozen=True)
class Contest:
    """fastgc and its peers at the same work.

    ``name``: what ``--only`` selects; ``own``: fastgc's part; ``given``: an input, and fastgc's
    numbers for it; ``tolerance``: largest difference allowed between these and a peer's;
    ``moments``: mean and standard error of what a contestant's call returned.
    """

    name: str
    own: Contestant
    peers: Mapping[str, Peer]
    given: Callable[[], tuple[Any, Floats]]
    tolerance: float
    moments: Callable[[Any], Moments] = moments

    @property
    def contestants(self) -> list[Contestant]:
        """All of them, fastgc first."""
        peers = self.peers.items()
        return [self.own, *(Contestant(name, peer.run, peer.trials) for name, peer in peers)]

    def differences(self) -> dict[str, float]:
        """Largest difference between the numbers of fastgc and of each peer on the same input."""
        data, own = self.given()
        return {
            name: float(np.abs(peer.values(data) - own).max()) for name, peer in self.peers.items()
        }


@dataclass(frozen=True)
class ContestOutcome:
    """What came out: nanoseconds a trial, ratios to fastgc, and what did not agree.

    ``spread``: by how much fastgc's third best round is slower than its best, as a share;
    ``seconds``: processor time of all of it.
    """

    name: str
    first_call_seconds: float
    nanoseconds: dict[str, float]
    ratios: dict[str, float]
    floors: dict[str, float]
    goals: dict[str, float]
    means: dict[str, Moments]
    differences: dict[str, float]
    disagreements: list[str]
    spread: float = 0.0
    seconds: float = 0.0

    @property
    def below(self) -> list[str]:
        """Floors that were missed."""
        return [
            f"{self.name}: {self.ratios[peer]:.3g} × {peer}, floor {floor:g} ×"
            for peer, floor in self.floors.items()
            if peer in self.ratios and self.ratios[peer] < floor
        ]


def hold(made: Callable[[], Contest], rounds: int) -> ContestOutcome:
    """Make a contest, time it, and compare the numbers."""
    begun = time.process_time()
    contest = made()
    most = targets.seconds(contest.name) - (time.process_time() - begun)
    timings = interleaved(contest.contestants, contest.moments, rounds, most)
    means = {name: _pooled(timing) for name, timing in timings.items()}
    floors, goals = targets.of(contest.name)
    own = timings[FASTGC].best
    differences = contest.differences()
    wrong = [
        f"{contest.name}: {peer} differs by {difference:.1e} on the same draws"
        for peer, difference in differences.items()
        if not difference <= contest.tolerance
    ]
    mean, error = means[FASTGC]
    for peer, (other, other_error) in means.items():
        joint = math.hypot(error, other_error)
        if not abs(mean - other) <= 5.0 * joint + contest.tolerance:
            wrong.append(
                f"{contest.name}: mean {mean:.6g} against {other:.6g} of {peer}, "
                f"joint standard error {joint:.2g}"
            )
    return ContestOutcome(
        contest.name,
        timings[FASTGC].first,
        {name: timing.best for name, timing in timings.items()},
        {name: timing.best / own for name, timing in timings.items() if name != FASTGC},
        floors,
        goals,
        means,
        differences,
        wrong,
        timings[FASTGC].spread,
        time.process_time() - begun,
    )


def _pooled(timing: Timing) -> Moments:
    """Mean over all calls; calls of fastgc draw the same trials, so their errors do not shrink."""
    mean = math.fsum(mean for mean, _ in timing.moments) / len(timing.moments)
    return mean, max(error for _, error in timing.moments)


def unit_of(**experiment: Any) -> Unit:
    """The unit of a study that has this one experiment."""
    kind = experiment.get("kind", "decoding")
    table = experiments.kinds()[kind].model_validate(experiment)
    return Unit([Point("experiment1", {}, table)], SEED, "bench")


def sampled(
    unit: Unit, blocks: range, trials: int, measure: str = "error", at: int | None = None
) -> Estimate:
    """Sample blocks as the engine does, and estimate the mean of a measure, at an index of it."""
    tally = unit.run(blocks, trials).tally
    for _, quantity, statistic, index, estimate in unit.rows(tally):
        if (quantity, statistic, index) == (measure, "mean", at):
            return estimate
    raise LookupError(f"the experiment does not measure {measure}")
