"""``fastgc validate my.toml``: exit codes, forms, and the worst files that it can be given."""

import json
import re

import pytest

CLAIM = """
[[claim]]
id = "mine.lemma3"
statement = "FRC with two-class stragglers loses n q^d partitions on average"
relation = "="
theory = "{theory}"
where = {{ q = "p_slow * p_straggle_slow + (1 - p_slow) * p_straggle_active" }}
quantity = "error"
[claim.experiment]
code = {{ family = "frc", n = 8, d = 2 }}
[claim.experiment.stragglers]
model = "two-class"
p_slow = 0.3
p_straggle_slow = 0.8
p_straggle_active = 0.01
[claim.experiment.sweep]
"code.d" = [1, 2, 4]
"""
RIGHT = "n * q**d"
WRONG = "1.01 * n * q**d"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(theory=RIGHT, text=None):
        (tmp_path / "my.toml").write_text(CLAIM.format(theory=theory) if text is None else text)
        return "my.toml"

    return write


def test_forms(file, command):
    code, out, _ = command("validate", file(), "--json")
    [verdict] = json.loads(out)
    assert code == 0 and verdict["claim"] == "mine.lemma3"
    assert [case["verdict"] for case in verdict["cases"]] == ["confirmed"] * 3
    said = f"mine.lemma3  {verdict['statement']}\n"
    assert command("validate", file(), "--list")[1] == said
    code, out, _ = command("validate", file(WRONG), "--latex")
    rows = re.findall(r"^.*= \\num.*$", out, re.MULTILINE)
    assert code == 1 and len(rows) == 3
    assert r"& = \num{1.99576} & \num{1.976} & refuted \\" in rows[0]


def test_kept_and_shown(file, command, tmp_path):
    code, said, _ = command("validate", file(), "-o", "out.h5")
    assert code == 0 and "mine.lemma3: confirmed to 12 digits" in said
    code, out, _ = command("show", "out.h5")
    assert (code, out) == (0, said)
    before, inode = (tmp_path / "out.h5").read_bytes(), (tmp_path / "out.h5").stat().st_ino
    assert command("validate", file(), "-o", "out.h5")[:2] == (0, said)
    assert (tmp_path / "out.h5").stat().st_ino == inode, "a complete file is left alone"
    code, _, err = command("validate", file(WRONG), "-o", "out.h5")
    assert code == 2 and err.count("\n") == 1 and "holds another study" in err
    assert (tmp_path / "out.h5").read_bytes() == before


def test_run_says_which_command_is_meant(file, command):
    code, out, err = command("run", file())
    assert (code, out) == (2, "")
    assert err == (
        "fastgc: my.toml: claim: holds claims and no experiment; `fastgc validate` measures them\n"
    )
    code, _, err = command("validate", file(text="[[experiment]]\n"))
    assert code == 2 and "experiments are for `fastgc run`" in err


def test_codes_for_the_terminal_are_escaped(file, command):
    code, out, err = command(
        "validate", file(text=CLAIM.replace("FRC with", "\\u001b[2J").format(theory="k"))
    )
    assert code == 1 and "\x1b" not in out + err
