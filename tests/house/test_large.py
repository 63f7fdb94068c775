"""Time and memory against the number of workers: the short form of ``python -m bench.large``."""

import json
from pathlib import Path

import numpy as np
import pytest

from bench import large
from fastgc.codes import Components, graph
from fastgc.decoding.decoder import Decoder
from suite.checks import every
from twins.least_squares import pack


def test_scipy_decodes_as_fastgc_does() -> None:
    code = graph("random-regular", vertices=60, degree=3, seed=2)
    assert isinstance(code.structure, Components)
    alive = np.random.default_rng(0).random((40, code.n)) < np.linspace(0, 1, 40)[:, np.newaxis]
    found = [large.by_scipy(code.structure.edges[own], code.k) for own in alive]
    assert Decoder(code).errors(pack(alive)) == pytest.approx(found, abs=1e-12)
    assert found[0] == code.k


def test_a_few_sizes_are_measured_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "large.svg"
    family = "random regular graph, degree 4"
    given = ["--family", family, "--sizes", "16", "40", "--draws", "2000000", "--json"]
    assert large.main([*given, "-o", str(file)]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [(point["family"], point["n"]) for point in points] == [(family, 16), (family, 40)]
    assert every(point["peer"]["difference"] < 1e-9 for point in points)
    assert "workers" in file.read_text() and family in file.read_text()


def test_slopes_are_those_of_powers() -> None:
    points = [{"n": n, "seconds": 3.0 * n**1.5} for n in (10, 100, 5000)]
    assert large.slopes([*points, {"n": 10**5, "seconds": 0.0}], "seconds") == [
        pytest.approx(1.5), pytest.approx(1.5), None,
    ]  # fmt: skip


@pytest.mark.parametrize("family", large.FAMILIES)
def test_every_family_makes_a_study_of_about_so_many_workers(family: str) -> None:
    table = large.FAMILIES[family].study(1000)
    named = table.get("code", table.get("system"))
    n = named.get("n", 2 * named.get("vertices", 0))
    n = n * (n + 1) if named["family"] == "coded-reduce" else n
    assert 900 <= n <= 1100
