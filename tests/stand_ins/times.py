"""Arguments for the stand-ins of what is drawn and done in time."""

from __future__ import annotations

import numpy as np

from fastgc_kernels.complete import networks
from fastgc_kernels.draw import law_numbers, strips

U64 = np.uint64
RNG = np.random.default_rng(2)
KEY = U64(0xFEDCBA987654321)
T = 700
LAWS = {
    law_numbers.EXPONENTIAL: [1.0, 2.0],
    law_numbers.WEIBULL: [0.5, 2.0, 0.7],
    law_numbers.PARETO: [0.0, 2.0, 0.4],
    law_numbers.UNIFORM: [1.0, 3.0],
    law_numbers.LOGNORMAL: [0.0, 1.0, 0.2, 1.5],
    law_numbers.DETERMINISTIC: [3.0, 0.0],
    law_numbers.VALUES: [0.0, 2.0, 1.0, 1.5, 4.0],
    law_numbers.GAMMA: [1.0, 2.0, 2.5],
    law_numbers.MIXTURE: [0.3, 7, 3, 4, 0.0, 1.0, 0.4, 0.0, 1.0, 0.2, 1.5],
}


def numbers(*shape):
    found = RNG.exponential(size=shape).round(9)
    found.flat[:3] = 1e-300, 800.0, 40.0
    return found


def inversions():
    for kind in law_numbers.INVERTIBLE:
        yield kind, np.array(LAWS[kind]), numbers(T)


def draws():
    """Workers of all laws, one of whom is left out and one of whom adds three numbers up."""
    params = np.concatenate(list(LAWS.values()))
    stops = np.cumsum([len(own) for own in LAWS.values()])
    starts = stops - [len(own) for own in LAWS.values()]
    laws = np.stack([list(LAWS), starts, stops, np.ones(len(LAWS))], axis=1).astype(np.int64)
    laws[2, 3], laws[4, 0] = 3, -1
    yield laws, params, KEY, U64(2**33), np.zeros((2, len(LAWS), 2, T))


def one_by_one():
    for kind, params in LAWS.items():
        yield kind, np.array(params), 3 + kind % 2, 5, KEY, U64(9), np.empty((2, T))


def laid(n):
    """A staircase that is not quite the density: what is checked is what is made of it."""
    table = np.zeros((strips.ROWS, strips.STRIPS))
    edges = np.linspace(0, 1, strips.STRIPS + 1)
    table[strips.LOWER] = edges[:-1]
    table[strips.WIDTH] = edges[1] - edges[0]
    table[strips.SURE] = RNG.random(strips.STRIPS)
    table[strips.POWERS, :3] = n, n / 2, -1.0
    return table


def statistics():
    both = np.stack([laid(4.0), laid(0.0)])
    for kind in (law_numbers.EXPONENTIAL, law_numbers.WEIBULL):
        yield both, kind, np.array(LAWS[kind]), KEY, U64(3), np.empty((2, 2, T))


def latest():
    both = np.stack([laid(4.0), laid(0.0)])
    for kind in (law_numbers.EXPONENTIAL, law_numbers.PARETO):
        params, multiples = np.array(LAWS[kind]), np.array([2.0, 1.0])
        yield both, multiples, 0.5, kind, params, KEY, U64(3), np.empty((2, T))


def layered():
    both = np.stack([laid(4.0), laid(0.0)])
    for kind in (law_numbers.EXPONENTIAL, law_numbers.PARETO):
        params, multiples = np.array(LAWS[kind]), np.array([2.0, 1.0])
        drawn = kind, params, KEY, U64(3), np.empty((2, T)), np.empty((2, T))
        yield both, multiples, np.array([0.3, -2.0]), *drawn


def ports():
    for kind in (law_numbers.EXPONENTIAL, law_numbers.UNIFORM):
        yield 9, 5, 0.1, kind, np.array(LAWS[kind]), KEY, U64(3)


def wanted(n, *places):
    found = np.zeros(n, bool)
    found[list(places)] = True
    return found


def network(n, *places):
    return networks.selection.py_func(wanted(n, *places))


def answers(*shape):
    """Times of which some are alike and some are missing."""
    times = np.round(RNG.exponential(size=shape), 1)
    times[RNG.random(shape) < 0.02] = np.inf
    return times


def counts():
    for each, part in ((1, [[0, 1]] * 6), (2, [[0, 1]] * 6)):
        times = answers(6, each, T)
        done = times[2, 0] * (2 if each == 1 else 1)
        yield times, np.array(part), np.array([4, 3]), 7, done, np.empty(T)


def layers():
    k = np.array([5, 0, 3])
    own = [network(6, i) for i in (4, 0, 2)]
    starts = np.cumsum([0, *map(len, own)])
    yield answers(6, 3, T), k, starts, np.concatenate(own), np.empty(T)
    whole = network(6, 2, 4)
    yield answers(6, 1, T), k, np.array([0, len(whole)]), whole, np.empty(T)


def trees():
    """A master with three children, two of whom have children of their own."""
    parents = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    order = np.argsort(parents, kind="stable")
    offsets = np.searchsorted(parents[order], np.arange(10))
    need = np.array([2, 2, 1, 0, 0, 0, 0, 0, 0])
    kind = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1])
    own = [network(3, 0, 1), network(2, 0)]
    starts = np.cumsum([0, *map(len, own)])
    shape = (offsets, order + 1, need, kind, starts, np.concatenate(own))
    for receive, after, counted in ((0.0, False, 0), (0.1, True, 2), (0.1, False, 0)):
        yield answers(8, T), *shape, receive, after, np.empty(T), np.empty((counted, T))


def regular_trees():
    params = np.array(LAWS[law_numbers.WEIBULL])
    kind = law_numbers.WEIBULL
    for layers, receive, after in ((2, 0.0, False), (3, 0.1, True), (3, 0.1, False)):
        both = laid(2.0), network(3, 0, 1)
        for last in {0, 2} if receive > 0.0 else {0}:
            rest = np.empty((2, T)), network(3, 1), np.empty((last, T))
            yield (3, layers, 2), *both, receive, after, kind, params, KEY, U64(1), *rest


def crossings():
    for never in (0.0, 0.1):
        masses = RNG.random((3, 2, 4)) / 4
        late = 1 - never - np.cumsum(masses, axis=2) * (1 - never)
        sizes, required = np.array([5, 3]), np.array([1, 2, 4, 6])
        share = masses * (1 - never)
        yield share, late, np.full(2, never), sizes, required, 6, np.empty(3), np.empty(3)


def words(*shape):
    return RNG.integers(0, 2**64, shape, dtype=np.uint64)


def row_numbers():
    return np.zeros((3, T), np.int64)


def any_numbers():
    """Of all sizes and signs, with both zeros and infinities."""
    found = numbers(T) * np.where(RNG.random(T) < 0.5, -1.0, 2.0 ** RNG.integers(-900, 900, T))
    found[:6] = 0.0, -0.0, np.inf, -1.0, 5e-324, 1e308
    return found


CASES = {
    **{
        f"draw.elementary.{name}": lambda: [(any_numbers(), np.empty(T))]
        for name in ("exps", "expm1s", "logs", "log1ps")
    },
    "draw.elementary.powers": lambda: [
        (any_numbers(), exponent, np.empty(T)) for exponent in (0.0, 0.7, -3.0)
    ],
    "draw.laws.invert": inversions,
    "draw.normals.normals": lambda: [(RNG.random(T), np.empty(T))],
    "draw.pairs.uniforms": lambda: [(KEY, U64(2**33), 5, 7, np.empty(T), np.empty(T))],
    "draw.pairs.exponentials": lambda: [(KEY, U64(2**33), 5, 7, np.empty(T), np.empty(T))],
    "draw.rows.draw": lambda: [
        (U64(m), U64(7), 500, KEY, np.zeros(1500, np.int64)) for m in (1, 10, 3 * 2**30)
    ],
    "draw.rows.take": lambda: [(words(9, 2), RNG.integers(0, 9, T), words(T, 2))],
    "draw.rows.replay": lambda: [(words(9, 2), RNG.integers(0, 9, 50), words(20 * 50, 2))],
    "draw.times.gammas": lambda: [
        (KEY, U64(4), 1, 3, shape, numbers(T)) for shape in (0.3, 1.0, 4.5)
    ],
    "draw.times.draw": draws,
    "draw.times.draw_uniforms": lambda: [
        (worker, 4, 2, KEY, U64(8), np.empty((3, T))) for worker in (4, 5)
    ],
    "draw.times.draw_one": one_by_one,
    "draw.times.draw_rows": lambda: [(U64(12), 4, 2, KEY, U64(8), row_numbers())],
    "draw.strips.numbers": lambda: [(laid(n), KEY, U64(3), 2, 5, np.empty(T)) for n in (0.0, 5.0)],
    "draw.order_statistics.each": statistics,
    "draw.order_statistics.latest": latest,
    "draw.layered.latest_and_sum": layered,
    "draw.spacings.serve": lambda: [(*own, 1, 2, np.empty(T), numbers(T)) for own in ports()],
    "draw.spacings.completion": lambda: [
        (*own, np.empty((2, T)), np.empty((2 * asked, T))) for own in ports() for asked in (0, 1)
    ],
    "complete.networks.selection": lambda: [
        (wanted(n, *places),)
        for n, places in ((1, [0]), (2, [1]), (9, [8]), (9, [0, 4]), (40, [9, 30]))
    ],
    "complete.arrivals.count": counts,
    "complete.layers.completion": layers,
    "complete.layers.received": lambda: [
        (own[0], own[1], answers(T), np.empty(T)) for own in layers()
    ],
    "complete.replication.completion": lambda: [
        (answers(12, 1, T), 3, 2, network(4, 1), np.empty(T))
    ],
    "complete.replication.received": lambda: [(answers(12, 1, T), 3, 4, answers(T), np.empty(T))],
    "complete.port.serve": lambda: [
        (
            answers(4, each, T),
            2,
            RNG.integers(1, 9, T).astype(float),
            network(8, *range(8)),
            0.1,
            answers(T),
        )
        for each in (1, 2)
    ],
    "complete.tree.completion": trees,
    "complete.regular_trees.completion": regular_trees,
    "complete.crossing.cross": crossings,
}
