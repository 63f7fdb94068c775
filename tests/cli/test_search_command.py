"""``fastgc search``: its text, its files, what is known already, and mistakes."""

import json
import signal

import numpy as np
import pytest

import fastgc
from fastgc.cli.meter import Meter
from fastgc.searching import table

pytestmark = pytest.mark.night

KNOWN = {
    "parts": {"pair": [[1, 1], [1, 1]], "one": [[1]]},
    "cells": [
        {"n": 3, "d": 2, "p": 0.1, "value": 0.12, "parts": ["pair", "one"], "family": 0.2}
        | {"family_name": "circulant n=3 d=2", "bound": 0.03},
        {"n": 3, "d": 2, "p": 0.2, "value": 0.2, "parts": ["pair", "one"], "family": 0.3}
        | {"family_name": "circulant n=3 d=2", "bound": 0.03},
        {"n": 3, "d": 2, "s": 2, "value": 2.0, "parts": ["one", "pair"], "family": 2.0}
        | {"family_name": "circulant n=3 d=2", "bound": 2.0},
    ],
}


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(table, "_codes", lambda: KNOWN)


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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["n=8", "d=3"], "give either p or s"),
        (["n=8", "d=3", "p=0.1", "entries=[1]"], "unknown key"),
        (["n=8", "d=3", "p=0.1", "--threads", "0"], "threads"),
        (["n=8", "d=3", "p=0.1", "-o", "best.pdf"], "must end in .csv, .npy"),
        (["none.toml"], "none.toml: no such file"),
        (["--show", "12"], "must be N,D like 12,3"),
        (["--show", "3,1"], "no code is kept for n=3 d=1"),
        (["--show", "3,2", "p=0.3"], "no code is kept for n=3 d=2 p=0.3"),
        (["--show", "3,2", "-o", "best.csv"], "say which, like p=0.1 or s=3"),
    ],
)
def test_mistakes(command, here, known, words, said):
    code, _, err = command("search", *words)
    assert code == 2 and said in err and "Traceback" not in err


def test_what_is_known_is_shown_and_written(command, tmp_path, known):
    code, text, _ = command("search", "--show", "3,2")
    assert code == 0
    assert "mean, p=0.1" in text and "0.12" in text and "0.03" in text
    assert "worst of 2 stragglers" in text and "reached" in text
    out = tmp_path / "best.csv"
    code, _, _ = command("search", "--show", "3,2", "p=0.1", "-o", out)
    assert code == 0 and fastgc.error(str(out), p=0.1).value == pytest.approx(
        0.12, rel=1e-12, abs=0
    )
    code, _, _ = command("search", "--show", "3,2", "s=2", "-o", out.with_suffix(".npy"))
    want = [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert code == 0 and np.load(out.with_suffix(".npy")).tolist() == want


def test_inspect_names_a_better_code_of_the_load(command, known):
    code, _, err = command("inspect", "circulant", "n=3", "d=2", "-p", "0.2")
    said = "% less error at this load is known: `fastgc search --show 3,2`"
    assert code == 0 and said in err
    error = fastgc.inspect(fastgc.codes.circulant(n=3, d=2), p=0.2).mean_error
    assert f"A code with {100 * (1 - 0.2 / error):.3g} {said[:6]}" in err
    for words in (["circulant", "n=3", "d=2", "-p", "0.3"], ["frc", "n=4", "d=2"]):
        assert "is known" not in command("inspect", *words)[2]


def test_inspect_compares_no_shorter_answers(command):
    for words, is_known in ((["n=6", "s=2", "m=1"], True), (["n=6", "s=1", "m=2"], False)):
        assert ("is known" in command("inspect", "ye-abbe", *words)[2]) == is_known


def test_design_names_the_table_where_a_gradient_code_is_first(known):
    law = {"distribution": "exponential", "mean": 1.0}
    own = {"workers": 3, "schemes": ["gradient-code"], "latency": law, "most_load": 0.7}
    found = fastgc.design(own)
    said = [note for note in found.notes if "fastgc search --show 3,2" in note]
    assert bool(said) == (found[0].system.get("s") == 1)
    assert said


def test_a_search_takes_up_what_is_known(known):
    found = fastgc.search(n=3, d=2, p=0.1, steps=0)
    assert found.value <= 0.12 + 1e-12


def test_a_search_that_is_stopped_prints_and_writes_the_best_so_far(command, tmp_path, monkeypatch):
    asked = []

    def press(meter, step):
        if step.done and not asked:
            asked.append(signal.raise_signal(signal.SIGINT))

    monkeypatch.setattr(Meter, "show", press)
    out = tmp_path / "best.csv"
    words = "n=5", "k=3", "d=2", "p=0.1", "steps=1000000000", "-o", out
    code, text, err = command("search", *words)
    assert code == 130 and text.startswith("Mean error")
    last = err.splitlines()[-1]
    assert last.startswith("stopped early by SIGINT: what is printed is the best so far")
    made = json.loads(out.with_suffix(".json").read_text())
    assert made["ended"] == "SIGINT" and np.loadtxt(out, delimiter=",").shape == (3, 5)
