"""What layers gain on one MDS code of the best single rate (paper hierarchical, Abstract)."""

from __future__ import annotations

from fastgc.theory.cases.completion import answers, completion, exponential, timed
from fastgc.theory.cases.growth import not_reproducible
from fastgc.theory.common.arguments import check_count
from fastgc.theory.common.order_statistics import exponential_order_mean
from fastgc.theory.hierarchical import paper
from fastgc.theory.hierarchical.time import LONG, finishing_mean, layers_with
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, Case, Cases

#: n, α, k: against the best single rate for Σ k tasks.
_LAYERS: tuple[tuple[int, float, tuple[int, ...]], ...] = (
    (10, 0.1, LONG),
    (10, 1.0, (9, 7, 4, 0)),
    (10, 1.0, (8, 2)),
    (20, 0.1, (19, 16, 14, 11, 10, 8, 7, 6, 5, 4)),
    (6, 1.0, (5, 3, 1)),
)


@paper.elementwise
def single_rate_mean(n: int, tasks: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time tasks/k · E X_(k) of an (n, k) MDS code whose workers do tasks/k tasks each.

    A worker's tasks count all together or not at all. The factor 1.5 of the paper's abstract is
    against such codes.

    >>> round(single_rate_mean(10, 50, 4, shift=0.1), 5)
    7.2371
    """
    check_count("tasks", tasks, 1)
    return tasks / k * float(exponential_order_mean(n, k, mean, shift))


@paper.elementwise
def best_single_rate(n: int, tasks: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Number k of answers of the (n, k) MDS code with the least `single_rate_mean`.

    >>> best_single_rate(10, 50, shift=0.1)
    4.0
    """
    check_count("n", n, 1)
    return min(range(1, int(n) + 1), key=lambda k: single_rate_mean(n, tasks, k, mean, shift))


@paper.claim(
    "factor.printed",
    "Abstract",
    NOT_REPRODUCIBLE,
    category="number",
    missing="n, the number of layers, k, mu, alpha and the scheme that it is compared with are not "
    "printed",
)
def _() -> Cases:
    """Numerical results show an improvement of the expected finishing time by a factor of 1.5 over
    previous work."""
    yield not_reproducible("factor", 1.5, 1)


@paper.claim("factor.derived", "Abstract, at several parameters")
def _() -> Cases:
    """The mean of the best single-rate MDS code over that of layers depends on the parameters:
    1.512, the printed factor, for n = 10, 10 layers, 50 tasks, alpha = .1; from 1.13 to 1.65 at the
    others here."""
    for n, shift, k in _LAYERS:
        single = single_rate_mean(n, sum(k), _best(n, shift, k), 1.0, shift)
        yield _factor(single / finishing_mean(n, k, 1.0, shift), n, shift, k)


def _factor(theory: float, n: int, shift: float, k: tuple[int, ...]) -> Case:
    # a worker's share is tasks/k tasks; layers have their own unit, one task
    code = answers(n, _best(n, shift, k))
    single = completion(code, exponential(1.0, shift), work=float(sum(k)))
    return timed(single, theory, against=layers_with(n, k, shift), how="ratio")


def _best(n: int, shift: float, k: tuple[int, ...]) -> int:
    """The best k of one code for as many tasks."""
    return int(best_single_rate(n, sum(k), 1.0, shift))
