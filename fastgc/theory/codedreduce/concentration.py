"""How close groups of siblings come to their mean time (codedreduce, Appendix D, Lemma 2 to (22)).

A worker's whole task takes an exponential time of the given mean, r d/μ; T_(n−s) is the time of the
(n−s)-th fastest of n siblings, T̃ the largest T_(n−s) of all N/n groups. E₁ is that no T_(n−s) is
more than ε = n^(−1/4) above its mean, E₂ that T̃ is more than Θ(log n), here log n.
"""

import math
from collections.abc import Callable

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.experiment_tables import compared, completion, late
from fastgc.theory.cases.statements import brute, finite
from fastgc.theory.cases.studies import answers, exponential, star, whole
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.tree_time import allowed, group_mean, more_late
from fastgc.theory.common import check
from fastgc.theory.common.numerics import exp, expm1, half_line
from fastgc.theory.papers.claim import LOOSE, Case, Cases, at

#: n and s = 5n/12 of groups so large that few are late.
_FAR = [(n, 5 * n // 12) for n in (1536, 12_288, 98_304)]
#: n, groups, s of trees of two layers.
_GROUPS = [(12, 13, 5), (12, 13, 3), (24, 25, 10)]


def _exceeds(theory: float, n: int, s: int, epsilon: float) -> Case:
    """P(T_(n−s) − E T_(n−s) > ε) beside a theory."""
    return late(whole(star(n, s)), float(group_mean(n, s)) + epsilon, theory)


@paper.states("lemma3.printed", "Lemma 3", "<=", LOOSE)
@at([(12, 5, 0.5), (12, 5, 1.0), (24, 10, 0.5)], _exceeds)
@paper.states("lemma2.bernstein.printed", "Lemma 2, proof", "<=", LOOSE)
@at([(n, s, n**-0.25) for n, s in ((100, 41), (200, 83), (400, 167))], _exceeds)
def group_tail_bound(n: int, s: int, epsilon: float, mean: float = 1.0) -> float:
    """P(T_(n-s) - E T_(n-s) >= epsilon) <= exp(-epsilon^2/(2 (sum E[E_i^2] + epsilon B))) for
    epsilon = n^(-1/4), B = 1/s.

    lemma3.printed: Bernstein's inequality holds for the sum of gaps that T_(n-s) is"""
    check.count("s", s, 1)
    squares = 2.0 * mean * mean * math.fsum(1.0 / (i * i) for i in range(n, s, -1))
    return math.exp(-(epsilon**2) / (2.0 * (squares + epsilon * mean / s)))


@paper.states("lemma2.printed", "Lemma 2 (17)", ">=", "order")
@at([(96, 40), *_FAR], brute("late_group_exponent"), size=lambda n: n)
@paper.states("union.order.printed", "Appendix D, (22)", ">=", "order")
@at(
    [*_FAR, (786_432, 327_680)],
    brute("late_group_exponent", lambda n, s: {"n": n, "s": s, "groups": n + 1}),
    size=lambda n: n,
)
def _exponent(n: int, s: int) -> float:
    """P(E_1^c) <= Theta(n^(L-1)) e^(-Theta(sqrt n)): its logarithm is of the order of sqrt n,
    negative (L = 2).

    lemma2.printed: P(T_(n-s) - E T_(n-s) >= epsilon) <= e^(-Theta(sqrt n)) for epsilon = n^(-1/4):
    its logarithm is of the order of sqrt n, negative"""
    return math.sqrt(n)


@paper.claim(
    "lemma2.rate.corrected", "Lemma 2, corrected", of=(lambda rate: 1 / rate, lambda rate: 1 / rate)
)
@paper.claim(
    "lemma2.rate.printed",
    "Lemma 2, T_i of rate lambda, and its proof",
    "notation",
    of=(lambda rate: 1 / rate, lambda rate: rate),
)
@paper.claim(
    "lemma2.mean.printed",
    "Lemma 2, proof, where E_1 is exp(lambda/n)",
    of=(lambda mean: mean, lambda mean: mean),
    reads="lemma2.rate.printed",
)
def _(mean: Callable[[float], float], said: Callable[[float], float]) -> Cases:
    """With lambda for the mean of T_i the gaps have E[E_i^k] = (lambda/(n-i+1))^k k! (n = 12; means
    of the first and the seventh, variance of the first).

    lemma2.rate.corrected: With rate lambda they have E[E_i^k] = k!/((n-i+1) lambda)^k.
    Proof. The i-th gap is the least of n - i + 1 exponential times of rate lambda, so that its mean
    is 1/((n-i+1) lambda); the proof's lambda/(n-i+1) is that if lambda is the mean.

    lemma2.rate.printed: With lambda for the rate of T_i, as in the lemma, the gaps have E[E_i^k] =
    (lambda/(n-i+1))^k k! (n = 12; means of the first and the seventh, variance of the first).
    Printed: i.i.d. exponential random variables with constant rate λ = Θ(1) … E[|E_i|^k] = E[E_i^k]
    = (λ/(n−i+1))^k k!"""
    # gaps between the times of 12 workers of some mean, against those of a mean that is said
    for rate in (2.0, 4.0, 0.5):
        law = exponential(mean(rate))
        first, sixth, seventh = (completion(whole(answers(12, k)), law) for k in (1, 6, 7))
        yield compared(first, said(rate) / 12)
        yield compared(first, (said(rate) / 12) ** 2, "variance")
        yield compared(seventh, said(rate) / 6, against=sixth)


@paper.states("lemma2.gaps.printed", "Lemma 2, proof")
@at(
    [(12, 5), (24, 3), (156, 65)],
    lambda theory, n, s: compared(completion(whole(star(n, s))), theory, "variance"),
)
def _variance(n: int, s: int) -> float:
    """T_(n-s) is the sum of independent gaps: its variance is that of 1/n^2 + ... + 1/(s+1)^2 for
    times of unit mean."""
    return math.fsum(1.0 / (j * j) for j in range(s + 1, n + 1))


@paper.states("lemma2.condition.printed", "Lemma 2, proof, for Lemma 3", "<=")
@at(
    [(12, 5, 7, 2), (12, 5, 7, 3), (24, 10, 14, 4), (12, 5, 1, 3)],
    brute("gap_moment", lambda n, i, power: {"n": n, "i": i, "power": power}),
)
def _moment(n: int, s: int, i: int, power: int) -> float:
    """E[E_i^k] <= E[E_i^2] B^(k-2) k!/2 with B = lambda/s for k >= 2, lambda being the mean, here 1
    (gaps by the joint law of order statistics)."""
    return math.factorial(power) / (n - i + 1) ** 2 / float(s ** (power - 2))


@paper.states("lemma2.squares.printed", "Lemma 2, proof", "<=", LOOSE)
@at([(12, 5), (24, 20), (60, 15)], brute("gap_squares"))
def _squares(n: int, s: int) -> float:
    """The sum of E[E_i^2], i <= n - s, is at most 2 lambda^2 (1 - alpha)/(alpha^2 n)."""
    return 2 * (n - s) / s**2


@paper.states("lemma2.squares.order.printed", "Lemma 2, proof", "order")
@at([(n, n // 2) for n in (2, 6, 20, 60, 200)], brute("gap_squares"), size=lambda n: n)
def _order_of_squares(n: int, s: int) -> float:
    """That sum is Theta(1/n) (alpha = 1/2)."""
    return 1 / n


@paper.states("concentrated.printed", "Appendix D, (18)", "<=", "difference")
@at([(12, 5), (96, 40), *_FAR], brute("concentrated_mean"), size=lambda n: n, rate=allowed)
def _concentrated(n: int, s: int) -> float:
    """E[T_comp | E_1] <= E[T_(n-s)] + o(1) (L = 2)."""
    return float(group_mean(n, s))


@paper.elementwise
def slowest_group_mean(n: int, groups: int, s: int, mean: float = 1.0) -> float:
    """E T̃ for the slowest of so many groups of n siblings. Derived."""
    return mean * half_line(_slowest_tail(n, groups, s), 0.0, 1.0)


@paper.elementwise
def slowest_group_share(n: int, groups: int, s: int, above: float) -> float:
    """E[T̃; T̃ > c] for the slowest of so many groups of n siblings, of unit means. Derived.

    It is c P(T̃ > c) plus the integral of P(T̃ > t) from c on.
    """
    tail = _slowest_tail(n, groups, s)
    return above * float(tail(np.array([above]))[0]) + half_line(tail, above, 0.1)


@paper.states("conditional-mean.order.printed", "Appendix D, (21)", "<=", "order")
@at([(n, 5 * n // 12) for n in (12, 60, 240, 1200)], brute("scattered_mean"), size=lambda n: n)
def _scattered(n: int, s: int) -> float:
    """E[T_comp | E_1^c] <= Theta(log n): what (20) and (21) conclude, and the theorem needs
    (L = 2)."""
    return math.log(n)


@paper.claim("conditional-mean.side.printed", "Appendix D, (20)", "misprint", of=(False,))
@paper.claim("conditional-mean.side.corrected", "Appendix D, (20), corrected", of=(True,))
def _(is_right: bool) -> Cases:
    """It is E[T~ | T~ > Theta(log n)] P(T~ > Theta(log n)).
    Proof. E_2 is that T~ is more than Theta(log n), and implies E_1^c for large n: the sign is the
    other way round. The next step, that the mean of T~ where T~ is large is at most its mean, holds
    as T~ is not negative.

    conditional-mean.side.printed: E[T~ | E_1^c and E_2] P(E_2) = E[T~ | T~ <= Theta(log n)] P(T~ <=
    Theta(log n)).
    Printed: E_2 := {T̃ > Θ(log n)} … E[T̃ | E_1^c ∩ E_2] P[E_2] = E[T̃ | T̃ ≤ Θ(log n)] P[T̃ ≤
    Θ(log n)]"""
    for n, groups, s in _GROUPS:
        above = float(slowest_group_share(n, groups, s, math.log(n)))
        theory = above if is_right else float(slowest_group_mean(n, groups, s) - above)
        yield finite("slowest_group_share", theory, n=n, groups=groups, s=s, above=math.log(n))


@paper.elementwise
def slowest_group_tail(n: int, groups: int, s: int, t: float) -> float:
    """P(T̃ > t) for the slowest of so many groups of n siblings, of unit means. Derived."""
    return float(_slowest_tail(n, groups, s)(np.array([float(t)]))[0])


@paper.claim("conditional-mean.weights.corrected", "Appendix D, (21), corrected", of=(True,))
@paper.claim("conditional-mean.weights.printed", "Appendix D, (21)", "false", of=(False,))
def _(is_right: bool) -> Cases:
    """(21) weights the two cases of E_1^c with P(E_2) and P(E_2^c), as if these were their
    probabilities given E_1^c (the first): a gap in the proof, the theorem stands.
    Printed: E[T_comp | E_1^c] = E[T_comp | E_1^c ∩ E_2] P[E_2] + E[T_comp | E_1^c ∩ E_2^c] P[E_2^c]

    conditional-mean.weights.corrected: The weights are P(E_2 | E_1^c) = P(E_2)/P(E_1^c) and what is
    left to 1.
    Proof. Given E_1^c the weights are P(E_2 | E_1^c) and P(E_2^c | E_1^c). E_2 implies E_1^c, so
    that the first is P(E_2)/P(E_1^c), and (20), which bounds the term with P(E_2), leaves it open.
    The theorem stands: it needs the first term times P(E_1^c), at most E[T~; T~ > log n]."""
    for n, groups, s in _GROUPS:
        theory = slowest_group_tail(n, groups, s, math.log(n))
        if is_right:
            theory /= slowest_group_tail(n, groups, s, _late(n, s))
        yield finite("very_late_share", theory, n=n, groups=groups, s=s, above=math.log(n))


def _late(n: int, s: int) -> float:
    """E T_(n−s) + ε."""
    return float(group_mean(n, s)) + allowed(n)


@paper.states("union.printed", "Appendix D, (22)", "<=")
@at([(n, 5 * n // 12, n**-0.25, n + 1) for n in (240, 600, 1536)], brute("late_group_chance"))
def _union(n: int, s: int, epsilon: float, groups: int) -> float:
    """P(E_1^c) <= N/n P(T_(n-s) >= E[T_(n-s)] + epsilon) (L = 2; n so large that it is below 1)."""
    one = math.exp(-float(group_mean(n, s)) - epsilon)
    return groups * float(more_late(n, s, np.array([one]))[0])


def _slowest_tail(n: int, groups: int, s: int) -> Callable[[Values], Values]:
    check.count("groups", groups, 1)

    def tail(t: Values) -> Values:
        from scipy import special  # its import takes longer than many a command

        with np.errstate(divide="ignore"):
            return np.asarray(-expm1(groups * special.log1p(-more_late(n, s, exp(-t)))))

    return tail
