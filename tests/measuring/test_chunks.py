"""Parts of a gradient that real workers send: chunks, batches, blocks of its coordinates."""

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.measuring.chunks import in_parts
from fastgc.measuring.faults import Faults
from fastgc.measuring.measurement import measure
from fastgc.measuring.rule import Rule
from fastgc.systems import batches, block, partial, relays
from fastgc.systems.timing.evaluator import Evaluator
from suite.checks import every, refusal
from twins.virtual import Virtual

STUDY = """
[[experiment]]
kind = "completion"
system = { family = %s }
latency = { distribution = "exponential", mean = 0.004 }
[measure]
rounds = 6
"""
CHUNKS = '"partial", n = 4, d = 2'


@pytest.fixture
def study(tmp_path):
    def write(system):
        path = tmp_path / "s.toml"
        path.write_text(STUDY % system, encoding="utf-8")
        return path

    return write


def test_every_chunk_is_there_and_counted_once(study):
    found = fastgc.measure(study(CHUNKS))
    used = found.arrays["used"].reshape(-1, 4, 2) != 0
    assert (found.arrays["decoding_error"] < 1e-20).all()
    assert (found.arrays["gradient_error"] < 1e-20).all()
    for round_ in used:  # worker w does chunks w and w + 1; who sends the second has sent the first
        assert {(w + j) % 4 for w, j in zip(*np.nonzero(round_), strict=True)} == {0, 1, 2, 3}
        assert every(round_[w, 0] >= round_[w, 1] for w in range(4))
    [learning] = [own for own in found.facts["comparisons"] if own["comparison"] == "learning"]
    assert learning["verdict"] == "held"


def test_rounds_last_as_long_as_the_simulation_says():
    table = {
        "kind": "completion",
        "system": {"family": "partial", "n": 5, "d": 3, "draws": "task"},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "measure": {"rounds": 30, "between_rounds": "cancel"},
    }
    found = measure(table, carrier=Virtual)
    system = partial(n=5, d=3, draws="task").structure()
    times = found.arrays["injected"].reshape(30, 5, 3).transpose(1, 2, 0)
    done = Evaluator(system).done(np.ascontiguousarray(times))
    assert found.measured == pytest.approx(done, rel=1e-9)


def test_a_lost_workers_chunks_are_anothers(command, study, tmp_path):
    out = tmp_path / "m.h5"
    code, text, _ = command("measure", study(CHUNKS), "--exact", "-o", out, "--kill", "1@2")
    assert code == 0
    assert "worker 1 was lost" in text and "chunks of 4 workers, one by one" in text
    assert "Learning held" in text


def test_rounds_are_over_with_the_last_chunk_that_is_missing():
    rule = Rule(partial(n=3, d=2))
    never = np.inf
    # worker 0 has done chunks 0 and 1, worker 2 its first one, number 2
    assert rule.over(np.array([1.0, 2.5, never, never, 2.0, never])) == 2.5
    assert rule.over(np.array([1.0, never, never, never, 2.0, never])) == never
    used = rule.used(np.array([1.0, 2.5, 9.0, never, 2.0, 3.0]), 2.5)
    assert used.tolist() == [True, True, False, False, True, False]


def test_products_in_layers_are_measured_and_shown(command, study):
    code, text, _ = command("measure", study('"hierarchical", n = 3, k = [1, 2]'))
    assert code == 0 and "workers' own seconds" in text


def test_copies_and_relays_are_refused():
    own = partial(n=4, d=2, copies=2)
    with pytest.raises(FastgcError, match="with copies reports chunks before it sends"):
        in_parts(own, own.structure(), None, None)
    system = relays(n=4, relays=2, s=1).settings()
    said = refusal(measure, quick(system), carrier=Virtual)
    assert "relays has nodes that compute nothing" in said and 'take "coded-reduce"' in said


def test_a_code_beside_chunks_is_refused(study):
    path = study(CHUNKS)
    path.write_text(path.read_text() + 'code = { family = "frc", n = 4, d = 2 }\n')
    with pytest.raises(FastgcError, match="code: must be left out with partial, which says"):
        fastgc.measure(path)


# ---- batches, blocks of coordinates, deadlines

BATCHES = {
    "cyclic": batches(n=5, d=2),
    "disjoint": batches(n=6, d=3, placement="disjoint"),
    "at random": batches(n=6, d=3, placement="random-batches", seed=2),
    "any": batches(n=6, d=3, placement="random"),
    "lists": batches(n=3, d=2, placement=[[0, 3], [1, 2], [2, 0]]),
    "until a deadline": batches(n=6, d=2, deadline=0.5),
    "chunks until a deadline": partial(n=4, d=2, deadline=0.5),
    "chunks of their own times until a deadline": partial(n=4, d=2, deadline=0.5, draws="task"),
}
BLOCKS = {
    "two": block(n=4, blocks=[0, 3, 0, 1]),
    "all": block(n=5, blocks=[2, 1, 1, 1, 1]),
    "one": block(n=4, blocks=[0, 0, 1, 0]),
}
PROBLEM = {"model": "logistic", "samples": 96, "features": 10}


def quick(system, rounds=40, scale=1.0, **how):
    law = {"distribution": "exponential", "shift": 0.5 * scale, "mean": scale}
    how = {"problem": PROBLEM, "rounds": rounds} | how
    return {"kind": "completion", "system": system, "latency": law, "measure": how}


@pytest.mark.night
@pytest.mark.parametrize("name", [*BATCHES, *BLOCKS])
def test_rounds_of_parts_are_those_of_the_simulation(name):
    system = (BATCHES | BLOCKS)[name]
    found = measure(quick(system.settings()), carrier=Virtual)
    n, structure = system.workers(), system.structure()
    parts = found.arrays["injected"].reshape(40, n, -1)
    times = parts[..., 0].T  # of the law
    if name in BLOCKS:
        assert parts[0, 0] == pytest.approx(
            parts[0, 0, 0] / structure.ends[0] * np.diff(structure.ends, prepend=0.0), rel=1e-12
        )
        times = times / structure.ends[0]
    elif "own times" in name:
        times = parts.transpose(1, 2, 0)
    simulated = Evaluator(structure).done(np.ascontiguousarray(times))
    assert found.measured == pytest.approx(simulated, abs=1e-9)
    assert found.predicted == pytest.approx(simulated, abs=1e-9)
    assert np.array_equal(found.arrays["used"], found.arrays["predicted_used"])
    verdicts = {each["comparison"]: each["verdict"] for each in found.verdicts}
    assert (verdicts["structure"], verdicts["learning"]) == ("held", "held")
    errors = np.array([row["error"] for row in found.rounds])
    whole = found.arrays["decoding_error"] < 1e-9
    assert (errors[whole] < 1e-24).all() and (errors[~whole] > 1e-6).all()
    assert whole.all() == ("deadline" not in name)


@pytest.mark.parametrize("name", ["cyclic", "at random", "until a deadline"])
def test_missing_chunks_are_counted(name):
    system = BATCHES[name]
    found = measure(
        quick(system.settings(), 6), carrier=Virtual, faults=Faults(kill=[(0, 2), (1, 2), (2, 2)])
    )
    held = system.held()
    for used, error in zip(found.arrays["used"] != 0, found.arrays["decoding_error"], strict=True):
        there = {chunk for own, came in zip(held, used, strict=True) if came for chunk in own}
        assert error == pytest.approx(len(system.sizes()) - len(there), abs=1e-9)


def test_a_block_survives_as_many_workers_as_it_is_coded_for():
    system = block(n=5, blocks=[0, 2, 0, 3, 0])  # of 10 coordinates 4 survive one, 6 three
    dead = Faults(kill=[(0, 2), (1, 4), (3, 4)])
    found = measure(quick(system.settings(), 7), carrier=Virtual, faults=dead)
    errors = np.array([row["error"] for row in found.rounds])
    assert (errors[:4] < 1e-24).all() and (errors[4:] > 1e-6).all()
    assert (found.arrays["decoding_error"][4:] > 0.1).all()
    g = np.abs(found.arrays["theta"])
    assert g.size == 10 and np.isinf(found.arrays["over"][4:]).all()


@pytest.mark.parametrize("system", [BATCHES["cyclic"], BATCHES["at random"], BLOCKS["all"]])
@pytest.mark.parametrize("between", ["drain", "cancel"])
def test_parts_on_processes(system, between):
    asked = quick(system.settings(), 8, scale=0.002, between_rounds=between)
    found = fastgc.measure(asked, faults=Faults(kill=[(1, 3)] if system.n > 5 else []))
    assert found.complete and max(row["error"] for row in found.rounds) < 1e-24
    assert [own["verdict"] for own in found.verdicts if own["comparison"] == "learning"] == ["held"]


def test_a_recording_of_blocks_is_that_of_a_load():
    system = BLOCKS["two"]
    found = measure(quick(system.settings()), carrier=Virtual)
    parts = found.arrays["injected"].reshape(40, 4, 2)
    work = 1 / found.arrays["share"][0, 0]  # as the page names it: a load of 1 is what was recorded
    assert found.recording * work * system.share() == pytest.approx(parts[..., 0] / 1.5, rel=1e-12)


def test_a_block_without_a_coordinate_is_refused():
    system = block(n=4, blocks=[1, 0, 0, 1000]).settings()
    said = refusal(measure, quick(system), carrier=Virtual)
    assert "of 10 coordinates a block with 0.001 of them has none; take a problem with more" in said
