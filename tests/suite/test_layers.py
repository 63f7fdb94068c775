"""Tests of the night are left out by day, and a test that leaves something open fails itself."""

import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import is_whole_day, pytest_collection_modifyitems
from suite.leaks import Before


def test_tests_of_the_night_are_left_out_unless_asked_for() -> None:
    for asked, left in ((False, ["a", "c"]), (True, ["a", "b", "c"])):
        gone: list[Any] = []
        hook = SimpleNamespace(pytest_deselected=lambda items, gone=gone: gone.extend(items))
        config: Any = SimpleNamespace(getoption=lambda name, asked=asked: asked, hook=hook)
        items: list[Any] = [
            SimpleNamespace(name=name, get_closest_marker={"night": marker}.get)
            for name, marker in (("a", None), ("b", "night"), ("c", None))
        ]
        pytest_collection_modifyitems(config, items)
        assert [each.name for each in items] == left and len(gone) + len(items) == 3


def test_kernels_are_compiled_before_a_run_of_the_whole_day() -> None:
    for args, everything, whole in (
        (["tests"], False, True),
        (["tests"], True, False),
        (["tests/suite"], False, False),
    ):
        ini = {"testpaths": ["tests"]}.get
        asked = SimpleNamespace(args=args, getini=ini, getoption=lambda _, all=everything: all)
        assert is_whole_day(asked) == whole


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
