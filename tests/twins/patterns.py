"""Slow rational twins: every pattern, every assignment of classes, no formula.

A pattern or an assignment of classes is a number: bit j says that worker (or column) j survived,
or is slow. Matrices are tuples of rows, partitions × workers.
"""

from fractions import Fraction
from functools import cache


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


def expectation(values, probabilities):
    """Mean of values over patterns; worker j straggles with probabilities[j]."""
    for p in reversed(probabilities):
        half = len(values) // 2
        values = [p * a + (1 - p) * b for a, b in zip(values[:half], values[half:], strict=True)]
    return values[0]


def expectations_by_class(values, n, p_slow, p_active):
    """The same for every assignment of classes to the columns."""
    for j in range(n):
        bit = 1 << j
        changed = list(values)
        for v in range(2**n):
            straggled, survived = values[v & ~bit], values[v | bit]
            p = p_slow if v & bit else p_active
            changed[v] = p * straggled + (1 - p) * survived
        values = changed
    return values


def rational(number):
    return Fraction(str(number))


def class_prior(n, stragglers):
    if "p_slow" in stragglers:
        p = stragglers["p_slow"]
        each = [rational(x) for x in (p if isinstance(p, list) else [p] * n)]
        prior = [Fraction(1)]
        for x in each:
            prior = [a * (1 - x) for a in prior] + [a * x for a in prior]
        return prior
    slow = stragglers["slow"]
    if isinstance(slow, list):
        chosen = {sum(1 << j for j in slow)}
    else:
        chosen = {c for c in range(2**n) if c.bit_count() == slow}
    return [Fraction(int(c in chosen), len(chosen)) for c in range(2**n)]


def rotate(assignment, turn, n):
    """Worker j plays column (j + turn) mod n."""
    turn %= n
    return (assignment << turn | assignment >> (n - turn)) & (2**n - 1)


def trial_moments(experiment, quantity, index=None):
    """Mean and variance of the sum over the iterations of a trial; mean and square of one."""
    B = build(experiment["code"])
    n = len(B[0])
    L = experiment.get("iterations", 1)
    stragglers = experiment["stragglers"]
    first = observable(B, quantity, index)
    second = [f * f for f in first]
    if stragglers["model"] != "two-class":
        if stragglers["model"] == "iid":
            p = [rational(stragglers["p"])] * n
            one, two = expectation(first, p), expectation(second, p)
        else:
            patterns = [v for v in range(2**n) if v.bit_count() == n - stragglers["stragglers"]]
            one = sum(first[v] for v in patterns) / len(patterns)
            two = sum(second[v] for v in patterns) / len(patterns)
        return L * one, L * (two - one**2), one, two

    law = n, rational(stragglers["p_straggle_slow"]), rational(stragglers["p_straggle_active"])
    one, two = expectations_by_class(first, *law), expectations_by_class(second, *law)
    shuffle = experiment.get("shuffle", "none")
    if shuffle == "random":
        one, two = average_by_count(one, n), average_by_count(two, n)
    mean = inner = between = pooled = Fraction(0)
    for assignment, weight in enumerate(class_prior(n, stragglers)):
        if not weight:
            continue
        turns = [
            rotate(assignment, turn, n) if shuffle == "cyclic" else assignment for turn in range(L)
        ]
        total = sum(one[c] for c in turns)
        squares = sum(two[c] for c in turns)
        mean += weight * total
        inner += weight * (squares - sum(one[c] ** 2 for c in turns))
        between += weight * total**2
        pooled += weight * squares
    return mean, inner + between - mean**2, mean / L, pooled / L


def average_by_count(values, n):
    groups = [[v for v in range(2**n) if v.bit_count() == m] for m in range(n + 1)]
    means = [sum(values[v] for v in group) / len(group) for group in groups]
    return [means[v.bit_count()] for v in range(2**n)]


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
