"""However a run is split, interrupted, extended and carried out, its tallies are the same bytes."""

import functools
import random
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastgc
from fastgc.results import store
from suite.files import state

BLOCK = 65_536
STUDY = {
    "seed": 7,
    "experiment": [
        {
            "name": "plain",
            "code": {"family": "circulant", "n": 5, "d": 2},
            "stragglers": {"model": "iid", "p": 0.3},
            "quantiles": [0.9],
            "method": "monte-carlo",
        },
        {
            "name": "time",
            "kind": "completion",
            "system": {"family": "gradient-code", "n": 4, "s": 1},
            "latency": {"distribution": "exponential", "mean": 1.0},
            "port": {"receive": 0.1},
            "method": "monte-carlo",
        },
    ],
}


def late(task, seconds, *arguments, **named):
    time.sleep(seconds)
    return task(*arguments, **named)


class Late(ThreadPoolExecutor):
    """Hands every result back some time after it was asked for: in no order."""

    def __init__(self):
        super().__init__(3)
        self._generator = random.Random(1)

    def submit(self, task, /, *arguments, **named):
        return super().submit(late, task, self._generator.uniform(0, 0.004), *arguments, **named)


@pytest.fixture(scope="module")
def executors():
    """One of each kind; those of ranks and clusters hand results back like these."""
    with ProcessPoolExecutor(2, get_context("spawn")) as processes, Late() as threads:
        yield {"threads": "threads", "late": threads, "processes": processes}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What one thread gives, by the number of trials."""
    folder = tmp_path_factory.mktemp("whole")

    @functools.cache
    def of(trials):
        path = folder / f"{trials}.h5"
        fastgc.run(STUDY, trials=trials, out=path, threads=1)
        return content(path)

    return of


def content(path):
    """Everything in a file that decides a number, and the numbers."""
    stored = store.load(path)
    units = list(map(state, stored.units))
    return units, [{k: v for k, v in row.items() if k != "note"} for row in stored.rows]


class Impatient:
    """Interrupts after it was asked so often."""

    def __init__(self, times):
        self.left = times

    def __call__(self):
        self.left -= 1
        return "impatience" if self.left < 0 else None


TRIALS = st.sampled_from([1, 1000, BLOCK, BLOCK + 1, 3 * BLOCK, 5 * BLOCK + 77, 12 * BLOCK + 1])
#: A run: trials asked for, executor, workers, and after how many questions it is interrupted.
RUN = st.tuples(
    TRIALS,
    st.sampled_from(["threads", "late", "processes"]),
    st.integers(1, 3),
    st.none() | st.integers(0, 40),
)


@pytest.mark.night
@settings(max_examples=40)
@given(trials=TRIALS, shards=st.lists(st.lists(RUN, max_size=3), min_size=1, max_size=4))
def test_the_same_bytes(trials, shards, executors, whole, tmp_path_factory):
    folder = tmp_path_factory.mktemp("split")
    count = len(shards)
    for own, runs in enumerate(shards):
        path = folder / f"{own}.h5"
        # fewer trials than were asked for before are there already
        goals = [min(asked, trials) for asked, *_ in runs]
        for goal, (_, kind, workers, patience) in zip(goals, runs, strict=True):
            fastgc.run(
                STUDY,
                trials=goal,
                out=path,
                shard=(own, count),
                executor=executors[kind],
                threads=workers,
                interrupted=Impatient(10**9 if patience is None else patience),
            )
        fastgc.run(STUDY, trials=trials, out=path, shard=(own, count), threads=2)
    merged = folder / "0.h5"
    if count > 1:
        merged = folder / "merged.h5"
        fastgc.merge([folder / f"{own}.h5" for own in range(count)], out=merged)
    assert content(merged) == whole(trials)
