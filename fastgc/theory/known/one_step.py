"""What is known of one-step decoding: codes with as many holders for every partition, Bernoulli."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fastgc.theory.common.block_designs import parameters
from fastgc.theory.known.decoding import Decoding, error_forms, survivor_forms
from fastgc.theory.known.registered import code
from fastgc.theory.literature.one_step import bernoulli_mean_error, one_step_mean_error
from fastgc.theory.papers.claim import ClosedForm

#: Families of as many partitions as workers, d for each.
_SQUARE = ("frc", "circulant", "sparse-regular")


#: Above it, means for every number of survivors take seconds.
_LARGEST = 100_000


@code("uncoded", "binary", "bibd", "graph", *_SQUARE, decoder="one-step")
def regular(run: Decoding) -> Iterator[ClosedForm]:
    """Mean error with the usual weight, or a given one."""
    k, n, holders = _sizes(run)
    law, rho = run.law(n), run.experiment.get("rho")
    if law is None or n > _LARGEST:
        return
    numbers = range(n + 1)
    means = np.array([one_step_mean_error(k, n, holders, survivors=r, rho=rho) for r in numbers])
    rule = "fixed" if law.p is not None and rho is not None else "mean"
    yield from error_forms(float(law.survivors @ means), f"literature.one-step.{rule}.derived")
    yield from survivor_forms(law, means)


@code("bernoulli", decoder="one-step")
def bernoulli(run: Decoding) -> Iterator[ClosedForm]:
    """Mean error over the matrices too, with the unbiased weight for so many stragglers."""
    n, density, rho = run.whole("n"), run.code.get("density"), run.experiment.get("rho")
    law = run.law(n)
    if law is None or not density or rho is None or run.code.get("seed") != "trial":
        return
    if len(law.possible) == 1 and law.possible[0] > 0:
        answers = law.possible[0] * density
        given: dict[str, float] = {"survivors": law.possible[0]}
    elif law.p is not None and law.p < 1.0:
        answers, given = n * density * (1.0 - law.p), {"n": n, "p": law.p}
    else:
        return
    if math.isclose(rho, 1.0 / answers, rel_tol=1e-12):
        mean = bernoulli_mean_error(run.whole("k") or n, density, **given)
        yield from error_forms(mean, "literature.bernoulli.mean.derived")


def _sizes(run: Decoding) -> tuple[int, int, int]:
    """Partitions, workers and holders of every partition; zeros where unknown."""
    family, n, d = run.code["family"], run.whole("n"), run.whole("d")
    if family == "bibd":
        known = parameters(run.code["name"])
        return known["k"], known["n"], known["holders"]
    if family == "graph":
        vertices = run.whole("vertices") or 10
        named: dict[str, int] = {"cycle": 2, "petersen": 3, "complete": vertices - 1}
        degree = named.get(str(run.code.get("name")), run.whole("degree"))
        return (vertices, vertices * degree // 2, degree) if degree else (0, 0, 0)
    if family == "uncoded":
        return n, n, 1
    if family == "binary":
        s = run.code.get("s")
        return (run.whole("k") or n, n, s + 1) if isinstance(s, int) else (0, 0, 0)
    return (n, n, d) if 1 <= d <= n else (0, 0, 0)
