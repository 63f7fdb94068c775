"""Which closed forms of the wider literature apply to an experiment.

Block designs and small graph codes with optimal decoding, autocovariances of frc, one-step decoding
of regular and Bernoulli codes; completion times of stars and of replicated work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
)
from fastgc.theory.common.repetition import frc_autocovariance, frc_error_variance
from fastgc.theory.known.completion import is_completion
from fastgc.theory.known.literature_completion import completion_forms
from fastgc.theory.known.straggler_law import Law, law_of
from fastgc.theory.literature.designs import bibd_errors, parameters
from fastgc.theory.literature.graphs import (
    LARGEST_GRAPH,
    Edges,
    edges_of,
    graph_error_variance,
    graph_exact_probability,
    graph_mean_error,
)
from fastgc.theory.literature.one_step import bernoulli_mean_error, one_step_mean_error
from fastgc.theory.papers.closed_form import ClosedForm

#: Lags of which the autocovariance is given.
_MOST_LAGS = 64


def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form of the wider literature that applies to an experiment.

    Parameters
    ----------
    experiment
        One ``[[experiment]]`` table of a study as plain data, its sweep already applied. Where it
        has ``measure``, only those quantities are returned. A table for which nothing is known
        gives an empty list; the table is not checked here.

    Examples
    --------
    >>> experiment = {
    ...     "code": {"family": "bibd", "name": "fano"},
    ...     "stragglers": {"model": "uniform", "stragglers": 3},
    ...     "measure": ["error"],
    ... }
    >>> [(form.statistic, form.value) for form in closed_forms(experiment)]
    [('mean', 1.0), ('variance', 0.0)]
    """
    if is_completion(experiment):
        return completion_forms(experiment)
    if experiment.get("kind", "decoding") != "decoding":
        return []
    code, stragglers = experiment.get("code", {}), experiment.get("stragglers", {})
    decoder, rho = experiment.get("decoder", "optimal"), experiment.get("rho")
    measures = experiment.get("measure")
    forms: Iterator[ClosedForm] = iter(())
    if decoder == "one-step":
        forms = _one_step(code, stragglers, rho)
    elif decoder == "optimal" and code.get("family") == "bibd":
        forms = _design(code, stragglers)
    elif decoder == "optimal" and code.get("family") == "graph":
        forms = _graph(code, stragglers)
    elif decoder == "optimal" and code.get("family") in ("frc", "uncoded"):
        forms = _autocovariance(experiment)
    return [form for form in forms if measures is None or form.quantity in measures]


def _design(code: Mapping[str, Any], stragglers: Mapping[str, Any]) -> Iterator[ClosedForm]:
    errors = bibd_errors(code["name"])
    law = law_of(len(errors) - 1, stragglers)
    if law is None:
        return
    mean = float(law.survivors @ errors)
    variance = float(law.survivors @ (errors - mean) ** 2)
    claim = "literature.bibd.error.printed"
    yield ClosedForm("error", "mean", None, mean, claim)
    yield ClosedForm("error", "variance", None, variance, None)
    yield ClosedForm("mean_error", "mean", None, mean, claim)
    yield from _by_survivors(law, errors)


def _graph(code: Mapping[str, Any], stragglers: Mapping[str, Any]) -> Iterator[ClosedForm]:
    name, vertices = code.get("name"), code.get("vertices")
    if name == "cycle" and isinstance(vertices, int) and vertices >= 3:
        law = law_of(vertices, stragglers)
        if law is not None:
            given = (
                [{"p": law.p}] if law.p is not None else [{"survivors": r} for r in law.possible]
            )
            if len(given) == 1:
                yield from _moments(
                    float(circulant_mean_error(vertices, 2, **given[0])),
                    float(circulant_error_variance(vertices, 2, **given[0])),
                    float(circulant_exact_probability(vertices, **given[0])),
                    "literature.graph.cycle.derived",
                )
        return
    edges, size = _edges(code)
    law = law_of(len(edges), stragglers) if edges else None
    if law is None or len(edges) > LARGEST_GRAPH:
        return
    given = [{"p": law.p}] if law.p is not None else [{"survivors": r} for r in law.possible]
    if len(given) == 1:
        yield from _moments(
            graph_mean_error(edges, size, **given[0]),
            graph_error_variance(edges, size, **given[0]),
            graph_exact_probability(edges, size, **given[0]),
            "literature.graph.mean.derived",
        )
    means = np.array([graph_mean_error(edges, size, survivors=r) for r in range(len(edges) + 1)])
    yield from _by_survivors(law, means)


def _edges(code: Mapping[str, Any]) -> tuple[Edges, int]:
    """Edges and vertices of a graph whose edges the table alone tells."""
    name, vertices = code.get("name"), code.get("vertices")
    if code.get("edges"):
        edges = tuple((int(u), int(v)) for u, v in code["edges"])
        return edges, max(vertices or 0, 1 + max(map(max, edges)))
    if name == "petersen":
        return edges_of(name), 10
    # The complete graph on 7 vertices has too many edges already.
    if name == "complete" and isinstance(vertices, int) and 2 <= vertices <= 6:
        return edges_of(name, vertices), vertices
    return (), 0


def _autocovariance(experiment: Mapping[str, Any]) -> Iterator[ClosedForm]:
    code, length = experiment["code"], experiment.get("iterations", 1)
    n, d = code.get("n", 0), code.get("d", 1)
    if not isinstance(n, int) or not isinstance(d, int) or n < 1 or d < 1 or n % d:
        return
    law = law_of(n, experiment.get("stragglers", {}))
    if law is None or law.p is None:
        return
    shuffle = experiment.get("shuffle", "none")
    yield ClosedForm("error_lag", "mean", 0, float(frc_error_variance(n, d, p=law.p)), None)
    for lag in range(1, min(length, _MOST_LAGS)):
        value = 0.0
        if law.persistent:
            value = float(frc_autocovariance(n, d, lag, *law.two_class, shuffle))
        claim = f"literature.frc.autocovariance.{shuffle}.derived" if law.persistent else None
        yield ClosedForm("error_lag", "mean", lag, value, claim)


def _one_step(
    code: Mapping[str, Any], stragglers: Mapping[str, Any], rho: float | None
) -> Iterator[ClosedForm]:
    if code.get("family") == "bernoulli":
        yield from _bernoulli(code, stragglers, rho)
        return
    k, n, holders = _regular(code)
    law = law_of(n, stragglers) if n else None
    if law is None:
        return
    means = np.array(
        [float(one_step_mean_error(k, n, holders, survivors=r, rho=rho)) for r in range(n + 1)]
    )
    mean = float(law.survivors @ means)
    fixed = law.p is not None and rho is not None
    claim = "literature.one-step.fixed.derived" if fixed else "literature.one-step.mean.derived"
    yield ClosedForm("error", "mean", None, mean, claim)
    yield ClosedForm("mean_error", "mean", None, mean, claim)
    yield from _by_survivors(law, means)


def _bernoulli(
    code: Mapping[str, Any], stragglers: Mapping[str, Any], rho: float | None
) -> Iterator[ClosedForm]:
    """Averaged over the matrices, with the unbiased weight for so many stragglers."""
    n, density = code.get("n"), code.get("density")
    if code.get("seed") != "trial" or rho is None or not isinstance(n, int) or not density:
        return
    law, k = law_of(n, stragglers), code.get("k") or n
    if law is None:
        return
    if len(law.possible) == 1 and law.possible[0] > 0:
        survivors = law.possible[0]
        unbiased = 1.0 / (survivors * density)
        mean: dict[str, float] = {"survivors": survivors}
    elif law.p is not None and law.p < 1.0:
        unbiased, mean = 1.0 / (n * density * (1.0 - law.p)), {"n": n, "p": law.p}
    else:
        return
    if math.isclose(rho, unbiased, rel_tol=1e-12):
        value = float(bernoulli_mean_error(k, density, **mean))
        claim = "literature.bernoulli.mean.derived"
        yield ClosedForm("error", "mean", None, value, claim)
        yield ClosedForm("mean_error", "mean", None, value, claim)


def _regular(code: Mapping[str, Any]) -> tuple[int, int, int]:
    """Partitions, workers and holders of every partition of a 0/1 code; zeros where unknown."""
    family, n, d = code.get("family"), code.get("n", 0), code.get("d", 0)
    if family == "bibd":
        known = parameters(code["name"])
        return known["k"], known["n"], known["holders"]
    if family == "graph":
        vertices = code.get("vertices") or 10
        named: dict[str, int] = {"cycle": 2, "petersen": 3, "complete": vertices - 1}
        degree = named.get(str(code.get("name")), code.get("degree") or 0)
        return (vertices, vertices * degree // 2, degree) if degree else (0, 0, 0)
    if not isinstance(n, int) or n < 1:
        return 0, 0, 0
    if family == "uncoded":
        return n, n, 1
    if family == "binary" and isinstance(code.get("s"), int):
        return code.get("k") or n, n, code["s"] + 1
    if family in ("frc", "circulant", "sparse-regular") and isinstance(d, int) and 1 <= d <= n:
        return n, n, d
    return 0, 0, 0


def _moments(mean: float, variance: float, exact: float, claim: str | None) -> Iterator[ClosedForm]:
    yield ClosedForm("error", "mean", None, mean, claim)
    yield ClosedForm("error", "variance", None, variance, None)
    yield ClosedForm("mean_error", "mean", None, mean, claim)
    yield ClosedForm("exact", "mean", None, exact, None)


def _by_survivors(law: Law, means: NDArray[np.float64]) -> Iterator[ClosedForm]:
    for r, chance in enumerate(law.survivors.tolist()):
        yield ClosedForm("survivors", "mean", r, chance, None)
        if chance:
            yield ClosedForm("error_by_survivors", "mean", r, float(means[r]), None)
