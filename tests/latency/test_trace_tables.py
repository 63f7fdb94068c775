"""Recordings as tools write them: lines, profilers' traces, long tables, stages, parquet."""

import gzip
import json
import sys

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.errors import LongTableError
from fastgc.latency.names import stages_said
from fastgc.latency.source import read
from fastgc.latency.traces import parse
from suite.checks import refusal


def test_lines_of_objects_are_wide_or_long():
    wide = parse('{"a": 1.5, "b": 2}\n\n{"a": 3, "b": 1e-3}\n', "t.jsonl")
    assert wide.workers == ("a", "b") and wide.rows.tolist() == [[1.5, 2.0], [3.0, 0.001]]
    lines = [{"host": f"h{j}", "step": i, "s": 10.0 * i + j} for i in (1, 0) for j in (0, 1)]
    text = "\n".join(map(json.dumps, lines))
    long = parse(text, "t.ndjson", worker="host", iteration="step", value="s")
    assert long.rows.tolist() == [[0.0, 1.0], [10.0, 11.0]]
    ended = parse('{"a": 1, "b": 2}\n{"a": 3, "b": null}\n{"a": 4}\n', "t.jsonl")
    assert [own.tolist() for own in ended.values] == [[1.0, 3.0, 4.0], [2.0]]


# ---- profilers


def slice_(name, rank, start, duration, **arguments):
    found = {"ph": "X", "name": name, "pid": rank, "tid": 1, "ts": start, "dur": duration}
    return found | ({"args": arguments} if arguments else {})


def profiled(steps=3, ranks=2):
    """A step of 1000 µs has two slices of work and a collective that waits for the slowest."""
    events = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "rank 0"}}]
    for rank in range(ranks):
        for k in range(steps):
            start = 1000 * k
            events += [
                slice_(f"ProfilerStep#{k + 5}", rank, start, 950),
                slice_("forward", rank, start + 10, 100 + rank),
                {"ph": "B", "name": "backward", "pid": rank, "tid": 2, "ts": start + 200},
                {"ph": "E", "pid": rank, "tid": 2, "ts": start + 400 + 10 * k},
                slice_("all_reduce", rank, start + 500, 300),
            ]
    return events


SECONDS = 1e-6 * (np.array([[100, 101]]) + 200 + 10 * np.arange(3)[:, np.newaxis])


@pytest.mark.parametrize("inside", [True, False])
def test_slices_are_summed_over_step_and_rank(inside):
    events = profiled()
    text = json.dumps({"traceEvents": events} if inside else events)
    found = parse(text, "t.json", slices=["forward", "backward"])
    assert found.workers == ("0", "1")
    np.testing.assert_allclose(found.rows, SECONDS, rtol=1e-12)


RANK_12 = [
    slice_("ProfilerStep#1", 3, 0, 100),
    slice_("work", 3, 10, 5, step=7),  # the step that a slice names goes before the one around it
    slice_("work", 3, 20, 6, step="8"),
    slice_("work", 3, 30, 7),
    slice_("work", 3, 500, 9),  # in no step
]
HOST_AND_DEVICE = [
    slice_("ProfilerStep#4", "host", 0, 100),
    slice_("work", "host", 10, 5),
    slice_("work", 0, 50, 20),
]


@pytest.mark.parametrize(
    ("events", "rank", "seconds"),
    [(RANK_12, 12, [7e-6, 5e-6, 6e-6]), (HOST_AND_DEVICE, 3, [25e-6])],
)
def test_a_file_of_one_rank_takes_the_steps_that_slices_name_or_its_host_has(events, rank, seconds):
    text = json.dumps({"distributedInfo": {"rank": rank}, "traceEvents": events})
    found = parse(text, "t.json", slices=["work"])
    assert found.workers == (str(rank),)
    np.testing.assert_allclose(found.rows[:, 0], seconds, rtol=1e-12)


def test_time_in_which_slices_overlap_counts_once():
    events = [
        *(slice_(f"ProfilerStep#{k}", 0, 1000 * k, 950) for k in (1, 2)),
        slice_("outer", 0, 1010, 100),
        slice_("inner", 0, 1020, 30),
        slice_("inner", 0, 1090, 40) | {"tid": 7},  # 20 µs beyond the outer one
        slice_("outer", 0, 2300, 5),
        slice_("outer", 0, 2100, 8),
    ]
    found = parse(json.dumps(events), "t.json", slices=["outer", "inner"])
    np.testing.assert_allclose(found.rows[:, 0], [120e-6, 13e-6], rtol=1e-12)


def test_only_slices_that_are_wanted_must_be_sound():
    broken = [{"ph": "X", "name": "other", "pid": 0}, {"ph": "B", "name": "other", "pid": 0}]
    found = parse(json.dumps([*profiled(), *broken]), "t.json", slices=["forward", "backward"])
    np.testing.assert_allclose(found.rows, SECONDS, rtol=1e-12)


# ---- what is wrong

PROFILED = json.dumps(profiled())
ENDS = [{"ph": "B", "name": "w", "pid": 0, "ts": 5}, {"ph": "E", "pid": 0, "ts": 4}]
LONG = {"worker": "w", "value": "t"}
WORK = {"slices": ["work"]}


@pytest.mark.parametrize(("text", "name", "layout", "said"), [
    ("", "t.jsonl", {}, "is empty"),
    ('{"a": 1}\n[1]\n', "t.jsonl", {}, "line 2: must be one object"),
    ('{"a": 1}\n{"a": {"b": 1}}\n', "t.jsonl", {}, "line 2: must be one object"),
    ('{"a": 1}\n\n{"a": 1\n', "t.jsonl", {}, "line 3: is no JSON"),
    ('{"a": 1}\n{"a": true}\n', "t.jsonl", {}, "line 2: must be one object"),
    ('{"a": 1}\n{"a": -1}\n', "t.jsonl", {}, "line 2, column"),
    ('{"a": NaN}\n', "t.jsonl", {}, "line 1, column"),
    ('{"worker": "a", "s": 1}\n', "t.jsonl", {}, "looks like a long table"),
    ('{"a": 1}\n{"a": 2}\n{"a": 1e300}\n', "t.jsonl", {}, "line 3, column 'a': 1e+300"),
    ("a,b\n1,2\n1,2e100\n", "t.csv", {}, "line 3, column 'b': 2e+100 is no time"),
    ("w,t\na,1\na,2e200\n", "t.csv", LONG, "line 3, column 't': 2e+200 is no time"),
    ("a,b\n1,2\n", "t.csv", WORK, "slices are of a profiler"),
    ("{", "t.json", {}, "is no JSON"),
    ("{}", "t.json", {}, "is no profiler's trace"),
    ("[1]", "t.json", {}, "is no profiler's trace"),
    ("[" * 100_000, "t.json", {}, "t.json"),
    (PROFILED, "t.json", {}, "slices must name"),
    (PROFILED, "t.json", {"slices": ["forwards"]}, "'forward'"),
    (json.dumps([slice_("work", 0, 1, 2)]), "t.json", WORK, "has a step"),
    (json.dumps([slice_("work", 0, 1, -2)]), "t.json", WORK, "event 0: dur"),
    (json.dumps([slice_("work", 0, None, 2)]), "t.json", WORK, "event 0: ts"),
    (json.dumps(ENDS), "t.json", {"slices": ["w"]}, "event 1: slice 'w' ends before it begins"),
])  # fmt: skip
def test_what_is_wrong_is_said_with_its_file_and_place(text, name, layout, said):
    sentence = refusal(parse, text, name, **layout)
    assert said in sentence and name in sentence


def test_files_that_are_packed_or_need_an_extra_are_refused(tmp_path, monkeypatch):
    for name, said in (
        ("t.json.gz", "t.json.gz is not UTF-8 text"),
        ("t.parquet", "pip install 'fastgc-sim[parquet]'"),
    ):
        (tmp_path / name).write_bytes(gzip.compress(b"[]"))
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        assert said in refusal(fastgc.traces.show, tmp_path / name)


# ---- the quick way and the careful one

TEXTS = [
    "a,b\n1,2\n3,4\n", '# unit: ms\r\n"a", b\r\n 1 ,.5\r\n\r\n3.,4e-3\r\n', "a\r1\r0.5\r",
    "a,b\n1,2\n# words\n3,4\n", "a,b\n1,2\n3,\n", "a,b\n1,2\n\x0c\n3,4\n", "step,b\n1,2\n2,4\n",
    "a,b\n1,2\n1_0,4\n", "a,b\n1,2\n0x10,4\n", "a,b\n1,2\n\u0661,4\n", "a,b\n1,2\n3\n",
    "a,b\n1,nan\n3,4\n", "a,a\n1,2\n3,4\n", "worker,b\n1,2\n3,4\n", "1,2\n3,4\n", "a,b\n", "",
    "a,b\n" + "".join(f"{i},{i % 3}\n" for i in range(12)),
]  # fmt: skip
OBJECTS = [
    '{"a": 1, "b": 2}\n\n{"a": 0.1, "b": 1e-3}\n', '{"a": 1, "b": 2}\n{"b": 1, "a": 3}\n',
    '{"a": 1, "b": 2}\n{"a": 3}\n', '{"a": 1}\n{"a": true}\n', '{"a": 1}\n{"a": "2"}\n',
    '{"a": 1}\n{"a": NaN}\n', "{}\n", "3\n",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"), [(t, "t.csv") for t in TEXTS] + [(t, "t.jsonl") for t in OBJECTS]
)
def test_numbers_read_at_once_are_those_read_cell_by_cell(monkeypatch, text, name):
    def told():
        try:
            found = parse(text, name)
        except fastgc.FastgcError as wrong:
            return str(wrong)
        return found.workers, [own.tolist() for own in found.values], found.digest

    quick = told()
    monkeypatch.setattr("fastgc.latency.traces.numbers_of", lambda *_: None)
    assert quick == told()


def test_numbers_are_read_at_once_to_the_last_bit(monkeypatch):
    drawn = np.random.default_rng(3)
    times = drawn.random((3000, 3)) * 10.0 ** drawn.integers(-300, 90, (3000, 3))
    text = "a,b,c\n" + "\n".join(",".join(map(repr, row)) for row in times.tolist())
    monkeypatch.setattr("fastgc.latency.trace_tables._BLOCK", 1000)
    monkeypatch.setattr("fastgc.latency.traces.tabled", None)  # is not asked
    assert parse(text, "t.csv").rows.tolist() == times.tolist()


# ---- long tables that are not said to be long: known by names of columns, or by whole numbers


def long_table(head, rounds=60, *, by_worker=False):
    """Return a table of four workers: who, when, how long, in the order of the three names."""
    draw = np.random.default_rng(1)
    lines = [(j, i, f"{draw.uniform(1, 2):.4f}") for i in range(rounds) for j in range(4)]
    if by_worker:
        lines.sort()
    if head.startswith("step"):
        lines = [(i, j, s) for j, i, s in lines]
    return "".join([f"{head}\n", *("{},{},{}\n".format(*line) for line in lines)])


@pytest.mark.parametrize(
    "head", ["rank,step,seconds", "gpu,iter,time", "host,epoch,x", "step,node_id,ms", "a,b,c"]
)
@pytest.mark.parametrize("by_worker", [False, True])
def test_long_tables_of_numbers_are_not_three_workers(head, by_worker):
    with pytest.raises(LongTableError) as caught:
        parse(long_table(head, by_worker=by_worker), "t.csv")
    worker, iteration, value = head.split(",")
    if head == "step,node_id,ms":
        worker, iteration = iteration, worker
    named = f"--column worker={worker} --column iteration={iteration} --column value={value}"
    assert caught.value.in_command == f"t.csv looks like a long table; give {named}"
    if head == "rank,step,seconds" and not by_worker:  # known by its names with a third of it
        lines = long_table(head).splitlines()
        with pytest.raises(LongTableError, match='iteration = "step"'):
            parse("\n".join([lines[0], *lines[1::3]]), "t.csv")


def test_whole_numbers_alone_make_no_long_table():
    draw = np.random.default_rng(2)
    for head in ("node,gpu,cpu", "a,b,c"):
        times = draw.integers(10, 40, (60, 3))
        text = "".join([f"{head}\n", *(f"{a},{b},{c}\n" for a, b, c in times)])
        assert parse(text, "t.csv").rows.tolist() == times.tolist()
    assert parse("gpu,time\n1,2\n1,3\n", "t.csv", workers=[1]).rows.tolist() == [[2.0], [3.0]]


# ---- workers that are stages of pipelines


def stages_named(stages, ranks):
    return [f"pp{p}dp{d}" for p in range(stages) for d in range(ranks)]


FOUR = {str(p): (2 * p, 2 * p + 1) for p in range(4)}


@pytest.mark.parametrize(("groups", "workers", "found"), [
    *((groups, stages_named(4, 2), FOUR) for groups in ("pp{stage}dp{rank}", 4, "4")),
    ("{rank}.{stage}", ["0.7", "1.3", "1.7", "0.3"], {"0": (3, 1), "1": (0, 2)}),  # any order
])  # fmt: skip
def test_stages_are_named_or_counted(groups, workers, found):
    assert stages_said(groups, workers) == found


@pytest.mark.parametrize(
    ("groups", "workers", "said"),
    [
        ("pp{stage}", None, "with {stage} and {rank} once each"),
        (0, None, "must be 1 stage or more"),
        ("3", None, "8 workers are not 3 stages"),
        ("p{stage}dp{rank}", None, "worker 'pp0dp0' is not called"),
        ("{stage}.{rank}", ["0.0", "0.1", "1.0"], "rank 1 has no worker for stage 1"),
        ("{stage}.{rank}", ["0.0", "0.00"], "are both stage 0 of rank 0"),
    ],
)
def test_what_is_wrong_with_stages_is_said(groups, workers, said):
    assert said in refusal(stages_said, groups, workers or stages_named(4, 2))


@pytest.mark.parametrize(
    ("names", "doubted"), [(stages_named(4, 2), True), (list("abcdefgh"), False)]
)
def test_what_waiting_costs_is_in_doubt_of_stages(names, doubted, tmp_path):
    path = tmp_path / "t.csv"
    times = np.random.default_rng(3).gamma(9.0, 1.0, (20, 8))
    np.savetxt(path, times, delimiter=",", header=",".join(names), comments="")
    found = fastgc.traces.show(path, lags=1)
    assert any("4 stages of pipelines" in each for each in found.warnings) == doubted


# ---- units


@pytest.mark.parametrize(
    ("text", "name", "layout", "unit"),
    [
        ("a,b\n1,2\n", "t.csv", {}, None),
        ("# unit: ms\na,b\n1,2\n", "t.csv", {}, "ms"),
        ("# by hand\na,b\n1,2\n", "t.csv", {}, None),
        ("who,took\na,2\n", "t.csv", {"worker": "who", "value": "took"}, None),
        ("who,took_ms\na,2\n", "t.csv", {"worker": "who", "value": "took_ms"}, "milliseconds"),
        ("who,rates\na,2\n", "t.csv", {"worker": "who", "value": "rates"}, None),
        (PROFILED, "t.json", {"slices": ["forward"]}, "seconds"),
    ],
)
def test_a_unit_is_known_where_the_file_says_it(tmp_path, text, name, layout, unit):
    (tmp_path / name).write_text(text)
    assert read({"file": str(tmp_path / name), **layout}, rounds=1).unit == unit


@pytest.mark.night
@pytest.mark.parametrize(("unit", "said"), [({}, " (unit unknown; "), ({"unit": "ms"}, " ms (")])
def test_trace_show_says_the_unit_that_it_knows(tmp_path, unit, said):
    (tmp_path / "t.csv").write_text("a,b\n1,1\n9,1\n1,2\n")
    shown = fastgc.traces.show(tmp_path / "t.csv", **unit)
    text = report.recording(shown.as_dict(), shown.straggled.tolist())
    assert f"late: longer than 1.5{said}" in text and "seconds" not in text
    assert unit or shown.as_dict()["unit"] is None


# ---- all the way


def test_a_study_takes_them_and_its_file_carries_them(tmp_path):
    (tmp_path / "t.json").write_text(PROFILED)
    law = {
        "distribution": "empirical",
        "file": str(tmp_path / "t.json"),
        "order": "rows",
        "slices": ["forward", "backward"],
    }
    system = {"family": "uncoded", "n": 2}
    study = {"experiment": [{"kind": "completion", "system": system, "latency": law}]}
    result = fastgc.run(study, out=tmp_path / "r.h5")
    assert result["time"].mean.value == pytest.approx(SECONDS.max(axis=1).mean() / 2, abs=0)
    (tmp_path / "t.json").unlink()
    assert fastgc.open(tmp_path / "r.h5").rows() == result.rows()


@pytest.mark.night
def test_parquet_is_read_as_the_same_table(tmp_path):
    import pyarrow
    from pyarrow import parquet

    times = {"a": [1.5, 2.0], "b": [1e-3, 0.1 + 0.2]}
    parquet.write_table(pyarrow.table(times), tmp_path / "t.parquet")
    shown = fastgc.traces.show(tmp_path / "t.parquet")
    assert shown.workers == ("a", "b")
    assert shown.times.T.tolist() == list(times.values())
    (tmp_path / "no.parquet").write_bytes(b"PAR1 is all that is here")
    with pytest.raises(fastgc.FastgcError, match=r"no\.parquet: is no parquet table"):
        fastgc.traces.show(tmp_path / "no.parquet")
