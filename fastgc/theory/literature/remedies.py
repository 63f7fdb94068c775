"""What people do instead of coding, and when a code pays: times of rounds, and what they cost.

Clones: Aktas, Peng, Soljanin (arXiv:1710.00748); local steps: Wang, Joshi (arXiv:1810.08313);
deadlines: Giladi et al. (arXiv:2306.10598); batches of data: Behrouzi-Far, Soljanin
(arXiv:2006.02318).
"""

import math
from dataclasses import replace

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.completion import completion, late, timed
from fastgc.theory.cases.statements import both
from fastgc.theory.cases.tables import (
    Table,
    answers,
    circulant,
    exponential,
    frc,
    replication,
    star,
    uncoded,
    whole,
)
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.common.numerics import half_line, polynomial_product
from fastgc.theory.common.order_statistics import exponential_order_mean, harmonic, order_tail
from fastgc.theory.literature import paper
from fastgc.theory.literature.latency_laws import law_mean, law_variance
from fastgc.theory.literature.order_statistics import frc_completion_mean
from fastgc.theory.papers.claim import Case, Cases

CLONES = "Aktas, Peng, Soljanin, Effective Straggler Mitigation (arXiv:1710.00748)"
ADACOMM = "Wang, Joshi, Adaptive Communication Strategies (arXiv:1810.08313)"
BATCHES = "Behrouzi-Far, Soljanin, Efficient Replication (arXiv:2006.02318)"
_clones = table("family", "clones", "n", "r", "after")
_local = table("family", "local-sgd", "n", "period")
_drop_late = table("family", "drop-late", "n", "deadline")
#: (n, r, after, mean) of clones.
_CLONED = ((4, 2, 0.5, 1.0), (10, 2, 1.0, 1.0), (6, 3, 0.3, 2.0), (5, 2, 0.0, 1.0))


# ---- codes pay where work costs little


@paper.elementwise
def gradient_code_mean(n: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean (s + 1) (shift + mean (H_n − H_s)) of a gradient code on n workers with s stragglers.

    A worker takes shift + an exponential time for each of its s + 1 parts of n.

    >>> round(gradient_code_mean(8, 0, shift=0.2), 6), gradient_code_mean(8, 7, shift=0.2)
    (2.917857, 2.6)
    """
    check.count("s", s, 0, n - 1)
    return (s + 1) * float(exponential_order_mean(n, n - s, mean, shift))


@paper.elementwise
def uncoded_from_shift(n: int) -> float:
    """Shift (H_n − 1)/(n − 1), in means, above which no gradient code is faster than no code.

    >>> round(uncoded_from_shift(8), 4), round(uncoded_from_shift(32), 4)
    (0.2454, 0.0987)
    """
    check.count("n", n, 2)
    return float(harmonic(n, 1)) / (n - 1)


def _coded(n: int, s: int, shift: float) -> Table:
    return completion(star(n, s), exponential(1.0, shift), work=float(n))


@paper.claim(
    "gradient-code.ends.derived", "Derived: what a straggler more costs falls", relation=">="
)
def _() -> Cases:
    """No gradient code on n workers with shifted exponential times, however many stragglers it is
    for, takes less than the better of no code, s = 0, and n copies of all, s = n - 1: from s to
    s + 1 its mean (s+1)(a + H_n - H_s) grows by a - 1 + H_n - H_(s+1), which falls with s."""
    for n in (3, 8, 32):
        for shift in (0.0, uncoded_from_shift(n), 0.5):
            ends = min(gradient_code_mean(n, s, 1.0, shift) for s in (0, n - 1))
            for s in sorted({0, 1, n // 2, n - 2, n - 1}):
                yield timed(_coded(n, s, shift), ends)


@paper.claim("gradient-code.shift.derived", "Derived from the mean at both ends")
def _() -> Cases:
    """No code takes H_n - 1 - (n-1) a longer than n copies of all, for times of a + an exponential
    one: it is the best of all gradient codes iff a > (H_n - 1)/(n - 1)."""
    for n in (3, 8, 32):
        limit = uncoded_from_shift(n)
        for shift in (0.0, 0.5 * limit, 2.0 * limit):
            theory = (n - 1) * (limit - shift)
            yield timed(_coded(n, 0, shift), theory, against=_coded(n, n - 1, shift))


# ---- batches of data that overlap, or do not


@paper.elementwise
def cyclic_completion_mean(n: int, d: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time until every partition has an answer, of worker j holding j … j + d − 1 modulo n.

    d (shift + mean Σ_r P(r answers leave a gap of d)/(n − r)), for it is over when no d neighbours
    are missing; a worker takes shift + an exponential time for each partition. Derived.

    >>> round(cyclic_completion_mean(12, 4, shift=0.2), 4)
    3.3333
    """
    check.count("d", d, 1, n)
    total = 1.0 / n
    gaps = [1]
    for r in range(1, n):  # gaps of less than d between r answers around the circle
        gaps = polynomial_product(gaps, [1] * d)
        ways = gaps[n - r] if n - r < len(gaps) else 0
        total += (1.0 - n * ways / (r * math.comb(n, r))) / (n - r)
    return d * (shift + mean * total)


@paper.claim("batches.cover.derived", "Derived from the gaps between the workers that answered")
def _() -> Cases:
    """Until answers of workers hold every partition, it takes d (a + sum_r P(r answers do not)/
    (n-r)) where each takes a + an exponential time for each of its d partitions: this is n a/B +
    H_B for B = n/d disjoint batches, and for batches that lie in a circle they do not where d
    neighbours have not answered."""
    for n, d, shift in ((12, 4, 0.2), (12, 3, 0.0), (8, 2, 0.5)):
        theory = frc_completion_mean(n, d, float(d), d * shift)
        yield from both("covered_mean", theory, code=frc(n, d), shift=shift)
        theory = cyclic_completion_mean(n, d, 1.0, shift)
        yield from both("covered_mean", theory, code=circulant(n, d), shift=shift)


@paper.claim("batches.disjoint.derived", f"Derived, for what {BATCHES} says", relation="<")
def _() -> Cases:
    """Batches of d partitions that are disjoint, each done by d workers, are done before batches
    that overlap in a circle: after 2.6333 against 3.3333 for n = 12, d = 4 and times of .2 + an
    exponential one."""
    for n, d, shift in ((12, 4, 0.2), (12, 2, 0.2), (12, 3, 0.0), (30, 5, 1.0)):
        theory = cyclic_completion_mean(n, d, 1.0, shift)
        yield timed(completion(replication(n, d), exponential(1.0, shift), work=float(n)), theory)


# ---- whatever the law


@paper.elementwise
def order_mean_bound(n: int, k: int, mean: float, variance: float) -> float:
    """Bound mean + sd √((k − 1)/(n − k + 1)) on the mean of the k-th smallest of n times.

    Of any law, of one or another for each worker, independent or not: ``mean`` and ``variance`` are
    those of a worker chosen at random. Arnold, Groeneveld, Annals of Statistics 7 (1979).

    >>> order_mean_bound(5, 5, 1.0, 1.0)
    3.0
    """
    check.count("k", k, 1, n)
    return mean + math.sqrt(variance * (k - 1) / (n - k + 1))


@paper.claim(
    "order-statistics.any-law.derived",
    "Derived by Cauchy's inequality, as Arnold, Groeneveld, Annals of Statistics 7 (1979)",
    relation="<=",
)
def _() -> Cases:
    """The k-th smallest of n times has a mean of at most mean + sd sqrt((k-1)/(n-k+1)), whatever
    their law; of workers who are not alike mean and sd are those of one chosen at random, and the
    bound is reached where k - 1 always take one time and the others another."""
    laws: tuple[Table, ...] = (
        exponential(),
        {"distribution": "gamma", "shape": 0.5, "scale": 2.0},
        {"distribution": "lognormal", "mu": 0.0, "sigma": 1.0},
        {"distribution": "weibull", "shape": 0.8, "scale": 1.2, "shift": 0.1},
        {
            "distribution": "bimodal",
            "p_slow": 0.1,
            "fast": exponential(0.5),
            "slow": exponential(5.0),
        },
    )
    for law in laws:
        for n, k in ((5, 1), (10, 8), (20, 20)):
            theory = order_mean_bound(n, k, law_mean(law), law_variance(law))
            yield timed(completion(whole(answers(n, k)), law), theory)
    for n, k, late_time in ((5, 4, 2.0), (8, 2, 3.0)):
        share = (n - k + 1) / n
        mean, variance = 1 + share * (late_time - 1), share * (1 - share) * (late_time - 1) ** 2
        times = [1.0] * (k - 1) + [late_time] * (n - k + 1)
        unlike: list[Table] = [{"distribution": "deterministic", "value": t} for t in times]
        theory = order_mean_bound(n, k, mean, variance)
        yield timed(completion(whole(answers(n, k)), unlike), theory)


# ---- clones, and what work costs


@paper.elementwise
def clones_tail(n: int, r: int, after: float, t: float, mean: float = 1.0) -> float:
    """P(T > t) of n pieces of which the i-th of r copies begins at (i − 1)·after.

    1 − (1 − Π_i P(X > t − (i − 1) after))ⁿ, here for exponential times.

    >>> clones_tail(1, 2, 1.0, 2.0) == math.exp(-3.0)
    True
    """
    check.count("r", r, 1)
    check.not_negative(after=after)
    begun = math.fsum(max(t - i * after, 0.0) for i in range(int(r)))
    return float(order_tail(n, n, math.exp(-begun / mean)))


@paper.elementwise
def clones_mean(n: int, r: int, after: float, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean of the time of n pieces of which up to r copies begin, each ``after`` the last.

    shift + Σ_m (mean/m) Σ_(i ≤ n) ((1 − g_m)^i − (1 − g_(m−1))^i)/i, where g_m is the probability
    that a piece with m copies outlasts the beginning of the next. Derived.

    >>> round(clones_mean(10, 2, 1.0), 4), clones_mean(2, 1, 0.0) == 1.5
    (1.9638, True)
    """
    check.count("r", r, 1)
    check.not_negative(after=after)
    left = [math.exp(-after / mean * m * (m + 1) / 2) for m in range(int(r))] + [0.0]
    return shift + math.fsum(
        mean / m * (_powers(n, left[m]) - _powers(n, left[m - 1])) for m in range(1, int(r) + 1)
    )


def _powers(n: int, left: float) -> float:
    """Σ_(i ≤ n) (1 − left)^i/i, for n pieces each of which is left with this probability."""
    return math.fsum((1.0 - left) ** i / i for i in range(1, int(n) + 1))


@paper.claim("clones.time.derived", f"Derived, for what {CLONES} does")
def _() -> Cases:
    """Pieces with r exponential copies, each begun D after the last, are all done by t with
    probability (1 - exp(-sum_i (t - i D)^+))^n, i = 0 ... r-1; their mean follows."""
    for n, r, after, mean in _CLONED:
        system = whole(_clones(n, r, after))
        yield timed(completion(system, exponential(mean)), clones_mean(n, r, after, mean))
        for t in (0.8 * mean, 2.0 * mean):
            yield late(system, t, clones_tail(n, r, after, t, mean), exponential(mean))


@paper.claim("clones.cost.derived", f"Derived, for what {CLONES} says: delay saves no work")
def _() -> Cases:
    """n pieces of exponential work cost n times the mean in seconds of all workers, however many
    copies there are and whenever they begin: all copies that run are as likely to end next."""
    for n, r, after, mean in _CLONED:
        yield _worked(whole(_clones(n, r, after)), exponential(mean), n * mean)


def _worked(system: Table, latency: Table, theory: float) -> Case:
    """Compare seconds of work, whose law is known of no system: they are sampled."""
    case = timed(completion(system, latency, measure="worker_seconds"), theory)
    return replace(case, tolerance=0.01)


@paper.claim("worker-seconds.derived", "Derived: the total time on test of Epstein, Sobel (1953)")
def _() -> Cases:
    """Workers with exponential times of which k are waited for work k means in all until then,
    and n times the shift; all n of them, n times the mean of any law."""
    for n, k, shift in ((10, 7, 0.0), (12, 12, 0.5), (20, 5, 0.2)):
        yield _worked(whole(answers(n, k)), exponential(1.0, shift), k + n * shift)
    gamma: Table = {"distribution": "gamma", "shape": 2.5, "scale": 0.8}
    for system in (uncoded(6), _local(6, 3)):
        yield _worked(whole(system), gamma, 12.0)


# ---- local steps, and deadlines


@paper.elementwise
def local_sgd_mean(n: int, period: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time of a round of local SGD: shift + that of the slowest of n Erlang sums, ÷ period.

    Wang, Joshi (arXiv:1810.08313), with exponential times.

    >>> [round(local_sgd_mean(16, period), 4) for period in (1, 4, 16)]
    [3.3807, 2.0626, 1.4893]
    """
    return _of_slowest_sum(n, period, mean, shift)[0]


@paper.elementwise
def local_sgd_variance(n: int, period: int, mean: float = 1.0) -> float:
    """Variance of that time.

    >>> round(local_sgd_variance(2, 1), 9)
    1.25
    """
    first, second = _of_slowest_sum(n, period, mean, 0.0)
    return second - first * first


@paper.elementwise
def local_sgd_tail(n: int, period: int, t: float, mean: float = 1.0, shift: float = 0.0) -> float:
    """P(T > t) of it.

    >>> local_sgd_tail(1, 1, 2.0) == math.exp(-2.0)
    True
    """
    from scipy import special

    check.count("period", period, 1)
    own = special.gammaincc(period, period * max(t - shift, 0.0) / mean)
    return float(order_tail(n, n, float(own)))


def _of_slowest_sum(n: int, period: int, mean: float, shift: float) -> tuple[float, float]:
    """First and second moment."""
    check.count("n", n, 1)
    check.positive(mean=mean)

    def late_at(t: Values) -> Values:
        return np.array([float(local_sgd_tail(n, period, x)) for x in t.tolist()])

    scale = 1.0 + math.log(n) / period
    first = mean * half_line(late_at, 0.0, scale)
    second = mean**2 * half_line(lambda t: 2.0 * t * late_at(t), 0.0, scale)
    return shift + first, shift * shift + 2.0 * shift * first + second


@paper.claim("local-sgd.time.derived", f"Derived, for what {ADACOMM} says of the largest sum")
def _() -> Cases:
    """A round of n workers that wait for each other once in h rounds takes the largest of n sums of
    h exponential times, over h: 3.3807, 2.0626, 1.4893 means for n = 16 and h = 1, 4, 16."""
    for n, period, shift in ((16, 1, 0.0), (16, 4, 0.0), (16, 16, 0.0), (5, 3, 0.5)):
        experiment = completion(whole(_local(n, period)), exponential(1.0, shift))
        yield timed(experiment, local_sgd_mean(n, period, 1.0, shift))
    for n, period, t in ((16, 4, 2.0), (8, 2, 3.0)):
        yield late(whole(_local(n, period)), t, local_sgd_tail(n, period, t))
    theory = local_sgd_variance(8, 4)
    yield timed(completion(whole(_local(8, 4))), theory, "variance")


@paper.elementwise
def drop_late_mean(n: int, deadline: float, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean Σ_(i ≤ n) (1 − e^(−(deadline − shift)/mean))^i/i of a round cut short.

    It is over when n workers with shifted exponential times have answered, or at the deadline.

    >>> drop_late_mean(2, 99.0), drop_late_mean(2, 0.5, shift=1.0)
    (1.5, 0.5)
    """
    check.positive(deadline=deadline, mean=mean)
    if deadline <= shift:
        return deadline
    return shift + mean * _powers(n, math.exp(-(deadline - shift) / mean))


@paper.claim("drop-late.time.derived", "Derived: the integral of P(T > t) up to the deadline")
def _() -> Cases:
    """The slowest of n exponential times, or a deadline D if that is earlier, has the mean
    a + sum_(i <= n) (1 - exp(-(D-a)))^i/i."""
    for n, deadline, shift in ((4, 1.0, 0.0), (16, 3.0, 0.5), (8, 20.0, 0.0)):
        experiment = completion(whole(_drop_late(n, deadline)), exponential(1.0, shift))
        yield timed(experiment, drop_late_mean(n, deadline, 1.0, shift))
