"""What a decoding experiment says in a study."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.codes.family import Family
from fastgc.decoding.decoder import check_decoder
from fastgc.decoding.trial_decoder import MEASURES_OF_A_FIXED_MATRIX
from fastgc.errors import FastgcError
from fastgc.experiments.decoding.experiment import DecodingExperiment
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.experiments.table import Decoder, Finite, MeasuredTable, Shuffle, complaints_of_code
from fastgc.stragglers.adversarial import Adversarial
from fastgc.stragglers.stragglers import Stragglers


class DecodingTable(MeasuredTable):
    """The keys of a decoding experiment; ``code`` and ``stragglers`` are any registered members.

    Parameters
    ----------
    method : {"auto", "exact", "monte-carlo", "both"}
        The road: exact where it costs no more than the trials asked for, else sampled ("auto", the
        default); only exact; only sampled; or both.
    code : table
        Who holds which partition.
    stragglers : table
        Who does not answer.
    iterations : int
        Iterations of a trial, at most 1 000 000; 1 by default.
    rho : float, optional
        One-step decoding multiplies every survivor's answer by it; by default k/(r d) with r
        survivors, where d is the sum of a worker's weights in B, on average over workers. Needed
        where that is not positive.
    """

    ROOMS: ClassVar[tuple[str, ...]] = ("code", "stragglers")
    UNITS: ClassVar[Mapping[str, str]] = {name: each.unit for name, each in MEASURES.items()}

    kind: Literal["decoding"] = "decoding"
    method: Literal["auto", "exact", "monte-carlo", "both"] = "auto"
    code: Family
    stragglers: Stragglers
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    shuffle: Shuffle = "none"
    decoder: Decoder = "optimal"
    rho: Finite | None = None
    measure: tuple[str, ...] = ("error",)

    @classmethod
    def current(cls) -> type[DecodingTable]:
        """Return the class with the members that are registered now."""
        return _current()

    @cached_property
    def compiled(self) -> DecodingExperiment:
        """What answers every question about the point."""
        return DecodingExperiment(self)

    @classmethod
    def crossing(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (key path, sentence) for stragglers that do not fit the code's workers."""
        return complaints_of_code(parts["code"], parts["stragglers"])

    def misfits(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        if self.code.per_trial:
            return self._misfits_of_a_changing_matrix()
        if isinstance(self.stragglers, Adversarial):
            return self._misfits_of_the_worst_case()
        fits_any_code = self.decoder == "optimal" and self.rho is None
        if fits_any_code and not self.stragglers.looks_at_code:
            return []
        code = self.compiled.fixed_code
        found = []
        try:
            check_decoder(code, self.decoder, self.rho)
        except FastgcError as problem:
            found.append((problem.key or "decoder", problem.sentence))
        return found + [
            (f"stragglers.{field}", sentence)
            for field, sentence in self.stragglers.complaints_with(code, self.shuffle)
        ]

    def _misfits_of_a_changing_matrix(self) -> list[tuple[str, str]]:
        said = 'a matrix that stays; give code.seed a number instead of "trial"'
        found = [
            ("measure", f"{name} needs {said}")
            for name in self.measure
            if name in MEASURES_OF_A_FIXED_MATRIX
        ]
        if self.decoder == "class":
            found.append(("decoder", f'"class" needs {said}'))
        if isinstance(self.stragglers, Adversarial):
            found.append(("stragglers.model", f"adversarial needs {said}"))
        return found

    def _misfits_of_the_worst_case(self) -> list[tuple[str, str]]:
        found = []
        if self.method in ("monte-carlo", "both"):
            sentence = f'must be "auto" or "exact" for a worst case (got "{self.method}")'
            found.append(("method", sentence))
        if self.measure != ("error",):
            sentence = f'must be ["error"] with adversarial stragglers (got {list(self.measure)})'
            found.append(("measure", sentence))
        if self.iterations > 1 or self.shuffle != "none":
            sentence = "must be 1, without shuffling, with adversarial stragglers"
            found.append(("iterations", sentence))
        return found


@registry.made_once("code", "stragglers")
def _current() -> type[DecodingTable]:
    measure: Any = Literal[tuple(MEASURES)]
    return pydantic.create_model(
        "DecodingTable",
        __base__=DecodingTable,
        code=(registry.union("code"), ...),
        stragglers=(registry.union("stragglers"), ...),
        measure=(tuple[measure, ...], ("error",)),
    )
