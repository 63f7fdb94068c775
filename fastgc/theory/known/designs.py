"""What is known of block designs: the error depends on the number of survivors alone."""

from __future__ import annotations

from collections.abc import Iterator

from fastgc.theory.known.decoding import Decoding, error_forms, survivor_forms
from fastgc.theory.known.registered import code
from fastgc.theory.literature.designs import bibd_errors
from fastgc.theory.papers.claim import ClosedForm


@code("bibd")
def design(run: Decoding) -> Iterator[ClosedForm]:
    """Mean and variance of the error, as a mixture over numbers of survivors."""
    errors = bibd_errors(run.code["name"])
    law = run.law(len(errors) - 1)
    if law is None:
        return
    mean = float(law.survivors @ errors)
    variance = float(law.survivors @ (errors - mean) ** 2)
    yield from error_forms(mean, "literature.bibd.error.derived", variance)
    yield from survivor_forms(law, errors)
