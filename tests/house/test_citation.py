"""The version, and how to cite it, are the same wherever they stand."""

import re

import pytest

import fastgc
from conftest import ROOT

pytestmark = pytest.mark.night


def test_one_version_and_one_license_everywhere():
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    heads = re.findall(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    version, date = heads[0]
    assert version == fastgc.__version__ == citation["version"]
    assert date == citation["date-released"]
    assert f'license = "{citation["license"]}"' in (ROOT / "pyproject.toml").read_text()
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text()
