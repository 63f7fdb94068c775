"""What a fit of a recording says: parameters, laws, models, and what contradicts them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.latency import Law
from fastgc.registry import toml
from fastgc.statistics import shares
from fastgc.statistics.estimates import normal_quantile

CONFIDENCE = 0.95
UNTOLD = "this recording does not tell it"
_LARGEST = 100.0  # relative error: the interval's ends would be no numbers
_STEP = 1e-4  # of a logarithm or logit, for second derivatives


@dataclass(frozen=True)
class Parameter:
    """A parameter of a fitted model.

    ``name``: its key in a study; ``value``: the maximum-likelihood estimate; ``standard_error``:
    none where the estimate's error is not normal, as that of a least time, or not known; ``low``,
    ``high``: the 95 % interval; ``high`` is infinite where nothing is known; ``note``: how the
    interval was made, where it is no usual one.
    """

    name: str
    value: float
    standard_error: float | None
    low: float
    high: float
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return vars(self) | {"high": self.high if math.isfinite(self.high) else None}


@dataclass(frozen=True)
class Estimated:
    """A law of latency that fits times best, with ``free`` parameters.

    ``intervals`` returns them; they take longer than the fit alone.
    """

    law: Law
    log_likelihood: float
    free: int
    intervals: Callable[[], tuple[Parameter, ...]]


class UnfitError(Exception):
    """These times cannot come from the model: a sentence says why."""


def half_width() -> float:
    """Return how many standard errors a normal interval reaches to each side."""
    return normal_quantile(CONFIDENCE)


def positive(name: str, value: float, relative_error: float, note: str = "") -> Parameter:
    """Return a positive parameter: normal on the logarithmic scale."""
    error = float(relative_error)
    if error > _LARGEST:
        return Parameter(name, value, None, 0.0, math.inf, UNTOLD)
    factor = math.exp(half_width() * error)
    return Parameter(name, value, value * error, value / factor, value * factor, note)


def probability(name: str, value: float, variance: float, trials: float) -> Parameter:
    """Return a probability: Wilson's interval of so many trials as give this variance.

    ``trials`` is how many there are at most; it counts alone where the estimate is 0 or 1.
    """
    value, size = float(value), float(trials)
    if not math.isfinite(variance) or (0 < value < 1 and value * (1 - value) < variance):
        return Parameter(name, value, None, 0.0, 1.0, UNTOLD)
    if 0 < value < 1 and variance > 0:
        size = min(size, value * (1 - value) / float(variance))
    low, high = shares.wilson(value, size, half_width())
    error = math.sqrt(value * (1 - value) / size)
    return Parameter(name, value, error, max(0.0, low), min(1.0, high))


def known(error: float) -> float | None:
    """Return a standard error, None where the recording does not tell it."""
    return float(error) if math.isfinite(error) else None


def information(log_likelihood: Callable[[Values], float], at: Values) -> Values:
    """Return the observed information at a maximum: minus the matrix of second derivatives."""
    size = len(at)
    found = np.empty((size, size))
    steps = np.eye(size) * _STEP

    def value(offset: Values) -> float:
        return log_likelihood(at + offset)

    centre = value(np.zeros(size))
    for i in range(size):
        for j in range(i + 1):
            if i == j:
                second = value(steps[i]) - 2 * centre + value(-steps[i])
            else:
                second = (
                    value(steps[i] + steps[j])
                    - value(steps[i] - steps[j])
                    - value(steps[j] - steps[i])
                    + value(-steps[i] - steps[j])
                ) / 4
            found[i, j] = found[j, i] = -second / _STEP**2
    return found


def variances(information: Values) -> Values:
    """Return the estimates' variances; infinite where the times do not tell parameters apart."""
    try:
        found = np.diag(np.linalg.inv(information))
    except np.linalg.LinAlgError:
        return np.full(len(information), math.inf)
    return np.where(found > 0, found, math.inf)


# ---- All of a fit


@dataclass(frozen=True)
class Fitted:
    """A law or a model that was fitted.

    * ``name``: its ``distribution`` or ``model``; or ``"each its own"``, the best law of each
      worker's own times, ``"iid, each its own"`` and ``"markov, each its own"``.
    * ``keys``: its table in a study; of laws, each its own, all tables under ``laws``.
    * ``free``: number of parameters that were fitted.
    * ``distance``: of laws: the largest difference between the distribution functions of law and
      times.
    * ``p_value``: probability that a recording which the law or model has made lies as far from its
      own fit.
    """

    name: str
    keys: dict[str, Any]
    parameters: tuple[Parameter, ...]
    log_likelihood: float
    free: int
    distance: float | None = None
    p_value: float | None = None

    @property
    def aic(self) -> float:
        """Akaike's criterion: the least is the best, differences below 2 say little."""
        return 2 * self.free - 2 * self.log_likelihood

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        order = ("name", "keys", "parameters", "log_likelihood", "free", "aic", "distance")
        found = {key: getattr(self, key) for key in (*order, "p_value")}
        return found | {"parameters": [each.as_dict() for each in self.parameters]}


@dataclass(frozen=True)
class Independence:
    """One sort of independence, and what speaks against it.

    ``of``: of what, in words; ``value``: the correlation, or difference of rates, that is 0 where
    it holds; ``fails``: with Holm's rule over all sorts.
    """

    of: str
    value: float | None
    p_value: float
    fails: bool
    remark: str


@dataclass(frozen=True)
class Fit:
    """What `fit` found; ``latency`` and ``stragglers`` begin with the least AIC.

    ``workers``, ``rounds``, ``times``: rounds that all workers have; times of all rounds;
    ``threshold``, ``least``, ``most``: who takes longer is late; the least and the greatest time;
    ``warnings``: what comes before all else, as of `Summary`; ``left_out``: laws that these times
    cannot come from, and why; ``stragglers``: empty where no worker straggles, or all always do;
    ``toml``: A study of the fitted models, which `fastgc.run` takes.
    """

    name: str
    workers: int
    rounds: int
    times: int
    threshold: float
    least: float
    most: float
    warnings: tuple[str, ...]
    latency: tuple[Fitted, ...]
    left_out: dict[str, str]
    stragglers: tuple[Fitted, ...]
    independence: tuple[Independence, ...]
    toml: str

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each parameter of each law and model."""
        return [
            {"kind": kind, "name": each.name, "parameter": own.pop("name"), **own}
            for kind, found in (("latency", self.latency), ("stragglers", self.stragglers))
            for each in found
            for own in (parameter.as_dict() for parameter in each.parameters)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        found = {"trace" if key == "name" else key: value for key, value in vars(self).items()}
        for key in ("latency", "stragglers"):
            found[key] = [each.as_dict() for each in found[key]]
        found["independence"] = [dict(vars(each)) for each in self.independence]
        return found | {"warnings": list(self.warnings)}


TRIALS = 100_000
DIGITS = 6  # of a fitted number; its standard error is far larger


def written(
    name: str,
    workers: Sequence[str],
    latency: Sequence[Fitted],
    stragglers: Sequence[Fitted],
    slow: Sequence[int],
    remarks: Sequence[str] = (),
) -> str:
    """Write a study that runs: laws in a system of completion, each model in front of a code.

    Of ``latency`` the best law is taken, and those that workers have each of their own. ``slow``
    are the workers that are slow, for the two-class model; ``remarks`` are comments of the study.
    """
    n = len(workers)
    system = {"family": "gradient-code", "n": n, "s": 1} if n > 1 else {"family": "uncoded", "n": 1}
    experiments: list[dict[str, Any]] = []
    best = next(each for each in latency if "laws" not in each.keys)
    for each in latency:
        law: Any = [_rounded(keys) for keys in each.keys.get("laws", ())]
        if law or each is best:
            base = {"name": _label(f"time, {each.name}"), "kind": "completion"}
            own = {"system": system, "work": n, "latency": law or _rounded(each.keys)}
            experiments.append(base | own)
    code = {"family": "circulant", "n": n, "d": 2} if n > 2 else {"family": "uncoded", "n": n}
    for each in stragglers:
        keys = dict(each.keys)
        if each.name == "two-class" and slow:
            # this cluster's slow workers are known, so that p_slow need not say who may be
            del keys["p_slow"]
            keys = {"model": keys.pop("model"), "slow": list(slow)} | keys
        own = {"name": _label(each.name), "code": code}
        experiments.append(own | {"stragglers": _rounded(keys), "iterations": 10})
    data: dict[str, Any] = {
        "title": f"Models fitted to {name}",
        "seed": 1,
        "stop": {"trials": TRIALS},
    }
    data["experiment"] = experiments
    return "".join(f"# {each}\n" for each in remarks) + toml.dumps(data)


def _label(name: str) -> str:
    """Return a name without blanks: ``iid-each-its-own``."""
    return name.replace(",", "").replace(" ", "-")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
