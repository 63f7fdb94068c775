"""Where blocks are sampled: the same bits everywhere, and what becomes of workers that die."""

import os
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import pytest

import fastgc
from batch.shell import Shell, at_work
from conftest import EARLY, environment
from fastgc.engine.executors import NAMES, pool, surroundings
from fastgc.engine.executors.local import in_processes, in_threads
from fastgc.errors import WorkersError
from fastgc.results import store
from suite.checks import every, refusal
from suite.files import state
from suite.studies import descent, groups, ring
from suite.waiting import children, state_of, until
from twins import workers

MEASURED = {"measure": ["error", "survivors"]}
DESCENT = descent(n=4, samples=8, features=2, iterations=1)
STUDY = {"experiment": [groups(8, 0.3) | MEASURED, ring(8, 0.3) | MEASURED, DESCENT]}
TRIALS = 5 * 65_536 + 77


def tallies(path):
    """Everything in a file that must not depend on where it was sampled."""
    return list(map(state, store.load(path).units))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    path = tmp_path_factory.mktemp("alone") / "a.h5"
    fastgc.run(STUDY, trials=TRIALS, out=path, threads=1)
    return tallies(path)


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        list(executor.map(abs, range(2)))  # from here on both are there
        yield executor


# ---- the same bits


@pytest.mark.night
@pytest.mark.parametrize("executor", [None, "threads", "processes", "dask", "own"])
def test_executors_give_the_same_bits(tmp_path, alone, executor, processes):
    path, chosen = tmp_path / "a.h5", processes if executor == "own" else executor
    batch = fastgc.runs.Batch(executor=chosen)
    fastgc.run(STUDY, trials=TRIALS, out=path, batch=batch, threads=2)
    assert tallies(path) == alone
    assert fastgc.runs.audit(path, share=1, batch=batch, threads=2).passed
    assert processes.submit(os.getpid).result() != os.getpid(), "it stays open"


# ---- what is refused


@pytest.mark.parametrize("wrong", ["proceses", "dask:", "threads:2", ""])
def test_unknown_executors_are_refused(wrong):
    said = refusal(fastgc.run, STUDY, trials=1, batch=fastgc.runs.Batch(executor=wrong))
    assert "executor: must be one of" in said and repr(wrong) in said
    assert every(name in said for name in NAMES)


# ---- workers that die


def result_of(job):
    until(job.done, "no result")
    return job.future.result()


@pytest.mark.night
def test_a_dead_worker_is_replaced_and_its_tasks_run_again(tmp_path, caplog):
    with in_processes(2) as pool:
        jobs = [pool.submit(pow, 2, i) for i in range(6)]
        jobs.append(pool.submit(workers.die_once, str(tmp_path / "flag"), 5))
        jobs += [pool.submit(pow, 3, i) for i in range(6)]
        found = [result_of(job) for job in jobs]
        assert pool.under_way == 0
    assert found == [1, 2, 4, 8, 16, 32, 5, 1, 3, 9, 27, 81, 243]
    assert len(caplog.records) == 1 and "a worker died" in caplog.text


@pytest.mark.night
def test_a_task_that_kills_every_worker_ends_the_run(caplog):
    with in_processes(1) as own:
        job = own.submit(workers.die, 0)
        with pytest.raises(WorkersError, match="4 workers died at the same blocks"):
            result_of(job)
    assert len(caplog.records) == pool.MOST_LOSSES


class Breaking(Executor):
    def __init__(self, tasks):
        self.left = tasks

    def submit(self, task, /, *arguments, **named):
        future = Future()
        self.left -= 1
        if self.left < 0:
            future.set_exception(BrokenProcessPool("all of them are gone"))
        else:
            future.set_result(task(*arguments, **named))
        return future


@pytest.mark.night
def test_an_executor_of_ones_own_that_breaks_loses_nothing_that_was_sampled(tmp_path, alone):
    path = tmp_path / "a.h5"
    gone = r"(?s)the workers are lost \(all of them are gone\).*a\.h5\.part keeps [\d ]+ trials, 0 "
    with pytest.raises(WorkersError, match=gone + "more are lost; the same command"):
        fastgc.run(STUDY, trials=TRIALS, out=path, batch=fastgc.runs.Batch(executor=Breaking(4)))
    assert sum(unit.trials for unit in store.load(tmp_path / "a.h5.part").units) > 0
    fastgc.run(STUDY, trials=TRIALS, out=path, threads=2)
    assert tallies(path) == alone


@pytest.mark.night
def test_what_fails_in_a_worker_is_not_taken_for_its_death():
    with in_threads(1) as own:
        job = own.submit(int, "no number")
        assert job.future.exception() is not None and job.done()
        with pytest.raises(ValueError, match="no number"):
            job.future.result()
    with pytest.raises(RuntimeError):
        own.submit(pow, 2, 2)
    assert own.under_way == 0, "a submission that fails leaves no trace"


def the_workers(process):
    def two():
        assert process.poll() is None, "no two workers"
        found = [pid for pid, words in children(process.pid).items() if "spawn_main" in words]
        return found if len(found) == 2 else None

    return until(two, "no two workers")


@pytest.fixture
def long_run(tmp_path):
    """A run on two processes that takes until it is stopped, and its shell."""
    if not Path("/proc/self/task").exists():
        pytest.skip("processes are found in /proc")
    (tmp_path / "long.toml").write_text(
        '[[experiment]]\nmethod = "monte-carlo"\ncode = { family = "cyclic", n = 16, d = 3 }\n'
        'stragglers = { model = "iid", p = 0.2 }\n'
    )
    words = "run long.toml -o a.h5 --threads 2 --executor processes --trials 40000000000"
    shell = Shell(tmp_path, environment())
    yield shell.start(*EARLY, *words.split()), shell
    shell.close()


@pytest.mark.night
def test_killed_workers_of_a_run_are_replaced_and_none_is_left_over(long_run):
    process, shell = long_run
    before = the_workers(process)
    at_work(shell, process, "a.h5.part")
    os.kill(before[0], signal.SIGKILL)
    until(lambda: {*map(state_of, before)} == {"Z"}, "workers are left over")
    after = the_workers(process)
    assert not set(before) & set(after)
    for pid in after:  # Ctrl-C at a terminal reaches the workers too
        os.kill(pid, signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    done = shell.end(process)
    assert done.code == 75, done.err
    assert "a worker died; its blocks are sampled again" in done.err and "Traceback" not in done.err
    assert {*map(state_of, after)} == {"Z"}
    assert fastgc.runs.audit(shell.folder / "a.h5.part", share=0.01).passed


@pytest.mark.night
def test_workers_do_not_outlive_a_run_that_is_killed(long_run):
    process, _ = long_run
    own = the_workers(process)
    process.kill()
    until(lambda: {*map(state_of, own)} == {"Z"}, "workers are left over")


# ---- what surrounds workers


@pytest.mark.night
def test_a_worker_has_one_thread_for_linear_algebra_unless_the_user_says_otherwise(monkeypatch):
    for name in surroundings.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    with in_processes(1) as own:
        assert result_of(own.submit(workers.variable, "OMP_NUM_THREADS")) == "1"
        assert result_of(own.submit(workers.variable, "OPENBLAS_NUM_THREADS")) == "3"
        assert result_of(own.submit(workers.handles, signal.SIGINT))
        assert not result_of(own.submit(workers.handles, signal.SIGTERM))
    assert "OMP_NUM_THREADS" not in os.environ
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_cores_are_those_of_the_batch_system_or_affinity(monkeypatch):
    monkeypatch.delenv("SLURM_CPUS_PER_TASK", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert surroundings.available_cores() == 64
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "7")
    assert surroundings.available_cores() == 7
