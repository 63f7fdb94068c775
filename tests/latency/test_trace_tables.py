"""Recordings as tools write them: lines, long tables, files of ranks, parquet; units."""

import gzip
import json

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.errors import LongTableError
from fastgc.latency.trace_tables import recorded_text
from fastgc.latency.traces import parse, read
from suite.checks import refusal


def of_lines(text, **layout):
    return parse(recorded_text("t.jsonl", {"files": {"t.jsonl": text}}), "t.jsonl", **layout)


@pytest.mark.night
def test_lines_of_objects_are_wide_or_long():
    wide = of_lines('{"a": 1.5, "b": 2}\n\n{"a": 3, "b": 0.30000000000000004}\n')
    assert wide.workers == ("a", "b") and wide.rows.tolist() == [[1.5, 2.0], [3.0, 0.1 + 0.2]]
    lines = [{"host": f"h{j}", "step": i, "s": 10.0 * i + j} for i in (1, 0) for j in (0, 1)]
    long = of_lines("\n".join(map(json.dumps, lines)), worker="host", iteration="step", value="s")
    assert long.rows.tolist() == [[0.0, 1.0], [10.0, 11.0]]
    ended = of_lines('{"a": 1, "b": 2}\n{"a": 3, "b": null}\n{"a": 4}\n')
    assert [own.tolist() for own in ended.values] == [[1.0, 3.0, 4.0], [2.0]]


@pytest.mark.night
@pytest.mark.parametrize(("text", "said"), [
    ('{"a": 1}\n[1]\n', "must hold one object"),
    ('{"a": 1}\n\n{"a": 1\n', "t.jsonl: line 3: must hold one object"),
    ('{"a": 1}\n{"a": {"b": 1}}\n', "must be a finite number"),
    ('{"a": 1}\n{"a": true}\n', "must be a finite number"),
    ('{"a": 1}\n{"a": -1}\n', "must be a finite number"),
    ('{"worker": "a", "s": 1}\n', "looks like a long table"),
])  # fmt: skip
def test_lines_that_are_no_table_of_times_are_refused(text, said):
    sentence = refusal(of_lines, text)
    assert said in sentence and "t.jsonl" in sentence


@pytest.mark.parametrize(("text", "layout", "said"), [
    ("a,b\n1,2\n1,2e100\n", {}, "line 3, column 'b': 2e+100 is no time"),
    ("w,t\na,1\na,2e200\n", {"worker": "w", "value": "t"}, "line 3, column 't': 2e+200 is no time"),
])  # fmt: skip
def test_what_is_no_time_is_said_with_its_place(text, layout, said):
    assert said in refusal(parse, text, "t.csv", **layout)


def test_files_that_are_packed_or_of_profilers_are_refused(tmp_path):
    for name, text, said in (
        ("t.csv.gz", gzip.compress(b"[]"), "t.csv.gz is not UTF-8 text"),
        ("t.json", b"[]", "a profiler's trace says what ran"),
    ):
        (tmp_path / name).write_bytes(text)
        assert said in refusal(read, tmp_path / name)


# ---- files of ranks


def test_files_of_ranks_are_columns_in_their_order(tmp_path):
    for rank, times in ((10, "1\n2\n"), (2, "3\n4\n5\n"), (0, "6\n7\n")):
        (tmp_path / f"rank{rank}.csv").write_text(f"# unit: seconds\nrank{rank}\n{times}")
    found = read(tmp_path)
    assert found.workers == ("rank0", "rank2", "rank10") and found.unit == "seconds"
    assert found.rows.tolist() == [[6.0, 3.0, 1.0], [7.0, 4.0, 2.0]]
    assert "1 of 3 rounds are left out" in found.warnings[-1]
    gone = "(it has none after row 2)"
    assert f"in them: worker rank0 in 1 {gone}, worker rank10 in 1 {gone};" in found.warnings[-1]
    assert found.warnings[-1].endswith(
        "complete ones count: far off if workers were late in the others"
    )
    (tmp_path / "rank3.csv").write_text("rank2\n1\n")
    assert "two columns are called 'rank2'" in refusal(read, tmp_path)
    (tmp_path / "none").mkdir()
    assert "none is a directory; name a file in it" in refusal(read, tmp_path / "none")


def test_a_study_takes_a_folder_and_its_file_carries_it(tmp_path):
    (tmp_path / "r").mkdir()
    for rank in (0, 1):
        (tmp_path / "r" / f"rank{rank}.csv").write_text(f"rank{rank}\n{1 + rank}\n{3 + rank}\n")
    law = {"distribution": "empirical", "file": str(tmp_path / "r"), "order": "rows"}
    system = {"family": "uncoded", "n": 2}
    study = {"experiment": [{"kind": "completion", "system": system, "latency": law}]}
    result = fastgc.run(study, out=tmp_path / "r.h5")
    assert result["time"].mean.value == pytest.approx((2 + 4) / 2 / 2, abs=0)
    (tmp_path / "r" / "rank1.csv").unlink()
    assert fastgc.open(tmp_path / "r.h5").rows() == result.rows()


# ---- the quick way and the careful one

TEXTS = [
    "a,b\n1,2\n3,4\n", '# unit: ms\r\n"a", b\r\n 1 ,.5\r\n\r\n3.,4e-3\r\n', "a\r1\r0.5\r",
    "a,b\n1,2\n# words\n3,4\n", "a,b\n1,2\n3,\n", "a,b\n1,2\n\x0c\n3,4\n", "step,b\n1,2\n2,4\n",
    "a,b\n1,2\n1_0,4\n", "a,b\n1,2\n0x10,4\n", "a,b\n1,2\n\u0661,4\n", "a,b\n1,2\n3\n",
    "a,b\n1,nan\n3,4\n", "a,a\n1,2\n3,4\n", "worker,b\n1,2\n3,4\n", "1,2\n3,4\n", "a,b\n", "",
    "a,b\n" + "".join(f"{i},{i % 3}\n" for i in range(12)),
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_numbers_read_at_once_are_those_read_cell_by_cell(monkeypatch, text):
    def told():
        try:
            found = parse(text, "t.csv")
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
    monkeypatch.setattr("fastgc.latency.traces.table", None)  # is not asked
    assert parse(text, "t.csv").rows.tolist() == times.tolist()


# ---- long tables that are not said to be long: known by names of columns


def long_table(head, *, by_worker=False):
    """Return a table of four workers: who, when, how long, in the order of the three names."""
    draw = np.random.default_rng(1)
    lines = [(j, i, f"{draw.uniform(1, 2):.4f}") for i in range(60) for j in range(4)]
    if by_worker:
        lines.sort()
    if head.startswith("step"):
        lines = [(i, j, s) for j, i, s in lines]
    return "".join([f"{head}\n", *("{},{},{}\n".format(*line) for line in lines)])


@pytest.mark.parametrize(
    "head", ["rank,step,seconds", "gpu,iter,time", "host,epoch,x", "step,node_id,ms"]
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


def test_whole_numbers_alone_make_no_long_table():
    times = np.random.default_rng(2).integers(10, 40, (60, 3))
    text = "".join(["node,gpu,cpu\n", *(f"{a},{b},{c}\n" for a, b, c in times)])
    assert parse(text, "t.csv").rows.tolist() == times.tolist()
    assert parse("gpu,time\n1,2\n1,3\n", "t.csv", workers=[1]).rows.tolist() == [[2.0], [3.0]]


def test_few_lines_do_not_become_a_table_that_fills_the_memory(monkeypatch):
    """Time stamps that hardly repeat, and a worker with many more lines than the others."""
    monkeypatch.setattr("fastgc.latency.traces._MOST_CELLS", 10_000)
    layout = {"worker": "w", "value": "s"}
    stamped = "".join(["w,t,s\n", *(f"{j},{j if j else 1},1\n" for j in range(110))])
    shared = "".join(f"{j},-1,1\n" for j in range(110))
    uneven = "".join(["w,t,s\n", "0,1,1\n" * 110, *(f"{j},1,1\n" for j in range(110))])
    said = refusal(parse, stamped, "t.csv", iteration="t", **layout)
    assert said == "t.csv: no t is one of all 110 workers"
    said = refusal(parse, stamped + shared, "t.csv", iteration="t", **layout)
    assert "220 lines are too few for 110 rows of 110 workers; take a column in" in said
    said = refusal(parse, uneven, "t.csv", **layout)
    assert "220 lines are too few for 111 rows of 110 workers; leave out workers" in said


# ---- units


@pytest.mark.parametrize(("text", "layout", "unit"), [
    ("a,b\n1,2\n", {}, None),
    ("# unit: ms\na,b\n1,2\n", {}, "ms"),
    ("# by hand\na,b\n1,2\n", {}, None),
    ("who,took\na,2\n", {"worker": "who", "value": "took"}, None),
    ("who,took_ms\na,2\n", {"worker": "who", "value": "took_ms"}, "milliseconds"),
    ("who,rates\na,2\n", {"worker": "who", "value": "rates"}, None),
])  # fmt: skip
def test_a_unit_is_known_where_the_file_says_it(tmp_path, text, layout, unit):
    (tmp_path / "t.csv").write_text(text)
    assert read({"file": str(tmp_path / "t.csv"), **layout}, rounds=1).unit == unit


@pytest.mark.night
@pytest.mark.parametrize(("unit", "said"), [({}, " (unit unknown; "), ({"unit": "ms"}, " ms (")])
def test_trace_show_says_the_unit_that_it_knows(tmp_path, unit, said):
    (tmp_path / "t.csv").write_text("a,b\n1,1\n9,1\n1,2\n")
    shown = fastgc.traces.show(tmp_path / "t.csv", **unit)
    text = report.recording(shown.as_dict())
    assert f"late: longer than 1.5{said}" in text and "seconds" not in text
    assert unit or shown.as_dict()["unit"] is None


@pytest.mark.night
def test_parquet_is_read_as_the_same_table(tmp_path):
    import pandas

    times = {"a": [1.5, 2.0], "b": [1e-3, 0.1 + 0.2]}
    pandas.DataFrame(times).to_parquet(tmp_path / "t.parquet")
    shown = read(tmp_path / "t.parquet")
    assert shown.workers == ("a", "b") and shown.rows.T.tolist() == list(times.values())
    (tmp_path / "no.parquet").write_bytes(b"PAR1 is all that is here")
    with pytest.raises(fastgc.FastgcError, match=r"no\.parquet: is no parquet table"):
        read(tmp_path / "no.parquet")
