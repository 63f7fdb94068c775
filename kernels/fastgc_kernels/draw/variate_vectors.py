"""Exponential numbers in vectors: the draws of many trials, operation by operation.

A loop over trials waits for each operation of a trial's draw before the next. Here a vector is
eight registers long, so that each operation is followed by seven that need not wait: .68 times the
cycles of loops with registers of eight lanes and .59 times with those of four. Of that, fewer
operations bring 10 and 3 %: what is the same for all trials is one number until it meets others,
words become numbers by two additions, 2⁻⁵³ and signs go into constants.

`strips` keeps a strip's numbers in registers and settles points above the sure part side by side,
those of 2048 trials at a time: order statistics take .57 and .63 times as long. `served` keeps a
port's clock in registers from one answer to the next: .68 and .67 with four registers a vector.

Each lane does what `pairs`, `strips` and `spacings` say, in their order. In 2⁵² + i, i < 2⁵², the
bits of i stand as they are, and so with any other power of two: that is how integers are converted.
"""

from fastgc_kernels._arrays import U64
from fastgc_kernels._jit import inline, jit
from fastgc_kernels._vectors import (
    as_doubles,
    as_words,
    bits,
    if_wide,
    load,
    look_up,
    numbers,
    spread,
    store,
    where,
)
from fastgc_kernels.draw.philox import MASK32, MULTIPLIER_0, MULTIPLIER_1, SHIFT32, WEYL_0, WEYL_1
from fastgc_kernels.draw.variates import HALF_ROOT, LN2_HIGH, MANTISSA, short_of

BLOCK = 64  # trials are drawn in multiples of this
MASK = 32  # trials of a word that says which numbers are not settled, drawn side by side
_LONG, _SHORT = 64, 32  # lanes of eight registers
_HALF_LONG, _HALF_SHORT = 32, 16
_ONE = 1023  # the exponent's bits of 1
_2_20, _2_41, _2_52, _2_73 = (U64((_ONE + exponent) << 52) for exponent in (20, 41, 52, 73))
_FIRST_21, _HALF = U64(0xFFFFF800), U64(0x400)
_FRACTION = U64((1 << 52) - 1)
# what moves numbers, and numbers of 2⁻⁵³, to where their exponents can be read
_PLAIN, _SCALED = (U64(((1024 - scale << 52) - int(HALF_ROOT)) % 2**64) for scale in (0, 53))


@inline
def _mix(state, k0, k1):
    product0, c1, c2, c3 = state
    product1 = (c2 & MASK32) * MULTIPLIER_1
    c0, c2 = (c1 ^ k0) ^ (product1 >> SHIFT32), (c3 ^ k1) ^ (product0 >> SHIFT32)
    return (c0 & MASK32) * MULTIPLIER_0, product1, c2, product0


@inline
def _words(product0, draw, high0, high2):
    """`philox.words_at` of trials, whose lower halves are multiplied already, with one upper half.

    Bits above 32 are those given for the first and third word, and any in the others.
    """
    first, iteration, address, k0, k1 = draw
    state = product0, iteration, address, first >> SHIFT32
    state = _mix(state, k0, k1)
    state = _mix(state, (k0 + WEYL_0) & MASK32, (k1 + WEYL_1) & MASK32)
    state = _mix(state, (k0 + U64(2) * WEYL_0) & MASK32, (k1 + U64(2) * WEYL_1) & MASK32)
    state = _mix(state, (k0 + U64(3) * WEYL_0) & MASK32, (k1 + U64(3) * WEYL_1) & MASK32)
    state = _mix(state, (k0 + U64(4) * WEYL_0) & MASK32, (k1 + U64(4) * WEYL_1) & MASK32)
    state = _mix(state, (k0 + U64(5) * WEYL_0) & MASK32, (k1 + U64(5) * WEYL_1) & MASK32)
    state = _mix(state, (k0 + U64(6) * WEYL_0) & MASK32, (k1 + U64(6) * WEYL_1) & MASK32)
    state = _mix(state, (k0 + U64(7) * WEYL_0) & MASK32, (k1 + U64(7) * WEYL_1) & MASK32)
    state = _mix(state, (k0 + U64(8) * WEYL_0) & MASK32, (k1 + U64(8) * WEYL_1) & MASK32)
    product0, c1, c2, c3 = state
    k0, k1 = (k0 + U64(9) * WEYL_0) & MASK32, (k1 + U64(9) * WEYL_1) & MASK32
    product1 = (c2 & MASK32) * MULTIPLIER_1
    c0 = ((c1 & MASK32) ^ (k0 ^ high0)) ^ (product1 >> SHIFT32)
    return c0, product1, ((c3 & MASK32) ^ (k1 ^ high2)) ^ (product0 >> SHIFT32), product0


@inline
def _block_words(draw, at, high0, high2, lanes):
    """The words of a block of trials that lie between two multiples of 2³²."""
    start = ((draw[0] & MASK32) + U64(at)) * MULTIPLIER_0
    product0 = as_words(numbers(lanes)) * MULTIPLIER_0 + start
    return _words(product0, draw, high0, high2)


@inline
def _unit53(high, low):
    """2⁵³ times `variates.unit`: high · 2²¹ + ⌊low/2¹¹⌋ + ½ is rounded once there, and here."""
    above = as_doubles(high) - (2.0**73 + 2.0**41)
    return above + as_doubles((low & _FIRST_21) | (_2_41 | _HALF))


@inline
def _negative_log(x, move):
    """0 − log of normal numbers x > 0, or of 2⁻⁵³ x, as in `variates.log`."""
    moved = as_words(x) + move
    exponent = as_doubles((moved >> MANTISSA) | _2_52) - (2.0**52 + 1024.0)
    f = as_doubles((moved & _FRACTION) + HALF_ROOT) - 1.0
    return short_of(exponent, f) - exponent * LN2_HIGH  # 0 of 1, not −0


@jit
def exponentials(draw, count, even, odd):
    """Two exponential numbers of each of so many trials, a multiple of ``BLOCK``.

    ``draw``, here and below: the first trial, iteration, address, and both halves of the key.
    """
    lanes = if_wide(_LONG, _SHORT)
    at = 0
    while at < count:
        a, b, c, d = _block_words(draw, at, _2_73, _2_73, lanes)
        store(even, at, _negative_log(_unit53(a, b), _SCALED))
        store(odd, at, _negative_log(_unit53(c, d), _SCALED))
        at += lanes


@jit
def strips(draw, count, table, size, out, left):
    """An order statistic of each trial, as in `strips`; bits of ``left`` say which are not settled.

    ``table`` has rows of ``size`` strips: lower end, width, and the share that settles.
    """
    at = 0
    while at < count:
        a, b, c, _ = _block_words(draw, at, _2_73, _2_20, MASK)
        picks = b & U64(size - 1)
        lower, wide = look_up(table, 0, picks), look_up(table, size, picks)
        store(out, at, _negative_log(lower + wide * (_unit53(a, b) * 2.0**-53), _PLAIN))
        # the height is below its upper word and two in the last place of that
        height = as_doubles(c) - (2.0**20 - 2.0**-31)
        store(left, at // MASK, bits(~(height < look_up(table, 2 * size, picks))))
        at += MASK


@jit
def settle(draw, count, table, size, waiting, out, left):
    """The same for ``waiting`` trials after the first, with the density asked, too.

    Of ``out`` and the bits of ``left`` there is one for each that waits; ``table`` goes on with the
    logarithm of heights, and what the density needs.
    """
    rising, falling, highest = table[4, 0], table[4, 1], table[4, 2]
    at = 0
    while at < count:
        product0 = (load(waiting, at, MASK) + (draw[0] & MASK32)) * MULTIPLIER_0
        a, b, c, d = _words(product0, draw, _2_73, _2_73)
        picks = b & U64(size - 1)
        lower, wide = look_up(table, 0, picks), look_up(table, size, picks)
        sure, above = look_up(table, 2 * size, picks), look_up(table, 3 * size, picks)
        x = lower + wide * (_unit53(a, b) * 2.0**-53)
        height = _unit53(c, d) * 2.0**-53
        e = _negative_log(x, _PLAIN)
        # x outside the support has a logarithm without meaning
        level = (0.0 - (e * rising + highest)) - _negative_log(1.0 - x, _PLAIN) * falling
        under = above - _negative_log(height, _PLAIN)
        store(out, at, e)
        is_settled = (height < sure) | ((x > 0.0) & (x < 1.0) & (under < level))
        store(left, at // MASK, bits(~is_settled))
        at += MASK


@inline
def _arrive(law, weight, e, total, clock):
    offset, factor, receive = law
    total += e * weight
    arrival = total * factor + offset
    return total, where(arrival > clock, arrival, clock) + receive


@jit
def served(counts, law, draw, count, reached, done):
    """`spacings.serve` for exponential times.

    Of ``counts`` (n, need), ``law`` (its offset and factor, what receiving takes).
    """
    first, iteration, address, k0, k1 = draw
    n, need = counts
    lanes = if_wide(_HALF_LONG, _HALF_SHORT)
    at = 0
    while at < count:
        total, clock = spread(0.0, lanes), load(done, at, lanes)
        i = 0
        while i < need:
            own = first, iteration, address + U64(i // 2), k0, k1
            a, b, c, d = _block_words(own, at, _2_73, _2_73, lanes)
            e = _negative_log(_unit53(a, b), _SCALED)
            total, clock = _arrive(law, 1.0 / (n - i), e, total, clock)
            e = _negative_log(_unit53(c, d), _SCALED)
            after, later = _arrive(law, 1.0 / (n - i - 1), e, total, clock)
            total = where(i + 1 < need, after, total)
            clock = where(i + 1 < need, later, clock)
            i += 2
        store(reached, at, total)
        store(done, at, clock)
        at += lanes
