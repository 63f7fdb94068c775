"""Claims of paper codedreduce on loads: Theorem 1, Remarks 1 and 2, Table I, the experiments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fastgc.theory import codedreduce
from fastgc.theory.cases.completion import CODEDREDUCE, completion, star, timed, tree
from fastgc.theory.cases.finite import finite
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="codedreduce", relation="=")

#: Children and layers of the trees of the experiments, s, and data points.
_WHOLE = ((12, 2, 1, 6552), (12, 2, 3, 6552), (4, 3, 1, 6552), (12, 2, 3, 7644), (12, 2, 3, 32760))
_BROKEN = ((12, 2, 2, 6552), (12, 2, 2, 7644))
_LIMITS = ((1000, 2, 500), (1000, 3, 500), (1200, 2, 500))
_LOADS = ((100, 3, 0.0714), (100, 2, 0.2), (400, 4, 0.05), (1000, 2, 0.01))
_CLUSTERS = ((4, 3, 0.5), (8, 3, 0.5), (12, 3, 0.5), (100, 3, 0.5))


def load_claims() -> tuple[Claim, ...]:
    """Claims on what a worker holds, and what that survives."""
    return (
        *_theorem_claims(),
        *_whole_claims(),
        *_remark_claims(),
        *_table_claims(),
        *_gradient_claims(),
    )


def _theorem_claims() -> tuple[Claim, ...]:
    small = ((2, 2, 1), (2, 2, 0), (3, 2, 1), (3, 2, 2), (2, 3, 1), (5, 1, 2))
    allocated = ((3, 2, 1), (12, 2, 5), (4, 3, 1), (5, 4, 2))
    return (
        _claim(
            id="codedreduce.theorem1.load.printed",
            statement=(
                "CR loads every worker of the (n,L)-regular tree with r_CR = 1/(x + ... + x^L) of "
                "the data, x = n/(s+1)"
            ),
            citation=f"{CODEDREDUCE}, Theorem 1 (5)",
            expected="confirmed",
            cases=(
                *(_at("allocated_load", codedreduce.tree_load, *shape) for shape in allocated),
                *(_load(*shape) for shape in ((12, 2, 5), (4, 3, 1), (3, 2, 1))),
            ),
        ),
        _claim(
            id="codedreduce.theorem1.optimal.printed",
            statement=(
                "No placement of the data that survives s stragglers per parent has less load than "
                "r_CR, and one has r_CR: the optimum of the linear programme over all placements"
            ),
            citation=f"{CODEDREDUCE}, Theorem 1, optimality",
            expected="confirmed",
            cases=tuple(_at("least_load", codedreduce.tree_load, *shape) for shape in small),
        ),
        _claim(
            id="codedreduce.gradient-coding.load.printed",
            statement="Gradient coding loads each of N workers with (S+1)/N of the data",
            citation=f"{CODEDREDUCE}, Section II-C",
            expected="confirmed",
            cases=tuple(
                timed(
                    completion(star(n, s), measure="load"), codedreduce.star_load(n, s), scale=1.0
                )
                for n, s in ((3, 1), (156, 65), (84, 21))
            ),
        ),
    )


def _whole_claims() -> tuple[Claim, ...]:
    by_12 = ((12, 2, 3, 6552), (12, 2, 3, 7644), (12, 2, 5, 49920), (12, 2, 3, 32760))
    by_groups = (*by_12, (12, 2, 1, 6552), (12, 2, 1, 7644), (4, 3, 1, 6552))
    sizes = ((12, 2), (4, 3), (3, 2))
    return (
        _claim(
            id="codedreduce.theorem1.whole.printed",
            statement=(
                "In all experiments every worker picks r_CR d data points, a whole number (what it "
                "misses one by)"
            ),
            citation=f"{CODEDREDUCE}, Section III-A and Figures 8 to 12",
            expected="refuted",
            cases=tuple(_shape("points_left_over", 0.0, *shape) for shape in (*_WHOLE, *_BROKEN)),
        ),
        _claim(
            id="codedreduce.theorem1.whole.corrected",
            statement=(
                "r_CR d is whole at alpha = 1/12 and 3/12, but 327.6 and 382.2 points at alpha = "
                "2/12"
            ),
            citation=f"{CODEDREDUCE}, Figures 9(b) and 11(b), corrected",
            expected="confirmed",
            cases=(
                *(_shape("points_left_over", 0.0, *shape) for shape in _WHOLE),
                *(
                    _shape("points_per_worker", points, *shape)
                    for shape, points in zip(_BROKEN, (327.6, 382.2), strict=True)
                ),
            ),
        ),
        _claim(
            id="codedreduce.theorem1.partitions.printed",
            statement=(
                "Cut into k = n partitions as by Algorithm 2 of gradient coding, which CompAlloc "
                "takes, the data of the experiments come out whole (layers at which they do not)"
            ),
            citation=f"{CODEDREDUCE}, Section III-A, CompAlloc",
            expected="refuted",
            cases=tuple(_partitions(0, shape, shape[0]) for shape in by_12),
        ),
        _claim(
            id="codedreduce.theorem1.partitions.corrected",
            statement=(
                "Cut into the k = n/(s+1) partitions of fractional repetition, the data of the "
                "experiments come out whole wherever r_CR d does"
            ),
            citation=f"{CODEDREDUCE}, Section III-A, CompAlloc, with another code",
            expected="confirmed",
            cases=tuple(_partitions(0, shape, shape[0] // (shape[2] + 1)) for shape in by_groups),
        ),
        _claim(
            id="codedreduce.clusters.printed",
            statement="The tree (n,L) = (12,2) is that of N = 84 as of N = 156 workers",
            citation=f"{CODEDREDUCE}, Section IV-A",
            expected="refuted",
            cases=(
                _size(84, 12, 2),
                *(_size(codedreduce.tree_size(*size), *size) for size in sizes[1:]),
            ),
        ),
        _claim(
            id="codedreduce.clusters.corrected",
            statement="The tree (12,2) has N = 156 workers; 84 need (4,3)",
            citation=f"{CODEDREDUCE}, Section IV-A, corrected",
            expected="confirmed",
            cases=(_size(156, 12, 2), _size(84, 4, 3), _size(12, 3, 2)),
        ),
    )


def _remark_claims() -> tuple[Claim, ...]:
    shapes = tuple((n, layers, round(alpha * n)) for n, layers, alpha in _CLUSTERS)
    return (
        _claim(
            id="codedreduce.remark2.limit.printed",
            statement="r_CR is about alpha^L for large n (within 1/n)",
            citation=f"{CODEDREDUCE}, Remark 2",
            relation="<=",
            expected="refuted",
            cases=tuple(
                _gap(n, layers, s, codedreduce.tree_load_limit_printed(s / n, layers))
                for n, layers, s in _LIMITS
            ),
        ),
        _claim(
            id="codedreduce.remark2.limit.corrected",
            statement="r_CR is within 1/n of its limit alpha^L (1-alpha)/(1-alpha^L)",
            citation=f"{CODEDREDUCE}, Remark 2, corrected",
            relation="<=",
            expected="confirmed, loose",
            cases=tuple(
                _gap(n, layers, s, codedreduce.tree_load_limit(s / n, layers))
                for n, layers, s in _LIMITS
            ),
        ),
        _claim(
            id="codedreduce.remark2.seven.printed",
            statement="For alpha = 0.5 three layers instead of one reduce the load 7 times",
            citation=f"{CODEDREDUCE}, Remark 2",
            expected="refuted",
            cases=tuple(_shape("star_to_tree_load", 7, *shape) for shape in shapes),
        ),
        _claim(
            id="codedreduce.remark2.seven.corrected",
            statement=(
                "For alpha = 0.5 three layers instead of one reduce the load 2.81 (n = 4), 4.14 "
                "(8), 4.85 (12), 6.67 (100) times; 7 is the limit"
            ),
            citation=f"{CODEDREDUCE}, Remark 2, corrected",
            expected="confirmed",
            cases=tuple(
                _at("star_to_tree_load", codedreduce.load_reduction, *shape) for shape in shapes
            ),
        ),
    )


def _table_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="codedreduce.table1.resiliency.printed",
            statement=(
                "With load r, CR survives the share r^(1/L) of every parent's children (the "
                "largest share that fits the load)"
            ),
            citation=f"{CODEDREDUCE}, Remark 1 and Table I",
            expected="refuted",
            cases=tuple(
                _resilience(codedreduce.resiliency_printed(load, layers), n, layers, load)
                for n, layers, load in _LOADS
            ),
        ),
        _claim(
            id="codedreduce.table1.resiliency.corrected",
            statement=(
                "With load r, CR survives the share (floor(n alpha) - 1)/n of every parent's "
                "children, where alpha^-1 + ... + alpha^-L = 1/r"
            ),
            citation=f"{CODEDREDUCE}, Remark 1 and Table I, corrected",
            expected="confirmed",
            cases=tuple(
                _resilience(codedreduce.largest_resilience(n, layers, load), n, layers, load)
                for n, layers, load in _LOADS
            ),
        ),
        _claim(
            id="codedreduce.table1.parallel.printed",
            statement=(
                "CR has Theta(N^(1-1/L)) parents that can receive at once: n^(L-1) of leaves, at "
                "most N^(1-1/L)"
            ),
            citation=f"{CODEDREDUCE}, Remark 1 and Table I",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                finite(
                    "leaf_parents",
                    codedreduce.tree_size(n, layers) ** (1 - 1 / layers),
                    n=n,
                    layers=layers,
                )
                for n, layers in ((12, 2), (50, 2), (4, 3), (10, 3))
            ),
        ),
        _claim(
            id="codedreduce.table1.parallel.corrected",
            statement="Exactly n^(L-1) parents have leaves for children",
            citation=f"{CODEDREDUCE}, Table I, made exact",
            expected="confirmed",
            cases=tuple(
                finite(
                    "leaf_parents", codedreduce.parallel_receivers(n, layers), n=n, layers=layers
                )
                for n, layers in ((12, 2), (4, 3), (10, 1))
            ),
        ),
        _claim(
            id="codedreduce.gradient-coding.messages.printed",
            statement="The master of gradient coding receives N - S messages one after the other",
            citation=f"{CODEDREDUCE}, Section II-C",
            expected="confirmed",
            cases=tuple(
                timed(
                    completion(star(n, s), measure="messages", receive=0.1), n - s, scale=float(n)
                )
                for n, s in ((12, 5), (30, 12), (156, 65))
            ),
        ),
    )


def _gradient_claims() -> tuple[Claim, ...]:
    shapes = ((12, 2, 5, 49920), (4, 3, 1, 6552), (12, 2, 3, 6552))
    return (
        _claim(
            id="codedreduce.gradients.printed",
            statement="An iteration of CR computes alpha^L N d gradients in all",
            citation=f"{CODEDREDUCE}, Section III-C, total gradient computation complexity",
            expected="refuted",
            cases=tuple(
                _shape("gradients_computed", codedreduce.gradients_printed(*shape), *shape)
                for shape in shapes
            ),
        ),
        _claim(
            id="codedreduce.gradients.corrected",
            statement="An iteration of CR computes N r_CR d gradients in all",
            citation=f"{CODEDREDUCE}, Section III-C, corrected",
            expected="confirmed",
            cases=tuple(
                _shape("gradients_computed", codedreduce.gradients(*shape), *shape)
                for shape in shapes
            ),
        ),
    )


def _shape(name: str, theory: float, n: int, layers: int, s: int, samples: int = 0) -> Case:
    more = {"samples": samples} if samples else {}
    return finite(name, theory, scale=float(samples or 1), n=n, layers=layers, s=s, **more)


def _at(name: str, formula: Callable[..., float], n: int, layers: int, s: int) -> Case:
    return _shape(name, formula(n, layers, s), n, layers, s)


def _load(n: int, layers: int, s: int) -> Case:
    experiment = completion(tree(n, layers, s), measure="load")
    return timed(experiment, codedreduce.tree_load(n, layers, s))


def _gap(n: int, layers: int, s: int, limit: float) -> Case:
    return finite("load_gap", 1 / n, n=n, layers=layers, s=s, limit=limit)


def _partitions(theory: float, shape: tuple[int, int, int, int], partitions: int) -> Case:
    n, layers, s, samples = shape
    return finite(
        "broken_partitions", theory, n=n, layers=layers, s=s, samples=samples, partitions=partitions
    )


def _size(theory: float, n: int, layers: int) -> Case:
    return finite("tree_size", theory, n=n, layers=layers)


def _resilience(theory: float, n: int, layers: int, load: float) -> Case:
    return finite("largest_resilience", theory, n=n, layers=layers, load=load)
