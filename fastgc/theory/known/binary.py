"""What is known of the binary code with k = n, decoded by least squares or by classes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fastgc.theory.binary.beyond import class_probability, exact_probability
from fastgc.theory.known.decoding import Decoding, error_forms, survivor_forms
from fastgc.theory.known.registered import code
from fastgc.theory.papers.claim import ClosedForm

#: Above it, counting patterns for every number of survivors takes seconds.
_LARGEST_MIXTURE = 128


@code("binary")
@code("binary", decoder="class")
def binary(run: Decoding) -> Iterator[ClosedForm]:
    """Probability of exact recovery; by classes the error too: n where none is complete, else 0."""
    n, s = run.whole("n"), run.code.get("s")
    law = run.law(n)
    if law is None or run.code.get("k") not in (None, n):
        return
    if not isinstance(s, int) or not 0 <= s < n or not (law.simple or n <= _LARGEST_MIXTURE):
        return
    if run.decoder == "class":
        exact = law.mean(partial(class_probability, n, s))
        yield ClosedForm("exact", "mean", None, exact, "binary.algorithm3.probability.derived")
        yield from error_forms(n * (1.0 - exact), None, n * n * exact * (1.0 - exact))
    else:
        exact = law.mean(partial(exact_probability, n, s))
        yield ClosedForm("exact", "mean", None, exact, "binary.exact-probability.derived")
    yield from survivor_forms(law)
