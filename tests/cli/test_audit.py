"""The command ``fastgc show --audit``: what it prints, and its exit codes."""

import json

import pytest

import fastgc
from fastgc.results import store
from suite.studies import groups

STUDY = {"seed": 3, "experiment": [groups(sweep={"stragglers.p": [0.1, 0.2]})]}


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A file of two units with four blocks each, the last one partial."""
    path = tmp_path_factory.mktemp("kept") / "a.h5"
    fastgc.run(STUDY, trials=3 * 65_536 + 100, out=path)
    return path


@pytest.fixture
def forged(honest, tmp_path):
    path = tmp_path / "b.h5"
    stored = store.load(honest)
    stored.units[1].digests[2] = 5
    store.save(path, stored)
    return path


@pytest.mark.night
def test_an_honest_file(honest, command):
    code, out, err = command("show", honest, "--audit", "--seed", 8)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"{honest}: 2 of 8 blocks of 2 units sampled again (seed 8)"
    assert lines[3].split() == ["groups", "stragglers.p=0.2", "1", "4", "–", "0"]
    assert (
        "had one of these blocks been forged, this audit would have missed it with probability 0.75"
        " at most; `--audit 1` samples all blocks again and misses none" in lines
    )
    assert any(line.startswith("not checked: the sums of 2 units") for line in lines)
    assert lines[-1] == "nothing differs"
    code, out, err = command("show", honest, "--audit", 1)
    assert (code, err) == (0, "") and "not checked" not in out
    assert "with probability 0 at most\n" in out and out.count("compared") == 2


def test_a_forged_file(forged, command):
    code, out, err = command("show", forged, "--audit", 1)
    assert (code, err) == (1, "")
    assert out.splitlines()[-2:] == [
        "DIFFERS: groups stragglers.p=0.2, block 2 (trials 131072 to 196607): its digest is not "
        "what sampling again gives",
        "failed: 1 difference",
    ]
    code, out, _ = command("show", forged, "--audit", 1, "--seed", 4, "--json")
    found = json.loads(out)
    assert (code, found["missed"]) == (1, 0)
    assert found == json.loads(json.dumps(fastgc.runs.audit(forged, share=1, seed=4).as_dict()))
    [difference] = found["differences"]
    assert difference["points"] == [{"experiment": "groups", "point": {"stragglers.p": 0.2}}]


@pytest.mark.parametrize("wrong", [
    ("nothing.h5", "--audit"),
    ("{}", "--audit", 0),
    ("{}", "--audit", "--rows"),
    ("{}", "--audit", "--replay", 1),
    ("{}", "--audit", "--csv"),
    ("{}", "--seed", 1),
])  # fmt: skip
def test_mistakes(honest, command, wrong):
    code, out, err = command("show", *(str(word).format(honest) for word in wrong))
    assert (code, out) == (2, "") and len(err.splitlines()) == 1
