"""The short form of ``python -m bench.tails``: 300 intervals for each.

A coverage fails where its count would come less than once in a thousand from the edge of its band.
"""

import pytest

from bench import tails
from bench.intervals import rows_of


@pytest.mark.night
@pytest.mark.parametrize("level", tails.LEVELS)
def test_intervals_of_union_sampling_hold_the_exact_probability(level):
    situation = tails.counted(tails.KNOWN[2], level)
    assert list(situation.promises.values()) == [tails.BAND if level > 1e-3 else tails.FLOOR]
    for row in rows_of(situation, range(300)):
        assert row.fine, row
