"""JSON Schema of a study, for editors that complete and check while one writes."""

from __future__ import annotations

from typing import Any

import pydantic

from fastgc import experiments
from fastgc.study import Study


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a study file, with the members now registered.

    Examples
    --------
    >>> "experiment" in schema()["properties"]
    True
    """
    whole = Study.model_json_schema()
    definitions = whole.setdefault("$defs", {})
    kinds = []
    for name, table in experiments.kinds().items():
        own = pydantic.TypeAdapter(table).json_schema(ref_template="#/$defs/{model}")
        definitions |= own.pop("$defs", {})
        definitions[f"experiment:{name}"] = own
        kinds.append({"$ref": f"#/$defs/experiment:{name}"})
    whole["properties"]["experiment"] = {
        "type": "array",
        "minItems": 1,
        "items": kinds[0] if len(kinds) == 1 else {"oneOf": kinds},
    }
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    whole["title"] = "fastgc study"
    return whole
