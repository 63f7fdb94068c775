"""The handbook: pages in Markdown beside the package's code, and the one on keys of studies."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import nearest

#: The order of reading; pages that are not named here come before the last ones.
FIRST = (
    *("own-code", "new-code", "own-theorem", "times", "own-cluster", "traces", "fit"),
    *("what-to-time", "which-remedy", "learning", "slurm", "clusters"),
)
LAST = (
    *("statistics", "verdicts", "limits", "rare", "same-bits", "file", "large", "speed"),
    *("performance", "house", "keys"),
)
#: The page that is made when it is read, which takes a while.
KEYS = "keys"


@dataclass(frozen=True)
class Page:
    """A page of the handbook: its name in ``fastgc help TOPIC``, and its Markdown file."""

    topic: str
    written: str

    @property
    def title(self) -> str:
        """Its heading."""
        return self.written.partition("\n")[0].removeprefix("# ")

    @cached_property
    def text(self) -> str:
        """All of its Markdown."""
        return f"{self.written}\n\n{keys()}" if self.topic == KEYS else self.written


def pages() -> tuple[Page, ...]:
    """Return all pages in the order of reading."""
    found = {KEYS: Page(KEYS, "# The keys of studies")}
    for file in files("fastgc").joinpath("handbook").iterdir():
        topic, ends = file.name.removesuffix(".md"), file.name.endswith(".md")
        found |= {topic: Page(topic, file.read_text(encoding="utf-8"))} if ends else {}
    between = sorted(found.keys() - {*FIRST, *LAST})
    return tuple(found[topic] for topic in (*FIRST, *between, *LAST) if topic in found)


def page(topic: str, others: Iterable[str] = ()) -> Page:
    """Return a page by its topic, like ``"slurm"``.

    Raises FastgcError if there is none; it names the nearest page, or the nearest of ``others``,
    which are names of commands.
    """
    found = {each.topic: each for each in pages()}
    if topic not in found:
        meant = nearest(topic, [*found, *others]) or "; `fastgc help` lists them"
        raise FastgcError(f"help: there is no page {topic!r}{meant}")
    return found[topic]


_KEYS = """
A study is a TOML file: the keys of the whole study, a table `[stop]`, one table `[[experiment]]`
for each experiment, or else tables `[[claim]]` for `fastgc validate`, a table `[design]` for
`fastgc design`, or `[search]` for `fastgc search`; a table `[measure]` says how `fastgc measure`
runs it, and tables `[[printed]]` have numbers that a paper prints. Whatever can be chosen, like a
code or a law, is a table with a key that names it: `code = { family = "frc", n = 8, d = 2 }`.
Every key can be changed for a run: `--set experiment.NAME.code.d=4`. `fastgc help schema` prints
the same as JSON Schema, for editors. The keys of installed plug-ins are here, too.
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
#: What the members of a group are called, where it is not the group's name with an s.
_TITLES = {"stragglers": "Models of stragglers", "latency": "Laws of latency"}
#: Tables that are no experiment's, after the members: titles, and names in the schema.
_OTHERS = {
    "`[[claim]]`": "claim",
    "`[paper]`": "paper",
    "`[design]`": "design",
    "`[search]`": "search",
    "`[[printed]]`": "PrintedTable",
    "`[measure]`": "measure",
}


def keys() -> str:
    """Return what follows the heading of the page ``keys``, from the models' JSON Schema."""
    from fastgc import experiments, registry
    from fastgc.experiments.decoding.measures import MEASURES
    from fastgc.study.schema import schema

    whole = schema()
    tables = whole["$defs"]
    parts = [_KEYS.strip(), *_table("The whole study", {"properties": whole["properties"]})]
    parts += _table("`[stop]`", tables["Stop"])
    for kind, model in experiments.kinds().items():
        parts += _table(f"`[[experiment]]` of kind `{kind}`", tables[f"experiment:{kind}"])
        units = [
            f"`{name}`" + ("" if unit == "1" else f" ({unit})")
            for name, unit in getattr(model, "UNITS", {}).items()
        ]
        parts += [f"Measures, with their units: {', '.join(units)}."]
        if kind == "decoding":
            said = {name: inspect.getdoc(each) or "" for name, each in MEASURES.items()}
            first = {
                name: " ".join(text.partition("\n\n")[0].split()) for name, text in said.items()
            }
            parts += ["\n".join(f"- `{name}`: {text}" for name, text in first.items())]
    parts += _table("`port`, of completion and training", tables["Port"])
    for group in registry.GROUPS:
        key, title = registry.GROUPS[group].key, _TITLES.get(group, f"{group.capitalize()}s")
        parts += [f"## {title}: `{group}`", f"The key `{key}` names it."]
        for tag, member in registry.members(group).items():
            parts += _table(f"`{tag}`", member.model_json_schema(), level=3, without=key)
    for title, name in _OTHERS.items():
        parts += _table(title, tables[name])
    return "\n\n".join(parts) + "\n"


def _table(title: str, table: Schema, level: int = 2, without: str | None = None) -> Iterator[str]:
    yield f"{'#' * level} {title}"
    if "description" in table:
        yield _prose(table["description"])
    rows = []
    for name, entry in table["properties"].items():
        takes, default = _kind(entry), entry.get("default")
        if name in table.get("required", []):
            takes += "; needed"
        elif default not in (None, "", [], {}) and not isinstance(default, dict):
            takes += f"; default `{_cell(json.dumps(default, ensure_ascii=False))}`"
        if name != without:
            rows.append(f"| `{name}` | {takes} | {_cell(entry.get('description', ''))} |")
    if rows:
        yield "\n".join(["| key | takes | meaning |", "|---|---|---|", *rows])


def _kind(entry: Schema) -> str:
    if "const" in entry or "enum" in entry:
        values = entry.get("enum", [entry.get("const")])
        return ", ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in values)
    if "anyOf" in entry:
        kinds = [_kind(each) for each in entry["anyOf"] if each.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "discriminator" in entry or "$ref" in entry or entry.get("type") == "object":
        return _WORDS["object"]
    if entry.get("type") == "array":
        return f"list: {_kind(entry.get('items') or {})}"
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    ends = [f"{sign} {entry[key]:.10g}" for key, sign in signs.items() if key in entry]
    return " ".join([_WORDS.get(str(entry.get("type")), "value"), ", ".join(ends)]).strip()


def _cell(text: str) -> str:
    return _prose(" ".join(text.split())).replace("|", "\\|")


def _prose(text: str) -> str:
    # double backticks are single ones in Markdown
    return re.sub(r"``(.+?)``", r"`\1`", text.strip())
