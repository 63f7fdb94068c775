"""Large times: whose squares are no numbers, and laws that are narrow beside them."""

from dataclasses import replace

import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.systems import coded_reduce
from fastgc.systems.timing.laws import distribution


def rows(unit: float) -> list[dict]:
    latency = {"distribution": "exponential", "mean": unit, "shift": unit}
    system = {"family": "coded-reduce", "n": 2, "layers": 2, "s": 1}
    port = {"receive": 0.1 * unit}
    study = {"kind": "completion", "system": system, "latency": latency, "port": port}
    return fastgc.run(study, trials=64, threads=1).rows()


def test_times_without_squares() -> None:
    with pytest.raises(FastgcError, match="their squares are no numbers; take a larger unit"):
        rows(1e308)
    [one, large] = (
        row["value"]
        for unit in (1.0, 1e100)
        for row in rows(unit)
        if (row["statistic"], row["method"]) == ("mean", "exact")
    )
    assert large == pytest.approx(1e100 * one, rel=1e-9)


@pytest.mark.night
def test_a_law_far_from_zero_is_integrated_as_fast_as_one_near_it():
    """Ports that receive for long move it: its width is a 10⁻⁹ of its times, which are rounded."""
    structure, found = coded_reduce(n=10, layers=3, s=2).structure(), {}
    for receive in (1.0, 5000.0):
        law = distribution(structure, [Exponential(mean=0.01, shift=0.01).time()], receive)
        asked = []

        def evaluate(t, own=law.evaluate, asked=asked):
            asked.append(t.size)
            return own(t)

        counted = replace(law, evaluate=evaluate)
        found[receive] = counted.mean() - counted.minimum, counted.variance()
        assert sum(asked) < 20_000
    assert found[5000.0][1] == pytest.approx(found[1.0][1], rel=1e-4, abs=0)
    assert found[5000.0][0] == pytest.approx(found[1.0][0], rel=1e-4, abs=0)
