"""Plug-ins as a user writes them, and studies that they stand in."""

import inspect
from typing import Any, ClassVar, Literal

import numpy as np

import fastgc
from fastgc.decoding import DecodingRule
from fastgc.experiments.decoding import DecodingMeasure, Outcome
from fastgc.latency import Time
from fastgc.registry import GROUPS, register
from fastgc.stragglers import Stragglers
from fastgc.systems import System, Term, answers, at_least

FRC = {"family": "frc", "n": 8, "d": 2}
CYCLIC = {"family": "cyclic", "n": 7, "d": 3, "seed": 1}


SAMPLED: dict[str, Any] = {"method": "monte-carlo", "stop": {"trials": 3000}}


def decoding(**more: Any) -> dict[str, Any]:
    return {"code": CYCLIC, "stragglers": {"model": "iid", "p": 0.3}} | SAMPLED | more


def completion(**more: Any) -> dict[str, Any]:
    latency = {"distribution": "exponential", "mean": 1.0}
    own = {"kind": "completion", "system": {"family": "k-of-n", "n": 5, "k": 3}}
    return own | {"latency": latency} | SAMPLED | more


def together(kind: Any, trials: int = 3000, **values: Any) -> Any:
    """Run experiments that differ in one key, by name, on the same draws."""
    [(key, each)] = values.items()
    tables = [kind(name=name, **{key: value}) for name, value in each.items()]
    for table in tables:
        del table["stop"]
    study = {"experiment": tables, "common_random_numbers": True, "stop": {"trials": trials}}
    return fastgc.run(study)


def plug_in(base: Any, tag: str, **space: Any) -> Any:
    """Register a subclass of a base under a tag, with these methods, values and keys' types."""
    key = GROUPS[base.GROUP].key
    types = {name: space.pop(name) for name, kind in [*space.items()] if kind in (int, bool, float)}
    for name, value in space.items():
        if inspect.isfunction(value):
            value.__name__ = name
    space |= {"__annotations__": types | {key: Literal[tag]}, key: tag}
    space |= {"__module__": __name__, "__qualname__": tag.title()}
    return register(base.GROUP)(type(tag.title(), (base,), space))


class Half(System):
    """Complete with half of the answers."""

    family: Literal["half"] = "half"
    n: int

    def default_share(self) -> float:
        return 2 / self.n

    def term(self) -> Term:
        return at_least(self.n // 2, *answers(self.n))


class Pseudo(DecodingRule):
    """Least squares, or ridge regression, a pattern at a time."""

    method: Literal["pseudo"] = "pseudo"
    ridge: float = 0.0

    def vectors(self, B: Any, alive: Any) -> Any:
        out = np.zeros(alive.shape)
        for row, live in enumerate(alive):
            A = B[:, live]
            gram = A.T @ A + self.ridge * np.eye(A.shape[1])
            inverse = np.linalg.solve(gram, A.T) if self.ridge else np.linalg.pinv(A)
            out[row, live] = inverse.sum(axis=1)
        return out


class Spent(DecodingMeasure):
    """The sum of all weights' sizes."""

    measure: Literal["spent"] = "spent"
    unit: ClassVar[str] = "answers"

    def values(self, outcome: Outcome) -> Any:
        return np.abs(outcome.vectors).sum(axis=2)


class Sticky(Stragglers):
    """Half of the workers are slow for a trial; who straggled straggles again."""

    model: Literal["sticky"] = "sticky"

    def histories(self, uniforms: Any, hidden: Any) -> Any:
        alive = np.ones(uniforms.shape, bool)
        for iteration in range(uniforms.shape[1]):
            alive[:, iteration] = (hidden < 0.5) | (uniforms[:, iteration] > 0.3)
            if iteration:
                alive[:, iteration] &= alive[:, iteration - 1]
        return alive


class Pairs(Stragglers):
    """Two neighbours straggle together, with probability 0.3."""

    model: Literal["pairs"] = "pairs"

    def survivors(self, uniforms: Any) -> Any:
        return np.repeat(uniforms[:, ::2] > 0.3, 2, axis=1)

    def distribution(self, n: int) -> Any:
        p = np.ones(1)
        for _ in range(n // 2):
            p = np.concatenate([0.3 * p, 0 * p, 0 * p, 0.7 * p])
        return p


class UniformTime(Time):
    """From 0 to 1."""

    def survival(self, t: Any) -> Any:
        return 1.0 - self.cdf(t)

    def cdf(self, t: Any) -> Any:
        return np.clip(np.asarray(t, float), 0.0, 1.0)

    def quantile(self, u: Any) -> Any:
        return np.asarray(u, float)

    def upper_quantile(self, v: Any) -> Any:
        return 1.0 - np.asarray(v, float)

    def mean(self) -> float:
        return 0.5
