"""A measurement: what held, what did not, and how rounds went."""

from typing import Any

import numpy as np

from fastgc import registry
from fastgc.report.document import Table
from fastgc.report.ranking import WIDTH, number
from fastgc.report.text import table as as_text
from fastgc.report.text import wrapped
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import written
from fastgc.systems.system import System

#: A decoding error that rounding leaves.
_EXACT = 1e-9


def measurement(found: Measurement) -> str:
    """Return a measurement as text: the comparisons, and what rounds took."""
    lines = [*wrapped(subject(found), WIDTH), *wrapped(f"work: {found.facts['work']}", WIDTH), ""]
    for each in found.verdicts:
        head = f"{each['comparison'].capitalize()} {each['verdict']}"
        lines += [*wrapped(f"{head}: {each['sentence']}", WIDTH), ""]
    if len(found.measured):
        lines += [*as_text(times(found), WIDTH), ""]
    for head, part in ("Decoding error", decoded), ("Next", following):
        if said := part(found):
            lines += [*wrapped(f"{head}: {said}", WIDTH), ""]
    for said in remarks(found):
        lines += wrapped(said, WIDTH)
    return "\n".join(lines).rstrip()


def subject(found: Measurement) -> str:
    """Return the experiment, if it has a name, and the system, on how many workers of what kind."""
    name, point = found.facts["experiment"], found.facts["point"] or {}
    own = [] if name.startswith("experiment") else [name]
    named = ", ".join([*own, *(f"{key} = {value}" for key, value in point.items())])
    said = ": ".join(filter(None, [named, written(found.facts["system"])]))
    return f"{said} on {len(found.workers)} workers ({found.facts['carrier']})"


def following(found: Measurement) -> str:
    """Return the keys of a study of what was measured; "" where there are none."""
    if not np.isfinite(found.recording).all(axis=1).any():
        return ""
    kind: Any = registry.members("system").get(found.facts["system"]["family"], System)
    order = "replay" if kind.LOOKS_BACK else "rows"
    file = f'"{"OUT.h5" if found.path is None else found.path.name}"'
    work = 1 / found.arrays["share"][0].max()  # so that a load is 1, which is what was recorded
    law = f'{{ distribution = "empirical", file = {file}, order = "{order}" }}'
    kept = " (-o OUT.h5 keeps it)" if found.path is None else ""
    return f"latency = {law} and work = {work:.6g}{kept} simulate what was measured"


def decoded(found: Measurement) -> str:
    """Return the mean decoding error of a round; "" if all was decoded."""
    errors = found.arrays["decoding_error"]
    if not len(errors) or errors.max() <= _EXACT:
        return ""
    return f"{number(float(errors.mean()), 3)} partitions a round on average"


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
    parts = arrays["own"].shape[1] // len(found.workers)
    worked = np.repeat(arrays["share"] > 0, parts, axis=1)
    series: dict[str, Any] = {
        "rounds, measured": arrays["measured"],
        "rounds, predicted": arrays["predicted"],
        "workers' own seconds": arrays["own"][worked],
        "injected": arrays["injected"][worked],
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
