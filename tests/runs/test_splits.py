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
from suite.studies import race, ring
from suite.waiting import after

BLOCK = 65_536
STUDY = {"seed": 7}
STUDY["experiment"] = [ring(5, 0.3, name="plain", quantiles=[0.9]), race(port={"receive": 0.1})]


class Late(ThreadPoolExecutor):
    """Hands every result back some time after it was asked for: in no order."""

    _seconds = random.Random(1)

    def submit(self, task, /, *arguments, **named):
        def late(seconds):
            time.sleep(seconds)
            return task(*arguments, **named)

        return super().submit(late, self._seconds.uniform(0, 0.004))


@pytest.fixture(scope="module")
def executors():
    """One of each kind; those of ranks and clusters hand results back like these."""
    with ProcessPoolExecutor(2, get_context("spawn")) as processes, Late(3) as threads:
        yield {"threads": "threads", "late": threads, "processes": processes}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")

    @functools.cache
    def of(trials):
        path = folder / f"{trials}.h5"
        fastgc.run(STUDY, trials=trials, out=path, threads=1)
        return content(path)

    return of


def content(path):
    stored = store.load(path)
    rows = [{k: v for k, v in row.items() if k != "note"} for row in stored.rows]
    return list(map(state, stored.units)), rows


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
    files = [folder / f"{own}.h5" for own in range(len(shards))]
    for own, (path, runs) in enumerate(zip(files, shards, strict=True)):
        shard = own, len(shards)
        for asked, kind, workers, patience in runs:
            fastgc.run(
                STUDY,
                trials=min(asked, trials),  # fewer than were asked for before are there already
                out=path,
                batch=fastgc.runs.Batch(
                    shard=shard,
                    executor=executors[kind],
                    interrupted=after(10**9 if patience is None else patience + 1),
                ),
                threads=workers,
            )
        fastgc.run(STUDY, trials=trials, out=path, batch=fastgc.runs.Batch(shard=shard), threads=2)
    merged = folder / "merged.h5" if len(files) > 1 else files[0]
    if len(files) > 1:
        fastgc.runs.merge(files, out=merged)
    assert content(merged) == whole(trials)
