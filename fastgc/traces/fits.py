"""What a fit of a recording says: laws, models, and what contradicts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastgc.traces.parameters import Parameter


@dataclass(frozen=True)
class Fitted:
    """A law or a model that was fitted.

    Attributes
    ----------
    name : str
        Its ``distribution`` or ``model``; or ``"each its own"``, the best law of each worker's own
        times, ``"iid, each its own"`` and ``"markov, each its own"``.
    keys : dict
        Its table in a study; of laws, each its own, all tables under ``laws``.
    parameters : tuple of Parameter
    log_likelihood : float
    free : int
        Number of parameters that were fitted.
    distance : float or None
        Of laws: the largest difference between the distribution functions of law and times.
    p_value : float or None
        Chance that a recording which the law or model has made lies as far from its own fit.
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
        return {
            "name": self.name,
            "keys": self.keys,
            "parameters": [each.as_dict() for each in self.parameters],
            "log_likelihood": self.log_likelihood,
            "free": self.free,
            "aic": self.aic,
            "distance": self.distance,
            "p_value": self.p_value,
        }


@dataclass(frozen=True)
class Independence:
    """One sort of independence, and what speaks against it.

    Attributes
    ----------
    of : str
        Of what, in words.
    value : float or None
        The correlation, or difference of rates, that is 0 where it holds.
    p_value : float
    fails : bool
        With Holm's rule over all sorts.
    remark : str
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

    Attributes
    ----------
    name : str
    workers, rounds, times : int
        Rounds that all workers have; times of all rounds.
    threshold, least, most : float
        Who takes longer is late; the least and the greatest time.
    warnings : tuple of str
        What comes before all else, as of `Summary`.
    latency : tuple of Fitted
    left_out : dict
        Laws that these times cannot come from, and why.
    stragglers : tuple of Fitted
        Empty where nobody straggles, or everybody always does.
    independence : tuple of Independence
    toml : str
        A study of the fitted models, which `fastgc.run` takes.
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
        return {
            "trace": self.name,
            "workers": self.workers,
            "rounds": self.rounds,
            "times": self.times,
            "threshold": self.threshold,
            "least": self.least,
            "most": self.most,
            "warnings": list(self.warnings),
            "latency": [each.as_dict() for each in self.latency],
            "left_out": self.left_out,
            "stragglers": [each.as_dict() for each in self.stragglers],
            "independence": [each.as_dict() for each in self.independence],
            "toml": self.toml,
        }
