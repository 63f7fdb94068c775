"""Parts of the methods for rare events never share random numbers: who requests which addresses."""

import itertools

import numpy as np
import pytest

from fastgc.latency import Exponential
from fastgc.systems.timing.laws.structure_law import LawRequest, evaluation_of
from fastgc.systems.timing.laws.tail import ISLAND, Union
from fastgc.systems.timing.stars import Flat
from fastgc_kernels.complete import unions as arrivals


def overlaps(seen):
    found = []
    for (key, first, end), (other, begin, stop) in itertools.combinations(seen, 2):
        if key == other and first < stop and begin < end:
            found.append((key, first, begin))
    return found


@pytest.mark.parametrize("relative", [0.5, 0.02])
def test_islands_that_decide_how_many_there_are_do_not_count(relative):
    """`Union.probability` requests no island twice, and counts none of the first."""
    union = object.__new__(Union)
    union.__dict__ |= {"failures": np.array([1e-6, 1e-6]), "complete": 1.0}
    seen = []

    def sampling(first, islands):
        seen.append((0, first, first + islands))
        failing = np.zeros((islands, 3))
        # the first islands see both fail, the others one alone
        failing[:, 2 if first == 0 else 1] = 100.0
        failing[:, 1] += 10.0
        return failing

    found = union.probability(sampling, relative)
    assert len(seen) == 2 and overlaps(seen) == []
    assert abs(found.value / 2e-6 - 1.0) < 1e-9


def test_samples_of_a_union_of_late_times_have_numbers_of_their_own(monkeypatch):
    """Each sample's: its requirement, how many are late, and each time; none is drawn twice."""
    times = [Exponential(mean=mean).time() for mean in (0.5, 1.0, 0.8, 2.0, 1.5)]
    union = Union.late(evaluation_of(Flat(5, 4), LawRequest(5, times, 0.3, answers=0.9)), 2.0)
    chosen, sampled = [], []
    choose, sample = arrivals.choose, arrivals.sample

    def recorded_choice(key, first, address, rising, out):
        chosen.append((address, first, first + out.size))
        choose(key, first, address, rising, out)

    def recorded(key, samples, first, *rest):
        sampled.extend((first + samples).tolist())
        sample(key, samples, first, *rest)

    monkeypatch.setattr(arrivals, "choose", recorded_choice)
    monkeypatch.setattr(arrivals, "sample", recorded)
    for first, count in ((0, 2), (2, 3), (5, 1)):
        union.islands(np.uint64(7), first, count)
    assert sorted(sampled) == list(range(6 * ISLAND))
    assert overlaps(chosen) == [] and len(chosen) == 3
    # times have the addresses 0 … 4, the number of late ones has 6
    assert {address for address, _, _ in chosen} == {5}
