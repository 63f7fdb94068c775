"""``fastgc search``: its text, its files, what is known already, and mistakes."""

import json
import signal

import numpy as np
import pytest

from fastgc.cli.log import Log

pytestmark = pytest.mark.night


def test_text_and_files(command, tmp_path):
    out = tmp_path / "best.csv"
    code, text, _ = command("search", "n=8", "d=3", "p=0.1", "steps=200", "-o", out)
    assert code == 0 and max(map(len, text.splitlines())) <= 80
    assert text.startswith("Mean error 0.026 by even-groups n=8 groups=3")
    assert "sparse-regular n=8 d=3 seed=3" in text and "13/500" in text
    made = json.loads(out.with_suffix(".json").read_text())
    assert made["problem"] == {"n": 8, "d": 3, "p": 0.1, "steps": 200}
    code, again, _ = command("search", out.with_suffix(".search.toml"), "--json")
    assert code == 0 and json.loads(again) == made
    code, sheet, _ = command("inspect", out)
    assert code == 0 and "8, 8" in sheet


@pytest.mark.parametrize(("words", "said"), [
    (["n=8", "d=3"], "give either p or s"),
    (["n=8", "d=3", "p=0.1", "entries=[1]"], "unknown key"),
    (["n=8", "d=3", "p=0.1", "--threads", "0"], "threads"),
    (["n=8", "d=3", "p=0.1", "-o", "best.pdf"], "must end in .csv, .npy"),
    (["none.toml"], "none.toml: no such file"),
])  # fmt: skip
def test_mistakes(command, here, words, said):
    code, _, err = command("search", *words)
    assert code == 2 and said in err and "Traceback" not in err


def test_a_search_that_is_stopped_prints_and_writes_the_best_so_far(command, tmp_path, monkeypatch):
    asked = []

    def press(meter, step):
        if step.done and not asked:
            asked.append(signal.raise_signal(signal.SIGINT))

    monkeypatch.setattr(Log, "show", press)
    out = tmp_path / "best.csv"
    words = "n=5", "k=3", "d=2", "p=0.1", "steps=1000000000", "-o", out
    code, text, err = command("search", *words)
    assert code == 130 and text.startswith("Mean error")
    last = err.splitlines()[-1]
    assert last.startswith("stopped early by SIGINT: the best so far is printed")
    made = json.loads(out.with_suffix(".json").read_text())
    assert made["ended"] == "SIGINT" and np.loadtxt(out, delimiter=",").shape == (3, 5)
