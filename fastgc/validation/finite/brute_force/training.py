"""Training run step by step, one worker after the other: losses, and who computes and sends what.

Data are few numbers given in the statement, or drawn from its seed. What is said of runs takes who
trains them: brute force by default, or fastgc.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.validation.finite.brute_force.brute_codes import matrix
from fastgc.validation.finite.brute_force.brute_trees import gradients_computed

Code = Mapping[str, Any]

#: c of the rule and D in the runs; iterations that the periods 1 … D + 1 divide.
_C, _WINDOW, _ITERATIONS = 2.0, 4, 60
_UNITS, _SAMPLES, _FEATURES = 12, 8, 3


@dataclass
class Record:
    """What a run was: losses after 0, 1, … iterations, and all counts so far after as many.

    ``downloads`` are workers that got the parameters, ``uploads`` those that sent a gradient,
    ``gradients`` those of single samples that were computed.
    """

    losses: list[float] = field(default_factory=list)
    downloads: list[int] = field(default_factory=lambda: [0])
    uploads: list[int] = field(default_factory=lambda: [0])
    gradients: list[int] = field(default_factory=lambda: [0])


def samples(data: Mapping[str, Any]) -> tuple[Values, Values]:
    """Features (N, f) and targets (N,): given as ``x`` and ``y``, or drawn from a ``seed``.

    Drawn targets are linear in the features but for noise.
    """
    if "seed" not in data:
        return np.array(data["x"], dtype=float), np.array(data["y"], dtype=float)
    draw = np.random.default_rng(data["seed"])
    X = draw.standard_normal((data["samples"], data["features"]))
    return X, X @ draw.standard_normal(data["features"]) + draw.standard_normal(len(X))


def _loss(theta: Values, X: Values, y: Values) -> float:
    off = X @ theta - y
    return float(0.5 * (off @ off))


def _gradient(theta: Values, X: Values, y: Values) -> Values:
    return np.asarray(X.T @ (X @ theta - y))


def train(
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    selection: Mapping[str, Any],
    iterations: int,
) -> Record:
    """Train from parameters 0 with the gradients of selected workers, tables as in a study.

    A mini-batch is the next samples in order around a group's data, the same for all its workers.
    """
    X, y = samples(data)
    workers = selection["workers"]
    groups = selection.get("groups", workers)
    parts = np.array_split(np.arange(len(y)), groups)
    if (given := selection.get("smoothness", "estimated")) != "estimated":
        smoothness = np.broadcast_to(given, groups).astype(float).tolist()
    else:  # of the mean loss of linear regression over each group's data
        held = (X[part] for part in parts)
        smoothness = [float(np.linalg.eigvalsh(own.T @ own / len(own))[-1]) for own in held]
    path = [np.zeros(X.shape[1])]
    o = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8} | dict(optimizer)
    h: Any = 0.0  # what AMSGrad remembers
    v: Any = 0.0
    taken = [selection.get("batch") or len(part) for part in parts]
    turns, last = [0] * groups, [0] * groups
    stale = [np.zeros(path[0].size)] * groups
    record = Record([_loss(path[0], X, y) / len(y)])
    for k in range(iterations):
        for counts in (record.downloads, record.uploads, record.gradients):
            counts.append(counts[-1])
        for g, part in enumerate(parts):
            if not _is_selected(selection, smoothness[g], path, last[g]):
                continue
            batch = [part[(turns[g] * taken[g] + i) % len(part)] for i in range(taken[g])]
            record.downloads[-1] += workers // groups
            record.gradients[-1] += workers // groups * len(batch)
            stale[g] = _gradient(path[-1], X[batch], y[batch])
            record.uploads[-1] += 1
            turns[g], last[g] = turns[g] + 1, k
        sent = np.sum(stale, axis=0)
        h = o["beta1"] * h + (1.0 - o["beta1"]) * sent
        v = np.maximum(v, o["beta2"] * v + (1.0 - o["beta2"]) * sent**2)
        path.append(path[-1] - o["step"] * h / np.sqrt(o["epsilon"] + v))
        record.losses.append(_loss(path[-1], X, y) / len(y))
    return record


def _is_selected(
    selection: Mapping[str, Any], smoothness: float, path: Sequence[Values], last: int
) -> bool:
    # rule (9), or the age; θ before the first iteration is θ of the first
    k = len(path) - 1
    if selection["method"] == "all" or k == 0:
        return True
    window, age = selection["window"], k - last
    if age >= window + (selection["refresh"] == "after"):
        return True
    c = np.broadcast_to(selection["c"], window).tolist()
    allowed = 0.0
    for d in range(1, min(k, window) + 1):
        step = path[k + 1 - d] - path[k - d]
        allowed += c[d - 1] * float(step @ step)
    moved = path[k] - path[last]
    return smoothness**2 * float(moved @ moved) > allowed


Train = Callable[..., Record]


def _run_statement(number: Callable[[Record, Mapping[str, Any]], float]) -> Callable[..., float]:
    def measured(*, train: Train = train, **run: Any) -> float:
        return number(train(**run), run)

    return measured


def _messages(record: Record) -> int:
    return record.downloads[-1] + record.uploads[-1]


#: Loss after the last iteration.
trained_loss = _run_statement(lambda record, run: record.losses[-1])
#: Groups that upload, over all iterations, and in an iteration on average.
selections = _run_statement(lambda record, run: record.uploads[-1])
selected = _run_statement(lambda record, run: record.uploads[-1] / int(run["iterations"]))
#: Downloads and uploads of an iteration, and gradients of single samples, on average over the run.
communication = _run_statement(lambda record, run: _messages(record) / int(run["iterations"]))
computation = _run_statement(lambda record, run: record.gradients[-1] / int(run["iterations"]))
#: Gradients of single samples over downloads; downloads and uploads over gradients.
gradients_per_download = _run_statement(
    lambda record, run: record.gradients[-1] / record.downloads[-1]
)
load_ratio = _run_statement(lambda record, run: _messages(record) / record.gradients[-1])


def largest_age(*, train: Train = train, **run: Any) -> int:
    """Most iterations from one upload to the next, of units that are selected together."""
    sent = train(**run).uploads
    when = [k for k in range(len(sent) - 1) if sent[k + 1] > sent[k]]
    return max(later - sooner for sooner, later in itertools.pairwise(when))


def excess_loss(runs: Mapping[str, Mapping[str, Any]], train: Train = train) -> float:
    """Loss after the last iteration above the least, over that at the start; worst of runs."""
    worst = 0.0
    for run in runs.values():
        losses, (X, y) = train(**run).losses, samples(run["data"])
        best = np.linalg.lstsq(X, y, rcond=None)[0]
        least = math.fsum(((X @ best - y) ** 2).tolist()) / (2 * len(y))
        worst = max(worst, (losses[-1] - least) / (losses[0] - least))
    return worst


def quiet_threshold(c: float, window: int, d: int) -> float:
    """Least L² with which (7) selects a unit d iterations after its upload, over many steps.

    All runs of steps of −1, 0, 1 and 2 are tried, the last ``window`` of them.
    """
    runs = itertools.product((-1, 0, 1, 2), repeat=window)
    return min(c * sum(x * x for x in run) / sum(run[:d]) ** 2 for run in runs if sum(run[:d]))


def estimate_scale(data: Mapping[str, Any], workers: int, batch: int) -> float:
    """Mean of (3) over all mini-batches, all gradients fresh, as a multiple of that of (1)."""
    X, y = samples(data)
    theta = np.ones(X.shape[1])
    estimate = np.zeros(X.shape[1])
    for part in np.array_split(np.arange(len(y)), workers):
        drawn = [list(chosen) for chosen in itertools.combinations(part, batch)]
        estimate += np.mean([_gradient(theta, X[own], y[own]) for own in drawn], axis=0)
    mean = _gradient(theta, X, y) / len(y)
    return float(estimate @ mean / (mean @ mean))


def selection_bound(smoothness: Sequence[float], c: float, window: int, first_end: str) -> float:
    """Add up the bound of the mean number that is selected, one class and unit after the other.

    ``first_end``: the class of the largest smoothness ends at "zero" or "infinity".
    """
    ends = [math.inf if first_end == "infinity" else 0.0]
    ends += [c / d for d in range(1, window + 1)] + [0.0]
    return math.fsum(
        1 / (d + 1)
        for each in smoothness
        for d in range(window + 1)
        if ends[d + 1] < each * each < ends[d]
    )


def selection_bound_violations(first_end: str, refresh: str, runs: int, seed: int) -> int:
    """Count runs of AMSGrad that select more than the mean of the bound, `selection_bound`.

    Each unit's gradient is that of the mean of its own random samples, whose scale, and so whose
    smoothness, differs from unit to unit.
    """
    draw = np.random.default_rng(seed)
    optimizer = {"method": "amsgrad", "step": 0.01}
    count = 0
    for _ in range(runs):
        scale = np.sqrt(draw.uniform(0.1, 1.5, size=(_UNITS, 1, 1)))
        X = scale * draw.standard_normal((_UNITS, _SAMPLES, _FEATURES))
        y = X @ draw.standard_normal(_FEATURES) + draw.standard_normal((_UNITS, _SAMPLES))
        smoothness = [float(np.linalg.eigvalsh(own.T @ own / _SAMPLES)[-1]) for own in X]
        rule = {"method": "cada", "workers": _UNITS, "c": _C, "window": _WINDOW}
        # of a sum of samples so scaled the gradient is that of their mean
        data = {
            "x": X.reshape(-1, _FEATURES) / math.sqrt(_SAMPLES),
            "y": y.reshape(-1) / math.sqrt(_SAMPLES),
        }
        rule |= {"refresh": refresh, "smoothness": smoothness}
        bound = selection_bound(smoothness, _C, _WINDOW, first_end)
        count += train(data, optimizer, rule, _ITERATIONS).uploads[-1] > bound * _ITERATIONS
    return count


def reported_batch(communication: int, computation: int) -> float:
    """Gradients that each selected worker has computed, which had a download and an upload each."""
    return computation / (communication / 2)


# ---- training with decoded gradients, exactly: every class, every pattern, moments step by step
#
# Weights of partitions are least squares on each pattern. Losses are of linear regression with one
# feature on random data: the mean of the squared distance after an iteration is linear in the
# moments before it, so runs need not be enumerated.


_OF_A_PARTITION = 2


def mean_loss_difference(
    codes: tuple[Code, Code],
    shuffles: tuple[str, str],
    step: float,
    iterations: int,
    law: tuple[float, float, float],
    noise: float,
    seed: int,
) -> float:
    """Mean loss after so many iterations, the first way less the second, over that at the start.

    ``law`` is (p_slow, p_straggle_slow, p_straggle_active). The largest curvature is 1, so that
    descent with full gradients diverges from step 2 on.
    """
    p_slow, *straggle = law
    losses, start = [], 0.0
    for code, shuffle in zip(codes, shuffles, strict=True):
        B = matrix(code)
        n = B.shape[1]
        steps, (error, least) = _steps(B, step, noise, seed)
        classes = list(itertools.product((False, True), repeat=n))
        laws = [_probabilities([straggle[not one] for one in slow]) for slow in classes]
        by_classes = np.array([np.tensordot(law, steps, 1) for law in laws])
        if shuffle == "random":
            sizes = np.array([sum(slow) for slow in classes])
            alike = np.array([by_classes[sizes == m].mean(axis=0) for m in range(n + 1)])
            by_classes = alike[sizes]
        moments = np.tile([error**2, error, 1.0], (len(classes), 1))
        for _ in range(iterations):
            moments = np.einsum("cij,cj->ci", by_classes, moments)
        last = moments[:, 0] / 2 + least
        losses.append(math.fsum(_probabilities([p_slow] * n) * last))
        start = error**2 / 2 + least
    difference = (losses[0] - losses[1]) / start
    return difference if abs(difference) > 1e-12 else 0.0


def descent_iterations(
    curvatures: Sequence[float], step: float, epsilon: float, start: Sequence[float]
) -> int:
    """Descend a quadratic from distance 1 in the direction of ``start`` until ‖θ − θ*‖² ≤ ε."""
    distance = np.array(start) / np.linalg.norm(start)
    shrink = 1.0 - step * np.array(curvatures)
    count = 0
    while distance @ distance > epsilon:
        distance *= shrink
        count += 1
    return count


def ignoring_iterations(optima: Sequence[float], stragglers: int, epsilon: float) -> int:
    """Count iterations until the mean (θ − θ*)², which is 1 at first, is at most ε.

    Survivors' means are descended with steps 1/(t + 1).
    """
    best = sum(optima) / len(optima)
    chosen = list(itertools.combinations(optima, len(optima) - stragglers))
    spread = math.fsum((math.fsum(each) / len(each) - best) ** 2 for each in chosen) / len(chosen)
    square, count = 1.0, 0
    while square > epsilon:
        rate = 1.0 / (count + 1)
        square = (1.0 - rate) ** 2 * square + rate**2 * spread
        count += 1
    return count


def ignoring_over_tree_gradients(
    optima: Sequence[float],
    stragglers: int,
    tree: tuple[int, int, int],
    step: float,
    epsilon: float,
) -> float:
    """Divide the gradients until mean (θ − θ*)² ≤ ε, stragglers ignored, by those of a coded tree.

    The tree descends full gradients with ``step``.
    """
    full = descent_iterations([1.0], step, epsilon, [1.0])
    coded = float(full * gradients_computed(*tree, samples=1))
    return ignoring_iterations(optima, stragglers, epsilon) / coded


def _probabilities(p: Sequence[float]) -> Values:
    # of every set of stragglers, none first, the last worker changing fastest
    out = np.ones(1)
    for each in p:
        out = np.multiply.outer(out, np.array([1.0 - each, each])).reshape(-1)
    return out


def _steps(B: Values, step: float, noise: float, seed: int) -> tuple[Values, tuple[float, float]]:
    # what every pattern makes of (e², e, 1), e = θ − θ*; e at the start, and the least loss
    k = len(B)
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((k, _OF_A_PARTITION))
    y = x + noise * draw.standard_normal((k, _OF_A_PARTITION))
    x, y = (values / math.sqrt(float((x**2).mean())) for values in (x, y))
    best = float((x * y).mean())
    hessians = (x**2).sum(axis=1) / x.size
    slopes = (x * (x * best - y)).sum(axis=1) / x.size
    # weights of partitions under every pattern, in the order of `_probabilities`
    left = (B[:, alive] for alive in itertools.product((True, False), repeat=B.shape[1]))
    weights = np.array([A @ np.linalg.lstsq(A, np.ones(k), rcond=None)[0] for A in left])
    shrink, shift = 1.0 - step * weights @ hessians, -step * weights @ slopes
    zero, one = np.zeros(len(weights)), np.ones(len(weights))
    steps = np.array(
        [[shrink**2, 2.0 * shrink * shift, shift**2], [zero, shrink, shift], [zero, zero, one]]
    )
    least = float(((x * best - y) ** 2).mean()) / 2
    return np.ascontiguousarray(steps.transpose(2, 0, 1)), (-best, least)
