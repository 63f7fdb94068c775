"""The generator against the published known answers and a twin in plain integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc_kernels.draw import philox
from twins import philox as twin

#: Random123 1.09, tests/kat_vectors, philox4x32-10: counter, key, answer.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]  # fmt: skip


def words(counters, key):
    out = np.empty((len(counters), 4), np.uint64)
    philox.words(np.array(counters, np.uint64), np.uint64(key), out)
    return out


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_published_known_answers(counter, key, answer):
    assert twin.philox(counter, key) == answer
    assert tuple(words([counter], key[0] + (key[1] << 32))[0].tolist()) == answer


WORD = st.integers(0, 2**32 - 1)


@given(st.tuples(WORD, WORD, WORD, WORD), st.integers(0, 2**64 - 1))
def test_kernel_is_the_twin(counter, key):
    assert tuple(words([counter], key)[0].tolist()) == twin.words(counter, key)
