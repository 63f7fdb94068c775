"""`fastgc.atlas`: made recordings and laws, by a slow twin, and what is refused."""

import json
import math

import numpy as np
import pytest

import fastgc
from bench import remedies as slow
from fastgc.errors import FastgcError, StoppedError
from fastgc.planning import laws_of_atlas
from fastgc.planning.laws_of_atlas import LAWS, SLOWER, WORKERS, TwoSpeeds
from fastgc.report.atlas import atlas as atlas_text
from fastgc.report.pictures.atlas import of_atlas
from suite.checks import every

N = 6


def rows(seed, slow=1.0, late=0.0, rounds=120):
    """Times of workers of which one is always slow, and all are late now and then."""
    rng = np.random.default_rng(seed)
    found = rng.uniform(1.0, 1.1, (rounds, N)) * np.where(rng.random((rounds, N)) < late, 4.0, 1.0)
    found[:, 2] *= slow
    return found.round(6)


RECORDINGS = {
    "machine": rows(1, slow=3.0),
    "moments": rows(2, late=0.08),
    "barrier": np.repeat(rows(3).max(axis=1)[:, None], N, axis=1),
    "few": rows(4)[:20],
}


def save(folder, recordings):
    for name, own in recordings.items():
        head = ",".join("abcdef")
        np.savetxt(folder / f"{name}.csv", own, "%.6f", ",", header=head, comments="")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("recordings")
    save(place, RECORDINGS)
    (place / "README.md").write_text("no recording")
    return place


@pytest.fixture(scope="module")
def found(folder):
    return fastgc.atlas(folder)


def cells(found, name):
    [subject] = [each for each in found.subjects if each.name == name]
    return {cell.cost: cell for cell in subject.cells}


def test_a_slow_machine_is_left_out_and_moments_ask_for_a_code_where_load_is_cheap(found):
    machine, moments = cells(found, "machine"), cells(found, "moments")
    assert [(machine[c].winner, machine[c].decided) for c in ("1", "0.5", "0.25", "0.1")] == [
        ("leave-out", True)
    ] * 4
    assert (moments["0"].kind, moments["0"].decided) == ("code", True)
    assert moments["1"].kind == "nothing"
    [even] = [each.break_even for each in found.subjects if each.name == "moments"]
    assert 0.5 < even.low < even.value < even.high <= 1


@pytest.mark.parametrize("name", ["machine", "moments"])
def test_every_time_is_that_of_a_slow_twin(found, name):
    own = cells(found, name)
    assert list(own) == ["1", "0.5", "0.25", "0.1", "0"]
    for cell in own.values():
        families = {each.family for each in cell.worths}
        assert {"uncoded", "gradient-code", "leave-out", "spare", "drop-late"} <= families
        assert slow.off(cell, RECORDINGS[name]) < 1e-12
        assert every(each.time.low <= each.time.value <= each.time.high for each in cell.worths)


def test_a_cell_is_chosen_on_the_first_half(found):
    times, half, basis = RECORDINGS["moments"], 60, 10
    for share in (0.25, 0.1, 0.0):
        cost = share * times[:half].mean()
        codes = [{"family": "gradient-code", "n": N, "s": s} for s in range(1, N)]
        codes += [{"family": "replication", "n": N, "d": d} for d in (2, 3, 6)]
        for family in ("gradient-code", "replication"):
            own = [each for each in codes if each["family"] == family]
            means = [slow.done(each, times[:half], basis, cost).mean() for each in own]
            first = next(e for e, m in zip(own, means, strict=True) if m <= 1.01 * min(means))
            assert cells(found, "moments")[f"{share:g}"].of(family).system == first


def test_the_second_half_changes_no_choice_and_the_first_no_time(tmp_path):
    own = rows(5, late=0.08)
    other = np.concatenate([own[:60], rows(6, slow=3.0)[60:]])
    save(tmp_path, {"own": own, "other": other})
    both = fastgc.atlas(tmp_path)
    one, two = cells(both, "own"), cells(both, "other")
    for cost, cell in one.items():
        systems = [[each.system for each in c.worths] for c in (cell, two[cost])]
        assert systems[0] == systems[1] and cell.winner == two[cost].winner


def test_the_curve_is_that_of_the_twin_and_crosses_at_the_break_even(found):
    times = RECORDINGS["moments"]
    [even] = [each.break_even for each in found.subjects if each.name == "moments"]
    codes = [{"family": "gradient-code", "n": N, "s": s} for s in range(1, N)]
    codes += [{"family": "replication", "n": N, "d": d} for d in (2, 3, 6)]
    others = [{"family": "leave-out", "n": N, "k": k} for k in range(1, 4)]
    others += [{"family": "uncoded"}]
    for share, *both in even.curve:
        cost = share * times[:60].mean()
        for some, value in zip((codes, others), both, strict=True):
            means = [slow.done(each, times, 10, cost).mean() for each in some]
            assert value == pytest.approx(min(means), rel=1e-4)  # balanced work is between knots
        assert (both[0] < both[1]) == (share < even.value)


def test_what_cannot_tell_is_listed_with_its_reason(found):
    refused = dict(found.refused)
    assert set(refused) == {"barrier.csv", "few.csv"}
    assert refused["barrier.csv"].startswith("these are times of the round")
    assert refused["few.csv"].startswith("it has 20 rows; 30 are needed")


def test_loads_in_names_or_given_say_what_load_costs(tmp_path):
    base = rows(7, late=0.08)
    recorded = {"at_load0.25": base + 0.05, "at_load1": np.roll(base, 7, axis=0) + 0.2}
    save(tmp_path, recorded)
    by_name = fastgc.atlas(tmp_path)
    cell = cells(by_name, "at_load0.25")["fitted"]
    equal = base[:60].mean() + 0.2 / N
    assert cell.share == pytest.approx(0.2 / N / equal, rel=1e-4)
    assert cell.kind == "code"
    given = fastgc.atlas(tmp_path, fit=[("at_load0.25.csv", 0.25), ("at_load1.csv", 1.0)])
    assert given.as_dict() == by_name.as_dict()
    save(tmp_path, {"at_load1": 9 * base})  # at no load less than no time
    text = " ".join(atlas_text(fastgc.atlas(tmp_path).as_dict()).split())
    assert "at_load0.25: not fitted: fit: all of the work would cost" in text
    with pytest.raises(FastgcError, match=r"fit: none\.csv is no recording of the folder"):
        fastgc.atlas(tmp_path, fit=[("none.csv", 0.5)])
    with pytest.raises(FastgcError, match=r"fit: what load costs needs recordings .* at two loads"):
        fastgc.atlas(tmp_path, fit=[("at_load1.csv", 1.0)])


def test_long_tables_are_named_or_refused_with_the_option(tmp_path):
    own = rows(8, slow=3.0, rounds=60)
    lines = [f"{i},{'abcdef'[j]},{t}" for i, row in enumerate(own) for j, t in enumerate(row)]
    (tmp_path / "long.csv").write_text("\n".join(["step,who,s", *lines]))
    [(name, reason)] = fastgc.atlas(tmp_path).refused
    assert name == "long.csv" and "--column" in reason
    columns = {"worker": "who", "value": "s", "iteration": "step"}
    assert cells(fastgc.atlas(tmp_path, columns=columns), "long")["1"].winner == "leave-out"


def test_columns_that_a_file_has_are_taken_and_others_are_wide(tmp_path):
    for name, seed, more in (("at_load0.25", 8, 0.0), ("at_load1", 9, 0.2)):
        own = rows(seed, slow=3.0) + more
        lines = [
            f"{x},{y},{own[y, x]}" for y in range(120) for x in range(N) if x or y % 3 or y > 108
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y,s", *lines[::2], *lines[1::2]]))
    save(tmp_path, {"wide": RECORDINGS["machine"]})
    found = fastgc.atlas(tmp_path, columns={"worker": "x", "value": "s", "iteration": "y"})
    assert [(each.name, each.workers) for each in found.subjects] == [
        ("at_load0.25", N),
        ("at_load1", N),
        ("wide", N),
    ]
    assert "fitted" in cells(found, "at_load0.25")


@pytest.mark.parametrize(("ends", "least"), [((0.9, 1.05), 3), ((0.4, 1.9), 3), ((0.1, 30.0), 5)])
def test_curves_have_several_ticks(ends, least):
    from matplotlib.figure import Figure

    curve = [(share, each, 1.0) for share, each in zip((0.0, 1.0), ends, strict=True)]
    subject = {"group": "", "name": "a", "cells": [], "break_even": {"curve": curve}}
    [_, picture] = of_atlas({"subjects": [subject], "costs": []})
    figure = Figure()
    axes = figure.add_subplot()
    picture.draw(axes)
    figure.draw_without_rendering()
    low, high = axes.get_ylim()
    shown = [each for each in axes.get_yticks() if low <= each <= high]
    labels = {each.get_text() for each in axes.get_yticklabels()}
    assert len(shown) >= least and len(labels) >= least


def test_mistakes_and_a_stop(tmp_path, folder):
    with pytest.raises(FastgcError, match="there is no folder"):
        fastgc.atlas(tmp_path / "none")
    with pytest.raises(FastgcError, match="has no recording"):
        fastgc.atlas(tmp_path)
    with pytest.raises(FastgcError, match="belong to recordings"):
        fastgc.atlas(fit=[("a.csv", 1.0)])
    steps = []
    with pytest.raises(StoppedError, match="stopped early by Ctrl-C: 1 of 4 were done"):
        fastgc.atlas(folder, progress=steps.append, interrupted=lambda: "Ctrl-C" if steps else None)


def test_the_same_seed_gives_the_same_bits(folder, found):
    again, other = fastgc.atlas(folder), fastgc.atlas(folder, seed=2)
    assert json.dumps(again.as_dict()) == json.dumps(found.as_dict())
    assert other.subjects[0].cells[0].worths[1].time != found.subjects[0].cells[0].worths[1].time


# ---- laws


def simulated(n, p, stays, rounds=40_000, seed=1):
    """Slow or fast (rounds, n) by independent Markov chains."""
    rng = np.random.default_rng(seed)
    turns = p * (1 - stays) / (1 - p)
    found = np.empty((rounds, n), bool)
    found[0] = rng.random(n) < p
    for t in range(1, rounds):
        found[t] = rng.random(n) < np.where(found[t - 1], stays, turns)
    return np.where(found, SLOWER, 1.0)


@pytest.mark.parametrize(("n", "p", "stays"), [(5, 0.2, 0.2), (8, 0.1, 0.7)])
def test_workers_of_two_speeds_are_as_simulated(n, p, stays):
    times, law = simulated(n, p, stays), TwoSpeeds(n, p, stays)
    for k in (1, 2, n - 1):
        system = {"family": "leave-out", "n": n, "k": k}
        assert law.left_out(k) == pytest.approx(slow.done(system, times, 1, 0.0).mean(), abs=0.03)
    for cost in (0.0, 0.4):
        own = slow.done({"family": "balanced"}, times, 1, cost).mean()
        assert law.balanced(cost) == pytest.approx(own, abs=0.03)
    shares = 1 / times[:-1] / (1 / times[:-1]).sum(axis=1, keepdims=True)
    proportional = (n * shares * times[1:]).max(axis=1).mean()
    assert law.balanced(None) == pytest.approx(proportional, abs=0.03)
    local = slow.done({"family": "local-sgd", "period": 4}, times, 0, 0.0).mean()
    assert law.local(4) == pytest.approx(local, abs=0.03)
    assert law.left_out(0) == pytest.approx(1 + 3 * (1 - (1 - p) ** n), rel=1e-12)


def test_less_work_may_take_no_less_than_no_time():
    assert TwoSpeeds(4, 0.5, 0.5).balanced(3.0) is None


def exponential(n):
    """Of exponential times with mean 1, the means of the order statistics."""
    return [sum(1 / (n - i) for i in range(k)) for k in range(1, n + 1)]


def test_a_cell_of_the_exponential_law_by_its_formulas():
    known = next(each for each in LAWS if each.group.startswith("constant"))
    subject = next(laws_of_atlas.subjects(known))
    n, means = subject.workers, exponential(subject.workers)
    assert (n, subject.rounds) == (WORKERS[0], 0)
    for cell in subject.cells:
        plain = means[-1]

        def more(load, time, cell=cell):
            return time * load if cell.share is None else time + cell.share * (load - 1)

        codes = [more(s + 1, means[n - 1 - s]) for s in range(1, n)]
        frc = {d: more(d, exponential(n // d)[-1] / d) for d in (2, 4, 8)}
        rest = min(more(n / (n - k), exponential(n - k)[-1]) for k in range(1, n // 2 + 1))
        expected = {
            "gradient-code": min(codes),
            "replication": min(frc.values()),
            "leave-out": rest,
            "uncoded": plain,
            "spare": min(more(n / m, means[m - 1]) for m in range(1, n)),
        }
        for family, value in expected.items():
            assert cell.of(family).time.value == pytest.approx(value / plain, rel=1e-6), family
        assert cell.winner == min(
            ("gradient-code", "replication", "leave-out", "uncoded"),
            key=lambda family: expected[family] * (0.99 if family == "uncoded" else 1.0),
        )


def test_where_the_break_even_of_a_law_lies():
    known = next(each for each in LAWS if each.name == "Exp, 90 % constant")
    subject = next(laws_of_atlas.subjects(known))
    n, means = subject.workers, [0.9 + 0.1 * each for each in exponential(subject.workers)]
    even = subject.break_even.value

    def best(share):
        codes = [means[n - 1 - s] + share * s for s in range(1, n)]
        codes += [0.9 + 0.1 * exponential(n // d)[-1] / d + share * (d - 1) for d in (2, 4, 8)]
        rest = [0.9 + 0.1 * exponential(n - k)[-1] + share * k / (n - k) for k in range(n // 2 + 1)]
        return min(codes) - min(rest)

    assert best(even * 0.999) < 0 < best(even * 1.001)
    assert math.isclose(even, 0.168, abs_tol=0.001)
