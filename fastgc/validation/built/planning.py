"""What ``fastgc design`` makes of systems."""

from __future__ import annotations

import math

import numpy as np

from fastgc.engine.payloads import Payload
from fastgc.planning import design
from fastgc.planning.candidate import Candidate
from fastgc.planning.timed_system import Setting
from fastgc.study.design import parse
from fastgc.systems.gradient_code import gradient_code


def _sampled(trials: int, level: float) -> Candidate:
    """A star whose time was sampled so many times."""
    table = parse(
        {
            "workers": 6,
            "schemes": ["gradient-code"],
            "latency": {"distribution": "exponential", "mean": 1.0},
            "goal": f"quantile({level})",
        }
    )
    found = Candidate(Payload(Setting(table)), gradient_code(n=6, s=2))
    found.sample(trials)
    return found


def design_quantile_rank(trials: int, level: float) -> float:
    """Which of so many sampled times, from the smallest, a quantile is."""
    found = _sampled(trials, level)
    return float(np.count_nonzero(found.sample(trials) <= found.value))


def design_quantile_coverage(trials: int, level: float) -> float:
    """Chance that a quantile lies between the sampled times that are its interval's ends."""
    found = _sampled(trials, level)
    times = found.sample(trials)
    low, high = found.interval()
    first, last = int(np.count_nonzero(times <= low)), int(np.count_nonzero(times < high))
    return math.fsum(
        math.comb(trials, below) * level**below * (1.0 - level) ** (trials - below)
        for below in range(first, last + 1)
    )


def design_best_quantile(workers: int, level: float, shift: float) -> float:
    """Quantile of the best k-of-n for shifted unit exponential times."""
    table = {
        "workers": workers,
        "schemes": ["k-of-n"],
        "latency": {"distribution": "exponential", "mean": 1.0, "shift": shift},
        "goal": f"quantile({level})",
    }
    return design(table, threads=1)[0].value


def design_separates(shift: float, trials: int, seed: int) -> float:
    """Whether the best of 20 stars of unlike workers behind a port is certain, by the median.

    Their shift decides between one answer of all the work and all answers of a share each.
    """
    latency = [
        {"distribution": "exponential", "mean": 1.0 + 0.02 * j, "shift": shift} for j in range(20)
    ]
    table = {
        "workers": 20,
        "schemes": ["gradient-code"],
        "latency": latency,
        "port": {"receive": 1e-4},
        "goal": "quantile(0.5)",
        "trials": trials,
        "seed": seed,
    }
    return float(design(table, threads=1).separated)
