"""Chunks that real workers send one by one: whose are counted, and what a lost worker costs."""

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.measuring.measurement import measure
from fastgc.measuring.rule import Rule
from fastgc.measuring.schemes import scheme_of
from fastgc.systems import partial
from fastgc.systems.timing.evaluator import Evaluator
from suite.checks import every
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


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (partial(n=4, d=2, copies=2), "with copies reports chunks"),
        (partial(n=4, d=2, deadline=1.0), "with a deadline stops waiting"),
    ],
)
def test_what_is_not_run_is_said(system, said):
    with pytest.raises(FastgcError, match=said):
        scheme_of(system, system.structure(), None)


def test_a_code_beside_chunks_is_refused(study):
    path = study(CHUNKS)
    path.write_text(path.read_text() + 'code = { family = "frc", n = 4, d = 2 }\n')
    with pytest.raises(FastgcError, match="code: must be left out with chunks"):
        fastgc.measure(path)
