"""A measurement: what held, what did not, and how rounds went."""

from typing import Any

import numpy as np

from fastgc.report.document import Table
from fastgc.report.ranking import WIDTH, number
from fastgc.report.sweeps import as_text
from fastgc.report.text import wrapped
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import written

#: So many workers are named, those that straggle most.
_NAMED = 3
#: A model with a p-value so small does not fit.
_UNFIT = 0.01
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
    parts = ("Decoding error", decoded), ("Straggling", who), ("Next", following)
    for head, said in ((head, part(found)) for head, part in parts):
        lines += [*wrapped(f"{head}: {said}", WIDTH), ""] if said else []
    for said in remarks(found):
        lines += wrapped(said, WIDTH)
    return "\n".join(lines).rstrip()


def subject(found: Measurement) -> str:
    """Return the experiment, if it has a name, and the system, on how many workers of what kind."""
    system, facts = written(found.facts["system"]), found.facts
    point = ", ".join(f"{key} = {value}" for key, value in (facts["point"] or {}).items())
    named = [] if facts["experiment"].startswith("experiment") else [facts["experiment"]]
    named += [point] if point else []
    before = f"{', '.join(named)}: " if named else ""
    return f"{before}{system} on {len(found.workers)} workers ({facts['carrier']})"


def following(found: Measurement) -> str:
    """Return what to do next: of the first comparison that did not hold, or is open."""
    for verdict, remedies in _NEXT.items():
        for each in found.verdicts:
            if each["verdict"] == verdict and each["comparison"] in remedies:
                return remedies[each["comparison"]].format(_file(found))
    return _HELD.format(_file(found)) if found.verdicts else ""


def _file(found: Measurement) -> str:
    return '"OUT.h5"' if found.path is None else f'"{found.path.name}"'


_RECORDED = 'latency = {{ distribution = "empirical", file = {}, order = "rows" }}'
_NEXT = {
    "did not hold": {
        "learning": "look at the gradient: it is not what it should be",
        "structure": "give the study a port, workers larger pieces, or each of them a core",
        "law": f"simulate with what was measured: {_RECORDED}",
    },
    "open": {
        "structure": "measure more rounds",
        "law": 'measure more rounds, with between_rounds = "drain"',
    },
}
_HELD = (
    f"rounds went as simulated, with these workers and this load; {_RECORDED} simulates with what "
    "was measured. Measure again when workers or load change"
)


def who(found: Measurement) -> str:
    """Return who straggled how often, and which model fits that best; "" if it is not known."""
    late = found.facts.get("straggling")
    if late is None:
        return ""
    shares = late["shares"]
    order = sorted(range(len(shares)), key=lambda j: -shares[j])
    first, rest = (order[:_NAMED], order[_NAMED:]) if len(order) > _NAMED + 1 else (order, [])
    said = [f"{found.workers[j]} in {_percent(shares[j])}" for j in first]
    if rest:
        least, most = _percent(shares[rest[-1]]), _percent(shares[rest[0]])
        said.append(f"the others in {least if least == most else f'{least} … {most}'}")
    slow = f"slower than {1e3 * late['threshold']:.3g} ms, 1.5 times the median"
    text = f"{', '.join(said)} of the rounds ({slow})"
    if late["models"]:
        best, *others = late["models"]
        beyond = ", ".join(f"{each['name']} + {each['aic'] - best['aic']:.0f}" for each in others)
        text += f". Best model by AIC: {_model(best)} ({beyond})"
        if best["p_value"] is not None and best["p_value"] <= _UNFIT:
            text += ", and even that does not fit"
    return text


def decoded(found: Measurement) -> str:
    """Return the mean decoding error of a round, measured and by the law; "" if all was decoded."""
    errors, law = found.arrays["decoding_error"], found.facts.get("curves")
    if not len(errors) or errors.max() <= _EXACT:
        return ""
    by_law = f", by the law alone {number(law['error'], 3)}" if law is not None else ""
    return f"{number(float(errors.mean()), 3)} partitions a round on average{by_law}"


def _model(found: Any) -> str:
    keys = {key: value for key, value in found["keys"].items() if key != "model"}
    return f"{found['name']}, " + ", ".join(f"{key} = {value:.3g}" for key, value in keys.items())


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


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
    share, own = arrays["share"], arrays["own"]
    worked = np.repeat(share > 0, own.shape[1] // share.shape[1], axis=1)
    series: dict[str, Any] = {
        "rounds, measured": arrays["measured"],
        "rounds, predicted": arrays["predicted"],
        "workers' own seconds": own[worked],
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
