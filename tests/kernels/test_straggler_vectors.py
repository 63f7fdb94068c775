"""Vector code written by hand: the bits of the loops that it replaces, on every processor."""

import hashlib

import numpy as np
import pytest

from fastgc_kernels import _jit
from fastgc_kernels.decode import least_squares, straggler_costs
from fastgc_kernels.decode.straggler_costs import DECIDED
from twins import dense
from twins.least_squares import pack

LARGE = (2, 3, 5, 8, 9, 13, 20, 33, 63, 64, 65, 100, 127, 128, 129, 200)


def matrix(n, nullity=0):
    """A table H, a vector x and a projector, of numbers that every library rounds alike."""
    rng = np.random.default_rng(n)
    rows = rng.integers(-8, 9, (n, n + 3)) / 8.0
    H = rows @ rows.T  # exact: sums of few small multiples of 1/64
    x = rng.integers(-99, 99, n) / 64.0
    if nullity == 0:
        least_squares.normalise(H, x)
        return H, np.zeros((0, n)), np.zeros((n, n)), x
    N = np.zeros((nullity, n))
    N[np.arange(n) % nullity, np.arange(n)] = np.sqrt(1.0 / np.ceil(n / nullity))
    N[:, 0] += 0.125
    return H, N, sum(row[:, None] * row for row in N), x


def patterns(n, T=700):
    """As many of each number of stragglers as of another, and groups that are no whole vectors."""
    rng = np.random.default_rng(n)
    most = min(n, 40)
    alive = rng.random((T, n)).argsort(axis=1) >= rng.integers(0, most + 1, T)[:, None]
    alive[0], alive[1] = True, False
    return alive


@pytest.fixture(params=[False, True], ids=["panels", "lines"])
def lines(request, monkeypatch):
    monkeypatch.setattr(straggler_costs.CountKernel, "serves", request.param)


@pytest.mark.parametrize("n", LARGE)
@pytest.mark.usefixtures("lines")
def test_bits_of_independent_columns(n):
    H, N, P, x = matrix(n)
    if n == 13:  # some are in doubt: two rows that are nearly the same
        H[1], H[:, 1] = H[0], H[:, 0]
        H[0, 1] = H[1, 0] = 1 - 1e-9
        H[1, 1] = 1.0
    alive = patterns(n)
    lost = (~alive).sum(axis=1)
    found, worth = np.empty(len(alive)), np.full(len(alive), 7, np.uint8)
    least_squares.errors(pack(alive), H, N, P, x, 0.25, 9.0 * n, found, worth)
    wanted, doubtful = np.full(len(alive), np.nan), np.zeros(len(alive), np.uint8)
    wanted[lost == 0], wanted[lost == n] = 0.25, 9.0 * n
    for s in range(1, n):
        own = np.flatnonzero(lost == s)
        dense.independent(pack(alive), H, x, 0.25, 9.0 * n, own, s, wanted, doubtful)
    assert worth.tolist() == doubtful.tolist()
    assert (n == 13) == (np.count_nonzero(worth) > 0)
    good = worth == DECIDED
    assert found[good].tobytes() == wanted[good].tobytes()


@pytest.mark.night
@pytest.mark.parametrize("n", [9, 20, 64, 65, 130])
def test_bits_of_free_stragglers(n):
    nullity = min(n // 2, 21)
    H, N, P, x = matrix(n, nullity)
    alive = patterns(n)
    lost = (~alive).sum(axis=1)
    alive, lost = alive[lost <= nullity], lost[lost <= nullity]
    found, worth = np.empty(len(alive)), np.empty(len(alive), np.uint8)
    least_squares.errors(pack(alive), H, N, P, x, 0.25, 9.0 * n, found, worth)
    wanted, doubtful = np.full(len(alive), 0.25), np.zeros(len(alive), np.uint8)
    for s in range(1, nullity + 1):
        dense.free(pack(alive), P, 0.25, np.flatnonzero(lost == s), s, wanted, doubtful)
    assert (found.tobytes(), worth.tobytes()) == (wanted.tobytes(), doubtful.tobytes())
    assert 0 < np.count_nonzero(worth) < len(worth)


@pytest.mark.parametrize("n", [20, 65, 200])
@pytest.mark.usefixtures("lines")
def test_bits_of_few_patterns(n):
    """What is read beyond the last pattern are workers, wherever it stands."""
    H, N, P, x = matrix(n)
    alive = patterns(n)[2:]
    for first in range(0, 90, 9):
        packed = pack(alive[first : first + 9])
        found, wanted = np.empty((2, len(packed)))
        worth = np.zeros((2, len(packed)), np.uint8)
        least_squares.errors(packed, H, N, P, x, 0.25, 9.0 * n, found, worth[0])
        for t, s in enumerate((~alive[first : first + 9]).sum(axis=1).tolist()):
            dense.independent(packed, H, x, 0.25, 9.0 * n, np.array([t]), s, wanted, worth[1])
            wanted[t] = 9.0 * n if s == n else wanted[t]
        assert found.tobytes() == wanted.tobytes()


def digest():
    hashed = hashlib.sha256()
    for n, nullity in ((9, 0), (20, 0), (65, 0), (100, 0), (20, 3), (65, 9)):
        alive = patterns(n)
        found, worth = np.empty(len(alive)), np.empty(len(alive), np.uint8)
        H, N, P, x = matrix(n, nullity)
        least_squares.errors(pack(alive), H, N, P, x, 0.25, 9.0 * n, found, worth)
        found[worth != DECIDED] = 0.0
        hashed.update(found.tobytes() + worth.tobytes())
    return hashed.hexdigest()


def test_a_line_is_compiled_once_it_would_have_saved_as_much(monkeypatch):
    monkeypatch.setattr(straggler_costs, "is_kept", lambda *_: False)
    line = straggler_costs.CountKernel(4)
    monkeypatch.setattr(_jit.FALLBACKS, "wanted", True)
    assert not line.serves
    line.count(10**8)
    assert not line.serves
    monkeypatch.setattr(straggler_costs, "is_kept", lambda *_: True)
    assert line.serves
    monkeypatch.setattr(straggler_costs, "is_kept", lambda *_: False)
    line.count(2 * 10**9)
    assert line.serves


@pytest.mark.parametrize(("place", "changed"), [
    (0, lambda packed: np.zeros((700, 2), np.uint64)),
    (1, lambda H: H[:19, :19].copy()),
    (1, lambda H: H.T[::-1].T),
    (3, lambda P: P[:19]),
    (4, lambda x: x[:19]),
    (7, lambda out: np.empty(699)),
    (8, lambda doubtful: np.empty(1400, np.uint8)[::2]),
])  # fmt: skip
def test_what_does_not_fit_is_refused(place, changed):
    """Vector code reads addresses, which nothing else checks."""
    own = pack(patterns(20)), *matrix(20, 3), 0.25, 1.0, np.empty(700), np.empty(700, np.uint8)
    given = [*own[:place], changed(own[place]), *own[place + 1 :]]
    with pytest.raises(ValueError, match="do not fit"):
        least_squares.errors(*given)


def test_bits_of_no_worker_count_as_survivors():
    """Whatever a pattern holds, no address beyond the tables is made of it."""
    H, N, P, x = matrix(20)
    packed = pack(patterns(20))
    found = []
    for given in (packed, packed | ~np.uint64(0) << np.uint64(20)):
        out, worth = np.empty(700), np.empty(700, np.uint8)
        least_squares.errors(given, H, N, P, x, 0.25, 180.0, out, worth)
        found.append((out.tobytes(), worth.tobytes()))
    assert found[0] == found[1]
