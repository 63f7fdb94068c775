"""Time and memory against the number of workers: the short form of ``python -m bench.large``."""

import json

import pytest

import fastgc
from bench import large
from suite.checks import every


@pytest.mark.night
def test_a_few_sizes_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    family = "graph, degree 4"
    assert large.main(["--family", family, "--sizes", "40", "16", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [(point["family"], point["n"]) for point in points] == [(family, 16), (family, 40)]
    assert every(point["seconds"] > 0 and point["memory"] >= 0 for point in points)


def test_slopes_are_those_of_powers() -> None:
    points = [{"n": n, "seconds": 3.0 * n**1.5} for n in (10, 100, 5000)]
    assert large.slopes([*points, {"n": 10**5, "seconds": 0.0}], "seconds") == [
        pytest.approx(1.5), pytest.approx(1.5), None,
    ]  # fmt: skip


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
    said = capsys.readouterr().out.splitlines()
    assert said[-1].split()[0] == "100000" and "16384" in said[-1].replace(" ", "")
