"""What does not fit together in a decoding experiment, though each part is sound."""

from __future__ import annotations

from collections.abc import Callable

from fastgc.codes.code import Code
from fastgc.decoding.decoder import check_decoder
from fastgc.decoding.trial_decoder import MEASURES_OF_A_FIXED_MATRIX
from fastgc.errors import FastgcError
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.experiments.decoding.table import DecodingTable
from fastgc.registry.complaints import show
from fastgc.stragglers.fixed_number import Adversarial

#: Key path and sentence.
Misfits = list[tuple[str, str]]


def misfits(table: DecodingTable, code_of_table: Callable[[], Code]) -> Misfits:
    """Return what does not fit; the code is made only where it is looked at."""
    if isinstance(table.stragglers, Adversarial):
        return _of_the_worst_case(table)
    fits_any_code = table.decoder == "optimal" and table.rho is None
    fits_any_code = fits_any_code and "stability" not in table.measure
    if fits_any_code and not table.stragglers.looks_at_code:
        return []
    code = code_of_table()
    found = []
    try:
        check_decoder(code, table.decoder, table.rho)
    except FastgcError as problem:
        found.append((problem.key or "decoder", problem.sentence))
    if "stability" in table.measure and code.obstacle is not None:
        sentence = "stability is that of sums of real answers as long as the gradient"
        found.append(("measure", f"{sentence}, and {code.obstacle}"))
    return found + [
        (f"stragglers.{field}", sentence)
        for field, sentence in table.stragglers.complaints_with(code, table.shuffle)
    ]


def misfits_of_changing_code(table: DecodingTable) -> Misfits:
    """Return what does not fit where the code has a new matrix in every trial."""
    said = 'a matrix that stays; give code.seed a number instead of "trial"'
    found = [
        ("measure", f"{name} needs {said}")
        for name in table.measure
        if name in MEASURES_OF_A_FIXED_MATRIX or name not in MEASURES
    ]
    if table.decoder not in ("optimal", "one-step"):
        name = table.settings()["decoder"]
        found.append(("decoder", f"{show(name)} needs {said}"))
    if isinstance(table.stragglers, Adversarial):
        found.append(("stragglers.model", f"adversarial needs {said}"))
    return found


def _of_the_worst_case(table: DecodingTable) -> Misfits:
    found = []
    if table.method in ("monte-carlo", "both", "rare"):
        sentence = f'must be "auto" or "exact" for a worst case (got "{table.method}")'
        found.append(("method", sentence))
    if table.measure != ("error",):
        sentence = f'must be ["error"] with adversarial stragglers (got {list(table.measure)})'
        found.append(("measure", sentence))
    if table.iterations > 1 or table.shuffle != "none":
        sentence = "must be 1, without shuffling, with adversarial stragglers"
        found.append(("iterations", sentence))
    return found
