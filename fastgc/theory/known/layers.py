"""What is known of tasks in layers, of which layer j needs k_j answers."""

from __future__ import annotations

from fastgc.theory import hierarchical
from fastgc.theory.hierarchical.time import unfinished_probability
from fastgc.theory.known.completion import Known, Table, Time, if_answered
from fastgc.theory.known.registered import system
from fastgc.theory.known.time_law import TimeLaw

#: Staircase probabilities of more take seconds.
_LARGEST = 400


@system("hierarchical")
def layers(experiment: Table, n: int) -> Known | None:
    """Exponential times with one speed a worker."""
    k = experiment["system"].get("k")
    one_speed = (experiment["system"].get("draws") or "speed") == "speed"
    if k is None or n > _LARGEST or len(k) > _LARGEST:
        return None

    def time(law: TimeLaw) -> Time | None:
        if law.exponential is None or not one_speed:
            return None
        mean, shift = law.exponential
        return Time(
            (
                hierarchical.finishing_mean(n, k, mean, shift),
                hierarchical.finishing_variance(n, k, mean, shift),
            ),
            lambda t: unfinished_probability(n, k, t, mean, shift),
        )

    return Known(
        len(k) / sum(k),
        time,
        "hierarchical.mean.derived",
        if_answered(n, lambda r: float(r >= max(k))),
        tasks=len(k),
        task=1.0,
    )
