"""Rows of methods for rare events go everywhere that rows go."""

import json

import pytest

import fastgc
from fastgc.errors import StoppedError
from fastgc.results.rows import ENUMERATION_BOUNDS
from fastgc.runs.plan import Plan
from fastgc.runs.run import Islands
from fastgc.study.study import Study
from suite.checks import every

pytestmark = pytest.mark.night

STUDY = {
    "title": "Rare",
    "stop": {"trials": 2000},
    "experiment": [
        {
            "name": "thresholds",
            "code": {"family": "sparse-regular", "n": 26, "d": 3, "seed": 2},
            "stragglers": {"model": "iid", "p": 0.02},
            "thresholds": [2.0],
            "sweep": {"stragglers.p": [0.01, 0.03]},
        },
        {
            "name": "bounds",
            "code": {"family": "binary", "n": 31, "s": 2},
            "stragglers": {"model": "iid", "p": [0.001] * 3 + [0.0001] * 28},
            "measure": ["exact"],
        },
    ],
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("rare") / "rare.h5"
    return fastgc.run(STUDY, out=path)


def rare(result):
    return [row for row in result.rows() if row["method"] == ENUMERATION_BOUNDS]


def test_a_file_has_them_and_nothing_is_sought_anew(kept, monkeypatch):
    assert [row["experiment"] for row in rare(kept)] == ["thresholds", "thresholds", "bounds"]
    monkeypatch.setattr("fastgc.runs.plan.sought", None)
    assert fastgc.open(kept.path).rows() == kept.rows()


def test_shards_merge_into_the_same_rows(kept, tmp_path):
    parts = [tmp_path / f"{i}.h5" for i in range(2)]
    for i, part in enumerate(parts):
        fastgc.run(STUDY, batch=fastgc.runs.Batch(shard=(i, 2)), out=part)
    merged = fastgc.runs.merge(parts, out=tmp_path / "merged.h5")
    opened = fastgc.open(tmp_path / "merged.h5")
    for found in (merged, opened):
        assert [row["value"] for row in rare(found)] == [row["value"] for row in rare(kept)]
    assert opened.rows() == merged.rows()


def test_people_see_them(kept, command, tmp_path):
    _, shown, _ = command("show", kept.path, "--rows")
    assert "enumeration-bounds" in shown
    bounds = next(line for line in shown.splitlines() if "fails with" in line)
    assert "1 − " in bounds and "[1 − " in bounds
    _, rows, _ = command("show", kept.path, "--json")
    assert json.loads(rows) == kept.rows()
    assert command("show", kept.path, "--html", "-o", tmp_path / "report.html")[0] == 0
    assert "1 − " in (tmp_path / "report.html").read_text()
    assert command("plot", kept.path, "-o", tmp_path / "tail.svg")[0] == 0
    code, out, _ = command("show", kept.path, "--audit")  # it seeks them anew
    assert code == 0 and f"{len(kept.rows())} of {len(kept.rows())} rows computed anew" in out
    (tmp_path / "study.toml").write_text(Study.parse(STUDY).text())
    code, out, err = command("run", tmp_path / "study.toml", "--dry-run")
    assert code == 0 and out.count("rare events") == 3, err


def test_an_interrupted_one_is_begun_anew(tmp_path):
    path = tmp_path / "rare.h5"
    stopped = fastgc.run(STUDY, out=path, batch=fastgc.runs.Batch(max_seconds=0))
    assert not stopped.complete and not rare(stopped)
    assert rare(fastgc.open(stopped.path)) == []
    whole = fastgc.run(STUDY, out=path)
    assert whole.complete and len(rare(whole)) == 3


def test_islands_stop_between_tasks():
    plan = Plan.of(Study.parse(STUDY))
    place = next(place for place, known in enumerate(plan.known) if known.method.in_parts)

    class Full:
        has_room = False

    with pytest.raises(StoppedError, match="enough"):
        Islands(plan.alone(place), Full(), lambda: "enough")(0, 0, 8)


def test_what_is_requested_and_no_rare_event_is_named(tmp_path):
    table = {
        "code": {"family": "cyclic", "n": 12, "d": 4, "seed": 1},
        "stragglers": {"model": "iid", "p": 0.01}, "method": "rare",
        "measure": ["error", "exact", "error_lag", "survivors", "stability"], "thresholds": [0.5],
        "quantiles": [0.9], "iterations": 2,
    }  # fmt: skip
    rows = fastgc.run(table, out=tmp_path / "rare.h5").rows()
    assert {row["quantity"] for row in rows} == set(table["measure"])
    named = {(r["quantity"], r["statistic"]): r["note"] for r in rows if r["value"] is None}
    assert set(named) == {
        *((quantity, "mean") for quantity in ("error_lag", "survivors", "stability")),
        ("error", "quantile(0.9)"),
    }
    assert every('method = "rare" gives probabilities' in note for note in named.values())
    assert fastgc.open(tmp_path / "rare.h5").rows() == rows
    auto = fastgc.run(table | {"method": "auto"}, trials=1000).rows()
    assert not any('method = "rare"' in row.get("note", "") for row in auto)
    star = {"kind": "completion", "system": {"family": "k-of-n", "n": 4, "k": 2}, "method": "rare"}
    star |= {"latency": {"distribution": "exponential", "mean": 1.0}, "thresholds": [3.0]}
    known = fastgc.run(star | {"measure": ["time", "messages"]}).rows()  # by theory
    assert {row["quantity"] for row in known} == {"time", "messages"}
    assert every(row["value"] is not None for row in known)
