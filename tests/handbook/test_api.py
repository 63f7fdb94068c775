"""``python -m bench.api``: pages of the public names, made by pdoc without a warning."""

import sys

import pytest

import fastgc
from conftest import ROOT, ran


@pytest.mark.night
def test_pages_of_all_public_names_are_made(tmp_path):
    out = tmp_path / "api"
    done = ran(
        sys.executable, "-W", "error::UserWarning", "-m", "bench.api", "-o", str(out), cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    face = (out / "fastgc.html").read_text(encoding="utf-8")
    for name in fastgc.__all__:
        assert f'id="{name}"' in face or f'href="fastgc/{name}.html"' in face, name
    codes = (out / "fastgc" / "codes.html").read_text(encoding="utf-8")
    for name in fastgc.codes.__all__:
        assert f'id="{name}"' in codes, name
    formulas = (out / "fastgc" / "theory" / "agc.html").read_text(encoding="utf-8")
    for name in fastgc.theory.paper("agc").formulas:
        assert f'id="{name}"' in formulas, name
