"""Slow rational twins: every pattern, every assignment of classes, no formula.

A pattern or an assignment of classes is a number: bit j says that worker (or column) j survived,
or is slow. Matrices are tuples of rows, partitions × workers.
"""

import itertools
import math
from collections import defaultdict
from fractions import Fraction
from functools import cache

from twins import sampling


def frc(n, d):
    return tuple(tuple(int(i // d == j // d) for j in range(n)) for i in range(n))


def circulant(n, d):
    return tuple(tuple(int((i - j) % n < d) for j in range(n)) for i in range(n))


def build(code):
    family, n = code["family"], code["n"]
    return {"frc": frc, "circulant": circulant, "uncoded": frc}[family](n, code.get("d", 1))


@cache
def errors(B):
    """Squared distance of the ones to the span of the surviving columns, by Gram–Schmidt."""
    k, n = len(B), len(B[0])
    table = []
    for pattern in range(2**n):
        basis = []
        target = [Fraction(1)] * k
        for j in range(n):
            if pattern >> j & 1:
                column = [Fraction(B[i][j]) for i in range(k)]
                for other in basis:
                    column = minus_projection(column, other)
                if any(column):
                    basis.append(column)
                    target = minus_projection(target, column)
        table.append(sum(x * x for x in target))
    return tuple(table)


def minus_projection(vector, axis):
    share = sum(a * b for a, b in zip(vector, axis, strict=True)) / sum(b * b for b in axis)
    return [a - share * b for a, b in zip(vector, axis, strict=True)] if share else vector


def observable(B, quantity, index):
    """One number for each pattern, averaged or summed over the iterations of a trial."""
    k, n = len(B), len(B[0])
    if quantity in ("error", "mean_error"):
        return errors(B)
    if quantity == "exact":
        return [Fraction(int(e == 0)) for e in errors(B)]
    if quantity == "survivors":
        return [Fraction(int(v.bit_count() == index)) for v in range(2**n)]
    if quantity == "lost":
        held = [{j for j in range(n) if row[j]} for row in B]
        there = [{j for j in range(n) if v >> j & 1} for v in range(2**n)]
        return [Fraction(sum(not own & some for own in held), k) for some in there]
    assert quantity == "not_accessed" and index < k
    holders = sum(1 << j for j in range(n) if B[index][j])
    return [Fraction(int(v & holders == 0)) for v in range(2**n)]


def probability_of(p, outcome):
    return math.prod(x if happens else 1 - x for x, happens in zip(p, outcome, strict=True))


def hidden_states(stragglers, n):
    """(probability, who is slow) for everything that stays hidden for a whole trial."""
    if stragglers["model"] != "two-class":
        return [(Fraction(1), None)]
    everyone = list(itertools.product((False, True), repeat=n))
    slow = stragglers.get("slow")
    if isinstance(slow, int):
        chosen = [state for state in everyone if sum(state) == slow]
        return [(Fraction(1, len(chosen)), state) for state in chosen]
    if slow is not None:
        return [(Fraction(1), tuple(j in slow for j in range(n)))]
    p_slow = [Fraction(str(p)) for p in sampling.per_worker(stragglers["p_slow"], n)]
    return [(probability_of(p_slow, state), state) for state in everyone]


def pattern_law(stragglers, n, slow):
    """Probability of every pattern of survivors in one iteration, given who is slow."""
    everyone = list(itertools.product((False, True), repeat=n))
    if stragglers["model"] == "uniform":
        chosen = [left for left in everyone if sum(left) == n - stragglers["stragglers"]]
        return {left: Fraction(1, len(chosen)) for left in chosen}
    if stragglers["model"] == "iid":
        p = [Fraction(str(x)) for x in sampling.per_worker(stragglers["p"], n)]
    else:
        either = stragglers["p_straggle_active"], stragglers["p_straggle_slow"]
        p = [Fraction(str(either[is_slow])) for is_slow in slow]
    return {left: probability_of([1 - x for x in p], left) for left in everyone}


def on_columns(law, shuffle, iteration, n):
    """The same seen from the columns of B; all sets of so many are alike where they are random."""
    seen = defaultdict(Fraction)
    for left, probability in law.items():
        if shuffle == "random":
            chosen = list(itertools.combinations(range(n), sum(left)))
            for some in chosen:
                seen[tuple(j in some for j in range(n))] += probability / len(chosen)
        else:
            turn = iteration if shuffle == "cyclic" else 0
            seen[tuple(left[(column - turn) % n] for column in range(n))] += probability
    return {columns: probability for columns, probability in seen.items() if probability}


@cache
def trials(stragglers, n, iterations, shuffle):
    """(probability, laws of the surviving columns, each with its number of iterations)."""
    found, alike = [], 1 if shuffle == "cyclic" else iterations
    for weight, slow in hidden_states(dict(stragglers), n):
        laws, own = [], pattern_law(dict(stragglers), n, slow)
        for turn in range(iterations // alike):
            columns = on_columns(own, shuffle, turn, n).items()
            law = [(sum(1 << j for j in range(n) if c[j]), p) for c, p in columns]
            laws.append((alike, law))
        found.append((weight, laws))
    return found


def trial_moments(experiment, quantity, index=None):
    """Mean and variance of the sum over the iterations of a trial; mean and square of one."""
    B = build(experiment["code"])
    values, L = observable(B, quantity, index), experiment.get("iterations", 1)
    own = tuple(experiment["stragglers"].items()), len(B[0]), L, experiment.get("shuffle", "none")
    mean = square = pooled = Fraction(0)
    for weight, laws in trials(*own):
        # given the classes, iterations are independent
        first = second = variance = Fraction(0)
        for turns, law in laws:
            one = sum(p * values[c] for c, p in law)
            two = sum(p * values[c] ** 2 for c, p in law)
            first += turns * one
            second += turns * two
            variance += turns * (two - one**2)
        mean += weight * first
        square += weight * (first**2 + variance)
        pooled += weight * second
    return mean, square - mean**2, mean / L, pooled / L


def measure(experiment, quantity, statistic="mean", index=None):
    # the codes of these tests have as many partitions as workers
    if quantity == "error_per_partition":
        k = experiment["code"]["n"]
        return measure(experiment, "error", statistic) / (k * k if statistic == "variance" else k)
    mean, variance, one, two = trial_moments(experiment, quantity, index)
    L = experiment.get("iterations", 1)
    if quantity == "not_accessed":
        return {"mean": mean, "variance": variance}[statistic]
    if quantity == "mean_error":
        return {"mean": mean / L, "variance": variance / L**2}[statistic]
    return {"mean": one, "variance": two - one**2}[statistic]
