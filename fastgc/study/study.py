"""What a study says: its experiments, the points they sweep, when to stop; and what is wrong."""

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pydantic
from pydantic import Field

from fastgc import experiments
from fastgc.errors import FastgcError, StudyError
from fastgc.experiments.table import Point
from fastgc.registry import Member, Table, toml
from fastgc.registry.complaints import Complaint, Location, check, show, unknown
from fastgc.registry.given import plain
from fastgc.study.points import NOTHING, assign, check_points, override, study_in_full, value_at
from fastgc.study.printed_numbers import PrintedTable
from fastgc.study.source import Source, refusal

_Precision = Annotated[float | None, Field(gt=0, allow_inf_nan=False)]


class Stop(Table):
    """When to stop: whichever comes first.

    * ``trials`` (int): At most this many for each point of an experiment; 1 000 000 by default.
    * ``seconds`` (float, optional): Wall-clock time of a run, more than 0.
    * ``relative_error`` (float, optional): 95 % half-width of the mean of the first measure, as a
      share of it.
    * ``absolute_error`` (float, optional): The same half-width in the measure's unit.
    * ``events`` (int): Non-zero outcomes without which precision is not judged, default 100.
    """

    trials: Annotated[int, Field(ge=1, le=10**18)] = 1_000_000
    seconds: _Precision = None
    relative_error: _Precision = None
    absolute_error: _Precision = None
    events: Annotated[int, Field(ge=1)] = 100


#: What to report and how to estimate it; all else in an experiment changes what happens in a trial.
_REPORTING = ("name", "method", "measure", "quantiles", "thresholds", "variance_reduction", "sweep")


class Study(Table):
    """A checked study; make one with `Study.parse`.

    * ``title`` (str): What the study is about, for people; empty by default.
    * ``seed`` (int): Of all that is drawn, 0 ≤ seed < 2⁶⁴; 1 by default.
    * ``common_random_numbers`` (bool): Whether all experiments see the same draws; false by
      default.
    * ``stop`` (Stop): When to stop sampling.
    * ``defaults`` (dict): Keys that all experiments of a file share; a parsed study has them in its
      experiments.
    * ``experiment`` (tuple of dict): The experiments as data, names and kinds filled in; `points`
      has them checked.
    * ``claim`` (tuple of dict): Statements that `fastgc.validate` measures, and a run does not.
    * ``measure`` (dict): How `fastgc.measure` runs it for real; a run leaves it alone.
    * ``ratio`` (tuple of (str, str)): Pairs of experiments whose ratio of means is wanted.
    * ``printed`` (tuple of PrintedTable): Numbers of a paper that pages and pictures show beside
      the measured ones.
    * ``files`` (dict): Contents of files that experiments name, by name; they are used in place of
      the files. Results keep a study with them, so that it can be repeated anywhere.

    >>> import fastgc
    >>> study = fastgc.Study.parse({"experiment": [{
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.1},
    ...     "sweep": {"stragglers.p": [0.1, 0.2]},
    ... }]})
    >>> [point.sweep for point in study.points()]
    [{'stragglers.p': 0.1}, {'stragglers.p': 0.2}]
    """

    title: str = ""
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    common_random_numbers: bool = False
    stop: Stop = Stop()
    defaults: Annotated[dict[str, Any], Field(default_factory=dict)]
    experiment: tuple[dict[str, Any], ...]
    claim: tuple[dict[str, Any], ...] = ()
    measure: Annotated[dict[str, Any], Field(default_factory=dict)]
    ratio: tuple[tuple[str, str], ...] = ()
    printed: tuple[PrintedTable, ...] = ()
    files: Annotated[dict[str, Any], Field(default_factory=dict)]
    _points: tuple[Point, ...] = pydantic.PrivateAttr(default=())
    _source: Source = pydantic.PrivateAttr()

    @classmethod
    def parse(
        cls,
        source: "Study | Mapping[str, Any] | str | Path",
        *,
        overrides: Sequence[str] = (),
        trials: float | None = None,
        seed: int | None = None,
        method: str | None = None,
    ) -> "Study":
        """Make a study, or say everything that is wrong with it.

        Parameters
        ----------
        source : str, Path, dict or Study
            A study file, the name of a packaged study, or the same as data. Data that has no
            ``experiment`` is one experiment.
        overrides : sequence of str
            Assignments like ``experiment.frc.code.d=4``; see `override`.
        trials, seed, method : optional
            Replace ``stop.trials``, ``seed`` and the ``method`` of every experiment.

        Raises
        ------
        StudyError
            One line for every mistake: file, key, what was found, what is allowed.

        Examples
        --------
        >>> study = Study.parse("agc/main", trials=1000)
        >>> study.stop.trials
        1000
        """
        given = source._source if isinstance(source, Study) else Source.of(source)
        data, complaints = plain(given.data)
        for name in ("design", "search"):
            if name in data and "experiment" not in data:
                raise StudyError([f"{given.where}: {name}: is a table for `fastgc {name}`"])
        if "claim" in data and "experiment" not in data:
            remedy = "`fastgc validate` measures them"
            raise StudyError([f"{given.where}: claim: holds claims and no experiment; {remedy}"])
        # beside a lone experiment's keys the study's own may stand; a table ``measure`` is one
        own = {
            key: value
            for key, value in data.items()
            if key in cls.model_fields and (key != "measure" or isinstance(value, dict))
        }
        single = given.file is None and "experiment" not in data and len(own) < len(data)
        if single:
            data = own | {"experiment": [{key: data[key] for key in data if key not in own}]}
        data, named = _with_names(data)

        def place(location: Location) -> Location:
            if len(location) < 2 or location[0] != "experiment" or not isinstance(location[1], int):
                return location
            if single:
                return location[2:]
            name = named[location[1]] if location[1] < len(named) else None
            return location if name is None else ("experiment", name, *location[2:])

        if complaints:
            raise refusal(given.where, complaints, place)
        for assignment in overrides:
            try:
                data = override(data, assignment)
            except FastgcError as problem:
                complaints.append(Complaint((), str(problem)))
        written = data
        data, wrong = study_in_full(data)
        complaints += wrong
        if trials is not None:
            assign(data, ["stop", "trials"], plain(trials)[0])
        if seed is not None:
            data["seed"] = plain(seed)[0]
        if method is not None and isinstance(data.get("experiment"), list):
            for table in data["experiment"]:
                assign(table, ["method"], method)
        changed = bool(overrides) or (trials, seed, method) != (None, None, None)
        study, more = _header(cls, data)
        points, wrong = _all_points(data, given.context(data))
        complaints += more + wrong
        if study is not None and not complaints:
            complaints += _cross_field_errors_of_ratios(study, points)
            complaints += [
                Complaint(("printed", i, *at), sentence)
                for i, table in enumerate(study.printed)
                for at, sentence in table.conflicts(points, study.ratio)
            ]
        if study is None or complaints:
            raise refusal(given.where, _of_defaults(complaints, written), place)
        study._points = tuple(points)
        text = given.text if given.text is not None and not changed else toml.dumps(data)
        study._source = Source(data, given.where, given.folder, given.file, text)
        return study

    def points(self) -> list[Point]:
        """Return every point of every experiment, in the order of the study."""
        return list(self._points)

    def text(self) -> str:
        """Return the study as TOML: its own text or the data written out, and the files it read.

        The text alone repeats the study, wherever its files have gone.
        """
        text = self._source.text or ""
        read: dict[str, Any] = {}
        for point in self._points:
            for member in itertools.chain(*(own for _, own in group_members(point.table))):
                read |= member.files()
        if read.keys() <= self.files.keys():
            return text
        files = self.files | plain(read)[0]
        data = tomllib.loads(text)
        if "files" in data:
            return toml.dumps(data | {"files": files})
        return f"{text.rstrip()}\n\n{toml.dumps({'files': files})}"

    @property
    def where(self) -> str:
        """The study's file, or "study", as messages call it."""
        return self._source.where

    @property
    def folder(self) -> Path:
        """Where relative file names start."""
        return self._source.folder

    def canonical(self, point: Point) -> str:
        """Return, as canonical JSON, all that decides what happens at a point, and nothing else.

        Two points with equal texts have the same trials: the title, the stop rules, the measures
        asked for and the names of files take no part; a matrix counts by its content.
        """
        table = {
            key: value for key, value in _identity(point.table).items() if key not in _REPORTING
        }
        return _json({"experiment": point.experiment, "table": table})

    def identity(self) -> str:
        """Return, as canonical JSON, all that decides a file of results, whatever its length."""
        points = [
            {"experiment": p.experiment, "sweep": p.sweep, "table": _identity(p.table)}
            for p in self._points
        ]
        own = {"seed": self.seed, "common": self.common_random_numbers, "ratio": self.ratio}
        return _json(own | {"points": points})


def _with_names(data: dict[str, Any]) -> tuple[dict[str, Any], list[str | None]]:
    tables = data.get("experiment")
    if not isinstance(tables, list):
        return data, []
    names = [table.get("name") if isinstance(table, dict) else None for table in tables]
    filled = [
        {"name": f"experiment{i}"} | table if isinstance(table, dict) else table
        for i, table in enumerate(tables, start=1)
    ]
    given = [
        name if isinstance(name, str) and name and names.count(name) == 1 else None
        for name in names
    ]
    return data | {"experiment": filled}, given


def _of_defaults(complaints: list[Complaint], written: dict[str, Any]) -> Iterator[Complaint]:
    # what is wrong in all experiments that take it from the shared keys is said once, of these
    shared, tables = written.get("defaults"), written.get("experiment")
    known = set(complaints)
    for at, said in complaints:
        keys = tuple(itertools.takewhile(lambda key: isinstance(key, str), at[2:]))
        heirs: list[int] = []
        if at[:1] == ("experiment",) and keys and value_at(shared, keys) is not NOTHING:
            heirs = [i for i, own in enumerate(tables or ()) if value_at(own, keys) is NOTHING]
        alike = all(Complaint(("experiment", i, *at[2:]), said) in known for i in heirs)
        yield Complaint(("defaults", *at[2:]) if heirs and alike else at, said)


# everything but the insides of the experiments
def _header(cls: type[Study], data: dict[str, Any]) -> tuple[Study | None, list[Complaint]]:
    outside = dict(data)
    complaints = []
    tables = data.get("experiment", [])
    if tables == [] or not isinstance(tables, list):
        sentence = "missing; a study needs at least one [[experiment]]"
        if tables != []:
            sentence = f"must be a list of tables, each written [[experiment]] (got {show(tables)})"
        complaints.append(Complaint(("experiment",), sentence))
        outside["experiment"] = tables = []
    study, more = check(cls, outside)
    complaints += more
    seen: dict[str, int] = {}
    for i, table in enumerate(tables):
        name = table["name"] if isinstance(table, dict) else None
        if not isinstance(name, str):
            continue  # said by the experiment's own model
        at = ("experiment", i, "name")
        if not name.strip() or name in (".", "..") or not name.isprintable():
            sentence = f"must be printable text other than . and .. (got {show(name)})"
            complaints.append(Complaint(at, sentence))
        elif name in seen:
            sentence = f"{show(name)} is the name of experiment[{seen[name]}]; choose another"
            complaints.append(Complaint(at, sentence))
        seen.setdefault(name, i)
    ratio = data.get("ratio")
    complaints += [
        Complaint(("ratio", i, j), unknown("experiment", name, seen))
        for i, pair in enumerate(ratio if isinstance(ratio, list) else ())
        for j, name in enumerate(pair if isinstance(pair, list) else ())
        if isinstance(name, str) and name not in seen
    ]
    return study, complaints


def _cross_field_errors_of_ratios(study: Study, points: list[Point]) -> list[Complaint]:
    found = []
    for i, (a, b) in enumerate(study.ratio):
        at = ("ratio", i)
        if a == b:
            found.append(Complaint(at, f"compares {show(a)} with itself; name another experiment"))
            continue
        upper, lower = ([p.sweep for p in points if p.experiment == name] for name in (a, b))
        if not any(sweep in lower for sweep in upper):
            swept = [", ".join(sweeps[0]) or "nothing" for sweeps in (upper, lower)]
            sentence = (
                f"{show(a)} and {show(b)} have no point in common, where a ratio would be taken "
                f"({show(a)} sweeps {swept[0]}, {show(b)} {swept[1]}); give both the same sweep"
            )
            found.append(Complaint(at, sentence))
    named = [f"{a}/{b}" for a, b in study.ratio]
    taken = {table["name"] for table in study.experiment}
    for i, name in enumerate(named):
        if name in taken or name in named[:i]:
            found.append(Complaint(("ratio", i), f"{show(name)} is a name already; rename one"))
    if study.ratio and not study.common_random_numbers:
        found.append(Complaint(("ratio",), "needs common_random_numbers = true"))
    return found


def _all_points(
    data: dict[str, Any], context: dict[str, Any]
) -> tuple[list[Point], list[Complaint]]:
    tables = data.get("experiment")
    points: list[Point] = []
    complaints: list[Complaint] = []
    kinds = experiments.kinds()
    for i, table in enumerate(tables if isinstance(tables, list) else ()):
        if not isinstance(table, dict):
            continue
        if table["kind"] not in list(kinds):
            sentence = unknown("kind", table["kind"], kinds)
            complaints.append(Complaint(("experiment", i, "kind"), sentence))
            continue
        found, wrong = check_points(kinds[table["kind"]], table, context)
        points += found
        complaints += [Complaint(("experiment", i, *at), sentence) for at, sentence in wrong]
    return points, complaints


def _identity(table: Table) -> dict[str, Any]:
    found = table.settings()
    for key, members in group_members(table):
        identities = [member.identity() for member in members]
        found[key] = identities if isinstance(getattr(table, key), tuple) else identities[0]
    return found


def group_members(table: pydantic.BaseModel) -> Iterator[tuple[str, tuple[Member, ...]]]:
    """Keys that hold a member or a list of members."""
    for key in type(table).model_fields:
        value = getattr(table, key)
        members = value if isinstance(value, tuple) else (value,)
        if members and all(isinstance(member, Member) for member in members):
            yield key, members


def _json(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
