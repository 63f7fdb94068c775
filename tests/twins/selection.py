"""Training with selected workers, one worker and one iteration at a time."""

import numpy as np

from twins import sampling, training


def smoothness(model, X):
    """Largest eigenvalue of the (largest) Hessian of the mean loss."""
    top = np.linalg.eigvalsh(X.T @ X / len(X))[-1]
    return top / {"linear": 1, "logistic": 4, "softmax": 2}[model]


class Rule:
    """Which parts are selected, from the whole path of parameters so far."""

    def __init__(self, settings, smooth):
        self.s = {"window": 10, "refresh": "at", "trigger": "sum-of-squares"} | settings
        self.smooth = smooth

    def __call__(self, path, part, last):
        s, k = self.s, len(path) - 1
        if s["method"] == "all" or k == 0:
            return True
        theta = lambda i: path[max(i, 0)]  # noqa: E731
        D, age = s["window"], k - last
        moves = [theta(k + 1 - d) - theta(k - d) for d in range(1, D + 1)]
        if s["trigger"] == "sum-of-squares":
            weights = np.broadcast_to(s["c"], D)
            right = sum(c * (move @ move) for c, move in zip(weights, moves, strict=True))
        else:
            right = s["c"] * (sum(moves) @ sum(moves))
        off = path[k] - path[k - age]
        if self.smooth[part] ** 2 * (off @ off) > right:
            return True
        return age >= D if s["refresh"] == "at" else age > D


def batch_of(settings, part, place, turn):
    """The samples of a worker's batch number ``turn``, cyclic order."""
    size = settings.get("batch") or len(part)
    holders = settings["workers"] // settings.get("groups", settings["workers"])
    first = place * len(part) // holders + turn * size
    if size == len(part):
        first = 0
    return [part[(first + i) % len(part)] for i in range(size)]


def train(model, data, start, optimizer, settings, times, iterations, batches=None):
    """One run; ``times`` (L, M). ``batches(part, place, iteration)`` instead of cyclic order.

    Returns losses, times, downloads, uploads, gradients, all (L + 1,).
    """
    M = settings["workers"]
    G = settings.get("groups", M)
    parts = [list(part) for part in training.cut(len(data.y), G)]
    given = settings.get("smoothness", "estimated")
    if settings["method"] == "all":
        smooth = None
    elif given == "estimated":
        smooth = [smoothness(model, data.X[part]) for part in parts]
    else:
        smooth = np.broadcast_to(given, G)
    rule = Rule(settings, smooth)
    update = training.Updates(optimizer, len(start))
    theta = np.array(start)
    path, losses = [theta], [training.loss(model, data, theta)]
    costs = {name: [0.0] for name in ("time", "downloads", "uploads", "gradients")}
    sums = [None] * G
    last, turns = [0] * G, [0] * G
    for k in range(iterations):
        wait, selected, computed = 0.0, 0, 0
        for g, part in enumerate(parts):
            if not rule(path, g, last[g]):
                continue
            own = times[k][g * M // G : (g + 1) * M // G]
            place = int(np.argmin(own))
            wait = max(wait, own[place])
            rows = batches(part, place, k) if batches else batch_of(settings, part, place, turns[g])
            sums[g] = training.samples(model, data, theta, rows)[1].sum(axis=0)
            last[g], turns[g] = k, turns[g] + 1
            selected, computed = selected + 1, computed + len(rows)
        gradient = sum(sums)
        if settings.get("gradient") == "mean":
            gradient = gradient / sum(settings.get("batch") or len(part) for part in parts)
        theta = update(theta, gradient)
        path.append(theta)
        losses.append(training.loss(model, data, theta))
        for name, more in (
            ("time", wait),
            ("downloads", selected * M // G),
            ("uploads", selected),
            ("gradients", computed * M // G),
        ):
            costs[name].append(costs[name][-1] + more)
    return np.array(losses), {name: np.array(each) for name, each in costs.items()}


def random_batch(part, size, worker, iteration, trial, key):
    """A set of ``size`` samples by Floyd's method; a draw is a 32-bit word times the bound."""
    own = key ^ (worker * 0xD1342543DE82EF95 % 2**64)
    chosen = []
    for step in range(size):
        top = len(part) - size + step
        pick = part[sampling.bounded(own, trial, iteration, step, top + 1)[0]]
        chosen.append(part[top] if pick in chosen else pick)
    return chosen
