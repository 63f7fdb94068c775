"""The engine: the same bits whatever the threads, shards and interruptions; when it stops."""

import math
import pickle
import threading
import time
import zlib
from collections import Counter
from concurrent.futures import Executor, Future, wait
from fractions import Fraction

import numpy as np
import pytest

import fastgc
from fastgc.engine import blocks, units
from fastgc.engine.blocks import Limits, Precision
from fastgc.engine.executors.local import in_threads
from fastgc.engine.executors.pool import Pool
from fastgc.engine.units import Unit
from fastgc.errors import FastgcError
from fastgc.experiments.decoding import lost_groups
from fastgc.runs.plan import Plan
from fastgc.statistics.estimates import Estimate, normal_quantile
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study
from suite.files import bits, state
from suite.waiting import HUNG, after
from twins import engine as twin
from twins import sums as slow_sums

SLOW = {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
FRC = {"family": "frc", "n": 6, "d": 2}
CIRCULANT = {"family": "circulant", "n": 5, "d": 2}
ALL = ["error", "mean_error", "exact", "survivors", "error_by_survivors", "not_accessed"]


def experiment(**changes):
    table = {"code": CIRCULANT, "stragglers": SLOW, "iterations": 2, "shuffle": "random"}
    table |= {"measure": ALL, "thresholds": [0.5], "method": "monte-carlo"}
    return table | changes


def unit_of(*tables, seed=1, common=False):
    tables = [{"name": f"e{i}"} | table for i, table in enumerate(tables)]
    study = {"seed": seed, "common_random_numbers": common, "experiment": tables}
    [unit] = Plan.of(Study.parse(study)).units
    return unit


def cells(run):
    return [float(total) for total in run.tally.sums.values(0, len(run.tally.sums))]


def sampled(unit, trials, *, stored=None, threads=1, shard=(0, 1), **limits):
    stored = stored or unit.fresh()
    with in_threads(threads) as pool:
        for event in blocks.sample(unit, stored, Limits(trials, **limits), pool, shard):
            patiently(event)
    return stored


def patiently(event, seconds=0.2):
    if isinstance(event, blocks.BlocksPending) and event.future is not None:
        wait((event.future,), seconds)


def by_definition(B, **how):
    return twin.Experiment(B, SLOW, seed=1, **how)


# ---- what is tallied


@pytest.mark.night
@pytest.mark.parametrize("shuffle", ["none", "random", "cyclic"])
@pytest.mark.parametrize("iterations", [1, 2])
def test_sums_are_those_of_the_trials(iterations, shuffle):
    # errors of frc are whole numbers, and halves of them exact: nothing rounds
    trials, how = 150, {"iterations": iterations, "shuffle": shuffle}
    unit = unit_of(experiment(code=FRC, **how))
    run = unit.run([0], trials)
    slow = by_definition(fastgc.codes.frc(n=6, d=2).B, stream=unit.stream, **how)
    errors = [slow.errors(t) for t in range(trials)]
    averages = [sum(e) / iterations for e in errors]
    squares = [sum(x * x for x in e) / iterations for e in errors]
    lost = [Fraction(sum(x > 0 for x in e), iterations) for e in errors]
    above = [Fraction(sum(x > 0.5 for x in e), iterations) for e in errors]
    expected = [sum(a**p for a in averages) for p in (1, 2, 3, 4)]
    expected += [sum(squares), sum(b * b for b in squares)]
    expected += [sum(a * b for a, b in zip(averages, squares, strict=True))]
    expected += [sum(above), sum(x * x for x in above)]
    expected += [sum(a**p for a in averages) for p in (1, 2, 3, 4)]
    expected += [sum(a > 0.5 for a in averages)] * 2
    expected += [sum(lost), sum(x * x for x in lost)]
    counts = [[sum(left) for left in slow.patterns(t)] for t in range(trials)]
    for r in range(7):
        times = [own.count(r) for own in counts]
        expected += [sum(times), sum(x * x for x in times)]
    rows = slow_sums.by_survivors(
        list(zip(*errors, strict=True)), list(zip(*counts, strict=True)), 6
    )
    expected += [x for row in rows for x in row]
    missed = np.array([slow.missed(t) for t in range(trials)])
    expected += [int((missed[:, i] ** p).sum()) for i in range(6) for p in (1, 2, 3, 4)]
    assert run.tally.sums.values(0, len(run.tally.sums)) == expected
    values = [x for e in errors for x in e]
    for histogram, of in zip(run.tally.histograms, (values, averages), strict=True):
        own = Counter(slow_sums.bin_of(float(value)) for value in of)
        assert (histogram.counts, histogram.low, histogram.high) == (own, min(of), max(of))


@pytest.mark.parametrize("measure", [["error"], ["exact"], ["mean_error", "error", "exact"]])
@pytest.mark.parametrize("trials", [1, 64, 1000])
def test_counting_lost_groups_is_decoding(measure, trials):
    # frc with one iteration is tallied without expanding patterns; with survivors it is not
    fast = unit_of(experiment(code=FRC, iterations=1, measure=measure))
    full = unit_of(experiment(code=FRC, iterations=1, measure=[*measure, "survivors"]))
    assert fast.stream == full.stream
    a, b = fast.run([2], trials), full.run([2], trials)
    assert cells(a) == cells(b)[: len(cells(a))]
    for x, y in zip(a.tally.histograms, b.tally.histograms, strict=True):
        assert (x.counts, x.low, x.high) == (y.counts, y.low, y.high)


@pytest.mark.parametrize(("trials", "shuffle"), [(100, "none"), (128, "none"), (128, "random")])
@pytest.mark.parametrize("p", [0.3, (0.0, 0.5, 0.9, 0.1, 0.2, 0.35), (1.0, 0.5, 0.9, 0.1, 1.0, 0)])
def test_many_blocks_in_one_call_are_those_one_by_one(small_blocks, p, trials, shuffle):
    table = {"code": FRC, "stragglers": {"model": "iid", "p": p}, "shuffle": shuffle}
    unit = unit_of(experiment(iterations=1, measure=["mean_error", "error", "exact"], **table))
    numbers = range(3, 3 + 5 * (lost_groups.MANY + 1), 5)
    together = unit.run(numbers, trials)
    alone = [unit.run([number], trials) for number in numbers]
    assert together.digests.tolist() == [run.digests[0] for run in alone]
    total = alone[0].tally
    for run in alone[1:]:
        total.merge(run.tally)
    assert together.tally.histograms == total.histograms
    assert cells(together) == [float(x) for x in total.sums.values(0, len(total.sums))]


# ---- bits


ALONE, TOGETHER = [experiment()], [experiment(), experiment(code=FRC)]


@pytest.mark.parametrize("tables", [ALONE, TOGETHER])
def test_threads_change_no_bit(small_blocks, tables):
    unit = unit_of(*tables, common=len(tables) > 1)
    trials = 10 * 128 + 37
    one = state(sampled(unit, trials))
    assert one[2] == 10 and len(set(one[3])) == 10 and one[5] is not None
    for threads in (2, 3):
        assert state(sampled(unit, trials, threads=threads)) == one


def test_block_size_is_part_of_the_numbers_and_depends_on_the_point_alone():
    assert unit_of(experiment(iterations=1)).block == 65_536
    assert unit_of(experiment(iterations=1000)).block == 512  # 5 · 1000 · 512 ≤ 2²²
    together = unit_of(experiment(iterations=1000), experiment(iterations=1), common=True)
    assert together.block == 512, "the most demanding point decides"


@pytest.mark.parametrize("shard", [(0, 1), (1, 3)])
@pytest.mark.parametrize("sizes", [
    (1, 2, 127, 128), (100, 128, 129, 1000), (1000, 1001, 1024, 5000),
    (64 * 128 + 1, 65 * 128 + 1),
])  # fmt: skip
def test_extended(small_blocks, sizes, shard):
    unit = unit_of(experiment())
    stored = None
    for trials in sizes:
        stored = sampled(unit, trials, stored=stored, shard=shard, threads=2)
        longest = state(stored)
        assert longest == state(sampled(unit, trials, shard=shard))
        assert stored.stopped_by == "trials" and (shard[0] or stored.total().trials == trials)
    for fewer in sizes[:-1]:
        assert state(sampled(unit, fewer, stored=stored, shard=shard)) == longest
        assert stored.stopped_by == "trials"


class AtOnce(Executor):
    tasks = 0

    def submit(self, task, /, *arguments, **named):
        self.tasks += 1
        future = Future()
        future.set_result(task(*arguments, **named))
        return future


@pytest.mark.night
def test_results_that_come_fast_do_not_fill_memory(small_blocks):
    unit = unit_of(experiment())
    stored, executor, ahead = unit.fresh(), AtOnce(), []
    events = blocks.sample(unit, stored, Limits(2000 * 128), Pool(executor, lambda: 2))
    for taken, event in enumerate(events, start=1):
        assert isinstance(event, blocks.BlocksMerged)
        ahead.append(executor.tasks - taken)
    assert stored.done == 2000 and max(ahead) < 2 * blocks.AHEAD
    assert executor.tasks > 4 * blocks.AHEAD, "too few tasks to see it"


def test_an_interruption_begins_nothing_and_leaves_an_extension_undone(small_blocks):
    unit = unit_of(experiment())
    stored = sampled(unit, 1280, interrupted=lambda: "SIGINT", begins=False)
    assert (stored.done, stored.stopped_by) == (0, None)
    stored = sampled(unit, 10 * 128)
    stored = sampled(unit, 1000 * 128, stored=stored, interrupted=lambda: "SIGTERM")
    assert stored.stopped_by is None and 10 < stored.done < 1000


def test_who_leaves_at_once_waits_for_no_thread():
    free, waiting = threading.Event(), []
    try:
        with pytest.raises(KeyboardInterrupt), in_threads(1) as pool:
            waiting.append(pool.submit(free.wait, HUNG))
            raise KeyboardInterrupt
        assert not waiting[0].done()
    finally:
        free.set()


@pytest.mark.parametrize("tables", [ALONE, TOGETHER])
@pytest.mark.parametrize("trials", [37, 128, 10 * 128 + 37, 11 * 128 + 1, 12 * 128])
def test_shards_add_up_to_the_whole(small_blocks, trials, tables):
    unit = unit_of(*tables, common=len(tables) > 1)
    whole = sampled(unit, trials)
    shards = [sampled(unit, trials, shard=(i, 3), threads=2) for i in range(3)]
    together = Tally.empty(*unit.shape)
    for shard in shards:
        together.merge(shard.total())
    assert bits(together) == bits(whole.total())
    dealt = [shard.digests.tolist() for shard in shards]
    assert [dealt[i % 3][i // 3] for i in range(whole.done)] == whole.digests.tolist()
    # the partial block is the next one in turn
    owners = [i for i, shard in enumerate(shards) if shard.partial is not None]
    assert owners == ([trials // 128 % 3] if trials % 128 else [])


def test_seeds_and_streams_are_independent(small_blocks):
    units = unit_of(experiment()), unit_of(experiment(), seed=2), unit_of(experiment(name="other"))
    assert len({digest for unit in units for digest in sampled(unit, 1280).digests.tolist()}) == 30


# ---- when to stop


class Watcher:
    """A rule that notes when it is asked, and says yes at a given size."""

    def __init__(self, enough=math.inf):
        self.enough = enough
        self.asked = []

    def reached(self, unit, tally):
        self.asked.append(tally.trials // unit.block)
        return "enough" if tally.trials >= self.enough * unit.block else None


@pytest.mark.parametrize("threads", [1, 3])
def test_precision_is_looked_at_after_powers_of_two(small_blocks, threads):
    unit = unit_of(experiment())
    for trials, enough, asked, done, why in (
        (37 * 128 + 5, math.inf, [1, 2, 4, 8, 16, 32], 37, "trials"),
        (37 * 128 + 5, 5, [1, 2, 4, 8], 8, "enough"),
        (8 * 128 + 5, 8, [1, 2, 4, 8], 8, "enough"),  # also when all whole blocks are done
    ):
        rule = Watcher(enough)
        stored = sampled(unit, trials, threads=threads, precision=rule)
        assert (rule.asked, stored.done, stored.stopped_by) == (asked, done, why)
        assert (stored.partial is None) == (why == "enough")


def test_precision_after_an_interruption_is_looked_at_as_without(small_blocks):
    unit, rule = unit_of(experiment()), {"precision": Watcher(enough=16)}
    whole = sampled(unit, 10_000 * 128, **rule)
    for stop in range(1, 12):
        stored = sampled(unit, 10_000 * 128, threads=2, interrupted=after(stop + 1), **rule)
        assert state(sampled(unit, 10_000 * 128, stored=stored, **rule)) == state(whole)


@pytest.mark.parametrize(("estimate", "rule", "name"), [
        # 1.96 · 0.01 = 0.0196; 10⁴ / (1 + 10⁴ · 10⁻⁴) = 5000 events
        (Estimate(1.0, 0.01, 10_000), {"relative": 0.02}, "relative_error"),
        (Estimate(1.0, 0.01, 10_000), {"relative": 0.0195}, None),
        (Estimate(-1.0, 0.01, 10_000), {"relative": 0.02}, "relative_error"),
        (Estimate(5.0, 0.01, 10_000), {"absolute": 0.02}, "absolute_error"),
        (Estimate(1.0, 0.01, 10_000), {"relative": 0.02, "least_events": 5001}, None),
        (Estimate(1.0, 0.01, 10_000), {"relative": 0.02, "confidence": 0.99}, None),
        # 99 of 10⁶ trials hit, as far as the moments tell
        (Estimate(99e-6, 99e-6**0.5 / 1e3, 10**6), {"absolute": 1.0}, None),
        (Estimate(1.0, 0.0, 10**6, proportion=True), {"absolute": 1.0}, None),
        (Estimate(None, None, 0), {"absolute": 1.0}, None),
])  # fmt: skip
def test_precision(estimate, rule, name):
    assert Precision(lambda unit, tally: estimate, **rule).reached(None, None) == name


def test_stops_at_the_precision_asked_for(small_blocks):
    study = {**experiment(measure=["error"]), "stop": {"trials": 10**7, "relative_error": 0.02}}
    result = fastgc.run(study, threads=2)
    found = result["experiment1"]["error"].statistic("mean", "monte-carlo")
    half = normal_quantile(0.95) * found.standard_error
    assert half <= 0.02 * found.value
    assert result.stopped_by == "relative_error" and result.complete
    blocks = found.trials // 128
    assert blocks & (blocks - 1) == 0 and found.trials % 128 == 0
    # half as many trials were not enough
    before = fastgc.run(study, trials=found.trials // 2)
    before = before["experiment1"]["error"].statistic("mean", "monte-carlo")
    assert normal_quantile(0.95) * before.standard_error > 0.02 * before.value


@pytest.mark.night
def test_seconds_are_shared_by_the_points(small_blocks):
    stored = sampled(unit_of(experiment()), 10**9, deadline=time.monotonic() - 1)
    assert stored.stopped_by == "seconds" and 1 <= stored.done < 10
    stop = {"trials": 10**12, "seconds": 0.6}
    result = fastgc.run(
        {"stop": stop, "experiment": [experiment(name=name) for name in "abc"]}, threads=1
    )
    assert result.stopped_by == "seconds" and result.complete
    assert min(result[name]["error"].mean.trials for name in "abc") > 0


# ---- common random numbers


def common_study(*pairs, **changes):
    codes = {"a": FRC, "b": {"family": "circulant", "n": 6, "d": 2}, "c": FRC}
    tables = [
        experiment(measure=["exact" if name == "c" else "error"], thresholds=[], **changes)
        | {"name": name, "code": code}
        for name, code in codes.items()
    ]
    return {"common_random_numbers": True, "experiment": tables, "ratio": [list(p) for p in pairs]}


def one_by_one(trials, shuffle):
    """Each trial's mean error of both codes, and its share of exact iterations of the first."""
    arms = [
        by_definition(B, stream="common", iterations=2, shuffle=shuffle)
        for B in (fastgc.codes.frc(n=6, d=2).B, fastgc.codes.circulant(n=6, d=2).B)
    ]
    errors = [np.array([arm.errors(t) for t in range(trials)], float) for arm in arms]
    return *(own.mean(axis=1) for own in errors), (errors[0] == 0).mean(axis=1)


@pytest.mark.night
@pytest.mark.parametrize("shuffle", ["none", "random", "cyclic"])
def test_ratios_on_the_same_patterns(shuffle):
    trials = 300
    result = fastgc.run(common_study(("a", "b"), ("b", "a"), shuffle=shuffle), trials=trials)
    a, b, _ = one_by_one(trials, shuffle)
    rows = {row.experiment: row.estimate for row in result.entries if row.statistic == "ratio"}
    assert set(rows) == {"a/b", "b/a"}
    assert rows["a/b"].value == pytest.approx(a.mean() / b.mean(), rel=1e-12)
    influence = (a - a.mean() / b.mean() * b) / b.mean()
    spread = math.sqrt((influence**2).sum()) / trials
    assert rows["a/b"].standard_error == pytest.approx(spread, rel=0.01)
    assert rows["b/a"].value == pytest.approx(b.mean() / a.mean(), rel=1e-12)


@pytest.mark.night
def test_differences_on_the_same_patterns():
    trials = 200
    [unit] = Plan.of(Study.parse(common_study())).units
    tally = sampled(unit, trials).total()
    a, b, exact = one_by_one(trials, "random")
    found = unit.compare(tally, 0, 1, "difference")
    assert found.value == pytest.approx((a - b).mean(), abs=1e-12)
    assert found.standard_error == pytest.approx((a - b).std(ddof=1) / trials**0.5, rel=1e-9)
    same = unit.compare(tally, 0, 0, "ratio")
    assert (same.value, same.standard_error) == (1, 0)
    found = unit.compare(tally, 0, 2, "difference")
    assert found.value == pytest.approx((a - exact).mean(), abs=1e-12)


# ---- what is sent to other processes: restored by the same fastgc, with all of its plug-ins


@pytest.mark.parametrize(("name", "value"), [
    ("__version__", "0.0"), ("STREAM_VERSION", 99), ("source_digest", lambda: "another"),
])  # fmt: skip
def test_whatever_decides_a_number_tells_workers_apart(name, value, monkeypatch):
    sent, own = pickle.dumps(Unit("x", 1, "s")), units.build_fingerprint()
    monkeypatch.setattr(units, name, value)
    units.build_fingerprint.cache_clear()
    try:
        assert units.build_fingerprint() != own
        said = r"a worker has fastgc .*, and was sent fastgc \d.*; install the same one everywhere"
        with pytest.raises(FastgcError, match=said):
            _ = pickle.loads(sent).points
    finally:
        units.build_fingerprint.cache_clear()


@pytest.mark.parametrize("pickled", [b"cno.such.module\nLaw\n.", b"cfastgc.latency\nNoSuchLaw\n."])
def test_a_plug_in_that_is_missing_is_a_sentence(pickled):
    with pytest.raises(FastgcError, match=r"executor: a worker lacks a plug-in .* can import"):
        units.restored(zlib.compress(pickled))
