"""Draws of straggler patterns.

Patterns come bit-sliced ("planes": bit t of ``planes[j, m]`` says whether worker j survived in
pattern 64·m + t) or packed (bit j % 64 of ``packed[i, j // 64]`` says it of worker j in pattern i).
A draw is addressed by trial, iteration, worker and digit alone, so no blocking changes it.
Bernoulli numbers by their binary digits (von Neumann; Knuth and Yao, 1976), subsets by Floyd's
algorithm (Bentley and Floyd, CACM 30, 1987) with Lemire's bounded numbers (2019), squares of bits
transposed by halving (Knuth 4A, section 7.1.3). Or they are rows of a table of recorded ones.
"""

import numpy as np

from fastgc_kernels._arrays import ALL, LOW6, ONE, SIX, U64, ZERO, Integers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.bits import count_up
from fastgc_kernels.draw.philox import ATTEMPT, MASK32, SHIFT32, halves, philox, words_at

LANES = 512  # words drawn side by side: few enough for the first cache
SIDE_BY_SIDE = 32  # subsets drawn side by side
SQUARES = 16  # bit matrices transposed side by side
FIRST_PAIRS = 4  # after eight binary digits four words in five are decided


@jit
def addresses(
    first_group: np.uint64, iterations: int, groups: int, low: Words, iteration: Words, high: Words
) -> None:
    """Counter words of every 64-trial group and iteration, iteration-major, each (L · groups)."""
    for l in range(iterations):  # noqa: E741
        for w in range(groups):
            group = first_group + U64(w)
            m = l * groups + w
            low[m] = group & MASK32
            iteration[m] = U64(l)
            high[m] = group >> SHIFT32


@inline
def decide(drawn, threshold0, threshold1, straggles, undecided):
    """Words of who straggles and of who is undecided, after two more digits of U."""
    a, b, c, d = drawn
    x = a | (b << SHIFT32)
    y = c | (d << SHIFT32)
    straggles |= undecided & ~x & threshold0
    undecided &= ~(x ^ threshold0)
    return straggles | (undecided & ~y & threshold1), undecided & ~(y ^ threshold1)


@inline
def compare(counters, slow, undecided, straggles, lanes, address, p, q, k0, k1):
    """Compare two more digits of U with those of p, or of q where ``slow`` is set."""
    low, iteration, high = counters
    p0, p1 = p[0], p[1]
    turn0, turn1 = p0 ^ q[0], p1 ^ q[1]
    for t in range(lanes):
        drawn = philox(low[t], iteration[t], address, high[t], k0, k1)
        straggles[t], undecided[t] = decide(
            drawn, p0 ^ (turn0 & slow[t]), p1 ^ (turn1 & slow[t]), straggles[t], undecided[t]
        )


@inline
def move_undecided(place, straggles, moved, few_straggles, few_undecided, count):
    """Put back what the few words say, and move those still undecided together; their number."""
    a, b, c, d = moved
    left = 0
    for i in range(count):
        straggles[place[i]] = few_straggles[i]
        place[left] = place[i]
        a[left], b[left], c[left], d[left] = a[i], b[i], c[i], d[i]
        few_straggles[left] = few_straggles[i]
        still = few_undecided[i]
        few_undecided[left] = still
        left += np.int64(still != ZERO)
    return left


@jit
def bernoulli(
    own: tuple[Words, Integers],
    other: tuple[Words, Integers],
    classes: Words,
    key: np.uint64,
    counters: tuple[Words, Words, Words],
    out: Words,
) -> None:
    """Survival planes of workers that straggle independently: worker j straggles iff U < p_j.

    U is compared with p digit by digit from the most significant one, 64 patterns a word, two
    digits a call of the generator. After a few digits only the words in which a comparison is
    still undecided are drawn for, moved together so that vector registers stay full.

    ``own``: binary digits (n, 64) of p_j as all-zero or all-one words, and the pairs (n,) of them
    up to the last one that is set. Where bit t of ``classes[j, m]`` is set, ``other`` is used
    instead; ``classes`` of shape (0, 0) means nowhere. ``counters`` are those of `addresses`.
    """
    digits, pairs = own
    other_digits, other_pairs = other
    low, iteration, high = counters
    k0, k1 = halves(key)
    n, columns = out.shape
    two = classes.shape[0] > 0
    straggles = np.empty(LANES, np.uint64)
    undecided = np.empty(LANES, np.uint64)
    slow = np.zeros(LANES, np.uint64)
    place = np.empty(LANES, np.int64)
    few_low = np.empty(LANES, np.uint64)
    few_iteration = np.empty(LANES, np.uint64)
    few_high = np.empty(LANES, np.uint64)
    few_slow = np.empty(LANES, np.uint64)
    few_undecided = np.empty(LANES, np.uint64)
    few_straggles = np.empty(LANES, np.uint64)
    few = (few_low, few_iteration, few_high)
    for j in range(n):
        p = digits[j]
        q = other_digits[j] if two else p
        last = max(pairs[j], other_pairs[j]) if two else pairs[j]
        for start in range(0, columns, LANES):
            lanes = min(LANES, columns - start)
            end = start + lanes
            all_of_them = (low[start:end], iteration[start:end], high[start:end])
            for t in range(lanes):
                straggles[t] = ZERO
                undecided[t] = ALL
            if two:
                for t in range(lanes):
                    slow[t] = classes[j, start + t]
            pair = 0
            while pair < min(FIRST_PAIRS, last):
                compare(
                    all_of_them, slow, undecided, straggles, lanes, U64(32 * j + pair),
                    p[2 * pair :], q[2 * pair :], k0, k1,
                )  # fmt: skip
                pair += 1
            left = 0
            if pair < last:
                for t in range(lanes):
                    place[left] = t
                    left += np.int64(undecided[t] != ZERO)
                for i in range(left):
                    t = place[i]
                    few_low[i] = low[start + t]
                    few_iteration[i] = iteration[start + t]
                    few_high[i] = high[start + t]
                    few_slow[i] = slow[t]
                    few_undecided[i] = undecided[t]
                    few_straggles[i] = straggles[t]
            while pair < last and left > 0:
                compare(
                    few, few_slow, few_undecided, few_straggles, left, U64(32 * j + pair),
                    p[2 * pair :], q[2 * pair :], k0, k1,
                )  # fmt: skip
                pair += 1
                moved = few_low, few_iteration, few_high, few_slow
                left = move_undecided(place, straggles, moved, few_straggles, few_undecided, left)
            for t in range(lanes):
                out[j, start + t] = ~straggles[t]


@inline
def bounded(word, bound, trial_low, iteration, step, trial_high, k0, k1):
    """A number in 0 … bound − 1, all alike (Lemire's multiplication with rejection)."""
    product = word * bound
    if (product & MASK32) < bound:
        least = ((MASK32 - bound) + ONE) % bound
        attempt = ZERO
        while (product & MASK32) < least:
            attempt += ONE
            a, _, _, _ = philox(trial_low, iteration, step + attempt * ATTEMPT, trial_high, k0, k1)
            product = a * bound
    return product >> SHIFT32


@inline
def choose(row, pick, top):
    """Set the bit of a pick, or where it is set already that of the highest number (Floyd)."""
    if (row[np.int64(pick >> SIX)] >> (pick & LOW6)) & ONE:
        pick = top
    row[np.int64(pick >> SIX)] |= ONE << (pick & LOW6)


@inline
def complement(row, n):
    """Turn a packed set of n workers into its complement."""
    for w in range(row.size):
        held = min(64, n - 64 * w)
        row[w] = ~row[w] & (ALL if held == 64 else (ONE << U64(held)) - ONE)


@jit
def subsets(
    survivors: Integers, n: int, first_trial: np.uint64, trials: int, key: np.uint64, out: Words
) -> None:
    """Packed patterns with ``survivors[i]`` survivors each, all sets of that size alike (Floyd).

    Pattern i belongs to trial first_trial + i % trials and iteration i // trials; ``out`` is
    (patterns, words). The smaller of the two sets is drawn, the other is its complement.
    """
    k0, k1 = halves(key)
    patterns, words = out.shape
    draws = np.empty((n // 2 + 4, SIDE_BY_SIDE), np.uint64)
    low = np.empty(SIDE_BY_SIDE, np.uint64)
    high = np.empty(SIDE_BY_SIDE, np.uint64)
    size = np.empty(SIDE_BY_SIDE, np.uint64)
    mask = np.empty(SIDE_BY_SIDE, np.uint64)
    turned = np.empty(SIDE_BY_SIDE, np.uint64)  # what a set is turned into its complement by
    everybody = ALL >> U64(64 - min(n, 64))
    for l in range((patterns + trials - 1) // trials):  # noqa: E741
        iteration = U64(l)
        for start in range(0, trials, SIDE_BY_SIDE):
            first = l * trials + start
            lanes = min(SIDE_BY_SIDE, trials - start, patterns - first)
            most = 0
            for t in range(lanes):
                r = survivors[first + t]
                least = min(r, n - r)
                most = max(most, least)
                size[t] = U64(least)
                turned[t] = everybody if 2 * r > n else ZERO
                trial = first_trial + U64(start + t)
                low[t] = trial & MASK32
                high[t] = trial >> SHIFT32
            for quad in range((most + 3) // 4):
                for t in range(lanes):
                    a, b, c, d = philox(low[t], iteration, U64(quad), high[t], k0, k1)
                    draws[4 * quad, t] = a
                    draws[4 * quad + 1, t] = b
                    draws[4 * quad + 2, t] = c
                    draws[4 * quad + 3, t] = d
            redraw = ONE
            if words == 1:
                redraw = _small_subsets(draws, size, n, most, lanes, mask)
            if redraw == ZERO:
                for t in range(lanes):
                    out[first + t, 0] = mask[t] ^ turned[t]
                continue
            for t in range(lanes):
                i = first + t
                for w in range(words):
                    out[i, w] = ZERO
                for step in range(np.int64(size[t])):
                    top = U64(n) - size[t] + U64(step)
                    pick = bounded(
                        draws[step, t], top + ONE, low[t], iteration, U64(step), high[t],
                        k0, k1,
                    )  # fmt: skip
                    choose(out[i], pick, top)
            for t in range(lanes):
                if 2 * survivors[first + t] > n:
                    complement(out[first + t], n)


@inline
def _small_subsets(draws, size, n, most, lanes, mask):
    # of at most 64 workers, one in each lane; not 0 if a number may need redrawing, which is so
    # rare (once in 10⁷) that all lanes are then drawn again, one by one
    doubt = ZERO
    for t in range(lanes):
        mask[t] = ZERO
    for step in range(most):
        row = draws[step]
        for t in range(lanes):
            top = U64(n) - size[t] + U64(step)
            bound = top + ONE
            product = row[t] * (bound & MASK32)
            pick = product >> SHIFT32
            wanted = ONE if U64(step) < size[t] else ZERO
            doubt |= wanted if (product & MASK32) < bound else ZERO
            seen = (mask[t] >> (pick & LOW6)) & ONE
            chosen = top if seen == ONE else pick
            mask[t] |= wanted << (chosen & LOW6)
    return doubt


@inline
def transpose(square: Words) -> None:
    """Transpose, in place, the 64 × 64 bit matrices of which ``square`` (64, m) holds one a column.

    Rows that are exchanged lie behind each other, so that one loop runs over all their words.
    """
    columns = square.shape[1]
    flat = square.reshape(64 * columns)
    width = 32
    mask = U64(0x00000000FFFFFFFF)
    while width:
        shift = U64(width)
        length = width * columns
        for start in range(0, 64 * columns, 2 * length):
            upper = flat[start : start + length]
            lower = flat[start + length : start + 2 * length]
            for i in range(length):
                swap = ((upper[i] >> shift) ^ lower[i]) & mask
                upper[i] ^= swap << shift
                lower[i] ^= swap
        width >>= 1
        mask ^= mask << U64(width)


@jit
def pack(planes: Words, out: Words) -> None:
    """Packed patterns ``out`` (64 · M, words) of survival planes (n, M)."""
    n, columns = planes.shape
    words = out.shape[1]
    square = np.zeros((64, SQUARES), np.uint64)
    for start in range(0, columns, SQUARES):
        lanes = min(SQUARES, columns - start)
        for w in range(words):
            held = min(64, n - 64 * w)
            for j in range(held):
                for v in range(lanes):
                    square[j, v] = planes[64 * w + j, start + v]
            square[held:] = ZERO
            transpose(square)
            for v in range(lanes):
                for t in range(64):
                    out[64 * (start + v) + t, w] = square[t, v]


@jit
def unpack(packed: Words, out: Words) -> None:
    """Survival planes ``out`` (n, M) of packed patterns (64 · M, words)."""
    n, columns = out.shape
    words = packed.shape[1]
    square = np.zeros((64, SQUARES), np.uint64)
    for start in range(0, columns, SQUARES):
        lanes = min(SQUARES, columns - start)
        for w in range(words):
            for v in range(lanes):
                for t in range(64):
                    square[t, v] = packed[64 * (start + v) + t, w]
            transpose(square)
            for j in range(min(64, n - 64 * w)):
                for v in range(lanes):
                    out[64 * w + j, start + v] = square[j, v]


@jit
def count_survivors(planes: Words, out: Integers) -> None:
    """Number of survivors ``out`` (64 · M,) in each pattern of ``planes`` (n, M).

    By vertical counters.
    """
    n, columns = planes.shape
    digits = 1
    while (1 << digits) <= n:
        digits += 1
    counter = np.empty((digits, SIDE_BY_SIDE), np.uint64)
    carry = np.empty(SIDE_BY_SIDE, np.uint64)
    for start in range(0, columns, SIDE_BY_SIDE):
        lanes = min(SIDE_BY_SIDE, columns - start)
        counter[:] = ZERO
        for j in range(n):
            for t in range(lanes):
                carry[t] = planes[j, start + t]
            count_up(counter, carry, lanes, j + 1)
        for t in range(lanes):
            counts = out[64 * (start + t) : 64 * (start + t + 1)]
            counts[:] = 0
            for b in range(digits):
                word = counter[b, t]
                for i in range(64):
                    counts[i] |= np.int64(((word >> U64(i)) & ONE) << U64(b))


@jit
def draw_rows(
    count: np.uint64, first_trial: np.uint64, trials: int, key: np.uint64, out: Integers
) -> None:
    """Row numbers ``out`` (L · trials,) below ``count`` ≤ 2³², all alike (Lemire).

    Entry i belongs to trial first_trial + i % trials and iteration i // trials.
    """
    k0, k1 = halves(key)
    words = np.empty(LANES, np.uint64)
    for iteration in range(out.size // trials):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
            for t in range(lanes):
                trial = first_trial + U64(start + t)
                words[t], _, _, _ = words_at(trial, iteration, ZERO, k0, k1)
            for t in range(lanes):
                trial = first_trial + U64(start + t)
                row = bounded(
                    words[t], count, trial & MASK32, U64(iteration), ZERO, trial >> SHIFT32, k0, k1
                )
                out[iteration * trials + start + t] = np.int64(row)


@jit
def take_rows(table: Words, rows: Integers, out: Words) -> None:
    """Patterns ``out`` (rows, words): pattern i is row ``rows[i]`` of the table."""
    for i in range(rows.size):
        for w in range(table.shape[1]):
            out[i, w] = table[rows[i], w]


@jit
def replay_rows(table: Words, starts: Integers, out: Words) -> None:
    """Patterns ``out`` (L · trials, words): trial t takes row (starts[t] + l) mod rows."""
    trials = starts.size
    count = table.shape[0]
    for iteration in range(out.shape[0] // trials):
        turn = iteration % count
        for t in range(trials):
            row = starts[t] + turn
            if row >= count:
                row -= count
            for w in range(table.shape[1]):
                out[iteration * trials + t, w] = table[row, w]
