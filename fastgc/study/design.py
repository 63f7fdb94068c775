"""What a study says that asks for the best system: its table ``[design]``, and what is wrong."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.errors import FastgcError, StudyError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Scaling, listed
from fastgc.latency.empirical import Empirical
from fastgc.latency.law import Positive
from fastgc.latency.recording import Recording, idle
from fastgc.registry.complaints import Complaint, check, nearest, show
from fastgc.registry.given import plain
from fastgc.study.source import Source, refusal
from fastgc.systems.system import FAMILIES, Candidates, Cluster, System, Workers
from fastgc.systems.timing.rounds import BetweenRounds, Port
from fastgc.systems.uncoded import SpeedSystem, Uncoded

#: Keys of which a scheme may need some.
_KEYS = ("stragglers", "layers", "tasks", "deadline", "chunks", "coordinates")

#: Rows of a recording, as a multiple of those that say how fast workers are, at least.
_TIMES_BASIS = 4

#: Rounds of a run or trial, at most.
MOST_ITERATIONS = 100_000

#: A goal with a number, and goals to choose from.
_QUANTILE = re.compile(r"quantile\(\s*([0-9.eE+-]+)\s*\)")
GOALS = ("mean", "quantile(0.99)")


def quantile_level(goal: str) -> float:
    """Return the level of a goal that is a quantile; NaN where it is none."""
    match = _QUANTILE.fullmatch(goal)
    try:
        return float(match[1]) if match else math.nan
    except ValueError:
        return math.nan


def schemes() -> dict[str, type[System]]:
    """Return the families of systems that are registered, by name, in their precedence."""
    found = cast(dict[str, type[System]], registry.members("system"))
    place = {name: i for i, name in enumerate(FAMILIES)}
    return dict(sorted(found.items(), key=lambda item: place.get(item[0], len(place))))


class Placement:
    """Places by the order ``fastest`` of all workers, None where they are alike by law."""

    def __init__(self, fastest: Sequence[int] | None) -> None:
        self.fastest = None if fastest is None else tuple(fastest)
        self._traces: dict[tuple[int, tuple[int, ...]], tuple[Recording, Recording]] = {}

    def places(self, system: System) -> list[int] | None:
        """Return the worker of each place of a system; None where workers keep their order."""
        if self.fastest is None or system.settling_rule() is not None:
            return None
        found = system.structure().placed(self.fastest)
        return None if found == list(range(len(self.fastest))) else found

    def of(self, trace: Recording, places: Sequence[int]) -> Recording:
        """Return a trace's workers in their places; systems with equal places share one."""
        key = (id(trace), tuple(places))
        if key not in self._traces:
            self._traces[key] = trace, trace.of(places)
        return self._traces[key][1]


def fastest(laws: Sequence[Any], workers: int) -> list[int] | None:
    """Return workers by their mean times, the fastest first; None where all have one law."""
    keys: list[tuple[float, Any]] = []
    if len(laws) > 1:
        try:
            keys = [(law.time().mean(), repr(law)) for law in laws]
        except FastgcError:  # a law that only draws has no mean that is known
            return None
    elif isinstance(laws[0], Empirical) and laws[0].order != "pooled":
        trace = laws[0].trace
        columns = trace.values if laws[0].order == "workers" else trace.rows.T
        keys = [(float(own.mean()), own.tobytes()) for own in columns if own.size]
    return sorted(range(workers), key=keys.__getitem__) if len(keys) == workers else None


def _once(schemes: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if schemes is not None and not schemes:
        raise ValueError("must name at least one scheme, or be left out for all")
    if schemes is not None and len(set(schemes)) != len(schemes):
        raise ValueError(f"must name each scheme once (got {list(schemes)})")
    return schemes


def _goal(goal: str) -> str:
    if goal == "mean" or 0 < quantile_level(goal) < 1:
        return goal
    near = "" if goal.startswith("quantile(") else nearest(goal, GOALS)
    raise ValueError(
        'must be "mean", or "quantile(q)" with 0 < q < 1 like "quantile(0.99)" (got '
        f"{show(goal)}){near}"
    )


class DesignTable(registry.Table):
    """The keys of ``[design]``.

    * ``workers`` (int): Workers that there are, at most 100 000.
    * ``schemes`` (tuple of str, optional): Families of systems to choose from; by default all that
      offer some for these workers and have the keys that they need, like ``stragglers``.
    * ``computation`` ({"gradient", "linear"}, optional): What workers compute. For gradients (the
      default) systems that code linear computations alone, k-of-n and hierarchical, are left out;
      ``"linear"`` ranks them, and so do ``schemes`` and keys that name them.
    * ``goal`` (str): What is to be as small as possible: the ``"mean"`` (the default) or
      ``"quantile(q)"``, 0 < q < 1, of the completion time.
    * ``work`` (float): The load of all data together, more than 0; 1 by default.
    * ``latency`` (Law or tuple of Law): The law of the seconds that a load of 1 takes: one for all
      workers, or a list of one each, as in a completion experiment.
    * ``scaling`` (str): How times grow with the load, as in a completion experiment.
    * ``port`` (Port): How the master, and parents in a tree, receive; by default at once.
    * ``stragglers`` (int, optional): Workers that ignore-stragglers does not wait for.
    * ``layers`` (int, optional): Layers of tasks in hierarchical systems.
    * ``tasks`` (int, optional): Answers that these need together, at most layers · workers.
    * ``deadline`` (float, optional): Seconds after which drop-late stops waiting, and clones begin
      a further copy.
    * ``chunks`` (int, optional): Chunks that a worker of ``partial`` or ``batches`` may hold.
    * ``coordinates`` (int, optional): Coordinates that ``block`` shares out among blocks.
    * ``basis`` (int): Rows of a recording before each round that say how fast workers are, for
      systems that share out work by speed; 10 by default.
    * ``between_rounds`` ({"cancel", "finish"}): What workers do that are late when a round is over:
      drop it and begin the next one with the others (the default), or finish it before they take up
      the round that is on. With ``"finish"`` rows of a recording must be replayed.
    * ``iterations`` (int, optional): Rounds of a trial with ``between_rounds = "finish"`` where no
      rows say them, 100 by default: its time is their mean, and all workers are free at first.
    * ``confidence`` (float): How sure it must be that no system dropped was better than the first;
      .95 by default.
    * ``trials`` (int): At most so many for each system that is sampled; 1 000 000 by default.
    * ``seed`` (int): Of all that is sampled; 1 by default.
    * ``most_load`` (float, optional): Largest share of the work that a worker may be given.
    * ``unit`` (str): What times are in, for tables; by default what recordings say, "units" where
      they do not, and "seconds" of other laws.
    """

    workers: Workers
    schemes: Annotated[tuple[str, ...] | None, pydantic.AfterValidator(_once)] = None
    computation: Literal["gradient", "linear"] | None = None
    goal: Annotated[str, pydantic.AfterValidator(_goal)] = "mean"
    work: Positive = 1.0
    latency: Any
    scaling: Scaling = "server-dependent"
    port: Port = Port()
    stragglers: Annotated[int | None, Field(ge=1)] = None
    layers: Workers | None = None
    tasks: Annotated[int | None, Field(ge=1)] = None
    deadline: Positive | None = None
    chunks: Workers | None = None
    coordinates: Annotated[int | None, Field(ge=1)] = None
    basis: Annotated[int, Field(ge=1, le=1_000_000)] = 10
    between_rounds: BetweenRounds = "cancel"
    iterations: Annotated[int | None, Field(ge=2, le=MOST_ITERATIONS)] = None
    confidence: Annotated[float, Field(gt=0, le=0.999999)] = 0.95
    trials: Annotated[int, Field(ge=1, le=10_000_000)] = 1_000_000
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    most_load: Annotated[float | None, Field(gt=0, le=1)] = None
    unit: Annotated[str, Field(min_length=1, max_length=24)] = "seconds"

    @property
    def level(self) -> float | None:
        """The quantile's level; None where the goal is another."""
        return None if self.goal == "mean" else quantile_level(self.goal)

    @property
    def times_in(self) -> str:
        """The unit that is given, or that recordings say; "units" where they say none, or two."""
        parts = [part for law in self.latency for part in listed.recorded(law)]
        if "unit" in self.model_fields_set or not parts:
            return self.unit
        units = frozenset[str | None]().union(*(part.trace.units for part in parts))
        return (next(iter(units)) if len(units) == 1 else None) or "units"

    @property
    def wanted(self) -> tuple[str, ...]:
        """The schemes to choose from."""
        if self.schemes is not None:
            return self.schemes
        found = []
        for name, family in schemes().items():
            asked_for = any(map(self._gives, family.DESIGN_KEYS))
            # a linear one fits the computation, or was asked for by a key that only it needs
            fits = not family.LINEAR or self.computation == "linear"
            fits |= self.computation is None and asked_for
            if name not in self.unfit and fits and (asked_for or not family.DESIGN_KEYS):
                found.append(name)
        return tuple(found)

    @property
    def unfit(self) -> dict[str, str]:
        """Schemes that offer nothing for so many workers, and why where they say it."""
        return {name: found for name, found in self._offers.items() if isinstance(found, str)}

    def candidates(self, scheme: str) -> Sequence[Candidates]:
        """Return the systems that a scheme offers. Raises FastgcError if it offers none."""
        found = self._offers.get(scheme) or self._ask(scheme)
        if isinstance(found, str):
            raise FastgcError(f'design.schemes: {found}; leave "{scheme}" out')
        return found

    @cached_property
    def _offers(self) -> dict[str, Sequence[Candidates] | str]:
        asked = [name for name, family in schemes().items() if not family.DESIGN_KEYS]
        if self.schemes is not None:
            asked = [name for name in asked if name in self.schemes]
        return {name: self._ask(name) for name in asked}

    def _ask(self, scheme: str) -> Sequence[Candidates] | str:
        keys = ("workers", "stragglers", "layers", "tasks", "deadline", "basis", "chunks")
        cluster = Cluster(**{key: getattr(self, key) for key in (*keys, "coordinates")})
        try:
            found = schemes()[scheme].candidates(cluster)
        except FastgcError as problem:
            return str(problem)
        return found or f"{scheme} offers no system for {self.workers} workers"

    def _gives(self, key: str) -> bool:
        return getattr(self, key) is not None

    def cross_field_errors(self) -> list[tuple[str, str]]:
        alone = self.scenario(Uncoded(n=self.workers)).cross_field_errors()
        found = [each for each in alone if each[0] in ("latency", "scaling")]

        def refuse(key: str, is_wrong: bool, sentence: str) -> None:
            found.extend([(key, sentence)] * is_wrong)

        wanted = self.wanted
        for key in _KEYS:
            needing = [name for name, family in schemes().items() if key in family.DESIGN_KEYS]
            chosen = [name for name in needing if name in wanted]
            said = f"belongs to {' or '.join(needing)}, which schemes does not name; name or drop"
            refuse(key, self._gives(key) and not chosen, f"{said} it")
            missing = bool(chosen) and not self._gives(key)
            refuse(key, missing, f"missing; scheme {show(chosen[0] if chosen else None)} needs it")
        late, most = self.stragglers or 0, (self.layers or 0) * self.workers
        said = f"must be less than workers (got {late} of {self.workers})"
        refuse("stragglers", late >= self.workers, said)
        said = f"must be at most layers · workers = {most} (got {self.tasks})"
        refuse("tasks", self.layers is not None and (self.tasks or 0) > most, said)
        linear = [name for name in self.schemes or () if schemes()[name].LINEAR]
        said = f'must be "linear" for {" and ".join(linear)}, or schemes without'
        refuse("computation", self.computation == "gradient" and bool(linear), said)
        recorded = [(i, p) for i, law in enumerate(self.latency) for p in listed.recorded(law)]
        for i, part in recorded:
            which, behind = listed.which(self.latency, i), part.behind_barrier()
            is_refused = behind is not None and part.barrier == "refuse"
            refuse("latency", is_refused, f'{which}{behind}; barrier = "ignore" ranks them')
            why = idle(part.trace)
            refuse("latency", why is not None, f"{which}{part.file}: {why}")
        finish, finishes = 'between_rounds = "finish"', self.between_rounds == "finish"
        said = f"belongs to {finish}; give it, or drop iterations"
        refuse("iterations", self.iterations is not None and not finishes, said)
        said = f"must be 0 with {finish}, for how late answers pass it is not modelled"
        said = f"receive: {said} (got {self.port.receive:g})"
        refuse("port", finishes and self.port.receive > 0, said)
        said = f'order: must be "replay" with {finish}, for rounds follow each other (got "rows")'
        rows = finishes and self._has_rows
        refuse("latency", rows and self.latency[0].order == "rows", said)
        said = f'must be "mean" with {finish}, where a trial is a sequence of rounds'
        said = f"{said}; a completion experiment has quantiles of a round (got {show(self.goal)})"
        rows_alone = self._has_rows and self.scaling != "additive"
        refuse("goal", finishes and self.level is not None and not rows_alone, said)
        for name in [name for name in wanted if name in self.unfit]:
            refuse("schemes", True, f'{self.unfit[name]}; leave "{name}" out')
        return found

    def scenario(self, system: System) -> Scenario:
        """Return one system on the workers, of which those that are slow on average stay idle."""
        latency, places = self.latency, self.placement.places(system)
        if places is not None and len(latency) > 1:
            latency = tuple(latency[j] for j in places)
        if self._has_rows:
            [law] = latency
            if system.LOOKS_BACK and law.order == "rows":
                law = law.model_copy(update={"order": "replay"})
            if system.rows_before() and not self._by_speed:
                least = f"{_TIMES_BASIS} · basis = {_TIMES_BASIS * self.basis}"
                raise FastgcError(f"the recording has fewer than {least} rows")
            if not system.rows_before() and self._by_speed:
                law = law.on(self._after_basis)
            latency = (law,)
        if places is not None and len(latency) == 1:
            [law] = latency
            latency = (law.on(self.placement.of(law.trace, places)),)
        timed = self.work, self.scaling, self.port
        return Scenario(system, latency, *timed, between_rounds=self.between_rounds)

    @cached_property
    def placement(self) -> Placement:
        """Which worker takes which place of a system."""
        return Placement(fastest(self.latency, self.workers))

    @cached_property
    def _has_rows(self) -> bool:
        """Whether rows of one recording are taken whole."""
        law = self.latency[0]
        rows = len(self.latency) == 1 and isinstance(law, Empirical)
        return rows and law.order in ("rows", "replay")

    @cached_property
    def _after_basis(self) -> Recording:
        """The rows that systems are timed in where some look at those before."""
        trace: Recording = self.latency[0].trace
        return trace.after(self.basis)

    @cached_property
    def _by_speed(self) -> bool:
        """Whether some scheme shares out work by the rows before, of which there are enough."""
        wanted = [name for name in self.wanted if issubclass(schemes()[name], SpeedSystem)]
        return bool(wanted) and len(self.latency[0].trace.rows) >= _TIMES_BASIS * self.basis


def table() -> type[DesignTable]:
    """The table with the laws that are registered now."""
    scheme: Any = Literal[tuple(schemes())]
    return pydantic.create_model(
        "DesignTable",
        __base__=DesignTable,
        schemes=(Annotated[tuple[scheme, ...] | None, pydantic.AfterValidator(_once)], None),
        latency=(listed.laws(), ...),
    )


def study() -> type[registry.Table]:
    """A whole study that asks for the best system: ``title``, ``design`` and ``files``."""
    return pydantic.create_model(
        "DesignStudy",
        __base__=registry.Table,
        title=(str, ""),
        design=(table(), ...),
        measure=(dict[str, Any], Field(default_factory=dict)),
        files=(dict[str, Any], Field(default_factory=dict)),
    )


def parse(source: Mapping[str, Any] | str | Path) -> DesignTable:
    """Read a study with a table ``[design]``, or say everything that is wrong with it.

    ``source``: a study file, or the same as data; a dict without ``design`` is that table itself.

    Raises StudyError with one line for every mistake: file, key, what was found, what is allowed.
    """
    given = Source.of(source)
    data, complaints = plain(given.data)
    alone = given.file is None and not data.keys() & {"design", "experiment"}
    if alone:
        data = {"design": data}
    if "design" not in data:
        sentence = "missing; what to choose from, and for what, stands in a table [design]"
        if "experiment" in data:
            sentence = "missing; experiments are for `fastgc run`, and [design] is needed here"
        raise StudyError([f"{given.where}: design: {sentence}"])
    found = None
    if not complaints:
        found, complaints = check(study(), data, given.context(data))
    if found is not None:
        made: DesignTable = found.design  # type: ignore[attr-defined]
        complaints = [
            Complaint(("design", *key.split(".")), text) for key, text in made.cross_field_errors()
        ]
        if not complaints:
            return made
    raise refusal(
        given.where, complaints, lambda at: at[1:] if alone and at[:1] == ("design",) else at
    )
