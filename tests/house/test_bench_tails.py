"""The short form of ``python -m bench.tails``: 300 intervals a chance, and one look at the rest.

A coverage fails where its count would come less than once in a thousand from the edge of its band.
"""

from __future__ import annotations

import json

import pytest

from bench import tails
from suite.checks import every


@pytest.mark.parametrize("situation", tails.KNOWN[2:3], ids=lambda each: each.name)
def test_intervals_of_union_sampling_hold_the_exact_chance(situation):
    found = list(tails.coverages(300, [situation]))
    assert [each.chance for each in found] == list(tails.LEVELS)
    assert not found[0].alike
    for each in found:
        assert each.is_fine, each


def test_a_coverage_that_is_off_is_called_so():
    assert tails.Covered("x", 0.1, 2048, False, 1000, 950).is_fine
    assert not tails.Covered("x", 0.1, 2048, False, 1000, 900).is_fine
    assert not tails.Covered("x", 0.1, 2048, False, 1000, 1000).is_fine
    assert tails.Covered("x", 0.1, 2048, True, 1000, 1000).is_fine


def test_the_command_says_and_writes_what_it_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(tails, "ROUNDS", 1)
    monkeypatch.setattr(tails, "LEVELS", (1e-2,))
    assert tails.main(["--repeats", "2", "--json", str(tmp_path / "tails.json")]) == 0
    said = capsys.readouterr().out
    assert "exactly in" in said and "plain sampling" in said and "2 intervals" in said
    report = json.loads((tmp_path / "tails.json").read_text(encoding="utf-8"))
    assert {"machine", "exact", "union", "coverage", "complaints"} == set(report)
    assert every(0 < each["relative_error"] < 0.0125 for each in report["union"])
