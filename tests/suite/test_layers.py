"""A test that leaves something open fails itself."""

import subprocess
import sys
import threading
from typing import Any

import pytest

from suite.leaks import Before


def test_what_is_left_open_is_named(tmp_path) -> None:
    path = tmp_path / "left.txt"
    before = Before()
    with path.open("w"), pytest.raises(pytest.fail.Exception, match=r"the file .*left\.txt"):
        before.compare()
    before.compare()  # closed by now
    circle: list[Any] = [(tmp_path / "forgotten.txt").open("w")]
    circle.append(circle)  # so that only a look for garbage finds it
    del circle
    with pytest.raises(pytest.fail.Exception, match=r"unclosed file.*forgotten\.txt"):
        before.compare()


def test_threads_and_processes_have_a_moment_to_end(monkeypatch) -> None:
    before, ended = Before(), threading.Event()
    thread = threading.Thread(target=ended.wait, name="left", daemon=True)
    thread.start()
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setattr("suite.leaks.PATIENCE", 0.0)
    with pytest.raises(pytest.fail.Exception, match="the thread left, the process"):
        before.compare()
    ended.set()
    process.communicate()
    monkeypatch.setattr("suite.leaks.PATIENCE", 2.0)
    before.compare()


def test_what_a_fixture_of_many_tests_opens_is_meant(tmp_path) -> None:
    before, earlier = Before(), Before()
    with (tmp_path / "kept.txt").open("w"):
        before.allow(earlier)
        before.compare()
        with (tmp_path / "left.txt").open("w"), pytest.raises(pytest.fail.Exception, match="left"):
            before.compare()
