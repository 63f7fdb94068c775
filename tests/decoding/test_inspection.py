"""The datasheet of a code, against brute force."""

import functools
import itertools
import json
import math

import numpy as np
import pytest

from fastgc import codes, report
from fastgc.codes.code import code_of
from fastgc.decoding import inspection
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.inspection import inspect
from fastgc.decoding.worst import Worst
from suite.checks import patterns as every_set
from suite.checks import refusal
from twins import decoders as twin
from twins.codes import survives, tolerance

CODES = {
    "frc": codes.frc(n=6, d=2), "circulant": codes.circulant(n=6, d=3),
    "binary": codes.binary(n=7, s=2), "cyclic": codes.cyclic(n=6, d=3),
    "graph": codes.graph("complete", vertices=4), "bibd": codes.bibd("fano"),
    "bernoulli": codes.bernoulli(n=7, density=0.4, seed=3),
    "uncovered": code_of([[1.0, 0, 1], [0, 0, 0], [0, 1, 1]]),
}  # fmt: skip


def patterns(n, stragglers):
    for gone in itertools.combinations(range(n), stragglers):
        yield np.array([j not in gone for j in range(n)])


@pytest.mark.parametrize("name", CODES)
def test_lines_by_brute_force(name):
    code = CODES[name]
    sheet = inspect(code, stragglers=range(code.n + 1))
    assert [line.stragglers for line in sheet.lines] == list(range(code.n + 1))
    for line in sheet.lines:
        sets = list(patterns(code.n, line.stragglers))
        vectors = [twin.optimal_vector(code.B, alive) for alive in sets]
        errors = np.array([twin.error_of(code.B, x) for x in vectors])
        assert line.mean_error == (pytest.approx(errors.mean(), abs=1e-11), 0.0)
        assert line.worst_error == pytest.approx(errors.max(), abs=1e-11) and line.worst_is_exact
        if errors.max() > 1e-8:
            alive = np.isin(np.arange(code.n), line.worst_set, invert=True)
            assert errors[[(each == alive).all() for each in sets]] == pytest.approx(errors.max())
        else:
            assert line.worst_set is None
        assert line.exact == (pytest.approx((errors < 1e-8).mean()), 0.0)
        length = np.mean([x @ x for x in vectors])
        assert line.amplification == (pytest.approx(length, rel=1e-8), 0.0)
        lost = np.mean([(~code.B[:, alive].any(axis=1)).sum() for alive in sets])
        assert line.bound == pytest.approx(lost, abs=1e-12)
        assert line.bound <= line.mean_error[0] + 1e-9
        d = int(code.loads.max())
        if code.n % d:
            assert line.frc is None
        elif code.k == code.n:
            groups = np.kron(np.eye(code.n // d), np.ones((d, d)))
            own = np.mean([(~groups[:, alive].any(axis=1)).sum() for alive in sets])
            assert line.frc == pytest.approx(own, abs=1e-12)


@pytest.mark.parametrize("name", CODES)
def test_facts_by_brute_force(name):
    code = CODES[name]
    sheet = inspect(code, p=0.25)
    assert sheet.tolerance == tolerance(code.B)
    if sheet.tolerance >= 0 and code.tolerance is not None:
        assert sheet.tolerance >= code.tolerance == sheet.guaranteed_tolerance
    if sheet.tolerance < code.n:
        assert len(sheet.breaking) == sheet.tolerance + 1
        assert not survives(np.delete(code.B, sheet.breaking, axis=1), 0)
    text = report.datasheet(sheet.as_dict())
    assert text.splitlines()[0] == code.name and "nan" not in text.lower()
    assert json.loads(report.as_json(sheet.as_dict()))["lines"][0]["stragglers"] == 0
    held = code.B != 0
    sets = [" ".join(map(str, own.worst_set)) for own in sheet.lines if own.worst_set]
    assert f"worst sets               {'; '.join(sets)}" in text or not sets
    assert sheet.loads == (held.sum(axis=0).min(), held.sum(axis=0).max())
    assert sheet.replication == (held.sum(axis=1).min(), held.sum(axis=1).max())
    mean = sum(
        p * twin.error_of(code.B, twin.optimal_vector(code.B, np.isin(np.arange(code.n), live)))
        for p, live in every_set(code.n, 0.25)
    )
    assert sheet.mean_error == pytest.approx(mean, rel=1e-10)
    assert sheet.bound == pytest.approx(sum(0.25 ** row.sum() for row in held))
    assert sheet.bound <= sheet.mean_error + 1e-9


def test_a_code_drawn_at_random_is_said_to_be_one_draw():
    means = [inspect(codes.cyclic(n=6, d=3, seed=s), p=0.25).mean_error for s in range(1, 9)]
    found = f"{min(means):.3g} to {max(means):.3g}, on average {np.mean(means):.3g}"
    said = f"one draw, seed 1; others may differ: with seeds 1 to 8 the mean error is {found}\n"
    assert said in report.datasheet(inspect(CODES["cyclic"], p=0.25).as_dict())
    large, frc = codes.bernoulli(n=21, density=0.2, seed=5), inspect(CODES["frc"])
    assert "seed 5; others may differ: sweep" in inspect(large, stragglers=0).draw and not frc.draw


@pytest.mark.night
def test_sampled_means_agree_with_exact_ones(monkeypatch):
    code = codes.circulant(n=24, d=3)
    monkeypatch.setattr(inspection, "_tolerance", lambda *_: (2, [0, 1, 2]))  # said elsewhere
    monkeypatch.setattr(inspection, "PATTERNS", 1 << 13)
    bound = Worst(0.0, (), False, at_most=12.0)
    monkeypatch.setattr(inspection, "worst_case", lambda *_, **__: bound)
    sheet = inspect(code, stragglers=range(9))
    assert sheet.mean_error is None
    table = Decoder(code).errors_of_all_patterns()
    alive = np.bitwise_count(np.arange(1 << 24, dtype=np.uint32))
    few = sheet.lines[3]  # of so few stragglers all sets are looked at
    assert few.mean_error == (pytest.approx(table[alive == 21].mean(), rel=1e-9), 0.0)
    for line in sheet.lines[4:]:
        own = table[alive == 24 - line.stragglers]
        sampled = (line.mean_error, own.mean()), (line.exact, (own < 1e-8).mean())
        for (value, deviation), exact in sampled:
            assert 0 < deviation < 0.1 and abs(value - exact) < 4.5 * deviation
        expected = 24 * math.comb(21, line.stragglers - 3) / math.comb(24, line.stragglers)
        assert line.bound == pytest.approx(expected)
        assert line.amplification[1] > 0


def test_amplification_of_some_patterns():
    """Beyond 2¹⁰ patterns the vectors of some are enough."""
    code = codes.circulant(n=14, d=3)
    [line] = inspect(code, stragglers=5).lines
    lengths = [np.square(twin.optimal_vector(code.B, alive)).sum() for alive in patterns(14, 5)]
    value, deviation = line.amplification
    assert 0 < deviation < 0.1 and abs(value - np.mean(lengths)) < 4.5 * deviation


def test_mistakes():
    trial = codes.bernoulli(n=4, density=0.5, seed="trial")
    for code, more, says in (
        (trial, {}, "has a new matrix in every trial; give seed a number"),
        ([[1, float("nan")]], {}, "every entry must be finite"),
        (np.eye(2), {"p": 1.5}, "p: must be from 0 to 1 (got 1.5)"),
        (np.eye(2), {"p": float("nan")}, "p: must be from 0 to 1 (got nan)"),
        (np.eye(2), {"stragglers": 3}, "stragglers: must be from 0 to n=2 (got 3)"),
        (np.eye(2), {"stragglers": [0, -1]}, "stragglers: must be from 0 to n=2 (got -1)"),
        (np.eye(2), {"stragglers": [0.5]}, "stragglers: must be whole numbers (got 0.5)"),
        (np.eye(2), {"stragglers": 0.5}, "stragglers: must be whole numbers (got 0.5)"),
        (np.eye(2), {"stragglers": []}, "stragglers: must name at least one number"),
    ):
        assert says in refusal(inspect, code, **more)
    assert [line.stragglers for line in inspect(np.eye(2), stragglers=np.int64(1)).lines] == [1]


# ---- text, LaTeX, JSON, command


@pytest.fixture
def command(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return functools.partial(command, "inspect")


def test_what_is_always_exact_has_no_error():
    """Rounding is no error: a table for a paper has 0 where every pattern is exact."""
    sheet = inspect(codes.cyclic(n=7, d=3, seed=1)).as_dict()
    assert sheet["lines"][0]["worst_error"] > 0
    rows = [line.split() for line in report.datasheet(sheet).splitlines()[-len(sheet["lines"]) :]]
    assert [row[1:5:3] + row[2:3] for row in rows[:3]] == [["0", "1", "0"]] * 3
    assert rows[0][3] == "0" and float(rows[1][3]) > 1  # a bound knows of no pattern
    assert float(rows[3][1]) > 0.1 and rows[3][3] != "1"
    sheet["lines"][3]["exact"] = 0.0, 6e-5  # no pattern that was sampled decodes
    assert "  0 [0, 0.000117598]  " in report.datasheet(sheet)


def test_the_command(command, tmp_path):
    def refuse(text):
        raise AssertionError(text)

    (tmp_path / "B.csv").write_text("1,0,1\n1,1,0\n0,1,1\n")
    code, out, err = command("B.csv", "-p", "0.2", "--stragglers", "0..1", "--json")
    assert (code, err) == (0, "")
    sheet = json.loads(out, parse_constant=refuse)
    assert (sheet["n"], sheet["k"], sheet["p"], len(sheet["lines"])) == (3, 3, 0.2, 2)
    code, out, _ = command("binary", "n=11", "s=3", "--json")
    sheet = inspect(codes.binary(n=11, s=3))
    assert sheet.unevenness == 6.0
    assert code == 0 and json.loads(out) == json.loads(report.as_json(sheet.as_dict()))
    code, out, _ = command("frc", "n=6", "d=2")
    assert code == 0 and "1 straggler, broken by workers 0, 1" in out


@pytest.mark.parametrize(("text", "numbers"), [
    ("3", [3]), ("2,5", [2, 5]), ("5, 2,2", [2, 5]), ("0..n", [0, 1, 2, 3, 4, 5, 6]),
    ("1..3", [1, 2, 3]), ("0,4..n", [0, 4, 5, 6]), ("n", [6]),
])  # fmt: skip
def test_which_stragglers(command, text, numbers):
    code, out, err = command("frc", "n=6", "d=2", "--stragglers", text, "--json")
    assert (code, err) == (0, "")
    assert [line["stragglers"] for line in json.loads(out)["lines"]] == numbers
    lines = inspect(codes.frc(n=6, d=2), stragglers=range(7)).lines
    chosen = inspect(codes.frc(n=6, d=2), stragglers=reversed(numbers)).lines
    assert chosen == tuple(lines[number] for number in numbers)


@pytest.mark.parametrize(("arguments", "says"), [
    (["binry", "n=11", "s=3"], "did you mean 'binary'"),
    (["binary", "n=11", "S=3"], "binary: S: unknown key"), (["frc", "n=11", "d=3"], "frc: "),
    (["frc", "n=12", "d"], "frc: parameters must be key=value (got 'd')"),
    (["frc", "n=12", "d="], "frc: d: '' is not a TOML value"),
    (["frc", "n=1 2", "d=2"], "frc: n: '1 2' is not a TOML value"),
    (["nowhere.csv"], "nowhere.csv"), (["frc", "n=4", "d=2", "-p", "2"], "'-p'"),
    (["frc", "n=4", "d=2", "--stragglers", "5"], "stragglers: must be from 0 to n=4 (got 5)"),
    (["frc", "n=4", "d=2", "--stragglers", "1..x"], "like 3, 2,5, 0..6 or 0..n (got '1..x')"),
    (["frc", "n=4", "d=2", "--stragglers", "1,"], "like 3, 2,5, 0..6 or 0..n (got '1,')"),
    (["frc", "n=4", "d=2", "--stragglers", "3..1"], "from less to more (got '3..1')"),
    (["frc", "n=4", "d=2", "--stragglers", "0..99999999"], "from 0 to n=4 (got 99999999)"),
    (["bernoulli", "n=4", "density=0.5", 'seed="trial"'], "has a new matrix in every trial"),
])  # fmt: skip
def test_mistakes_of_the_command(command, arguments, says):
    code, out, err = command(*arguments)
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    assert err.startswith("fastgc: ") and says in err


@pytest.mark.night
def test_of_many_workers_there_are_fewer_lines_and_of_thousands_none():
    few = inspect(codes.frc(n=120, d=3))
    assert [line.stragglers for line in few.lines] == [0, 2, 3, 4, 12, 60]
    many = inspect(codes.circulant(n=2000, d=3))
    assert (many.lines, many.condition) == ((), None)
    assert not many.tolerance_is_exact  # nothing was looked for: a bound by who holds a partition
    assert many.tolerance == 2 and len(many.breaking) == 3
    rest = np.setdiff1d(np.arange(2000), many.breaking)
    assert (codes.circulant(n=2000, d=3).B[:, rest] == 0).all(axis=1).any()
    certain = inspect(codes.frc(n=2000, d=4))
    assert (certain.tolerance, certain.tolerance_is_exact) == (3, True)
    asked = inspect(codes.frc(n=1200, d=4), stragglers=[4])
    assert [line.stragglers for line in asked.lines] == [4]


def test_exact_is_never_said_of_an_error_beside_it():
    """An error that counts as exact is in doubt where it is shown."""
    C = np.array([[1, 1, 1], [1, 1, 1 + 1e-9], [1, 1 + 3e-4, 1]])
    assert Decoder(C).doubt is None and inspect(C, stragglers=[0, 1]).doubt is None
    sheet = inspect(C, stragglers=[2])
    assert sheet.doubt and sheet.lines[0].exact == (1.0, 0.0)
    assert 5e-8 < sheet.lines[0].worst_error < Decoder(C).exact_threshold


def test_few_sets_of_many_workers_are_enumerated():
    B = np.random.default_rng(3).normal(size=(30, 30)) * (np.arange(900).reshape(30, 30) % 7 == 0)
    [line] = inspect(B, stragglers=2).lines

    def least(B, alive):
        x = np.linalg.lstsq(B[:, alive], np.ones(30), rcond=None)[0]
        return float(((B[:, alive] @ x - 1) ** 2).sum())

    errors = [least(B, alive) for alive in patterns(30, 2)]
    assert line.mean_error == (pytest.approx(np.mean(errors), rel=1e-9), 0.0)
    assert line.worst_error == pytest.approx(max(errors), rel=1e-9)


def test_what_a_sample_has_not_seen_is_not_said_to_be_never():
    line, certain = (inspect(codes.frc(n=30, d=5), stragglers=s).lines[0] for s in (5, 4))
    truth = 6 / math.comb(30, 5)  # a group of 5 that all straggle
    for (value, error), true in ((line.mean_error, 5 * truth), (line.exact, 1 - truth)):
        assert error > 0 and abs(value - true) <= 1.96 * error
    assert line.worst_error == 5
    assert (certain.mean_error, certain.exact) == ((0.0, 0.0), (1.0, 0.0))
