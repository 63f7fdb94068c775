"""The error of fractional repetition given the number of slow workers: agc, Theorem 1."""

import math
from collections.abc import Callable

from fastgc.arrays import Values
from fastgc.theory.agc import paper
from fastgc.theory.agc.cases import error, slow_error
from fastgc.theory.cases.decoding import decoding, point_of
from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import frc, two_class, uniform
from fastgc.theory.common import check, repetition
from fastgc.theory.common.stragglers import survivors_given_slow, survivors_given_slow_printed
from fastgc.theory.papers.claim import Case, Cases
from fastgc.theory.papers.paper import at

paper.share(
    repetition.frc_error_variance,
    repetition.frc_exact_probability,
    repetition.frc_mean_error,
    repetition.frc_uncovered_probability,
    survivors_given_slow,
    survivors_given_slow_printed,
)

#: n, slow, p_straggle_slow, p_straggle_active, survivors: at the paper's probabilities, with no
#: slow worker last, then where both classes often straggle.
SURVIVORS = ((8, 2, 0.8, 0.01, 6), (8, 3, 0.8, 0.01, 5), (8, 3, 0.8, 0.01, 6), (8, 0, 0.8, 0.01, 8),
             (6, 1, 0.5, 0.4, 4), (8, 1, 0.6, 0.3, 6), (6, 2, 0.5, 0.4, 5))  # fmt: skip
#: n, d, slow, p_straggle_slow, p_straggle_active: the same.
PAPERS = ((8, 2, 2, 0.8, 0.01), (8, 2, 3, 0.8, 0.01))
OFTEN = ((6, 2, 1, 0.5, 0.4), (8, 2, 1, 0.5, 0.4), (6, 2, 2, 0.5, 0.4))
#: The last has probabilities of eight binary digits, which a draw of so many bits decides.
MEANS = (*PAPERS, (9, 3, 4, 0.9, 0.3), *OFTEN, (8, 2, 3, 0.75, 3 / 256))
#: n, d, survivors; n, d.
ALIKE = ((8, 2, 6), (8, 2, 5), (8, 2, 2), (9, 3, 5))
CODES = ((8, 2), (6, 2), (9, 3))


@paper.states(
    "theorem1.printed",
    "Theorem 1, with P_r as its words define it",
    reads="theorem1.survivors.printed",
)
@at(MEANS, slow_error(frc))
def theorem1(n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float) -> float:
    """With random shuffling and m slow workers, frc's mean error is n sum_r P_r C(n-d,r)/C(n,r),
    r = 0 ... n-d, with P_r the probability of r survivors."""
    return _theorem1(n, d, survivors_given_slow(n, slow, p_straggle_slow, p_straggle_active))


@paper.elementwise
def theorem1_printed(
    n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error of frc given m slow workers, with P_r as agc, Theorem 1, prints it. Wrong."""
    return _theorem1(
        n, d, survivors_given_slow_printed(n, slow, p_straggle_slow, p_straggle_active)
    )


@paper.claim(
    "theorem1.survivors.printed",
    "Theorem 1",
    kind="misprint",
    printed="P_r = Σ_(i=0)^r C(m, r'(i)) C(n−m, r−r'(i)) p̄_ss^i p_ss^(m−i) p̄_as^(r−i) "
    "p_as^(n−m−r+i), where r'(i) = min(i, m)",
)
def _() -> Cases:
    """P_r as printed, with r'(i) = min(i, m) in the binomial coefficients and i in the powers, is
    the probability of r survivors, and frc's mean error is that of the theorem with it."""
    yield from _survivors(survivors_given_slow_printed)
    for n, d, m, *pair in (*PAPERS, *OFTEN):
        yield error(frc(n, d), pair, theorem1_printed(n, d, m, *pair), slow=m)


@paper.claim(
    "theorem1.survivors.corrected",
    "Theorem 1, corrected",
    proof="Of m slow workers i survive, and of the n-m others r-i: two independent binomial "
    "numbers, so i runs over the values possible for both. With min(i, m) in the coefficients "
    "alone, every i above m is counted again as m, with a weight that is no probability. At the "
    "paper's probabilities the difference is small: 2e-7 of P_r at m = 2, r = 6.",
)
def _() -> Cases:
    """With m slow workers the probability of r survivors is P_r with i running from max(0, r-n+m)
    to min(r, m)."""
    return _survivors(survivors_given_slow)


def _given(theory: float, n: int, d: int, survivors: int) -> Case:
    experiment = decoding("error", frc(n, d), uniform(n - survivors))
    point = {"n": n, "d": d, "survivors": survivors}
    return Case(point, theory, experiment, "error", scale=n)


@paper.states(
    "theorem6.printed",
    "Theorem 1, proof, which corrects Theorem 6 of its reference [8]",
    proof="A partition is lost when its d holders all straggle, so when the r survivors are among "
    "the n-d others: C(n-d,r) of C(n,r) sets. Each lost partition costs 1.",
)
@at(ALIKE, _given)
def _error_given(n: int, d: int, survivors: int) -> float:
    """Given r survivors, all sets of r alike, frc's mean error is n C(n-d,r)/C(n,r)."""
    return float(repetition.frc_mean_error(n, d, survivors=survivors))


@paper.states(
    "theorem6.quoted.printed",
    "Theorem 1, proof, of Theorem 6 of its reference [8] as it quotes it",
    relation=">",
)
@at(ALIKE, _given)
def theorem6_quoted(n: int, d: int, survivors: int) -> float:
    """Theorem 6 of reference [8], quoted as n C(n-d,d-r)/C(n,r), has to be corrected: frc's mean
    error given r survivors is another (here it is more; at r = 1 or n=4, d=2, r=2 both agree)."""
    check.groups(n, d)
    check.count("survivors", survivors, 0, n)
    if survivors > d:
        return 0.0
    return n * math.comb(n - d, d - survivors) / math.comb(n, survivors)


@paper.states(
    "theorem1.zero-error.printed",
    "Theorem 1, proof",
    kind="misprint",
    printed="noting that when r ≥ n−s, the decoding error is zero",
)
@at(CODES, lambda theory, n, d: _largest(n, d, n - d, theory))
def _zero(n: int, d: int) -> float:
    """frc's error is zero whenever n-d or more workers survive: the largest error of n-d."""
    return 0.0


@paper.claim(
    "theorem1.zero-error.corrected",
    "Theorem 1, proof, corrected",
    proof="Fewer than d stragglers leave a survivor in every group of d; d of them may be a whole "
    "group, whose d partitions are then lost. The theorem's own sum has the term r = n-d.",
)
def _() -> Cases:
    """frc's error is zero whenever more than n-d workers survive, and up to d when n-d do: the
    largest error."""
    for n, d in CODES:
        yield from _largest(n, d, n - d + 1, 0.0)
        yield from _largest(n, d, n - d, float(d))


def _theorem1(n: int, d: int, survivors: Values) -> float:
    check.groups(n, d)
    return math.fsum(
        weight * float(repetition.frc_mean_error(n, d, survivors=r))
        for r, weight in enumerate(survivors.tolist())
    )


def _survivors(law: Callable[..., Values]) -> Cases:
    for n, slow, ss, active, r in SURVIVORS:
        experiment = decoding("survivors", frc(n, 1), two_class((ss, active), slow=slow))
        point = {key: value for key, value in point_of(experiment).items() if key != "d"}
        theory = float(law(n, slow, ss, active)[r])
        yield Case(point, theory, experiment, "survivors", index=r)
        yield finite("survivor_probability", theory, **point, survivors=r)


def _largest(n: int, d: int, survivors: int, theory: float) -> Cases:
    for measured in (built, finite):
        yield measured("largest_error", theory, scale=n, code=frc(n, d), survivors=survivors)
