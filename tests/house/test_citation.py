"""The version, and how to cite it, are the same wherever they stand."""

import re

import pytest

import fastgc
from conftest import ROOT

pytestmark = pytest.mark.night


@pytest.fixture(scope="module")
def citation():
    """What CITATION.cff says."""
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_has_what_the_format_asks_for(citation):
    """Citation File Format 1.2.0: the required keys, and the types of those that are there."""
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0" and citation["type"] in ("software", "dataset")
    texts = {"abstract", "date-released", "license", "message", "title", "version"}
    known = texts | {"authors", "cff-version", "keywords", "type"}
    assert set(citation) <= known
    for key in texts:
        assert isinstance(citation[key], str) and citation[key].strip(), key
    assert citation["authors"]
    for author in citation["authors"]:
        assert set(author) in ({"name"}, {"given-names", "family-names"})
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", citation["date-released"])
    assert len(set(citation["keywords"])) == len(citation["keywords"])


def test_one_version_everywhere(citation):
    [version, date] = re.findall(
        r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )[0]
    assert version == fastgc.__version__ == citation["version"]
    assert date == citation["date-released"]


def test_one_license_everywhere(citation):
    pyproject = (ROOT / "pyproject.toml").read_text()
    assert f'license = "{citation["license"]}"' in pyproject
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text()
