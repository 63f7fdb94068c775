"""Claims on one-step decoding: regular codes, Bernoulli codes, stochastic gradient coding."""

from __future__ import annotations

from functools import partial

from fastgc.theory import literature
from fastgc.theory.cases.tables import Table, bibd, circulant, frc, graph, iid, uniform
from fastgc.theory.cases.tables import binary as binary_code
from fastgc.theory.literature.cases import BITAR, CHARLES, partitions, sampled
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="literature", relation="=")


def one_step_claims() -> tuple[Claim, ...]:
    """Claims on x = rho 1."""
    sparse: Table = {"family": "sparse-regular", "n": 20, "d": 4, "seed": 1}
    # code, workers, holders of a partition, stragglers
    regular: tuple[tuple[Table, int, int, int], ...] = (
        (frc(12, 3), 12, 3, 4),
        (circulant(10, 3), 10, 3, 2),
        (sparse, 20, 4, 6),
        (bibd("ag(2,3)"), 9, 3, 3),
        (graph("petersen"), 15, 3, 5),
        (binary_code(11, 3), 11, 4, 3),
    )
    return (
        _claim(
            id="literature.one-step.mean.derived",
            statement=(
                "With rho = k/(r d), a 0/1 code in which every partition has w holders has mean "
                "one-step error k(n-r)(n-w)/(w r (n-1)) given r survivors"
            ),
            citation=f"{CHARLES}, made exact",
            expected="confirmed",
            cases=tuple(
                sampled(
                    code,
                    uniform(s),
                    literature.one_step_mean_error(partitions(code), n, holders, survivors=n - s),
                    decoder="one-step",
                )
                for code, n, holders, s in regular
            ),
        ),
        _claim(
            id="literature.one-step.fixed.derived",
            statement=(
                "With rho = 1/((1-q)w) the mean one-step error for iid stragglers is k q/((1-q)w)"
            ),
            citation=f"{CHARLES}, made exact",
            expected="confirmed",
            cases=tuple(
                _fixed(code, n, holders, p)
                for (code, n, holders, _), p in zip(
                    regular, (0.3, 0.1, 0.25, 0.5, 0.2, 0.4), strict=True
                )
            ),
        ),
        _claim(
            id="literature.bernoulli.mean.derived",
            statement=(
                "Averaged over Bernoulli(pi) matrices, the one-step error with rho = 1/(r pi) is "
                "k(1-pi)/(r pi) given r survivors; with rho = 1/(n pi (1-q)) it is "
                "k(1-pi(1-q))/(n pi (1-q)) for iid stragglers"
            ),
            citation=f"{CHARLES}, made exact",
            expected="confirmed",
            cases=(
                *(_bernoulli(n, density, s) for n, density, s in ((10, 0.5, 5), (8, 0.25, 2))),
                _bernoulli(6, 0.4, 1, k=12),
                _bernoulli_iid(10, 0.5, 0.2),
            ),
        ),
        _claim(
            id="literature.stochastic.mean.printed",
            statement=(
                "Stochastic gradient coding, entries 1/d_i and weight 1/(1-q), has mean error "
                "sum_i q/(d_i (1-q)) for iid stragglers, partition i on d_i workers"
            ),
            citation=f"{BITAR}, its variance made the error's mean",
            expected="confirmed",
            cases=tuple(
                _stochastic(holders, p)
                for holders, p in (
                    ((1, 2, 2, 3, 3, 4, 4, 5), 0.2),
                    ((2, 2, 2, 2, 3, 3), 0.4),
                    ((1, 1, 4, 4, 4, 4, 7, 7, 7, 7), 0.1),
                )
            ),
        ),
    )


def _fixed(code: Table, n: int, holders: int, p: float) -> Case:
    rho = 1.0 / ((1.0 - p) * holders)
    theory = literature.one_step_mean_error(partitions(code), n, holders, p=p, rho=rho)
    return sampled(code, iid(p), theory, decoder="one-step", rho=rho)


def _bernoulli(n: int, density: float, stragglers: int, k: int | None = None) -> Case:
    survivors = n - stragglers
    theory = literature.bernoulli_mean_error(k or n, density, survivors)
    rho = 1.0 / (survivors * density)
    code = _bernoulli_code(n, density, k)
    return sampled(code, uniform(stragglers), theory, decoder="one-step", rho=rho)


def _bernoulli_iid(n: int, density: float, p: float) -> Case:
    theory = literature.bernoulli_mean_error(n, density, n=n, p=p)
    rho = 1.0 / (n * density * (1.0 - p))
    return sampled(_bernoulli_code(n, density), iid(p), theory, decoder="one-step", rho=rho)


def _bernoulli_code(n: int, density: float, k: int | None = None) -> Table:
    return {"family": "bernoulli", "n": n, "k": k or n, "density": density, "seed": "trial"}


def _stochastic(holders: tuple[int, ...], p: float) -> Case:
    n = len(holders)
    rows = [
        [1.0 / held if (j - i) % n < held else 0.0 for j in range(n)]
        for i, held in enumerate(holders)
    ]
    theory = literature.stochastic_mean_error(holders, p)
    code = {"family": "matrix", "rows": rows}
    case = sampled(code, iid(p), theory, decoder="one-step", rho=1.0 / (1.0 - p))
    point = {"holders": list(holders), "p": p}
    return Case(point, case.theory, case.experiment, case.quantity, scale=case.scale)
