"""Mean times of trees and of layered tasks as fractions, for unit exponential times.

P(T > t) is a polynomial in powers of e^-t with whole coefficients, whose integral is a fraction.
"""

import math
from collections import Counter, defaultdict
from fractions import Fraction

from fastgc.theory.common.numerics import polynomial_product


def tree_mean(n, layers, s):
    """Mean time of CodedReduce without a port on the (n, layers)-regular tree."""
    # P(more than s of n are late), by powers of that of one
    outer = [
        math.comb(n, j) * sum(math.comb(j, i) * (-1) ** (j - i) for i in range(s + 1, j + 1))
        for j in range(n + 1)
    ]

    def inserted(inner):
        out = [outer[-1]]
        for coefficient in outer[-2::-1]:
            out = polynomial_product(out, inner)
            out[0] += coefficient
        return out

    waited = inserted([0, 1])
    for _ in range(layers - 1):
        # late itself, or else too many late children
        node = polynomial_product([1, -1], waited)
        node[1] += 1
        waited = inserted(node)
    return sum((Fraction(c, i) for i, c in enumerate(waited) if i), Fraction(0))


def finishing_mean(n, k):
    """Mean of the time at which layer j has k_j of the n workers' answers, for all j."""
    layers = len(k)
    # exponents of e^-t in units of 1/scale; layer j looks at e^(-t/j)
    scale = math.lcm(*range(1, layers + 1))
    weights = {0: Counter({0: 1})}
    later = 0
    for j in range(layers, 0, -1):
        after = defaultdict(Counter)
        for done, polynomial in weights.items():
            power = polynomial
            for more in range(n - done + 1):
                if more:
                    power = _times_difference(power, later, scale // j)
                if done + more >= k[j - 1]:
                    for exponent, c in power.items():
                        after[done + more][exponent] += c * math.comb(n - done, more)
        weights, later = after, scale // j
    finished = Counter()
    for done, polynomial in weights.items():
        for exponent, c in polynomial.items():
            finished[exponent + (n - done) * later] += c
    terms = (Fraction(-c * scale, exponent) for exponent, c in finished.items() if exponent)
    return sum(terms, Fraction(0))


def _times_difference(polynomial, later, sooner):
    out = Counter()
    for exponent, c in polynomial.items():
        out[exponent + later] += c
        out[exponent + sooner] -= c
    return out
