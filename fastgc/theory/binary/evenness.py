"""How even the loads are (binary, Section V)."""

from __future__ import annotations

from fastgc.theory.binary.encoding import EXAMPLE, blocks_and_remainder
from fastgc.theory.binary.paper import paper
from fastgc.theory.cases.finite import finite
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.papers.claim import REFUTED
from fastgc.theory.papers.paper import Cases

_UNEVEN = (EXAMPLE, (7, 2), (9, 3), (8, 2))


@paper.formula
@elementwise
def divisor_chance_printed(n: int) -> float:
    """Chance (σ₀(n)−2)/n that s+1 divides n for random s < n (binary, Section V). Wrong.

    >>> divisor_chance_printed(12)
    0.3333333333333333
    """
    return (_divisors(n) - 2) / n


@paper.formula
@elementwise
def divisor_chance(n: int) -> float:
    """Chance σ₀(n)/n that s+1 divides n, s uniform on 0 … n−1.

    >>> divisor_chance(12)
    0.5
    """
    return _divisors(n) / n


def _divisors(n: int) -> int:
    check_count("n", n, 1)
    return sum(n % d == 0 for d in range(1, int(n) + 1))


_WORKERS = (11, 12, 60)


@paper.claim("divisor-chance.printed", "Section V", REFUTED)
def _() -> Cases:
    """For random s < n, s+1 divides n with probability (sigma_0(n)-2)/n."""
    for n in _WORKERS:
        yield finite("dividing_share", divisor_chance_printed(n), n=n)


@paper.claim("divisor-chance.corrected", "Section V, corrected")
def _() -> Cases:
    """For s uniform on 0 ... n-1, s+1 divides n with probability sigma_0(n)/n."""
    for n in (*_WORKERS, 97):
        yield finite("dividing_share", divisor_chance(n), n=n)


@paper.claim("within-class.printed", "Section V", relation="<=")
def _() -> Cases:
    """Loads differ by at most one inside the classes 0 ... r-1, and inside r ... s."""
    for n, s in (EXAMPLE, (10, 6), (23, 5), (29, 3)):
        yield finite("load_difference_within", 1, n=n, s=s)


@paper.formula
@elementwise
def unevenness(n: int, s: int) -> float:
    """d_s(B) = Σ_j |load_j − (s+1)| = 2r(s+1−r) of the binary code, k = n. Derived.

    Correction of binary, Proposition 3: it is the minimum only over schemes whose s+1 classes each
    share out the data; over all B the minimum is 0 (any circulant).

    >>> unevenness(11, 3)
    6.0
    """
    _, r = blocks_and_remainder(n, s)
    return 2.0 * r * (s + 1 - r)


@paper.claim("proposition3.printed", "Proposition 3", REFUTED)
def _() -> Cases:
    """The code minimises d_s over all B with total load k(s+1), a minimum that is 0, as
    circulants show."""
    for n, s in _UNEVEN:
        yield finite("unevenness", 0, scale=n, family="binary", n=n, s=s)


@paper.claim("proposition3.corrected", "Proposition 3, corrected")
def _() -> Cases:
    """For k = n the code has d_s = 2r(s+1-r)."""
    for n, s in (*_UNEVEN, (12, 3), (40, 11)):
        yield finite("unevenness", unevenness(n, s), scale=n, family="binary", n=n, s=s)


@paper.claim("definition2.minimum.corrected", "Definition 2 and Proposition 3, corrected")
def _() -> Cases:
    """The minimum of d_s is 0: a circulant with d = s+1 has it."""
    for n, s in _UNEVEN:
        yield finite("unevenness", 0, scale=n, family="circulant", n=n, s=s)


@paper.claim("proposition3.within-classes.corrected", "Proposition 3, corrected")
def _() -> Cases:
    """Among schemes whose s+1 classes of workers each share out the data the minimum of
    d_s is 2r(s+1-r), which the code attains."""
    for n, s in (EXAMPLE, (7, 3), (9, 3), (8, 3)):
        yield finite("least_unevenness_of_classes", unevenness(n, s), scale=n, n=n, s=s)


@paper.claim("proposition3.unique.printed", "after Proposition 3", REFUTED)
def _() -> Cases:
    """The solution is unique up to the order of workers and partitions, even among such
    schemes: one multiset of loads attains the minimum."""
    for n, s in _UNEVEN:
        yield finite("least_uneven_loads", 1, n=n, s=s)


@paper.formula
@elementwise
def excess_blocks(n: int, s: int) -> float:
    """Number t in r = tℓ + q, which binary, Lemma 4, says is 0 or 1 for n ≥ s².

    >>> excess_blocks(11, 3), excess_blocks(5, 2)
    (1.0, 2.0)
    """
    blocks, r = blocks_and_remainder(n, s)
    return r // blocks


@paper.claim("lemma4.printed", "Lemma 4", REFUTED)
def _() -> Cases:
    """With n = s^2 + a and r = t l + q: t = 1 for a = s-2, s-1, 2s, else t = 0
    (number of exceptions)."""
    for least, most in ((2, 2), (1, 10), (0, 60)):
        yield finite("lemma4_exceptions", 0, least=least, most=most)


@paper.claim("lemma4.corrected", "Lemma 4, corrected")
def _() -> Cases:
    """Lemma 4 holds but for s = 2, n = 5, where t = 2."""
    for theory, least, most in ((0, 0, 1), (0, 3, 10), (0, 3, 60), (1, 2, 2)):
        yield finite("lemma4_exceptions", theory, least=least, most=most)
    yield finite("excess_blocks", excess_blocks(5, 2), n=5, s=2)


@paper.claim("difference-3.printed", "Section V-A", REFUTED, relation="<=")
def _() -> Cases:
    """Where l+r > s, no two loads differ by more than 3."""
    for n, s in ((7, 3), (9, 4), (17, 5)):
        yield finite("load_difference", 3, n=n, s=s)


@paper.claim("difference-3.corrected", "Section V-A, read with its n >= s^2", relation="<=")
def _() -> Cases:
    """Where n >= s^2 and l+r > s, no two loads differ by more than 3."""
    n, s = EXAMPLE
    yield finite("load_difference", 3, n=n, s=s)
    for most in (12, 30, 60):
        yield finite("largest_load_difference", 3, most=most)
