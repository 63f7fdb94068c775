"""Rows that are handed out while a run goes on."""

import pytest

import fastgc

CODE = {"family": "frc", "n": 8, "d": 2}


def study(**more):
    swept = {
        "name": "frc",
        "code": CODE,
        "stragglers": {"model": "iid", "p": 0.1},
        "sweep": {"stragglers.p": [0.1, 0.2, 0.3]},
    }
    ring = {
        "name": "ring",
        "code": {"family": "circulant", "n": 8, "d": 2},
        "stragglers": {"model": "iid", "p": 0.1},
    }
    return {"stop": {"trials": 200_000}, "experiment": [swept, ring]} | more


def place(row):
    return row["experiment"], str(row["point"])


@pytest.mark.parametrize("method", ["exact", "monte-carlo", "both"])
@pytest.mark.parametrize("threads", [1, 2])
def test_all_rows_come_once_in_the_result_s_order(method, threads):
    calls = []
    result = fastgc.run(study(), method=method, threads=threads, found=calls.append)
    assert [row for rows in calls for row in rows] == result.rows()
    # a call a point, each with all of its methods
    assert [{place(row) for row in rows} for rows in calls] == [
        {each} for each in dict.fromkeys(place(row) for row in result.rows())
    ]


@pytest.mark.night
def test_a_point_s_rows_come_before_the_next_is_sampled():
    seen = []

    def show(progress):
        seen.append(("sampling", progress.name, progress.trials))

    fastgc.run(
        study(stop={"trials": 20_000_000}),
        method="monte-carlo",
        threads=1,
        progress=show,
        found=lambda rows: seen.append(("found", place(rows[0]))),
    )
    kinds = [kind for kind, *_ in seen]
    assert kinds.count("found") == 4
    # sampling goes on after the first point was reported
    first = kinds.index("found")
    trials = [event[2] for event in seen[first:] if event[0] == "sampling"]
    assert trials[-1] == 80_000_000 > trials[0], seen


def test_points_on_common_draws_and_their_ratios_come_together():
    calls = []
    given = study(common_random_numbers=True, ratio=[["ring", "frc"]])
    given["experiment"][0].pop("sweep")
    result = fastgc.run(given, found=calls.append)
    assert [row for rows in calls for row in rows] == result.rows()
    assert {row["experiment"] for row in calls[-1]} == {"frc", "ring", "ring/frc"}
    assert len(calls) == 1


def test_ratios_come_after_all_points():
    calls = []
    given = study(common_random_numbers=True, ratio=[["ring", "frc"]])
    given["experiment"][0].pop("sweep")
    result = fastgc.run(given, method="exact", found=calls.append)
    assert [row for rows in calls for row in rows] == result.rows()
    assert [{row["experiment"] for row in rows} for rows in calls] == [
        {"frc"},
        {"ring"},
        {"ring/frc"},
    ]


def test_a_run_that_is_stopped_hands_out_what_it_has():
    calls = []
    result = fastgc.run(
        study(stop={"trials": 10**12}),
        method="monte-carlo",
        found=calls.append,
        interrupted=lambda: "asked",
    )
    assert not result.complete
    rows = [row for rows in calls for row in rows]
    assert rows == result.rows()
    assert any(row["trials"] for row in rows)


def test_a_file_that_has_enough_hands_out_everything(tmp_path):
    first = fastgc.run(study(), method="both", out=tmp_path / "r.h5")
    calls = []
    fastgc.run(study(), method="both", out=tmp_path / "r.h5", found=calls.append)
    assert [row for rows in calls for row in rows] == first.rows()
