"""The short form of ``python -m bench.tails``: 300 intervals for each.

A coverage fails where its count would come less than once in a thousand from the edge of its band.
"""

import json

import pytest

from bench import tails
from bench.intervals import rows_of


@pytest.mark.night
@pytest.mark.parametrize("level", tails.LEVELS)
def test_intervals_of_union_sampling_hold_the_exact_probability(level):
    situation = tails.counted(tails.KNOWN[2], level)
    assert list(situation.promises.values()) == [tails.BAND if level > 1e-3 else tails.FLOOR]
    for row in rows_of(situation, range(300)):
        assert row.fine, row


@pytest.mark.night
def test_the_command_says_and_writes_what_it_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(tails, "LEVELS", (1e-2,))
    assert tails.main(["--repeats", "2", "--json", str(tmp_path / "tails.json")]) == 0
    said = capsys.readouterr().out
    assert "| 100.0 ± 0.0 |" in said
    report = json.loads((tmp_path / "tails.json").read_text(encoding="utf-8"))
    assert {"machine", "coverage", "complaints"} == set(report)
