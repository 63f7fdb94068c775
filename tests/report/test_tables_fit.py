"""Tables in a terminal: what they do without, where lines go on; those printed block by block."""

import pytest

import fastgc
from fastgc import report
from fastgc.decoding.inspection import inspect
from fastgc.report.tables import blocks
from fastgc.report.text import columns, fitting
from report.rows import row as made
from suite.checks import refusal
from suite.studies import groups, ring

STRAGGLERS = [
    {"model": "iid", "p": 0.1},
    {"model": "markov", "p_straggle_after_ok": 0.05, "p_straggle_after_straggle": 0.6},
]
SWEPT = {"method": "both", "measure": ["error", "exact", "survivors"]} | {
    "sweep": {"code.d": [1, 2, 3], "stragglers": STRAGGLERS}
}
STUDY = {
    "title": "two codes",
    "experiment": [groups(6, 0.1, name="frc", **SWEPT), ring(6, 0.1, name="circulant", **SWEPT)],
}


@pytest.fixture(scope="module")
def rows():
    return fastgc.run(STUDY, trials=500).rows()


@pytest.mark.parametrize("width", [70, 80, 100, None])
def test_a_table_of_results_loses_no_number(rows, width):
    text = report.results(rows, "two codes", width, every=True)
    shown = text.splitlines()
    if width is not None:
        assert max(map(len, shown)) <= width
    for row in rows:
        number = report.number(row["value"], row["standard_error"])
        if row["statistic"] != "minimum":
            assert number in text or f"1 − {1 - row['value']:.3g}"[:8] in text
    said = [line for line in shown if "500 trials" in line and "in 500 trials" not in line]
    assert len(said) == 12, "once a point"
    if width is None:
        assert report.results(rows, "two codes", 1000, every=True) == text


def test_rows_that_tell_nothing_are_left_out_and_counted():
    found = fastgc.run(groups(4, 0.0, method="auto")).rows()
    lines = report.results(found).splitlines()
    assert [line.split()[:3] for line in lines[1:3]] == [
        ["error", "mean", "exact"], ["closed-form", "0"]
    ]  # fmt: skip
    assert lines[-1].startswith("4 rows left out")
    assert {row["statistic"] for row in found} == {"mean", "variance", "minimum", "maximum"}
    few = [row for row in found if row["statistic"] == "minimum"]
    for value, left in ((0, 1), (1.1e-30, 1), (1.1e-9, 0)):  # rounding tells nothing
        assert blocks([row | {"value": value} for row in few])[0].left_out == left


@pytest.mark.parametrize(
    ("value", "error", "shown", "interval"),
    [
        (0.999996, 1e-6, "1 − 4.0(10)e-06", "[1 − 6e-06, 1 − 2e-06]"),
        (0.9995, 1e-4, "1 − 0.00050(10)", "[1 − 0.0007, 1 − 0.0003]"),
        (0.95, 0.01, "0.950(10)", "[0.93, 0.97]"),
        (1.0, 0.0, "1", "[1, 1]"),
    ],
)
def test_a_probability_near_1_is_shown_by_its_failures(value, error, shown, interval):
    given = made(value, error, quantity="exact", method="monte-carlo", trials=10, point={})
    [_, line] = report.results([given]).splitlines()
    assert f"  {shown}  {interval}" in line
    assert "1 −" not in report.results([given | {"quantity": "error"}]), "it is no probability"


def test_no_interval_of_what_is_never_negative_begins_below_0():
    rare = groups(20, 0.07, code={"family": "frc", "n": 20, "d": 5})
    text = report.results(fastgc.run(rare, trials=300_000).rows())
    mean = next(line for line in text.splitlines() if line.startswith("  error mean"))
    assert "[-" not in text and "e-0" in mean, mean


@pytest.mark.parametrize("width", [64, 70, 80, 100])
def test_a_datasheet_says_what_it_has_no_room_for(width):
    sheet = inspect(fastgc.codes.cyclic(n=7, d=3, seed=1)).as_dict()
    text = report.datasheet(sheet, width=width)
    assert max(map(len, text.splitlines())) <= width
    whole = report.datasheet(sheet)
    heads = next(line for line in whole.splitlines() if "P(exact)" in line).split()
    shown = next(line for line in text.splitlines() if "P(exact)" in line).split()
    for name in {*heads} - {*shown}:
        assert name in text.splitlines()[-1] and "--json has all" in text.splitlines()[-1]
    assert "--json has all" not in whole


def test_cells_go_on_and_columns_are_left_out_in_their_order():
    table = [["claim", "value"], ["agc.theorem1.survivors.printed", "0.5"]]
    assert columns(table, width=24) == [
        "claim              value",
        "agc.theorem1       0.5",
        ".survivors",
        ".printed",
    ]
    assert columns(table, width=5) == columns(table, width=17), "numbers and words stay whole"
    wide = [["a", "bb", "ccc"], ["1", "2", "3"]]
    assert fitting(wide, 7, ["ccc", "a"]) == ([["a", "bb"], ["1", "2"]], ["ccc"])
    assert fitting(wide, 2, ["ccc", "a"]) == ([["bb"], ["2"]], ["ccc", "a"])
    assert fitting(wide, None, ["ccc", "a"]) == (wide, [])


def test_one_number_of_all_points(rows):
    lines = report.pivot(rows, "error.mean", "code.d").splitlines()
    assert lines[0].split() == ["error.mean", "code.d=1", "code.d=2", "code.d=3"]
    values = {
        (row["experiment"], row["point"]["stragglers"]["model"], row["point"]["code.d"]): row
        for row in rows
        if (row["quantity"], row["statistic"], row["method"]) == ("error", "mean", "exact")
    }
    shown = {
        (line.split()[0], line.split("stragglers=")[1].split("(")[0]): line for line in lines[1:5]
    }
    for (code, model), line in shown.items():
        cells = line.split(")", 1)[1].split()
        expected = [values[code, model, d]["value"] for d in (1, 2, 3)]
        assert cells == [report.number(value) for value in expected]
    assert len(shown) == 4 and lines[-1] == "exact; intervals: fastgc show --rows"
    narrow = report.pivot(rows, "error.mean", "stragglers", 66).splitlines()
    assert max(map(len, narrow)) <= 66 and "p_straggle_after_straggle=0.6)" in "".join(narrow)


@pytest.mark.parametrize(
    ("what", "across", "said"),
    [
        ("eror", None, "pivot: 'eror' was not measured; did you mean 'error'?"),
        ("", None, "pivot: '' was not measured; there is error, exact, survivors"),
        ("mean", None, "pivot: 'mean' was not measured; write error.mean"),
        ("error.men", None, "pivot: error has no men; did you mean 'mean'?"),
        ("survivors", None, "survivors has the indices 0 to 6; say which, like survivors[6].mean"),
        ("survivors[9]", None, "survivors has the indices 0 to 6"),
        ("error[1]", None, "pivot: error has no index; say which"),
        ("error", "code.n", "across: 'code.n' is not swept; did you mean 'code.d'?"),
    ],
)
def test_what_cannot_be_a_table_is_said(rows, what, across, said):
    assert said in refusal(report.pivot, rows, what, across)


@pytest.mark.night
def test_the_commands_fit_the_terminal(tmp_path, command, monkeypatch):
    kept = tmp_path / "a.h5"
    fastgc.run(STUDY, trials=500, out=kept)
    long = command("show", kept, "--rows")[1]
    assert max(map(len, long.splitlines())) > 70, "no terminal: lines stay whole"
    monkeypatch.setenv("COLUMNS", "70")
    shows = ["show", kept], ["show", kept, "--rows"], ["show", kept, "--pivot", "error.mean"]
    others = "inspect cyclic n=7 d=3", "help theory agc", "help studies", "validate --list agc"
    for arguments in (*shows, *map(str.split, others)):
        code, out, err = command(*arguments)
        assert (code, err if arguments[0] != "inspect" else "") == (0, "")
        assert max(map(len, out.splitlines())) <= 70, arguments
    code, out, _ = command("validate", "agc.theorem1", "--method", "exact")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    assert ".printed" in out
    pivots = "--pivot error --json", "--pivot error --rows", "--pivot error --csv --latex"
    for wrong in map(str.split, (*pivots, "--json --csv")):
        code, out, err = command("show", kept, *wrong)
        assert (code, out) == (2, "") and any(each in err for each in wrong)


STREAMED = {
    "title": "Two probabilities",
    "experiment": [
        groups(8, method="auto", sweep={"stragglers.p": [0.1, 0.2]}),
        ring(8, 0.1, method="auto"),
    ],
}


@pytest.mark.parametrize("every", [False, True])
def test_parts_make_the_whole_table(every):
    said = []
    with report.StreamedTable(said.append, every=every) as table:
        table.title = "Two probabilities"
        result = fastgc.run(STREAMED, found=table.add)
    assert report.results([]) == "no results yet"
    assert len(said) == 3 + every, "points or experiments, and what stands below"
    assert "\n".join(said) == report.results(result.rows(), result.title, every=every)
