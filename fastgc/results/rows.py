"""Results: rows for programs, estimates for people who ask for one number.

A row is one (experiment, point, quantity, statistic, index, method) with its value, uncertainty
and, where theory has one, the closed form beside it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastgc.arrays import Brief
from fastgc.errors import FastgcError
from fastgc.registry.display import NotebookTable, shown
from fastgc.registry.given import is_at
from fastgc.registry.number_types import counted
from fastgc.results import frames
from fastgc.results.verdict_data import COUNTEREXAMPLE as COUNTEREXAMPLE
from fastgc.results.verdict_data import NONE, Verdict
from fastgc.statistics.estimates import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from xarray import Dataset

CONFIDENCE = 0.95
_SHOWN = 4  #: Numbers in a line of text.
VARIANCE = "variance_reduction"
AT_MOST = "at_most"
EXACT = "exact"
ENUMERATION = "enumeration"
LOWER_BOUND = "lower-bound"
MONTE_CARLO = "monte-carlo"
CLOSED_FORM = "closed-form"
ENUMERATION_BOUNDS = "enumeration-bounds"
UNION_SAMPLING = "union-sampling"
#: The methods for events that plain sampling does not see.
RARE = (ENUMERATION_BOUNDS, UNION_SAMPLING)
#: Where a number has several rows, that of the first of these methods is taken.
PREFERENCE = (EXACT, ENUMERATION, LOWER_BOUND, *RARE, MONTE_CARLO, CLOSED_FORM, NONE)
#: With which power of the number of partitions the error's measures grow.
GROWTH = {"error": 1.0, "mean_error": 1.0, "error_by_survivors": 1.0, "error_lag": 2.0, "norm": 0.5}


def growth(quantity: str, statistic: str) -> float | None:
    """Return with which power of the number of partitions a statistic of an error grows.

    Codes of different numbers compare in what is divided by it. It is 0 where nothing grows, and
    None for a probability to exceed a threshold, which cannot be divided.
    """
    power = GROWTH.get(quantity, 0.0)
    if power and statistic.startswith("P("):
        return None
    return 2 * power if statistic == "variance" else power


@dataclass(frozen=True, repr=False)
class Row(Brief):
    """One number of a result.

    ``unit`` is None where none is known; ``relation`` and ``verdict`` are those of a claim's case.
    ``partitions`` are those of the code whose error it is, which decide what it can be compared to.
    ``printed`` are numbers of a paper that the study shows beside it; files keep them in the study.
    """

    experiment: str
    point: dict[str, Any]
    quantity: str
    statistic: str
    index: int | str | None
    method: str
    estimate: Estimate
    theory: float | None = None
    claim: str | None = None
    unit: str | None = None
    relation: str | None = None
    verdict: str | None = None
    partitions: int | None = None
    printed: tuple[float, ...] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON has it: with its 95 % interval, and without NaN."""
        low, high = self.estimate.interval(CONFIDENCE)
        names = ("experiment", "point", "quantity", "statistic", "index")
        row = {
            **{name: getattr(self, name) for name in names},
            "value": self.estimate.value,
            "standard_error": self.estimate.standard_error,
            "low": low,
            "high": high,
            "confidence": CONFIDENCE,
            "trials": self.estimate.trials,
            **{name: getattr(self, name) for name in ("method", "theory", "claim", "unit")},
        }
        said = {"relation": self.relation, "verdict": self.verdict, "note": self.estimate.note}
        found = row | {key: text for key, text in said.items() if text}
        if self.estimate.variance_reduction > 1:
            found[VARIANCE] = self.estimate.variance_reduction
        if self.estimate.at_most is not None:
            found[AT_MOST] = self.estimate.at_most
        return found

    def in_full(self) -> dict[str, Any]:
        """Return the row as `as_dict`, with every key; see `with_all_keys`."""
        return with_all_keys(self.as_dict())

    def noting(self, said: str | None) -> "Row":
        """Return the same row with another remark in its estimate's note, if there is one."""
        return self if said is None else replace(self, estimate=self.estimate.noting(said))

    @classmethod
    def of(cls, row: dict[str, Any], estimate: Estimate) -> "Row":
        """Return the row with this estimate of which `as_dict` gave this."""
        own: dict[str, Any] = {
            each.name: row.get(each.name) for each in fields(cls) if each.name != "estimate"
        }
        return cls(estimate=estimate, **own)


def stored_estimate(row: Mapping[str, Any]) -> Estimate:
    """Estimate of a row of a method for rare events, from what `Row.as_dict` gave."""
    ends = None if row["standard_error"] == 0 else (row["low"], row["high"])
    own = row["value"], row["standard_error"], row["trials"]
    return Estimate(*own, note=row.get("note"), ends=ends, at_most=row.get(AT_MOST))


def with_all_keys(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a file with every key: None, or no note, where there is nothing to say."""
    rare = "relation", "verdict", "note", VARIANCE, AT_MOST
    own = {key: value for key, value in row.items() if key not in rare}
    return own | {key: row.get(key) for key in rare} | {"note": row.get("note") or ""}


def _first_of(rows: Sequence[Row]) -> str:
    """Write the first numbers, means before others, each by the method that comes first."""
    said, several = dict[str, str](), len({row.quantity for row in rows}) > 1
    for row in sorted(
        rows, key=lambda row: (row.statistic != "mean", PREFERENCE.index(row.method))
    ):
        name = row.quantity * several + ("" if row.index is None else f"[{row.index}]")
        is_zero = frames.is_zero_minimum(row.statistic, row.estimate.value)
        found = repr(replace(row.estimate, value=0.0) if is_zero else row.estimate)
        said.setdefault(f"{name} {row.statistic}".lstrip(), found)
    more = [f"{len(said) - _SHOWN} more"] * (len(said) > _SHOWN)
    return ", ".join([" ".join(each) for each in said.items()][:_SHOWN] + more)


class Measurements(NotebookTable):
    """What was measured at one point: of all quantities, of one, or of one of its numbers.

    It is indexed by a quantity, like ``["error"]``, and then, where a quantity has several numbers,
    as one a worker, by which of them.

    * ``place``: where it was measured, for people.

    >>> import fastgc
    >>> result = fastgc.run(code=[[1, 0], [1, 1]], stragglers=0.1, measure=["exact", "survivors"])
    >>> point = result["experiment1"]
    >>> point["survivors"]
    <result: experiment1 survivors: [0] mean 0.01, [1] mean 0.18, [2] mean 0.81>
    >>> point["exact"].mean
    0.9
    """

    def __init__(self, place: str, rows: list[Row], index: int | str | None = None) -> None:
        self.place, self._index = place, index
        self._rows = [row for row in rows if index in (None, row.index)]

    def __repr__(self) -> str:
        return f"<{self.place}: {_first_of(self._rows)}>"

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, as `Result.rows` has them."""
        return [row.in_full() for row in self._rows]

    def __iter__(self) -> Iterator[str]:
        """Yield the quantities that were measured."""
        return iter(dict.fromkeys(row.quantity for row in self._rows))

    def __getitem__(self, key: int | str) -> "Measurements":
        """Return what was measured of one quantity, or, of a single one, with this index."""
        own = list(self)
        if key in own and self._index is None:
            rows = [row for row in self._rows if row.quantity == key]
            return Measurements(f"{self.place} {key}", rows)
        if key in [row.index for row in self._rows] and len(own) == 1:
            return Measurements(f"{self.place}[{key}]", self._rows, key)
        if len(own) == 1 and self.place.endswith(f" {own[0]}"):
            raise FastgcError(f"{self.place}: there is no index {key}")
        raise FastgcError(f"{self.place}: {key!r} was not measured; there is {', '.join(own)}")

    def statistic(self, name: str, method: str | None = None) -> Estimate:
        """Return the estimate of one statistic, like ``"mean"`` or ``"P(>2.0)"``.

        Exact values come before Monte Carlo, unless ``method`` says otherwise. Raises FastgcError
        if there is none, or there are several quantities or numbers of which it may be.
        """
        if len(own := list(self)) > 1:
            like = f"[{json.dumps(own[0])}].{name}"
            raise FastgcError(f"{self.place}: name one quantity, like {like}")
        fitting = [
            row
            for row in self._rows
            if (row.statistic, row.index) == (name, self._index) and method in (None, row.method)
        ]
        if not fitting:
            have = ", ".join(dict.fromkeys(row.statistic for row in self._rows))
            known = [row.index for row in self._rows if row.statistic == name]
            if self._index is None and any(index is not None for index in known):
                asked = name if name[0] != "P" else f"above({name[3:-1]})"
                raise FastgcError(
                    f"{self.place}: has a {name} at {len(set(known))} indices; index it, like "
                    f"[{json.dumps(self._rows[0].quantity)}][{json.dumps(known[-1])}].{asked}"
                )
            own = [row.method for row in self._rows if row.statistic == name]
            if method is not None and own:
                name, have = f"{name} by {method}", " or ".join(dict.fromkeys(own))
            raise FastgcError(f"{self.place}: there is no {name}; there is {have}")
        row = min(fitting, key=lambda row: PREFERENCE.index(row.method))
        found = replace(row.estimate, method=row.method)
        if found.method == "exact" and found.note is not None and found.low is None:
            return replace(found, method="exact, in doubt")
        return found

    @property
    def mean(self) -> Estimate:
        """Estimate of the mean over trials."""
        return self.statistic("mean")

    @property
    def variance(self) -> Estimate:
        """Estimate of the variance of one value."""
        return self.statistic("variance")

    @property
    def minimum(self) -> Estimate:
        """Estimate of the smallest value."""
        return self.statistic("minimum")

    @property
    def maximum(self) -> Estimate:
        """Estimate of the largest value."""
        return self.statistic("maximum")

    def quantile(self, level: float) -> Estimate:
        """Return the estimate of a quantile that the study asked for."""
        return self.statistic(f"quantile({float(level)!r})")

    def above(self, threshold: float) -> Estimate:
        """Return the estimate of P(> threshold), for one that the study asked for."""
        return self.statistic(f"P(>{float(threshold)!r})")


@dataclass(frozen=True, repr=False)
class Result(NotebookTable):
    """The numbers that a study measured.

    ``entries``: one for every number; ``title``: the study's title; ``stopped_by``: what ended
    sampling: ``"trials"``, a precision rule, or the interruption; ``complete``: whether a stop rule
    ended the run; otherwise the same command goes on; ``path``: the file that keeps it, if any;
    ``verdicts``: of a validation: what `fastgc.validate` returned.

    >>> import fastgc
    >>> result = fastgc.run(code=fastgc.codes.frc(n=8, d=2), stragglers=0.1, measure=["exact"])
    >>> result
    <Result: 1 point, 2 rows; experiment1: mean 0.96059601>
    >>> result["exact"].mean.method
    'exact'
    """

    entries: list[Row]
    title: str = ""
    stopped_by: str = "trials"
    complete: bool = True
    path: Path | None = None
    verdicts: list[Verdict] = field(default_factory=list)

    def __repr__(self) -> str:
        points = frames.grouped(self.entries, lambda row: (row.experiment, json.dumps(row.point)))
        of = f"{counted(len(points), 'points')}, {counted(len(self.entries), 'rows')}"
        own = next(iter(points.values()), [])
        first = f"; {own[0].experiment}: {_first_of(own)}" if own else ""
        title = f" {self.title[:60]!r}" if self.title else ""
        return f"<{type(self).__name__}{title}: {of}{first}>"

    def __str__(self) -> str:
        return shown("tables").result_text(self)  # type: ignore[no-any-return]

    def plot(
        self,
        *,
        kind: str | None = None,
        experiment: str | Sequence[str] = (),
        quantity: str | None = None,
        ax: "Axes | None" = None,
        out: str | Path | None = None,
    ) -> "Axes":
        """Draw it and return the axes of matplotlib; the arguments are those of `fastgc.plot`."""
        how = {"kind": kind, "experiment": experiment, "quantity": quantity, "ax": ax, "out": out}
        return shown("pictures").plot(self, **how)  # type: ignore[no-any-return]

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, ready for JSON or a data frame; all have all keys."""
        return [row.in_full() for row in self.entries]

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the experiments."""
        return iter(dict.fromkeys(row.experiment for row in self.entries))

    def __getitem__(self, key: str | tuple[str, Mapping[str, Any]]) -> Measurements:
        """Return an experiment's results, or those of a point: ``result["frc", {"code.d": 2}]``.

        Of a single experiment the name may be left out: ``result["error"]`` is what was measured of
        the error, and ``result["error", {"code.d": 2}]`` that of a point.
        """
        point: dict[str, Any]
        match key:
            case str():
                name, point = key, {}
            case (str(name), Mapping() as swept):
                point = dict(swept)
            case _:
                said = 'an experiment, like "frc", or one with a point, like "frc", {"code.d": 2}'
                raise FastgcError(f"result: must be asked for {said} (got {key!r})")
        [only, *others] = list(self) or [name]
        if not others and name != only and any(row.quantity == name for row in self.entries):
            return self[only, point][name]
        self._require(name)
        mine = [row for row in self.entries if row.experiment == name]
        fitting = [row for row in mine if is_at(row.point, point)]
        points: list[dict[str, Any]] = []
        for row in fitting:
            if row.point not in points:
                points.append(row.point)
        if not points:
            have = f"there is {mine[0].point}" if mine[0].point else "nothing is swept"
            raise FastgcError(f"result: {name} has no point {point}; {have}")
        if len(points) > 1:
            raise FastgcError(
                f"result: {name} has {len(points)} such points; say which, like {points[0]}"
            )
        return Measurements(f"result: {name}", fitting)

    def to_pandas(self) -> "DataFrame":
        """Return the rows as a data frame of pandas, with a column for each swept key.

        Raises FastgcError if pandas is not installed.
        """
        return frames.to_pandas(self.rows())

    def to_xarray(self, experiment: str | None = None) -> "Dataset":
        """Return the rows as an xarray dataset.

        Its dimensions are ``experiment``, ``road`` (exact, monte-carlo, closed-form), each swept
        key, ``stragglers.p`` as ``stragglers_p``, and ``QUANTITY_index``; of keys that are swept
        together, one is a dimension and the others are its coordinates. Its variables are
        ``error_mean`` and the like, with ``…_standard_error``, ``…_low`` and ``…_high``; not a
        number where there is no such row. Where an experiment does not sweep a key that others do,
        its rows stand at the coordinate that is not a number, or no text.

        ``experiment``: only the rows of this one, with its swept keys alone. Raises FastgcError if
        xarray is not installed, there is no such experiment, or the rows are no grid.
        """
        if experiment is not None:
            self._require(experiment)
        rows = [row for row in self.rows() if experiment in (None, row["experiment"])]
        dataset: Dataset = frames.to_xarray(rows)
        return dataset

    def _require(self, experiment: str) -> None:
        if experiment not in self:
            have = ", ".join(self)
            raise FastgcError(f"result: there is no experiment {experiment!r}; there is {have}")
