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
    formulas = fastgc.theory.paper("agc").formulas
    pages = {"": fastgc.__all__, "/codes": fastgc.codes.__all__, "/theory/agc": formulas}
    pages["/runs"] = fastgc.runs.__all__
    for page, names in pages.items():
        text = (out / f"fastgc{page}.html").read_text(encoding="utf-8")
        for name in names:
            assert f'id="{name}"' in text or f'href="fastgc/{name}.html"' in text, name
