"""The JSON Schema of a study: well formed, and wide enough for studies that are there."""

import json
import sys
import tomllib
from importlib.resources import files
from importlib.util import find_spec

import pytest

from fastgc import cli, registry
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.schema import schema

STUDIES = sorted(
    path
    for folder in files("fastgc.studies").iterdir()
    if folder.is_dir()
    for path in folder.iterdir()
    if path.name.endswith(".toml")
)


@pytest.fixture(scope="module")
def whole():
    return json.loads(json.dumps(schema(), allow_nan=False))


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for item in node.values():
            yield from references(item)
    elif isinstance(node, list):
        for item in node:
            yield from references(item)


def experiment_table(whole):
    return whole["$defs"]["experiment:decoding"]


def member(whole, room, tag):
    """Schema of a family or a model."""
    key = registry.discriminator(room)
    [found] = [
        table
        for table in whole["$defs"].values()
        if table.get("properties", {}).get(key, {}).get("const") == tag
    ]
    return found


def test_every_reference_is_defined(whole):
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    found = set(references(whole))
    assert len(found) > 20
    for reference in found:
        prefix, name = reference.rsplit("/", 1)
        assert prefix == "#/$defs" and name in whole["$defs"]


@pytest.mark.parametrize("room", ["code", "stragglers"])
def test_every_member_is_named(whole, room):
    own = experiment_table(whole)["properties"][room]
    tags = set(registry.members(room))
    assert set(own["discriminator"]["mapping"]) == tags
    assert len(own["oneOf"]) == len(tags)
    for tag in tags:
        table = member(whole, room, tag)
        assert table["additionalProperties"] is False
        assert set(table["properties"]) == set(registry.members(room)[tag].model_fields)


def test_measures_and_required_keys(whole):
    own = experiment_table(whole)
    assert set(own["properties"]["measure"]["items"]["enum"]) == set(MEASURES)
    assert set(own["required"]) == {"code", "stragglers"}
    assert whole["properties"]["experiment"]["minItems"] == 1
    assert "experiment" in whole["required"]


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.name)
def test_packaged_studies_fit(whole, path):
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(data) <= set(whole["properties"])
    stop = whole["$defs"]["Stop"]["properties"]
    assert set(data.get("stop", {})) <= set(stop)
    for table in data["experiment"]:
        assert set(table) <= set(experiment_table(whole)["properties"])
        for room in ("code", "stragglers"):
            own = member(whole, room, table[room][registry.discriminator(room)])
            assert set(table[room]) <= set(own["properties"])
            assert set(own.get("required", ())) <= set(table[room])
    if find_spec("jsonschema"):
        import jsonschema

        jsonschema.Draft202012Validator.check_schema(whole)
        jsonschema.validate(data, whole)


def test_the_command(monkeypatch, capsys, whole):
    monkeypatch.setattr(sys, "argv", ["fastgc", "schema"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert not caught.value.code
    assert json.loads(capsys.readouterr().out) == whole
