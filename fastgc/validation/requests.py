"""What a validation samples: the experiments that cases want, on streams of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastgc.engine.units import Unit
from fastgc.results.verdicts import (
    half_width,
    target_half_width,
)
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study
from fastgc.theory.papers.claim import Case


@dataclass
class Request:
    """One experiment (or a pair on common draws), and the cases that want numbers of it."""

    tables: tuple[dict[str, Any], ...]
    cases: list[Case] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Which experiment it is, in two words."""
        table = self.tables[0]
        for key, tag in (("system", "family"), ("selection", "method"), ("problem", "model")):
            if key in table:
                return f"{table.get('kind', 'decoding')} {table[key][tag]}"
        return f"{table['code']['family']} {table['stragglers']['model']}"

    def unit(self, seed: int) -> Unit:
        """The experiments, measuring what the cases want, on one stream."""
        measures = list(dict.fromkeys(case.quantity for case in self.cases))
        tables = [
            {**table, "name": f"arm{number}", "measure": measures}
            for number, table in enumerate(self.tables)
        ]
        study = Study.parse({"seed": seed, "experiment": tables})
        points = study.points()
        stream = "validate " + " ".join([*(study.canonical(point) for point in points), *measures])
        return Unit(points, seed, stream, together=len(points) > 1)


@dataclass(frozen=True)
class NarrowEnough:
    """Stop when every case of a request can be decided; never on what it would decide."""

    cases: tuple[Case, ...]
    significance: float

    def reached(self, unit: Unit, tally: Tally) -> str | None:
        """Return the rule's name if every interval is narrow enough."""
        found = estimates(unit, tally, self.cases)
        for case, estimate in zip(self.cases, found, strict=True):
            if half_width(case, estimate, self.significance) > target_half_width(case):
                return None
        return "half-width"


def requests_of(cases: Iterable[Case]) -> list[Request]:
    """Cases that sample, by experiment; a comparison that is no mean takes two of its own."""
    requests: dict[str, Request] = {}
    for case in cases:
        if case.is_finite:
            continue
        tables: tuple[dict[str, Any], ...] = (dict(case.experiment),)
        if case.against is not None:
            tables += (dict(case.against),)
        # on common draws only the first measure's products are tallied
        key = json.dumps([tables, case.quantity if len(tables) > 1 else ""], sort_keys=True)
        requests.setdefault(key, Request(tables)).cases.append(case)
    return list(requests.values())


def estimates(unit: Unit, tally: Tally, cases: Sequence[Case]) -> list[Estimate]:
    """What a tally says of each case."""
    rows = {
        (point.experiment, quantity, statistic, index): estimate
        for point, quantity, statistic, index, estimate in unit.rows(tally)
    }
    found = []
    for case in cases:
        own = rows[("arm0", case.quantity, case.statistic, case.index)]
        if case.against is not None:
            if case.statistic == "mean" and case.index is None:
                own = unit.compare(tally, 0, 1, case.how)
            else:
                other = rows[("arm1", case.quantity, case.statistic, case.index)]
                own = _apart(own, other)
        found.append(own)
    return found


def _apart(a: Estimate, b: Estimate) -> Estimate:
    """Difference of two estimates whose dependence is not tallied: errors add at worst."""
    if None in (a.value, b.value, a.standard_error, b.standard_error):
        return Estimate(None, None, a.trials)
    assert a.value is not None and b.value is not None
    assert a.standard_error is not None and b.standard_error is not None
    return Estimate(a.value - b.value, a.standard_error + b.standard_error, a.trials)
