"""Training run step by step, one worker after the other: losses, and who is asked for what.

Data are few numbers given in the statement, or drawn from its seed. Gradients of classifiers come
from the loss alone, by a step into the complex plane, which is exact to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]

_TINY = 1e-30
#: What an optimizer's table need not say.
_USUAL: dict[str, Any] = {
    "decay": 0.0,
    "beta1": 0.9,
    "beta2": 0.999,
    "epsilon": 1e-8,
    "v_rule": "paper",
}


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


def loss(model: str, theta: Values, X: Values, y: Values, classes: int = 2, hidden: int = 0) -> Any:
    """Sum of all samples' losses; parameters may be complex."""
    if model == "linear":
        off = X @ theta - y
        return 0.5 * (off @ off)
    if model == "logistic":
        return np.log(1.0 + np.exp(-y * (X @ theta))).sum()
    scores = _scores(theta, X, classes, hidden)
    chosen = scores[np.arange(len(y)), y.astype(int)]
    return (np.log(np.exp(scores).sum(axis=1)) - chosen).sum()


def gradient(
    model: str, theta: Values, X: Values, y: Values, classes: int = 2, hidden: int = 0
) -> Values:
    """Sum of all samples' gradients (p,)."""
    if model == "linear":
        return np.asarray(X.T @ (X @ theta - y))
    steps = theta + 1j * _TINY * np.eye(theta.size)
    each = [loss(model, moved, X, y, classes, hidden).imag / _TINY for moved in steps]
    return np.array(each)


def _scores(theta: Values, X: Values, classes: int, hidden: int) -> Values:
    f = X.shape[1]
    if not hidden:
        return np.asarray(X @ theta.reshape(classes, f).T)
    W1, b1, W2, b2 = np.split(theta, np.cumsum([hidden * f, hidden, classes * hidden]))
    inside = X @ W1.reshape(hidden, f).T + b1
    return np.asarray(np.where(inside.real > 0, inside, 0.0) @ W2.reshape(classes, hidden).T + b2)


def train(
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    selection: Mapping[str, Any],
    iterations: int,
    model: str = "linear",
) -> Record:
    """Train from parameters 0 with the gradients of selected workers, tables as in a study.

    A mini-batch is the next samples in order around a group's data, the same for all its workers.
    """
    X, y = samples(data)
    workers = selection["workers"]
    groups = selection.get("groups", workers)
    parts = np.array_split(np.arange(len(y)), groups)
    smoothness = _smoothness(selection, X, parts)
    path = [np.zeros(X.shape[1] * (2 if model == "softmax" else 1))]
    update = Update(optimizer)
    taken = [selection.get("batch") or len(part) for part in parts]
    share = 1.0 / sum(taken) if selection.get("gradient") == "mean" else 1.0
    turns, last = [0] * groups, [0] * groups
    stale = [np.zeros(path[0].size)] * groups
    record = Record([float(loss(model, path[0], X, y)) / len(y)])
    for k in range(iterations):
        counts = {"downloads": 0, "uploads": 0, "gradients": 0}
        for g, part in enumerate(parts):
            if not _is_selected(selection, smoothness[g], path, last[g]):
                continue
            batch = [part[(turns[g] * taken[g] + i) % len(part)] for i in range(taken[g])]
            for _ in range(workers // groups):
                counts["downloads"] += 1
                counts["gradients"] += len(batch)
            stale[g] = gradient(model, path[-1], X[batch], y[batch])
            counts["uploads"] += 1
            turns[g], last[g] = turns[g] + 1, k
        path.append(update(path[-1], share * np.sum(stale, axis=0)))
        record.losses.append(float(loss(model, path[-1], X, y)) / len(y))
        for name, count in counts.items():
            sums = getattr(record, name)
            sums.append(sums[-1] + count)
    return record


def _smoothness(selection: Mapping[str, Any], X: Values, parts: Sequence[Values]) -> list[float]:
    """L of every group: given, or of the mean loss of linear regression over its data."""
    given = selection.get("smoothness", "estimated")
    if given != "estimated":
        return [float(each) for each in np.broadcast_to(given, len(parts))]
    each = (X[part] for part in parts)
    return [float(np.linalg.eigvalsh(own.T @ own / len(own))[-1]) for own in each]


def _is_selected(
    selection: Mapping[str, Any], smoothness: float, path: Sequence[Values], last: int
) -> bool:
    """Rule (9), or the age; θ before the first iteration is θ of the first."""
    k = len(path) - 1
    if selection["method"] == "all" or k == 0:
        return True
    window, age = selection["window"], k - last
    if age >= window + (selection["refresh"] == "after"):
        return True
    if selection.get("trigger") == "square-of-sum":
        moved, run = path[k] - path[last], path[k] - path[max(k - window, 0)]
        summed = float(selection["c"]) * float(run @ run)
        return smoothness**2 * float(moved @ moved) > summed
    c = np.broadcast_to(selection["c"], window).tolist()
    allowed = 0.0
    for d in range(1, min(k, window) + 1):
        step = path[k + 1 - d] - path[k - d]
        allowed += c[d - 1] * float(step @ step)
    moved = path[k] - path[last]
    return smoothness**2 * float(moved @ moved) > allowed


class Update:
    """An optimizer and what it remembers; ``table`` as in a study."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = _USUAL | dict(table)
        self._done = 0
        self._h: Any = 0.0
        self._v: Any = 0.0
        self._largest: Any = 0.0

    def __call__(self, theta: Values, g: Values) -> Values:
        """Parameters after one more step."""
        o = self._table
        step, beta1, beta2 = o["step"], o["beta1"], o["beta2"]
        self._done += 1
        if o["method"] == "gradient-descent":
            return np.asarray(theta - step / (1.0 + o["decay"] * (self._done - 1)) * g)
        self._h = beta1 * self._h + (1.0 - beta1) * g
        v = beta2 * self._v + (1.0 - beta2) * g**2
        if o["method"] == "amsgrad":
            self._largest = np.maximum(self._largest, v)
            self._v = self._largest if o["v_rule"] == "paper" else v
            return np.asarray(theta - step * self._h / np.sqrt(o["epsilon"] + self._largest))
        self._v = v
        h, v = self._h / (1.0 - beta1**self._done), v / (1.0 - beta2**self._done)
        return np.asarray(theta - step * h / (np.sqrt(v) + o["epsilon"]))


def least_loss(data: Mapping[str, Any]) -> float:
    """Least mean loss of linear regression."""
    X, y = samples(data)
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    return math.fsum(((X @ best - y) ** 2).tolist()) / (2 * len(y))
