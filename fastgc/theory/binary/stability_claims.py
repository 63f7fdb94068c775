"""Claims on what decoding costs and how stable it is, Sections I and IV of paper binary."""

from __future__ import annotations

from functools import partial

from fastgc.theory import binary
from fastgc.theory.cases.finite import CITATION, EXAMPLE, finite
from fastgc.theory.cases.tables import Table, decoding, point_of, uniform
from fastgc.theory.cases.tables import binary as code_of
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="binary", relation="=")


def stability_claims() -> tuple[Claim, ...]:
    """Claims on operations, on the length of decoding vectors and on rounding."""
    return (*_cost_claims((EXAMPLE, (10, 4), (12, 3), (13, 5))), *_stability_claims())


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
                "With relative noise 0.001 in the answers the gradient decoded with the cyclic MDS "
                "code is further off than with the binary code"
            ),
            citation=f"{CITATION}, Section I",
            relation=">",
            expected="confirmed",
            cases=tuple(
                _rounded({"family": "cyclic-mds"}, n, s, "0.001", 1.0)
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


def _amplification(n: int, s: int) -> Case:
    experiment = decoding("amplification", code_of(n, s), uniform(s), decoder="class")
    theory = binary.amplification(n, s)
    return Case(point_of(experiment), theory, experiment, "amplification", scale=theory)
