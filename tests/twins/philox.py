"""Philox4x32-10 in plain integers, from Salmon, Moraes, Dror and Shaw (SC 2011), Section 3.3."""


def philox(counter, key, rounds=10):
    """Four words of 32 bits for four words of counter and two of key."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(rounds):
        high0, low0 = divmod(0xD2511F53 * c0, 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 2**32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0 = (k0 + 0x9E3779B9) % 2**32
        k1 = (k1 + 0xBB67AE85) % 2**32
    return c0, c1, c2, c3


def words(counter, key):
    """The same for a key of 64 bits, low half first."""
    return philox(counter, (key % 2**32, key // 2**32))
