"""The site of ``docs``: it builds without a warning, has all there is, and asks no other host."""

import re
import sys

import pytest

import fastgc
from conftest import ROOT, ran
from fastgc.report import handbook

LOADED = r'(<(script|img|source|link)[^>]* (src|href)="|url\(["\']?|@import ["\'])(https?:)?//'


@pytest.mark.night
def test_the_site_is_made_of_all_there_is(tmp_path):
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-D", "plot_gallery=0", "docs", tmp_path]
    done = ran(*build, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    files = (path for path in tmp_path.rglob("*.*") if path.suffix in (".css", ".html"))
    texts = {str(path.relative_to(tmp_path)): path.read_text() for path in files}
    assert not [name for name, text in texts.items() if re.search(LOADED, text)]
    topics = [page.topic for page in handbook.pages()]
    found = re.findall(r'href="handbook/([\w-]+).html"', texts["index.html"])
    assert found[: len(topics)] == topics
    names = {"theory.agc": fastgc.theory.paper("agc").formulas, "codes": fastgc.codes.__all__}
    public = [f"{module}.{name}" for module, own in names.items() for name in own]
    public += [name for name in fastgc.__all__ if callable(getattr(fastgc, name))]
    text = "".join(text for name, text in texts.items() if name.startswith("reference/"))
    assert [name for name in public if f'id="fastgc.{name}"' not in text] == []
    text = "".join(text for name, text in texts.items() if name.startswith("papers/"))
    core = [each.id for each in fastgc.theory.claims() if each.paper in fastgc.theory.CORE]
    assert [each for each in core if f'id="{re.sub("[^a-z0-9]+", "-", each)}"' not in text] == []
    refuted = [e for e in fastgc.theory.claims() if e.id in core and e.expected == "refuted"]
    assert text.count("<p>Counterexample: ") == len(refuted)
    assert text.count("The text that is judged: ") == len(fastgc.theory.CORE)
