"""Claims on Section IV of paper binary: Theorem 1, Algorithm 3, its cost and its stability."""

from __future__ import annotations

from functools import partial

from fastgc.theory import binary
from fastgc.theory.binary_cases import CITATION, EXAMPLE, finite
from fastgc.theory.claims import Case, Claim
from fastgc.theory.tables import Table, decoding, iid, point_of, uniform
from fastgc.theory.tables import binary as code_of

_claim = partial(Claim, paper="binary", relation="=")


def decoding_claims() -> tuple[Claim, ...]:
    """Claims on which sets of survivors decode, how, how fast and how stably."""
    # s+1 divides n in the last but one; n = (s+1)² in none
    points = (EXAMPLE, (10, 4), (12, 3), (13, 5))
    return (
        *_guarantee_claims(points),
        *_algorithm3_claims(points),
        *_probability_claims(),
        *_cost_claims(points),
        *_stability_claims(),
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


def _cost_claims(points: tuple[tuple[int, int], ...]) -> tuple[Claim, ...]:
    return (
        _claim(
            id="binary.decoding-cost.printed",
            statement="Algorithm 3 looks up at most (l+1)(s+1) workers",
            citation=f"{CITATION}, Section IV",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                finite("most_look_ups", binary.look_ups_printed(n, s), n=n, s=s) for n, s in points
            ),
        ),
        _claim(
            id="binary.decoding-cost.early.printed",
            statement=(
                "Algorithm 3 looks up at most (l+1)s workers if it takes the last class without "
                "a look"
            ),
            citation=f"{CITATION}, Section IV",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                finite(
                    "most_look_ups",
                    binary.look_ups_printed(n, s, early=True),
                    n=n,
                    s=s,
                    early=True,
                )
                for n, s in (EXAMPLE, (14, 4), (13, 3))
            ),
        ),
        _claim(
            id="binary.decoding-cost.solving.derived",
            statement=(
                "Algorithm 3 always looks up fewer workers than elimination on the survivors' "
                "columns takes multiplications"
            ),
            citation=f"{CITATION}, Section IV",
            relation=">",
            expected="confirmed",
            cases=tuple(finite("operations_saved", 0, n=n, s=s) for n, s in points),
        ),
    )


def _stability_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="binary.amplification.printed",
            statement=(
                "Whatever s workers straggle, Algorithm 3 amplifies independent noise in the "
                "answers by ||a||^2 <= l+1, by l where s+1 divides n: it adds numbers and does "
                "not scale them"
            ),
            citation=f"{CITATION}, Section IV",
            expected="confirmed",
            cases=tuple(
                finite("largest_class_amplification", binary.amplification(n, s), n=n, s=s)
                for n, s in (EXAMPLE, (12, 3), (9, 2), (16, 4))
            )
            + tuple(_amplification(n, s) for n, s in ((12, 3), (40, 9))),
        ),
        _claim(
            id="binary.amplification.least-squares.derived",
            statement="The minimum-norm decoding vector amplifies no more than Algorithm 3's",
            citation=f"{CITATION}, Section IV",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                finite(
                    "largest_amplification",
                    binary.amplification(n, s),
                    code=code_of(n, s),
                    stragglers=s,
                )
                for n, s in (EXAMPLE, (11, 4), (9, 2), (12, 3))
            ),
        ),
        _claim(
            id="binary.stability.printed",
            statement=(
                "Over the worst set of s stragglers, codes with real coefficients (Tandon's "
                "random cyclic code, the cyclic MDS code) amplify noise more than the binary code"
            ),
            citation=f"{CITATION}, Section I",
            relation=">",
            expected="confirmed",
            cases=(
                *(_against({"family": "cyclic", "seed": 1}, n, s) for n, s in ((11, 3), (8, 2))),
                *(_against({"family": "cyclic-mds"}, n, s) for n, s in ((11, 4), (8, 3), (9, 2))),
            ),
        ),
        _claim(
            id="binary.stability.float32.printed",
            statement=(
                "In single precision the gradient decoded with Tandon's random cyclic code or the "
                "cyclic MDS code is further off than with the binary code"
            ),
            citation=f"{CITATION}, Section I",
            relation=">",
            expected="confirmed",
            cases=(
                _rounded({"family": "cyclic", "seed": 1}, 11, 4, "float32", 1e-2),
                _rounded({"family": "cyclic-mds"}, 11, 4, "float32", 1e-4),
                _rounded({"family": "cyclic-mds"}, 8, 3, "float32", 1e-4),
                _rounded({"family": "cyclic-mds"}, 9, 2, "float32", 1e-4),
            ),
        ),
        _claim(
            id="binary.stability.noise.printed",
            statement=(
                "With relative noise 0.01 in the answers the gradient decoded with the cyclic MDS "
                "code is further off than with the binary code"
            ),
            citation=f"{CITATION}, Section I",
            relation=">",
            expected="confirmed",
            cases=tuple(
                _rounded({"family": "cyclic-mds"}, n, s, "0.01", 1.0)
                for n, s in ((11, 4), (8, 3), (9, 2))
            ),
        ),
    )


def _rounded(family: Table, n: int, s: int, index: str, scale: float) -> Case:
    """Relative error of the decoded gradient, less the binary code's on the same draws."""
    other = family | {"n": n, "d": s + 1}
    first = decoding("stability", other, uniform(s))
    second = decoding("stability", code_of(n, s), uniform(s))
    point = {**other, "stragglers": s, "noise": index}
    return Case(point, 0.0, first, "stability", index=index, against=second, scale=scale)


def _against(family: Table, n: int, s: int) -> Case:
    other = family | {"n": n, "d": s + 1}
    case = finite("amplification_difference", 0, code=other, other=code_of(n, s), stragglers=s)
    return Case(other, case.theory, case.experiment, case.quantity)


def _exact(code: Table, stragglers: Table, theory: float, decoder: str = "optimal") -> Case:
    experiment = decoding("exact", code, stragglers, decoder=decoder)
    return Case(point_of(experiment), theory, experiment, "exact")


def _amplification(n: int, s: int) -> Case:
    experiment = decoding("amplification", code_of(n, s), uniform(s), decoder="class")
    theory = binary.amplification(n, s)
    return Case(point_of(experiment), theory, experiment, "amplification", scale=theory)


def _no_error(code: Table, stragglers: int) -> Case:
    experiment = decoding("error", code, uniform(stragglers))
    partitions = code["k"] if "k" in code else code["n"]
    return Case(point_of(experiment), 0.0, experiment, "error", scale=float(partitions))
