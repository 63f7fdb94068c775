"""Kernels that draw patterns, bit by bit against plain integers, and their frequencies."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.draws import patterns as models
from fastgc.draws.streams import Trials
from fastgc.stragglers import Iid, Markov, TwoClass, Uniform
from fastgc_kernels.draw import pattern_words as kernel
from fastgc_kernels.draw import philox, wide
from twins import sampling as twin
from twins.least_squares import pack

SIZES = [1, 2, 63, 64, 65, 130]
P_VALUES = [0.0, 1e-9, 0.2, 1 / 3, 0.5, 0.99, 1.0]


def booleans(packed, n):
    rows = []
    for words in packed.tolist():
        number = sum(word << 64 * w for w, word in enumerate(words))
        assert number < 2**n, "an unused bit is set"
        rows.append([bool(number >> j & 1) for j in range(n)])
    return np.array(rows)


# ---- digits of probabilities


@pytest.mark.parametrize("p", [0.0, 0.5, 1 / 3, 0.1, 1e-9, 2.0**-64, 1 - 2.0**-53, 1e-300])
def test_binary_digits_are_those_of_the_float(p):
    digits, pairs = models.binary_digits(np.array([p]))
    value = sum(Fraction(int(word != 0), 2 ** (i + 1)) for i, word in enumerate(digits[0]))
    assert value == Fraction(math.floor(Fraction(p) * 2**64), 2**64)
    assert set(digits[0].tolist()) <= {0, 2**64 - 1}
    last = max((i for i, word in enumerate(digits[0]) if word), default=-1)
    assert pairs[0] == last // 2 + 1


# ---- bernoulli


@pytest.mark.night
@pytest.mark.parametrize("n", SIZES)
def test_bernoulli_bit_for_bit(n):
    batch = Trials(seed=7, stream="s", first=128, groups=2, iterations=2)
    p = [P_VALUES[j % len(P_VALUES)] for j in range(n)]
    planes = models.bernoulli(np.array(p), batch, "straggle").planes
    own = twin.key(7, "s", "straggle")
    # both ends of a word, and the group after it
    for iteration, trial in itertools.product(range(2), (0, 1, 37, 63, 64, 127)):
        column = iteration * 2 + trial // 64
        for j in range(n):
            survived = int(planes[j, column]) >> trial % 64 & 1
            assert survived == (not twin.straggles(own, 128 + trial, iteration, j, p[j]))


@pytest.mark.parametrize("slow", [0.0, 1.0, 0.5])
@pytest.mark.parametrize("active", [0.0, 1.0])
def test_certain_outcomes(slow, active):
    batch = Trials(1, "s", 0, 2, 1)
    classes = np.array([[2**64 - 1, 0], [0, 2**64 - 1], [0xF0F0, 0x0F0F]], np.uint64)
    p, own = np.full(3, active), (classes, np.full(3, slow))
    planes = models.bernoulli(p, batch, "straggle", slow=own).planes
    assert (planes & ~classes == (~classes if active == 0 else 0)).all()
    if slow in (0.0, 1.0):
        assert ((planes & classes) == (classes if slow == 0 else 0)).all()
    alike = models.bernoulli(np.full(70, active), batch, "straggle").packed
    assert (booleans(alike, 70) == (active == 0)).all()


@pytest.mark.parametrize("p", [1 / 3, 1 - 2.0**-41, 0.5 + 2.0**-41])
def test_late_digits_count(p):
    # one pattern in a thousand is not decided by the ten digits that are looked at first
    out = models.bernoulli(np.array([p]), Trials(5, "late", 0, 32, 1), "straggle").planes
    own, whole = twin.key(5, "late", "straggle"), math.floor(p * 2**64)
    late = 0
    for trial in range(64 * 32):
        drawn = twin.uniform_digits(own, trial, 0, 0)
        late += drawn >> 54 == whole >> 54
        assert (int(out[0, trial // 64]) >> trial % 64 & 1) == (drawn >= whole)
    assert late > 0


@pytest.mark.night
@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize("origin", [0, 2**38 - 64 * 515])
def test_bernoulli_of_many_words(two, origin):
    # more words than are drawn side by side, comparisons that end at very different digits, and
    # numbers of 64-trial groups that pass 2³²
    groups = 1030
    p = np.array([1 / 3, 0.01, 1 - 2.0**-41, 0.0])
    slow_p = np.array([0.8, 0.5, 1e-3, 1 / 7])

    def drawn(first, groups):
        batch = Trials(5, "many", origin + 64 * first, groups, 1)
        classes = models.bernoulli(np.full(4, 0.5), batch, "class").planes
        slow = (classes, slow_p) if two else None
        return classes, models.bernoulli(p, batch, "straggle", slow=slow).planes

    classes, planes = drawn(0, groups)
    for first, size in ((0, 1), (1, 510), (511, 1), (512, 513), (1025, 5)):
        assert (drawn(first, size)[1] == planes[:, first : first + size]).all()
    own = twin.key(5, "many", "straggle")
    for trial in [*range(0, 64 * groups, 101), 64 * 512 - 1, 64 * 512, 64 * 1024, 64 * groups - 1]:
        for j in range(4):
            slow = two and int(classes[j, trial // 64]) >> trial % 64 & 1
            survived = int(planes[j, trial // 64]) >> trial % 64 & 1
            probability = slow_p[j] if slow else p[j]
            assert survived == (not twin.straggles(own, origin + trial, 0, j, probability))


#: Probabilities that end at their 1st to 12th binary digit, and their complements.
ENDING = [
    (numerator % 2**last) / 2**last
    for last in range(1, 13)
    for numerator in (1, 2**last - 1, 2 * (2**last // 3) + 1)
]


@pytest.mark.parametrize("two", [False, True])
def test_probabilities_that_end_at_any_digit_bit_for_bit(two):
    """Numbers that agree with p as far as it goes are not below it: one in 2¹² at the least."""
    n, groups = len(ENDING), 64
    batch = Trials(11, "ends", 0, groups, 1)
    p = np.array(ENDING)
    other = np.roll(p, 7)
    classes = models.bernoulli(np.full(n, 0.5), batch, "class").planes
    slow = (classes, other) if two else None
    planes = models.bernoulli(p, batch, "straggle", slow=slow).planes
    own = twin.key(11, "ends", "straggle")
    ties = np.zeros(n, int)
    for j, column in itertools.product(range(n), range(groups)):
        leading = leading_digits(own, column, j, 16)
        is_slow = digits_of(classes[j, column]) if two else np.zeros(64, bool)
        probability = np.where(is_slow, other[j], p[j])
        whole = (probability * 2**16).astype(int)
        assert (digits_of(planes[j, column]) == (leading >= whole)).all()
        ties[j] += np.count_nonzero(leading >> 6 == whole >> 6)
    # of 4096 numbers one in 1024 shares ten digits with p: none of a worker's do once in 55
    assert np.count_nonzero(ties) > n / 2


def digits_of(word):
    """Binary digits of a word, the lowest first: one a trial."""
    return np.array([bool(int(word) >> bit & 1) for bit in range(64)])


def leading_digits(own, group, worker, count):
    """First binary digits of a worker's uniform number in each of a group's 64 trials."""
    found = np.zeros(64, int)
    for pair in range(count // 2):
        a, b, c, d = twin.words((group, 0, 32 * worker + pair, 0), own)
        for low, high in ((a, b), (c, d)):
            found = 2 * found + digits_of(low | high << 32)
    return found


# ---- subsets


@pytest.mark.parametrize(("n", "first", "trials", "patterns"), [
    *((n, 2**40 + 3, 20, 40) for n in SIZES),  # two iterations, a trial number beyond 32 bits
    *((n, 2**32 - 50, 100, 250) for n in (9, 70)),  # the last iteration is cut
])  # fmt: skip
def test_subsets_bit_for_bit(n, first, trials, patterns):
    survivors = np.arange(patterns) % (n + 1)
    out = np.empty((patterns, -(-n // 64)), np.uint64)
    kernel.subsets(survivors, n, np.uint64(first), trials, np.uint64(11), out)
    drawn = booleans(out, n)
    for i in range(patterns) if patterns < 99 else [*range(0, 250, 7), 31, 32, 99, 100, 199, 249]:
        expected = twin.subset(11, first + i % trials, i // trials, n, int(survivors[i]))
        assert drawn[i].tolist() == expected
        assert sum(expected) == survivors[i]


def test_rejected_numbers_are_redrawn():
    # a bound b is rejected with probability below b/2³²: many large bounds, until it happens
    n, size, own = 60_000, 30_000, 11
    bounds = np.arange(n - size + 1, n + 1, dtype=np.uint64)
    for trial in range(100):
        counters = np.zeros((size // 4, 4), np.uint64)
        counters[:, 0] = trial
        counters[:, 2] = np.arange(size // 4)
        drawn = np.empty_like(counters)
        philox.words(counters, np.uint64(own), drawn)
        low = (drawn.reshape(-1) * bounds) & np.uint64(2**32 - 1)
        rejected = np.flatnonzero(low < np.uint64(2**32) % bounds)
        if rejected.size:
            break
    step = int(rejected[0])
    assert twin.bounded(own, trial, 0, step, int(bounds[step]))[1] > 0
    out = np.empty((1, -(-n // 64)), np.uint64)
    kernel.subsets(np.array([size]), n, np.uint64(trial), 1, np.uint64(own), out)
    assert booleans(out, n)[0].tolist() == twin.subset(own, trial, 0, n, size)


def test_all_subsets_of_one_size_are_alike():
    draws = 200_000
    out = np.empty((draws, 1), np.uint64)
    # a half, and both sides of taking the complement; chi-square at level 1e-6 each
    for size, most in ((3, 63.7), (2, 54.6), (4, 54.6)):
        kernel.subsets(np.full(draws, size), 6, np.uint64(0), draws, np.uint64(5), out)
        counts = np.bincount(out[:, 0].astype(int), minlength=64)
        sets = [sum(1 << j for j in chosen) for chosen in itertools.combinations(range(6), size)]
        assert counts[sets].sum() == draws
        expected = draws / len(sets)
        assert ((counts[sets] - expected) ** 2 / expected).sum() < most


# ---- layouts


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("columns", [1, 7, 8, 15, 16, 17, 33])
def test_pack_unpack_and_count(n, columns):
    rows = np.random.default_rng(n).random((64 * columns, n)) < 0.5
    packed = pack(rows)
    planes = np.empty((n, columns), np.uint64)
    kernel.unpack(packed, planes)
    for column, j in itertools.product(range(columns), {0, n // 2, n - 1}):
        expected = sum(int(rows[64 * column + t, j]) << t for t in range(64))
        assert int(planes[j, column]) == expected
    back = np.empty_like(packed)
    kernel.pack(planes, back)
    assert (back == packed).all()
    counts = np.empty(64 * columns, np.int64)
    kernel.count_survivors(planes, counts)
    assert (counts == rows.sum(axis=1)).all()


# ---- addresses: a trial's draws are its own


def test_high_trial_numbers_are_not_folded():
    p = np.full(4, 0.5)
    rows = [
        models.bernoulli(p, Trials(1, "s", first, 1, 1), "straggle").packed.tobytes()
        for first in (0, 64, 2**32, 2**38, 2**38 + 64, 2**60)
    ]
    assert len(set(rows)) == len(rows)


# ---- many workers and few trials: the bits of those drawn with few workers


N = 2500  # more than a strip of vectors, and no whole number of words
SHARES = np.resize([0.0, 1.0, 0.2, 1 / 3, 1e-9, 0.5, 1 - 2.0**-53], N)


@pytest.mark.night
@pytest.mark.parametrize("model", [
    Iid(p=0.2), Iid(p=tuple(SHARES)), Iid(p=0.0), Iid(p=1.0),
    TwoClass(p_slow=0.3, p_straggle_slow=1.0, p_straggle_active=0.01),
    TwoClass(slow=700, p_straggle_slow=0.8, p_straggle_active=0.3),
    Markov(p_straggle_after_ok=0.1, p_straggle_after_straggle=0.5), Uniform(stragglers=3),
    Uniform(stragglers=2000),
], ids=lambda model: str(model)[:40])  # fmt: skip
def test_both_kernels_draw_the_same(model, monkeypatch):
    monkeypatch.setattr(models, "_STRIP", 64 * 7)
    batch, found = Trials(5, "s", 64 * 9, 2, 2), []
    for many in (1, 10**9):
        monkeypatch.setattr(models, "_MANY_WORKERS", many)
        drawn, again = (model.draw(N, batch) for _ in range(2))
        first = drawn.packed.tobytes()  # before its planes are asked for
        planes = again.planes.tobytes()
        assert drawn.planes.tobytes() == planes and again.packed.tobytes() == first
        assert drawn.survivors.tolist() == again.survivors.tolist() and drawn.sound
        shuffled = drawn.shuffled("random").packed.tobytes()
        assert shuffled == again.shuffled("random").packed.tobytes()
        found.append((first, planes, drawn.survivors.tolist(), shuffled))
    assert found[0] == found[1]


@pytest.mark.night
@pytest.mark.parametrize("n", [1, 63, 64, 65, 700, 1089])
@pytest.mark.parametrize("words", [1, 3])
def test_rows_and_counts(n, words):
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
