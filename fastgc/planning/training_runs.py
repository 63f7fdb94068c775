"""Training runs under a system: what its rounds do to the gradient, and what they cost."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.engine.payloads import Payload
from fastgc.errors import FastgcError
from fastgc.experiments.training.gradients import cumulative
from fastgc.experiments.training.measures import first_below
from fastgc.planning.candidate import Candidate
from fastgc.planning.timed_system import Setting, TimedSystem, moments
from fastgc.registry.cached import cached_property
from fastgc.statistics.estimates import normal_quantile
from fastgc.study.design import DesignTable
from fastgc.study.goals import number_of
from fastgc.systems.relaxed import LocalSgd
from fastgc.systems.system import System
from fastgc.systems.uncoded import Uncoded
from fastgc.training.coded import Descent
from fastgc.training.data.data import bounds
from fastgc.training.local import local_losses

#: What a run gives, in the order of `outcomes`: the goal, whether it is known, and what was spent
#: until then; the share of the gradient that was lost is one of all rounds so far.
VALUE, REACHED, ROUNDS, MESSAGES, WORKED, LOST = range(6)


class Course(NamedTuple):
    """Runs of T trials after 0 rounds and after each later synchronisation, m + 1 in all.

    ``rounds`` (m + 1,) so far; ``loss`` (m + 1, T), or (m + 1, 1) where it is the same in all
    trials; ``seconds``, ``messages``, ``worked`` seconds and rounds' shares ``lost``, all so far.
    """

    rounds: Values
    loss: Values
    seconds: Values
    messages: Values
    worked: Values
    lost: Values


def shared_losses(table: DesignTable, system: System) -> Values | None:
    """Return the losses that all trials have after 0, 1, … synchronisations.

    None where they depend on who is late. Systems with the exact gradient have the same losses;
    with local steps all workers are waited for, so that no loss depends on times.
    """
    assert table.problem is not None and table.optimizer is not None and table.iterations
    problem, data = table.problem, table.problem.load()
    if system.GRADIENT == "lost":
        return None
    if isinstance(system, LocalSgd):
        n, period = system.n, system.period
        return local_losses(problem, data, n, table.optimizer, period, table.iterations)
    whole = Descent(problem, data, 1, table.optimizer, table.iterations)
    return whole.run([[1.0]], np.zeros((table.iterations, 1), np.int64)).loss[:, 0]


def course(timed: TimedSystem, losses: Values | None, first: int, groups: int) -> Course:
    """Train 64 · groups times from trial ``first`` on; ``losses`` are those of `shared_losses`.

    All systems see the same workers: a trial is a sequence of rounds, and a worker's time in one of
    them is drawn from the same numbers, or is of the same row. Of a system that loses a share, a
    round's gradient is the mean over the samples of those whose answers came in time (Dutta et al.,
    2018); no answers, no step.
    """
    table, scenario = timed.table, timed.scenario
    assert table.iterations is not None
    period = 1
    drawn = scenario
    if isinstance(scenario.system, LocalSgd):
        period = scenario.system.period
        drawn = table.scenario(Uncoded(n=scenario.n))
    rounds = table.iterations // period
    batch = Batch(table.seed, "design", first, groups, rounds * period)
    times, late = drawn.carried(drawn.draws.times(batch))
    shape = rounds, times.shape[-1]
    seconds, messages, worked, lost = (np.zeros(shape) for _ in range(4))
    alive = np.ones((rounds, scenario.n, shape[1]), bool) if losses is None else None
    for place in range(rounds):
        own = times[place]
        if period > 1:
            own = np.stack(list(times[place * period : (place + 1) * period]), axis=1)
        seconds[place], messages[place], _ = scenario.evaluator.counted(own)
        worked[place] = scenario.worked(own, seconds[place])
        if scenario.messages is not None:
            messages[place] = scenario.messages
        elif late is not None:
            messages[place] += late[place]
        if alive is not None:
            alive[place] = scenario.answered(own, seconds[place])
    if alive is not None:
        loss, lost = _with_lost_shares(timed, alive)
    else:
        assert losses is not None
        loss = losses[:, np.newaxis]
    seconds, messages, worked = (cumulative(own * period) for own in (seconds, messages, worked))
    synchronised = period * np.arange(rounds + 1.0)
    return Course(synchronised, loss, seconds, messages, worked, cumulative(lost))


def _with_lost_shares(timed: TimedSystem, alive: np.ndarray) -> tuple[Values, Values]:
    """Return losses (L + 1, T), and the share of the samples' gradients that rounds lose (L, T)."""
    rounds, n, trials = alive.shape
    assert timed.table.problem is not None
    samples = timed.table.problem.load().samples
    sizes = np.diff(bounds(samples, n)).astype(float)
    share = np.zeros((rounds, trials))
    for j in range(n):  # in one order
        share += alive[:, j] * (sizes[j] / samples)
    some = share > 0
    scale = np.where(some, 1.0 / np.where(some, share, 1.0), 0.0)
    weights = (alive * scale[:, np.newaxis]).swapaxes(1, 2).reshape(-1, n)
    index = np.arange(rounds * trials).reshape(rounds, trials)
    return timed.setting.content.descent(n).run(weights, index).loss, 1.0 - share


def outcomes(timed: TimedSystem, losses: Values | None, first: int, groups: int) -> Values:
    """Return what each of 64 · groups runs gives, (6, T): see `VALUE` … `LOST`.

    A run that does not reach the loss counts up to its end; so does one that is over before the
    seconds at which its loss is asked for. Neither is then known.
    """
    table, found = timed.table, course(timed, losses, first, groups)
    trials = found.seconds.shape[1]
    loss = np.broadcast_to(found.loss, found.seconds.shape)
    target, seconds = (number_of(table.goal, name) for name in ("time_to_loss", "loss_at"))
    if target is not None:
        place = first_below(loss, target)
        known = place >= 0
        place = np.where(known, place, len(loss) - 1)
        value = found.seconds[place, np.arange(trials)]
    else:
        assert seconds is not None
        place = (found.seconds <= seconds).sum(axis=0) - 1
        known = place < len(loss) - 1
        value = loss[place, np.arange(trials)]
        value = np.where(np.isnan(value), math.inf, value)
    every = [found.messages, found.worked, found.lost / np.maximum(found.rounds, 1)[:, np.newaxis]]
    spent = [each[place, np.arange(trials)] for each in every]
    return np.array([value, known, found.rounds[place], *spent])


def losses_at(
    timed: TimedSystem, losses: Values | None, grid: Values, first: int, groups: int
) -> Values:
    """Return each run's loss at some times, (times, T); NaN once it is over or has diverged."""
    found = course(timed, losses, first, groups)
    loss = np.broadcast_to(found.loss, found.seconds.shape)
    out = np.full((grid.size, loss.shape[1]), np.nan)
    for trial, clock in enumerate(found.seconds.T):
        place = np.searchsorted(clock, grid, side="right") - 1
        out[:, trial] = np.where(grid <= clock[-1], loss[place, trial], np.nan)
    return out


class Trained(Candidate):
    """A system, and what training runs under it give: the first of ``outcomes`` (6, trials).

    ``losses`` are those that all trials have, None where they differ.
    """

    def __init__(self, setting: Payload[Setting], system: System) -> None:
        super().__init__(setting, system)
        self.is_infinite = self.known == math.inf and number_of(self._table.goal, "loss_at") is None
        self.known = None
        self.losses: Values | None = None
        self.outcomes: Values = np.empty((6, 0))
        rounds, period = self._table.iterations, getattr(self.system, "period", 1)
        assert rounds is not None
        if isinstance(self.system, LocalSgd) and period > rounds:
            raise FastgcError(f"a period of {period} rounds is longer than {rounds} iterations")

    @cached_property
    def block(self) -> int:
        """Runs that are made together."""
        assert self._table.iterations is not None
        return block_trials(self._scenario.n, self._table.iterations)

    def left(self, trials: int) -> list[tuple[int, int]]:
        """Blocks of the first trials that were not made yet: the first trial, groups of 64."""
        firsts = range(self.trials, trials, self.block)
        return [(first, -(-min(self.block, trials - first) // WORD)) for first in firsts]

    def add(self, blocks: Sequence[Values], trials: int) -> None:
        """Take the outcomes of the blocks that were missing of the first trials."""
        self.outcomes = np.concatenate([self.outcomes, *blocks], axis=1)[:, :trials]

    def sample(self, trials: int) -> Values:
        """Return the goal in the first trials, (trials,)."""
        return np.asarray(self.outcomes[VALUE, :trials])

    @property
    def trials(self) -> int:
        return int(self.outcomes.shape[1])

    @property
    def missed(self) -> int:
        """Runs that did not reach the loss."""
        return self.trials - int(self.outcomes[REACHED].sum())

    @property
    def value(self) -> float:
        """The mean of the goal; infinite where a run did not reach the loss, or diverged.

        So it is before any run, as of a system that another one's runs stand for.
        """
        if self.missed or self.is_infinite or not self.trials:
            return math.inf
        return math.fsum(self.sample(self.trials)) / self.trials

    def interval(self, z: float | None = None) -> tuple[float, float]:
        """Return the interval of the mean; where a run was not over in time, from below alone."""
        values = self.sample(self.trials)
        if not np.isfinite(values).all() or self.is_infinite:
            return math.inf, math.inf
        half = normal_quantile(0.95) if z is None else z
        mean, error = moments(values)
        low = max(0.0, mean - half * error)
        return low, math.inf if self.missed else mean + half * error

    @cached_property
    def costs(self) -> tuple[float, float, float]:
        """Messages received until the goal, and seconds that all workers worked: means.

        Last the standard error of these seconds.
        """
        return self.mean(MESSAGES), *moments(self.outcomes[WORKED])

    def mean(self, row: int) -> float:
        """The mean of one of the outcomes."""
        return math.fsum(self.outcomes[row]) / self.trials
