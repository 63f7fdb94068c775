"""The one loop that samples: units side by side, checkpoints, limits and progress.

`fastgc.run` and `fastgc.validate` differ in what their units are, in their rules, and in what they
make of the tallies; how units are sampled is the same.
"""

import math
import time
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from fastgc.engine import blocks
from fastgc.engine.blocks import Limits
from fastgc.engine.executors.pool import WAIT_SECONDS, Pool
from fastgc.engine.units import Unit
from fastgc.errors import WorkersError
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.stored import StoredUnit

PAUSE_SECONDS = 0.01
PATIENCE_SECONDS = 0.5  # an interrupted run waits so long for its blocks, and then writes first
PROGRESS_SECONDS = 0.2
PROGRESS_SHARE = 0.05  # of the time, where what progress says takes long to make


@dataclass(frozen=True)
class UnitStep:
    """How far a unit is: the earliest of those under way."""

    number: int  #: Which unit, from 0.
    finished: int  #: How many units are done.
    active: tuple[int, ...]  #: All units under way.


@dataclass(frozen=True)
class Work:
    """A unit to be sampled: what is known of it, which is changed in place, and its limits."""

    unit: Unit
    stored: StoredUnit
    limits: Limits


@dataclass(frozen=True)
class _Active:
    number: int
    stored: StoredUnit
    events: Generator[blocks.Event]


@dataclass
class Loop:
    """Samples units until each has reached its limits, or the run is interrupted."""

    units: int  #: How many there are.
    begin: Callable[[int], Work]  #: Gives the work of a number, from 0, when its turn has come.
    pool: Pool  #: Where blocks run.
    _: KW_ONLY
    shard: tuple[int, int] = (0, 1)  #: Which of N parts of the blocks are sampled.
    #: Says why to stop: what is under way is still merged, and nothing new is begun. Something is
    #: sampled in any case.
    interrupted: Callable[[], str | None] = lambda: None
    keeper: Checkpointer | None = None  #: Knows when it is time for a checkpoint.
    write: Callable[[], None] = lambda: None  #: Writes one: what there is so far.
    progress: Callable[[UnitStep], None] | None = None  #: Called now and then.
    #: Called with a unit's number, and with how many trials of it came in how many seconds.
    merged: Callable[[int, int, float], None] | None = None
    #: Called with the number of each unit that is done.
    finished: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        self._active: list[_Active] = []
        self._begun = 0
        self._done = 0
        self._sampled = False
        self._unwritten = True
        self._asked = math.inf  # when it was first seen that the run is interrupted
        self._shown, self._pause = time.monotonic(), PROGRESS_SECONDS

    def run(self) -> str | None:
        """Sample; return why it was interrupted, None where every unit reached its limits.

        Raises WorkersError if the pool has lost its workers, after a checkpoint.
        """
        try:
            while self._active or self._has_more:
                moved, waiting = self._advance()
                begun = not moved and self._begin()
                self._say()
                self._write(waits=not moved)
                if waiting and not moved and not begun:
                    wait(waiting, WAIT_SECONDS, FIRST_COMPLETED)
                elif not moved and not begun:  # without one under way, others' are waited for
                    time.sleep(PAUSE_SECONDS)
        except WorkersError:
            if self.keeper is not None and self._unwritten:
                self.write()
            raise
        finally:
            for unit in self._active:
                unit.events.close()
        return self.interrupted() if self._done < self.units else None

    @property
    def _has_more(self) -> bool:
        if self._begun == self.units:
            return False
        return not (self._sampled or self._active) or self.interrupted() is None

    def _begin(self) -> bool:
        # where those under way have nothing more to hand out: a worker that is done finds its next
        # task waiting, of whichever unit
        if not self._has_more or (self._active and not self.pool.has_room):
            return False
        work = self.begin(self._begun)
        begins = not self._active and not self._sampled
        limits = replace(work.limits, interrupted=self.interrupted, begins=begins)
        events = blocks.sample(work.unit, work.stored, limits, self.pool, self.shard)
        self._active.append(_Active(self._begun, work.stored, events))
        if self.progress is not None and not self._begun:
            self.progress(UnitStep(0, 0, (0,)))
        self._begun += 1
        return True

    def _advance(self) -> tuple[bool, list[Future[Any]]]:
        moved, waiting = False, []
        for unit in list(self._active):
            event = next(unit.events, None)
            if event is None:
                self._active.remove(unit)
                moved = True
                if unit.stored.stopped_by is not None:
                    self._done += 1
                    if self.finished is not None:
                        self.finished(unit.number)
            elif isinstance(event, blocks.BlocksMerged):
                moved = self._sampled = self._unwritten = True
                if self.merged is not None:
                    self.merged(unit.number, event.trials, event.seconds)
            elif event.future is not None:
                waiting.append(event.future)
        return moved, waiting

    def _say(self) -> None:
        now = time.monotonic()
        if self.progress is None or not self._active or now - self._shown < self._pause:
            return
        active = tuple(unit.number for unit in self._active)
        self.progress(UnitStep(active[0], self._done, active))
        self._shown = time.monotonic()
        self._pause = max(PROGRESS_SECONDS, (self._shown - now) / PROGRESS_SHARE)

    def _write(self, *, waits: bool) -> None:
        if self.keeper is None:
            return
        # what is under way may take long: who leaves before it is done loses nothing else
        leaves = False
        if waits and self._unwritten and self.interrupted() is not None:
            self._asked = min(self._asked, time.monotonic())
            leaves = time.monotonic() - self._asked >= PATIENCE_SECONDS
        if leaves or self.keeper.is_due():
            self.write()
            self._unwritten = False
