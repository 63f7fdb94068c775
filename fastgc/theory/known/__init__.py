"""Which closed forms apply to an experiment: a list of templates, and what is known of each.

A template is a table of a study with holes.
"""

import math
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any

from fastgc.theory.known.codes import CODES
from fastgc.theory.known.laws import Table
from fastgc.theory.known.systems import SYSTEMS
from fastgc.theory.papers.claim import ClosedForm

__all__ = ["KNOWN", "closed_forms", "match"]

KNOWN = (*CODES, *SYSTEMS)


def closed_forms(experiment: Table) -> list[ClosedForm]:
    """Every closed form that applies to an experiment; what is infinite is left out.

    ``experiment``: One ``[[experiment]]`` table of a study as plain data, its sweep already
    applied. Where it has ``measure``, only those quantities are returned. A table of which nothing
    is known (other codes, laws, decoders) gives an empty list; the table is not checked here.
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


def match(template: Any, given: Any, holes: dict[str, Any], key: str = "") -> bool:
    """Whether a table has this form; what stands in its holes goes into ``holes``.

    A type is a hole, named by its key, for a value of the type; a tuple holds what may stand there,
    None if nothing; ``...`` is a key that is not there. Keys not named may hold anything.

    >>> holes = {}
    >>> template = {"family": "frc", "n": int, "d": int, "seed": int | None}
    >>> match(template, {"family": "frc", "n": 8, "d": 2}, holes), holes
    (True, {'n': 8, 'd': 2, 'seed': None})
    """
    if isinstance(template, Mapping):
        return isinstance(given, Mapping) and all(
            own not in given if part is ... else match(part, given.get(own), holes, own)
            for own, part in template.items()
        )
    if isinstance(template, type | UnionType):
        holes[key] = given
        return isinstance(given, template)
    return given in template if isinstance(template, tuple) else bool(given == template)
