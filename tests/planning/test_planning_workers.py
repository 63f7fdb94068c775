"""`fastgc design` on any executor: the same ranking, to the last bit."""

import json
import multiprocessing
import pickle
import sys
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest

import fastgc
from fastgc import registry
from fastgc.draws import streams
from fastgc.engine import payloads
from fastgc.errors import FastgcError, StoppedError
from fastgc.registry import members, rooms
from suite.checks import every

SHIFTED = {"distribution": "exponential", "shift": 0.5, "mean": 1.0}
UNLIKE = [{"distribution": "gamma", "shape": 2.0, "scale": 1.0 + j / 4} for j in range(7)]
#: Exact values and sampled ones, by means and by ranks, of workers alike and unlike.
TABLES = {
    "all schemes": {
        "workers": 20,
        "latency": SHIFTED,
        "port": {"receive": 0.02},
        "layers": 3,
        "tasks": 30,
        "stragglers": 2,
        "computation": "linear",
    },
    "no port": {"workers": 12, "latency": {"distribution": "pareto", "shape": 0.7, "scale": 1.0}},
    "sampled": {
        "workers": 12,
        "schemes": ["replication", "hierarchical"],
        "latency": SHIFTED,
        "port": {"receive": 0.01},
        "layers": 2,
        "tasks": 12,
        "trials": 30_000,
    },
    "unlike": {"workers": 7, "latency": UNLIKE, "port": {"receive": 0.1}, "goal": "quantile(0.9)"},
}


class Sending(Executor):
    """Runs every task at once on what a pickle makes of it, as another process would."""

    def submit(self, task, /, *arguments):
        future = Future()
        try:
            future.set_result(pickle.loads(self.received(pickle.dumps((task, arguments)))))
        except Exception as problem:
            future.set_exception(problem)
        return future

    def received(self, sent):
        task, arguments = pickle.loads(sent)
        return pickle.dumps(task(*arguments))


@pytest.fixture
def known():
    """The rankings that one thread makes."""
    return {name: fastgc.design(table, threads=1) for name, table in TABLES.items()}


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 128 trials: those of one system are sampled side by side."""
    monkeypatch.setattr(streams, "LARGEST_BLOCK", 128)


@pytest.mark.night
def test_the_same_ranking_on_any_executor(known):
    assert known["sampled"][0].method == "monte-carlo"
    assert {c.method for ranking in known.values() for c in ranking} == {"exact", "monte-carlo"}
    with ThreadPoolExecutor(3) as own:
        for name, table in TABLES.items():
            assert fastgc.design(table, threads=2) == known[name]
            assert fastgc.design(table, executor=own) == known[name]
            assert fastgc.design(table, executor=Sending()) == known[name]
        assert own.submit(pow, 2, 2).result() == 4  # it is the user's, and left open


@pytest.mark.night
def test_the_same_ranking_from_blocks_of_any_size(known, small_blocks):
    for name in ("all schemes", "sampled"):
        assert fastgc.design(TABLES[name], threads=2) == known[name]


@pytest.mark.night
def test_rows_of_a_trace_on_any_executor(tmp_path):
    rows = np.random.default_rng(1).gamma(2.0, size=(40, 6)).round(3)
    text = "a,b,c,d,e,f\n" + "\n".join(",".join(map(str, row)) for row in rows)
    (tmp_path / "times.csv").write_text(text)
    for order in ("replay", "rows", "workers", "pooled"):
        (tmp_path / "design.toml").write_text(
            "[design]\nworkers = 6\nport = { receive = 0.05 }\ntrials = 5000\n"
            f'latency = {{ distribution = "empirical", file = "times.csv", order = "{order}" }}\n'
        )
        one = fastgc.design(tmp_path / "design.toml", threads=1)
        assert fastgc.design(tmp_path / "design.toml", executor=Sending()) == one


def test_the_exact_value_of_one_law_is_found_once(monkeypatch):
    from fastgc.planning.timed_system import TimedSystem

    asked = []
    exact = TimedSystem.exact

    def counted(self):
        asked.append((self.scenario.system.settings()["family"], self.scenario.load))
        return exact(self)

    monkeypatch.setattr(TimedSystem, "exact", counted)
    # without redundancy all of them are the same star; so are they with all of it
    schemes = ["uncoded", "gradient-code", "replication", "k-of-n"]
    found = fastgc.design(
        {"workers": 6, "schemes": schemes, "latency": {"distribution": "exponential", "mean": 1.0}},
        threads=2,
    )
    assert found.separated
    assert [other["family"] for other in found[0].also] == ["replication", "k-of-n"]
    loads = [load for family, load in asked if family in ("uncoded", "replication", "k-of-n")]
    assert len(asked) == len(set(asked)) and loads.count(1 / 6) == 1 and 1.0 not in loads


# ---- interruptions


@pytest.mark.parametrize("more", [{"threads": 1}, {"threads": 2}, {"executor": Sending()}])
@pytest.mark.parametrize("asked", [1, 2, 5])
def test_a_search_is_stopped_wherever_it_is(more, asked):
    left = asked

    def ask():
        nonlocal left
        left -= 1
        return "SIGTERM" if left < 0 else None

    with pytest.raises(StoppedError, match="stopped early by SIGTERM: nothing was chosen yet"):
        fastgc.design(TABLES["all schemes"], interrupted=ask, **more)
    assert left == -1
    assert not [t for t in threading.enumerate() if t.name.startswith("fastgc")]


@pytest.mark.night
def test_steps_say_what_is_searched_and_each_scheme_s_best_is_told_once_before_the_end():
    events, reported = [], {}

    def found(system, value):
        assert system["family"] not in reported
        reported[system["family"]] = value
        events.append(None)

    ranking = fastgc.design(TABLES["all schemes"], threads=2, progress=events.append, found=found)
    steps = [step for step in events if step is not None]
    names = {step.name.partition(",")[0] for step in steps}
    assert {"systems", "coded-reduce", "k-of-n", "load against time"} <= names
    assert every(0 <= step.done <= step.total for step in steps)
    looks = {step.name.partition(", ")[2] for step in steps}
    assert looks >= {"1024 trials each", "4096 trials each"}
    assert set(reported) == set(ranking.looked_at) and events[-1] is not None
    # sampled values may still get better known
    best = {}
    for choice in ranking:
        best.setdefault(choice.system["family"], choice.value)
    for family, value in reported.items():
        assert value == pytest.approx(best.get(family, value), rel=0.05)
    exact = [value for family, value in reported.items() if family in best]
    assert min(exact) == pytest.approx(min(best.values()), rel=0.05)


# ---- other processes

#: A system and a law in a module of the user's; its worker dies where a file is not there yet.
MINE = '''
import multiprocessing, os, pathlib, signal
from typing import Literal
import numpy as np
from fastgc.latency import DrawnLaw
from fastgc.registry import register
from fastgc.systems import Candidates, Flat, System

DIED = pathlib.Path(__file__).with_name("died")


@register("system")
class Spare(System):
    """Some workers are spare."""

    family: Literal["extra"] = "extra"
    n: int
    need: int

    def workers(self):
        return self.n

    def structure(self):
        return Flat(self.n, self.need)

    def default_share(self):
        return 1 / self.need

    @classmethod
    def candidates(cls, cluster):
        return [Candidates(tuple(cls(n=cluster.workers, need=k) for k in (1, 2, 3, 4)))]


@register("latency")
class Sticky(DrawnLaw):
    """Times that pile up at whole numbers."""

    distribution: Literal["sticky"] = "sticky"

    def times(self, uniforms):
        if multiprocessing.parent_process() is not None and not DIED.exists():
            DIED.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.ceil(-3 * np.log(uniforms))
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The user's module, which other processes find; the registry is left as it was."""
    payloads._restored.cache_clear()  # as in a worker of its own, which has restored nothing yet
    kept = {room: members(room) for room in registry.ROOMS}
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "mine"
    sys.modules.pop("mine", None)
    for room, before in kept.items():
        rooms._members[room] = before


PLUGGED_IN = {
    "workers": 5,
    "schemes": ["extra", "uncoded"],
    "latency": {"distribution": "sticky"},
    "trials": 20_000,
}


@pytest.mark.night
def test_plug_ins_in_processes_of_which_one_dies(mine, tmp_path, caplog):
    __import__(mine)
    one = fastgc.design(PLUGGED_IN, threads=1)
    assert one[0].system["family"] == "extra" and one[0].method == "monte-carlo"
    assert not (tmp_path / "died").exists()
    assert fastgc.design(PLUGGED_IN, executor="processes", threads=2) == one
    assert (tmp_path / "died").exists() and "a worker died" in caplog.text
    assert not multiprocessing.active_children()


def test_a_worker_without_the_plug_in_says_so(mine, monkeypatch):
    __import__(mine)

    class Bare(Sending):
        def received(self, sent):
            with monkeypatch.context() as here:
                here.delitem(sys.modules, "mine")
                here.setattr(sys, "path", [])
                return super().received(sent)

    with pytest.raises(FastgcError, match=r"a worker lacks a plug-in .*mine.* can import"):
        fastgc.design(PLUGGED_IN, executor=Bare())


def test_mistakes_of_a_plug_in_are_reported_from_wherever(mine, monkeypatch):
    module = __import__(mine)
    monkeypatch.setattr(module.Sticky, "times", lambda self, uniforms: -uniforms)
    for more in ({"threads": 2}, {"executor": Sending()}):
        with pytest.raises(FastgcError, match="latency: sticky gave a negative time"):
            fastgc.design(PLUGGED_IN, **more)


# ---- the command


@pytest.mark.night
def test_the_command_on_any_executor(tmp_path, command):
    path = tmp_path / "design.toml"
    path.write_text(
        '[design]\nworkers = 6\nport = { receive = 0.1 }\nschemes = ["replication", "uncoded"]\n'
        'trials = 5000\nlatency = { distribution = "exponential", mean = 1.0 }\n'
    )
    code, plain, _ = command("design", path, "--json", "--threads", "1")
    assert code == 0 and json.loads(plain)
    assert command("design", path, "--json", "--threads", "2")[:2] == (0, plain)
    assert command("design", path, "--json", "--executor", "threads")[:2] == (0, plain)
    found = command("design", path, "--json", "--executor", "processes", "--threads", "2")
    assert found[:2] == (0, plain)
    code, out, err = command("design", path, "--executor", "thread")
    assert code == 2 and not out and "executor: must be one of threads, processes" in err
    code, _, err = command("design", path, "--threads", "0")
    assert code == 2 and "--threads" in err
