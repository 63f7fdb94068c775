"""The search for the system under which training gets to a loss soonest, in one order for all.

All systems train on the same rounds, trial by trial. A system is dropped when another one is
certainly better: by one-sided normal intervals of paired differences, of the goal where all runs of
the better one reach the loss, or of the shares that do, at a level shared out among all systems and
looks.
"""

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist

import numpy as np

from fastgc.engine.executors.pool import Pool
from fastgc.errors import FastgcError
from fastgc.latency.listed import recorded
from fastgc.planning import ranking
from fastgc.planning.candidate import Candidate, CandidateList
from fastgc.planning.confidence import LAW, RECORDING, several
from fastgc.planning.timed_system import moments
from fastgc.planning.training_runs import (
    LOST,
    REACHED,
    ROUNDS,
    VALUE,
    Trained,
    course,
    losses_at,
    outcomes,
    shared_losses,
)
from fastgc.planning.valuation import Call, Calls, Report
from fastgc.results.ranking import Choice, LossCurve, Training, written
from fastgc.statistics.estimates import normal_quantile
from fastgc.study.design import MOST_ITERATIONS, DesignTable
from fastgc.study.goals import number_of
from fastgc.systems.relaxed import LocalSgd

#: Runs of every system, before any is dropped, and at least of those that are listed.
_FIRST, _LISTED = 256, 4096
#: Systems of a list that are looked at first, at most; how often lists are looked at again.
LONGEST, _AGAIN = 32, 12
#: Curves that are kept, their times, and the runs that they are means of.
_CURVES, _TIMES, _RUNS = 6, 61, 256


class LossSearch:
    """The search; after `run`, ``unresolved`` systems may be better than the first.

    ``baseline`` is uncoded work, which gains are over.
    """

    def __init__(
        self,
        table: DesignTable,
        lists: Sequence[CandidateList],
        baseline: Candidate | None,
        pool: Pool,
        report: Report,
    ) -> None:
        self._table, self.lists, self._report = table, list(lists), report
        self._baseline = baseline
        self._target = number_of(table.goal, "time_to_loss")
        self._seconds = number_of(table.goal, "loss_at")
        self._training: Calls[np.ndarray] = Calls(pool)
        self._losses: dict[Hashable, np.ndarray | None] = {}
        self.unresolved: list[Trained] = []
        stages = 1 + max(0, math.ceil(math.log(table.most_trials / _FIRST, 4)))
        size = 2 * sum(map(len, lists)) * (stages + _AGAIN)
        self._z = -NormalDist().inv_cdf((1 - table.confidence) / size)

    @property
    def looked_at(self) -> list[Trained]:
        """The systems that were looked at; of those that are the same, the first."""
        found: dict[Hashable, Trained] = {}
        for candidate in self._every:
            found.setdefault((candidate.gradient, candidate.identity), candidate)
        return list(found.values())

    @property
    def _every(self) -> list[Trained]:
        return [c for each in self.lists for c in each.candidates if isinstance(c, Trained)]

    def equals(self, one: Candidate) -> list[Candidate]:
        """Return the other names of a system."""
        key = one.gradient, one.identity
        return [c for c in self._every if c is not one and (c.gradient, c.identity) == key]

    @property
    def trials(self) -> int:
        """Most runs of a system."""
        return max(c.trials for c in self._every)

    def run(self) -> list[Trained]:
        """Search; return the best system of each scheme and neighbours of the first, in order."""
        trials, most = min(_FIRST, self._table.most_trials), self._table.most_trials
        self._train(self.looked_at, trials)
        self._drop()
        while any([each.refine() for each in self.lists]):
            self._train(self.looked_at, trials)
            self._drop()
        while len(left := self._left) > 1 and trials < most:
            trials = min(4 * trials, most)
            self._train(left, trials)
            self._drop()
        leader = min(self._left, key=_rank)
        self._require_reached(leader)
        self.unresolved = [c for c in self._left if c is not leader]
        found = self._worth_listing(leader)
        base = [self._baseline] if isinstance(self._baseline, Trained) else []
        self._train([*found, *base], min(_LISTED, most))
        return [leader, *sorted((c for c in found if c is not leader), key=_rank)]

    def choice(self, one: Trained) -> Choice:
        """Return a system as a choice."""
        z = normal_quantile(self._table.confidence)
        low, high = one.interval(z)
        gain, ends = self._gain(one, z)
        messages, worked, error = one.costs
        return Choice(
            system=one.system.settings(),
            value=one.value,
            low=low,
            high=high,
            load=one.load,
            gradient=one.gradient,
            method="monte-carlo",
            messages=messages,
            worked=worked,
            worked_low=max(0.0, worked - z * error),
            worked_high=worked + z * error,
            gain=gain,
            gain_low=ends[0],
            gain_high=ends[1],
            trials=one.trials,
            note=self._note(one),
            also=tuple(other.system.settings() for other in self.equals(one)),
            training=Training(one.mean(REACHED), one.mean(ROUNDS), one.mean(LOST)),
        )

    def curves(self, best: Sequence[Trained]) -> tuple[LossCurve, ...]:
        """Return the mean loss against time of the first few systems, of equal ones the first."""
        unlike = {each.value: each for each in reversed(best)}
        best = [c for c in best if unlike[c.value] is c or c.value == math.inf][:_CURVES]
        ends = [c.mean(VALUE) for c in best]
        end = self._seconds or 1.15 * max(e for e in ends if math.isfinite(e))
        grid = np.linspace(0.0, end, _TIMES)
        trials = min(_RUNS, self._table.most_trials)
        calls = []
        for each in best:
            block = min(each.block, trials)
            for first in range(0, trials, block):
                groups = -(-min(block, trials - first) // 64)
                given = each.timed, each.losses, grid, first, groups
                calls.append((each, Call(losses_at, given, each.timed.draws * groups)))
        found = self._training.results(
            [call for _, call in calls],
            lambda done: self._report(done, len(calls), "curves", trials),
        )
        parts: dict[int, list[np.ndarray]] = {}
        for (each, _), losses in zip(calls, found, strict=True):
            parts.setdefault(id(each), []).append(losses)
        z = normal_quantile(self._table.confidence)
        return tuple(
            _curve(each, grid, np.concatenate(parts[id(each)], axis=1)[:, :trials], z)
            for each in best
        )

    # ---- parts

    @property
    def _left(self) -> list[Trained]:
        return [c for c in self.looked_at if not c.dropped]

    def _train(self, candidates: Sequence[Trained], trials: int) -> None:
        """Train under each system for so many trials, if it was not done yet."""
        short = [c for c in candidates if c.trials < trials]
        blocks = [c.left(trials) for c in short]
        owners = [each for each, own in zip(short, blocks, strict=True) for _ in own]
        calls = [
            Call(outcomes, (each.timed, self._shared(each), *block), each.timed.draws * block[1])
            for each, own in zip(short, blocks, strict=True)
            for block in own
        ]

        def listen(done: int) -> None:
            self._report(done, len(calls), owners[done].family, trials)

        found = self._training.results(calls, listen)
        for each, own in zip(short, blocks, strict=True):
            each.add([next(found) for _ in own], trials)
            self._require_long_enough(each)

    def _shared(self, each: Trained) -> np.ndarray | None:
        """Return the losses that all trials of a system have, made once for all that share them."""
        local = isinstance(each.system, LocalSgd)
        key = (each.gradient, each.system if local else None)
        if key not in self._losses:
            self._losses[key] = shared_losses(self._table, each.system)
        each.losses = self._losses[key]
        return each.losses

    def _drop(self) -> None:
        leader = min(self._left, key=_rank)
        for each in self._left:
            each.dropped = each is not leader and self._worse(each, leader)

    def _worse(self, one: Trained, leader: Trained) -> bool:
        """Whether a system is certainly worse than another."""
        if one.is_infinite or leader.is_infinite:
            return not leader.is_infinite
        trials = min(one.trials, leader.trials)
        mine, others = one.outcomes[:, :trials], leader.outcomes[:, :trials]
        if not np.isfinite(others[VALUE]).all():
            return False
        if not np.isfinite(mine[VALUE]).all():
            return True
        later = mine[VALUE] - others[VALUE]
        missed = others[REACHED] - mine[REACHED]
        # a run that misses the loss takes longer than to its end: one's values may be too small
        tests = [missed] if leader.missed else [later, missed]
        return any(mean - self._z * error > 0 for mean, error in map(moments, tests))

    def _worth_listing(self, leader: Trained) -> list[Trained]:
        """The best of each scheme's groups, each thing once, and neighbours of the first."""
        groups: dict[tuple[str, str], list[Trained]] = {}
        for each in self.lists:
            own = [c for c in each.candidates if isinstance(c, Trained) and c.trials]
            groups.setdefault((each.scheme, each.group), []).extend(own)
        found = [leader, *(min(own, key=_rank) for own in groups.values() if own)]
        for each in self.lists:
            if any(c is leader for c in each.candidates):
                found += [c for c in each.neighbours(leader) if isinstance(c, Trained)]
        once: dict[Hashable, Trained] = {}
        for c in found:
            if c.trials:
                once.setdefault((c.gradient, c.identity), c)
        return list(once.values())

    def _gain(self, one: Trained, z: float) -> tuple[float | None, tuple[float | None, ...]]:
        """Return how many times as long uncoded work takes to the loss, and the interval."""
        base = self._baseline
        if self._target is None or not isinstance(base, Trained):
            return None, (None, None)
        if not (math.isfinite(base.value) and 0 < one.value < math.inf):
            return None, (None, None)
        trials = min(base.trials, one.trials)
        if base.identity == one.identity and base.gradient == one.gradient:
            return 1.0, (1.0, 1.0)
        mine, others = one.sample(trials), base.sample(trials)
        return math.fsum(others) / math.fsum(mine), ranking.paired(others, mine, z)

    def _note(self, one: Trained) -> str:
        notes = []
        if one.is_infinite:
            notes.append("infinite: so is the mean time of its rounds")
        elif one.missed:
            notes.append(
                f"{one.missed} of {one.trials} runs did not reach the loss in "
                f"{self._table.iterations} rounds, so that there is no mean time; it is above the "
                "lower end"
            )
        elif not math.isfinite(one.value):
            notes.append("some runs diverged")
        elif one.heavy:
            notes.append("infinite variance: the interval may be too short")
        if one.idle:
            notes.append(f"the last {one.idle} workers are idle")
        return ", ".join(notes)

    def _require_reached(self, leader: Trained) -> None:
        target = self._target
        if target is None or leader.missed < leader.trials:
            return
        known = [losses for losses in self._losses.values() if losses is not None]
        least = min((float(np.nanmin(losses)) for losses in known), default=math.nan)
        said = f"; those with the same losses in all runs get to {least:.6g}" if known else ""
        raise FastgcError(
            f"design.goal: under no system does training reach a loss of {target:g} in "
            f"{self._table.iterations} iterations{said}; give more iterations, or another goal"
        )

    def _require_long_enough(self, each: Trained) -> None:
        seconds, rounds = self._seconds, self._table.iterations
        if seconds is None or not each.missed:
            return
        assert rounds is not None
        shortest = float(course(each.timed, each.losses, 0, 1).seconds[-1].min())
        remedy, enough = "fewer seconds in goal", 1.3 * rounds * seconds
        if enough <= MOST_ITERATIONS * shortest:
            remedy = f"some {math.ceil(enough / shortest)}"
        raise FastgcError(
            f"design.iterations: under {written(each.system.settings())} some runs of {rounds} "
            f"rounds are over before {seconds:g} {self._table.times_in}; give {remedy}, or leave "
            f"{each.family} out of schemes"
        )

    # ---- what is said

    @property
    def scope(self) -> str:
        """What is certain or not: under a law, or of a recording."""
        rows = any(recorded(law) for law in self._table.latency)
        return RECORDING if rows else LAW

    def statement(self, first: Trained) -> str:
        """Return how sure it is that the first system is the best."""
        percent = f"{100 * self._table.confidence:g} %"
        under = "On the rows of this recording" if self.scope == RECORDING else "Under this law"
        best = "the best of all that were looked at, whatever they do to the gradient"
        if self.unresolved:
            said = (
                f"{under} the first is not certainly {best}: {self.trials} trials do not tell it "
                f"from {several(self.unresolved)} at {percent}; give more trials, or take either."
            )
        else:
            said = f"{under} the first is certainly, at {percent}, {best}."
        if first.missed:
            said += " Not all of its runs reach the loss."
        if self.scope == RECORDING:
            said += (
                " Trials replay its rows in order, each from a row drawn at random; that the "
                "recording is itself a sample of what its cluster does is not counted."
            )
        return said

    def notes(self, shown: Sequence[Trained]) -> list[str]:
        """Return sentences on how training is simulated under the systems that are shown."""
        said = ["systems with the exact gradient have the same losses, and differ in time alone"]
        lost = dict.fromkeys(c.family for c in shown if c.gradient == "lost")
        if lost:
            said.append(
                f"{' and '.join(lost)}: a round's gradient is the mean over the samples of those "
                "who answered in time; what is late is dropped"
            )
        if any(isinstance(c.system, LocalSgd) for c in shown):
            said.append(
                "local-sgd: each worker makes its steps on its own samples, and parameters are "
                "averaged once in each period; the loss is looked at then"
            )
        return said


def _rank(one: Trained) -> tuple[float, ...]:
    """Order: all runs reach the loss, then more of them; by the goal; by the load."""
    share = 1.0 if one.is_infinite else one.missed / one.trials
    return float(one.is_infinite), share, one.value, one.load


def _curve(one: Trained, grid: np.ndarray, losses: np.ndarray, z: float) -> LossCurve:
    """Return the means over trials at each time up to which all runs last."""
    known = ~np.isnan(losses).any(axis=1)
    last = int(np.argmin(known)) if not known.all() else grid.size
    found = [moments(own) for own in losses[:last]]
    return LossCurve(
        one.system.settings(),
        tuple(grid[:last].tolist()),
        tuple(mean for mean, _ in found),
        tuple(mean - z * error for mean, error in found),
        tuple(mean + z * error for mean, error in found),
    )
