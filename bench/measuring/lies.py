"""Lies that are told to a measurement, and which comparison finds them.

Workers sleep other seconds than the study's law has: the law is wrong, rounds are as they say. The
master sleeps: rounds are longer than they say, the law is true.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bench.measuring.schemes import N, study
from fastgc.arrays import Values
from fastgc.measuring import measurement, plans
from fastgc.measuring.processes import Answer, Lost, Processes
from fastgc.measuring.worker import Order, Piece
from fastgc.study.measure import parse

#: Rounds of each measurement.
ROUNDS = 40
#: Of a partition; and those that a master sleeps.
SECONDS, SLEEP = 0.005, 0.01


class Lying(Processes):
    """Workers take ``seconds`` (rounds, n), not the law's; a master sleeps at a ``moment``."""

    def __init__(self, pieces: list[Piece], parameters: int, **lie: Any) -> None:
        super().__init__(pieces, parameters)
        self._seconds, self._moment = lie.get("seconds"), lie.get("moment", "")
        self._sent = -1

    def order(self, worker: int, order: Order) -> None:
        if self._moment == "orders" and order.round != self._sent:
            time.sleep(SLEEP)
        self._sent = order.round
        if self._seconds is not None:
            order = replace(order, seconds=(float(self._seconds[order.round, worker]),))
        super().order(worker, order)

    def wait(self, seconds: float) -> list[Answer | Lost]:
        found = super().wait(seconds)
        if found and self._moment == "answers":
            time.sleep(SLEEP)
            return [replace(each, at=self.clock()) for each in found]
        return found


def _times(rng: np.random.Generator) -> Values:
    """Those of the study's law, for the load of a code that tolerates one worker."""
    return np.asarray(2 * SECONDS * (1 + rng.exponential(size=(ROUNDS, N))))


def laws(rng: np.random.Generator) -> dict[str, Values]:
    """Return seconds of other laws, by what is wrong with them."""
    times, slow, later, whole = _times(rng), _times(rng), _times(rng), _times(rng)
    slow[:, rng.integers(N)] *= 1.8
    later[ROUNDS // 2 :] *= 1.8
    stays = np.repeat(whole[: ROUNDS // 4], 4, axis=0)
    together = whole[:, :1] + 0.002 * rng.exponential(size=(ROUNDS, N))
    wrong = {"longer": 1.5 * times, "shorter": 0.6 * times, "one is slow": slow}
    return wrong | {"slower later": later, "stay slow": stays, "slow together": together}


OVERHEADS: dict[str, dict[str, Any]] = {
    "sleeps before orders": {"moment": "orders"},
    "sleeps before answers": {"moment": "answers"},
}
#: What is wrong, and the comparison that is to find it.
GROUPS = {"law": "law", "overhead": "structure", "none": None}


def told(group: str, seed: int) -> dict[str, Any]:
    """Tell one lie of a group; return which comparisons found it."""
    rng = np.random.default_rng([seed, list(GROUPS).index(group)])
    kinds: dict[str, dict[str, Any]] = {"nothing": {}}
    if group == "law":
        kinds = {name: {"seconds": seconds} for name, seconds in laws(rng).items()}
    elif group == "overhead":
        kinds = OVERHEADS
    kind = list(kinds)[seed % len(kinds)]
    own = study("groups", ROUNDS, seed, SECONDS)
    plan, lying = plans.of_study(parse(own)), partial(Lying, **kinds[kind])
    found = measurement.run(plan, carrier=lying).verdicts
    broken = [each["comparison"] for each in found if each["verdict"] == "did not hold"]
    said = [f"{each['comparison']} {each['verdict']}: {each['sentence']}" for each in found]
    right = broken == [GROUPS[group]] * (GROUPS[group] is not None)
    return {"group": group, "lie": kind, "seed": seed, "right": right, "said": "; ".join(said)}


def rows(many: int, seed: int) -> Iterator[dict[str, Any]]:
    """Tell so many lies of each group, and none as often."""
    return (told(group, seed + place) for place in range(many) for group in GROUPS)
