"""`design` with codes over several rounds: per job, beside a round of the other systems."""

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from suite.recordings import written
from twins.sequences import sequence

SLOW = {"distribution": "deterministic", "value": 5.0}
FAST = {"distribution": "deterministic", "value": 1.0}
SPELLS = {"distribution": "bimodal", "p_slow": 0.2, "p_slow_after_slow": 0.6}
SPELLS |= {"fast": FAST, "slow": SLOW}
EITHER = ["sr-sgc", "m-sgc"]


def own(found):
    return [choice for choice in found if choice.system["family"] in EITHER]


def experiment(table, system):
    """The same system as an experiment of kind sequence."""
    jobs = table["sequence"]
    return {
        "kind": "sequence",
        "system": dict(system),
        "jobs": jobs["jobs"],
        "patience": jobs.get("patience", {}),
        "latency": table["latency"],
        "work": table.get("work", 1.0),
        "measure": ["seconds_per_job", "load"],
    }


@pytest.mark.parametrize("then", ["all", "enough"])
def test_a_recording_is_played_from_each_of_its_rows(tmp_path, then):
    rng = np.random.default_rng(3)
    times = np.round(1 + rng.random((120, 4)) + 6 * (rng.random((120, 4)) < 0.08), 3)
    law = {
        "distribution": "empirical",
        "file": str(written(times, tmp_path / "t.csv")),
        "order": "replay",
    }
    jobs = {"jobs": 5, "patience": {"factor": 0.5, "then": then}, "window": 3}
    table = {"workers": 4, "work": 4, "schemes": ["uncoded", *EITHER], "latency": law}
    table |= {"sequence": jobs}
    found = fastgc.design(table)
    assert {c.system["family"] for c in own(found)} == set(EITHER)
    for choice in own(found):
        system = choice.system
        wanted = fastgc.run(experiment(table, system), method="exact")["experiment1"]
        assert choice.value == pytest.approx(wanted["seconds_per_job"].mean.value, rel=1e-12)
        assert choice.load == pytest.approx(wanted["load"].mean.value, rel=1e-12)
        assert choice.low < choice.value < choice.high
        # and by the twin, with messages and seconds of work
        code = system["family"], *(system[key] for key in ("burst", "window", "distinct"))
        rounds = 5 + (system["burst"] + (system["window"] - 2) * (system["family"] == "m-sgc"))
        total = np.zeros(3)
        for start in range(120):
            rows = 4 * choice.load * times[(start + np.arange(rounds)) % 120]
            seconds = np.array(sequence(code, 5, rows.tolist(), 0.5, then)[0])
            heard = (rows <= seconds[:, np.newaxis]).sum()
            worked = np.minimum(rows, seconds[:, np.newaxis]).sum()
            total += np.array([seconds.sum(), heard, worked]) / (5 * 120)
        assert [choice.value, choice.messages, choice.worked] == pytest.approx(total, rel=1e-12)
    assert any("of 5 in turn" in note for note in found.notes)
    # replayed rows also where the study says that rows are drawn: all are ranked on the same ones
    drawn = fastgc.design(table | {"latency": law | {"order": "rows"}})
    assert [c.value for c in own(drawn)] == pytest.approx([c.value for c in own(found)])


def test_spells_of_slow_times_are_those_of_markov_stragglers():
    """A bimodal law with memory against all patterns of slow workers, exactly."""
    table = {
        "workers": 2,
        "schemes": ["uncoded", "m-sgc"],
        "sequence": {"jobs": 3, "window": 2},
        "latency": SPELLS,
        "trials": 16_384,
    }
    found = fastgc.design(table)
    choices = own(found)
    assert choices and found[0].gain is not None
    for choice in choices:
        chain = {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.6}
        times = {"ok": choice.load, "straggle": 5 * choice.load}
        exact = experiment(table, choice.system) | {"stragglers": chain, "times": times}
        del exact["latency"], exact["work"]
        wanted = fastgc.run(exact, method="exact")["experiment1"]["seconds_per_job"].mean.value
        error = (choice.high - choice.low) / (2 * 1.96)
        assert abs(choice.value - wanted) < 4 * error
        # without memory the number is another one
        iid = exact | {"stragglers": {"model": "iid", "p": 0.2}}
        other = fastgc.run(iid, method="exact")["experiment1"]["seconds_per_job"].mean.value
        assert abs(other - wanted) > 6 * error
    uncoded = next(c for c in found if c.system["family"] == "uncoded")
    assert uncoded.value == pytest.approx((5 - 4 * 0.8**2) / 2, rel=1e-9)  # a round has no memory


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"goal": "quantile(0.9)"}, r'sequence: needs goal "mean"'),
        ({"port": {"receive": 0.1}}, r"sequence: needs port\.receive = 0"),
        ({"between_rounds": "finish"}, r'sequence: needs between_rounds = "cancel"'),
        ({"sequence": {"jobs": 9, "patience": {"then": "never"}}}, r"else jobs are lost"),
        ({"sequence": {"jobs": 100_000}, "workers": 64}, r"jobs: must be at most 327"),
        ({"sequence": None}, r"sequence: missing; scheme 'm-sgc' needs it"),
        ({"schemes": ["uncoded"]}, r"sequence: belongs to sr-sgc or m-sgc|m-sgc or sr-sgc"),
    ],
)
def test_mistakes_are_said(keys, sentence):
    table = {"workers": 4, "schemes": ["m-sgc"], "sequence": {"jobs": 9}, "latency": SPELLS}
    table |= keys
    table = {key: value for key, value in table.items() if value is not None}
    with pytest.raises(FastgcError, match=sentence):
        fastgc.design(table)


def test_a_recording_that_is_too_short_leaves_them_out(tmp_path):
    file = str(written(1 + np.random.default_rng(2).random((60, 3)), tmp_path / "t.csv"))
    law = {"distribution": "empirical", "file": file, "order": "replay"}
    table = {"workers": 3, "schemes": ["uncoded", "m-sgc"], "latency": law}
    found = fastgc.design(table | {"sequence": {"jobs": 20}})
    assert not own(found)
    assert any("too long for this recording" in note for note in found.notes)
