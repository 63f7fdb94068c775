"""Time and memory against the number of workers: the short form of ``python -m bench.large``."""

import json

import pytest

import fastgc
from bench import large
from suite.checks import every


@pytest.mark.night
def test_a_few_sizes_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    family = "graph, degree 4"
    assert large.main(["--family", family, "--sizes", "40", "16"]) == 0
    _, *points = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(point["family"], point["n"]) for point in points] == [(family, 16), (family, 40)]
    assert every(point["seconds"] > 0 and point["memory"] >= 0 for point in points)


@pytest.mark.parametrize("family", large.FAMILIES)
def test_every_family_makes_a_study_of_about_so_many_workers(family: str) -> None:
    for wanted in (10, 1000):
        table = large.FAMILIES[family](wanted)
        named = table.get("code", table.get("system"))
        n = named.get("n", named.get("vertices", 0) * (2 if named["family"] == "graph" else 1))
        n = n * (n + 1) if named["family"] == "coded-reduce" else n
        assert 0.6 * wanted <= n <= 1.2 * wanted
    fastgc.run({"experiment": [large.FAMILIES[family](12)]}, trials=64)


@pytest.mark.night
def test_what_is_refused_or_takes_too_long_ends_a_family(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert large.main(["--family", "cyclic, d = 3", "--sizes", "10", "100000", "1000000"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["n"] == 100000 and "16384" in last["refused"].replace(" ", "")
