"""The best system of each scheme is reported while the search goes on."""

import pytest

import fastgc

TABLE = {
    "workers": 12,
    "schemes": ["uncoded", "gradient-code", "replication", "coded-reduce"],
    "latency": {"distribution": "exponential", "shift": 0.1, "mean": 1.0},
    "port": {"receive": 0.01},
}


@pytest.mark.night
def test_each_scheme_s_best_is_reported_once_and_before_the_end():
    events = []
    ranking = fastgc.design(
        TABLE,
        progress=lambda step: events.append(step.done / step.total),
        found=lambda system, value: events.append((system["family"], value)),
    )
    reported = dict(event for event in events if isinstance(event, tuple))
    assert sum(isinstance(event, tuple) for event in events) == len(reported)
    assert sorted(reported) == sorted(TABLE["schemes"])
    assert not isinstance(events[-1], tuple)
    # sampled values may still get better known
    best = {}
    for choice in ranking:
        best.setdefault(choice.system["family"], choice.value)
    for family, value in reported.items():
        assert value == pytest.approx(best.get(family, value), rel=0.05)
    assert min(reported.values()) == pytest.approx(ranking[0].value, rel=0.05)
