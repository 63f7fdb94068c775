"""Units of swept keys, as the documentation of members has them."""

import pytest

from fastgc.report.pictures.words import unit_of


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("latency.mean", "seconds"),
        ("latency.shift", "seconds"),
        ("latency.fast.mean", None),
        ("latency.shape", None),
        ("latency.mu", None),
        ("stragglers.deadline", "seconds"),
        ("stragglers.p", None),
        ("port.receive", "seconds"),
        ("shuffle", None),
        ("code.n, with stragglers.p", None),
    ],
)
def test_a_key_has_its_unit(key, unit):
    assert unit_of(key) == unit
