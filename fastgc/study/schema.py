"""JSON Schema of a study, for editors that complete and check while one writes."""

from typing import Any

import pydantic
from pydantic.json_schema import models_json_schema

from fastgc import experiments
from fastgc.decoding.rule import DECODERS
from fastgc.experiments.table import Range
from fastgc.searching.problem import SearchTable
from fastgc.study import design, measure
from fastgc.study.claims.claim_table import ClaimTable, PaperTable
from fastgc.study.study import Study

_MATRIX = {"type": "array", "items": {"type": "array", "items": {"type": ["number", "string"]}}}
#: What may stand for a table; see `fastgc.study.points`.
SHORT: dict[str, list[dict[str, Any]]] = {
    "code": [{"type": "string"}, _MATRIX],
    "stragglers": [
        {"type": "integer", "minimum": 0},
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}},
    ],
    "decoder": [
        {
            "type": "object",
            "description": "A decoder of fastgc, which has no other keys.",
            "properties": {
                "method": {"enum": list(DECODERS), "description": "The method of the decoder."}
            },
            "required": ["method"],
            "additionalProperties": False,
        }
    ],
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a study file, with the members now registered.

    A study has experiments or claims, or a table ``design`` or ``search``.
    """
    tables = experiments.kinds()
    designs, measures = design.table(), measure.table()
    alone: dict[str, tuple[type[pydantic.BaseModel], str]] = {
        "paper": (PaperTable, "`fastgc validate`: the paper that all claims of the file are of."),
        "design": (designs, "`fastgc design`, in place of experiments: what system is looked for."),
        "search": (
            SearchTable,
            "`fastgc search`, in place of experiments: what matrix is looked for.",
        ),
        "measure": (measures, "`fastgc measure`: how the first experiment is run for real."),
    }
    models: list[type[pydantic.BaseModel]] = [Study, ClaimTable, Range, *tables.values()]
    models += [model for model, _ in alone.values()]
    # made together, so that members of the same name in different groups stay apart
    made, joint = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/$defs/{model}"
    )
    definitions = joint["$defs"]

    def taken(model: Any) -> dict[str, Any]:
        name = made[model, "validation"]["$ref"].rpartition("/")[2]
        found: dict[str, Any] = definitions.pop(name)
        return found

    whole = taken(Study)
    kinds, parts = [], []
    definitions["swept"] = {
        "description": "A list of values, a range, or a table of keys that are swept.",
        "anyOf": [
            {"type": "array"},
            {"$ref": made[Range, "validation"]["$ref"]},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/swept"}},
        ],
    }
    for name, table in tables.items():
        own = definitions[f"experiment:{name}"] = taken(table)
        keys = own["properties"]
        keys["sweep"]["additionalProperties"] = {"$ref": "#/$defs/swept"}
        for key in SHORT.keys() & keys.keys():
            inner = {
                each: keys[key].pop(each)
                for each in ("oneOf", "discriminator", "anyOf", "enum", "type")
                if each in keys[key]
            }
            keys[key]["anyOf"] = [*inner.get("anyOf", [inner]), *SHORT[key]]
        kinds.append({"$ref": f"#/$defs/experiment:{name}"})
        # what a sweep or the shared keys complete: nothing is known of its tables
        known = {key: {"description": keys[key]["description"]} for key in keys}
        definitions[f"part:{name}"] = {
            "description": f"Some keys of an experiment of kind {name}.",
            "type": "object",
            "properties": known | {key: keys[key] for key in ("kind", "sweep")},
            "additionalProperties": False,
        }
        parts.append({"$ref": f"#/$defs/part:{name}"})
    definitions["experiment"] = {
        "description": "One experiment; a sweep may give what is missing.",
        "anyOf": [*kinds, {"required": ["sweep"], "anyOf": parts}],
    }
    claim = taken(ClaimTable)
    claim["properties"]["experiment"] |= {"anyOf": [*kinds, *parts]}
    definitions["claim"] = claim
    for key, (model, meant) in alone.items():
        definitions[key] = taken(model)
        whole["properties"][key] = {"$ref": f"#/$defs/{key}", "description": f"For {meant}"}
    whole["$defs"] = definitions
    whole["properties"]["defaults"] |= {"anyOf": parts}
    for key, items, said in (
        ("experiment", {"anyOf": [*kinds, *parts]}, "What to measure, one table an experiment."),
        ("claim", {"$ref": "#/$defs/claim"}, "For `fastgc validate`: a table a statement."),
    ):
        array = {"type": "array", "minItems": 1, "items": items, "description": said}
        whole["properties"][key] = array
    printed = "Numbers of a paper, to be shown beside the measured ones; one table a number."
    whole["properties"]["printed"]["description"] = printed
    one = {"$ref": "#/$defs/experiment"}
    claims = {"items": {"properties": {"experiment": one}}}
    whole["if"] = {"required": ["defaults"]}
    whole["else"] = {"properties": {"experiment": {"items": one}, "claim": claims}}
    whole["required"].remove("experiment")
    stated = {"anyOf": [{"required": ["experiment"]}, {"required": ["claim"]}]}
    whole["oneOf"] = [stated, {"required": ["design"]}, {"required": ["search"]}]
    if not whole["required"]:
        del whole["required"]
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    whole["title"] = "fastgc study"
    return whole
