"""Gradients of the user's own, by any code."""

import multiprocessing
import re
import sys

import numpy as np
import pytest

import fastgc
from conftest import ran
from fastgc.measuring import measurement, plans
from fastgc.report import handbook
from fastgc.systems import bounded_wait
from handbook.running import Reader, blocks
from suite.checks import refusal
from twins.virtual import Virtual

RNG = np.random.default_rng(1)
PARTS = [(RNG.standard_normal((5, 3)), RNG.standard_normal(5)) for _ in range(4)]


DESCENT = {"method": "gradient-descent", "step": 0.01}


def slope(w, part):
    X, y = part
    return X.T @ (X @ w - y)


def virtual(*parts):
    return Virtual(*parts, own=lambda worker, number: 1.0 + worker)


def run(code, carrier=virtual, gradient=slope, parameters=None, partitions=PARTS, out=None, **how):
    start = np.zeros(3) if parameters is None else parameters
    how = {"code": code, "rounds": 3} | how
    if carrier is None:
        return fastgc.measure(how, gradient=gradient, parameters=start, partitions=partitions)
    return measurement.run(
        plans.from_function(how, gradient, start, partitions), out=out, carrier=carrier
    )


@pytest.mark.parametrize(("code", "time"), [
    ({"family": "frc", "n": 4, "d": 2}, 3.0),
    (fastgc.codes.cyclic(n=4, d=3), 2.0),
    (fastgc.codes.uncoded(n=4), 4.0),
    (np.ones((4, 2)), 2.0),
])  # fmt: skip
def test_the_sum_over_all_partitions_is_decoded(code, time):
    found = run(code)
    assert max(row["error"] for row in found.rounds) < 1e-24
    assert found.measured.tolist() == [time] * 3


def test_parameters_move_by_the_optimizer():
    found = run(fastgc.codes.uncoded(n=4), optimizer=DESCENT)
    w = np.zeros(3)
    for _ in range(3):
        w = w - 0.01 * sum(slope(w, part) for part in PARTS)
    assert found.arrays["theta"] == pytest.approx(w, abs=1e-12)


@pytest.mark.parametrize(
    "system", [bounded_wait(n=4, k=2), {"family": "bounded-wait", "n": 4, "k": 2}]
)
def test_another_system_waits_for_others(system):
    found = run(fastgc.codes.uncoded(n=4), system=system)
    assert found.measured.tolist() == [2.0] * 3
    assert [row["late"] for row in found.rounds] == [[2, 3]] * 3


def test_what_does_not_fit_is_refused():
    assert "partitions: frc(n=6, d=2) has 6 (got 4)" in refusal(run, fastgc.codes.frc(n=6, d=2))
    assert "must be a dict with a code" in refusal(fastgc.measure, "agc/fig1", gradient=slope)
    assert "goes with parameters" in refusal(fastgc.measure, {}, gradient=slope)
    assert "goes with parameters" in refusal(fastgc.measure, {}, partitions=PARTS)
    for keys, said in (
        ({"inject": "sleep"}, "needs a study"),
        ({"system": bounded_wait(n=3, k=2)}, "has 3 workers"),
        ({"system": "uncoded"}, "must be a table, or of fastgc.systems (got str)"),
        ({"system": {"family": "uncodet"}}, "system: unknown family 'uncodet'"),
        ({"optimizer": {"method": "sgdd"}}, "optimizer.method: unknown method 'sgdd'"),
    ):
        assert said in refusal(run, np.eye(4), **keys)
    for returned in (np.ones(1), np.ones((2, 3)), 1j * np.ones(3)):
        said = refusal(run, np.eye(4), gradient=lambda w, part, own=returned: own)
        got = f"(got {returned.dtype}, {returned.shape})"
        assert f"must return real numbers of shape (3,), as parameters are {got}" in said


KEPT = np.zeros(3)


def thrifty(w, part):
    KEPT[:] = slope(w, part)
    w += 1.0
    return KEPT


def test_a_gradient_may_reuse_memory_and_change_what_it_is_given():
    found = run(fastgc.codes.frc(n=4, d=2), gradient=thrifty, optimizer=DESCENT)
    whole = run(fastgc.codes.frc(n=4, d=2), optimizer=DESCENT)
    assert max(row["error"] for row in found.rounds) < 1e-24
    assert found.arrays["theta"] == pytest.approx(whole.arrays["theta"], abs=1e-12)


def unknown(w, part):
    return np.full(3, np.nan)


def test_gradients_that_are_no_numbers_are_shown_as_unknown(tmp_path):
    found = run(np.eye(4), gradient=unknown, out=tmp_path / "m.h5")
    assert [row["error"] for row in found.rounds] == [None] * 3
    assert "in 3 of 3 exact rounds results are no numbers" in found.verdicts[-1]["sentence"]
    assert fastgc.open(tmp_path / "m.h5").rounds == found.rounds


def only_here(w, part):
    if multiprocessing.parent_process() is not None:
        raise RuntimeError("no licence on this worker")
    return np.ones(3)


def test_a_mistake_at_the_workers_is_told(capfd):
    sentence = refusal(run, np.eye(4), gradient=only_here, carrier=None)
    assert re.search(
        r"gradient: raised RuntimeError: no licence on this worker \(test_own_gradient\.py, line "
        r"\d+\), at process\d$",
        sentence,
    )
    assert "Traceback" not in capfd.readouterr().err


PROMPT = """
import numpy as np, fastgc
def own(w, part):
    return w
try:
    fastgc.measure({"code": np.eye(1)}, gradient=own, parameters=np.ones(1), partitions=[1])
except fastgc.FastgcError as problem:
    print(problem)
"""


@pytest.mark.night
def test_functions_of_a_notebook_are_refused_at_once():
    done = ran(sys.executable, "-c", PROMPT)
    assert "is defined in a notebook or at a prompt" in done.stdout
    assert done.stderr == ""


class Stuck:
    def __reduce__(self):
        raise RuntimeError("no copies of this")


def test_what_cannot_be_sent_is_refused():
    sentence = refusal(run, np.eye(4), gradient=lambda w, part: slope(w, part), carrier=None)
    assert "cannot be sent to workers" in sentence
    sentence = refusal(run, np.eye(4), partitions=[Stuck()] * 4, carrier=None)
    assert "(no copies of this)" in sentence and "partitions that can be pickled" in sentence


def wrong_at_workers(w, part):
    off = 0.01 * (multiprocessing.parent_process() is not None)
    return slope(w, part) + off


def test_without_a_loss_the_gradients_are_judged():
    step = {"optimizer": DESCENT}
    verdicts = {each["comparison"]: each["verdict"] for each in run(np.eye(4), **step).verdicts}
    assert verdicts["learning"] == "held"
    found = run(np.eye(4), gradient=wrong_at_workers, carrier=None, **step).verdicts[-1]
    assert (found["comparison"], found["verdict"]) == ("learning", "did not hold")


@pytest.mark.night
def test_a_network_of_pytorch(tmp_path, command, tools):
    pytest.importorskip("torch", reason="PyTorch is missing, which the extra `torch` brings")
    [page] = [page for page in handbook.pages() if page.topic == "measure"]
    own = [block for block in blocks(page.text) if block.heading == "PyTorch"]
    reader = Reader(tmp_path, command, tools)
    for block in own:
        reader.follow(block)
    assert [block.language for block in own] == ["python", "sh", "text"]
