"""The generator against the published known answers and a twin, and what its keys depend on."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc.draws.streams import key, uniforms
from fastgc_kernels.draw import philox
from twins import philox as plain
from twins import sampling as twin

#: Random123 1.09, tests/kat_vectors, philox4x32-10: counter, key, answer.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]  # fmt: skip


def words(counters, own):
    out = np.empty((len(counters), 4), np.uint64)
    philox.words(np.array(counters, np.uint64), np.uint64(own), out)
    return out


@pytest.mark.parametrize(("counter", "own", "answer"), KNOWN_ANSWERS)
def test_published_known_answers(counter, own, answer):
    assert plain.philox(counter, own) == answer
    assert tuple(words([counter], own[0] + (own[1] << 32))[0].tolist()) == answer


WORD = st.integers(0, 2**32 - 1)


@given(st.tuples(WORD, WORD, WORD, WORD), st.integers(0, 2**64 - 1))
def test_kernel_is_the_twin(counter, own):
    assert tuple(words([counter], own)[0].tolist()) == plain.words(counter, own)


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
