"""A decoding experiment, and forms that all codes state alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.common.block_designs import parameters
from fastgc.theory.known.straggler_law import Law, late_law, law_of
from fastgc.theory.papers.claim import ClosedForm


@dataclass(frozen=True)
class Decoding:
    """One ``[[experiment]]`` table of decoding."""

    experiment: Mapping[str, Any]

    @property
    def decoder(self) -> str:
        """How the survivors' sums are combined."""
        return str(self.experiment.get("decoder", "optimal"))

    @property
    def code(self) -> Mapping[str, Any]:
        """The table of the code."""
        return self.experiment.get("code") or {}

    @property
    def iterations(self) -> int:
        """Number of iterations of a trial."""
        return int(self.experiment.get("iterations", 1))

    @property
    def shuffle(self) -> str:
        """How columns are dealt to workers anew in each iteration."""
        return str(self.experiment.get("shuffle", "none"))

    def wants(self, quantity: str) -> bool:
        """Whether the experiment measures a quantity; without a list it measures all."""
        measures = self.experiment.get("measure")
        return measures is None or quantity in measures

    def whole(self, key: str) -> int:
        """A parameter of the code; 0 where it is no whole number."""
        value = self.code.get(key)
        return value if isinstance(value, int) else 0

    @property
    def partitions(self) -> int:
        """Partitions of the code; 0 where its table does not say how many."""
        family, name = self.code.get("family"), str(self.code.get("name"))
        if family == "bibd":
            return int(parameters(name)["k"])
        if family == "graph":
            edges = self.code.get("edges")
            listed = 1 + max(max(map(int, edge)) for edge in edges) if edges else 0
            return max(self.whole("vertices"), listed) or (10 if name == "petersen" else 0)
        return self.whole("k") or self.whole("n")

    def law(self, n: int) -> Law | None:
        """Law of the number of survivors of n workers, where it is known."""
        stragglers = self.experiment.get("stragglers", {})
        if n <= 0:
            return None
        if stragglers.get("model") == "deadline":
            share = self._share
            return late_law(n, share, stragglers) if share else None
        return law_of(n, stragglers)

    @property
    def _share(self) -> float:
        """Share of the data that every worker holds; 0 where it is not known or they differ."""
        family = self.code.get("family")
        if family == "uncoded":
            return 1.0 / self.whole("n")
        if family in ("frc", "circulant"):
            return self.whole("d") / self.whole("n")
        if family == "bibd":
            known = parameters(self.code["name"])
            return known["d"] / known["k"]
        return 0.0


def error_forms(
    mean: float, claim: str | None, variance: float | None = None
) -> Iterator[ClosedForm]:
    """Mean error of one iteration and of a trial, and the variance in one iteration."""
    yield ClosedForm("error", "mean", None, mean, claim)
    if variance is not None:
        yield ClosedForm("error", "variance", None, variance, None)
    yield ClosedForm("mean_error", "mean", None, mean, claim)


def per_partition(form: ClosedForm, k: int) -> Iterator[ClosedForm]:
    """The same of the error divided by the partitions, where it is one of the error."""
    if form.quantity == "error" and k > 0:
        scale = float(k * k if form.statistic == "variance" else k)
        yield ClosedForm(
            "error_per_partition", form.statistic, form.index, form.value / scale, None
        )


def survivor_forms(law: Law, means: NDArray[np.float64] | None = None) -> Iterator[ClosedForm]:
    """Probabilities of r = 0 … n survivors and, where given, the mean error given r."""
    for r, chance in enumerate(law.survivors.tolist()):
        yield ClosedForm("survivors", "mean", r, chance, None)
        if chance and means is not None:
            yield ClosedForm("error_by_survivors", "mean", r, float(means[r]), None)
