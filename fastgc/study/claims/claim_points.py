"""The points of a claim's experiment: its tables, the names they give, what is shown of them."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from fastgc import experiments
from fastgc.errors import FastgcError
from fastgc.experiments.table import Point
from fastgc.registry.complaints import TAG_KEYS, Complaint, Key, Location, nearest, show, unknown
from fastgc.statistics.tallies import Histogram
from fastgc.study.claims.claim_table import ClaimTable
from fastgc.study.expressions.expression import Names
from fastgc.study.expressions.functions import Value, singular_values
from fastgc.study.points import assign, check_points, experiment_kind, swept_keys, value_at
from fastgc.study.study import group_members

#: Each costs an experiment, and makes the intervals of all others wider.
LARGEST_GRID = 10_000
#: Keys of an experiment that keys of the claim say, or the command.
_SAID_BY: dict[Key, Location] = {
    "measure": ("quantity",),
    "quantiles": ("statistic",),
    "thresholds": ("statistic",),
}
SAID = dict.fromkeys(_SAID_BY, "is said by the claim's quantity and statistic; leave it out") | {
    "method": "is chosen for all claims by `fastgc validate --method`; leave it out"
}
_NO_NUMBERS = ("name", "kind", "sweep", *SAID)


@dataclass(frozen=True)
class ClaimPoint:
    """One point at which a claim is measured."""

    point: Point  #: The checked experiment.
    experiment: dict[str, Any]  #: The experiment's table as data, files by absolute names.
    against: dict[str, Any] | None  #: The second experiment's.
    names: Names  #: What expressions may name.
    shown: dict[str, Any]  #: The parameters, for people.

    @property
    def partitions(self) -> int:
        """Partitions of the experiment's code, 1 without one."""
        return int(self.names.lookup("code.k")) if "code.k" in self.names else 1  # type: ignore[arg-type]


def claim_points(claim: ClaimTable, folder: Path) -> tuple[list[ClaimPoint], list[Complaint]]:
    """Check a claim's experiment at every point, and what it is compared with.

    ``folder``: where relative file names start.
    """
    given = claim.experiment
    sweep = given.get("sweep")
    complaints = [
        Complaint(("experiment", *at, key), SAID[key])
        for at, keys in (((), given), (("sweep",), sweep))
        if isinstance(keys, dict)
        for name in keys
        for key in swept_keys(name)
        if key in SAID
    ]
    kinds = experiments.kinds()
    kind = experiment_kind(given)
    if kind not in list(kinds):
        complaints.append(Complaint(("experiment", "kind"), unknown("kind", kind, kinds)))
    if complaints:
        return [], complaints
    table = {"name": claim.id, **given, "kind": kind, **claim.reporting}
    context = {"folder": folder, "files": {}}
    points, wrong = check_points(kinds[kind], table, context)
    complaints = [
        Complaint(_SAID_BY.get(at[0], ("experiment", *at)) if at else ("experiment",), sentence)
        for at, sentence in wrong
    ]
    if len(points) > LARGEST_GRID and not complaints:
        sentence = f"must have at most {LARGEST_GRID} points (got {len(points)})"
        complaints = [Complaint(("experiment", "sweep"), sentence)]
    if complaints:
        return [], complaints
    found = []
    for point in points:
        data = copy.deepcopy({k: x for k, x in table.items() if k not in ("name", "sweep")})
        for key, value in point.sweep.items():
            assign(data, key.split("."), copy.deepcopy(value))
        other, second = None, None
        if claim.against is not None:
            other, second, wrong = _against(claim.against, data, context)
            complaints += wrong
            if wrong:
                break
        flat = dict(_flat({key: each for key, each in data.items() if key not in _NO_NUMBERS}))
        named = Names(flat)
        shown: dict[str, Any] = {named.short(path): each for path, each in flat.items()}
        if other is not None:  # what differs there, families and models too
            before, after = dict(_flat(data, tags=True)), _flat(other, tags=True)
            shown["against"] = {key: each for key, each in after if before.get(key) != each}
        found.append(
            ClaimPoint(
                point=point,
                experiment=_with_absolute_files(data, point, folder),
                against=None if other is None else _with_absolute_files(other, second, folder),
                names=_names(point, second),
                shown=shown,
            )
        )
    return found, complaints


def _against(
    changes: dict[str, Any], data: dict[str, Any], context: dict[str, Any]
) -> tuple[dict[str, Any], Point | None, list[Complaint]]:
    # as data and checked, or what is wrong with it
    other = copy.deepcopy(data)
    if not changes:
        sentence = 'changes nothing; say what differs, like { "code.d" = 4 }'
        return other, None, [Complaint(("against",), sentence)]
    for key in ("name", "kind", "sweep", *SAID):
        if key in changes:
            sentence = "is the same in both experiments; leave it out"
            return other, None, [Complaint(("against", key), sentence)]
    for key, value in changes.items():
        keys = key.split(".")
        if not assign(other, keys, _merged(value_at(other, keys), value)):
            sentence = f"{'.'.join(keys[:-1])} is no table, so nothing in it can be changed"
            return other, None, [Complaint(("against", key), sentence)]
    points, wrong = check_points(
        experiments.kinds()[data["kind"]], {"name": "against", **other}, context
    )
    complaints = [type(each)(("against", *each.location), each.sentence) for each in wrong]
    return other, points[0] if points else None, complaints


def _merged(before: Any, value: Any) -> Any:
    """Return a table with keys changed; one that names its family or model replaces all."""
    if not isinstance(before, dict) or not isinstance(value, dict) or value.keys() & TAG_KEYS:
        return value
    return before | {key: _merged(before.get(key), each) for key, each in value.items()}


def _with_absolute_files(data: dict[str, Any], point: Point | None, folder: Path) -> dict[str, Any]:
    assert point is not None
    members = [member for _, several in group_members(point.table) for member in several]
    files = {name for member in members for name in member.files()}
    start = folder.absolute()

    def absolute(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: absolute(each) for key, each in value.items()}
        if isinstance(value, list):
            return [absolute(each) for each in value]
        return str(start / value) if isinstance(value, str) and value in files else value

    found: dict[str, Any] = absolute(data)
    return found


def _names(point: Point, second: Point | None) -> Names:
    # numbers and lists by their paths, and the sizes of the code and the system
    data = point.table.model_dump(mode="json", exclude_none=True)
    found: dict[str, Value] = {
        path: value
        for path, value in _flat({k: x for k, x in data.items() if k not in _NO_NUMBERS})
        if not isinstance(value, bool)
    }
    code, sigma = getattr(point.table, "code", None), None
    if code is not None:
        sigma = singular_values(lambda: code.build().B)
        found.setdefault("code.n", code.number_of_workers())
        if "code.k" not in found:
            found["code.k"] = code.build().k
    system = getattr(point.table, "system", None)
    if system is not None:
        found["system.workers"] = system.workers()
    return Names(found, None if second is None else _names(second, None), sigma)


def _flat(
    table: Mapping[str, Any], above: str = "", *, tags: bool = False
) -> Iterator[tuple[str, Any]]:
    """Values by their paths, families and models only with ``tags``; lists of tables as text."""
    for key, value in table.items():
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]  # one law of all workers
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.", tags=tags)
        elif isinstance(value, list) and any(isinstance(each, list | dict) for each in value):
            yield above + key, show(value)
        elif tags or key not in TAG_KEYS:
            yield above + key, value


Offered = dict[str, list[int | str | None]]


def cross_field_errors(claim: ClaimTable, point: ClaimPoint) -> Iterator[Complaint]:
    """Yield what is wrong with a claim's statistic or index for its quantity."""
    try:
        known = offered(point.point)
    except FastgcError as problem:
        yield Complaint(("experiment",), str(problem))
        return
    if claim.statistic not in known:
        near = nearest(claim.statistic, known)
        sentence = f"{claim.quantity} has no {claim.statistic}{near or ';'}"
        yield Complaint(("statistic",), f"{sentence} it has {', '.join(known)}")
        return
    indices = known[claim.statistic]
    for index in claim.indices:
        if index in indices:
            continue
        if indices == [None]:
            sentence = f"{claim.quantity} is one number; leave index out (got {show(index)})"
        else:
            got = "missing" if index is None else f"there is no {show(index)}"
            first, last = indices[0], indices[-1]
            listed = ", ".join(map(show, indices))
            if isinstance(first, int) and indices == [*range(first, first + len(indices))]:
                listed = f"{first} to {last}"
            sentence = f"{got}; the indices of {claim.quantity} are {listed}"
        yield Complaint(("index",), sentence)


def offered(point: Point) -> Offered:
    """Return the indices of each statistic of the first measure at a point.

    Raises FastgcError if the experiment cannot be prepared.
    """
    experiment, table = point.compiled, point.table
    if experiment.exact_method.is_worst_case:
        return {"maximum": [None]}  # of a worst case, which nothing samples
    sums = [Fraction(0)] * experiment.measures.cells
    histograms = [Histogram() for _ in range(experiment.measures.histograms)]
    found: Offered = {}
    for _, statistic, index, _ in experiment.rows(0, sums, histograms):
        found.setdefault(statistic, []).append(index)
    if None in found.get("variance", []):
        # a distribution, of which no trials say nothing else
        for statistic in (
            "minimum",
            "maximum",
            *(f"quantile({level!r})" for level in table.quantiles),
            *(f"P(>{threshold!r})" for threshold in table.thresholds),
        ):
            found[statistic] = [None]
    return found
