"""Patterns of many workers and few trials: the bits of those drawn with few workers."""

import numpy as np
import pytest

from fastgc.draws import patterns as models
from fastgc.draws.streams import Batch
from fastgc.stragglers import Iid, Markov, TwoClass, Uniform
from fastgc_kernels.draw import patterns as kernel
from fastgc_kernels.draw import wide

pytestmark = pytest.mark.night

N = 2500  # more than a strip of vectors, and no whole number of words
SHARES = np.resize([0.0, 1.0, 0.2, 1 / 3, 1e-9, 0.5, 1 - 2.0**-53], N)


@pytest.fixture(params=["many", "few"])
def layout(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Draw by the one kernel, or by the other."""
    monkeypatch.setattr(models, "_MANY_WORKERS", 1 if request.param == "many" else 10**9)
    monkeypatch.setattr(models, "_STRIP", 64 * 7)
    return str(request.param)


KNOWN: dict[str, tuple[object, ...]] = {}


@pytest.mark.parametrize("model", [
    Iid(p=0.2), Iid(p=tuple(SHARES)), Iid(p=0.0), Iid(p=1.0),
    TwoClass(p_slow=0.3, p_straggle_slow=1.0, p_straggle_active=0.01),
    TwoClass(slow=700, p_straggle_slow=0.8, p_straggle_active=0.3),
    Markov(p_straggle_after_ok=0.1, p_straggle_after_straggle=0.5), Uniform(stragglers=3),
    Uniform(stragglers=2000),
], ids=lambda model: str(model)[:40])  # fmt: skip
def test_both_kernels_draw_the_same(layout: str, model: object) -> None:
    batch = Batch(5, "s", 64 * 9, 2, 2)
    drawn, again = (model.draw(N, batch) for _ in range(2))  # type: ignore[attr-defined]
    first = drawn.packed.tobytes()  # before its planes are asked for
    planes = again.planes.tobytes()
    assert drawn.planes.tobytes() == planes and again.packed.tobytes() == first
    assert drawn.survivors.tolist() == again.survivors.tolist() and drawn.sound
    assert drawn.shuffled("random").packed.tobytes() == again.shuffled("random").packed.tobytes()
    found = (first, planes, drawn.survivors.tolist(), drawn.shuffled("random").packed.tobytes())
    assert KNOWN.setdefault(str(model), found) == found


@pytest.mark.parametrize("n", [1, 63, 64, 65, 700, 1089])
@pytest.mark.parametrize("words", [1, 3])
def test_rows_and_counts(n: int, words: int) -> None:
    rng = np.random.default_rng(n)
    planes = rng.integers(0, 2**64, (n, words), np.uint64)
    rows, same = (np.empty((64 * words, -(-n // 64)), np.uint64) for _ in range(2))
    kernel.pack(planes, rows)
    wide.pack(planes, 0, same)
    assert np.array_equal(rows, same)
    counts = np.empty(64 * words, np.int64)
    wide.count_survivors(rows, counts)
    bits = np.unpackbits(rows.view(np.uint8), axis=1)
    assert counts.tolist() == bits.sum(axis=1).tolist()
