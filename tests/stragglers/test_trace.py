"""Recorded worker times: reading them, and stragglers replayed from them."""

import math
import pickle
import tomllib

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Trials
from fastgc.errors import FastgcError
from fastgc.latency.traces import parse
from fastgc.stragglers import Iid, Trace
from fastgc.study.study import Study
from fastgc_kernels.draw import pattern_words as kernel
from fastgc_kernels.draw import philox
from suite import recordings
from suite.checks import refusal
from twins import chains as twin
from twins import sampling
from twins.least_squares import unpack

SEED, STREAM = 5, "a stream"
WIDE = "a,b,c\n1,2,3\n4,5,6\n7,,9\n"
LONG = "t,who,s\n2,1,20\n1,1,10\n1,0,1.5\n3,1,30\n2,0,2.5\n"


def lists(trace):
    return [values.tolist() for values in trace.values]


@pytest.fixture
def recorded(tmp_path):
    """The file of a trace of n workers, and who is later than 2.0 in it."""

    def make(n, rounds):
        times = recordings.slow_together(rounds, n)
        return str(recordings.written(times, tmp_path / "trace.csv")), (times > 2.0).tolist()

    return make


# ---- reading


OF_WORKERS = {"worker": "w", "value": "s"}


@pytest.mark.parametrize(("text", "keys", "workers", "values"), [
    (WIDE, {}, ("a", "b", "c"), [[1, 4, 7], [2, 5], [3, 6, 9]]),
    ("at,b,c\nmonday,2,3\nfriday,5,6\n", {"workers": [2, 1]}, ("c", "b"), [[3, 6], [2, 5]]),
    (LONG, {"worker": "who", "value": "s", "workers": [1]}, ("1",), [[20, 10, 30]]),
    (LONG, {"worker": "who", "value": "s"}, ("0", "1"), [[1.5, 2.5], [20, 10, 30]]),
    (LONG, {"worker": "who", "iteration": "t", "value": "s"}, ("0", "1"),
     [[1.5, 2.5], [10, 20, 30]]),
    # ordered by number, else as they come
    ("w,s\n10,1\n9,2\n-1,3\n", OF_WORKERS, ("-1", "9", "10"), [[3], [2], [1]]),
    ("w,s\nzoe,1\n9,2\nada,3\n", OF_WORKERS, ("zoe", "9", "ada"), [[1], [2], [3]]),
    # spaces, comments, quotes and empty lines
    ('# from a cluster\n\n"a", b\n1, 2e0\n\n# more\n 3 ,"4"\n', {}, ("a", "b"), [[1, 3], [2, 4]]),
])  # fmt: skip
def test_tables(text, keys, workers, values):
    trace = parse(text, "t.csv", **keys)
    assert trace.workers == workers and lists(trace) == values
    assert trace.rows.tolist() == [list(row) for row in zip(*values, strict=False)]
    assert trace.pooled.tolist() == [time for own in values for time in own]


def test_rows_of_a_long_table_align_by_iteration():
    text = "w,t,s\n0,1,10\n0,2,20\n0,4,40\n1,2,21\n1,3,31\n1,4,41\n1,5,51\n"
    by_label = parse(text, "t", iteration="t", **OF_WORKERS)
    assert by_label.rows.tolist() == [[20, 21], [40, 41]]
    assert lists(by_label) == [[10, 20, 40], [21, 31, 41, 51]]
    by_line = parse(text, "t", **OF_WORKERS)
    assert by_line.rows.tolist() == [[10, 21], [20, 31], [40, 41]]
    assert by_label.digest != by_line.digest
    apart = "w,t,s\n0,1,10\n0,2,20\n1,3,21\n1,4,31\n"
    assert len(parse(apart, "t", **OF_WORKERS).rows) == 2
    with pytest.raises(FastgcError, match="t: no t is one of all 2 workers"):
        parse(apart, "t", iteration="t", **OF_WORKERS)
    equal = "w,t,s\n0,1,10\n0,2,20\n1,1,11\n1,2,21\n"
    one, other = (parse(equal, "t", **OF_WORKERS, **more) for more in ({}, {"iteration": "t"}))
    assert one.digest == other.digest


@pytest.mark.parametrize("text, keys, sentence", [
    ("", {}, "t.csv is empty"), ("a,b\n", {}, "has a line of names but no values"),
    ("1,2\n3,4\n", {}, "its first line must name the columns"),
    ("a,a\n1,2\n", {}, "two columns are called 'a'"),
    (",b\n0,2.5\n1,2.5\n", {},
     "column 0 (counted from 0) has no name; remove it if it counts the lines (pandas: "),
    ("b,\n2.5,\n3,\n", {}, "column 1 (counted from 0) has no name and no values; remove it"),
    *(
        (text, {}, f"column '{text.partition(',')[0]}' counts rounds or says when they were")
        for text in ("step,b\n10,2\n20,1\n", "n,b\n" + "".join(f"{i},.5\n" for i in range(10)))
    ),
    ("at,b\n12:01,2\n12:02,1\n", {}, "(got '12:01'); every column is a worker, so remove"),
    ("who,i,s\na,0,1\nb,0,2\na,1,1\n", {}, "column 'who': must be a finite number of at least 0"),
    ('a,b\n"0,25",2\n', {}, "(got '0,25'); write points in numbers, like 0.25"),
    ("a,b\n1,x\n", {}, "line 2, column 'b': must be a finite number of at least 0 (got 'x')"),
    ("a,b\ninf,2\n", {}, "line 2, column 'a': must be a finite number"),
    ("a,b\n1,\n2,\n", {}, "column 'b' is empty; every worker needs a value"),
    ("a,b\n1,-2\n", {}, "(got '-2')"),
    ("w,t,s\n0,1,5\n0,2,6\n0,2,7\n1,2,9\n", OF_WORKERS | {"iteration": "t"},
     "line 4, column 't': worker 0 has two values of 2; delete one"),
    ("a;b\n1,5;2\n", {}, "semicolons are between its cells; write commas there"),
    ("w,s\n0,nan\n", OF_WORKERS, "at least 0; delete a line that has none (got 'nan')"),
    ("a,b\n1,2\n3\n", {}, "line 3: must have 2 cells like the first line (got 1)"),
    ("a,b\n1,\n2,3\n", {},
     "line 2, column 'b': is empty but line 3 is not; only the end of a column may be "
     "empty; leave out the round"),
    ('a,b\n"1,2\n', {}, "is no csv"),
    ("worker,s\n0,1\n", {}, 'looks like a long table; give worker = "worker", value = "s"'),
    ("Worker,i,x\n0,1,2\n", {}, 'give worker = "Worker", value = "COLUMN", COLUMN one of i, x'),
    (WIDE, {"workers": [3]}, "has 3 workers, so workers must lie in 0 … 2 (got 3)"),
    (WIDE, {"workers": [1, 1]}, "must name each worker once"),
    (LONG, {"worker": "who"}, '(value is not given); give worker = "who", value = "COLUMN"'),
    (LONG, {"worker": "whom", "value": "s"}, "has no column 'whom'; did you mean 'who'?"),
    ("w,s\n,1\n", {"worker": "w", "value": "s"}, "line 2, column 'w': names no worker"),
    ("w,t,s\n0,first,1\n", {"worker": "w", "iteration": "t", "value": "s"},
     "an iteration must be a finite number (got 'first')"),
])  # fmt: skip
def test_bad_tables(text, keys, sentence):
    said = refusal(parse, text, "t.csv", **keys)
    assert sentence in said and said.startswith("t.csv")


def test_thresholds():
    trace = parse("a,b\n1,2\n3,10\n5,\n", "t")  # median of 1 2 3 5 10
    assert trace.threshold(4) == 4.0
    assert trace.threshold("1.5 median") == trace.threshold(" 1.5median ") == 4.5
    assert trace.threshold("2e0 median") == 6.0
    wrong = 0, -1.0, math.nan, "x median", "median", "0 median", "-1 median", "1.5", True
    for given in wrong:
        with pytest.raises(FastgcError, match="must be a number more than 0"):
            trace.threshold(given)


def test_content_counts_and_nothing_else():
    wide = parse("a,b\n1,2\n3,\n", "t").digest
    assert parse("w,s\n0,1\n0,3\n1,2\n", "u", worker="w", value="s").digest == wide
    assert parse("a,b\n1,2\n3,-0\n", "t").digest == parse("a,b\n1,2\n3,0\n", "t").digest != wide
    assert parse("a,b\n1,3\n2,\n", "t").digest != wide


# ---- draws


@pytest.mark.parametrize("order", ["replay", "rows"])
@pytest.mark.parametrize("n, rows", [(1, 1), (5, 7), (64, 10), (65, 3), (130, 4)])
def test_bit_for_bit(recorded, n, rows, order):
    file, late = recorded(n, rows)
    model = Trace(file=file, threshold=2.0, order=order).bind(None)
    iterations = 9
    found = unpack(model.draw(n, Trials(SEED, STREAM, 192, 2, iterations)), n)
    for trial in (0, 31, 32, 63, 64, 127):
        expected = twin.recorded(order, late, SEED, STREAM, 192 + trial, iterations)
        assert found[:, trial].tolist() == expected


def test_rejected_rows_are_redrawn():
    # a bound just over 2³¹ rejects nearly half of all draws
    count, own = 2**31 + 1, 11
    rows = np.empty(400, np.int64)
    kernel.draw_rows(np.uint64(count), np.uint64(2**40), 200, np.uint64(own), rows)
    rejections = 0
    for i, row in enumerate(rows.tolist()):
        expected, rejected = sampling.bounded(own, 2**40 + i % 200, i // 200, 0, count)
        assert row == expected
        rejections += rejected
    assert rejections > 100
    counters = np.array([[0, 0, 0, 2**8]], np.uint64)  # trial 2⁴⁰ of iteration 0
    word = np.empty_like(counters)
    philox.words(counters, np.uint64(own), word)
    if int(word[0, 0]) * count % 2**32 >= 2**32 % count:
        assert rows[0] == int(word[0, 0]) * count >> 32


def test_pooled_is_iid(recorded):
    file, late = recorded(4, 11)
    member = Trace(file=file, threshold=2.0, order="pooled")
    assert member.bind(None) == Iid(p=float(np.mean(late)))
    assert pickle.loads(pickle.dumps(member)).bind(None) == member.bind(None)
    rows = Trace(file=file, threshold=2.0)
    assert hash(pickle.loads(pickle.dumps(rows)).bind(None)) == hash(rows.bind(None))


@pytest.mark.parametrize("order", ["replay", "rows", "pooled"])
def test_a_time_equal_to_the_threshold_is_in_time(tmp_path, order):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n2,3\n3,2\n2,1\n")
    file = str(tmp_path / "t.csv")
    late = {2.0: 2, math.nextafter(2.0, 0.0): 6, math.nextafter(2.0, 3.0): 2, 3.0: 0, 1.0: 6}
    for threshold, count in late.items():
        model = Trace(file=file, threshold=threshold, order=order).bind(None)
        late_ones = model.distribution(2) @ [2, 1, 1, 0]  # in the mean, of two workers
        assert late_ones == pytest.approx(count / 4), threshold


# ---- the exact method


def test_lagged_is_a_loop_over_the_rows(recorded):
    file, late = recorded(3, 8)
    model = Trace(file=file, threshold=2.0).bind(None)
    first, second = np.random.default_rng(0).normal(size=(2, 8))
    codes = [sum(1 << j for j in range(3) if not row[j]) for row in late]
    for lag in (1, 3, 8, 21):
        expected = np.mean([first[codes[r]] * second[codes[(r + lag) % 8]] for r in range(8)])
        assert model.lagged(3, first, second, lag) == pytest.approx(expected, rel=1e-14)
    counts = np.bincount(codes, minlength=8) / 8
    assert (model.distribution(3) == counts).all()


# ---- in a study


def study(name, **more):
    stragglers = {"model": "trace", "file": name, "threshold": 2.0} | more
    code, stop = {"family": "uncoded", "n": 3}, {"trials": 2_000}
    return {"code": code, "stragglers": stragglers, "iterations": 2, "stop": stop,
            "method": "monte-carlo"}  # fmt: skip


def test_results_keep_the_trace(tmp_path):
    file, out = tmp_path / "t.csv", str(tmp_path / "out.h5")
    file.write_text(WIDE)
    result = fastgc.run(study(str(file)), out=out)
    file.unlink()
    assert fastgc.open(out).rows() == result.rows()
    text = Study.parse(study(str(file)) | {"files": {str(file): WIDE}}).text()
    assert fastgc.run(tomllib.loads(text)).rows() == result.rows()
    with pytest.raises(FastgcError, match=r"files: 't.csv' must be the text of a csv table"):
        fastgc.run(study("t.csv") | {"files": {"t.csv": [[1.0, 2.0, 3.0]]}})


@pytest.mark.parametrize("change, sentence", [
    ({"threshold": 0.0}, "stragglers.threshold: must be a number more than 0"),
    ({"threshold": "x median"}, "\"1.5 median\" (got 'x median')"),
    ({"threshold": [1]}, "stragglers.threshold: must be a number or text (got [1])"),
    ({"file": "none.csv"}, "stragglers.file: there is no file"),
    ({"file": "four.csv"}, "four.csv has 4 workers, 3 are needed; choose 3 with workers"),
    ({"workers": [0]}, "stragglers.workers: must name a worker of the trace for each of n=3"),
    ({"order": "random"}, "stragglers.order: must be 'replay', 'rows' or 'pooled'"),
    ({"treshold": 1}, "stragglers.treshold: unknown key; did you mean 'threshold'?"),
])  # fmt: skip
def test_bad_input(change, sentence, here):
    (here / "t.csv").write_text(WIDE)
    (here / "four.csv").write_text("a,b,c,d\n1,2,3,4\n")
    assert sentence in refusal(fastgc.run, study("t.csv", **change))


def test_chosen_workers_take_their_own_median(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,100\n3,4,100\n")
    member = Trace(file=str(tmp_path / "t.csv"), threshold="1.0 median", workers=(0, 1))
    assert member.limit == 2.5
    assert member.bind(None).distribution(2).tolist() == [0.5, 0, 0, 0.5]
