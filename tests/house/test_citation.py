"""The version, and how to cite it, are the same wherever they stand."""

import re

import yaml

import fastgc
from conftest import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_has_what_the_format_asks_for():
    """Citation File Format 1.2.0: the required keys, and the types of those that are there."""
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    assert CITATION["cff-version"] == "1.2.0" and CITATION["type"] in ("software", "dataset")
    texts = {"abstract", "date-released", "license", "message", "title", "version"}
    known = texts | {"authors", "cff-version", "keywords", "type"}
    assert set(CITATION) <= known
    for key in texts:
        assert isinstance(CITATION[key], str) and CITATION[key].strip(), key
    assert CITATION["authors"]
    for author in CITATION["authors"]:
        assert set(author) in ({"name"}, {"given-names", "family-names"})
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", CITATION["date-released"])
    assert len(set(CITATION["keywords"])) == len(CITATION["keywords"])


def test_one_version_everywhere():
    [version, date] = re.findall(
        r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )[0]
    assert version == fastgc.__version__ == CITATION["version"]
    assert date == CITATION["date-released"]


def test_one_license_everywhere():
    pyproject = (ROOT / "pyproject.toml").read_text()
    assert f'license = "{CITATION["license"]}"' in pyproject
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text()
