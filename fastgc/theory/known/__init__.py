"""Which closed forms apply to an experiment: a list of templates, and what is known of each."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fastgc.theory.known.codes import CODES
from fastgc.theory.known.systems import SYSTEMS
from fastgc.theory.known.templates import Table, match
from fastgc.theory.papers.claim import ClosedForm

__all__ = ["KNOWN", "closed_forms"]

KNOWN = (*CODES, *SYSTEMS)
#: Keys of a table gram that says no more than one correlation of all partial gradients.
_EQUAL = {"correlation", "known"}


def closed_forms(experiment: Table) -> list[ClosedForm]:
    """Every closed form that applies to an experiment; what is infinite is left out.

    ``experiment``: One ``[[experiment]]`` table of a study as plain data, its sweep already
    applied. Where it has ``measure``, only those quantities are returned. A table of which nothing
    is known (other codes, laws, decoders) gives an empty list; the table is not checked here.

    >>> experiment = {
    ...     "kind": "decoding",
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.247},
    ...     "measure": ["error"],
    ... }
    >>> [(form.statistic, round(form.value, 6)) for form in closed_forms(experiment)]
    [('mean', 0.488072), ('variance', 0.91659)]
    """
    forms: Iterable[ClosedForm] = ()
    for template, make in KNOWN:
        holes: dict[str, Any] = {}
        if match(template, experiment, holes):
            forms = make(experiment, **holes)
            break
    if experiment.get("gram") or experiment.get("target", "sum") != "sum":
        forms = _of_gradients(experiment, list(forms))
    measures = experiment.get("measure")
    return [
        form
        for form in forms
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]


def _of_gradients(experiment: Table, forms: Sequence[ClosedForm]) -> Iterator[ClosedForm]:
    """What is known of the error where partial gradients differ: little, in closed form.

    Patterns stay what they are, and so does ‖Bx − 1‖² where weights are those of the code.
    """
    table, decoder = experiment.get("gram") or {}, experiment.get("decoder", "optimal")
    gram = {key: value for key, value in table.items() if value is not None}
    for form in forms:
        if form.quantity in ("survivors", "not_accessed", "lost"):
            yield form
    known = gram.get("known") and decoder == "optimal"
    if known or experiment.get("target", "sum") != "sum":
        return
    own = {form.statistic: form.value for form in forms if form.quantity == "error"}
    for statistic, value in own.items():
        yield ClosedForm("decoding_error", statistic, None, value, None)
    if decoder == "optimal" and own.keys() >= {"mean", "variance"} and gram.keys() <= _EQUAL:
        c, mean = float(gram.get("correlation") or 0.0), own["mean"]
        value = (1.0 - c) * mean + c * (own["variance"] + mean * mean)
        yield ClosedForm("error", "mean", None, value, "literature.gradients.equal.derived")
