"""The atlas of laws: which remedy wins where workers' times follow one, without sampling.

A worker's time is X for an equal share of the work, and X + C (n · load − 1) for another load, as
for recordings, or X · n · load where times are in proportion to the load. Codes, spare workers and
waits are those of n workers with independent times. Workers of two speeds may stay slow from round
to round (a Markov chain), and work is then shared out by who was slow in the round before.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastgc.engine.payloads import Payload
from fastgc.errors import FastgcError
from fastgc.latency.slowdown import Figure
from fastgc.planning.break_even import KNOTS, LOOKED_AT, crossing, fastest
from fastgc.planning.candidate import Candidate
from fastgc.planning.cells import KIND, KINDS, Cell, Subject, Worth, winner
from fastgc.planning.offered import of_schemes
from fastgc.planning.timed_system import Setting
from fastgc.registry.cached import cached_property
from fastgc.results.advised import BreakEven
from fastgc.study.design import parse
from fastgc.systems.by_speed import Balanced, LeaveOut
from fastgc.systems.relaxed import LocalSgd
from fastgc.systems.uncoded import Uncoded

WORKERS = (8, 32, 128, 1024)
#: Costs of load: parts of the mean time; and None, where slow moments grow with the load, too.
SHARES = (None, 1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.0)
PERIOD = 4
#: How much longer a slow worker of two speeds takes.
SLOWER = 4.0


@dataclass(frozen=True)
class Known:
    """A law: what it is called, and its table in a study.

    Of workers of two speeds a share ``slow`` is slow, and stays so in the next round with
    probability ``stays``.
    """

    group: str
    name: str
    law: dict[str, Any] = field(hash=False)
    slow: float = 0.0
    stays: float = 0.0


def _two_speeds(p: float) -> dict[str, Any]:
    speeds = {"fast": 1.0, "slow": SLOWER}
    parts = {
        key: {"distribution": "deterministic", "value": value} for key, value in speeds.items()
    }
    return {"distribution": "bimodal", "p_slow": p, **parts}


def _exponential(shift: float) -> dict[str, Any]:
    return {"distribution": "exponential", "shift": shift, "mean": 1 - shift}


def _pareto(shape: float) -> dict[str, Any]:
    return {"distribution": "pareto", "shape": shape, "scale": 1.0}


_EXPONENTIAL = "constant + exponential"
_MOMENTS = f"slow moments, {SLOWER:g} times as long"
_SPELLS = f"3 % slow, {SLOWER:g} times as long, for some rounds"
LAWS = (
    *(
        Known(_EXPONENTIAL, f"Exp, {100 * a:g} % constant", _exponential(a))
        for a in (0.0, 0.5, 0.9)
    ),
    *(Known("Pareto", f"Pareto, shape {a:g}", _pareto(a)) for a in (1.5, 2.5, 5.0)),
    *(
        Known(_MOMENTS, f"{SLOWER:g}x slow, {100 * p:g} %", _two_speeds(p), slow=p, stays=p)
        for p in (0.001, 0.01, 0.1)
    ),
    *(
        Known(_SPELLS, f"{SLOWER:g}x slow, {said}", _two_speeds(0.03), slow=0.03, stays=stays)
        for said, stays in (("10 rounds", 0.9), ("100 rounds", 0.99), ("always", 1.0))
    ),
)


@dataclass(frozen=True)
class _System:
    """A system, its mean time where load costs nothing, and that where time ∝ load."""

    system: Any
    load: float
    mean: float

    @property
    def family(self) -> str:
        return str(self.system.settings()["family"])

    def at(self, n: int, cost: float | None) -> float:
        """Return the mean at a cost in seconds, None for times in proportion."""
        return self.mean * n * self.load if cost is None else self.mean + cost * (n * self.load - 1)


def subjects(known: Known) -> Iterator[Subject]:
    """Yield the rows of the map of one law, one for each number of workers."""
    for n in WORKERS:
        yield _Chart(known, n).subject()


class _Chart:
    """A law on n workers."""

    def __init__(self, known: Known, n: int) -> None:
        self._known, self._n = known, n
        self._speeds = TwoSpeeds(n, known.slow, known.stays) if known.slow else None
        self._table = parse({"workers": n, "work": float(n), "latency": known.law})
        self._setting = Payload(Setting(self._table))
        self.mean = self._table.latency[0].time().mean()

    def subject(self) -> Subject:
        """Return its row of the map."""
        cells = tuple(map(self._cell, SHARES))
        name = f"{self._known.name}, n = {self._n}"
        return Subject(name, self._known.group, self._n, 0, cells, self._break_even())

    def _cell(self, share: float | None) -> Cell:
        found = self._at(share)
        uncoded = next(t for s, t in found if s.family == "uncoded")
        best: dict[str, tuple[_System, float]] = {}
        for each, value in found:
            if each.family in KINDS["code"] and not _is_code(each, self._n):
                continue
            if each.family not in best or value < best[each.family][1] * (1 - 1e-12):
                best[each.family] = each, value
        worths = []
        for each, value in best.values():
            own = value / uncoded
            settings, figure = each.system.settings(), Figure(own, own, own)
            worths.append(Worth(settings, each.system.GRADIENT, each.load, figure))
        chosen = winner({each.family: each.time.value for each in worths})
        cost = "in proportion" if share is None else f"{share:g}"
        return Cell(cost, share, tuple(worths), chosen, decided=True)

    def _at(self, share: float | None) -> list[tuple[_System, float]]:
        """Return all systems with their mean times at a cost."""
        cost = None if share is None else share * self.mean
        found = [(each, each.at(self._n, cost)) for each in self._systems]
        value = None if self._speeds is None else self._speeds.balanced(cost)
        if value is not None:
            found.append((_System(Balanced(n=self._n, basis=1), 1 / self._n, value), value))
        return found

    @cached_property
    def _systems(self) -> list[_System]:
        n, found = self._n, list[_System | None]()
        for each in of_schemes(self._table):
            if isinstance(each, LeaveOut):
                found.append(self._left_out(each.k))
            elif not isinstance(each, Balanced):  # which of workers that are alike is uncoded work
                found.append(self._mean(each))
        local = LocalSgd(n=n, period=PERIOD)
        if self._speeds is not None:
            found.append(_System(local, 1 / n, self._speeds.local(PERIOD)))
        else:
            found.append(self._mean(local))
        return [each for each in found if each is not None]

    def _left_out(self, k: int) -> _System:
        n = self._n
        system = LeaveOut(n=n, k=k, basis=1)
        if self._speeds is not None:
            return _System(system, 1 / (n - k), self._speeds.left_out(k))
        rest = self._mean(Uncoded(n=n - k))  # whoever is left out, the others are alike
        assert rest is not None
        return _System(system, 1 / (n - k), rest.mean)

    def _mean(self, system: Any) -> _System | None:
        """Return a system with its exact mean; None where it has none that is quickly found."""
        try:
            candidate = Candidate(self._setting, system)
        except FastgcError:
            return None
        value = candidate.known if candidate.known is not None else candidate.timed.exact()
        if value is None or math.isinf(value):
            return None
        load = candidate.load
        return _System(candidate.system, load, value / (self._n * load))

    def _break_even(self) -> BreakEven:
        systems = [each for each in self._systems if each.family in KIND]
        code = np.array([_is_code(each, self._n) for each in systems])
        ends = [[each.at(self._n, share * self.mean) for each in systems] for share in (0.0, 1.0)]
        if self._speeds is not None:
            some = [self._speeds.balanced(float(share) * self.mean) for share in KNOTS]
            ends += [[value for value in some if value is not None]] * (None not in some)
        means = np.concatenate(ends)[np.newaxis]
        value = float(crossing(means, code)[0])
        at = LOOKED_AT[::4]
        best, other = fastest(means.repeat(at.size, axis=0), code, at)
        curve = zip(at.tolist(), best.tolist(), other.tolist(), strict=True)
        return BreakEven(value, value, value, 1.0, tuple(curve))


def _is_code(each: _System, n: int) -> bool:
    return each.family in KINDS["code"] and each.load > 1.001 / n


class TwoSpeeds:
    """n workers, each slow with a probability, that stay slow or fast from round to round.

    Independent Markov chains: a share ``slow`` of all is slow, who is slow is so in the next round
    with probability ``stays``. A fast time is 1, a slow one `SLOWER`.
    """

    def __init__(self, n: int, slow: float, stays: float) -> None:
        from scipy import stats  # its import takes longer than many a command

        self._n, self._stays = n, stays
        self._turns = slow * (1 - stays) / (1 - slow)
        self._slow = slow
        before = np.arange(n + 1)
        self._before = np.asarray(stats.binom.pmf(before, n, slow))

    def left_out(self, k: int) -> float:
        """Return the mean round without the k workers that were slowest in the round before."""
        before = np.arange(self._n + 1)
        slow = np.maximum(before - k, 0)
        fast = self._n - k - slow
        none = (1 - self._stays) ** slow * (1 - self._turns) ** fast
        return 1 + (SLOWER - 1) * (1 - float((self._before * none).sum()))

    def balanced(self, cost: float | None) -> float | None:
        """Return the mean round with loads in proportion to the speeds of the round before.

        None where less work would take less than no time.
        """
        n = self._n
        before = np.arange(n + 1.0)
        many = n / (n - before + before / SLOWER)  # n · load of who was fast
        times, probabilities = [], []
        for share, count, slow in (
            (many, n - before, self._turns),
            (many / SLOWER, before, self._stays),
        ):
            for own, probability in ((1.0, 1 - slow), (SLOWER, slow)):
                more = own * share if cost is None else own + cost * (share - 1)
                times.append(np.where((count > 0) & (probability > 0), more, 0.0))
                probabilities.append((count, probability))
        values = np.stack(times)
        if (values < 0).any():
            return None
        # P(max ≤ v) for each of the four values: all workers of a class have smaller ones
        found = np.zeros(n + 1)
        ordered = np.sort(values, axis=0)
        below = np.zeros(n + 1)
        for level in ordered:
            within = np.ones(n + 1)
            for first in (0, 2):
                count = probabilities[first][0]
                inside = sum(
                    np.where(values[i] <= level, probabilities[i][1], 0.0)
                    for i in (first, first + 1)
                )
                within = within * np.where(count > 0, inside, 1.0) ** count
            found += level * np.maximum(within - below, 0.0)
            below = np.maximum(below, within)
        return float((self._before * found).sum())

    def local(self, period: int) -> float:
        """Return the mean round where workers are waited for once in a period."""
        # probability of each count of slow rounds so far, by the speed in the last one
        fast, slow = np.zeros(period + 1), np.zeros(period + 1)
        fast[0], slow[1] = 1 - self._slow, self._slow
        for _ in range(period - 1):
            still = fast * (1 - self._turns) + slow * (1 - self._stays)
            slow = np.concatenate([[0.0], (fast * self._turns + slow * self._stays)[:-1]])
            fast = still
        cumulative = np.cumsum(fast + slow)
        most = sum(1 - min(1.0, float(each)) ** self._n for each in cumulative[:-1])
        return 1 + (SLOWER - 1) * most / period
