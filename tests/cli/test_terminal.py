"""What reaches a terminal: text alone, of any origin; and nothing where it is closed."""

import sys
from pathlib import Path

import pytest

import fastgc
from conftest import ran
from fastgc.cli.terminal import clean

STUDY = """
title = "\\u001b]0;owned\\u0007 \\u001b[31mred\\u009b0m"
[stop]
trials = 100
[[experiment]]
name = "ring"
code = { family = "circulant", n = 5, d = 2 }
stragglers = { model = "iid", p = 0.2 }
"""


def test_codes_are_escaped_and_text_is_left_alone() -> None:
    assert clean("a\x1b[31mb\x9bc\x7f\r\x00") == "a\\u001b[31mb\\u009bc\\u007f\\u000d\\u0000"
    assert clean("\u202eevil\u2066") == "\\u202eevil\\u2066"
    for text in ("a\tb\nc", "± 1 234 é ∞ ≤ „x“ \u00a0", "عربي"):
        assert clean(text) == text


@pytest.mark.parametrize("form", [[], ["--log", "text"], ["--log", "json"], ["--dry-run"]])
def test_a_title_does_not_reach_the_terminal(command, tmp_path: Path, monkeypatch, form) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(STUDY)
    done, *said = command("run", "a.toml", "-o", "a.h5", *form)
    shown, *more = command("show", "a.h5")
    assert (done, shown) == (0, 2 if "--dry-run" in form else 0), said + more
    for text in said + more:
        assert clean(text) == text


BOTH = """
import sys
from fastgc.cli.main import main
for words in ("run a.toml -o b.h5 --log text", "help versions"):
    sys.argv = ["fastgc", *words.split()]
    try:
        main()
    except SystemExit as left:
        if left.code:
            raise
"""


@pytest.mark.night
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-"])
def test_closed_streams(tmp_path: Path, closed: str) -> None:
    (tmp_path / "a.toml").write_text(STUDY)
    (tmp_path / "both.py").write_text(BOTH)
    done = ran("sh", "-c", f"'{sys.executable}' both.py {closed}", cwd=tmp_path)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert fastgc.open(tmp_path / "b.h5").rows()
