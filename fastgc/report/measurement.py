"""A measurement: what held, what did not, and how rounds went."""

from typing import Any

import numpy as np

from fastgc.report.document import Table
from fastgc.report.ranking import WIDTH, number
from fastgc.report.sweeps import as_text
from fastgc.report.text import wrapped
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import written


def measurement(found: Measurement) -> str:
    """Return a measurement as text: the comparisons, and what rounds took."""
    lines = [*wrapped(subject(found), WIDTH), *wrapped(f"work: {found.facts['work']}", WIDTH), ""]
    for each in found.verdicts:
        head = f"{each['comparison'].capitalize()} {each['verdict']}"
        lines += [*wrapped(f"{head}: {each['sentence']}", WIDTH), ""]
    if len(found.measured):
        lines += [*as_text(times(found), WIDTH), ""]
    for said in remarks(found):
        lines += wrapped(said, WIDTH)
    return "\n".join(lines).rstrip()


def subject(found: Measurement) -> str:
    """Return the system, on how many workers of what kind."""
    system = written(found.facts["system"])
    return f"{system} on {len(found.workers)} workers ({found.facts['carrier']})"


def remarks(found: Measurement) -> list[str]:
    """Return who was lost, which rounds got too few answers, and why it ended."""
    facts, many = found.facts, len(found.measured)
    said = [
        f"round {number_}: worker {worker} was lost ({why})"
        for number_, worker, why in facts["lost"]
    ]
    short = int(np.isinf(found.arrays["over"]).sum())
    if short:
        said.append(
            f"{short} of {many} rounds got too few answers, and were decoded from what was there"
        )
    if facts["ended"] not in (None, "done"):
        said.append(f"ended after {many} rounds: {facts['why']}")
    return said


def times(found: Measurement) -> Table:
    """Mean and quantiles of rounds, measured and predicted, and of the workers' own seconds."""
    arrays = found.arrays
    series: dict[str, Any] = {
        "rounds, measured": arrays["measured"],
        "rounds, predicted": arrays["predicted"],
        "workers' own seconds": arrays["own"],
        "injected": arrays["injected"],
    }
    rows = []
    for name, values in series.items():
        known = values[np.isfinite(values)]
        if known.size:
            figures = [known.mean(), *np.quantile(known, [0.5, 0.9, 0.99])]
            rows.append((name, *(number(float(each), 4) for each in figures)))
    many = len(arrays["measured"])
    heads = ("seconds", "mean", "median", "90 %", "99 %")
    return Table(f"What {many} rounds took", heads, rows, 1)
