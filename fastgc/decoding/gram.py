"""How studies say what partial gradients have to do with each other: the tables target and gram."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.arrays import Values
from fastgc.codes.matrix import from_file
from fastgc.decoding.gradients import MOST_PARTITIONS, Gradients
from fastgc.errors import FastgcError
from fastgc.registry import Member
from fastgc.registry.complaints import check, lines
from fastgc.registry.given import IN_FULL, plain

if TYPE_CHECKING:
    Problem = Any
    Optimizer = Any
else:
    Problem = registry.union("problem", optional=True)
    Optimizer = registry.union("optimizer", optional=True)
_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Length = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Cosine = Annotated[float, Field(ge=-1, le=1)]
_Row = Annotated[tuple[_Finite, ...], Field(min_length=1)]
Target = Annotated[
    Literal["sum", "mean"] | Annotated[tuple[_Finite, ...], Field(min_length=1)],
    Field(
        description=(
            "The weights of the partial gradients in the gradient that is wanted: 1 each (sum, the "
            "default), 1/k each (mean), or a list with one a partition. The error is then "
            "‖Bx − target‖²."
        )
    ),
]


class Gram(Member):
    """Inner products of the partial gradients: the error is then that of the gradient, ‖ĝ − g‖².

    * ``file`` (str or Path, optional): A symmetric matrix, partitions × partitions, in a file such
      as a code's matrix may stand in.
    * ``rows`` (array_like (k, k), optional): The same, written out.
    * ``norms`` (array_like (k,), optional): The length of each partial gradient; 1 each by default.
    * ``correlation`` (float, optional): The cosine of the angle between any two partial gradients,
      from −1/(k − 1) to 1; 0 by default. With ``clusters``, between two of one cluster.
    * ``clusters`` (int, optional): So many sets of partial gradients, as data of several kinds make
      them: partition i is in cluster ⌊i · clusters/k⌋. 1 by default.
    * ``between`` (float, optional): With ``clusters``, the cosine between partial gradients of
      different ones; 0 by default.
    * ``problem`` (table, optional): A training problem: the inner products are those of the
      gradients of its partitions, runs of consecutive samples, of the mean loss; where training
      starts, if there is no ``optimizer``.
    * ``optimizer`` (table, optional): With ``problem`` and ``after``: how descent moves on, by
      whole gradients.
    * ``after`` (int, optional): With ``optimizer``: the steps after which gradients are looked at.
    * ``known`` (bool): Whether the master knows all this: optimal decoding then makes ‖ĝ − g‖²
      least. By default it does not, and decodes as ever.

    >>> Gram(norms=(1.0, 2.0), correlation=0.5).matrix(2).tolist()
    [[1.0, 1.0], [1.0, 4.0]]
    """

    file: str | None = None
    rows: Annotated[tuple[_Row, ...] | None, Field(min_length=1)] = None
    norms: Annotated[tuple[_Length, ...] | None, Field(min_length=1)] = None
    correlation: _Cosine | None = None
    clusters: Annotated[int | None, Field(ge=1)] = None
    between: _Cosine | None = None
    problem: Problem = None
    optimizer: Optimizer = None
    after: Annotated[int | None, Field(ge=1, le=100_000)] = None
    known: bool = False
    _read: Values | None = pydantic.PrivateAttr(default=None)

    @pydantic.model_validator(mode="after")
    def _one_source(self, info: pydantic.ValidationInfo) -> "Gram":
        made = ("norms", "correlation", "clusters", "between")
        given = [key for key in ("file", "rows", "problem") if getattr(self, key) is not None]
        models = [key for key in made if getattr(self, key) is not None]
        if len(given) + bool(models) != 1:
            got = " and ".join([*given, *models]) or "neither"
            raise ValueError(
                "give one of file, rows and problem, or norms, correlation and clusters "
                f"(got {got})"
            )
        if (self.optimizer is None) != (self.after is None) or (self.after and not self.problem):
            raise ValueError("optimizer and after go together, with problem only")
        if self.between is not None and self.clusters is None:
            raise ValueError("between goes with clusters only; take correlation")
        if self.file is not None:
            code = from_file(self.file, info.context)
            if code.obstacle is not None:
                raise ValueError(f"must be real ({code.obstacle})")
            self._read = code.B
        elif self.rows is not None:
            if {len(row) for row in self.rows} != {len(self.rows)}:
                raise ValueError(f"rows must be as long as they are many ({len(self.rows)})")
            self._read = np.array(self.rows)
        if self._read is not None:
            height, width = self._read.shape
            if height != width:
                raise ValueError(f"{self.file} must be square (got {height} × {width})")
            Gradients(np.ones(height), self._read)
        return self

    def matrix(self, k: int) -> Values:
        """Return G, (k, k)."""
        if k > MOST_PARTITIONS:
            raise FastgcError(f"is for at most {MOST_PARTITIONS} partitions (got {k})", "gram")
        if self._read is not None:
            if len(self._read) != k:
                raise FastgcError(f"must be {k} × {k} (got {len(self._read)} rows)", "gram")
            return self._read
        if self.problem is not None:
            return self._of_problem(self.problem, k)
        lengths = np.ones(k) if self.norms is None else np.array(self.norms)
        if lengths.size != k:
            raise FastgcError(f"must have {k} lengths (got {lengths.size})", "gram.norms")
        if self.clusters is not None and self.clusters > k:
            raise FastgcError(f"must be at most {k} (got {self.clusters})", "gram.clusters")
        cluster = np.arange(k) * (self.clusters or 1) // k
        same = cluster[:, np.newaxis] == cluster
        cosine = np.where(same, self.correlation or 0.0, self.between or 0.0)
        np.fill_diagonal(cosine, 1.0)
        return lengths[:, np.newaxis] * cosine * lengths

    def _of_problem(self, problem: Any, k: int) -> Values:
        try:
            parts = problem.partial_gradients(k, self.optimizer, self.after or 0)
        except FastgcError as reason:
            raise FastgcError(str(reason), "gram.problem") from None
        products = np.zeros((k, k))
        for column in parts.T:  # in one order, on every machine
            products += column[:, np.newaxis] * column
        return products

    def files(self) -> dict[str, Any]:
        """Return the rows of the file, or what the problem's data are."""
        if self.problem is not None:
            return dict(self.problem.files())
        return {} if self.file is None else {self.file: self._read}

    def identity(self) -> dict[str, Any]:
        """Name a matrix by its content: a file and the same rows written out are one."""
        found = self.settings()
        if self.file is not None and self._read is not None:
            del found["file"]
            found["rows"] = self._read.tolist()
        if self.problem is not None:
            found["problem"] = self.problem.identity()
        return found


def gradients_of(target: Any, gram: Gram | None, k: int) -> Gradients | None:
    """Return what a study's keys say of k partial gradients; None where they say nothing.

    Raises a `FastgcError` if they do not fit.
    """
    if isinstance(target, str) and target == "sum" and gram is None:
        return None
    named = {"sum": 1.0, "mean": 1.0 / k}
    t = np.full(k, named[target]) if isinstance(target, str) else np.array(target, np.float64)
    if t.size != k:
        raise FastgcError(f"must have {k} entries, one a partition (got {t.size})", "target")
    if gram is None:
        return Gradients(t)
    return Gradients(t, gram.matrix(k), gram.known)


class _Keys(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid", arbitrary_types_allowed=True)
    target: Target = "sum"
    gram: Gram | None = None


def gradients_given(target: Any, gram: Any, k: int) -> Gradients | None:
    """Return the same of what a caller gives: arrays, or what a study may say.

    >>> gradients_given(None, [[1.0, 0.5], [0.5, 1.0]], 2).square
    3.0
    """
    given: Mapping[str, Any] = {"target": "sum" if target is None else target, "gram": gram}
    data, complaints = plain(dict(given))
    if not complaints:
        data["gram"] = IN_FULL["gram"](data["gram"])
        found, complaints = check(_Keys, data)
        if found is not None:
            return gradients_of(found.target, found.gram, k)
    raise FastgcError("; ".join(lines(complaints)))
