"""The checkpoint of a search: a line a part, of one problem, also where the last is cut short."""

from pathlib import Path

import pytest

from fastgc.searching.ledger import Ledger
from fastgc.searching.problem import Problem

PROBLEM = Problem(n=4, d=2, p=0.1, seconds=5.0)


def test_the_last_line_of_a_part_counts_and_the_next_command_begins_with_it(tmp_path: Path) -> None:
    ledger = Ledger(PROBLEM, tmp_path / "best.csv")
    for steps in range(3):
        ledger.keep("one", {"steps": steps})
    ledger.keep("two", {"steps": 7, "by": "Z2×Z2"})
    path = tmp_path / "best.csv.part"
    assert path.read_bytes().count(b"\n") == 5
    again = Ledger(PROBLEM.model_copy(update={"seconds": None}), tmp_path / "best.csv")
    assert again.kept("one") == {"steps": 2} and again.kept("two")["by"] == "Z2×Z2"
    assert again.kept("three") is None and path.read_bytes().count(b"\n") == 3
    again.remove()
    assert not path.exists()


@pytest.mark.parametrize("missing", range(1, 40, 3))
def test_a_line_that_was_cut_short_is_left_out(tmp_path: Path, missing: int) -> None:
    ledger = Ledger(PROBLEM, tmp_path / "best.csv")
    ledger.keep("one", {"best": [[0.1, 0.25]]})
    path = tmp_path / "best.csv.part"
    before = path.read_bytes()
    ledger.keep("two", {"by": "Z2×Z2", "best": [[1.5, 2.25], [3.0, 4.0]]})
    path.write_bytes(path.read_bytes()[:-missing])
    again = Ledger(PROBLEM, tmp_path / "best.csv")
    assert again.kept("one") == {"best": [[0.1, 0.25]]}
    if missing > 1:  # all but the end of the line is there
        assert again.kept("two") is None and path.read_bytes() == before
    again.keep("three", {"best": 1})
    assert Ledger(PROBLEM, tmp_path / "best.csv").kept("three") == {"best": 1}


def test_what_another_problem_has_done_is_not_taken(tmp_path: Path) -> None:
    first, other = (PROBLEM.model_copy(update={"seed": seed}) for seed in (2, 3))
    Ledger(first, tmp_path / "best.csv").keep("one", {"steps": 1})
    assert Ledger(other, tmp_path / "best.csv").kept("one") is None
    (tmp_path / "best.csv.part").write_bytes(b"\xff\x00 no ledger")
    assert Ledger(PROBLEM, tmp_path / "best.csv").kept("one") is None
