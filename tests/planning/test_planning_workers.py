"""`fastgc design` on any number of threads: the same ranking, to the last bit; interruptions."""

import json
import threading

import pytest

import fastgc
from fastgc.draws import streams
from fastgc.errors import StoppedError
from fastgc.planning.candidate import Candidate
from suite.checks import every, refusal

SHIFTED = {"distribution": "exponential", "shift": 0.5, "mean": 1.0}
UNLIKE = [{"distribution": "gamma", "shape": 2.0, "scale": 1.0 + j / 4} for j in range(7)]
SAMPLED = {"schemes": ["replication", "hierarchical"], "latency": SHIFTED, "trials": 30_000}
#: Exact values and sampled ones, by means and by ranks, of workers alike and unlike.
TABLES = {
    "all schemes": {
        **{"workers": 20, "latency": SHIFTED, "port": {"receive": 0.02}, "layers": 3, "tasks": 30},
        **{"stragglers": 2, "computation": "linear"},
    },
    "no port": {"workers": 12, "latency": {"distribution": "pareto", "shape": 0.7, "scale": 1.0}},
    "sampled": {"workers": 12, "port": {"receive": 0.01}, "layers": 2, "tasks": 12, **SAMPLED},
    "unlike": {"workers": 7, "latency": UNLIKE, "port": {"receive": 0.1}, "goal": "quantile(0.9)"},
}


@pytest.mark.night
def test_the_same_ranking_on_any_number_of_threads_and_from_blocks_of_any_size(monkeypatch):
    known = {name: fastgc.design(table, threads=1) for name, table in TABLES.items()}
    assert known["sampled"][0].method == "monte-carlo"
    assert {c.method for ranking in known.values() for c in ranking} == {"exact", "monte-carlo"}
    for name, table in TABLES.items():
        assert fastgc.design(table, threads=3) == known[name]
    monkeypatch.setattr(streams, "LARGEST_BLOCK", 128)
    for name in ("all schemes", "sampled"):
        assert fastgc.design(TABLES[name], threads=2) == known[name]


def test_the_exact_value_of_one_law_is_found_once(monkeypatch):
    asked, exact = [], Candidate.exact

    def counted(self):
        asked.append((self.family, self.scenario.load))
        return exact(self)

    monkeypatch.setattr(Candidate, "exact", counted)
    # without redundancy all of them are the same star; so are they with all of it
    schemes = ["uncoded", "gradient-code", "replication", "k-of-n"]
    law = {"distribution": "exponential", "mean": 1.0}
    found = fastgc.design({"workers": 6, "schemes": schemes, "latency": law}, threads=2)
    assert found.separated
    assert [other["family"] for other in found[0].also] == ["replication", "k-of-n"]
    loads = [load for family, load in asked if family in ("uncoded", "replication", "k-of-n")]
    assert len(asked) == len(set(asked)) and loads.count(1 / 6) == 1 and 1.0 not in loads


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("asked", [1, 2, 5])
def test_a_search_is_stopped_wherever_it_is(threads, asked):
    left = asked

    def ask():
        nonlocal left
        left -= 1
        return "SIGTERM" if left < 0 else None

    with pytest.raises(StoppedError, match="stopped early by SIGTERM: nothing was chosen yet"):
        fastgc.design(TABLES["all schemes"], interrupted=ask, threads=threads)
    assert left == -1
    assert not [t for t in threading.enumerate() if t.name.startswith("fastgc")]


@pytest.mark.night
def test_steps_say_what_is_searched():
    steps = []
    fastgc.design(TABLES["all schemes"], threads=2, progress=steps.append)
    names = {step.name.partition(",")[0] for step in steps}
    assert {"systems", "coded-reduce", "k-of-n"} <= names
    assert every(0 <= step.done <= step.total for step in steps)
    looks = {step.name.partition(", ")[2] for step in steps}
    assert looks >= {"1024 trials each", "4096 trials each"}


@pytest.mark.night
def test_the_command(tmp_path, command):
    path = tmp_path / "design.toml"
    path.write_text(
        'title = "Mine"\n[design]\nworkers = 6\nport = { receive = 0.1 }\ntrials = 5000\n'
        'schemes = ["replication", "uncoded"]\n'
        'latency = { distribution = "exponential", mean = 1.0 }\n'
    )
    code, plain, _ = command("design", path, "--json", "--threads", "1")
    assert code == 0 and json.loads(plain)["systems"] == fastgc.design(path).rows()
    assert command("design", path, "--json", "--threads", "2")[:2] == (0, plain)
    code, _, err = command("design", path, "--threads", "0")
    assert code == 2 and "--threads" in err
    assert "threads: must be at least 1" in refusal(fastgc.design, path, threads=0)
