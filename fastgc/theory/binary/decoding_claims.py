"""Claims on Section IV of paper binary: Theorem 1 and Algorithm 3."""

from __future__ import annotations

from functools import partial

from fastgc.theory import binary
from fastgc.theory.cases.finite import CITATION, EXAMPLE, finite
from fastgc.theory.cases.tables import Table, decoding, iid, point_of, uniform
from fastgc.theory.cases.tables import binary as code_of
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="binary", relation="=")


def decoding_claims() -> tuple[Claim, ...]:
    """Claims on which sets of survivors decode, how, and how often."""
    # s+1 divides n in the last but one; n = (s+1)² in none
    points = (EXAMPLE, (10, 4), (12, 3), (13, 5))
    return (
        *_guarantee_claims(points),
        *_algorithm3_claims(points),
        *_probability_claims(),
    )


def _guarantee_claims(points: tuple[tuple[int, int], ...]) -> tuple[Claim, ...]:
    return (
        _claim(
            id="binary.theorem1.printed",
            statement="The code decodes exactly whatever s workers straggle",
            citation=f"{CITATION}, Theorem 1",
            expected="confirmed",
            cases=(
                finite("undecodable_sets", 0, most=11),
                *(
                    finite("largest_error", 0, scale=n, code=code_of(n, s), survivors=n - s)
                    for n, s in (EXAMPLE, (13, 4))
                ),
                _no_error(code_of(40, 6), 6),
                _no_error(code_of(23, 5, 46), 5),
            ),
        ),
        _claim(
            id="binary.pigeonhole.printed",
            statement=(
                "l r + (l-1)(s+1-r) + 1 = n-s survivors always include a complete class, and no "
                "fewer do"
            ),
            citation=f"{CITATION}, Theorem 1, proof",
            expected="confirmed",
            cases=tuple(
                finite("guaranteed_survivors", binary.guaranteed_survivors(n, s), n=n, s=s)
                for n, s in points
            ),
        ),
    )


def _algorithm3_claims(points: tuple[tuple[int, int], ...]) -> tuple[Claim, ...]:
    return (
        _claim(
            id="binary.algorithm3.printed",
            statement=(
                "The vectors a_i that add the workers of the classes mod l as printed give the "
                "gradient"
            ),
            citation=f"{CITATION}, Section IV",
            expected="refuted",
            cases=tuple(
                finite("wrong_class_vectors", 0, n=n, s=s, modulus=n // (s + 1)) for n, s in points
            ),
        ),
        _claim(
            id="binary.algorithm3.corrected",
            statement=(
                "With the classes mod s+1 every vector that Algorithm 3 returns gives the "
                "gradient, for any set of survivors"
            ),
            citation=f"{CITATION}, Algorithm 3, corrected",
            expected="confirmed",
            cases=tuple(finite("wrong_vectors", 0, scale=2**n, n=n, s=s) for n, s in points),
        ),
        _claim(
            id="binary.algorithm3.guarantee.printed",
            statement="Algorithm 3 returns a vector whatever s workers straggle",
            citation=f"{CITATION}, Algorithm 3",
            expected="confirmed",
            cases=tuple(finite("unused_vectors", 0, n=n, s=s) for n, s in points),
        ),
        _claim(
            id="binary.algorithm3.incomplete.derived",
            statement=(
                "With more than s stragglers Algorithm 3 finds a vector for as many sets of "
                "survivors as include a complete class: n=11, s=3, 3 survivors: 12 of 165"
            ),
            citation=f"{CITATION}, Algorithm 3, beyond its guarantee",
            expected="confirmed",
            cases=tuple(
                finite(
                    "complete_patterns", binary.complete_patterns(n, s, r), n=n, s=s, survivors=r
                )
                for n, s, r in ((*EXAMPLE, 3), (*EXAMPLE, 6), (10, 4, 3), (12, 3, 7))
            ),
        ),
        _claim(
            id="binary.exact-patterns.derived",
            statement=(
                "Least squares is exact iff one of the two divisions of the data has a survivor in "
                "each of its blocks: n=11, s=3, 3 survivors: 36 of 165 sets"
            ),
            citation=f"{CITATION}, Section IV, beyond its guarantee",
            expected="confirmed",
            cases=tuple(
                finite(
                    "exact_patterns",
                    binary.exact_patterns(n, s, r),
                    code=code_of(n, s),
                    survivors=r,
                )
                for n, s, r in ((*EXAMPLE, 3), (*EXAMPLE, 6), (10, 4, 3), (12, 3, 7))
            ),
        ),
        _claim(
            id="binary.shift.printed",
            statement="a_(i+1) is a cyclic shift of a_i for every i",
            citation=f"{CITATION}, Section IV",
            expected="refuted",
            cases=tuple(
                finite("broken_shifts", 0, n=n, s=s) for n, s in (EXAMPLE, (10, 3), (13, 5))
            ),
        ),
        _claim(
            id="binary.shift.corrected",
            statement=(
                "a_(i+1) is a cyclic shift of a_i but for i = r-1, where s+1 does not divide n"
            ),
            citation=f"{CITATION}, Section IV, corrected",
            expected="confirmed",
            cases=tuple(
                finite("broken_shifts", binary.broken_shifts(n, s), n=n, s=s)
                for n, s in (*points, (23, 6))
            ),
        ),
        _claim(
            id="binary.decoding-weight.printed",
            statement="a_i adds l+1 sums for the classes 0 ... r-1 and l for the others",
            citation=f"{CITATION}, Section IV",
            expected="confirmed",
            cases=tuple(
                finite(
                    "vector_weight",
                    binary.decoding_weight(n, s, residue),
                    n=n,
                    s=s,
                    residue=residue,
                )
                for n, s, residue in ((*EXAMPLE, 0), (*EXAMPLE, 3), (23, 6, 1), (23, 6, 2))
            ),
        ),
    )


def _probability_claims() -> tuple[Claim, ...]:
    points = ((*EXAMPLE, 0.2), (*EXAMPLE, 0.45), (12, 2, 0.3), (17, 4, 0.4), (29, 5, 0.35))
    counted = ((*EXAMPLE, 8), (12, 2, 6), (17, 4, 9))
    return (
        _claim(
            id="binary.exact-probability.derived",
            statement=(
                "For iid stragglers the code decodes exactly with probability "
                "1-(1-a^(l+1))(1-b^l), a = 1-q^r, b = 1-q^(s+1-r), and (1-q^(s+1))^l for r = 0; "
                "for a given number of survivors with the share of exact sets"
            ),
            citation=f"{CITATION}, Section IV, beyond its guarantee",
            expected="confirmed",
            cases=(
                *(
                    _exact(code_of(n, s), iid(p), binary.exact_probability(n, s, p=p))
                    for n, s, p in points
                ),
                *(
                    _exact(
                        code_of(n, s),
                        uniform(stragglers),
                        binary.exact_probability(n, s, survivors=n - stragglers),
                    )
                    for n, s, stragglers in counted
                ),
            ),
        ),
        _claim(
            id="binary.algorithm3.probability.derived",
            statement=(
                "For iid stragglers Algorithm 3 alone decodes with probability "
                "1-(1-p^(l+1))^r (1-p^l)^(s+1-r), p = 1-q; for a given number of survivors with "
                "the share of sets that include a complete class"
            ),
            citation=f"{CITATION}, Algorithm 3, beyond its guarantee",
            expected="confirmed",
            cases=(
                *(
                    _exact(code_of(n, s), iid(p), binary.class_probability(n, s, p=p), "class")
                    for n, s, p in ((*EXAMPLE, 0.2), (*EXAMPLE, 0.45), (12, 2, 0.3), (17, 4, 0.4))
                ),
                _exact(
                    code_of(*EXAMPLE),
                    uniform(6),
                    binary.class_probability(*EXAMPLE, survivors=5),
                    "class",
                ),
            ),
        ),
    )


def _exact(code: Table, stragglers: Table, theory: float, decoder: str = "optimal") -> Case:
    experiment = decoding("exact", code, stragglers, decoder=decoder)
    return Case(point_of(experiment), theory, experiment, "exact")


def _no_error(code: Table, stragglers: int) -> Case:
    experiment = decoding("error", code, uniform(stragglers))
    partitions = code["k"] if "k" in code else code["n"]
    return Case(point_of(experiment), 0.0, experiment, "error", scale=float(partitions))
