"""What decoding costs, beside a table of all decoding vectors (binary, Section IV)."""

from __future__ import annotations

import math
from dataclasses import replace

from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE, POINTS, blocks_and_remainder
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.tables import Table
from fastgc.theory.common.arguments import check_count
from fastgc.theory.papers.claim import AS_N_GROWS, Cases


@paper.elementwise
def look_ups_printed(n: int, s: int, early: bool = False) -> float:
    """Upper bound (ℓ+1)(s+1) of the workers that Algorithm 3 looks up (binary, Section IV).

    With ``early``, where the last class is taken without a look, it is (ℓ+1)s.

    >>> look_ups_printed(11, 3), look_ups_printed(11, 3, early=True)
    (12.0, 9.0)
    """
    blocks, _ = blocks_and_remainder(n, s)
    return (blocks + 1) * (s if early else s + 1)


#: Numbers of workers over more than two decades, and s = 3 or s near the root of n.
_GROWING = (11, 34, 110, 346, 1100, 3467)
_S = EXAMPLE[1]
_BOTH = tuple((n, math.isqrt(n)) for n in _GROWING)


@paper.claim("decoding-cost.printed", "Section IV", relation="<=", holds=AS_N_GROWS, limit="order")
def _() -> Cases:
    """Algorithm 3 takes O((l+1)(s+1)): so many workers does it look up with the worst set of s
    stragglers, as n, l and s all grow, s about the root of n."""
    for n, s in _BOTH:
        yield replace(finite("worst_look_ups", look_ups_printed(n, s), n=n, s=s), size=n)


@paper.claim("decoding-cost.bound.derived", "Section IV, at any n", relation="<=")
def _() -> Cases:
    """Algorithm 3 never looks up more than (l+1)(s+1) workers, over all sets of s stragglers."""
    for n, s in POINTS:
        yield finite("most_look_ups", look_ups_printed(n, s), n=n, s=s)


@paper.claim("decoding-cost.most.derived", "Section IV, made exact")
def _() -> Cases:
    """At worst Algorithm 3 looks up all n workers: where the last worker of each of the first s
    classes that it looks through straggles."""
    for n, s in POINTS:
        yield finite("most_look_ups", n, n=n, s=s)
        yield finite("worst_look_ups", n, n=n, s=s)


@paper.claim(
    "decoding-cost.early.printed", "Section IV", relation="<=", holds=AS_N_GROWS, limit="order"
)
def _() -> Cases:
    """It takes O((l+1)s) if it goes through the classes 0 ... s-1 alone, and else takes class s:
    so many workers does it look up with the worst set of s stragglers, as n, l and s all grow."""
    for n, s in _BOTH:
        case = finite("worst_look_ups", look_ups_printed(n, s, early=True), n=n, s=s, early=True)
        yield replace(case, size=n)


@paper.claim("early.printed", "Section IV")
def _() -> Cases:
    """Class s may be taken without a look: it is complete whenever none of the classes 0 ... s-1 is
    (sets of s stragglers for which it is not)."""
    for n, s in POINTS:
        yield finite("early_failures", 0, n=n, s=s)


@paper.claim("decoding-cost.early.most.derived", "Section IV, made exact")
def _() -> Cases:
    """Then it looks up n-l workers at worst."""
    for n, s in (EXAMPLE, (14, 4), (13, 3)):
        theory = n - blocks_and_remainder(n, s)[0]
        yield finite("most_look_ups", theory, n=n, s=s, early=True)
        yield finite("worst_look_ups", theory, n=n, s=s, early=True)


@paper.claim("decoding-cost.solving.derived", "Section IV", relation=">")
def _() -> Cases:
    """Algorithm 3 always looks up fewer workers than elimination on the survivors'
    columns takes multiplications."""
    for n, s in POINTS:
        yield finite("operations_saved", 0, n=n, s=s)


@paper.elementwise
def table_rows(n: int, s: int) -> float:
    """Rows C(n, s) of a table of all decoding vectors, as in [15] (binary, Section IV).

    >>> table_rows(11, 3)
    165.0
    """
    check_count("n", n, 1)
    check_count("s", s, 0, n)
    return math.comb(n, s)


_TABLES: tuple[Table, ...] = (
    {"family": "cyclic", "n": 11, "d": 4, "seed": 1},
    {"family": "frc", "n": 12, "d": 3},
    {"family": "cyclic", "n": 9, "d": 3, "seed": 1},
)


@paper.claim("table.rows.printed", "Section IV, of [15]")
def _() -> Cases:
    """A table of the decoding vectors of [15] has a row for each of C(n, s) sets of stragglers, and
    each of them decodes."""
    for code in _TABLES:
        n, s = code["n"], code["d"] - 1
        yield finite("table_rows", table_rows(n, s), n=n, s=s)
        theory = table_rows(n, s)
        yield built("recovering_sets", theory, code=code, survivors=n - s, decoder="optimal")


@paper.claim("table.polynomial.printed", "Section IV", holds=AS_N_GROWS)
def _() -> Cases:
    """For fixed s the number of the table's rows is polynomial in n: n^s/s! (1+o(1)), s = 3."""
    for n in _GROWING:
        case = finite("table_rows", n**_S / math.factorial(_S), n=n, s=_S)
        yield replace(case, size=n, rate=1 / n)


@paper.claim("table.exponential.printed", "Section IV", holds=AS_N_GROWS)
def _() -> Cases:
    """Where s is a share of n the number of the table's rows is exponential in n: for s = n/4 its
    binary logarithm is n h(1/4) (1+o(1)), h the entropy of a bit."""
    entropy = 0.25 * math.log2(4) + 0.75 * math.log2(4 / 3)
    for n in (8, 24, 80, 240, 800):
        case = finite("table_bits", n * entropy, n=n, s=n // 4)
        yield replace(case, size=n, rate=math.log(n) / n)


@paper.claim(
    "table.comparison.printed",
    "Abstract of contributions and Section IV, for large n",
    holds=AS_N_GROWS,
    limit="difference",
)
def _() -> Cases:
    """Algorithm 3 is more efficient for large n than a search through the table: the workers that
    it looks up at worst are a share of the table's rows that vanishes, s = 3."""
    for n in _GROWING:
        case = finite("look_ups_per_row", 0, n=n, s=_S)
        yield replace(case, size=n, rate=n / table_rows(n, _S))
