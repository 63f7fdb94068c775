"""Studies that are no plain files, or too long to be studies."""

import os
from pathlib import Path

import pytest

from fastgc.study import source
from fastgc.study.source import Source
from fastgc.validation import reports
from suite.checks import refusal

STUDY = '[[experiment]]\ncode = { family = "frc", n = 4, d = 2 }\n'


def test_what_has_no_end_is_no_study(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    os.mkfifo(path)
    assert refusal(Source.of, path) == f"{path}: is no plain file; name a study file"
    assert "is no plain file" in refusal(reports.page, [path])
    path.unlink()
    path.symlink_to("/dev/zero")
    assert refusal(Source.of, path) == f"{path}: is no plain file; name a study file"
    path.unlink()
    (tmp_path / "b.toml").write_text(STUDY)
    path.symlink_to(tmp_path / "b.toml")
    assert Source.of(path).text == STUDY


def test_a_study_has_a_longest_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.toml"
    with path.open("wb") as file:
        file.truncate(10**12)  # takes no room on the disk
    assert refusal(Source.of, path) == f"{path}: has more than 16 MB; put large data into files"
    path.write_text(STUDY)
    monkeypatch.setattr(source, "LONGEST", len(STUDY))
    assert Source.of(path).text == STUDY
    path.write_text(STUDY + "\n" * 16)
    assert "has more than" in refusal(Source.of, path)
