"""``fastgc trace``: recorded, shown, fitted, and run; long tables; signals."""

import json
import signal

import numpy as np
import pytest

from fastgc.latency.traces import parse
from suite.waiting import HUNG, until


@pytest.fixture
def times(tmp_path):
    rng = np.random.default_rng(1)
    times = rng.gamma(20.0, 0.05, (60, 4))
    late = rng.random((60, 4)) < [0.0, 0.02, 0.2, 0.5]
    rows = (times + 4 * late).round(6)
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    (tmp_path / "trace.csv").write_text("\n".join(["a,b,c,d", *lines]))
    long = [f"{'abcd'[j]},{i},{float(rows[i, j])!r}" for i in range(60) for j in range(4)]
    (tmp_path / "long.csv").write_text("\n".join(["worker,step,seconds", *long]))
    return tmp_path


@pytest.mark.night
def test_text_and_json(command, times):
    code, out, _ = command("trace", "show", times / "trace.csv", "--threshold", "2.5")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    assert "trace.csv: 4 workers, 60 complete rounds" in out and "late: longer than 2.5" in out
    code, out, _ = command("trace", "fit", times / "trace.csv")
    assert code == 0 and "p_straggle_slow" in out and "[[experiment]]" in out
    table = out.split("A study of it")[0]
    assert max(map(len, table.splitlines())) <= 80
    code, out, _ = command("trace", "fit", times / "trace.csv", "--json")
    found = json.loads(out)
    assert code == 0 and found["workers"] == 4 and found["latency"][0]["aic"] is not None


@pytest.mark.night
def test_long_tables_say_how_to_name_columns(command, times):
    for name in ("show", "fit"):
        code, out, err = command("trace", name, times / "long.csv")
        assert (code, out) == (2, "")
        assert "give --column worker=worker --column iteration=step --column value=seconds" in err
    columns = [f"--column={each}" for each in ("worker=worker", "value=seconds", "iteration=step")]
    wide = command("trace", "show", times / "trace.csv", "--json")[1]
    long = command("trace", "show", times / "long.csv", *columns, "--json")[1]
    assert json.loads(long) == json.loads(wide) | {"trace": "long.csv", "unit": "seconds"}
    two = command("trace", "show", times / "long.csv", *columns, "--workers", "[bd]", "--json")[1]
    assert [own["worker"] for own in json.loads(two)["each"]] == ["b", "d"]


def test_in_a_study_the_syntax_is_that_of_a_study(command, times):
    study = times / "s.toml"
    study.write_text(
        '[[experiment]]\ncode = { family = "frc", n = 4, d = 2 }\n'
        'stragglers = { model = "trace", file = "long.csv", threshold = 2.0 }\n'
    )
    code, _, err = command("run", study)
    assert code == 2 and 'give worker = "worker", iteration = "step"' in err


def test_mistakes(command, times):
    for words, said in (
        (["show", "none.csv"], "there is no file none.csv"),
        (["show", times / "trace.csv", "--column", "worker=x"], "a long table needs the names"),
        (["show", times / "trace.csv", "--column", "who=x"], "must be worker=NAME"),
        (["fit", times / "trace.csv", "--threshold", "much"], "threshold: must be a number"),
        (["record", "-o", times / "trace.csv"], "is there already"),
        (["record", "-o", times / "new.csv", "--work", "long"], "'--work'"),
        (["record"], "see `fastgc trace record --help`\n"),
    ):
        code, out, err = command("trace", *words)
        assert (code, out) == (2, "") and said in err and "Traceback" not in err, words


def test_a_recording_is_no_file_of_results(command, times):
    for words in (["plot"], ["show"]):
        code, _, err = command(*words, times / "trace.csv")
        assert code == 2 and "`fastgc trace show` looks at them" in err, words


@pytest.mark.night
def test_a_recording_that_is_stopped_keeps_its_rounds(fastgc_process, tmp_path):
    path = tmp_path / "t.csv"
    process = fastgc_process(
        "trace", "record", "-o", path, "--workers", 1, "--rounds", 10**6, "--work", 3
    )

    def has_rounds():
        assert process.poll() is None, process.communicate()
        return path.exists() and path.stat().st_size >= 100

    until(has_rounds, "nothing is recorded")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=HUNG)
    assert process.returncode == 75, err
    rounds = len(parse(path.read_text(), "t").rows)
    assert f"1 worker, {rounds} rounds in" in out
    assert f"{rounds} rounds are kept in" in err
