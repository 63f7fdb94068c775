"""A measurement: what held, what did not, and how rounds went."""

from collections.abc import Sequence
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
_COMPARED = ("structure", "law", "learning")


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


def measurements(made: Sequence[Measurement]) -> str:
    """Return several systems as text, one by one, then side by side."""
    texts = [measurement(each) for each in made]
    measured = [each for each in made if len(each.measured)]
    for table in side_by_side(measured) if len(measured) > 1 else ():
        lines = [*wrapped(f"{table.caption}:", WIDTH), "", *as_text(table, WIDTH)]
        texts.append("\n".join(lines))
    return "\n\n".join(texts)


def subject(found: Measurement) -> str:
    """Return the experiment, if it has a name, and the system, on how many workers of what kind."""
    said = ": ".join(filter(None, [_named(found), written(found.facts["system"])]))
    return f"{said} on {len(found.workers)} workers ({found.facts['carrier']})"


def _named(found: Measurement) -> str:
    """The experiment's name, if it has one, and the values of what is swept."""
    name, point = found.facts["experiment"], found.facts["point"] or {}
    own = [] if name.startswith("experiment") else [name]
    return ", ".join([*own, *(f"{key} = {value}" for key, value in point.items())])


def side_by_side(made: Sequence[Measurement]) -> list[Table]:
    """Verdicts on several systems; their rounds, predicted and measured, errors and losses."""
    names = [_named(each) for each in made]
    systems = [written(each.facts["system"]) for each in made]
    labels = names  # what tells them apart: their experiments' names, the systems, or both
    if len(set(systems)) > 1 or not all(names):
        labels = [": ".join(filter(None, both)) for both in zip(names, systems, strict=True)]
    verdicts, numbers = [], []
    for head, each in zip(labels, made, strict=True):
        own = {one["comparison"]: one["verdict"] for one in each.verdicts}
        arrays, loss = each.arrays, float(each.arrays["loss"][-1])
        means = [1e3 * arrays[key].mean() for key in ("predicted", "measured")]
        means.append(arrays["decoding_error"].mean())
        last = "–" if np.isnan(loss) else number(loss, 4)
        verdicts.append((head, *(own.get(name, "–") for name in _COMPARED)))
        numbers.append((head, *(number(float(mean), 4) for mean in means), last))
    said = "Mean round (ms), by the workers' own seconds and measured"
    heads = ["system", "round, predicted", "round, measured", "error", "loss"]
    return [
        Table("What held", ("system", *_COMPARED), verdicts),
        Table(f"{said}; mean decoding error and last loss", heads, numbers),
    ]


def following(found: Measurement) -> str:
    """Return what to do next: of the first comparison that did not hold, or is open."""
    if not found.verdicts:
        return ""
    keys, said = _recorded(found), _HELD
    for verdict, remedies in reversed(_NEXT.items()):
        for each in reversed(found.verdicts):
            if each["verdict"] == verdict and each["facts"]:  # else its sentence says what to do
                said = remedies.get(each["comparison"], said)
    if said == _HELD:
        return _HELD.format(f"; {keys} simulate what was measured" if keys else "")
    return said.format(f"simulate what was measured: {keys}" if keys else _RECORD)


def _recorded(found: Measurement) -> str:
    """Return the keys of a study of what was measured; "" where there are none."""
    if not np.isfinite(found.recording).all(axis=1).any():
        return ""
    kind: Any = registry.members("system").get(found.facts["system"]["family"], System)
    order = "replay" if kind.LOOKS_BACK else "rows"
    file = f'"{"OUT.h5" if found.path is None else found.path.name}"'
    work = 1 / found.arrays["share"][0].max()  # so that a load is 1, which is what was recorded
    law = f'{{ distribution = "empirical", file = {file}, order = "{order}" }}'
    kept = " (-o OUT.h5 keeps it)" if found.path is None else ""
    return f"latency = {law} and work = {work:.6g}{kept}"


_RECORD = 'measure "uncoded" with between_rounds = "drain", whose times a study can take'
_NEXT = {
    "did not hold": {
        "learning": "look at the gradient: it is not what it should be",
        "structure": "give workers larger pieces, each of them a core, or the study a port",
        "law": "{}",
    },
    "open": {
        "structure": "measure more rounds",
        "law": 'measure more rounds, with between_rounds = "drain"',
    },
}
_HELD = (
    "rounds went as simulated, with these workers and this load{}. Measure again when workers or "
    "load change"
)


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
