"""What a matrix is worth: by all patterns where they can be enumerated, else on shared draws."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import code_of
from fastgc.decoding.decoder import Decoder
from fastgc.draws.all_patterns import subset_sizes
from fastgc.draws.patterns import bernoulli, subsets
from fastgc.draws.streams import WORD, Batch, uniforms
from fastgc.registry.cached import cached_property
from fastgc.searching import rational
from fastgc.searching.problem import Problem
from fastgc_kernels.decode import pattern_tree

Matrix = NDArray[Any]  # float64, or complex128

#: Costs closer than this share of the scale are taken for equal.
MARGIN = 1e-9
#: A pattern's error that counts as exact, for each partition.
EXACT = 1e-9
#: What a pattern that is not survived costs where all must be.
_BROKEN = 1e15
#: Patterns of a quick look, about, and of a quick sample.
_QUICK = 20_000
_SAMPLED = 2_048
#: Share of the mean error that may come from patterns that a quick look leaves out.
_LEFT_OUT = 0.05


@dataclass(frozen=True, order=True)
class Cost:
    """What is to be least, and what decides among equals."""

    first: float
    second: float = 0.0

    def beats(self, other: "Cost") -> bool:
        """Whether this is less by more than rounding."""
        for own, theirs in ((self.first, other.first), (self.second, other.second)):
            margin = MARGIN * max(1e-6, min(abs(own), abs(theirs)))
            if abs(own - theirs) > margin:
                return own < theirs
        return False


@dataclass(frozen=True)
class Spectrum:
    """Errors by the number of stragglers, 0 … n: sums, the largest, and how many are exact."""

    sums: Matrix
    worst: Matrix
    counts: NDArray[np.int64]


def spectrum(B: Matrix, most: int | None = None) -> Spectrum:
    """Return the optimal errors of all patterns with up to ``most`` stragglers.

    Examples
    --------
    >>> spectrum(np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])).sums.round(12)
    array([0., 1., 3., 3.])
    """
    k, n = B.shape
    columns = np.vstack([B.T, np.ones((1, k))])
    gram = np.zeros((n + 1, n + 1), columns.dtype)
    for row in columns.T:  # in one order, on every machine
        gram += row.conj()[:, np.newaxis] * row
    sums, worst, counts = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1, np.int64)
    pattern_tree.spectrum(gram, n if most is None else most, EXACT * k, sums, worst, counts)
    return Spectrum(sums, worst, counts)


class Judge:
    """Computes costs of matrices of one problem.

    Examples
    --------
    >>> judge = Judge(Problem(n=4, d=2, p=0.5))
    >>> B = np.kron(np.eye(2), np.ones((2, 2)))
    >>> judge.full(B).first, judge.exact_value(B)
    (1.0, Fraction(1, 1))
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._weights = np.array([float(each) for each in problem.weights()])
        #: P(a worker is still out) at the time that a quantile is compared at; 0 is not settled.
        self.still_out = 0.0
        self._kept: dict[tuple[str, int], NDArray[np.uint64]] = {}

    def quick(self, B: Matrix) -> Cost:
        """Return about what `full` does: of most patterns that matter, or of few draws."""
        if not self.problem.is_enumerated:
            return self.sampled(B, "quick", _SAMPLED)[0]
        if self.problem.decoder != "optimal" or self.problem.goal == "amplification":
            return self.full(B)
        return self._cost(spectrum(B, self._most), self._most)

    def full(self, B: Matrix) -> Cost:
        """Return the cost of a matrix by all patterns, or by many draws that all matrices share."""
        if not self.problem.is_enumerated:
            return self.sampled(B, "full", 16 * _SAMPLED)[0]
        if self.problem.goal == "amplification":
            return self._amplification(B)
        if self.problem.decoder == "optimal":
            return self._cost(spectrum(B))
        if self.problem.decoder == "one-step" and math.fsum(B.ravel().tolist()) <= 0:
            return Cost(math.inf)  # the decoder's weight is 1 over this sum
        return self._cost(self._by_decoder(B))

    def certain(self, B: Matrix) -> Cost:
        """Return what `full` does, of weights by a decoder that does not square their condition."""
        own = self.problem
        squares = own.is_enumerated and own.decoder == "optimal" and own.goal != "amplification"
        if squares and bool((np.round(B) != B).any()):
            return self._cost(self._by_decoder(B))
        return self.full(B)

    def exact_value(self, B: Matrix) -> Fraction | None:
        """Return the value as a fraction, where it is known so: of optimal decoding, n ≤ 20."""
        found = self.exact_spectrum(B)
        return None if found is None else self.value_of(found)

    def exact_spectrum(self, B: Matrix) -> rational.Spectrum | None:
        """Return errors by the number of stragglers as fractions; None where there are too many."""
        own = self.problem
        few = own.n <= rational.most_workers(B)
        # rounded weights leave errors of 1e-30, which are not 0: only short ones count as exact
        any_weights = own.n <= 10 and own.goal not in ("exact", "time")
        few = few and (any_weights or bool((np.round(B * 4096) == B * 4096).all()))
        wanted = own.decoder == "optimal" and own.goal != "amplification" and own.is_rational
        return rational.spectrum(B) if few and wanted else None

    def value_of(self, found: rational.Spectrum) -> Fraction:
        """Return the value of a problem's goal."""
        own = self.problem
        if own.goal == "worst":
            assert own.s is not None
            return found.worst[own.s]
        values: Sequence[Fraction | int] = found.sums if own.goal == "mean" else found.counts
        if own.goal == "time":
            values = [math.comb(own.n, s) - exact for s, exact in enumerate(found.counts)]
        return sum((w * v for w, v in zip(own.weights(), values, strict=True)), Fraction(0))

    def value(self, cost: Cost) -> float:
        """Return what a cost says of the goal: a probability of exact recovery, else the cost."""
        if self.problem.goal == "amplification" and cost.first >= _BROKEN:
            return math.inf
        return 1.0 - cost.first if self.problem.goal == "exact" else cost.first

    def _cost(self, found: Spectrum, most: int | None = None) -> Cost:
        own = self.problem
        most = own.n if most is None else most
        if own.goal == "mean":
            return Cost(_dot(self._weights, found.sums))
        if own.goal == "time":
            shares = [
                (math.comb(own.n, s) - exact) / math.comb(own.n, s)
                for s, exact in enumerate(found.counts.tolist())
            ]
            return Cost(own.clock.value(shares), _dot(self._weights, found.sums))
        if own.goal == "exact":
            sets = np.array([math.comb(own.n, s) for s in range(own.n + 1)], float)
            broken = sets - found.counts.astype(float)
            broken[most + 1 :] = 0.0  # these were not looked at
            return Cost(_dot(self._weights, broken), _dot(self._weights, found.sums))
        assert own.s is not None
        # the worst of up to s stragglers; with the optimal decoder that of s
        worst = float(found.worst[: own.s + 1].max())
        return Cost(worst, float(found.sums[own.s]) / math.comb(own.n, own.s))

    @cached_property
    def _most(self) -> int:
        """Stragglers of patterns that a quick look takes, at most."""
        own = self.problem
        if own.s is not None or own.goal == "time":
            return own.n if own.s is None else own.s
        n, patterns = own.n, 0
        share = [
            math.comb(n, s) * w * (s / n) ** own.most_load
            for s, w in enumerate(self._weights.tolist())
        ]
        for s in range(n + 1):
            patterns += math.comb(n, s)
            if n > 12 and (patterns > _QUICK or sum(share[s + 1 :]) < _LEFT_OUT * sum(share)):
                return s
        return n

    def decoder(self, B: Matrix) -> Decoder:
        """Return the decoder that the problem names."""
        own = self.problem
        return Decoder(code_of(B), use_lookup=False, decoder=own.decoder, rho=own.rho)

    def _by_decoder(self, B: Matrix) -> Spectrum:
        """Return the spectrum of another decoder than the optimal one."""
        n = self.problem.n
        errors = self.decoder(B).errors_of_all_patterns()
        lost = n - subset_sizes(n)
        worst = np.zeros(n + 1)
        np.maximum.at(worst, lost, errors)
        counts = np.bincount(lost[errors <= EXACT * len(B)], minlength=n + 1)
        return Spectrum(
            np.bincount(lost, errors, n + 1).astype(float), worst, counts.astype(np.int64)
        )

    def heaviest(self, most: int) -> tuple[NDArray[np.uint64], Matrix]:
        """Return the patterns that the mean error comes from, at most so many, and their weights.

        They are those with few stragglers; of the last number that fits, a part that is spread.
        """
        n = self.problem.n
        lost = n - subset_sizes(n)
        order = np.argsort(lost, kind="stable")
        order = order[(self._weights[lost[order]] > 0) & (lost[order] <= self._most)]
        weights = self._weights[lost[order]]
        if order.size > most:
            last = lost[order] == lost[order[most]]
            whole = int(np.argmax(last))
            stride = -(-int(last.sum()) // (most - whole))
            kept = np.concatenate([np.arange(whole), np.flatnonzero(last)[::stride]])
            weights = np.where(last, stride * weights, weights)[kept]
            order = order[kept]
        return order.astype(np.uint64)[:, np.newaxis], weights

    @cached_property
    def _patterns(self) -> NDArray[np.uint64]:
        """All patterns with s stragglers, packed."""
        n = self.problem.n
        chosen = np.flatnonzero(subset_sizes(n) == n - (self.problem.s or 0))
        return chosen.astype(np.uint64)[:, np.newaxis]

    def _amplification(self, B: Matrix) -> Cost:
        """Return the mean ‖x‖², columns scaled to a largest entry of 1."""
        s = self.problem.s or 0
        worst = float(spectrum(B, s).worst[s])
        if worst > EXACT * len(B):
            return Cost(_BROKEN * (1.0 + worst))
        largest = np.sqrt(_squares(B)).max(axis=0)
        scaled = B / np.where(largest > 0, largest, 1.0)  # a worker may hold nothing
        vectors = self.decoder(scaled).vectors(self._patterns)
        squares = _squares(vectors).sum(axis=1)
        return Cost(math.fsum(squares.tolist()) / len(squares))

    def sampled(self, B: Matrix, stream: str, trials: int) -> tuple[Cost, Matrix]:
        """Return the cost by draws that all matrices share, and each draw's, (trials,)."""
        own, decoder = self.problem, self.decoder(B)
        if own.goal == "time":
            needed = self._needed(decoder, stream, trials)
            broken = self._broken(needed)
            if own.quantile is None:
                times = own.clock.means[needed]
            else:
                times = own.clock.late_with(self.still_out or own.clock.still_out(broken))[needed]
            return Cost(own.clock.value(broken)), times
        errors = decoder.errors(self.drawn(stream, trials))
        is_error = errors > decoder.exact_threshold
        errors = is_error.astype(float) if own.goal == "exact" else np.where(is_error, errors, 0.0)
        return Cost(math.fsum(errors.tolist()) / trials), errors

    def _needed(self, decoder: Decoder, stream: str, trials: int) -> NDArray[np.int64]:
        """Return how many answers decode, in orders that all matrices share; n + 1: never."""
        n = self.problem.n
        key = f"order {stream}", trials
        if key not in self._kept:
            numbers = uniforms(self.problem.seed, f"search {key[0]}", trials * n)
            order = numbers.reshape(trials, n).argsort(axis=1, kind="stable")
            self._kept[key] = order.argsort(axis=1).astype(np.uint64)
        ranks = self._kept[key]
        bits = np.uint64(1) << np.arange(n, dtype=np.uint64)
        fails, decodes = np.zeros(trials, np.int64), np.full(trials, n + 1, np.int64)
        while (open_ := np.flatnonzero(decodes - fails > 1)).size:
            m = (fails[open_] + decodes[open_]) // 2
            first = ranks[open_] < m[:, np.newaxis].astype(np.uint64)
            packed = np.bitwise_or.reduce(np.where(first, bits, np.uint64(0)), axis=1)
            exact = decoder.errors(packed[:, np.newaxis]) <= decoder.exact_threshold
            decodes[open_[exact]] = m[exact]
            fails[open_[~exact]] = m[~exact]
        return decodes

    def _broken(self, needed: NDArray[np.int64]) -> list[float]:
        """Return the share of sets of s workers without which nothing decodes, s from 0 to n."""
        n = self.problem.n
        later = np.cumsum(np.bincount(needed, minlength=n + 2)[::-1])[::-1]
        return [int(later[n - s + 1]) / needed.size for s in range(n + 1)]

    def settle(self, B: Matrix) -> None:
        """Let probabilities to be late be those at a matrix's quantile, of draws before the last.

        >>> judge = Judge(Problem(n=22, d=2, goal="time", quantile=0.9))
        >>> judge.settle(np.ones((22, 22)))
        >>> round(judge.still_out, 6)  # any of 22 answers decodes
        0.900628
        """
        if self.problem.quantile is not None:
            needed = self._needed(self.decoder(B), "full", 16 * _SAMPLED)
            self.still_out = self.problem.clock.still_out(self._broken(needed))

    def ends(self, B: Matrix, half: float, stream: str, trials: int) -> tuple[float, float]:
        """Return the values whose probability to be exceeded differs by ``half`` to each side."""
        clock, broken = (
            self.problem.clock,
            self._broken(self._needed(self.decoder(B), stream, trials)),
        )
        return clock.value(broken, half), clock.value(broken, -half)

    def drawn(self, stream: str, trials: int) -> NDArray[np.uint64]:
        """Return packed patterns; those of quick looks are kept."""
        if (stream, trials) not in self._kept:
            own: Any = self.problem
            batch = Batch(own.seed, f"search {stream}", 0, trials // WORD, 1)
            if own.goal == "time":
                drawn = subsets(own.n, batch, 1 + np.arange(trials) % own.n, "straggle")
            elif own.s is None:
                drawn = bernoulli(np.full(own.n, own.p), batch, "straggle")
            else:
                drawn = subsets(own.n, batch, np.full(trials, own.n - own.s), "straggle")
            self._kept[stream, trials] = drawn.packed
        return self._kept[stream, trials]


def _squares(values: NDArray[Any]) -> Matrix:
    """Return |value|², without functions whose last bit is a machine's own."""
    found: Matrix = values.real * values.real
    return found + values.imag * values.imag if np.iscomplexobj(values) else found


def _dot(weights: Matrix, values: Matrix) -> float:
    return math.fsum((weights * values).tolist())
