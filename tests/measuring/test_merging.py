"""Measurements of one cluster made one, and what does not go together."""

import json

import numpy as np
import pytest

import fastgc
from fastgc.measuring.faults import Faults
from fastgc.measuring.measurement import measure
from fastgc.measuring.merging import merge
from suite.checks import refusal
from twins.virtual import Virtual, stopping

STUDY = {
    "kind": "completion",
    "system": {"family": "bounded-wait", "n": 4, "k": 3},
    "latency": {"distribution": "exponential", "shift": 0.5, "mean": 1.0},
    "measure": {"problem": {"model": "linear", "samples": 24, "features": 2}, "rounds": 30},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("merged")

    def run(name, study=STUDY, **more):
        measure(study, carrier=Virtual, out=folder / name, **more)
        return folder / name

    run("a.h5")
    run("b.h5", seed=2, rounds=25, faults=Faults(kill=[(1, 20)]))
    run("c.h5", seed=3)
    run("other.h5", STUDY | {"system": STUDY["system"] | {"k": 2}}, seed=4)
    run("slow.h5", STUDY | {"latency": {"distribution": "exponential", "mean": 1.0}}, seed=4)
    run("cancel.h5", seed=4, between_rounds="cancel")
    return folder


@pytest.mark.night
def test_rounds_stand_one_after_the_other_and_are_judged_anew(files, tmp_path):
    own = [fastgc.open(files / name) for name in ("a.h5", "b.h5", "c.h5")]
    merge([files / "a.h5", files / "b.h5"], tmp_path / "ab.h5")
    found = merge([tmp_path / "ab.h5", files / "c.h5"], tmp_path / "abc.h5")
    assert found.measured.tolist() == [time for each in own for time in each.measured]
    assert found.sizes == [30, 25, 30]
    assert len(found.arrays["loss"]) == 85 + 3
    assert found.facts["lost"] == [[50, *rest] for _, *rest in own[1].facts["lost"]]
    assert [part["file"] for part in found.facts["parts"]] == ["a.h5", "b.h5", "c.h5"]
    made = [part["provenance"] for part in found.facts["parts"]]
    assert made == [each.facts["provenance"] for each in own]
    structure, law, learning = found.verdicts
    assert structure["facts"]["rounds"] == 85
    assert law["facts"]["rounds"] == 80  # without those after the kill
    mean = np.concatenate([each.recording for each in own])
    assert law["facts"]["mean"] == pytest.approx(mean[np.isfinite(mean).all(axis=1)].mean())
    assert learning["verdict"] == "held"
    assert learning["facts"]["largest_difference"] < 1e-12


@pytest.mark.night
def test_a_merged_file_is_read_as_any_other(files, tmp_path, command):
    out = tmp_path / "ab.h5"
    code, text, _ = command("merge", files / "a.h5", files / "b.h5", "-o", out)
    assert code == 0
    assert command("show", out)[1] == text
    assert len(json.loads(command("show", out, "--json")[1])) == 55
    assert fastgc.traces.show(out).times.shape == (50, 4)


@pytest.mark.night
def test_a_wrong_gradient_in_any_part_is_found(files, tmp_path):
    class Wrong(Virtual):
        def wait(self, seconds):
            events = super().wait(seconds)
            for event in events:
                if event.round == 7 and event.values is not None:
                    event.values[:] = 1.5 * event.values
            return events

    measure(STUDY, carrier=Wrong, seed=9, out=tmp_path / "w.h5")
    found = merge([tmp_path / "w.h5", files / "b.h5"], tmp_path / "wb.h5")
    assert found.verdicts[-1]["verdict"] == "did not hold"


@pytest.mark.night
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.h5", "a.h5"], "a.h5: has the measured times of "),
        (["a.h5", "again.h5"], "again.h5: has the injected times of "),
        (["a.h5", "other.h5"], "in its system"),
        (["a.h5", "slow.h5"], "in its experiment"),
        (["a.h5", "cancel.h5"], "in its between_rounds"),
        (["a.h5", "c.csv"], "is no measurement"),
    ],
)
def test_what_does_not_go_together_is_refused(files, tmp_path, names, said):
    if not (files / "again.h5").exists():
        late = lambda *parts: Virtual(*parts, lag=lambda worker, number: 0.1)  # noqa: E731
        measure(STUDY, carrier=late, out=files / "again.h5")
    out = tmp_path / "m.h5"
    assert said in refusal(merge, [files / name for name in names], out)
    assert not out.exists()


@pytest.mark.night
def test_rounds_of_a_part_are_not_taken_twice(files, tmp_path):
    merge([files / "a.h5", files / "b.h5"], tmp_path / "ab.h5")
    said = refusal(merge, [files / "c.h5", tmp_path / "ab.h5", files / "b.h5"], tmp_path / "m.h5")
    assert "b.h5: has the measured times of" in said
    assert "is there already" in refusal(merge, [files / "a.h5"], tmp_path / "ab.h5")


@pytest.mark.night
def test_a_stopped_measurement_is_no_part(files, tmp_path):
    own = {"carrier": Virtual, "out": tmp_path / "s.h5", "seed": 7}
    found = measure(STUDY, interrupted=stopping(20), **own)
    assert "is not complete" in refusal(merge, [files / "a.h5", found.path], tmp_path / "m.h5")
