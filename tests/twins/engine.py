"""The whole of a decoding experiment, one pattern at a time and without rounding where it counts.

``Experiment`` draws trials with ``twins.sampling``, decodes them with LAPACK and sums rational
numbers; ``measures`` visits everything that can happen in a trial, with its probability.
"""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np

from twins import sampling
from twins.decoders import every_pattern
from twins.least_squares import lstsq_errors, rational_errors


class Experiment:
    """One point, drawn as ``Unit`` with this seed and stream draws it."""

    def __init__(self, B, stragglers, *, seed, stream, iterations=1, shuffle="none"):
        self.B = np.asarray(B, float)
        self.n = self.B.shape[1]
        self.stragglers = stragglers
        self.seed = seed
        self.stream = stream
        self.iterations = iterations
        self.shuffle = shuffle

    def patterns(self, trial):
        return [
            sampling.columns(
                self.stragglers, self.shuffle, self.n, self.seed, self.stream, trial, iteration
            )
            for iteration in range(self.iterations)
        ]

    def errors(self, trial):
        """Error of every iteration, a rational number where it is one of a small denominator."""
        return [
            Fraction(value).limit_denominator(1000)
            for value in lstsq_errors(self.B, np.array(self.patterns(trial)))
        ]

    def missed(self, trial):
        """For every partition the number of iterations in which no survivor holds it."""
        patterns = self.patterns(trial)
        return [
            sum(not any(left[j] for j in np.flatnonzero(row)) for left in patterns)
            for row in self.B
        ]


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


def every_trial(stragglers, n, iterations, shuffle):
    """(probability, surviving columns of every iteration) of all that can happen in a trial."""
    for weight, slow in hidden_states(stragglers, n):
        if not weight:
            continue
        law = pattern_law(stragglers, n, slow)
        each = [on_columns(law, shuffle, turn, n).items() for turn in range(iterations)]
        for outcome in itertools.product(*each):
            yield (
                weight * math.prod(probability for _, probability in outcome),
                [c for c, _ in outcome],
            )


def measures(B, stragglers, iterations=1, shuffle="none", *, levels=(), thresholds=()):
    """Exact values by (quantity, statistic, index), each by its definition in DESIGN §11."""
    k, n = B.shape
    table = rational_errors(B, every_pattern(n))
    total = defaultdict(Fraction)
    error_law, average_law = defaultdict(Fraction), defaultdict(Fraction)
    L = iterations
    for probability, trial in every_trial(stragglers, n, L, shuffle):
        errors = [table[sum(1 << j for j in range(n) if left[j])] for left in trial]
        average = sum(errors) / L
        average_law[average] += probability
        for error, left in zip(errors, trial, strict=True):
            error_law[error] += probability / L
            total["exact"] += probability / L * (error == 0)
            total["survivors", sum(left)] += probability / L
            total["error", sum(left)] += probability / L * error
        for i in range(k):
            missed = sum(not any(left[j] for j in range(n) if B[i, j]) for left in trial)
            total["missed", i] += probability * missed
            total["missed squared", i] += probability * missed**2
    found = {("exact", "mean", None): total["exact"]}
    for quantity, law in (("error", error_law), ("mean_error", average_law)):
        mean = sum(x * p for x, p in law.items())
        found[quantity, "mean", None] = mean
        found[quantity, "variance", None] = sum((x - mean) ** 2 * p for x, p in law.items())
        found[quantity, "minimum", None] = min(law)
        found[quantity, "maximum", None] = max(law)
        for level in levels:
            reached = Fraction(0)
            for x in sorted(law):
                reached += law[x]
                if reached >= Fraction(level):
                    break
            found[quantity, f"quantile({level!r})", None] = x
        for threshold in thresholds:
            above = sum(p for x, p in law.items() if x > Fraction(threshold))
            found[quantity, f"P(>{threshold!r})", None] = above
    for r in range(n + 1):
        found["survivors", "mean", r] = total["survivors", r]
        happens = total["survivors", r] > 0
        found["error_by_survivors", "mean", r] = (
            total["error", r] / total["survivors", r] if happens else None
        )
    for i in range(k):
        mean = total["missed", i]
        found["not_accessed", "mean", i] = mean
        found["not_accessed", "variance", i] = total["missed squared", i] - mean**2
    return found
