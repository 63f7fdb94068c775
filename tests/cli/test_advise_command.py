"""``fastgc advise``: its text, its JSON, and its exit codes."""

import json

import numpy as np
import pytest


@pytest.fixture
def recording(tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.uniform(1.0, 1.1, (90, 4))
    rows[:, 2] *= 3
    rows = rows.round(4).tolist()
    wide = ["a,b,c,d", *(",".join(map(str, row)) for row in rows)]
    long = [f"{i},{'abcd'[j]},{row[j]}" for i, row in enumerate(rows) for j in range(4)]
    barrier = ["a,b,c,d", *(",".join(4 * [str(max(row) + row[0])]) for row in rows)]
    slower = ["a,b,c,d", *(",".join(str(time + 0.25) for time in row) for row in rows)]
    texts = {"wide": wide, "long": ["step,who,s", *long], "barrier": barrier, "slower": slower}
    for name, lines in texts.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    return tmp_path


@pytest.mark.night
def test_text_and_html(command, recording):
    code, out, _ = command("advise", recording / "wide.csv")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    heads = [line.partition(":")[0] for line in out.splitlines()]
    places = [heads.index(head) for head in ("Verdict", "Why", "Next", "Break-even")]
    assert places == sorted(places)
    assert "Leave out c in all rounds" in out and "If more work takes no more time" in out
    code, out, _ = command("advise", recording / "wide.csv", "--html")
    assert code == 0 and out.lower().startswith("<!doctype html>") and "Leave out c in" in out


@pytest.mark.parametrize("options", [
    ("wide.csv", "--load", 0.25),
    ("wide.csv", "--workers", "[bcd]"),
    ("long.csv", "--column", "worker=who", "--column", "value=s", "--column", "iteration=step"),
])  # fmt: skip
def test_json(command, recording, options):
    file, *others = options
    code, out, _ = command("advise", recording / file, *others, "--json")
    found = json.loads(out)
    assert code == 0 and found["kind"] == "remedy" and len(found["why"]) == 3
    assert found["workers"] == (3 if "--workers" in options else 4)
    assert found["S_w"][0]["worker"] == "c" and found["M_W"]["value"] > 0.9
    assert {each["rate"] for each in found["systems"]} == set(found["rates"])
    assert found["systems"][0]["gradient"] == "exact" and found["break_even"]["value"] >= 0


@pytest.mark.night
def test_a_folder_gets_a_line_a_recording(command, recording):
    (recording / "long.csv").unlink()
    code, out, _ = command("advise", recording)
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    assert "leave-out n=4 k=1 for good" in lines["wide.csv"] and "certain" in lines["wide.csv"]
    assert "Cannot tell: these are times" in lines["barrier.csv"] and "more columns" not in out
    found = json.loads(command("advise", recording, "--json")[1])
    assert [each["trace"] for each in found] == ["barrier.csv", "slower.csv", "wide.csv"]
    best = min(each["gain"] for each in found[2]["systems"] if each["system"] == found[2]["system"])
    assert f"{100 * (1 - 1 / best):.3g} %" in lines["wide.csv"]
    code, page, _ = command("advise", recording, "--html")
    assert code == 0 and "Cannot tell: these are times of the round" in page
    (recording / "empty").mkdir()
    assert command("advise", recording / "empty")[0] == 2


def test_exit_codes(command, recording):
    code, out, _ = command("advise", recording / "barrier.csv")
    assert code == 1 and "Cannot tell: these are times of the round" in " ".join(out.split())
    for wrong in (
        ("advise", recording / "none.csv"),
        ("advise", recording / "long.csv"),
        ("advise", recording / "wide.csv", "--fit", "wide.csv"),
        ("advise", recording / "wide.csv", "--rate", 1, "--fit", "wide.csv:1"),
        ("advise", recording / "wide.csv", "--fit", f"{recording / 'none.csv'}:1"),
        ("advise", recording / "wide.csv", "--load", 0),
        ("advise", recording / "wide.csv", "--html", "--json"),
    ):
        code, out, err = command(*wrong)
        assert (code, out) == (2, "") and len(err.splitlines()) == 1
