"""Times of workers one at a time, in plain Python: what the addresses of their draws promise."""

import math

from scipy import special

from twins import sampling
from twins.philox import words

INVERSION, CHOICE, GAMMA, ROWS, START = range(5)


def own_key(key, number, purpose):
    return key ^ (number + (purpose << 40)) * 0xD1342543DE82EF95 % 2**64


def number(task, part=0):
    return (part << 20) + task


def unit(high, low):
    """A number in (0, 1) of 53 bits and a half."""
    return min((high << 21 ^ low >> 11) + 0.5, 2.0**53 - 0.5) * 2.0**-53


def two(key, trial, iteration, address):
    a, b, c, d = words((trial % 2**32, iteration, address, trial // 2**32), key)
    return unit(a, b), unit(c, d)


def uniform(key, trial, iteration, worker, number=0, purpose=INVERSION):
    return two(own_key(key, number, purpose), trial, iteration, worker // 2)[worker % 2]


def gamma(key, trial, iteration, worker, number, shape):
    """A gamma number by Marsaglia and Tsang; normal numbers by inversion."""
    boosted = shape if shape >= 1 else shape + 1
    d = boosted - 1 / 3
    c = 1 / math.sqrt(9 * d)
    boost = 1.0
    if shape < 1:
        boost = uniform(key, trial, iteration, worker, number) ** (1 / shape)
    attempt = 0
    while True:
        address = worker + attempt * 2**20
        u, v = two(own_key(key, number, GAMMA), trial, iteration, address)
        x = -special.ndtri(u)
        cube = (1 + c * x) ** 3
        if cube > 0 and math.log(v) < 0.5 * x * x + d - d * cube + d * math.log(cube):
            return d * cube * boost
        attempt += 1


def row(key, trial, iteration, rows, number=0, purpose=ROWS):
    return sampling.bounded(own_key(key, number, purpose), trial, iteration, 0, rows)[0]
