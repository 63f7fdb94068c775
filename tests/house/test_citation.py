"""The version, and how to cite it, are the same wherever they stand."""

import re
from importlib import import_module

import pytest

import fastgc
from conftest import ROOT
from fastgc.registry.plugin_groups import REGISTRY

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


def test_forms_of_issues_are_as_github_reads_them():
    yaml = pytest.importorskip("yaml")
    forms = [yaml.safe_load(path.read_text()) for path in ROOT.glob(".github/*/[!c]*.yml")]
    assert [{*form} for form in forms] == [{"name", "description", "labels", "body"}] * 3
    for each in (each for form in forms for each in form["body"]):
        assert ("options" in each["attributes"]) == (each["type"] == "dropdown"), each["id"]


def test_the_examples_of_contributing_are_true(command, tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    code, system = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "a.toml").write_text(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[1])
    assert ".derived: confirmed to 12" in command("validate", tmp_path / "a.toml")[1]
    files = ("codes.binary", "systems.coded", "systems.timing.terms")
    names = [vars(import_module(f"fastgc.{each}")) for each in files]
    with REGISTRY.restored():
        exec(code, {**names[0]})
        exec(system, names[1] | names[2])
        for line in re.findall(r"^fastgc (inspect .*)", text, re.MULTILINE):
            assert command(*line.split())[0] == 0
        assert command("inspect", "mirror", "n=100000")[0] == 0, "made by its columns"
