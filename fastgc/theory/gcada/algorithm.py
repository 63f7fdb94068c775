"""Algorithm 1 itself (paper gcada, (3), (8a) to (8c), (9)), for losses of one feature.

The sum of the losses ½(θx − y)² of a group's samples has the gradient aθ − b, a = Σ x², b = Σ xy:
so a run is a recursion of single numbers. CADA has groups of one worker; with c = 0 every group is
selected, which is distributed Adam.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastgc.errors import FastgcError
from fastgc.theory.cases.experiment_tables import SAMPLES, all_workers, amsgrad, cada, selecting
from fastgc.theory.cases.statements import both, built, finite
from fastgc.theory.cases.studies import Table, exponential
from fastgc.theory.common import check
from fastgc.theory.gcada import paper
from fastgc.theory.papers.claim import LOOSE, Cases

WORKERS = 12
#: D, and iterations that all periods 1 … D + 1 divide.
WINDOW = 4
ITERATIONS = 60

#: Smoothness so large that a unit is selected in every iteration, and so small that only its age
#: selects it.
ALWAYS, BY_AGE = 1e4, 1e-9


def training(selection: Table, iterations: int) -> Table:
    """Arguments of statements on a run with AMSGrad."""
    return {
        "data": {"samples": SAMPLES, "features": 2, "seed": 1},
        "selection": selection,
        "optimizer": amsgrad(),
        "iterations": iterations,
    }


@dataclass(frozen=True)
class Run:
    """A run of CADA (``d`` = 1) or of G-CADA with groups of ``d``, its smoothness given."""

    smoothness: tuple[float, ...]
    c: float
    d: int = 1
    batch: int | None = None
    refresh: str = "after"
    window: int = WINDOW

    @property
    def units(self) -> int:
        """Number of workers of CADA or of groups of G-CADA."""
        return len(self.smoothness)

    @property
    def selection(self) -> Table:
        """Table of the choice of workers or groups."""
        rule = (self.c, self.window, self.smoothness, self.d * self.units, self.refresh, self.batch)
        return cada(*rule, None if self.d == 1 else self.units)

    @property
    def timed(self) -> Table:
        """Table of the run, whose whole time is that of an iteration with unit times on average."""
        return selecting(self.selection, ITERATIONS, latency=exponential(1.0 / ITERATIONS))

    @property
    def trained(self) -> Table:
        """Arguments of statements on the same run where times bear upon nothing."""
        return training(self.selection, ITERATIONS)


def periodic(heavy: int, light: int, d: int = 1) -> Run:
    """A run whose ``heavy`` units are always selected and whose ``light`` ones by age alone."""
    return Run((ALWAYS,) * heavy + (BY_AGE,) * light, 2.0, d)


#: Smoothness 1.3^(m−1) + 1 of the authors' script, and c such that the units' classes differ. In
#: the last run the gradients, and so the selection, depend on who is the fastest.
CADA = Run(tuple(1.3**m + 1 for m in range(12)), 40.0, batch=1)
GCADA_3 = Run(tuple(1.3**g + 1 for g in range(3)), 6.0, 4)
GCADA_4 = Run(tuple(1.3**g + 1 for g in range(4)), 8.0, 3, batch=1)


#: Twelve samples of one feature.
X = (1.0, -0.5, 2.0, 0.3, 1.2, -1.1, 0.7, 0.4, -0.9, 1.6, 0.2, -0.6)
Y = (1.5, 0.2, 2.5, 0.9, 0.8, -1.9, 0.1, 0.7, -1.2, 1.1, 0.6, -0.3)
DATA: Table = {"x": [[x] for x in X], "y": list(Y)}
DATASET: Table = {"samples": 24, "features": 2, "seed": 3}
#: Smoothness of three and of four groups, so that they are selected unequally often.
THREE, FOUR = (0.8, 1.5, 2.6), (0.2, 0.9, 1.4, 3.0)


def _run(
    x: Sequence[float],
    y: Sequence[float],
    smoothness: Sequence[float],
    c: float | Sequence[float],
    window: int,
    iterations: int,
    refresh: str = "at",
    **optimizer: float,
) -> tuple[float, int]:
    """Mean loss, and how many groups are selected in all."""
    own = {"step": 0.01, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    if set(optimizer) - set(own):
        raise FastgcError(f"optimizer: must have keys of {', '.join(own)} (got {list(optimizer)})")
    step, beta1, beta2, epsilon = (own | optimizer).values()
    check.arguments(window=window, iterations=iterations)
    groups = len(smoothness)
    limits = np.broadcast_to(c, window).tolist()
    xs, ys = (np.array(each, dtype=float).reshape(groups, -1) for each in (x, y))
    a, b = (xs * xs).sum(axis=1).tolist(), (xs * ys).sum(axis=1).tolist()
    theta = h = top = 0.0
    sent, ages = [0.0] * groups, [0] * groups
    # the last D steps, the latest first
    steps = [0.0] * window
    selected = 0
    for k in range(iterations):
        allowed = math.fsum(limit * down**2 for limit, down in zip(limits, steps, strict=True))
        for g in range(groups):
            old = ages[g] >= window if refresh == "at" else ages[g] > window
            if k == 0 or old or (smoothness[g] * (theta - sent[g])) ** 2 > allowed:
                sent[g], ages[g] = theta, 0
                selected += 1
            ages[g] += 1
        gradient = math.fsum(a[g] * sent[g] - b[g] for g in range(groups))
        h = beta1 * h + (1.0 - beta1) * gradient
        top = max(top, beta2 * top + (1.0 - beta2) * gradient * gradient)
        down = step * h / math.sqrt(epsilon + top)
        theta -= down
        steps = [down, *steps[:-1]]
    squares = ((theta * each - target) ** 2 for each, target in zip(x, y, strict=True))
    return math.fsum(squares) / (2 * len(x)), selected


@paper.formula
@functools.wraps(_run, assigned=())
def algorithm1_loss(*run: Any, **named: Any) -> float:
    """Mean loss after so many iterations of gcada, Algorithm 1, for one feature.

    ``x``, ``y``: samples, shared out to the groups in runs of equal length, θ from 0;
    ``smoothness``: L of every group; ``c``: that of (9), or c_1 … c_D; ``window``: D; ``refresh``,
    {"at", "after"}: groups are selected at age ≥ D or > D; ``optimizer``: step (.01), beta1 (.9),
    beta2 (.999) and epsilon (1e-8) of (8a) to (8c).
    """
    return _run(*run, **named)[0]


@paper.formula
@functools.wraps(_run, assigned=())
def algorithm1_selections(*run: Any, **named: Any) -> float:
    """Number of groups that gcada, Algorithm 1, selects in all, as `algorithm1_loss`."""
    return float(_run(*run, **named)[1])


@paper.claim("amsgrad.printed", "(8a)-(8c)", "algorithm")
def _() -> Cases:
    """Parameters are updated by (8a) to (8c): with everybody's gradients the loss after k
    iterations is that of this recursion."""
    for iterations, optimizer in (
        (1, amsgrad()),
        (2, amsgrad(0.2)),
        (60, amsgrad(0.2)),
        (60, amsgrad(0.05) | {"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-3}),
    ):
        own = {key: value for key, value in optimizer.items() if key != "method"}
        theory = algorithm1_loss(X, Y, [1.0] * 12, 0.0, 4, iterations, **own)
        yield from _runs("trained_loss", theory, all_workers(12), optimizer, iterations)


@paper.claim("estimate.scale.printed", "(3), with (1)", "notation", of=(False,))
@paper.claim("estimate.scale.corrected", "(3), scaled", of=(True,), reads="estimate.scale.printed")
def _(is_right: bool) -> Cases:
    """(3) estimates the gradient of (1) up to a factor, which the step absorbs: its mean over the
    mini-batches is M mu times that gradient where all gradients are fresh.
    Proof. Each of M workers adds mu gradients, whose mean over the mini-batches is that of its N/M
    samples: L is a mean in (1), and in (3) a sum.

    estimate.scale.printed: (3) estimates the gradient of (1), L being the same in both: that is its
    mean over the mini-batches where all gradients are fresh.
    Printed: min L(θ; D) = (1/N) Σ_(z∈D) ℓ(θ; z) (1); ∇ℓ(θ^k; ξ_m^k) = ∇(Σ_(z∈ξ_m^k) ℓ(θ^k; z));
    arrives at the estimated gradient … Σ_(m∈M_U^k) ∇ℓ(θ^k; ξ_m^k) + … (3)"""
    for workers, batch in ((12, 1), (3, 2), (4, 3)):
        theory = workers * batch if is_right else 1
        yield finite("estimate_scale", theory, data=DATASET, workers=workers, batch=batch)


@paper.claim("algorithm1.selections.printed", "(7), (9), Algorithm 1", "algorithm", of=(True,))
@paper.claim("algorithm1.printed", "(3), (9), Algorithm 1", "algorithm", of=(False,))
def _(is_counted: bool) -> Cases:
    """G-CADA selects the groups that violate (9) or are too old, and descends the sum of their
    fresh and of all others' last gradients: the loss after k iterations.

    algorithm1.selections.printed: CADA and G-CADA select the workers or groups that violate (7) or
    (9), or are too old: how many they select in k iterations."""
    quantity = "selections" if is_counted else "trained_loss"
    formula = algorithm1_selections if is_counted else algorithm1_loss
    # G and M_G of the paper, its step and its c; then c_1 … c_D as Algorithm 1 takes them
    for selection, iterations in (
        (cada(0.3, 10, THREE, 12, "at", groups=3), 60),
        (cada(1.0, 3, FOUR, 12, "at", groups=4) | {"c": [0.1, 0.4, 2.5]}, 40),
        (cada(1.0, 4, FOUR, 4, "after") | {"c": [1.6, 0.7, 0.2, 0.1]}, 40),
        (cada(2.0, 5, tuple(0.3 * m for m in range(1, 13)), 12, "at"), 30),
    ):
        rule = (selection["smoothness"], selection["c"], selection["window"], iterations)
        theory = formula(X, Y, *rule, selection["refresh"], step=0.05)
        yield from _runs(quantity, theory, selection, amsgrad(0.05), iterations)


@paper.claim("mini-batch.printed", "Section I-B and (6)")
def _() -> Cases:
    """A selected worker computes a mini-batch of mu gradients, however often the data are
    stored."""
    for groups, batch in ((3, 2), (2, 2), (4, 1), (6, 1)):
        selection = cada(0.3, 10, "estimated", 12, "at", batch, groups)
        yield from _runs("gradients_per_download", batch, selection, amsgrad(), 20)


@paper.claim("convergence.printed", "Section V", LOOSE, "<=", "order")
def _() -> Cases:
    """All schemes converge sublinearly for convex losses, with the step of the literature, in
    1/sqrt(K): on one set of data alone, 24 drawn samples of two features, by least squares, the
    excess loss after K iterations, the worst of distributed Adam with mini-batches of one sample,
    and of CADA and G-CADA with all their data."""
    rule = ("estimated", 4, "at")
    schemes: dict[str, Table] = {
        "adam": all_workers(4, 1),
        "cada": cada(2.0, 10, *rule),
        "g-cada": cada(0.3, 10, *rule, groups=2),
    }
    for iterations in (10, 30, 100, 300, 1000):
        rate = iterations**-0.5
        each: Table = {"data": DATASET, "optimizer": amsgrad(0.1 * rate), "iterations": iterations}
        runs = {name: each | {"selection": selection} for name, selection in schemes.items()}
        point = {"iterations": iterations, "step": 0.1 * rate}
        case = built("excess_loss", rate, runs=runs)
        yield replace(case, point=point, size=iterations, rate=rate)


def _runs(
    quantity: str, theory: float, selection: Table, optimizer: Table, iterations: int
) -> Cases:
    run: Table = {"selection": selection, "optimizer": optimizer, "iterations": iterations}
    return both(quantity, theory, **run, data=DATA)
