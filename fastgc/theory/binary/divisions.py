"""The divisions of n by s+1 and of r by ℓ (binary, Sections III and V-A): identities, Lemma 4."""

from __future__ import annotations

from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE, blocks_and_remainder, both
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.tables import binary
from fastgc.theory.common.arguments import check_count
from fastgc.theory.papers.claim import MISPRINT, MISSING_CONDITION, REFUTED, Cases


@paper.elementwise
def excess_blocks(n: int, s: int) -> float:
    """Number t in r = tℓ + q, which binary, Lemma 4, says is 0 or 1 for n ≥ s².

    >>> excess_blocks(11, 3), excess_blocks(5, 2)
    (1.0, 2.0)
    """
    blocks, r = blocks_and_remainder(n, s)
    return r // blocks


def _identity(identity: str) -> Cases:
    for most in (11, 40, 150):
        yield finite("identity_exceptions", 0, identity=identity, most=most)


@paper.claim("identities.printed", "Section III")
def _() -> Cases:
    """n = (l+1)s + (l+r-s) and n = l(s+t+1) + q; where l = s-r, lambda = s and r~ = 0 (number of
    exceptions)."""
    for identity in ("n = (l+1)s + (l+r-s)", "n = l(s+t+1) + q", "l = s-r"):
        yield from _identity(identity)


@paper.claim("few-left-over.printed", "Section V-A")
def _() -> Cases:
    """Where l > r, t = 0 and q = r (number of exceptions)."""
    return _identity("l > r")


@paper.claim(
    "larger-blocks.corrected",
    "Algorithm 2, q > 0",
    corrects="larger-blocks.printed",
    reads="larger-blocks.printed",
    proof="q is what r leaves when divided by l, so that q = r wherever r < l; Algorithm 2 asks "
    "for q > 0 alone.",
)
def _() -> Cases:
    """Workers of the classes r ... s hold s+t+2 partitions in the first q blocks whenever q > 0,
    also for q = r."""
    for n, s in ((7, 2), (17, 4), (23, 6)):
        theory = s + 2 + excess_blocks(n, s)
        yield from both("load", theory, code=binary(n, s), worker=s)


@paper.claim("larger-blocks.printed", "Section III-B, prose", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """Section III-B says how many partitions a worker holds for q = 0 and for 0 < q < r: these are
    all cases (number of n and s for which q is neither)."""
    return _identity("0 < q < r")


@paper.claim(
    "larger-load.condition.corrected",
    "Section III-A, the rule before the example",
    corrects="larger-load.condition.printed",
    proof="The rule assigns s+1 partitions in l+r-s blocks: there is one if and only if l > s-r.",
)
def _() -> Cases:
    """Workers of the classes 0 ... r-1 hold s+1 partitions in some block where l > s-r (number of n
    and s for which they do not, or do elsewhere)."""
    return _identity("l > s-r")


@paper.claim(
    "larger-load.condition.printed",
    "Section III-A, example",
    REFUTED,
    kind=MISPRINT,
    category="definition",
)
def _() -> Cases:
    """Workers of the classes 0 ... r-1 hold s+1 partitions in some block where l > r-s, as the
    example has the condition (there both are 0; number of n and s for which they do not, or do
    elsewhere)."""
    return _identity("l > r-s")


@paper.claim("three-values.printed", "Section V-A, before Lemma 4", relation="<=")
def _() -> Cases:
    """For n >= s^2 there are only three values of n for which t = 1."""
    for s in (2, 3, 10, 30):
        yield finite("workers_with_excess", 3, s=s)


@paper.claim("lemma4.only.printed", "Lemma 4, by its words", reads="lemma4.printed")
def _() -> Cases:
    """With n = s^2 + a, t = 1 only if a = s-2, s-1 or 2s, and t = 0 for any other a (number of
    exceptions)."""
    for least, most in ((0, 2), (1, 10), (0, 60)):
        yield finite("lemma4_exceptions", 0, least=least, most=most, exactly=False)


@paper.claim(
    "lemma4.corrected",
    "Lemma 4, corrected",
    corrects="lemma4.printed",
    proof="For a = s-1 the proof has r = s and l = s-1, hence t = 1 and q = 1: so it is if 2(s-1) "
    "> s. For s = 2, l = 1 goes twice into r = 2.",
)
def _() -> Cases:
    """Lemma 4 and its converse hold but for s = 2, n = 5, where t = 2 (number of exceptions)."""
    for theory, least, most in ((0, 0, 1), (0, 3, 10), (0, 3, 60), (1, 2, 2)):
        yield finite("lemma4_exceptions", theory, least=least, most=most)
    for n, s in ((5, 2), (4, 2), (8, 2), EXAMPLE):
        yield from both("excess_blocks", excess_blocks(n, s), code=binary(n, s), s=s)


@paper.claim("lemma4.printed", "Lemma 4, with its proof", REFUTED, kind=MISSING_CONDITION)
def _() -> Cases:
    """With n = s^2 + a and r = t l + q: t = 1 for a = s-2, s-1 and 2s, as the proof finds, else
    t = 0 (number of exceptions)."""
    for least, most in ((2, 2), (1, 10), (0, 60)):
        yield finite("lemma4_exceptions", 0, least=least, most=most)


@paper.elementwise
def remainder_of_case3(s: int, gamma: int) -> float:
    """r = rem(rem(γ, s+1) − 1, s+1) for n = s² + 2s + γ (binary, Lemma 4, third case of its proof).

    >>> remainder_of_case3(3, 4), remainder_of_case3(3, 6)
    (3.0, 1.0)
    """
    check_count("s", s, 0)
    check_count("gamma", gamma, 1)
    return (gamma % (s + 1) - 1) % (s + 1)


@paper.claim("lemma4.case3.printed", "Lemma 4, third case of the proof")
def _() -> Cases:
    """For n = s^2 + 2s + gamma, r = q = rem(rem(gamma, s+1) - 1, s+1), l = (n-r)/(s+1) and t = 0,
    with remainders 0 ... s (number of exceptions; number of classes with a worker more)."""
    for least, most in ((0, 3), (0, 10), (0, 40)):
        yield finite("remainder_differences", 0, least=least, most=most)
    for s, gamma in ((3, 4), (3, 6), (4, 3)):
        code = binary(s * s + 2 * s + gamma, s)
        yield built("larger_classes", remainder_of_case3(s, gamma), code=code)


@paper.claim("lemma4.case3.truncated.derived", "Lemma 4, third case of the proof")
def _() -> Cases:
    """A remainder that keeps the sign of a negative number, as in some languages, gives r = -1 for
    every multiple gamma of s+1, where r = s: four of the 4(s+1) first gamma for each s."""
    for least, most in ((1, 3), (1, 10), (1, 40)):
        theory = 4 * (most - least + 1)
        yield finite("remainder_differences", theory, least=least, most=most, truncated=True)
