"""Keys of random numbers: what they depend on."""

import itertools

import pytest

from fastgc.draws.streams import key, uniforms
from twins import sampling as twin


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1])
def test_every_bit_of_a_seed_counts(seed):
    named = [*itertools.product(("s", "t", "1"), ("straggle", "time", "class"))]
    keys = {int(key(seed, *names)) for names in named}
    assert keys == {twin.key(seed, *names) for names in named} and len(keys) == 9
    for bit in (0, 31, 32, 33, 63):
        other = seed ^ 1 << bit
        assert key(other, "s", "straggle") not in keys
        assert (uniforms(other, "made once", 8) != uniforms(seed, "made once", 8)).all()


def test_runs_in_which_numbers_are_drawn_do_not_show(monkeypatch):
    whole = uniforms(3, "long", 70_001)
    assert (uniforms(3, "long", 65_538) == whole[:65_538]).all()
    monkeypatch.setattr("fastgc.draws.streams._RUN", 1 << 20)
    assert (uniforms(3, "long", 70_001) == whole).all()
