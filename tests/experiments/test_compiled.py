"""A point is compiled once, whatever is asked of it, and once in every process."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import fastgc
from fastgc.codes.binary import FractionalRepetition
from fastgc.runs.plan import Plan
from fastgc.study.study import Study
from suite.studies import descent

DEADLINE = {
    "model": "deadline",
    "deadline": 1.5,
    "work": 6,
    "latency": {"distribution": "exponential", "mean": 1.0},
}
CODE = {"family": "frc", "n": 6, "d": 2}
DECODING = {"code": CODE, "stragglers": DEADLINE, "decoder": "one-step"}
TRAINING = descent(6, 12, 2, 2) | {"measure": ["time", "loss"]}
TRAINING |= {"latency": {"distribution": "exponential", "mean": 1.0}}


@pytest.fixture
def built(monkeypatch):
    found = []
    build = FractionalRepetition.build

    def counted(code):
        found.append(code)
        return build(code)

    monkeypatch.setattr(FractionalRepetition, "build", counted)
    return found


@pytest.mark.parametrize(
    ("table", "method"), [(DECODING, "both"), (DECODING, "monte-carlo"), (TRAINING, "monte-carlo")]
)
def test_a_run_builds_the_code_of_a_point_once(built, table, method, tmp_path):
    fastgc.run(table, trials=1000, method=method, out=tmp_path / "out.h5")
    assert len(built) == 1


@pytest.mark.parametrize("table", [DECODING, TRAINING])
def test_threads_that_begin_together_share_the_parts(built, table):
    [unit] = Plan.of(Study.parse(table | {"method": "monte-carlo"})).units
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda number: unit.run([number % 2], 128), range(8)))
    assert len(built) == 1
    assert len({run.digests.tobytes() for run in runs}) == 2


@pytest.mark.parametrize("table", [DECODING, TRAINING])
def test_a_unit_that_is_sent_again_finds_its_points_compiled(built, table):
    [unit] = Plan.of(Study.parse(table | {"method": "monte-carlo"})).units
    first = unit.run([0], 64)
    sent = [pickle.dumps(unit), pickle.dumps(unit)]
    built.clear()
    for text in sent:
        there = pickle.loads(text)
        assert (there.run([0], 64).digests == first.digests).all()
        assert there.key == unit.key
    assert len(built) == 1


def test_units_that_differ_in_their_codes_are_distinguished():
    cells = []
    for d in (2, 3):
        table = DECODING | {"code": CODE | {"d": d}, "method": "monte-carlo", "name": "same"}
        study = Study.parse({"common_random_numbers": True, "experiment": [table]})
        [unit] = Plan.of(study).units
        there = pickle.loads(pickle.dumps(unit))
        assert there.key == 'common [[["error"], [], []]]'
        cells.append(there.run([0], 64).digests.tobytes())
    assert cells[0] != cells[1]
