"""Claims on Sections II and III of paper binary: Algorithms 1 and 2, and the loads they give."""

from __future__ import annotations

from functools import partial

from fastgc.theory import binary
from fastgc.theory.cases.finite import CITATION, EXAMPLE, finite
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="binary", relation="=")


def encoding_claims() -> tuple[Claim, ...]:
    """Claims on who is assigned which partitions."""
    # n, s with r > 0 and ℓ + r ≤ s: the branch of Algorithm 1 that uses λ
    small = ((4, 2), (10, 6), (9, 5))
    every = ((11, 3), (4, 2), (7, 2), (10, 6), (12, 2), (23, 9))
    return (
        _claim(
            id="binary.algorithm1.printed",
            statement=(
                "Algorithm 1 with n = lambda(s+1) + r~ as printed assigns every partition exactly "
                "once in each class 0 ... r-1"
            ),
            citation=f"{CITATION}, Algorithm 1",
            expected="refuted",
            cases=(*(_defects(1, "printed", *point) for point in small), _failures(1, "printed")),
        ),
        _claim(
            id="binary.algorithm1.corrected",
            statement=(
                "Algorithm 1 with n = lambda(l+1) + r~ assigns every partition exactly once in "
                "each class 0 ... r-1"
            ),
            citation=f"{CITATION}, Algorithm 1, corrected by Section III",
            expected="confirmed",
            cases=(
                *(_defects(1, "corrected", *point) for point in every),
                _failures(1, "corrected"),
            ),
        ),
        _claim(
            id="binary.algorithm2.printed",
            statement=(
                "Algorithm 2 with i = r to r and blocks that end at j(s+t+1) as printed assigns "
                "every partition exactly once in each class r ... s"
            ),
            citation=f"{CITATION}, Algorithm 2",
            expected="refuted",
            cases=(
                *(_defects(2, "printed", *point) for point in (EXAMPLE, (7, 2), (10, 6))),
                _failures(2, "printed"),
            ),
        ),
        _claim(
            id="binary.algorithm2.corrected",
            statement=(
                "Algorithm 2 with i = r to s and blocks that end at j(s+t+2) assigns every "
                "partition exactly once in each class r ... s"
            ),
            citation=f"{CITATION}, Algorithm 2, corrected",
            expected="confirmed",
            cases=(
                *(_defects(2, "corrected", *point) for point in every),
                _failures(2, "corrected"),
            ),
        ),
        _claim(
            id="binary.encoding.corrected",
            statement=(
                "Algorithms 1 and 2 together are one rule: each residue class mod s+1 splits the "
                "partitions into consecutive blocks, as even as can be, the larger ones first"
            ),
            citation=f"{CITATION}, Algorithms 1 and 2, corrected",
            expected="confirmed",
            cases=tuple(
                finite("encoding_differences", 0, least=least, most=most)
                for least, most in ((11, 11), (2, 24), (25, 40))
            ),
        ),
        _claim(
            id="binary.loads.printed",
            statement=(
                "Workers of the classes 0 ... r-1 hold s+1 partitions in the first l+r-s blocks "
                "and s in the others where l > s-r, else lambda+1 in the first r~ blocks and "
                "lambda in the others; those of the classes r ... s hold s+t+2 in the first q "
                "blocks and s+t+1 in the others"
            ),
            citation=f"{CITATION}, Section III",
            expected="confirmed",
            cases=tuple(
                finite("load", binary.loads(n, s)[worker], n=n, s=s, worker=worker)
                for n, s, workers in (
                    (*EXAMPLE, (0, 3, 7, 10)),
                    (10, 6, (0, 3, 9)),
                    (23, 5, (0, 5, 11, 22)),
                )
                for worker in workers
            ),
        ),
        _claim(
            id="binary.total-load.printed",
            statement="The loads add up to k(s+1), for any n > s",
            citation=f"{CITATION}, after Theorem 1",
            expected="confirmed",
            cases=tuple(
                finite("total_load", binary.total_load(n, s, k), n=n, s=s, k=k)
                for n, s, k in ((*EXAMPLE, 11), (10, 6, 10), (12, 2, 30), (17, 4, 9))
            ),
        ),
        _claim(
            id="binary.replication.printed",
            statement="Every partition is held by exactly s+1 workers",
            citation=f"{CITATION}, Section II-B",
            expected="confirmed",
            cases=tuple(
                finite("unequal_holders", 0, scale=k, n=n, s=s, k=k)
                for n, s, k in ((*EXAMPLE, 11), (10, 6, 10), (12, 2, 30), (17, 4, 9))
            ),
        ),
        _claim(
            id="binary.least-load.printed",
            statement="Each server holds at least k(s+1)/n partitions",
            citation=f"{CITATION}, Section II-B",
            relation=">=",
            expected="refuted",
            cases=tuple(
                finite("smallest_load", binary.least_load_printed(n, s, k), n=n, s=s, k=k)
                for n, s, k in ((*EXAMPLE, 11), (10, 6, 10), (7, 2, 21))
            ),
        ),
        _claim(
            id="binary.least-load.corrected",
            statement=(
                "The smallest load is floor(k/(l+1)) where s+1 does not divide n, floor(k/l) where "
                "it does"
            ),
            citation=f"{CITATION}, Section II-B, corrected",
            expected="confirmed",
            cases=tuple(
                finite("smallest_load", binary.least_load(n, s, k), n=n, s=s, k=k)
                for n, s, k in ((*EXAMPLE, 11), (10, 6, 10), (7, 2, 21), (12, 2, 30))
            ),
        ),
    )


def _defects(algorithm: int, version: str, n: int, s: int) -> Case:
    return finite("coverage_defects", 0, algorithm=algorithm, version=version, n=n, s=s)


def _failures(algorithm: int, version: str) -> Case:
    return finite("coverage_failures", 0, algorithm=algorithm, version=version, most=29)
