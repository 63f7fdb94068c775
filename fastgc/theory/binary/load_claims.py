"""Claims on Section V of paper binary: how even the loads are."""

from __future__ import annotations

from functools import partial

from fastgc.theory import binary
from fastgc.theory.cases.finite import CITATION, EXAMPLE, finite
from fastgc.theory.papers.claim import Claim, eager

_claim = partial(eager, paper="binary", relation="=")


def load_claims() -> tuple[Claim, ...]:
    """Claims on Definition 2, Proposition 3, Lemma 4 and the numbers beside them."""
    uneven = (EXAMPLE, (7, 2), (9, 3), (8, 2))
    return (
        _claim(
            id="binary.divisor-chance.printed",
            statement="For random s < n, s+1 divides n with probability (sigma_0(n)-2)/n",
            citation=f"{CITATION}, Section V",
            expected="refuted",
            cases=tuple(
                finite("dividing_share", binary.divisor_chance_printed(n), n=n)
                for n in (11, 12, 60)
            ),
        ),
        _claim(
            id="binary.divisor-chance.corrected",
            statement="For s uniform on 0 ... n-1, s+1 divides n with probability sigma_0(n)/n",
            citation=f"{CITATION}, Section V, corrected",
            expected="confirmed",
            cases=tuple(
                finite("dividing_share", binary.divisor_chance(n), n=n) for n in (11, 12, 60, 97)
            ),
        ),
        _claim(
            id="binary.within-class.printed",
            statement=(
                "Loads differ by at most one inside the classes 0 ... r-1, and inside r ... s"
            ),
            citation=f"{CITATION}, Section V",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                finite("load_difference_within", 1, n=n, s=s)
                for n, s in (EXAMPLE, (10, 6), (23, 5), (29, 3))
            ),
        ),
        _claim(
            id="binary.proposition3.printed",
            statement=(
                "The code minimises d_s over all B with total load k(s+1), a minimum that is 0, as "
                "circulants show"
            ),
            citation=f"{CITATION}, Proposition 3",
            expected="refuted",
            cases=tuple(
                finite("unevenness", 0, scale=n, family="binary", n=n, s=s) for n, s in uneven
            ),
        ),
        _claim(
            id="binary.proposition3.corrected",
            statement="For k = n the code has d_s = 2r(s+1-r)",
            citation=f"{CITATION}, Proposition 3, corrected",
            expected="confirmed",
            cases=tuple(
                finite("unevenness", binary.unevenness(n, s), scale=n, family="binary", n=n, s=s)
                for n, s in (*uneven, (12, 3), (40, 11))
            ),
        ),
        _claim(
            id="binary.definition2.minimum.corrected",
            statement="The minimum of d_s is 0: a circulant with d = s+1 has it",
            citation=f"{CITATION}, Definition 2 and Proposition 3, corrected",
            expected="confirmed",
            cases=tuple(
                finite("unevenness", 0, scale=n, family="circulant", n=n, s=s) for n, s in uneven
            ),
        ),
        _claim(
            id="binary.proposition3.within-classes.corrected",
            statement=(
                "Among schemes whose s+1 classes of workers each share out the data the minimum of "
                "d_s is 2r(s+1-r), which the code attains"
            ),
            citation=f"{CITATION}, Proposition 3, corrected",
            expected="confirmed",
            cases=tuple(
                finite("least_unevenness_of_classes", binary.unevenness(n, s), scale=n, n=n, s=s)
                for n, s in (EXAMPLE, (7, 3), (9, 3), (8, 3))
            ),
        ),
        _claim(
            id="binary.proposition3.unique.printed",
            statement=(
                "The solution is unique up to the order of workers and partitions, even among such "
                "schemes: one multiset of loads attains the minimum"
            ),
            citation=f"{CITATION}, after Proposition 3",
            expected="refuted",
            cases=tuple(finite("least_uneven_loads", 1, n=n, s=s) for n, s in uneven),
        ),
        _claim(
            id="binary.lemma4.printed",
            statement=(
                "With n = s^2 + a and r = t l + q: t = 1 for a = s-2, s-1, 2s, else t = 0 "
                "(number of exceptions)"
            ),
            citation=f"{CITATION}, Lemma 4",
            expected="refuted",
            cases=tuple(
                finite("lemma4_exceptions", 0, least=least, most=most)
                for least, most in ((2, 2), (1, 10), (0, 60))
            ),
        ),
        _claim(
            id="binary.lemma4.corrected",
            statement="Lemma 4 holds but for s = 2, n = 5, where t = 2",
            citation=f"{CITATION}, Lemma 4, corrected",
            expected="confirmed",
            cases=(
                *(
                    finite("lemma4_exceptions", 0, least=least, most=most)
                    for least, most in ((0, 1), (3, 10), (3, 60))
                ),
                finite("lemma4_exceptions", 1, least=2, most=2),
                finite("excess_blocks", binary.excess_blocks(5, 2), n=5, s=2),
            ),
        ),
        _claim(
            id="binary.difference-3.printed",
            statement="Where l+r > s, no two loads differ by more than 3",
            citation=f"{CITATION}, Section V-A",
            relation="<=",
            expected="refuted",
            cases=tuple(
                finite("load_difference", 3, n=n, s=s) for n, s in ((7, 3), (9, 4), (17, 5))
            ),
        ),
        _claim(
            id="binary.difference-3.corrected",
            statement="Where n >= s^2 and l+r > s, no two loads differ by more than 3",
            citation=f"{CITATION}, Section V-A, read with its n >= s^2",
            relation="<=",
            expected="confirmed",
            cases=(
                finite("load_difference", 3, n=EXAMPLE[0], s=EXAMPLE[1]),
                *(finite("largest_load_difference", 3, most=most) for most in (12, 30, 60)),
            ),
        ),
    )
