"""The benchmark compares like with like: fastgc and its peers agree; times are not tested."""

import dataclasses
import json
import math
import sys
from functools import partial
from unittest import mock

import numpy as np
import pytest

from bench import __main__ as command_of_bench
from bench import against, table, targets, threads, timing
from bench.contests import FASTGC, Contest, ContestOutcome, Peer, hold, moments
from bench.timing import Contestant
from bench.workloads import CONTESTS
from conftest import ROOT, ran

TINY = 0.002


#: Contests that are another one with larger matrices.
LARGER = {"any-100", "tandon-300", "sparse-10000-many"}


@pytest.mark.night
@pytest.mark.parametrize("name", [name for name in CONTESTS if name not in LARGER])
def test_fastgc_and_its_peers_agree(name):
    outcome = hold(partial(CONTESTS[name], TINY), rounds=1)
    assert outcome.name == name
    assert outcome.disagreements == []
    assert set(outcome.floors) == set(outcome.goals) <= set(outcome.ratios)
    for peer, goal in outcome.goals.items():
        assert outcome.floors[peer] < goal


def _contest(shift, difference):
    values = np.arange(100.0)
    peer = Peer(lambda: values + shift, 100, lambda given: given + difference)
    own = Contestant(FASTGC, lambda: values, 100)
    return Contest("made-up", own, {"peer": peer}, lambda: (values, values), 1e-9)


@pytest.mark.parametrize(
    ("shift", "difference", "complaints"),
    [(0.0, 0.0, 0), (30.0, 0.0, 1), (0.0, 1e-6, 1), (0.0, float("nan"), 1), (30.0, 1.0, 2)],
)
def test_disagreement_is_found(shift, difference, complaints):
    found = hold(partial(_contest, shift, difference), rounds=1)
    assert len(found.disagreements) == complaints and found.seconds > 0


def test_floors_are_those_of_the_kind_of_processor(monkeypatch):
    assert set(CONTESTS) == set(targets.TARGETS) and set(CONTESTS) > LARGER
    assert targets.of("nothing") == ({}, {})
    for kind in targets.KINDS:
        monkeypatch.setattr(targets, "kind", lambda kind=kind: kind)
        floors, goals = targets.of("order-100")
        assert dict(targets.TARGETS["order-100"][kind]) == {
            peer: [floors[peer], goals[peer]] for peer in floors
        }
    monkeypatch.setattr(targets, "kind", lambda: None)
    assert targets.of("order-100") == ({}, {})
    for name, given in targets.TARGETS.items():  # kinds have the same peers, and floors below goals
        assert given.keys() <= {"words", "seconds", *targets.KINDS}, name
        assert len({tuple(given.get(kind, ())) for kind in targets.KINDS}) == 1, name
        for kind in targets.KINDS:
            for floor, goal in given.get(kind, {}).values():
                assert floor < goal, name


def test_an_unknown_kind_of_processor_is_never_too_slow(monkeypatch, capsys):
    missed = ContestOutcome(
        "x", 0.0, {FASTGC: 1.0, "p": 1.0}, {"p": 3.0}, {"p": 3.1}, {"p": 9.0}, {}, {}, []
    )
    assert missed.below == ["x: 3 × p, floor 3.1 ×"]
    assert dataclasses.replace(missed, floors={"p": 3.0, "absent": 9.0}).below == []
    monkeypatch.setattr(command_of_bench, "hold", lambda made, rounds: missed)
    for kind, code in (("AVX2", 1), (None, 0)):
        monkeypatch.setattr(targets, "kind", lambda kind=kind: kind)
        assert command_of_bench.main(["--check", "--only", "order-100"]) == code
    said = capsys.readouterr().out
    assert "(AVX2)" in said and "no floors are known for this kind of processor" in said
    missed.disagreements.append("wrong")
    assert command_of_bench.main(["--check", "--only", "order-100"]) == 1


def test_rounds_end_when_they_are_alike_or_time_is_over(monkeypatch):
    one = [Contestant("one", lambda: None, 10)]
    for slower, most, rounds in (
        (0.0, math.inf, timing.SETTLED),
        (1.0, math.inf, timing.ROUNDS),  # each round is slower than the last one
        (1.0, 0.0, timing.LEAST),
    ):
        took = []
        monkeypatch.setattr(
            timing, "_timed", lambda *_, s=slower, t=took: (t.append(1 + s * len(t)) or t[-1], None)
        )
        found = timing.interleaved(one, moments, timing.ROUNDS, most)["one"]
        assert (len(took), found.best) == (1 + rounds, 1e8 * (1 + slower))  # the cold one apart
        assert found.spread == pytest.approx(2 * slower / (1 + slower))


@pytest.mark.night
def test_the_same_checkout_twice_computes_the_same(capsys, monkeypatch):
    assert against.main([str(ROOT), "--only", "tandon-50", "--rounds", "2"]) == 0
    row = capsys.readouterr().out.splitlines()[-1].split("|")
    assert row[1].strip() == targets.words("tandon-50") and row[-2].strip() == "same"
    assert 0.2 < float(row[4]) < 5.0
    answers = iter(["a", "b", *map(str, range(1, 9))])
    side = mock.Mock(ask=lambda _: next(answers))
    assert against.compared("tandon-50", [side, side], 2).endswith("| OTHERS |")


@pytest.mark.night
def test_the_command_prints_and_writes_what_it_measured(tmp_path):
    file, page = tmp_path / "bench.json", tmp_path / "page.md"
    asked = ["--quick", "--check", "--json", file, "--only", "frc-20"]
    done = ran(sys.executable, "-m", "bench", *asked, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "frc-20" in done.stdout
    assert "lstsq loop" in done.stdout
    report = json.loads(file.read_text(encoding="utf-8"))
    assert [contest["name"] for contest in report["contests"]] == ["frc-20"]
    assert set(report["contests"][0]["ratios"]) >= {"lstsq loop", "best layout"}
    assert report["complaints"] == []
    page.write_text(f"# A\n\n{table.SECTION}\nold\n", encoding="utf-8")
    assert table.main([str(file), "--into", str(page)]) == 0
    made = table.markdown(report)
    assert page.read_text(encoding="utf-8") == f"# A\n\n{table.SECTION}\n{made}\n"
    assert report["machine"]["date"] in made
    with pytest.raises(ValueError, match="not enough"):
        table.put("# A\n", made)


def test_threads_are_measured_and_judged(capsys):
    [found] = threads.measured(1, TINY, ["frc-20"])
    assert found["name"] == "frc-20" and found["ratio"] > 0
    assert "frc-20" in capsys.readouterr().out
    for judged, ratio, complaints in ((True, 1.8, 1), (True, 1.9, 0), (False, 1.0, 0)):
        each = found | {"judged": judged, "ratio": ratio}
        assert len(threads.complaints([each])) == complaints
