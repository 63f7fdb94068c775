"""Losses, gradients and optimizers, one sample and one iteration at a time."""

import numpy as np


def _cross_entropy(z, label):
    """Loss of one sample from its scores, and the loss's gradient in the scores."""
    z = z - z.max()
    probabilities = np.exp(z) / np.exp(z).sum()
    wrong = probabilities.copy()
    wrong[label] -= 1.0
    return np.log(np.exp(z).sum()) - z[label], wrong


def sample(model, x, y, theta, classes=0):
    """Loss and gradient (p,) of one sample."""
    if model == "linear":
        off = x @ theta - y
        return 0.5 * off * off, off * x
    if model == "logistic":
        margin = y * (x @ theta)
        return np.logaddexp(0.0, -margin), -y * x * np.exp(-np.logaddexp(0.0, margin))
    loss, wrong = _cross_entropy(theta.reshape(classes, x.size) @ x, int(y))
    return loss, np.outer(wrong, x).ravel()


def samples(model, data, theta, rows=None):
    """Losses (m,) and gradients (m, p) of the samples in ``rows``, all by default."""
    rows = range(len(data.y)) if rows is None else rows
    each = [sample(model, data.X[i], data.y[i], np.asarray(theta), data.classes) for i in rows]
    return np.array([loss for loss, _ in each]), np.array([gradient for _, gradient in each])


def loss(model, data, theta):
    return samples(model, data, theta)[0].mean()


def gradient(model, data, theta):
    return samples(model, data, theta)[1].mean(axis=0)


def cut(N, k):
    """The samples of each partition: runs as equal as can be, longer ones first."""
    out, first = [], 0
    for i in range(k):
        length = N // k + (1 if i < N % k else 0)
        out.append(range(first, first + length))
        first += length
    return out


def decode(each, weights):
    """Sum of the samples' gradients (N, p), each times its partition's weight, over N."""
    sums = [each[list(part)].sum(axis=0) for part in cut(len(each), len(weights))]
    return sum(w * total for w, total in zip(weights, sums, strict=True)) / len(each)


class Updates:
    """One optimizer with its state; ``settings`` are a study's optimizer table."""

    def __init__(self, settings, p):
        self.settings = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "v_rule": "paper"}
        self.settings |= {"decay": 0.0} | settings
        self.m, self.v, self.largest = np.zeros(p), np.zeros(p), np.zeros(p)
        self.done = 0

    def __call__(self, theta, g):
        """Parameters after one more iteration with gradient g."""
        s = self.settings
        done, self.done = self.done, self.done + 1
        if s["method"] == "gradient-descent":
            return theta - s["step"] / (1 + s["decay"] * done) * g
        b1, b2 = s["beta1"], s["beta2"]
        self.m = b1 * self.m + (1 - b1) * g
        if s["method"] == "adam":
            self.v = b2 * self.v + (1 - b2) * g**2
            m, v = self.m / (1 - b1 ** (done + 1)), self.v / (1 - b2 ** (done + 1))
            return theta - s["step"] * m / (np.sqrt(v) + s["epsilon"])
        before = self.largest if s["v_rule"] == "paper" else self.v
        self.v = b2 * before + (1 - b2) * g**2
        self.largest = np.maximum(self.largest, self.v)
        return theta - s["step"] * self.m / np.sqrt(s["epsilon"] + self.largest)


def descend(model, data, start, settings, weights):
    """Coded descent with ``weights`` (L, k), one row an iteration.

    Returns the parameters (L + 1, p), the losses (L + 1,) and the errors ‖ĝ − g‖²/‖g‖² (L,).
    """
    theta, update = np.array(start), Updates(settings, len(start))
    path, losses, errors = [theta], [loss(model, data, theta)], []
    for w in weights:
        _, each = samples(model, data, theta)
        decoded, full = decode(each, w), each.mean(axis=0)
        off, size = ((decoded - full) ** 2).sum(), (full**2).sum()
        errors.append(off / size if size else 0.0)
        theta = update(theta, decoded)
        path.append(theta)
        losses.append(loss(model, data, theta))
    return np.array(path), np.array(losses), np.array(errors)
