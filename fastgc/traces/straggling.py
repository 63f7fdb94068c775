"""Models of who straggles by maximum likelihood: one rate, two classes of workers, Markov chains.

All that the models need of a trace is how often each worker straggled, and how often after an
answer and after straggling. Their likelihoods are those of all rounds, so that AIC compares them;
a chain's first round has its stationary law.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.traces.parameters import Parameter, information, probability, variances

_STEPS, _SETTLED = 5000, 1e-12  # of EM; what the last one gained, relative


@dataclass(frozen=True)
class Counts:
    """How often workers straggled and changed.

    ``hits``, float array (n,): rounds in which each straggled; ``moves``, float array (n, 2, 2):
    how often each went from answering (0) or straggling (1) to either; ``first``, bool array (n,):
    who straggled in the first round.
    """

    hits: Values
    rounds: int
    moves: Values
    first: Mask

    @property
    def n(self) -> int:
        """Number of workers."""
        return len(self.hits)


def counted(straggled: Mask) -> Counts:
    """Count; ``straggled`` is (rounds, n)."""
    before, after = straggled[:-1], straggled[1:]
    moves = np.empty((straggled.shape[1], 2, 2))
    for i in (0, 1):
        for j in (0, 1):
            moves[:, i, j] = ((before == bool(i)) & (after == bool(j))).sum(axis=0)
    hits = straggled.sum(axis=0).astype(float)
    return Counts(hits, len(straggled), moves, straggled[0])


@dataclass(frozen=True)
class Model:
    """A fitted model of stragglers: its table in a study, and its likelihood.

    ``free`` parameters were fitted; ``parameters`` returns them with their intervals. ``draw``
    makes a recording of the model (rounds, n) from uniform numbers (rounds + 1, n).
    """

    keys: dict[str, Any]
    log_likelihood: float
    free: int
    parameters: Callable[[], tuple[Parameter, ...]]
    draw: Callable[[Values], Mask]


def iid(counts: Counts) -> Model:
    """Fit one probability for all workers."""
    total = counts.n * counts.rounds
    p = float(counts.hits.sum()) / total
    return Model(
        {"model": "iid", "p": p},
        float(_bernoulli(counts.hits, counts.rounds, p).sum()),
        1,
        lambda: (probability("p", p, p * (1 - p) / total, total),),
        lambda draws: draws[1:] < p,
    )


def two_class(counts: Counts) -> Model:
    """Fit a share of slow workers and a probability for each class, by EM."""
    n, rounds = counts.n, counts.rounds
    p_slow, slow, active, shares = _classes(counts)
    height = float(np.logaddexp(*_class_likelihoods(counts, p_slow, slow, active)).sum())

    def parameters() -> tuple[Parameter, ...]:
        inner = [i for i, value in enumerate((p_slow, slow, active)) if 0 < value < 1]
        at = np.array([p_slow, slow, active])
        spread = np.zeros(3)
        if inner:

            def likelihood(free: Values) -> float:
                given = at.copy()
                given[inner] = 1 / (1 + np.exp(-free))
                return float(np.logaddexp(*_class_likelihoods(counts, *given)).sum())

            logits = np.log(at[inner] / (1 - at[inner]))
            slopes = at[inner] * (1 - at[inner])
            spread[inner] = variances(information(likelihood, logits)) * slopes**2
        many = float(shares.sum())
        return (
            probability("p_slow", p_slow, spread[0], n),
            probability("p_straggle_slow", slow, spread[1], max(1.0, many * rounds)),
            probability("p_straggle_active", active, spread[2], max(1.0, (n - many) * rounds)),
        )

    def draw(draws: Values) -> Mask:
        rates = np.where(draws[0] < p_slow, slow, active)
        drawn: Mask = draws[1:] < rates
        return drawn

    keys = {"p_slow": p_slow, "p_straggle_slow": slow, "p_straggle_active": active}
    return Model({"model": "two-class"} | keys, height, 3, parameters, draw)


def slow_workers(counts: Counts) -> list[int]:
    """Return the workers that are likelier slow than active."""
    return np.flatnonzero(_classes(counts)[3] > 0.5).tolist()


def _classes(counts: Counts) -> tuple[float, float, float, Values]:
    n, rounds = counts.n, counts.rounds
    order = np.sort(counts.hits)
    # the most likely split of the workers by rate
    heights = [
        float(_bernoulli(part, rounds, part.mean() / rounds).sum())
        for cut in range(1, n)
        for part in (order[:cut], order[cut:])
    ]
    cut = 1 + int(np.argmax(np.add(heights[::2], heights[1::2]))) if n > 1 else 0
    p, slow = (n - cut) / n, float(order[cut:].mean()) / rounds
    active = float(order[:cut].mean()) / rounds if cut else slow
    before = -math.inf
    shares = np.full(n, p)
    for _ in range(_STEPS):
        parts = _class_likelihoods(counts, p, slow, active)
        both = np.logaddexp(*parts)
        height = float(both.sum())
        if height - before <= _SETTLED * abs(height):
            break
        before = height
        shares = np.exp(parts[1] - both)
        many = float(shares.sum())
        p = many / n
        slow = float(shares @ counts.hits) / (many * rounds) if many > 0 else slow
        active = float((1 - shares) @ counts.hits) / ((n - many) * rounds) if many < n else active
    return min(p, 1.0), min(slow, 1.0), min(active, 1.0), shares


def _class_likelihoods(
    counts: Counts, p: float, slow: float, active: float
) -> tuple[Values, Values]:
    """Return each worker's log-likelihood to be active, and slow, with its rounds, (n,) each."""
    with np.errstate(divide="ignore"):
        return (
            np.log1p(-p) + _bernoulli(counts.hits, counts.rounds, active),
            np.log(p) + _bernoulli(counts.hits, counts.rounds, slow),
        )


def markov(counts: Counts) -> Model:
    """Fit the probabilities to straggle after an answer and after straggling, given round one."""
    from scipy.special import xlogy

    moves = counts.moves.sum(axis=0)
    sizes = moves.sum(axis=1)
    # what was never seen after straggling is as after an answer, and the other way round
    rates = [float(moves[i, 1] / sizes[i]) if sizes[i] else math.nan for i in (0, 1)]
    after_ok, after_straggle = (
        rates[i] if sizes[i] else rates[1 - i] if sizes[1 - i] else 0.0 for i in (0, 1)
    )
    height = 0.0
    for i, p in enumerate((after_ok, after_straggle)):
        height += float(xlogy(moves[i, 1], p) + xlogy(moves[i, 0], 1 - p))
    share, many = float(stationary(after_ok, after_straggle)), int(counts.first.sum())
    if 0 < share < 1:
        height += many * math.log(share) + (counts.n - many) * math.log1p(-share)

    def parameters() -> tuple[Parameter, ...]:
        return tuple(
            probability(name, p, p * (1 - p) / max(size, 1.0), max(size, 1.0))
            for name, p, size in (
                ("p_straggle_after_ok", after_ok, sizes[0]),
                ("p_straggle_after_straggle", after_straggle, sizes[1]),
            )
        )

    def draw(draws: Values) -> Mask:
        drawn = np.empty((len(draws) - 1, draws.shape[1]), bool)
        drawn[0] = draws[1] < stationary(after_ok, after_straggle)
        for t in range(1, len(drawn)):
            drawn[t] = draws[t + 1] < np.where(drawn[t - 1], after_straggle, after_ok)
        return drawn

    keys = {"p_straggle_after_ok": after_ok, "p_straggle_after_straggle": after_straggle}
    return Model({"model": "markov"} | keys, height, 2, parameters, draw)


def own_rates(counts: Counts) -> tuple[dict[str, Any], float]:
    """Return the table and the log-likelihood of workers with a probability each."""
    rates = counts.hits / counts.rounds
    likelihood = float(_bernoulli(counts.hits, counts.rounds, rates).sum())
    return {"model": "iid", "p": rates.tolist()}, likelihood


def own_chains(counts: Counts) -> tuple[dict[str, Any], float]:
    """Return the table and the log-likelihood of workers with a chain each."""
    from scipy.special import xlogy

    sizes = counts.moves.sum(axis=2, keepdims=True)
    # who always straggled, or never, goes on so whatever it did before
    always = (sizes[:, 0] == 0).astype(float)
    rates = np.where(sizes > 0, counts.moves / np.maximum(sizes, 1.0), 0.0)
    found = float(xlogy(counts.moves, rates).sum())
    after_ok, after_straggle = np.maximum(rates[:, 0, 1], always[:, 0]), rates[:, 1, 1]
    share = stationary(after_ok, after_straggle)
    # a worker that never changed says nothing of its start
    start = np.where(counts.first, share, 1 - share)
    found += float(np.log(np.where(start > 0, start, 1.0)).sum())
    keys = {"p_straggle_after_ok": after_ok, "p_straggle_after_straggle": after_straggle}
    return {"model": "markov"} | {key: each.tolist() for key, each in keys.items()}, found


def stationary(after_ok: Any, after_straggle: Any) -> Any:
    """Return the share of rounds in which a chain straggles; that of its start where it stays."""
    flow = 1.0 - np.asarray(after_straggle) + after_ok
    return np.where(flow > 0, after_ok / np.where(flow > 0, flow, 1.0), 1.0)


def excess(model: Model, counts: Counts) -> float:
    """Return twice what own chains gain over a model: large where workers differ or remember."""
    return 2 * (own_chains(counts)[1] - model.log_likelihood)


def _bernoulli(hits: Values, rounds: int, p: Any) -> Values:
    from scipy.special import xlog1py, xlogy

    found: Values = xlogy(hits, p) + xlog1py(rounds - hits, -p)
    return found
