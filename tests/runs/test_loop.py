"""The loop that samples units: side by side where cores are idle, in order, interruptible."""

import threading
from types import SimpleNamespace

import pytest

from fastgc.engine.blocks import Limits
from fastgc.engine.executors.local import in_threads
from fastgc.runs import loop
from fastgc.runs.loop import Loop, Work
from fastgc.runs.plan import Plan
from fastgc.study.study import Study
from suite.checks import every
from suite.files import state
from suite.studies import ring
from suite.waiting import HUNG, until

BLOCK = 128


pytestmark = pytest.mark.usefixtures("small_blocks")


def units_of(count):
    study = {"experiment": [ring(p=0.3, name=f"e{i}") for i in range(count)]}
    return Plan.of(Study.parse(study)).units


def sampled(units, blocks, threads=2, begun=None, stored=None, **options):
    """Sample so many blocks of each unit: why the loop ended, and what is stored."""
    stored = stored or [unit.fresh() for unit in units]

    def begin(number):
        if begun is not None:
            begun.append(number)
        return Work(units[number], stored[number], Limits(blocks * BLOCK))

    with in_threads(threads) as pool:
        reason = Loop(len(units), begin, pool, **options).run()
    return reason, stored


def instead(monkeypatch, unit, before):
    run = unit.run

    def slowly(*arguments):
        before()
        return run(*arguments)

    monkeypatch.setattr(unit, "run", slowly)


def test_units_are_sampled_side_by_side_where_cores_are_idle(monkeypatch):
    # each has one task, which waits until those of all three run at once
    units = units_of(3)
    together = threading.Barrier(3, timeout=HUNG)
    for unit in units:
        instead(monkeypatch, unit, together.wait)
    reason, stored = sampled(units, 1, threads=3)
    assert reason is None and [unit.trials for unit in stored] == [BLOCK] * 3


def test_a_worker_that_is_done_finds_the_next_units_task_waiting(monkeypatch):
    units, begun = units_of(3), []
    instead(monkeypatch, units[0], lambda: until(lambda: 1 in begun, "none was begun"))
    reason, stored = sampled(units, 1, threads=1, begun=begun)
    assert reason is None and [unit.trials for unit in stored] == [BLOCK] * 3


def test_a_unit_that_fills_the_cores_is_alone(monkeypatch):
    units = units_of(2)
    begun, asked, free = [], [], threading.Event()
    instead(monkeypatch, units[0], lambda: free.wait(HUNG))

    def interrupted():
        asked.append(list(begun))
        if len(asked) == 5:
            free.set()  # until now all cores have had tasks of the first unit

    assert sampled(units, 64, begun=begun, interrupted=interrupted)[0] is None
    assert asked[:5] == [[0]] * 5 and begun == [0, 1]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_who_else_is_sampled_changes_no_bit(threads):
    units = units_of(5)
    for unit, own in zip(units, sampled(units, 3, threads)[1], strict=True):
        _, [alone] = sampled([unit], 3, 1)
        assert state(own) == state(alone) and own.stopped_by == "trials"


def test_once_interrupted_no_unit_begins():
    begun, stop = [], {"threads": 1, "interrupted": lambda: "SIGTERM"}
    reason, stored = sampled(units_of(4), 50, begun=begun, **stop)
    # something was sampled in any case, and of the first unit only; the others were not made
    assert reason == "SIGTERM" and begun == [0]
    assert stored[0].done > 0 and stored[0].stopped_by is None
    assert [unit.trials for unit in stored[1:]] == [0, 0, 0]


def test_what_is_merged_is_written_before_an_interrupted_run_waits(monkeypatch):
    [unit] = units_of(1)
    both, written = threading.Barrier(2, timeout=HUNG), threading.Event()
    run, stored, trials = unit.run, unit.fresh(), []  # trials at each checkpoint

    def slowly(blocks, *rest):
        if 0 in blocks or 1 in blocks:
            both.wait()  # the second block is under way when the first is merged
        if 1 in blocks:
            assert written.wait(HUNG)
        return run(blocks, *rest)

    def interrupted():
        if BLOCK in trials:
            written.set()
        return "SIGINT" if stored.trials else None

    monkeypatch.setattr(unit, "run", slowly)
    monkeypatch.setattr(loop, "PATIENCE_SECONDS", 0.0)
    reason, _ = sampled(
        [unit],
        50,
        stored=[stored],
        interrupted=interrupted,
        keeper=SimpleNamespace(is_due=lambda: False),
        write=lambda: trials.append(stored.trials),
    )
    assert reason == "SIGINT" and trials[0] == BLOCK and stored.trials >= 2 * BLOCK


def test_progress_is_of_the_earliest_unit_under_way(monkeypatch):
    monkeypatch.setattr(loop, "PROGRESS_SECONDS", 0.0)
    steps, done = [], []
    sampled(units_of(3), 5, progress=steps.append, finished=done.append)
    numbers = [step.number for step in steps]
    assert numbers == sorted(numbers) and set(numbers) <= {0, 1, 2}
    assert steps[0] == loop.UnitStep(0, 0, (0,))
    assert every(step.number in step.active for step in steps)
    assert [step.finished for step in steps] == sorted(step.finished for step in steps)
    assert sorted(done) == [0, 1, 2], "each unit is reported when it is done"


def test_an_error_in_one_unit_ends_the_loop(monkeypatch):
    units = units_of(3)
    monkeypatch.setattr(units[1], "run", lambda *_: int("out of order"))
    with pytest.raises(ValueError, match="out of order"):
        sampled(units, 2)
