"""Straggler patterns one at a time, in plain integers: what the addresses of draws promise.

A pattern is a list of booleans, True where the worker survived.
"""

import functools
import hashlib
import math

from twins import philox

STREAM_VERSION = 1

words = functools.lru_cache(1 << 18)(philox.words)  # 64 trials share each call


def key(seed, stream, purpose):
    text = f"{STREAM_VERSION}\0{seed}\0{purpose}\0{stream}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def uniform_digits(key, trial, iteration, worker):
    """64 binary digits of a uniform number in [0, 1), as an integer below 2⁶⁴.

    Trials come in groups of 64; a call of the generator gives two digits to each of them.
    """
    group, bit = divmod(trial, 64)
    digits = 0
    for pair in range(32):
        counter = group % 2**32, iteration, 32 * worker + pair, group // 2**32
        a, b, c, d = words(counter, key)
        for low, high in ((a, b), (c, d)):
            digits = 2 * digits + ((low | high << 32) >> bit & 1)
    return digits


def straggles(key, trial, iteration, worker, p):
    """Whether U < p, with p cut after 64 binary digits."""
    return p >= 1 or uniform_digits(key, trial, iteration, worker) < math.floor(p * 2**64)


def bounded(key, trial, iteration, step, bound):
    """A number below ``bound`` for a step of Floyd's method, and how many were rejected.

    Lemire's multiplication: the high half counts, and low halves below 2³² mod bound are rejected.
    Steps take the four words of a call in turn; redraws are 2²⁰ addresses further each.
    """
    low, high = trial % 2**32, trial // 2**32
    word = words((low, iteration, step // 4, high), key)[step % 4]
    rejected = 0
    while word * bound % 2**32 < 2**32 % bound:
        rejected += 1
        word = words((low, iteration, step + rejected * 2**20, high), key)[0]
    return word * bound // 2**32, rejected


def subset(key, trial, iteration, n, size):
    """A set of workers of a size, all alike, by Floyd's method on the smaller of set and rest."""
    small = min(size, n - size)
    chosen = set()
    for step in range(small):
        top = n - small + step
        pick, _ = bounded(key, trial, iteration, step, top + 1)
        chosen.add(top if pick in chosen else pick)
    if size > n - size:
        chosen = set(range(n)) - chosen
    return [j in chosen for j in range(n)]


def per_worker(value, n):
    return list(value) if isinstance(value, list | tuple) else [value] * n


def slow_workers(stragglers, n, seed, stream, trial):
    own = key(seed, stream, "class")
    slow = stragglers.get("slow")
    if isinstance(slow, int):
        return subset(own, trial, 0, n, slow)
    if slow is not None:
        return [j in slow for j in range(n)]
    p_slow = per_worker(stragglers["p_slow"], n)
    return [straggles(own, trial, 0, j, p_slow[j]) for j in range(n)]


def survivors(stragglers, n, seed, stream, trial, iteration):
    own = key(seed, stream, "straggle")
    if stragglers["model"] == "uniform":
        return subset(own, trial, iteration, n, n - stragglers["stragglers"])
    if stragglers["model"] == "iid":
        p = per_worker(stragglers["p"], n)
    else:
        either = stragglers["p_straggle_active"], stragglers["p_straggle_slow"]
        p = [either[slow] for slow in slow_workers(stragglers, n, seed, stream, trial)]
    return [not straggles(own, trial, iteration, j, p[j]) for j in range(n)]


def columns(stragglers, shuffle, n, seed, stream, trial, iteration):
    """Which columns of B are left: worker j plays column (j + l) mod n in a cyclic iteration l."""
    left = survivors(stragglers, n, seed, stream, trial, iteration)
    if shuffle == "cyclic":
        return [left[(column - iteration) % n] for column in range(n)]
    if shuffle == "random":
        return subset(key(seed, stream, "shuffle"), trial, iteration, n, sum(left))
    return left
