"""Slow twins of codes and decoders beyond frc and circulant: every pattern, no formula.

Matrices are float, partitions × workers, made by other ways than those of fastgc; a pattern is a
number whose bit j says that worker j survived.
"""

import itertools
import json
import math
from functools import cache

import numpy as np

from twins.decoders import every_pattern


def binary(n, s, k=None):
    """Deal the partitions to each class one by one, as cards are dealt, and stack the hands."""
    k = k or n
    B = np.zeros((k, n))
    for residue in range(s + 1):
        workers = [j for j in range(n) if j % (s + 1) == residue]
        hands = [0] * len(workers)
        for card in range(k):
            hands[card % len(workers)] += 1
        partition = 0
        for worker, hand in zip(workers, hands, strict=True):
            for _ in range(hand):
                B[partition, worker] = 1
                partition += 1
    return B


def fano():
    lines = ("012", "034", "056", "135", "146", "236", "245")
    return np.array([[float(str(p) in line) for p in range(7)] for line in lines])


def affine_plane():
    """All triples of points of a 3 × 3 torus whose coordinates each add up to 0."""
    points = list(itertools.product(range(3), repeat=2))
    lines = [
        set(three)
        for three in itertools.combinations(points, 3)
        if sum(x for x, _ in three) % 3 == 0 and sum(y for _, y in three) % 3 == 0
    ]
    return np.array([[float(point in line) for point in points] for line in lines])


def quadratic_residues(q):
    squares = {x * x % q for x in range(1, q)}
    return np.array([[float((p - b) % q in squares) for p in range(q)] for b in range(q)])


def incidence(edges, vertices):
    B = np.zeros((vertices, len(edges)))
    for j, (u, v) in enumerate(edges):
        B[u, j] = B[v, j] = 1
    return B


def petersen():
    """Vertices 0 … 9 of the generalised Petersen graph G(5, 2)."""
    outer = [(v, (v + 1) % 5) for v in range(5)]
    spokes = [(v, v + 5) for v in range(5)]
    inner = [(5 + v, 5 + (v + 2) % 5) for v in range(5)]
    return outer + spokes + inner


def biregular(n, d):
    """Some 0/1 matrix with d ones in every row and column."""
    order = [(7 * j + 3) % n if n % 7 else j for j in range(n)]
    return np.array([[float((order[j] - i) % n < d) for j in range(n)] for i in range(n)])


def matrix(code):
    family, n, d = code["family"], code.get("n", 0), code.get("d", 1)
    if family == "binary":
        return binary(n, code["s"], code.get("k"))
    if family in ("frc", "circulant", "uncoded"):
        i, j = np.indices((n, n))
        return ((i - j) % n < d if family == "circulant" else i // d == j // d).astype(float)
    if family == "sparse-regular":
        return biregular(n, d)
    if family == "bibd":
        made = {"fano": fano, "ag(2,3)": affine_plane, "paley-11": lambda: quadratic_residues(11)}
        return made[code["name"]]()
    if family == "graph":
        v = code.get("vertices", 10)
        named = {
            "cycle": [(u, (u + 1) % v) for u in range(v)],
            "complete": list(itertools.combinations(range(v), 2)),
            "petersen": petersen(),
        }
        edges = named[code["name"]] if "name" in code else code["edges"]
        return incidence(edges, 1 + max(map(max, edges)))
    assert family == "matrix"
    return np.array(code["rows"], dtype=float)


@cache
def _errors(text):
    code, decoder, rho = json.loads(text)
    B = matrix(code)
    k, n = B.shape
    errors = np.empty(2**n)
    for pattern in range(2**n):
        alive = [j for j in range(n) if pattern >> j & 1]
        if not alive:
            errors[pattern] = k
        elif decoder == "one-step":
            weight = rho or k * n / (len(alive) * np.count_nonzero(B))
            errors[pattern] = np.sum((weight * B[:, alive].sum(axis=1) - 1) ** 2)
        elif decoder == "class":
            residues = [{*range(c, n, code["s"] + 1)} for c in range(code["s"] + 1)]
            errors[pattern] = 0.0 if any(each <= {*alive} for each in residues) else k
        else:
            x = np.linalg.pinv(B[:, alive]) @ np.ones(k)
            errors[pattern] = np.sum((B[:, alive] @ x - 1) ** 2)
    return errors


def errors(code, decoder="optimal", rho=None):
    """Errors of all patterns."""
    return _errors(json.dumps([code, decoder, rho]))


def probabilities(n, stragglers):
    """Probability of every pattern in one iteration."""
    alive = np.array([v.bit_count() for v in range(2**n)])
    if stragglers["model"] == "iid":
        p = stragglers["p"]
        return p ** (n - alive) * (1 - p) ** alive
    assert stragglers["model"] == "uniform"
    survivors = n - stragglers["stragglers"]
    return (alive == survivors) / math.comb(n, survivors)


def lost(code):
    """Share of the partitions that no survivor holds, for each pattern."""
    B = matrix(code)
    alive = every_pattern(B.shape[1])
    return np.array([np.mean([not row[some].any() for row in B]) for some in alive])


def measure(experiment, quantity, statistic="mean"):
    """What a measurement of one iteration converges to."""
    code = experiment["code"]
    if quantity == "lost":
        found = lost(code)
    else:
        found = errors(code, experiment.get("decoder", "optimal"), experiment.get("rho"))
    weights = probabilities(len(found).bit_length() - 1, experiment["stragglers"])
    if quantity == "exact":
        found = (found < 1e-9).astype(float)
    mean = float(weights @ found)
    if statistic == "mean":
        return mean
    if statistic == "variance":
        return float(weights @ (found - mean) ** 2)
    threshold = float(statistic.removeprefix("P(>").removesuffix(")"))
    return float(weights @ (found > threshold + 1e-9))
