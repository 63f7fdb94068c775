"""What the tables of all kinds of experiments share: what is measured, and how they are pickled."""

import functools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypedDict, TypeVar, get_args

import numpy as np
import pydantic
from numpy.typing import ArrayLike
from pydantic import Field

from fastgc import registry
from fastgc.codes.code import AnyCode, Code
from fastgc.decoding.decoder import check_decoder
from fastgc.decoding.rule import DECODERS, by_name
from fastgc.errors import FastgcError
from fastgc.experiments.experiment import Experiment
from fastgc.experiments.measures import statistic_unit
from fastgc.registry import Table

T = TypeVar("T")
#: Key paths, and a sentence for each.
Errors = list[tuple[str, str]]
Open = Annotated[float, Field(gt=0, lt=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]

Shuffle = Annotated[
    Literal["none", "random", "cyclic"],
    Field(
        description=(
            "Which column of B a worker has: always its own (none, the default); by a permutation "
            "drawn anew in each iteration (random); or column (j + l) mod n for worker j in "
            "iteration l = 0, 1, … (cyclic)."
        )
    ),
]
Decoder = Annotated[
    Literal["optimal", "one-step", "fixed", "class"],
    Field(
        description=(
            "How a pattern is decoded: by least squares (optimal, the default); by rho times the "
            "sum of the answers (one-step); by their sum times 1/(d (1 - p)) or rho (fixed), where "
            "d is the mean replication and p the mean probability to straggle; or by the sum of a "
            "complete class of workers (class)."
        )
    ),
]


def rho_of(table: Any, code: Any) -> float | None:
    """Return ρ of an experiment's decoder; of "fixed" 1/(d (1 − p)) where it is not given.

    d is the mean replication, for other weights than 1 the mean sum of a row; None where the law of
    the stragglers does not say how many there are on average, or none answers.
    """
    is_real = code.obstacle is None  # others have the optimal decoder alone
    if table.decoder != "fixed" or table.rho is not None or not is_real:
        return table.rho  # type: ignore[no-any-return]
    model, n = table.stragglers, code.n
    law = None if model is None else model.bind(code)
    if law is None:
        alive = 1.0
    elif (p := law.independent(n)) is not None:
        alive = 1 - math.fsum(p) / n
    elif (counts := law.survivor_counts(n)) is not None:
        alive = math.fsum(r * float(share) for r, share in enumerate(counts)) / n
    else:
        late = getattr(model, "stragglers", None)  # so many, placed by an adversary
        alive = 0.0 if late is None else 1 - late / n
    total = math.fsum(code.columns.values.tolist()) / code.k * alive
    return 1 / total if total > 0 else None


class MeasuredTable(registry.ExperimentTable):
    """The keys of every experiment.

    * ``name`` (str): What rows call the experiment; by default experiment1, experiment2, …
    * ``kind`` ({"decoding", "completion", "training"}): What is measured: errors of decoding,
      completion times, or descent. By default what the keys settle: training with ``problem``, else
      completion with ``system`` or ``latency``, else decoding.
    * ``measure`` (tuple of str): What to measure, the first one to the precision asked for.
    * ``quantiles`` (tuple of float): Levels between 0 and 1 of the quantiles wanted; none by
      default.
    * ``thresholds`` (tuple of float): Values t, in the measure's unit, of which P(> t) is wanted;
      none by default.
    * ``sweep`` (dict of str to list): Key paths, like "stragglers.p", and the values that each
      takes, a list or a range like { from = 0.01, to = 0.5, count = 9, scale = "log" }: all
      combinations are points of the experiment. Keys with commas between, like "code.n, code.d", go
      through lists of values together: [[8, 2], [12, 3]] are two points, not four.

    * ``UNITS`` (mapping of str to str): Each measure, and its value's unit; "1" for pure numbers.
    """

    UNITS: ClassVar[Mapping[str, str]] = {}

    name: str = "experiment1"
    kind: str
    measure: tuple[str, ...]
    quantiles: tuple[Open, ...] = ()
    thresholds: tuple[Finite, ...] = ()
    sweep: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    method: str

    @pydantic.field_validator("measure")
    @classmethod
    def _once(cls, measure: tuple[str, ...]) -> tuple[str, ...]:
        if not measure:
            raise ValueError("must name at least one measure")
        if len(set(measure)) != len(measure):
            raise ValueError(f"must name each measure once (got {list(measure)})")
        return measure

    @property
    def wanted(self) -> list[Any]:
        """What is asked for of the same draws: of it a tally's form depends."""
        wanted: list[Any] = [self.measure, self.quantiles, self.thresholds]
        return wanted if getattr(self, "variance_reduction", True) else [*wanted, "plain"]

    @classmethod
    def measures(cls) -> tuple[str, ...]:
        """Return the names of all measures that there are now."""
        return tuple(cls.UNITS)

    @classmethod
    def current(cls) -> type[Self]:
        """Return the class with the members that are registered now."""
        groups = (*cls.GROUPS, *(key for key in ("decoder", "latency") if key in cls.model_fields))
        members = tuple(member for group in groups for member in registry.members(group).values())
        found: type[Self] = _current(cls, members, cls.measures())
        return found

    @classmethod
    def member_errors(cls, parts: dict[str, Any]) -> Errors:
        code, stragglers = parts["code"], parts["stragglers"]
        if code is None or stragglers is None:
            return []
        try:
            n = code.number_of_workers()
        except FastgcError as problem:
            return [("code", str(problem))]
        return [(f"stragglers.{field}", sentence) for field, sentence in stragglers.complaints(n)]

    @classmethod
    def unit(cls, measure: str, statistic: str) -> str:
        """Unit of a statistic of a measure."""
        return statistic_unit(cls.UNITS[measure], statistic)

    @cached_property
    def compiled(self) -> Experiment[Any]:
        """What answers every question about the point; made once, and in no pickle."""
        return KINDS[self.kind].experiment(self)

    def cross_field_errors(self) -> Errors:
        return self.compiled.cross_field_errors()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as fields: the class with the members registered here is made anew elsewhere."""
        return _restored, (self.kind, {key: getattr(self, key) for key in type(self).model_fields})


@functools.lru_cache(maxsize=8)
def _current(cls: Any, members: tuple[type, ...], measures: tuple[str, ...]) -> Any:
    from fastgc.latency import listed  # kinds without times need no laws

    fields: dict[str, Any] = {}
    for key, field in cls.model_fields.items():
        is_left_out = field.default is None
        if key == "latency":
            kind = operator.or_(listed.laws(), None) if is_left_out else listed.laws()
        elif key in cls.GROUPS:
            kind = registry.union(key, optional=is_left_out)
        elif key == "measure":
            kind = tuple[Literal[measures], ...]  # type: ignore[valid-type]
        elif key == "decoder":
            own = registry.members("decoder")  # fastgc's own are words, not members
            names: Any = Literal[(*DECODERS, *own)]
            either = operator.or_(names, registry.union("decoder")) if own else names
            read = pydantic.BeforeValidator(by_name, json_schema_input_type=either)
            kind = Annotated[either, read, get_args(Decoder)[1]]
        else:
            continue
        fields[key] = kind, ... if field.is_required() else field.default
    return pydantic.create_model(cls.__name__, __base__=cls, **fields)


class Kind(NamedTuple):
    """A kind of experiment: the class of its tables, and that of its compiled points."""

    table: type[MeasuredTable]
    experiment: type[Experiment[Any]]


class Kinds(Mapping[str, T]):
    """Something of every kind of experiment; a kind's modules are imported when it is asked for.

    A package ``fastgc.experiments.NAME`` gives its own as ``KIND``.
    """

    _NAMES = ("decoding", "completion", "training")

    def __init__(self, of: Callable[[Kind], T]) -> None:
        self._of = of

    def __getitem__(self, name: str) -> T:
        if name not in self._NAMES:
            raise KeyError(name)
        return self._of(import_module(f"fastgc.experiments.{name}").KIND)

    def __iter__(self) -> Iterator[str]:
        return iter(self._NAMES)

    def __len__(self) -> int:
        return len(self._NAMES)


KINDS = Kinds(lambda kind: kind)


def _restored(name: str, fields: dict[str, Any]) -> MeasuredTable:
    return KINDS[name].table.current().model_construct(**fields)


def decoding_errors(table: Any, code: Code) -> Errors:
    """(key path, sentence) for a decoder and stragglers that do not fit a code."""
    found = []
    try:
        check_decoder(code, table.decoder, rho_of(table, code))
    except FastgcError as problem:
        found.append((problem.key or "decoder", problem.sentence))
    if table.stragglers is None:
        return found
    complaints = table.stragglers.complaints_with(code, table.shuffle)
    return found + [(f"stragglers.{field}", sentence) for field, sentence in complaints]


# ---- A point of a study: an experiment with every swept key at one of its values

#: A table of a study in Python: the object that it makes, like a law, or its keys.
AnyTable = Table | Mapping[str, Any]


class ExperimentKeys(TypedDict, total=False):
    """The keys of experiments of all kinds as `fastgc.run` takes them, all but ``method``."""

    name: str
    kind: Literal["decoding", "completion", "training"]
    measure: Sequence[str]
    quantiles: Sequence[float]
    thresholds: Sequence[float]
    sweep: Mapping[str, Sequence[Any] | Mapping[str, Any]]
    code: AnyCode
    stragglers: AnyTable | ArrayLike
    iterations: int
    shuffle: Literal["none", "random", "cyclic"]
    decoder: str | AnyTable
    rho: float
    variance_reduction: bool
    system: AnyTable
    work: float
    latency: AnyTable | Sequence[AnyTable]
    scaling: Literal["server-dependent", "data-dependent", "additive", "recorded"]
    port: AnyTable
    between_rounds: Literal["cancel", "finish"]
    problem: AnyTable
    selection: AnyTable
    optimizer: AnyTable
    target_loss: float


@dataclass(frozen=True)
class Point:
    """One point of one experiment's grid.

    * ``experiment``: the experiment's name.
    * ``sweep``: the swept keys and their values here; empty without a sweep.
    * ``table``: the experiment with these values in place, fully checked.
    """

    experiment: str
    sweep: dict[str, Any]
    table: MeasuredTable

    @property
    def compiled(self) -> Experiment[Any]:
        """What answers every question about the point; made once."""
        return self.table.compiled


_End = Annotated[int, Field()] | Annotated[float, Field(allow_inf_nan=False)]


class Range(Table):
    """Values of a swept key from one end to the other, in place of a list.

    Values are rounded to 6 digits, so that they are the same on every machine; between ends that
    are written as whole numbers they are whole numbers, each once.

    * ``from`` (number): The first value.
    * ``to`` (number): The last one.
    * ``count`` (int): How many values, 2 to 100 000.
    * ``scale`` ({"linear", "log"}): Whether neighbours have equal differences (the default) or
      equal ratios.
    """

    first: Annotated[_End, Field(alias="from")]
    to: _End
    count: Annotated[int, Field(ge=2, le=100_000)]
    scale: Literal["linear", "log"] = "linear"

    def cross_field_errors(self) -> Errors:
        if self.first == self.to:
            return [("to", f"must differ from the other end (got {self.to} twice)")]
        if self.scale == "log" and min(self.first, self.to) <= 0:
            return [("scale", '"log" needs ends above 0; take "linear"')]
        return []

    def values(self) -> list[int | float]:
        """Return the values."""
        spaced = np.geomspace if self.scale == "log" else np.linspace
        inner = spaced(self.first, self.to, self.count)[1:-1].tolist()
        found = [self.first, *(float(f"{value:.6g}") for value in inner), self.to]
        if isinstance(self.first, int) and isinstance(self.to, int):
            return list(dict.fromkeys(round(value) for value in found))
        return [float(value) for value in found]
