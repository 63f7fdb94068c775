"""Some files of each kind from a stranger, by the bench that tries thousands."""

import sys

import pytest

from bench.fuzz import KINDS, attempt
from conftest import ROOT, ran


@pytest.mark.night
def test_files_from_strangers() -> None:
    command = [sys.executable, "-m", "bench.fuzz", "--count", "12", "--seed", "5"]
    done = ran(*command, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    rows = [line.split()[:4] for line in done.stdout.splitlines()]
    assert rows == [[kind, "12", "0", "wrong;"] for kind in KINDS] and len(rows) == 5


@pytest.mark.night
@pytest.mark.parametrize(("what", "says"), [
    ("raise KeyError(3)", "traceback"),
    ("print('a\\x1b[31mb')", "control characters"),
    ("import sys; print('UserWarning: so', file=sys.stderr)", "a warning"),
    ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    ("x = bytearray(2500 * 10**6)", "MB of memory"),
    ("import sys; sys.exit(2)", "refused without a sentence"),
    ("import sys; sys.exit(70)", "exit code 70"),
    ("print('fine')", ""),
])  # fmt: skip
def test_what_hurts_is_found(what, says, tmp_path, monkeypatch) -> None:
    """Each kind of harm, by a command that does it."""
    from fastgc.cli import main

    monkeypatch.setattr(main, "main", lambda: exec(what, {}))
    codes, wrong = attempt([["harm"]], tmp_path)
    assert len(codes) == 1
    assert says in wrong and bool(wrong) == bool(says)
