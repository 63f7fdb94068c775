"""Expressions that take too long are stopped, in the midst of a closed form too."""

import contextlib
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from fastgc.errors import FastgcError, StoppedError, StudyError
from fastgc.registry import toml
from fastgc.study.claims import read
from fastgc.study.expressions import expression as deadlines
from fastgc.study.expressions.expression import Deadline, Expression, Steps
from fastgc.theory import by_name
from suite.waiting import HUNG, hears, until

#: One step of arithmetic a term, and milliseconds each.
LONG = "sum(agc.not_accessed_variance(3000, 1500, 1500, .3, .5, .1) for i in range(100000))"
CLAIM = {
    "id": "mine.long",
    "statement": "an expression takes long",
    "theory": LONG,
    "quantity": "error",
    "experiment": {"code": {"family": "uncoded", "n": 1}, "stragglers": {"model": "iid", "p": 0.5}},
}


def evaluated(text: str, seconds: float, **asked) -> float:
    """Processor seconds until an expression is refused."""
    begun = time.thread_time()
    deadline = Deadline(seconds, **asked)
    with pytest.raises(FastgcError, match=r"takes too long: .* 0\.3 s of processor time"):
        Expression(text).value(steps=Steps(deadline=deadline))
    assert deadline.is_over
    return time.thread_time() - begun


@pytest.mark.night
def test_one_closed_form_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(n):
        while True:
            with contextlib.suppress(Exception):  # what stops it is no error that it could keep
                n += 1

    monkeypatch.setattr(by_name, "formula", lambda name: by_name.Formula(endless))
    assert 0.3 <= evaluated("agc.endless(1)", 0.3) < 2


@pytest.mark.night
def test_another_thread_looks_between_steps() -> None:
    took = []
    thread = threading.Thread(target=lambda: took.append(evaluated(LONG, 0.3)))
    thread.start()
    thread.join()
    assert 0.3 <= took[0] < 2


@pytest.mark.night
def test_expressions_share_the_time_and_waiting_takes_none() -> None:
    steps = Steps(deadline=Deadline(0.3))
    assert Expression("2 + 2").value(steps=steps) == 4
    end = time.thread_time() + 0.4
    while end > time.thread_time():  # between expressions no time is taken
        pass
    assert Expression("2 + 2").value(steps=steps) == 4
    assert not steps.deadline.is_over
    with pytest.raises(FastgcError):
        Expression(LONG).value(steps=steps)
    with pytest.raises(FastgcError, match="takes too long"):
        Expression("2 + 2").value(steps=steps)


@pytest.mark.night
def test_clock_and_handler_are_left_as_they_were() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    Expression("2 + 2").value()
    evaluated(LONG, 0.3)
    assert signal.getsignal(signal.SIGVTALRM) == before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


@pytest.mark.night
def test_a_file_names_the_expression_and_reads_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines.Deadline.__init__, "__defaults__", (0.3, lambda: None))
    claims = [CLAIM, CLAIM | {"id": "mine.other"}]
    with pytest.raises(StudyError) as caught:
        read.read({"claim": claims})
    [said] = caught.value.complaints
    assert "claim.mine.long.theory: takes too long" in said


def test_a_signal_is_heard_while_claims_are_read() -> None:
    with pytest.raises(StoppedError, match="stopped early by SIGTERM"):
        read.read({"claim": [CLAIM]}, lambda: "SIGTERM")


@pytest.mark.night
def test_the_command_hears_sigterm_while_claims_are_read(fastgc_process, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(toml.dumps({"claim": [CLAIM]}))
    process = fastgc_process("validate", "long.toml")
    if not Path("/proc/self/status").exists():
        pytest.skip("whether a signal is heard is asked of /proc")
    until(lambda: hears(process.pid, signal.SIGVTALRM), "no expression is evaluated")
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=HUNG)
    assert process.returncode == 75, said
    assert "stopped early by SIGTERM: nothing was measured yet" in said


def test_closed_forms_warn_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings are errors here, and NumPy warns of an overflow."""
    large = by_name.Formula(lambda: float(np.prod(np.full(9, 1e300))))
    monkeypatch.setattr(by_name, "formula", lambda name: large)
    assert by_name.call("agc.large") == float("inf")


def test_whole_arguments_are_bounded_as_floats_too() -> None:
    for number in ("10**5 + 1", "1e6"):
        with pytest.raises(FastgcError, match="has a whole argument above 100000"):
            Expression(f"agc.frc_mean_error({number}, 2, survivors=5)").value()
    assert Expression("agc.frc_mean_error(10**5, 2, survivors=50000)").value() > 0
