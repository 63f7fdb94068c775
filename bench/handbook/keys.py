"""The page of all keys of studies, from the JSON Schema of the models and their docstrings."""

import inspect
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fastgc import experiments, registry
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.study.schema import schema

BEGIN = """
# The keys of studies

A study is a TOML file: the keys of the whole study, a table `[stop]`, one table `[[experiment]]`
for each experiment, or else tables `[[claim]]` for `fastgc validate`, a table `[design]` for
`fastgc design`, or `[search]` for `fastgc search`; a table `[measure]` says how `fastgc measure`
runs it, and tables `[[printed]]` have numbers that a paper prints. Whatever can be chosen, like a
code or a law, is a table with a key that names it (in place of `family`, `model`, `distribution`
and `method` it may say `type`): `code = { family = "frc", n = 8, d = 2 }`. Every key can be changed
for a run: `--set experiment.NAME.code.d=4`. `fastgc schema` prints the same as JSON Schema, for
editors.

This page is made from the models and their docstrings by `python -m bench.handbook`; plug-ins add
their own.
"""
Schema = Mapping[str, Any]
#: Types of JSON in words.
_WORDS = {
    "number": "number",
    "integer": "integer",
    "string": "text",
    "boolean": "true or false",
    "object": "table",
    "None": "value",
}
#: What the members of a room are called, where it is not the room's name with an s.
_TITLES = {"stragglers": "Models of stragglers", "latency": "Laws of latency"}


def keys() -> str:
    """Return the page ``keys.md``."""
    whole = schema()
    tables = whole["$defs"]
    properties = {"properties": whole["properties"]}
    parts = [BEGIN.strip(), *_table("The whole study", properties, level=2)]
    parts += _table("`[stop]`", tables["Stop"], level=2)
    for kind, model in experiments.kinds().items():
        table = tables[f"experiment:{kind}"]
        parts += _table(f"`[[experiment]]` of kind `{kind}`", table, level=2)
        units = [
            f"`{name}`" + ("" if unit == "1" else f" ({unit})")
            for name, unit in getattr(model, "UNITS", {}).items()
        ]
        parts += [f"Measures, with their units: {', '.join(units)}."]
        if kind == "decoding":
            parts += ["\n".join(_measures())]
    parts += _table("`gram`, of decoding", tables["Gram"], level=2)
    parts += _table("`port`, of completion and training", tables["Port"], level=2)
    parts += _table("`patience`, of sequences", tables["MastersPatience"], level=2)
    parts += _table("`times`, of sequences", tables["TwoTimes"], level=2)
    for room in registry.ROOMS:
        key, title = registry.discriminator(room), _TITLES.get(room, f"{room.capitalize()}s")
        parts += [f"## {title}: `{room}`", f"The key `{key}` names it."]
        for tag, member in registry.members(room).items():
            parts += _table(f"`{tag}`", member.model_json_schema(), level=3, without=key)
    parts += _table("`[[claim]]`", tables["claim"], level=2)
    parts += _table("`[paper]`", tables["paper"], level=2)
    parts += _table("`[design]`", tables["design"], level=2)
    parts += _table("`[search]`", tables["search"], level=2)
    parts += _table("`sequence`, of designs", tables["Jobs"], level=2)
    parts += _table("`[[printed]]`", tables["PrintedTable"], level=2)
    parts += _table("`[measure]`", tables["measure"], level=2)
    return "\n\n".join(parts) + "\n"


def _measures() -> Iterator[str]:
    """Yield a line for each measure of decoding, from its docstring."""
    for name, measure in MEASURES.items():
        said = " ".join((inspect.getdoc(measure) or "").partition("\n\n")[0].split())
        yield f"- `{name}`: {said}"


def _table(title: str, table: Schema, level: int, without: str | None = None) -> Iterator[str]:
    yield f"{'#' * level} {title}"
    if "description" in table:
        yield _prose(table["description"])
    required = table.get("required", [])
    rows = [
        f"| `{name}` | {_takes(entry, name in required)} | {_cell(entry.get('description', ''))} |"
        for name, entry in table["properties"].items()
        if name != without
    ]
    if rows:
        yield "\n".join(["| key | takes | meaning |", "|---|---|---|", *rows])


def _takes(entry: Schema, is_required: bool) -> str:
    kind = _kind(entry)
    if is_required:
        return f"{kind}; needed"
    default = entry.get("default")
    if default in (None, "", [], {}) or isinstance(default, dict):
        return kind
    return f"{kind}; default `{_cell(json.dumps(default, ensure_ascii=False))}`"


def _kind(entry: Schema) -> str:
    """What a key takes, in words."""
    if "const" in entry:
        return f"`{json.dumps(entry['const'], ensure_ascii=False)}`"
    if "enum" in entry:
        return ", ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in entry["enum"])
    if "anyOf" in entry:
        kinds = [_kind(each) for each in entry["anyOf"] if each.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "discriminator" in entry or "$ref" in entry or entry.get("type") == "object":
        return _WORDS["object"]
    if entry.get("type") == "array":
        inside = entry.get("items") or {}
        word, blank, ends = _kind(inside).partition(" ")
        return f"list of {word}{'s' if word in (*_WORDS.values(), 'list') else ''}{blank}{ends}"
    return _WORDS.get(str(entry.get("type")), "value") + _range(entry)


def _range(entry: Schema) -> str:
    ends = [
        ("≥", entry.get("minimum")),
        (">", entry.get("exclusiveMinimum")),
        ("≤", entry.get("maximum")),
        ("<", entry.get("exclusiveMaximum")),
    ]
    said = [f"{sign} {_number(end)}" for sign, end in ends if end is not None]
    return f" {', '.join(said)}" if said else ""


def _number(end: float) -> str:
    for base in (2, 10):
        power = round(math.log(end, base)) if end >= 10**9 else 0
        if power and base**power == end:
            return f"{base}^{power}"
    return f"{end:_}".replace("_", " ") if isinstance(end, int) else f"{end:g}"


def _prose(text: str) -> str:
    """A description as Markdown: double backticks are single ones there."""
    return re.sub(r"``(.+?)``", r"`\1`", text.strip())


def _cell(text: str) -> str:
    return _prose(" ".join(text.split())).replace("|", "\\|")
