"""The day layer keeps itself quick, and a test that leaves something open fails itself."""

import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import is_whole_day, pytest_collection_modifyitems
from suite import layers
from suite.kernels import LOADING
from suite.layers import Watch, spent
from suite.leaks import Before

ITEM: Any = SimpleNamespace(nodeid="tests/a.py::test_a")


@pytest.fixture(autouse=True)
def _on_an_idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "slowness", lambda: 1.0)


def busy(seconds: float) -> None:
    """Take processor time."""
    until = spent() + seconds
    while spent() < until:
        pass


def test_a_call_that_takes_too_long_fails_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    said = pytest.raises(pytest.fail.Exception, match=r"tests/a\.py::test_a takes 0\.\d processor")
    with said, Watch(0.05).call(ITEM):
        busy(0.06)
    program = "import time\nwhile time.process_time() < 0.1: pass"
    with said, Watch(0.05).call(ITEM):  # what ended processes took counts
        subprocess.run([sys.executable, "-c", program], check=True)
    own = Watch(0.05)
    monkeypatch.setattr(layers, "slowness", lambda: 3.0)  # as where much else runs
    with own.call(ITEM):
        busy(0.1)
    with said, own.call(ITEM):
        busy(0.16)


def test_waiting_and_compiling_take_no_time_of_the_call() -> None:
    own = Watch(0.05)
    with own.call(ITEM):
        time.sleep(0.1)
    with own.call(ITEM):
        busy(0.06)
        own.compiling += 0.06
    with own.call(ITEM), LOADING.counted():
        busy(0.06)


def test_compiling_is_counted() -> None:
    import numba

    own = Watch(0.05)
    with own.call(ITEM):  # over a second of it
        assert numba.njit(lambda x: x + 1)(1) == 2
    assert own.compiling > 0.005


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


def test_only_a_run_of_the_whole_day_is_watched() -> None:
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
    with pytest.raises(pytest.fail.Exception, match=r"the thread left, the process .*input"):
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
