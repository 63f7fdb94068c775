"""Training in closed form: descent, Adam, regression and networks on data of a few numbers.

Losses are means over N samples. Features of different samples are orthogonal here, x_j = s_j e_j:
then the Hessian has the eigenvalues s_j²/N, and each parameter goes its own way.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from fastgc.theory.cases.statements import both, built, finite
from fastgc.theory.cases.tables import Table, descent, exponential, frc, iid
from fastgc.theory.cases.training import after, all_workers, coded, linear
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Case, Cases

KINGMA = "Kingma, Ba, Adam (arXiv:1412.6980)"
DESCENT = "own derivation for gradient descent"

#: s_j and y_j of the data with orthogonal samples.
SIZES, TARGETS = (2.0, 1.0, 0.5, 1.5), (1.0, -2.0, 0.7, 3.0)
ORTHOGONAL: Table = {
    "x": [[size * (i == j) for i in range(4)] for j, size in enumerate(SIZES)],
    "y": list(TARGETS),
}
#: One feature, two classes.
MARGINS = (1.0, 0.4, 2.0, -0.3)
ALL_WORKERS = all_workers(2) | {"gradient": "mean"}


@paper.formula
def orthogonal_loss(
    sizes: Sequence[float],
    targets: Sequence[float],
    step: float,
    iterations: int,
    decay: float = 0.0,
) -> float:
    """Loss of linear regression after gradient descent from 0 on orthogonal samples. Derived.

    Distances to the optimum shrink by 1 − step/(1 + decay·l) · s_j²/N in iteration l = 0, 1, ….

    >>> orthogonal_loss([1.0], [1.0], 0.5, 2), orthogonal_loss([1.0], [1.0], 0.5, 2, decay=1.0)
    (0.03125, 0.0703125)
    """
    check.count("iterations", iterations, 0)
    check.positive(step=step)
    N = len(sizes)
    steps = [step / (1.0 + decay * l) for l in range(iterations)]  # noqa: E741
    left = [
        target * math.prod(1.0 - each * size * size / N for each in steps)
        for size, target in zip(sizes, targets, strict=True)
    ]
    return math.fsum(rest * rest for rest in left) / (2 * N)


@paper.claim("training.descent.derived", DESCENT)
def _() -> Cases:
    """Gradient descent on linear regression shrinks the distance along each eigenvector of the
    Hessian by 1 - step lambda in an iteration, also with steps that decay."""
    for step, decay, iterations in ((0.8, 0.0, 1), (0.8, 0.0, 12), (1.2, 0.25, 12), (1.5, 1.0, 5)):
        theory = orthogonal_loss(SIZES, TARGETS, step, iterations, decay)
        optimizer = descent(step) | {"decay": decay}
        yield from _trained(theory, ORTHOGONAL, optimizer, iterations)
        code: Table = {"code": frc(4, 2), "survivors": [[0, 1, 2, 3]] * iterations}
        yield from both("coded_loss", theory, data=ORTHOGONAL, optimizer=optimizer, **code)


@paper.formula
def repeated_loss(groups: int, survived: Sequence[int], target: float, step: float) -> float:
    """Loss of coded descent where so many of the groups of a repetition code survive. Derived.

    All samples are x = 1, y = ``target``: if m of g groups survive, their share of the gradient is
    descended, and the distance shrinks by 1 − step·m/g.

    >>> repeated_loss(2, [2, 1], 1.0, 0.5)
    0.0703125
    """
    check.count("groups", groups, 1)
    left = target * math.prod(1.0 - step * alive / groups for alive in survived)
    return left * left / 2.0


@paper.claim("training.coded.derived", DESCENT)
def _() -> Cases:
    """Descent with a repetition code moves by the share of the groups of which anybody answers
    (equal samples)."""
    patterns = [[0, 2, 4], [0, 1, 2, 3], [1, 4, 5], [0, 1, 2, 3, 4, 5], [3], [0, 2, 5]]
    for iterations in (1, 3, 6):
        alive = patterns[:iterations]
        survived = [len({worker // 2 for worker in each}) for each in alive]
        data: Table = {"x": [[1.0]] * 12, "y": [1.5] * 12}
        theory = repeated_loss(3, survived, 1.5, 0.6)
        run: Table = {"code": frc(6, 2), "survivors": alive, "data": data}
        yield from both("coded_loss", theory, optimizer=descent(0.6), **run)


@paper.claim("training.curves.derived", DESCENT)
def _() -> Cases:
    """If m of g groups of a repetition code survive, the decoded gradient's squared error is
    (1 - m/g)^2 of the full one's square, and the squared distance to the optimum shrinks as the
    loss does (equal samples)."""
    data: Table = {"x": [[1.0]] * 12, "y": [1.5] * 12}
    for alive in ([[0, 2, 4]], [[0, 1, 2, 3], [1, 4, 5]], [[3], [0, 2, 5], [2, 3]]):
        survived = [len({worker // 2 for worker in each}) for each in alive]
        run: Table = {"code": frc(6, 2), "survivors": alive, "data": data}
        for make in (finite, built):
            error = (1.0 - survived[-1] / 3) ** 2
            yield make("coded_gradient_error", error, optimizer=descent(0.6), **run)
            left = 2.0 * repeated_loss(3, survived, 1.0, 0.6)
            yield make("coded_distance", left, optimizer=descent(0.6), **run)


@paper.formula
def adam_orthogonal_loss(
    sizes: Sequence[float],
    targets: Sequence[float],
    step: float,
    iterations: int,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> float:
    """Loss of linear regression after Adam from 0 on orthogonal samples; 1412.6980, Algorithm 1.

    >>> round(adam_orthogonal_loss([1.0], [1.0], 0.1, 1), 6)
    0.405
    """
    check.count("iterations", iterations, 0)
    check.positive(step=step)
    N, losses = len(sizes), []
    for size, target in zip(sizes, targets, strict=True):
        theta = m = v = 0.0
        for t in range(1, iterations + 1):
            g = size * (size * theta - target) / N
            m += (1.0 - beta1) * (g - m)
            v += (1.0 - beta2) * (g * g - v)
            scale = math.sqrt(v / (1.0 - beta2**t)) + epsilon
            theta -= step * m / (1.0 - beta1**t) / scale
        losses.append((size * theta - target) ** 2)
    return math.fsum(losses) / (2 * N)


@paper.claim("training.adam.printed", f"{KINGMA}, Algorithm 1", category="algorithm")
def _() -> Cases:
    """Adam divides the mean of gradients by the root of the mean of their squares, both corrected
    for their start at 0: the loss of linear regression after k iterations."""
    for iterations, more in ((2, {}), (30, {}), (30, {"beta1": 0.5, "beta2": 0.8})):
        theory = adam_orthogonal_loss(SIZES, TARGETS, 0.05, iterations, **more)
        optimizer: Table = {"method": "adam", "step": 0.05} | more
        yield from _trained(theory, ORTHOGONAL, optimizer, iterations)
    code: Table = {"code": frc(4, 2), "survivors": [[0, 2]] * 30, "data": ORTHOGONAL}
    optimizer = {"method": "adam", "step": 0.05}
    theory = adam_orthogonal_loss(SIZES, TARGETS, 0.05, 30)
    yield from both("coded_loss", theory, optimizer=optimizer, **code)


@paper.claim("training.adam.first.printed", f"{KINGMA}, Section 2.1", category="algorithm")
def _() -> Cases:
    """Adam's first step has the length of its step size in every parameter, whatever the gradient
    (epsilon = 1e-15)."""
    for step in (0.01, 0.1, 0.3):
        moved = (
            (abs(target) - size * step) ** 2 for size, target in zip(SIZES, TARGETS, strict=True)
        )
        optimizer: Table = {"method": "adam", "step": step, "epsilon": 1e-15}
        yield from _trained(math.fsum(moved) / 8, ORTHOGONAL, optimizer, 1)


@paper.formula
def logistic_loss(margins: Sequence[float], step: float, iterations: int) -> float:
    """Loss of logistic regression of one feature after gradient descent from 0. Derived.

    ``margins`` are y x, the label ±1 times the feature.

    >>> logistic_loss([1.0], 1.0, 0) == math.log(2), round(logistic_loss([1.0], 1.0, 1), 6)
    (True, 0.474077)
    """
    check.count("iterations", iterations, 0)
    check.positive(step=step)
    theta = 0.0
    for _ in range(iterations):
        slope = math.fsum(x / (1.0 + math.exp(x * theta)) for x in margins)
        theta += step * slope / len(margins)
    return math.fsum(math.log1p(math.exp(-x * theta)) for x in margins) / len(margins)


@paper.claim("training.logistic.derived", DESCENT)
def _() -> Cases:
    """Gradient descent on logistic regression is a recursion of the margins, with half the step
    where half of a repetition code survives (equal partitions)."""
    data: Table = {"x": [[-x] for x in MARGINS], "y": [-1.0] * len(MARGINS)}
    for step, iterations in ((1.0, 1), (1.0, 20), (4.0, 10)):
        theory = logistic_loss(MARGINS, step, iterations)
        yield from _trained(theory, data, descent(step), iterations, "logistic")
    yield from _half("logistic", -1.0, 2.0)


@paper.claim("training.softmax.derived", DESCENT)
def _() -> Cases:
    """Softmax regression with two classes, started at 0, is logistic regression with twice the
    step, also where half of a repetition code survives."""
    data: Table = {"x": [[x] for x in MARGINS], "y": [1.0] * len(MARGINS)}
    for step, iterations in ((1.0, 1), (1.0, 20), (4.0, 10)):
        theory = logistic_loss(MARGINS, step, iterations)
        yield from _trained(theory, data, descent(step / 2), iterations, "softmax")
    yield from _half("softmax", 1.0, 1.0)


@paper.claim("training.target.derived", "the definition of the loss")
def _() -> Cases:
    """A classifier that starts at 0 has the loss log 2 there, and a target of log 2 is reached
    before anything is uploaded: a loss that equals its target reaches it."""
    for samples, workers in ((64, 2), (32, 4), (16, 1)):
        problem: Table = {"model": "logistic", "data": "synthetic", "samples": samples}
        experiment: Table = {
            "kind": "training",
            "problem": problem | {"features": 2},
            "selection": all_workers(workers),
            "optimizer": descent(0.01),
            "iterations": 3,
            "target_loss": math.log(2.0),
            "measure": ["uploads_to_loss"],
        }
        point = {"model": "logistic", "samples": samples, "workers": workers}
        yield Case(point, 0.0, experiment, "uploads_to_loss", scale=float(workers))


@paper.claim("training.survivors.derived", "own derivation")
def _() -> Cases:
    """An iteration lasts until the last survivor has answered: for exponential times and
    independent stragglers d/n times the sum over i <= n of (1 - p^i)/i on average."""
    for n, d, p in ((6, 2, 0.3), (4, 2, 0.1), (6, 3, 0.6)):
        mean = d / n * math.fsum((1.0 - p**i) / i for i in range(1, n + 1))
        optimizer, data = descent(0.01), linear(24, 2)
        run = coded(frc(n, d), optimizer, 1, data, iid(p), latency=exponential())
        yield replace(after(run, "time", mean), tolerance=0.005)


def _half(model: str, label: float, step: float) -> Cases:
    x = [[label * margin] for margin in MARGINS] * 4
    run: Table = {"code": frc(4, 2), "survivors": [[0], [2, 3], [0, 1]], "model": model}
    data: Table = {"x": x, "y": [label] * len(x)}
    theory = logistic_loss(MARGINS, 1.0, 3)
    yield from both("coded_loss", theory, data=data, optimizer=descent(step), **run)


def _trained(
    theory: float, data: Table, optimizer: Table, iterations: int, model: str = "linear"
) -> Cases:
    run: Table = {"selection": ALL_WORKERS, "optimizer": optimizer, "iterations": iterations}
    yield from both("trained_loss", theory, data=data, model=model, **run)
