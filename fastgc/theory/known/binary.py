"""What is known of the binary code with k = n, decoded by least squares or by classes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.known.decoding import Decoding, error_forms, survivor_forms
from fastgc.theory.known.registered import code
from fastgc.theory.known.straggler_law import Law
from fastgc.theory.papers.closed_form import ClosedForm

#: Above it, counting patterns for every number of survivors takes seconds.
_LARGEST_MIXTURE = 128


@code("binary")
def least_squares(run: Decoding) -> Iterator[ClosedForm]:
    """Probability of exact recovery."""
    law = _law(run)
    if law is not None:
        exact = _mixed(exact_probability, run, law)
        yield ClosedForm("exact", "mean", None, exact, "binary.exact-probability.derived")
        yield from survivor_forms(law)


@code("binary", decoder="class")
def by_classes(run: Decoding) -> Iterator[ClosedForm]:
    """Probability of exact recovery, and the error: n where no class is complete, else 0."""
    law = _law(run)
    if law is not None:
        n, exact = run.whole("n"), _mixed(class_probability, run, law)
        yield ClosedForm("exact", "mean", None, exact, "binary.algorithm3.probability.derived")
        yield from error_forms(n * (1.0 - exact), None, n * n * exact * (1.0 - exact))
        yield from survivor_forms(law)


def _law(run: Decoding) -> Law | None:
    n, s = run.whole("n"), run.code.get("s")
    if run.code.get("k") not in (None, n) or not isinstance(s, int) or not 0 <= s < n:
        return None
    law = run.law(n)
    mixed = law is not None and law.p is None and len(law.possible) > 1
    return None if mixed and n > _LARGEST_MIXTURE else law


def _mixed(chance: Any, run: Decoding, law: Law) -> float:
    n, s = run.whole("n"), run.whole("s")
    if law.p is not None:
        return float(chance(n, s, p=law.p))
    return math.fsum(law.survivors[r] * float(chance(n, s, survivors=r)) for r in law.possible)
