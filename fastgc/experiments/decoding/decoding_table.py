"""What a decoding experiment says in a study."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fastgc import registry
from fastgc.codes.code import Code
from fastgc.codes.family import Family
from fastgc.decoding.rule import DecodingRule
from fastgc.experiments.decoding.measures import MEASURES, class_of
from fastgc.experiments.measures import statistic_unit
from fastgc.experiments.table import (
    Decoder,
    Errors,
    Finite,
    MeasuredTable,
    Shuffle,
    decoding_errors,
)
from fastgc.registry.complaints import show
from fastgc.stragglers.stragglers import Stragglers
from fastgc.stragglers.uniform import Adversarial


class DecodingTable(MeasuredTable):
    """The keys of a decoding experiment; ``code`` and ``stragglers`` are any registered members.

    * ``method`` ({"auto", "exact", "monte-carlo", "both", "rare"}): Exact where it costs no more
      than the trials asked for, else sampled ("auto", the default), with rare events on methods of
      their own; only exact; only sampled; both; or only the probabilities of events, on the methods
      for rare ones.
    * ``code`` (table): Who holds which partition.
    * ``stragglers`` (table): Who does not answer.
    * ``iterations`` (int): Iterations of a trial, at most 1 000 000; 1 by default.
    * ``rho`` (float, optional): One-step decoding multiplies every survivor's answer by it; by
      default k/(r d) with r survivors, where d is the sum of a worker's weights in B, on average
      over workers. Needed where that is not positive.
    * ``variance_reduction`` (bool): Whether sampled means of one iteration are conditioned on the
      number of stragglers, where its law is known; true by default.
    """

    GROUPS: ClassVar[tuple[str, ...]] = ("code", "stragglers")
    UNITS: ClassVar[Mapping[str, str]] = {name: each.unit for name, each in MEASURES.items()}

    kind: Literal["decoding"] = "decoding"
    method: Literal["auto", "exact", "monte-carlo", "both", "rare"] = "auto"
    code: Family
    stragglers: Stragglers
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    shuffle: Shuffle = "none"
    decoder: Decoder | DecodingRule = "optimal"
    rho: Finite | None = None
    variance_reduction: bool = True
    measure: tuple[str, ...] = ("error",)

    @classmethod
    def measures(cls) -> tuple[str, ...]:
        return (*MEASURES, *registry.members("measure"))

    @classmethod
    def unit(cls, measure: str, statistic: str) -> str:
        own: Any = registry.members("measure").get(measure)
        unit = cls.UNITS[measure] if own is None else own.unit
        return statistic_unit(unit, statistic)


# ---- What does not fit together in a decoding experiment, though each part is sound


def cross_field_errors(table: DecodingTable, code_of_table: Callable[[], Code]) -> Errors:
    """Return what does not fit; the code is made only where it is looked at."""
    if isinstance(table.stragglers, Adversarial):
        found = []
        if table.method not in ("auto", "exact"):
            said = f'must be "auto" or "exact" for a worst case (got "{table.method}")'
            found.append(("method", said))
        if table.measure != ("error",):
            said = f'must be ["error"] with adversarial stragglers (got {list(table.measure)})'
            found.append(("measure", said))
        if table.iterations > 1 or table.shuffle != "none":
            found.append(
                ("iterations", "must be 1, without shuffling, with adversarial stragglers")
            )
        return found
    fits_any_code = table.decoder == "optimal" and table.rho is None
    if fits_any_code and not ("stability" in table.measure or table.stragglers.looks_at_code):
        return []
    code = code_of_table()
    found = decoding_errors(table, code)
    if "stability" in table.measure and code.obstacle is not None:
        sentence = "stability is that of sums of real answers as long as the gradient"
        found.append(("measure", f"{sentence}, and {code.obstacle}"))
    return found


def changing_code_errors(table: DecodingTable) -> Errors:
    """Return what does not fit where the code has a new matrix in every trial."""
    said = 'a matrix that stays; give code.seed a number instead of "trial"'
    found = [
        ("measure", f"{name} needs {said}")
        for name in table.measure
        if class_of(name).needs_fixed_matrix
    ]
    if table.decoder not in ("optimal", "one-step"):
        name = table.settings()["decoder"]
        found.append(("decoder", f"{show(name)} needs {said}"))
    if isinstance(table.stragglers, Adversarial):
        found.append(("stragglers.model", f"adversarial needs {said}"))
    return found
