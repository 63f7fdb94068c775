"""JSON Schema of a study, for editors that complete and check while one writes."""

from __future__ import annotations

from typing import Any

import pydantic
from pydantic.json_schema import models_json_schema

from fastgc import experiments
from fastgc.experiments.ranges import Range
from fastgc.study import design
from fastgc.study.claims.table import ClaimTable
from fastgc.study.study import Study


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a study file, with the members now registered.

    A study has experiments or claims, or a table ``design``.

    Examples
    --------
    >>> "experiment" in schema()["properties"]
    True
    """
    tables = experiments.kinds()
    designs = design.table()
    models: list[type[pydantic.BaseModel]] = [Study, ClaimTable, Range, designs, *tables.values()]
    # made together, so that members of the same name in different rooms stay apart
    made, joint = models_json_schema(
        [(model, "validation") for model in models],
        ref_template="#/$defs/{model}",
    )
    definitions = joint["$defs"]

    def taken(model: Any) -> dict[str, Any]:
        name = made[model, "validation"]["$ref"].rpartition("/")[2]
        found: dict[str, Any] = definitions.pop(name)
        return found

    whole = taken(Study)
    kinds = []
    ranged = {"$ref": made[Range, "validation"]["$ref"]}
    for name, table in tables.items():
        own = definitions[f"experiment:{name}"] = taken(table)
        own["properties"]["sweep"]["additionalProperties"] = {
            "description": "A list of values, or a range.",
            "anyOf": [{"type": "array"}, ranged],
        }
        kinds.append({"$ref": f"#/$defs/experiment:{name}"})
    claim = taken(ClaimTable)
    claim["properties"]["experiment"] |= {"anyOf": kinds}
    definitions["claim"] = claim
    definitions["design"] = taken(designs)
    whole["$defs"] = definitions
    whole["properties"]["experiment"] = {
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": kinds},
        "description": "What to measure, one table an experiment.",
    }
    whole["properties"]["claim"] = {
        "type": "array",
        "minItems": 1,
        "items": {"$ref": "#/$defs/claim"},
        "description": "For `fastgc validate`: statements of one's own, one table a statement.",
    }
    whole["properties"]["design"] = {
        "$ref": "#/$defs/design",
        "description": "For `fastgc design`, in place of experiments: what system is looked for.",
    }
    whole["required"].remove("experiment")
    stated = {"anyOf": [{"required": ["experiment"]}, {"required": ["claim"]}]}
    whole["oneOf"] = [stated, {"required": ["design"]}]
    if not whole["required"]:
        del whole["required"]
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    whole["title"] = "fastgc study"
    return whole
