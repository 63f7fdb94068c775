"""What all tests share: examples that never change, and the command as a user runs it."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies

# the matrices of the twins are small: threads of LAPACK only wait for each other on busy cores
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# tables are as wide as they are, whatever terminal the tests were started from
os.environ.pop("COLUMNS", None)
os.environ.pop("LINES", None)
# compiled kernels are those of this checkout: shared by all processes of the suite, and kept
os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".pytest_cache" / "kernels")
# as is bytecode where none may be written beside sources: some 300 processes need the same
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

from fastgc_kernels._jit import compile_at_once
from suite.checks import refuse_bare_approx
from suite.kernels import compile_for_the_day, compile_once
from suite.leaks import Before
from suite.waiting import HUNG, hears, until

# tests of kernels are to meet kernels; their fallbacks have tests of their own
compile_at_once()
compile_once()
refuse_bare_approx()

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-c", "from fastgc.cli.main import main; main()"]
#: The same, with checkpoints that come at once.
CHECKPOINTS = (
    "from fastgc.results import checkpointer as own;"
    "own.FIRST_CHECKPOINT = own.CHECKPOINT_SECONDS = 0.05;"
)
EARLY = [*COMMAND[:2], CHECKPOINTS + COMMAND[2]]

# the same examples in every run: a failure can be repeated, and no run fails by chance
hypothesis.settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, max_examples=60
)
hypothesis.settings.load_profile("fixed")


#: Where a run keeps what was open before the test that it is at.
BEFORE = pytest.StashKey[Before]()

#: Processes that run the whole suite side by side, at most: each loads kernels and compilers.
MOST_WORKERS = 8


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process a core for the whole suite; none beside this one for what is named."""
    if config.args != config.getini("testpaths"):
        return 0
    from fastgc.engine.executors.surroundings import available_cores

    return min(available_cores(), MOST_WORKERS)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs everything."""
    parser.addoption("--all", action="store_true", help="run the tests of the night, too")


def is_whole_day(config: pytest.Config) -> bool:
    """Whether this is a run of the whole day layer, and of nothing else."""
    return config.args == config.getini("testpaths") and not config.getoption("--all")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what the day needs before its tests run side by side."""
    if hasattr(session.config, "workerinput"):
        return
    if is_whole_day(session.config) and not session.config.option.collectonly:
        compile_for_the_day(session.config.get_terminal_writer().line)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of the night."""
    if config.getoption("--all"):
        return
    night = [item for item in items if item.get_closest_marker("night")]
    if night:
        config.hook.pytest_deselected(items=night)
        items[:] = [item for item in items if not item.get_closest_marker("night")]


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: that took a third of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on look for garbage, and not in what was collected."""
    strategies.text().validate()  # loads a table of all characters, which may take a second
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what is open before a test."""
    item.session.stash[BEFORE] = Before()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Iterator[None]:
    """Let a fixture of many tests stay open after the first of them."""
    if fixturedef.scope == "function":
        return (yield)
    earlier = Before()
    result = yield
    request.session.stash[BEFORE].allow(earlier)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail a test that leaves open what it opened."""
    result = yield
    item.session.stash[BEFORE].compare()
    return result


@pytest.fixture
def own_members() -> Iterator[None]:
    """Let a test register members of its own, which are gone after it."""
    from fastgc.registry.plugin_groups import REGISTRY

    with REGISTRY.restored():
        yield


def environment(**changes: str | None) -> dict[str, str]:
    """The environment in which the command of this tree runs; None removes a variable.

    The command keeps no log there unless it is asked to: what else it says can then be compared.
    """
    own = dict(os.environ) | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'kernels'}"}
    own["FASTGC_LOG"] = "none"
    for name, value in changes.items():
        own.pop(name, None)
        if value is not None:
            own[name] = value
    return own


def ran(*command: object, env: dict[str, str] | None = None, **how: Any) -> Any:
    """The finished process of a command, its output as text; ``how`` is as of subprocess.run."""
    how = {"timeout": HUNG, "check": False} | how
    words = list(map(str, command))
    return subprocess.run(words, env=env or environment(), capture_output=True, text=True, **how)


def missing(what: str) -> None:
    """Skip a test that needs what is not here, with a reason; fail it where nothing may be missing.

    CI installs everything and sets FASTGC_TEST_ALL, so that no part is skipped there in silence.
    """
    if os.environ.get("FASTGC_TEST_ALL"):
        pytest.fail(f"{what} is missing, and FASTGC_TEST_ALL is set: nothing may be skipped")
    pytest.skip(f"{what} is missing")


def program(name: str) -> str:
    """Path of another program that a test runs; see `missing` where it is not installed."""
    found = shutil.which(name)
    if found is None:
        missing(f"the program {name}")
    return str(found)


def listening(process: subprocess.Popen[str]) -> None:
    """Wait until a run that has no file answers signals: SIGUSR1 is one that only a run hears."""
    if not Path("/proc/self/status").exists():  # no Linux: it starts within a second or two
        time.sleep(5.0)
        return
    until(lambda: hears(process.pid, signal.SIGUSR1), "the run did not start")


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_is_heard():
    """Let Ctrl-C mean what it means at a prompt, for the tests and for all that they start.

    A shell that is not interactive makes what it runs in the background ignore it, and processes
    started from there inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    """The environment in which a shell finds fastgc, dask, mpiexec and python."""
    folder = tmp_path_factory.mktemp("bin")
    own = {"fastgc": COMMAND, "dask": [sys.executable, "-m", "dask"], "python": [sys.executable]}
    for name, command in own.items():
        words = " ".join(f"'{word}'" for word in command)
        (folder / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (folder / name).chmod(0o755)
    path = [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
    scratch = str(tmp_path_factory.mktemp("dask"))
    return environment(PATH=os.pathsep.join(path), DASK_TEMPORARY_DIRECTORY=scratch)


@pytest.fixture
def command(monkeypatch, capsys):
    """Run the command inside this process, without a log: (exit code, stdout, stderr)."""
    from fastgc.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["fastgc", *map(str, arguments)])
        if "FASTGC_LOG" not in os.environ:
            monkeypatch.setenv("FASTGC_LOG", "none")
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main.main()
        captured = capsys.readouterr()
        return caught.value.code, captured.out, captured.err

    return run


@pytest.fixture
def fastgc_command(tmp_path):
    """Run the command in an empty folder; returns the finished process, its output as text."""

    def run(*arguments, cwd=tmp_path, **how):
        return ran(*COMMAND, *arguments, cwd=cwd, **how)

    return run


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 128 trials, so that a run has many of them."""
    monkeypatch.setattr("fastgc.draws.streams.LARGEST_BLOCK", 128)


@pytest.fixture
def here(request, tmp_path, monkeypatch):
    """The working folder, empty but for the module's FILES, texts by their names."""
    for name, text in getattr(request.module, "FILES", {}).items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def fastgc_process(tmp_path):
    """Start the command in an empty folder, to be sent signals; ends it after the test."""
    started = []

    def start(*arguments, cwd=tmp_path, env=None):
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=cwd,
            env=env or environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
