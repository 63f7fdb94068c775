"""What a fit of a recording says: laws, models, and what contradicts them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastgc.registry import toml
from fastgc.traces.parameters import Parameter


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

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(self.__dict__)


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
        for key in ("latency", "stragglers", "independence"):
            found[key] = [each.as_dict() for each in found[key]]
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
        own = {
            "name": _label(each.name),
            "code": code,
            "stragglers": _rounded(keys),
            "iterations": 10,
        }
        experiments.append(own)
    title = f"Models fitted to {name}"
    data = {"title": title, "seed": 1, "stop": {"trials": TRIALS}, "experiment": experiments}
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
