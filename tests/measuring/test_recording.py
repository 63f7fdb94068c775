"""The file of a measurement as a recording, wherever a recording is read."""

import h5py
import numpy as np
import pytest

import fastgc
from fastgc.study.study import Study
from suite.checks import refusal
from twins import virtual
from twins.virtual import measured

SMALL = {"model": "linear", "samples": 24, "features": 2}
STUDY = virtual.STUDY | {"measure": {"problem": SMALL, "rounds": 60}}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return measured(STUDY, out=tmp_path_factory.mktemp("recorded") / "m.h5")


def simulated(file):
    law = {"distribution": "empirical", "file": str(file), "order": "replay"}
    return Study.parse(
        {"kind": "completion", "system": STUDY["system"], "work": 2.0, "latency": law}
    )


@pytest.mark.night
def test_it_is_the_recording_that_is_saved_beside_it(found, tmp_path):
    saved = found.save_recording(tmp_path / "r.csv")
    shown, same = (fastgc.traces.show(file) for file in (found.path, saved))
    assert shown.times.tolist() == same.times.tolist()
    assert shown.times == pytest.approx(found.recording, abs=1e-9)
    assert shown.workers == same.workers == tuple(found.workers)
    studies = [simulated(file) for file in (found.path, saved)]
    texts = [study.canonical(study.points()[0]) for study in studies]
    assert texts[0] == texts[1]


@pytest.mark.night
def test_fits_advice_and_designs_read_it(found, command):
    assert command("trace", "fit", found.path)[0] == 0
    assert "Verdict" in command("advise", found.path)[1]
    law = {"distribution": "empirical", "file": str(found.path), "order": "rows"}
    ranking = fastgc.design({"workers": 4, "latency": law})
    assert ranking[0].value > 0
    row = fastgc.run(simulated(found.path), trials=10)["experiment1"]["time"].mean
    times = np.sort(found.recording, axis=1)[:, 2]
    assert row.value == pytest.approx(times.mean(), rel=1e-6)


def test_rounds_that_not_all_have_finished_are_left_out(tmp_path):
    system = {"family": "bounded-wait", "n": 4, "k": 3}
    own = {"between_rounds": "cancel", "out": tmp_path / "m.h5"}
    lost = measured(STUDY | {"system": system}, **own)
    assert "no round has the times of all workers" in refusal(fastgc.traces.show, lost.path)


@pytest.mark.night
def test_other_files_are_refused_in_a_sentence(found, tmp_path):
    with h5py.File(tmp_path / "own.h5", "w") as file:
        file["rounds/own"] = np.ones((3, 2))
    fastgc.run(
        {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": {"model": "iid", "p": 0.1}},
        out=tmp_path / "run.h5",
    )
    for name in ("own.h5", "run.h5"):
        said = refusal(fastgc.traces.show, tmp_path / name)
        assert f"{name}: is no measurement; give a table, or what `fastgc measure -o` wrote" in said
    damaged = bytearray(found.path.read_bytes())
    damaged[-200] ^= 1
    (tmp_path / "damaged.h5").write_bytes(damaged)
    assert "is damaged" in refusal(fastgc.traces.show, tmp_path / "damaged.h5")
