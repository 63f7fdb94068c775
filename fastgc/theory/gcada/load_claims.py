"""Claims of paper gcada on communication and computation: (17) to (22)."""

from __future__ import annotations

from functools import partial

from fastgc.theory import gcada
from fastgc.theory.cases.training import after, everybody, selecting
from fastgc.theory.gcada.cases import CADA, GCADA_3, GCADA_4, ITERATIONS, PAPER, Chosen, periodic
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="gcada", relation="=")

_WORKERS = (CADA, periodic(4, 8), periodic(1, 11))
_GROUPS = (GCADA_3, GCADA_4, periodic(1, 2, 4))


def load_claims() -> tuple[Claim, ...]:
    """Claims on downloads, uploads and gradients of an iteration."""
    return (*_communication_claims(), *_computation_claims())


def _communication_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="gcada.adam.communication.printed",
            statement="Distributed Adam downloads M and uploads M times in an iteration",
            citation=f"{PAPER}, (17)",
            expected="confirmed",
            cases=tuple(
                after(selecting(everybody(workers), 20), quantity, 20 * workers)
                for workers in (3, 12)
                for quantity in ("downloads", "uploads")
            ),
        ),
        _claim(
            id="gcada.cada.communication.printed",
            statement="CADA downloads and uploads at most 2 M' times, M' each, M' as corrected",
            citation=f"{PAPER}, (18)",
            relation="<=",
            expected="confirmed",
            cases=tuple(_load(run, q) for run in _WORKERS for q in ("downloads", "uploads")),
        ),
        _claim(
            id="gcada.g-cada.communication.printed",
            statement=(
                "G-CADA downloads and uploads at most G' (M_G + 1) times, G' M_G and G', G' as "
                "corrected"
            ),
            citation=f"{PAPER}, (19)",
            relation="<=",
            expected="confirmed",
            cases=tuple(_load(run, q) for run in _GROUPS for q in ("downloads", "uploads")),
        ),
    )


def _computation_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="gcada.adam.computation.printed",
            statement="Distributed Adam computes mu M gradients in an iteration",
            citation=f"{PAPER}, (20)",
            expected="confirmed",
            cases=tuple(
                after(
                    selecting(everybody(workers, batch), 20),
                    "gradients",
                    20 * gcada.computation_load(workers, batch=batch),
                )
                for workers, batch in ((3, 4), (12, 1), (12, 2))
            ),
        ),
        _claim(
            id="gcada.cada.computation.printed",
            statement="CADA computes mu M' gradients in an iteration, M' the bound (12)",
            citation=f"{PAPER}, (21)",
            expected="refuted",
            cases=tuple(_load(run, "gradients") for run in _WORKERS),
        ),
        _claim(
            id="gcada.cada.computation.corrected",
            statement="CADA computes at most mu M' gradients in an iteration",
            citation=f"{PAPER}, (21), corrected",
            relation="<=",
            expected="confirmed",
            cases=tuple(_load(run, "gradients") for run in _WORKERS),
        ),
        _claim(
            id="gcada.g-cada.computation.printed",
            statement="G-CADA computes at most mu G' M_G gradients in an iteration",
            citation=f"{PAPER}, (22)",
            relation="<=",
            expected="confirmed",
            cases=tuple(_load(run, "gradients") for run in _GROUPS),
        ),
    )


def _load(run: Chosen, quantity: str) -> Case:
    each = {"downloads": run.d, "uploads": 1, "gradients": run.gradients}[quantity]
    scale = ITERATIONS * run.units * each
    return after(run.experiment, quantity, ITERATIONS * run.bound * each, scale=scale)
