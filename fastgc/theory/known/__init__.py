"""Which closed forms apply to an experiment: a list of templates, and what is known of each."""

import math
from collections.abc import Iterable
from typing import Any

from fastgc.theory.known.codes import CODES
from fastgc.theory.known.systems import SYSTEMS
from fastgc.theory.known.templates import Table, match
from fastgc.theory.papers.claim import ClosedForm

__all__ = ["KNOWN", "closed_forms"]

KNOWN = (*CODES, *SYSTEMS)


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
    measures = experiment.get("measure")
    return [
        form
        for form in forms
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]
