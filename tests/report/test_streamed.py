"""A table that is printed while a run goes on."""

import fastgc
from fastgc import report

STUDY = {
    "title": "Two probabilities",
    "experiment": [
        {
            "name": "frc",
            "code": {"family": "frc", "n": 8, "d": 2},
            "stragglers": {"model": "iid", "p": 0.1},
            "sweep": {"stragglers.p": [0.1, 0.2]},
        }
    ],
}


def test_blocks_make_the_whole_table():
    said = []
    table = report.StreamedTable(lambda text: said.append(text + "\n"))
    table.title = "Two probabilities"
    result = fastgc.run(STUDY, found=table.add)
    table.close()
    assert len(said) == 3, "two points, and what was left out"
    assert "".join(said) == report.results(result.rows(), result.title) + "\n"


def test_without_rows_it_says_so():
    said = []
    table = report.StreamedTable(said.append)
    table.close()
    assert said == [report.results([])]
