"""How often a worker or group is selected (paper gcada, (7), (9), (12), (15), Algorithm 1).

A unit, a worker of CADA or a group of G-CADA, is selected in iteration k if L² ‖θ^k − θ^(k−τ)‖²
exceeds c Σ ‖θ^(k+1−d) − θ^(k−d)‖² over the last D = ``window`` iterations, or if its age τ calls
for a refresh: at τ ≥ D (``refresh`` = "at"), or at τ > D ("after").
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, elementwise


@elementwise
def quiet_iterations(smoothness: float, c: float, window: int) -> float:
    """Iterations d in which a unit is never selected by (7): largest d ≤ D with L² ≤ c/d. Exact.

    By Cauchy–Schwarz ‖θ^k − θ^(k−d)‖² ≤ d Σ ‖steps‖², so that L² d ≤ c keeps the condition.

    >>> [quiet_iterations(L, 2.0, 10) for L in (0.0, 0.5, 1.0, 2.0)]
    [10.0, 8.0, 2.0, 0.0]
    """
    check_count("window", window, 1)
    _not_negative("smoothness", smoothness)
    _not_negative("c", c)
    square = smoothness * smoothness
    if square * window <= c:
        return float(window)
    d = math.floor(c / square)
    # c / square may be rounded across a whole number
    while square * (d + 1) <= c:
        d += 1
    while square * d > c:
        d -= 1
    return float(d)


@elementwise
def selection_period(smoothness: float, c: float, window: int, refresh: str = "after") -> float:
    """Least number of iterations between two selections of a unit; gcada (12), corrected.

    One more than `quiet_iterations`, but D at most where a unit is refreshed at age D.

    >>> selection_period(0.0, 2.0, 10), selection_period(0.0, 2.0, 10, "at")
    (11.0, 10.0)
    """
    period = float(quiet_iterations(smoothness, c, window)) + 1.0
    return min(period, float(refresh_period(window, refresh)))


@elementwise
def refresh_period(window: int, refresh: str = "after") -> float:
    """Iterations after which a unit is selected whatever it holds: D + 1 ("after") or D ("at").

    Section IV says that the age is "larger than D", Section III and Algorithm 1 "τ ≥ D".

    >>> refresh_period(10), refresh_period(10, "at")
    (11.0, 10.0)
    """
    check_count("window", window, 1)
    if refresh not in ("at", "after"):
        raise FastgcError(f"refresh: got {refresh!r}, allowed are 'at', 'after'")
    return float(window + (refresh == "after"))


def selected_bound(
    smoothness: Sequence[float], c: float, window: int, refresh: str = "after"
) -> float:
    """Most units selected in an iteration on average; gcada (12), (15), corrected.

    Parameters
    ----------
    smoothness : sequence of float
        L of every unit.
    c : float
        Of (7) or (9).
    window : int
        D.
    refresh : {"after", "at"}
        With "at" a unit of the last class may be selected every D iterations, not D + 1.

    Returns
    -------
    float
        Σ 1/(d+1), d the unit's number of `quiet_iterations`: the thresholds are c/d, and the first
        class has no upper end, L̄_0 = ∞. Holds for any number of iterations that all periods divide.

    Examples
    --------
    >>> round(selected_bound([0.5, 1.0, 2.0], 2.0, 3), 6)
    1.583333
    """
    _units(smoothness)
    return math.fsum(1.0 / float(selection_period(L, c, window, refresh)) for L in smoothness)


def selected_bound_printed(smoothness: Sequence[float], c: float, window: int) -> float:
    """Most units selected in an iteration on average as gcada (12), (15) have it. Wrong.

    With L̄_0 = L̄_(D+1) = 0 the class d = 0, between L̄_1² and L̄_0², is empty: units with L² > c,
    which are selected most often, count for nothing. Thresholds are taken as c_d/(d M²) = c/d, as
    rule (7) has them; inequalities are strict as printed.

    >>> round(selected_bound_printed([0.5, 1.0, 2.0], 2.0, 3), 6)
    0.25
    """
    _units(smoothness)
    check_count("window", window, 1)
    _not_negative("c", c)
    ends = [0.0, *(c / d for d in range(1, int(window) + 1)), 0.0]
    return math.fsum(
        1.0 / (d + 1)
        for L in smoothness
        for d in range(int(window) + 1)
        if ends[d + 1] < L * L < ends[d]
    )


@elementwise
def communication_load(selected: float, d: int = 1) -> float:
    """Downloads and uploads x (d + 1) of an iteration that selects x groups of d; gcada (17)–(19).

    Exact for the mean number x that is selected, an upper bound for a bound of it.

    >>> communication_load(12), communication_load(3, 4)
    (24.0, 15.0)
    """
    check_count("d", d, 1)
    _not_negative("selected", selected)
    return selected * (d + 1.0)


@elementwise
def computation_load(selected: float, d: int = 1, batch: int = 1) -> float:
    """Gradients μ x d computed in an iteration that selects x groups of d; gcada (20)–(22).

    >>> computation_load(12), computation_load(3, 4, batch=100)
    (12.0, 1200.0)
    """
    check_count("d", d, 1)
    check_count("batch", batch, 1)
    _not_negative("selected", selected)
    return float(batch * selected * d)


@elementwise
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


def _units(smoothness: Sequence[float]) -> None:
    if not len(smoothness):
        raise FastgcError("smoothness: empty; give that of every worker or group")


def _not_negative(name: str, value: float) -> None:
    if not 0.0 <= value < math.inf:
        raise FastgcError(f"{name}: got {value}, but a finite number at least 0 is needed")
