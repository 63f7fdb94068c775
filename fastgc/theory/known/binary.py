"""Which closed forms apply to an experiment with the binary code, decoded by either decoder."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.known.straggler_law import Law, law_of
from fastgc.theory.papers.closed_form import ClosedForm

#: Above it, counting patterns for every number of survivors takes seconds.
_LARGEST_MIXTURE = 128


def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form that applies to an experiment with family binary, k = n.

    Parameters
    ----------
    experiment
        One ``[[experiment]]`` table of a study as plain data, its sweep already applied; the table
        is not checked here. Stragglers iid with one p, uniform, two-class with one p_slow or with
        a number of slow workers.

    Returns
    -------
    list of ClosedForm
        The probability of exact recovery, by the optimal and by the class decoder; for the class
        decoder, which gives 0 where no class is complete, the error too.

    Examples
    --------
    >>> form, = closed_forms({
    ...     "kind": "decoding",
    ...     "code": {"family": "binary", "n": 11, "s": 3},
    ...     "stragglers": {"model": "iid", "p": 0.2},
    ...     "measure": ["exact"],
    ... })
    >>> form.quantity, round(form.value, 6), form.claim
    ('exact', 0.991429, 'binary.exact-probability.derived')
    """
    code, decoder = experiment.get("code", {}), experiment.get("decoder", "optimal")
    if experiment.get("kind", "decoding") != "decoding" or decoder not in ("optimal", "class"):
        return []
    n, s, k = (code.get(key) for key in ("n", "s", "k"))
    if code.get("family") != "binary" or not isinstance(n, int) or not isinstance(s, int):
        return []
    if k not in (None, n) or not 0 <= s < n:
        return []
    law = law_of(n, experiment.get("stragglers", {}))
    if law is None or (law.p is None and len(law.possible) > 1 and n > _LARGEST_MIXTURE):
        return []
    measures = experiment.get("measure")
    forms = _forms(n, s, law, decoder)
    return [form for form in forms if measures is None or form.quantity in measures]


def _forms(n: int, s: int, law: Law, decoder: str) -> Iterator[ClosedForm]:
    chance = exact_probability if decoder == "optimal" else class_probability
    claim = "binary.exact-probability.derived"
    if decoder == "class":
        claim = "binary.algorithm3.probability.derived"
    if law.p is not None:
        exact = float(chance(n, s, p=law.p))
    else:
        exact = math.fsum(law.survivors[r] * float(chance(n, s, survivors=r)) for r in law.possible)
    yield ClosedForm("exact", "mean", None, exact, claim)
    if decoder == "class":
        yield ClosedForm("error", "mean", None, n * (1.0 - exact), None)
        yield ClosedForm("error", "variance", None, n * n * exact * (1.0 - exact), None)
        yield ClosedForm("mean_error", "mean", None, n * (1.0 - exact), None)
    for r in range(n + 1):
        yield ClosedForm("survivors", "mean", r, float(law.survivors[r]), None)
