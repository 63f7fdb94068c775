"""The short form of ``python -m bench.coverage``: 300 replications of fixed seeds.

A number fails where its count would come less than once in a thousand from the edge of its band.
Of 95 % intervals that keep their promise one of these tests fails once in some 10 000 seeds.
"""

import json

import pytest

from bench.coverage import main, situations
from bench.intervals import NONE, Promise, rows_of
from bench.situation import BAND, FLOOR
from fastgc.statistics import estimates

SITUATIONS = {each.name: each for each in situations()}


@pytest.mark.night
@pytest.mark.parametrize("name", [
    "3 shards, merged",
    "stop rule: relative_error 0.5, events 20",
    "given decodable: 8 of 10, iid 0.3, 3 iterations",
    "ratio: errors",
])  # fmt: skip
def test_intervals_hold_what_they_promise(name):
    for row in rows_of(SITUATIONS[name].counted, range(300)):
        assert row.fine, row


def test_what_keeps_a_promise():
    """At the edge of its band a number is called a failure once in a thousand."""
    assert [FLOOR.is_kept(hits, 4000) for hits in (3690, 3691, 4000)] == [False, True, True]
    edges = {3690: False, 3691: True, 3895: True, 3896: False}
    assert {hits: BAND.is_kept(hits, 4000) for hits in edges} == edges
    assert NONE.is_kept(0, 4000) and NONE.is_kept(4000, 4000)
    strict, edges = Promise(0.93, 0.97, 0.5), {929: False, 930: True, 970: True, 971: False}
    assert {hits: strict.is_kept(hits, 1000) for hits in edges} == edges


@pytest.mark.night
def test_every_number_has_a_truth_and_a_name_of_its_own():
    for situation in situations():
        assert situation.truths.keys() >= {number.key for number in situation.numbers}
        assert len({number.said for number in situation.numbers}) == len(situation.numbers)


def test_the_command_prints_and_writes_what_it_counted(tmp_path, capsys):
    file = tmp_path / "coverage.json"
    asked = ["--replications", "20", "--workers", "1", "--only", "frc, 3 events"]
    assert main([*asked, "--json", str(file)]) == 0
    assert "| error: frc, 3 events expected | mean | 100.0 ± 0.0 |" in capsys.readouterr().out
    [row] = json.loads(file.read_text(encoding="utf-8"))
    assert (row["replications"], row["promise"], row["fine"]) == (20, "≥ 93.5", True)


def test_a_promise_that_is_not_kept_is_said(monkeypatch, capsys):
    monkeypatch.setattr(estimates, "normal_quantile", lambda confidence: 0.5)
    asked = ["--replications", "40", "--workers", "1", "--only", "ratio: errors"]
    assert main(asked) == 1
    assert "**missed**" in capsys.readouterr().out
