"""How close groups of siblings come to their mean time (codedreduce, Appendix D, Lemma 2 to (22)).

A worker's whole task takes an exponential time of the given mean, r d/μ; T_(n−s) is the time of the
(n−s)-th fastest of n siblings, T̃ the largest T_(n−s) of all N/n groups. E₁ is that no T_(n−s) is
more than ε = n^(−1/4) above its mean, E₂ that T̃ is more than Θ(log n), here log n.
"""

import math
from collections.abc import Callable

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.completion import completion, late, timed
from fastgc.theory.cases.statements import at_size, finite
from fastgc.theory.cases.tables import answers, exponential, star, whole
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.time import check_times, group_mean, more_late
from fastgc.theory.common import check
from fastgc.theory.common.numerics import exp, expm1, half_line, log1p
from fastgc.theory.common.order_statistics import harmonic
from fastgc.theory.papers.claim import LOOSE, Case, Cases

#: n of trees of two layers with s = 5n/12.
_N, _FAR = (12, 60, 240, 1200), (240, 1536, 12_288, 98_304)
#: n, groups, s of trees of two layers.
_GROUPS = ((12, 13, 5), (12, 13, 3), (24, 25, 10))


@paper.elementwise
def group_tail_bound(n: int, s: int, epsilon: float, mean: float = 1.0) -> float:
    """Upper bound of P(T_(n−s) − E T_(n−s) ≥ ε) by Bernstein's inequality (Lemmas 2 and 3).

    It is exp(−ε²/(2 (Σ E[E_i²] + ε B))), where E[E_i²] = 2 mean²/(n−i+1)² and B = mean/s. The λ of
    Lemma 2 is the mean, not the rate.

    >>> round(group_tail_bound(400, 167, 400**-0.25), 4)
    0.0489
    """
    check_times(n, 1, s, mean, 0.0, 0.0, least=1)
    check.not_negative(epsilon=epsilon)
    squares = 2.0 * mean * mean * math.fsum(1.0 / (i * i) for i in range(int(n), int(s), -1))
    return math.exp(-(epsilon**2) / (2.0 * (squares + epsilon * mean / s)))


@paper.claim("lemma2.printed", "Lemma 2 (17)", relation=">=", limit="order")
def _() -> Cases:
    """P(T_(n-s) - E T_(n-s) >= epsilon) <= e^(-Theta(sqrt n)) for epsilon = n^(-1/4): its logarithm
    is of the order of sqrt n, negative."""
    for n in (96, *_FAR[1:]):
        yield at_size(n, finite("late_group_exponent", math.sqrt(n), n=n, s=5 * n // 12))


@paper.claim("lemma2.bernstein.printed", "Lemma 2, proof", LOOSE, relation="<=")
def _() -> Cases:
    """P(T_(n-s) - E T_(n-s) >= epsilon) <= exp(-epsilon^2/(2 (sum E[E_i^2] + epsilon B))) for
    epsilon = n^(-1/4), B = 1/s."""
    for n, s in ((100, 41), (200, 83), (400, 167)):
        yield _exceeds(n, s, n**-0.25)


@paper.claim(
    "lemma2.mean.printed", "Lemma 2, proof, where E_1 is exp(lambda/n)", reads="lemma2.rate.printed"
)
def _() -> Cases:
    """With lambda for the mean of T_i the gaps have E[E_i^k] = (lambda/(n-i+1))^k k! (n = 12; means
    of the first and the seventh, variance of the first)."""
    return _gaps(lambda mean: mean, lambda mean: mean)


@paper.claim(
    "lemma2.rate.printed",
    "Lemma 2, T_i of rate lambda, and its proof",
    kind="notation",
    printed="i.i.d. exponential random variables with constant rate λ = Θ(1) … E[|E_i|^k] = "
    "E[E_i^k] = (λ/(n−i+1))^k k!",
)
def _() -> Cases:
    """With lambda for the rate of T_i, as in the lemma, the gaps have
    E[E_i^k] = (lambda/(n-i+1))^k k! (n = 12; means of the first and the seventh, variance of the
    first)."""
    return _gaps(lambda rate: 1 / rate, lambda rate: rate)


@paper.claim(
    "lemma2.rate.corrected",
    "Lemma 2, corrected",
    proof="The i-th gap is the least of n - i + 1 exponential times of rate lambda, so that its "
    "mean is 1/((n-i+1) lambda); the proof's lambda/(n-i+1) is that if lambda is the mean.",
)
def _() -> Cases:
    """With rate lambda they have E[E_i^k] = k!/((n-i+1) lambda)^k."""
    return _gaps(lambda rate: 1 / rate, lambda rate: 1 / rate)


@paper.claim("lemma2.gaps.printed", "Lemma 2, proof")
def _() -> Cases:
    """T_(n-s) is the sum of independent gaps: its variance is that of 1/n^2 + ... + 1/(s+1)^2 for
    times of unit mean."""
    for n, s in ((12, 5), (24, 3), (156, 65)):
        theory = math.fsum(1.0 / (j * j) for j in range(s + 1, n + 1))
        yield timed(completion(whole(star(n, s))), theory, "variance")


@paper.claim("lemma2.condition.printed", "Lemma 2, proof, for Lemma 3", relation="<=")
def _() -> Cases:
    """E[E_i^k] <= E[E_i^2] B^(k-2) k!/2 with B = lambda/s for k >= 2, lambda being the mean, here 1
    (gaps by the joint law of order statistics)."""
    for n, s, i, k in ((12, 5, 7, 2), (12, 5, 7, 3), (24, 10, 14, 4), (12, 5, 1, 3)):
        most = math.factorial(k) / (n - i + 1) ** 2 / s ** (k - 2)
        yield finite("gap_moment", most, n=n, i=i, power=k)


@paper.claim("lemma2.squares.printed", "Lemma 2, proof", LOOSE, relation="<=")
def _() -> Cases:
    """The sum of E[E_i^2], i <= n - s, is at most 2 lambda^2 (1 - alpha)/(alpha^2 n)."""
    for n, s in ((12, 5), (24, 20), (60, 15)):
        yield finite("gap_squares", 2 * (n - s) / s**2, n=n, s=s)


@paper.claim("lemma2.squares.order.printed", "Lemma 2, proof", limit="order")
def _() -> Cases:
    """That sum is Theta(1/n) (alpha = 1/2)."""
    for n in (2, 6, 20, 60, 200):
        yield at_size(n, finite("gap_squares", 1 / n, n=n, s=n // 2))


@paper.claim("lemma3.printed", "Lemma 3", LOOSE, relation="<=")
def _() -> Cases:
    """Bernstein's inequality holds for the sum of gaps that T_(n-s) is."""
    for n, s, epsilon in ((12, 5, 0.5), (12, 5, 1.0), (24, 10, 0.5)):
        yield _exceeds(n, s, epsilon)


@paper.claim("concentrated.printed", "Appendix D, (18)", relation="<=", limit="difference")
def _() -> Cases:
    """E[T_comp | E_1] <= E[T_(n-s)] + o(1) (L = 2)."""
    for n in (12, 96, 1536, 12_288, 98_304):
        theory = float(group_mean(n, 5 * n // 12))
        case = finite("concentrated_mean", theory, n=n, s=5 * n // 12)
        yield at_size(n, case, n**-0.25)


@paper.elementwise
def slowest_group_mean(n: int, groups: int, s: int, mean: float = 1.0) -> float:
    """Mean time T̃ of the slowest of so many groups of n siblings (Appendix D). Derived.

    A group's time is T_(n−s), when n−s of its siblings are done.

    >>> round(slowest_group_mean(12, 13, 5), 6)
    1.43272
    """
    check_times(n, 1, s, mean, 0.0, 0.0)
    return mean * half_line(_slowest_tail(n, groups, s), 0.0, 1.0)


@paper.elementwise
def slowest_group_share(n: int, groups: int, s: int, above: float) -> float:
    """E[T̃; T̃ > c] for the slowest of so many groups of n siblings, of unit means. Derived.

    It is c P(T̃ > c) plus the integral of P(T̃ > t) from c on.

    >>> round(slowest_group_share(12, 13, 5, math.log(12)), 6)
    0.006872
    """
    check_times(n, 1, s, 1.0, 0.0, 0.0)
    check.not_negative(above=above)
    tail = _slowest_tail(n, groups, s)
    return above * float(tail(np.array([above]))[0]) + half_line(tail, above, 0.1)


@paper.claim("conditional-mean.order.printed", "Appendix D, (21)", relation="<=", limit="order")
def _() -> Cases:
    """E[T_comp | E_1^c] <= Theta(log n): what (20) and (21) conclude, and the theorem needs
    (L = 2)."""
    for n in _N:
        yield at_size(n, finite("scattered_mean", math.log(n), n=n, s=5 * n // 12))


@paper.claim(
    "conditional-mean.side.printed",
    "Appendix D, (20)",
    kind="misprint",
    printed="E_2 := {T̃ > Θ(log n)} … E[T̃ | E_1^c ∩ E_2] P[E_2] = E[T̃ | T̃ ≤ Θ(log n)] P[T̃ ≤ "
    "Θ(log n)]",
)
def _() -> Cases:
    """E[T~ | E_1^c and E_2] P(E_2) = E[T~ | T~ <= Theta(log n)] P(T~ <= Theta(log n))."""
    for n, groups, s in _GROUPS:
        below = float(slowest_group_mean(n, groups, s)) - _late_share(n, groups, s)
        yield _very_late(below, n, groups, s)


@paper.claim(
    "conditional-mean.side.corrected",
    "Appendix D, (20), corrected",
    proof="E_2 is that T~ is more than Theta(log n), and implies E_1^c for large n: the sign is "
    "the other way round. The next step, that the mean of T~ where T~ is large is at most its "
    "mean, holds as T~ is not negative.",
)
def _() -> Cases:
    """It is E[T~ | T~ > Theta(log n)] P(T~ > Theta(log n))."""
    for n, groups, s in _GROUPS:
        yield _very_late(_late_share(n, groups, s), n, groups, s)


@paper.elementwise
def slowest_group_tail(n: int, groups: int, s: int, t: float) -> float:
    """P(T̃ > t) for the slowest of so many groups of n siblings, of unit means. Derived.

    >>> round(slowest_group_tail(12, 13, 5, 1.5), 6)
    0.349185
    """
    check_times(n, 1, s, 1.0, 0.0, 0.0)
    check.not_negative(t=t)
    return float(_slowest_tail(n, groups, s)(np.array([float(t)]))[0])


@paper.claim(
    "conditional-mean.weights.printed",
    "Appendix D, (21)",
    kind="false",
    printed="E[T_comp | E_1^c] = E[T_comp | E_1^c ∩ E_2] P[E_2] + E[T_comp | E_1^c ∩ E_2^c] "
    "P[E_2^c]",
)
def _() -> Cases:
    """(21) weights the two cases of E_1^c with P(E_2) and P(E_2^c), as if these were their
    probabilities given E_1^c (the first): a gap in the proof, the theorem stands."""
    return _weights(lambda very_late, late: very_late)


@paper.claim(
    "conditional-mean.weights.corrected",
    "Appendix D, (21), corrected",
    proof="Given E_1^c the weights are P(E_2 | E_1^c) and P(E_2^c | E_1^c). E_2 implies E_1^c, so "
    "that the first is P(E_2)/P(E_1^c), and (20), which bounds the term with P(E_2), leaves it "
    "open. The theorem stands: it needs the first term times P(E_1^c), at most E[T~; T~ > log n].",
)
def _() -> Cases:
    """The weights are P(E_2 | E_1^c) = P(E_2)/P(E_1^c) and what is left to 1."""
    return _weights(lambda very_late, late: very_late / late)


@paper.claim("union.printed", "Appendix D, (22)", relation="<=")
def _() -> Cases:
    """P(E_1^c) <= N/n P(T_(n-s) >= E[T_(n-s)] + epsilon) (L = 2; n so large that it is below 1)."""
    for n in (240, 600, 1536):
        groups, s = n + 1, 5 * n // 12
        one = math.exp(-float(group_mean(n, s)) - n**-0.25)
        most = groups * float(more_late(n, s, np.array([one]))[0])
        yield finite("late_group_chance", most, n=n, s=s, epsilon=n**-0.25, groups=groups)


@paper.claim("union.order.printed", "Appendix D, (22)", relation=">=", limit="order")
def _() -> Cases:
    """P(E_1^c) <= Theta(n^(L-1)) e^(-Theta(sqrt n)): its logarithm is of the order of sqrt n,
    negative (L = 2)."""
    for n in (*_FAR[1:], 786_432):
        given = {"n": n, "s": 5 * n // 12, "groups": n + 1}
        yield at_size(n, finite("late_group_exponent", math.sqrt(n), **given))


@paper.elementwise
def late_groups_bound(n: int, groups: int, s: int, epsilon: float, mean: float = 1.0) -> float:
    """Upper bound (E[T̃²] P(T̃ > c))^½ of E[T̃; T̃ > c], c = E T_(n−s) + ε, by Cauchy–Schwarz.

    T̃ is the time of the slowest group. Derived; it can take the place of the steps (20) and (21).

    >>> round(late_groups_bound(12, 13, 5, 12**-0.25), 3)
    1.095
    """
    check_times(n, 1, s, mean, 0.0, 0.0)
    check.not_negative(epsilon=epsilon)
    tail = _slowest_tail(n, groups, s)
    second = half_line(lambda t: 2.0 * t * tail(t), 0.0, 1.0)
    late = tail(np.array([float(harmonic(n, s)) + epsilon / mean]))
    return mean * math.sqrt(second * float(late[0]))


@paper.claim(
    "conditional-mean.cauchy-schwarz.derived",
    "Appendix D, in place of (20) and (21)",
    relation="<=",
)
def _() -> Cases:
    """E[T~; T~ > c] <= (E[T~^2] P(T~ > c))^(1/2), c = E T_(n-s) + epsilon."""
    for n, groups, s in _GROUPS:
        most = late_groups_bound(n, groups, s, n**-0.25)
        c = float(group_mean(n, s)) + n**-0.25
        yield finite("slowest_group_share", most, n=n, groups=groups, s=s, above=c)


def _gaps(mean: Callable[[float], float], said: Callable[[float], float]) -> Cases:
    """Gaps between the times of 12 workers of some mean, against those of a mean that is said."""
    for rate in (2.0, 4.0, 0.5):
        law = exponential(mean(rate))
        first = completion(whole(answers(12, 1)), law)
        yield timed(first, said(rate) / 12)
        yield timed(first, (said(rate) / 12) ** 2, "variance")
        sixth, seventh = (completion(whole(answers(12, k)), law) for k in (6, 7))
        yield timed(seventh, said(rate) / 6, against=sixth)


def _exceeds(n: int, s: int, epsilon: float) -> Case:
    threshold = float(group_mean(n, s)) + epsilon
    return late(whole(star(n, s)), threshold, group_tail_bound(n, s, epsilon))


def _late_share(n: int, groups: int, s: int) -> float:
    return float(slowest_group_share(n, groups, s, math.log(n)))


def _very_late(theory: float, n: int, groups: int, s: int) -> Case:
    return finite("slowest_group_share", theory, n=n, groups=groups, s=s, above=math.log(n))


def _weights(weight: Callable[[float, float], float]) -> Cases:
    for n, groups, s in _GROUPS:
        c = float(group_mean(n, s)) + n**-0.25
        very_late, late = (float(slowest_group_tail(n, groups, s, t)) for t in (math.log(n), c))
        given = {"n": n, "groups": groups, "s": s, "above": math.log(n)}
        yield finite("very_late_share", weight(very_late, late), **given)


def _slowest_tail(n: int, groups: int, s: int) -> Callable[[Values], Values]:
    check.count("groups", groups, 1)

    def tail(t: Values) -> Values:
        with np.errstate(divide="ignore"):
            return np.asarray(-expm1(groups * log1p(-more_late(n, s, exp(-t)))))

    return tail
