"""Workers that are stages of pipelines: what is said of them, and what a recording says then."""

import numpy as np
import pytest

import fastgc
from fastgc.latency.stages import stages_said


def named(stages, ranks):
    return [f"pp{p}dp{d}" for p in range(stages) for d in range(ranks)]


@pytest.mark.parametrize("groups", ["pp{stage}dp{rank}", 4, "4"])
def test_stages_are_named_or_counted(groups):
    assert stages_said(groups, named(4, 2)) == {str(p): (2 * p, 2 * p + 1) for p in range(4)}


def test_names_may_come_in_any_order():
    found = stages_said("{rank}.{stage}", ["0.7", "1.3", "1.7", "0.3"])
    assert found == {"0": (3, 1), "1": (0, 2)}


@pytest.mark.parametrize(
    ("groups", "workers", "said"),
    [
        ("pp{stage}", None, "with {stage} and {rank} once each"),
        (0, None, "must be 1 stage or more"),
        ("3", None, "8 workers are not 3 stages"),
        ("p{stage}dp{rank}", None, "worker 'pp0dp0' is not called"),
        ("{stage}.{rank}", ["0.0", "0.1", "1.0"], "rank 1 has no worker for stage 1"),
        ("{stage}.{rank}", ["0.0", "0.00"], "are both stage 0 of rank 0"),
    ],
)
def test_what_is_wrong_is_said(groups, workers, said):
    with pytest.raises(fastgc.FastgcError) as wrong:
        stages_said(groups, workers or named(4, 2))
    assert said in str(wrong.value)


@pytest.mark.parametrize(("names", "doubted"), [(named(4, 2), True), (list("abcdefgh"), False)])
def test_what_waiting_costs_is_in_doubt_of_stages(names, doubted, tmp_path):
    path = tmp_path / "t.csv"
    times = np.random.default_rng(3).gamma(9.0, 1.0, (20, 8))
    np.savetxt(path, times, delimiter=",", header=",".join(names), comments="")
    found = fastgc.traces.show(path, lags=1)
    assert any("4 stages of pipelines" in each for each in found.warnings) == doubted
