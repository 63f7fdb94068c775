"""Rows that are handed out while a run goes on."""

import pytest

import fastgc
from suite.studies import groups, ring


def study(sweep=None, **more):
    swept = {"stragglers.p": [0.1, 0.2, 0.3]} if sweep is None else sweep
    experiments = [groups(8, 0.1, name="frc", sweep=swept), ring(8, 0.1)]
    return {"stop": {"trials": 200_000}, "experiment": experiments} | more


def place(row):
    return row["experiment"], str(row["point"])


def streamed(asked, interrupted=lambda: None, **options):
    """A run, and what it handed out, call by call, after all of it was seen to come once."""
    calls = []
    batch = fastgc.Batch(found=calls.append, interrupted=interrupted)
    result = fastgc.run(asked, batch=batch, **options)
    assert [row for rows in calls for row in rows] == result.rows()
    return result, calls


@pytest.mark.parametrize("method", ["exact", "monte-carlo", "both"])
@pytest.mark.parametrize("threads", [1, 2])
def test_all_rows_come_once_in_the_result_s_order(method, threads):
    result, calls = streamed(study(), method=method, threads=threads)
    # a call a point, each with all of its methods
    assert [{place(row) for row in rows} for rows in calls] == [
        {each} for each in dict.fromkeys(place(row) for row in result.rows())
    ]


@pytest.mark.night
def test_a_point_s_rows_come_before_the_next_is_sampled():
    seen = []
    fastgc.run(
        study(stop={"trials": 20_000_000}),
        method="monte-carlo",
        threads=1,
        batch=fastgc.Batch(
            progress=lambda step: seen.append(step.trials), found=lambda rows: seen.append("found")
        ),
    )
    assert seen.count("found") == 4
    # sampling goes on after the first point was reported
    trials = [each for each in seen[seen.index("found") :] if each != "found"]
    assert trials[-1] == 80_000_000 > trials[0], seen


@pytest.mark.parametrize(
    ("method", "together"),
    [
        (None, [{"frc", "ring", "ring/frc"}]),  # on common draws
        ("exact", [{"frc"}, {"ring"}, {"ring/frc"}]),
    ],
)
def test_ratios_come_with_or_after_their_points(method, together):
    asked = study(sweep={}, common_random_numbers=True, ratio=[["ring", "frc"]])
    _, calls = streamed(asked, method=method)
    assert [{row["experiment"] for row in rows} for rows in calls] == together


def test_runs_that_are_stopped_or_have_enough_hand_out_what_they_have(tmp_path):
    options = {"method": "monte-carlo", "interrupted": lambda: "asked"}
    result, _ = streamed(study(stop={"trials": 10**12}), **options)
    assert not result.complete and any(row["trials"] for row in result.rows())
    first = fastgc.run(study(), method="both", out=tmp_path / "r.h5")
    again, _ = streamed(study(), method="both", out=tmp_path / "r.h5")
    assert again.rows() == first.rows()
