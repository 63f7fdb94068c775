"""What an iteration sends and computes: gcada, (17) to (22)."""

from __future__ import annotations

from fastgc.errors import FastgcError
from fastgc.theory.cases.training import SAMPLES, after, everybody, selecting
from fastgc.theory.common.arguments import check_count, check_not_negative
from fastgc.theory.gcada import paper
from fastgc.theory.gcada.cases import (
    CADA,
    GCADA_3,
    GCADA_4,
    Run,
    both,
    periodic,
    training,
)
from fastgc.theory.gcada.selection import bound
from fastgc.theory.papers.claim import MISPRINT, REFUTED, Cases

CADA_RUNS = (CADA, periodic(4, 8), periodic(1, 11))
GCADA_RUNS = (GCADA_3, GCADA_4, periodic(1, 2, 4))


@paper.elementwise
def communication_load(selected: float, d: int = 1) -> float:
    """Downloads and uploads x (d + 1) of an iteration that selects x groups of d; gcada (17)–(19).

    Exact for the mean number x that is selected, an upper bound for a bound of it.

    >>> communication_load(12), communication_load(3, 4)
    (24.0, 15.0)
    """
    check_count("d", d, 1)
    check_not_negative(selected=selected)
    return selected * (d + 1.0)


@paper.claim("adam.communication.printed", "(17)", category="definition")
def _() -> Cases:
    """Distributed Adam downloads and uploads 2 M times in an iteration, M times each."""
    for workers in (12, 3):
        theory = communication_load(workers)
        yield from both("communication", theory, training(everybody(workers), 20))
        for quantity in ("downloads", "uploads"):
            yield after(selecting(everybody(workers), 1), quantity, workers)


@paper.claim("cada.communication.printed", "(18)", relation="<=")
def _() -> Cases:
    """CADA downloads and uploads at most 2 M' times in an iteration, M' the bound (12) (with L_0
    infinite)."""
    return _loads(CADA_RUNS, "communication")


@paper.claim("g-cada.communication.printed", "(19)", relation="<=")
def _() -> Cases:
    """G-CADA downloads and uploads at most G' (M_G + 1) times in an iteration, G' the bound (15)
    (with L_0 infinite)."""
    return _loads(GCADA_RUNS, "communication")


@paper.elementwise
def computation_load(selected: float, d: int = 1, batch: int = 1) -> float:
    """Gradients μ x d computed in an iteration that selects x groups of d; gcada (20)–(22).

    >>> computation_load(12), computation_load(3, 4, batch=100)
    (12.0, 1200.0)
    """
    check_count("d", d, 1)
    check_count("batch", batch, 1)
    check_not_negative(selected=selected)
    return float(batch * selected * d)


@paper.claim("adam.computation.printed", "(20)", category="definition")
def _() -> Cases:
    """Distributed Adam computes mu M gradients in an iteration."""
    for workers, batch in ((12, 1), (12, 2), (3, 4)):
        theory = computation_load(workers, batch=batch)
        yield from both("computation", theory, training(everybody(workers, batch), 20))
        yield after(selecting(everybody(workers, batch), 1), "gradients", theory)


@paper.claim(
    "cada.computation.corrected",
    "(21), corrected",
    relation="<=",
    corrects="cada.computation.printed",
    proof="The load is mu times the mean number of selected workers, which (12) bounds, as (18) "
    "and (22) say of the other loads.",
)
def _() -> Cases:
    """CADA computes at most mu M' gradients in an iteration, M' the bound (12) (with L_0
    infinite)."""
    return _loads(CADA_RUNS, "computation")


@paper.claim("cada.computation.printed", "(21)", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """CADA computes mu M' gradients in an iteration, M' the bound (12) (with L_0 infinite; beside
    (21) the loads (18), (19) and (22) are printed as at most that)."""
    return _loads(CADA_RUNS, "computation")


@paper.claim("g-cada.computation.printed", "(22)", relation="<=")
def _() -> Cases:
    """G-CADA computes at most mu G' M_G gradients in an iteration, G' the bound (15) (with L_0
    infinite)."""
    return _loads(GCADA_RUNS, "computation")


@paper.elementwise
def group_size(communication: float, computation: float) -> float:
    """Workers of a group M_G that two loads imply: (19) over (22) is (M_G + 1)/M_G for μ = 1.

    >>> group_size(12292, 9219), group_size(19292, 9646)
    (3.0, 1.0)
    """
    if not 0.0 < computation < communication:
        raise FastgcError(
            f"communication, computation: got {communication} and {computation}, but the first "
            "must be larger than the second, and both above 0"
        )
    return computation / (communication - computation)


def _loads(runs: tuple[Run, ...], quantity: str) -> Cases:
    """What runs send or compute against that of as many units as the bounds (12) and (15) say."""
    for run in runs:
        held = SAMPLES // run.units if run.batch is None else run.batch
        most = {
            "communication": communication_load(bound(run), run.d),
            "computation": computation_load(bound(run), run.d, held),
        }
        yield from both(quantity, most[quantity], run.trained)
