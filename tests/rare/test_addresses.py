"""Parts of the methods for rare events never share random numbers: who requests which addresses.

Independence of islands, and with it every interval, rests on that.
"""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from bench import rare_coverage as bench
from fastgc.experiments.decoding.rare import number_law, spectrum
from fastgc.experiments.decoding.rare.spectrum import Spectrum
from fastgc.experiments.methods import Asked
from fastgc.latency import Exponential
from fastgc.systems.timing.laws.structure_law import evaluation_of
from fastgc.systems.timing.laws.tail import ISLAND, SampledTail, Union
from fastgc.systems.timing.structure import Flat
from fastgc_kernels.complete import unions as arrivals


def taken(monkeypatch):
    """Every request for random numbers: of which draws, and from which address to which."""
    seen = []
    numbers = Spectrum.numbers

    def recorded(self, purpose, first, level, rows, draws):
        seen.append(((self.seed, self.stream, purpose, level), first, first + rows))
        return numbers(self, purpose, first, level, rows, draws)

    monkeypatch.setattr(Spectrum, "numbers", recorded)
    return seen


def overlaps(seen):
    found = []
    for (key, first, end), (other, begin, stop) in itertools.combinations(seen, 2):
        if key == other and first < stop and begin < end:
            found.append((key, first, begin))
    return found


def test_no_two_parts_of_chains_share_random_numbers(monkeypatch):
    """Points, islands, levels, the first look, the search and the level where chains begin."""
    seen = taken(monkeypatch)
    monkeypatch.setattr(spectrum, "STATE", 1 << 20)  # the search takes several turns
    for code in (bench.two_ways(10, 2, 4), {"family": "sparse-regular", "n": 16, "d": 3}):
        for seed in (1, 2):
            method = bench._method(code, 0.05, 2.5)
            method._how_rare(0, Asked(seed, trials=1000))
            for first in (0, 5, 37):
                method.part(0, seed, first, 5)
    purposes = {key[2] for key, _, _ in seen}
    assert purposes == {"rare plain", "rare pilot", "rare search start", "rare search",
                        "rare start", "rare swap", "rare pick", "rare above"}  # fmt: skip
    # sets without stragglers take none of theirs
    assert overlaps([each for each in seen if each[0][2:] != ("rare plain", 0)]) == []
    # islands that begin half an island early are seen
    key, first, end = seen[-1]
    assert overlaps([*seen, (key, (first + end) // 2, end + 1)])


def lost_groups(p, seed=1):
    method = bench._method({"family": "frc", "n": len(p), "d": 2}, p, 0.0)
    return method._union(seed)


def test_no_two_islands_of_union_sampling_share_random_numbers(monkeypatch):
    seen = []

    def uniforms(key, first, level, out):
        seen.append(((int(key), level), first, first + len(out)))
        out[:] = 0.5

    monkeypatch.setattr(number_law, "chain_sets", SimpleNamespace(uniforms=uniforms))
    for p in ([0.1, 0.2, 0.1, 0.2], [0.1] * 6):
        for seed in (1, 2):
            for first in (0, 3):
                lost_groups(p, seed).islands(first, 3)
    assert len(seen) == 24 and overlaps(seen) == []
    key, first, _ = seen[-1]
    assert overlaps([*seen, (key, first + 1, first + 2)])


def test_which_group_is_lost_and_who_straggles_are_numbers_of_their_own(monkeypatch):
    """The first number takes the second group, and says nothing of worker 0."""

    def uniforms(key, first, level, out):
        out[:] = 0.99
        out[:, :1] = 0.45

    monkeypatch.setattr(number_law, "chain_sets", SimpleNamespace(uniforms=uniforms))
    method = bench._method({"family": "frc", "n": 2, "d": 1}, [0.5, 0.9], 0.0)
    assert np.abs(method._union(1).islands(0, 2) - 1.4).max() < 1e-12
    # were the worker's number .45, too, both groups would be lost
    monkeypatch.setattr(number_law, "chain_sets", SimpleNamespace(
        uniforms=lambda key, first, level, out: out.fill(0.45)))  # fmt: skip
    assert np.abs(method._union(1).islands(0, 2) - 0.7).max() < 1e-12


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
    union = SampledTail(evaluation_of(Flat(5, 4), times, 0.3, answers=0.9)).union(2.0)
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
