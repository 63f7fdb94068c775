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
    text = "".join(
        json.dumps({"host": f"h{j}", "step": i, "s": 10.0 * i + j}) + "\n"
        for i in (1, 0)
        for j in (0, 1)
    )
    long = parse(text, "t.ndjson", worker="host", iteration="step", value="s")
    assert long.rows.tolist() == [[0.0, 1.0], [10.0, 11.0]]


def test_a_worker_that_ends_leaves_its_key_out():
    found = parse('{"a": 1, "b": 2}\n{"a": 3, "b": null}\n{"a": 4}\n', "t.jsonl")
    assert [own.tolist() for own in found.values] == [[1.0, 3.0, 4.0], [2.0]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ('{"a": 1}\n[1]\n', "line 2: must be one object"),
        ('{"a": 1}\n{"a": {"b": 1}}\n', "line 2: must be one object"),
        ('{"a": 1}\n\n{"a": 1\n', "line 3: is no JSON"),
        ('{"a": 1}\n{"a": true}\n', "line 2: must be one object"),
        ('{"a": 1}\n{"a": -1}\n', "line 2, column"),
        ('{"a": NaN}\n', "line 1, column"),
        ('{"worker": "a", "s": 1}\n', "looks like a long table"),
    ],
)
def test_what_is_wrong_in_lines_names_the_line(text, said):
    sentence = refusal(parse, text, "t.jsonl")
    assert said in sentence and "t.jsonl" in sentence


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


def test_a_step_that_a_slice_names_goes_before_the_one_around_it():
    events = [
        slice_("ProfilerStep#1", 3, 0, 100),
        slice_("work", 3, 10, 5, step=7),
        slice_("work", 3, 20, 6, step="8"),
        slice_("work", 3, 30, 7),
        slice_("work", 3, 500, 9),  # in no step
    ]
    text = json.dumps({"distributedInfo": {"rank": 12}, "traceEvents": events})
    found = parse(text, "t.json", slices=["work"])
    assert found.workers == ("12",)
    np.testing.assert_allclose(found.rows[:, 0], [7e-6, 5e-6, 6e-6], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "slices", "said"),
    [
        ("{", None, "is no JSON"),
        ("{}", None, "is no profiler's trace"),
        ("[1]", None, "is no profiler's trace"),
        (json.dumps(profiled()), None, "slices must name"),
        (json.dumps(profiled()), ["forwards"], "'forward'"),
        (json.dumps([slice_("work", 0, 1, 2)]), ["work"], "has a step"),
        (json.dumps([slice_("work", 0, 1, -2)]), ["work"], "event 0: dur"),
        (json.dumps([slice_("work", 0, None, 2)]), ["work"], "event 0: ts"),
        ("[" * 100_000, None, "t.json"),
    ],
)
def test_what_is_wrong_in_a_profilers_trace_is_said(text, slices, said):
    sentence = refusal(parse, text, "t.json", slices=slices)
    assert said in sentence and "t.json" in sentence


def test_slices_belong_to_a_profilers_trace():
    with pytest.raises(fastgc.FastgcError, match="slices are of a profiler"):
        parse("a,b\n1,2\n", "t.csv", slices=["a"])


def test_time_in_which_slices_overlap_counts_once():
    steps = [slice_(f"ProfilerStep#{k}", 0, 1000 * k, 950) for k in (1, 2)]
    events = [
        *steps,
        slice_("outer", 0, 1010, 100),
        slice_("inner", 0, 1020, 30),
        slice_("inner", 0, 1090, 40) | {"tid": 7},  # 20 µs beyond the outer one
        slice_("outer", 0, 2300, 5),
        slice_("outer", 0, 2100, 8),
    ]
    found = parse(json.dumps(events), "t.json", slices=["outer", "inner"])
    np.testing.assert_allclose(found.rows[:, 0], [120e-6, 13e-6], rtol=1e-12)


def test_a_device_of_a_rank_takes_the_steps_of_its_host():
    events = [
        slice_("ProfilerStep#4", "host", 0, 100),
        slice_("work", "host", 10, 5),
        slice_("work", 0, 50, 20),
    ]
    text = json.dumps({"distributedInfo": {"rank": 3}, "traceEvents": events})
    found = parse(text, "t.json", slices=["work"])
    assert found.workers == ("3",)
    np.testing.assert_allclose(found.rows[:, 0], [25e-6], rtol=1e-12)


def test_only_slices_that_are_wanted_must_be_sound():
    broken = [{"ph": "X", "name": "other", "pid": 0}, {"ph": "B", "name": "other", "pid": 0}]
    found = parse(json.dumps([*profiled(), *broken]), "t.json", slices=["forward", "backward"])
    np.testing.assert_allclose(found.rows, SECONDS, rtol=1e-12)
    ends = [{"ph": "B", "name": "w", "pid": 0, "ts": 5}, {"ph": "E", "pid": 0, "ts": 4}]
    with pytest.raises(fastgc.FastgcError, match="event 1: slice 'w' ends before it begins"):
        parse(json.dumps(ends), "t.json", slices=["w"])


def test_what_is_packed_is_to_be_unpacked(tmp_path):
    (tmp_path / "t.json.gz").write_bytes(gzip.compress(b"[]"))
    with pytest.raises(fastgc.FastgcError, match=r"t\.json\.gz is compressed; unpack it first"):
        fastgc.traces.show(tmp_path / "t.json.gz")


@pytest.mark.parametrize(
    ("text", "name", "layout"),
    [
        ("a,b\n1,2\n1,2e100\n", "t.csv", {}),
        ('{"a": 1}\n{"a": 2}\n{"a": 1e300}\n', "t.jsonl", {}),
        ("w,t\na,1\na,2e200\n", "t.csv", {"worker": "w", "value": "t"}),
    ],
)
def test_a_time_has_an_end(text, name, layout):
    with pytest.raises(fastgc.FastgcError, match=r"t\.\w+: line [23], column .* is no time"):
        parse(text, name, **layout)


# ---- the quick way and the careful one

TEXTS = [
    "a,b\n1,2\n3,4\n",
    '# unit: ms\r\n"a", b\r\n 1 ,.5\r\n\r\n3.,4e-3\r\n',
    "a\r1\r0.5\r",
    "a,b\n1,2\n# words\n3,4\n",
    "a,b\n1,2\n3,\n",
    "a,b\n1,2\n\x0c\n3,4\n",
    "step,b\n1,2\n2,4\n",
    "a,b\n1,2\n1_0,4\n",
    "a,b\n1,2\n0x10,4\n",
    "a,b\n1,2\n\u0661,4\n",
    "a,b\n1,2\n3\n",
    "a,b\n1,nan\n3,4\n",
    "a,a\n1,2\n3,4\n",
    "worker,b\n1,2\n3,4\n",
    "1,2\n3,4\n",
    "a,b\n",
    "",
    "a,b\n" + "".join(f"{i},{i % 3}\n" for i in range(12)),
]
OBJECTS = [
    '{"a": 1, "b": 2}\n\n{"a": 0.1, "b": 1e-3}\n',
    '{"a": 1, "b": 2}\n{"b": 1, "a": 3}\n',
    '{"a": 1, "b": 2}\n{"a": 3}\n',
    '{"a": 1}\n{"a": true}\n',
    '{"a": 1}\n{"a": "2"}\n',
    '{"a": 1}\n{"a": NaN}\n',
    "{}\n",
    "3\n",
]


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


def test_a_long_table_with_measurements_missing_is_known_by_its_names():
    lines = long_table("rank,step,seconds").splitlines()
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


@pytest.mark.parametrize("groups", ["pp{stage}dp{rank}", 4, "4"])
def test_stages_are_named_or_counted(groups):
    assert stages_said(groups, stages_named(4, 2)) == {str(p): (2 * p, 2 * p + 1) for p in range(4)}


def test_names_may_come_in_any_order():
    found = stages_said("{rank}.{stage}", ["0.7", "1.3", "1.7", "0.3"])
    assert found == {"0": (3, 1), "1": (0, 2)}


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
        (json.dumps(profiled()), "t.json", {"slices": ["forward"]}, "seconds"),
    ],
)
def test_a_unit_is_known_where_the_file_says_it(tmp_path, text, name, layout, unit):
    (tmp_path / name).write_text(text)
    assert read({"file": str(tmp_path / name), **layout}, rounds=1).unit == unit


@pytest.mark.night
def test_trace_show_says_the_unit_that_it_knows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,1\n9,1\n1,2\n")
    shown = fastgc.traces.show(path)
    text = report.recording(shown.as_dict(), shown.straggled.tolist())
    assert "late: longer than 1.5 (unit unknown; " in text
    assert "seconds" not in text and shown.as_dict()["unit"] is None
    shown = fastgc.traces.show(path, unit="ms")
    text = report.recording(shown.as_dict(), shown.straggled.tolist())
    assert "late: longer than 1.5 ms (" in text


# ---- all the way


def test_a_study_takes_them_and_its_file_carries_them(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(profiled()))
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


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "t.parquet").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(fastgc.FastgcError, match=r"pip install 'fastgc-sim\[parquet\]'"):
        fastgc.traces.show(tmp_path / "t.parquet")
