"""The JSON Schema of a study: well formed, and wide enough for studies that are there."""

import json
import re
import tomllib
from importlib.resources import files

import pytest

from fastgc import registry
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.study.schema import schema
from suite.studies import descent

STUDIES = sorted(
    path
    for folder in files("fastgc.study.packaged").iterdir()
    if folder.is_dir()
    for path in folder.iterdir()
    if path.name.endswith(".toml")
)


@pytest.fixture(scope="module")
def whole():
    return json.loads(json.dumps(schema(), allow_nan=False))


def experiment_table(whole, kind="decoding"):
    return whole["$defs"][f"experiment:{kind}"]


def members(whole, group, kind="decoding"):
    """Schema of the tables of a group in the experiments of one kind."""
    own = experiment_table(whole, kind)["properties"][group]
    return next((option for option in own.get("anyOf", ()) if "discriminator" in option), own)


def member(whole, group, tag, kind="decoding"):
    """Schema of a family or a model in the experiments of one kind."""
    own = members(whole, group, kind)
    return whole["$defs"][own["discriminator"]["mapping"][tag].rpartition("/")[2]]


def test_every_reference_is_defined(whole):
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    found = set(re.findall(r'"\$ref": "([^"]*)"', json.dumps(whole)))
    assert len(found) > 20
    assert found <= {f"#/$defs/{name}" for name in whole["$defs"]}


@pytest.mark.parametrize(
    ("kind", "group"), [("decoding", "code"), ("decoding", "stragglers"), ("completion", "system")]
)
def test_every_member_is_named(whole, kind, group):
    own = members(whole, group, kind)
    tags = set(registry.members(group))
    assert set(own["discriminator"]["mapping"]) == tags
    assert len(own["oneOf"]) == len(tags)
    for tag in tags:
        table = member(whole, group, tag, kind)
        assert table["additionalProperties"] is False
        fields = registry.members(group)[tag].model_fields
        keys = {field.alias or name for name, field in fields.items()}
        assert set(table["properties"]) == {*keys}


def tables(node, name="study"):
    """Every table of a schema, those within others too: (name, table)."""
    if isinstance(node, dict):
        if "properties" in node:
            yield name, node
        for key, item in node.items():
            if key == "else":  # says again what has been said, of studies without shared keys
                continue
            named = item.get("title", key) if isinstance(item, dict) and key != "properties" else ""
            yield from tables(item, named or name)
    elif isinstance(node, list):
        for item in node:
            yield from tables(item, name)


def test_every_table_and_every_key_is_described(whole):
    assert not [name for name, table in tables(whole) if not table.get("description", "").strip()]
    found = [
        (f"{name}.{key}", entry)
        for name, table in tables(whole)
        for key, entry in table["properties"].items()
    ]
    assert len(found) > 300
    silent = [name for name, entry in found if not entry.get("description", "").strip()]
    assert not silent, f"{len(silent)} of {len(found)} keys: {', '.join(silent)}"
    assert "The parameters are those of" not in json.dumps(whole)


def test_measures_and_required_keys(whole):
    own = experiment_table(whole)
    assert set(own["properties"]["measure"]["items"]["enum"]) == set(MEASURES)
    assert set(own["required"]) == {"code", "stragglers"}
    assert whole["properties"]["experiment"]["minItems"] == 1
    stated = [{"required": ["experiment"]}, {"required": ["claim"]}]
    alone = [{"required": ["design"]}, {"required": ["search"]}]
    assert whole["oneOf"] == [{"anyOf": stated}, *alone]


@pytest.mark.night
@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.name)
def test_packaged_studies_fit(whole, path):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(whole)
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), whole)


EXPERIMENT = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": {"model": "iid", "p": 0.1}}
TRAINING = descent(2, 12, 2, 2) | {"code": "B.npy", "stragglers": 0.1}
LAW = {"distribution": "exponential", "mean": 1.0}
TIMES = {"kind": "completion", "system": {"family": "uncoded", "n": 2}, "latency": [LAW] * 2}
RANGE = {"from": 0.01, "to": 0.5, "count": 9, "scale": "log"}
SHARED = {"stragglers": 2, "code": {"family": "frc", "n": 8}}


@pytest.mark.night
@pytest.mark.parametrize(("study", "is_valid"), [
    *(({"experiment": [EXPERIMENT | {key: value}]}, fits) for key, value, fits in [
        ("stragglers", 0.1, True), ("stragglers", "0.1", False), ("code", "B.npy", True),
        ("code", [[1, 0.5], [0, "1+2j"]], True), ("code", {"family": "frc", "n": 8}, False),
        ("sweep", {"stragglers.p": RANGE}, True),
        ("sweep", {"stragglers.p": RANGE | {"step": 1}}, False),
        ("code", {"family": "frc", "n": 8.0, "d": 2e0}, True),
        ("decoder", {"method": "one-step"}, True), ("decoder", {"method": "ridge"}, False),
    ]),
    ({"experiment": [EXPERIMENT], "stop": {"trials": 1e5}}, True),
    ({"experiment": [{key: TIMES[key] for key in ("system", "latency")}]}, True),
    ({"experiment": [{"system": TIMES["system"]}]}, False),
    ({"experiment": [EXPERIMENT | {"stragglers": {}, "sweep": {"stragglers.p": [1]}}]}, True),
    ({"experiment": [TRAINING]}, True),
    ({"defaults": SHARED, "experiment": [{"code": {"d": 2}}, {}]}, True),
    ({"experiment": [{"code": {"d": 2}}]}, False),
    ({"defaults": {"kind": "training", "iterations": 3}, "experiment": [EXPERIMENT]}, True),
])  # fmt: skip
def test_what_may_be_said_in_short(whole, study, is_valid):
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    assert validator(whole).is_valid(study) == is_valid


@pytest.mark.night
def test_claims_fit():
    from jsonschema import Draft202012Validator

    table = {
        "id": "mine.lemma3",
        "statement": "A statement",
        "theory": "n * q**d",
        "where": {"q": "p"},
        "quantity": "error",
        "index": [1, 2],
        "experiment": EXPERIMENT,
    }
    validator = Draft202012Validator(json.loads(json.dumps(schema())))
    assert validator.is_valid({"claim": [table], "experiment": [table["experiment"]]})
    assert validator.is_valid({"claim": [table | {"theory": 1.8, "missing": "the step"}]})
    for wrong in ({"relation": "=="}, {"teory": 1}, {"experiment": {"code": {}}}, {"digits": "1"}):
        assert not validator.is_valid({"claim": [table | wrong]})
