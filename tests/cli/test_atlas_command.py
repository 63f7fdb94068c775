"""``fastgc atlas``: its text, page, JSON and CSV, and its exit codes."""

import csv
import json

import numpy as np
import pytest


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.uniform(1.0, 1.1, (90, 4))
    rows[:, 2] *= 3
    barrier = np.repeat(rows.max(axis=1)[:, None], 4, axis=1)
    (tmp_path / "in").mkdir()
    for name, own in (("own", rows), ("rounds<1>", barrier)):
        path = tmp_path / "in" / f"{name}.csv"
        np.savetxt(path, own, "%.5f", ",", header="a,b,c,d", comments="")
    return tmp_path


def test_text(command, folder):
    code, out, _ = command("atlas", folder / "in")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert "Of 1 recordings" not in said and "leave out 0." in said
    assert "rounds<1>.csv: these are times of the round" in said


def test_json_and_csv_have_the_same_numbers(command, folder):
    code, out, _ = command("atlas", folder / "in", "--json")
    found = json.loads(out)
    assert code == 0 and found["subjects"][0]["cells"][0]["winner"] == "leave-out"
    code, out, _ = command("atlas", folder / "in", "--csv")
    lines = list(csv.DictReader(out.splitlines()))
    for cell in found["subjects"][0]["cells"]:
        for each in cell["systems"]:
            family = each["system"]["family"]
            [line] = [e for e in lines if (e["cost"], e["family"]) == (cell["cost"], family)]
            assert float(line["time"]) == each["time"]["value"]
            assert line["wins"] == str(family == cell["winner"])


@pytest.mark.parametrize("name", ["atlas.html", "atlas.md"])
def test_the_page_has_pictures_table_and_refusals(command, folder, name):
    pytest.importorskip("matplotlib")
    code, out, err = command("atlas", folder / "in", "--seed", 3, "-o", folder / name)
    text = (folder / name).read_text()
    assert (code, out) == (0, "") and f"wrote {folder / name}" in " ".join(err.split())
    for part in ("Who wins where", "Up to what cost codes pay", "All numbers", "--seed 3"):
        assert part in text
    assert "rounds<1>" not in text or name.endswith(".md")
    assert ("<svg" in text) == name.endswith(".html")
    assert "leave out" in text


def test_exit_codes(command, folder):
    (folder / "in" / "own.csv").unlink()
    code, out, _ = command("atlas", folder / "in")
    assert code == 1 and out.startswith("No recording can tell")
    for wrong in (
        ("atlas", folder / "none"),
        ("atlas", folder / "in", "--fit", "own.csv"),
        ("atlas", folder / "in", "--fit", "own.csv:1"),
        ("atlas", folder / "in", "-o", folder / "atlas.pdf"),
        ("atlas", "--fit", "own.csv:1"),
        ("atlas", folder / "in", "--json", "--csv"),
    ):
        code, out, err = command(*wrong)
        assert (code, out) == (2, "") and len(err.splitlines()) == 1
