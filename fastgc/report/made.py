"""Pages of the handbook that are made when they are read: all keys of studies, and all claims."""

import inspect
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from fastgc import experiments, registry, theory
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.study.claims import papers
from fastgc.study.schema import schema
from fastgc.theory import Claim
from fastgc.theory.papers.claim import EVERYWHERE, OWN_DERIVATION

_WIDTH = 100
_KEYS = """
A study is a TOML file: the keys of the whole study, a table `[stop]`, one table `[[experiment]]`
for each experiment, or else tables `[[claim]]` for `fastgc validate`, a table `[design]` for
`fastgc design`, or `[search]` for `fastgc search`; a table `[measure]` says how `fastgc measure`
runs it, and tables `[[printed]]` have numbers that a paper prints. Whatever can be chosen, like a
code or a law, is a table with a key that names it: `code = { family = "frc", n = 8, d = 2 }`.
Every key can be changed for a run: `--set experiment.NAME.code.d=4`. `fastgc help schema` prints
the same as JSON Schema, for editors. The keys of installed plug-ins are here, too.
"""
_CLAIMS = """
`fastgc validate ID` measures a claim, and every claim whose id begins so; `fastgc validate --paper
NAME` those of a paper. An id ends in `printed` (what a paper says, in the reading most favourable
to it), `corrected` (what is right instead) or `derived` (what fastgc adds);
[verdicts](verdicts.md) says how verdicts are reached. Below, each has its place, its relation
("measured RELATION theory"), where it holds unless that is everywhere, the verdict that is
expected, and its statement. Papers of one file each stand last, by their sources.

There are {count} claims of {sources} sources (`fastgc errata` counts them by category).
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
    for room in registry.ROOMS:
        key, title = registry.ROOMS[room].key, _TITLES.get(room, f"{room.capitalize()}s")
        parts += [f"## {title}: `{room}`", f"The key `{key}` names it."]
        for tag, member in registry.members(room).items():
            parts += _table(f"`{tag}`", member.model_json_schema(), level=3, without=key)
    for title, name in _OTHERS.items():
        parts += _table(title, tables[name])
    return "\n\n".join(parts) + "\n"


def claims() -> str:
    """Return what follows the heading of the page ``claims``, from the register."""
    found = papers.register()
    sources = {claim.source for claim in found} - {OWN_DERIVATION}
    lines = [_CLAIMS.strip().format(count=len(found), sources=len(sources))]
    core = theory.paper_names()
    known = [(name, theory.paper(name).citation, theory.paper(name).claims) for name in core]
    known += [(name, file.paper.citation, file.claims) for name, file in papers.field().items()]
    for name, citation, own in known:
        lines += ["", f"## {name}", "", *([f"{_plain(citation)}.", ""] if citation else [])]
        lines += [_entry(claim, citation) for claim in own]
    return "\n".join(lines) + "\n"


def _table(title: str, table: Schema, level: int = 2, without: str | None = None) -> Iterator[str]:
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


def _prose(text: str) -> str:
    """A description as Markdown: double backticks are single ones there."""
    return re.sub(r"``(.+?)``", r"`\1`", text.strip())


def _cell(text: str) -> str:
    return _prose(" ".join(text.split())).replace("|", "\\|")


def _entry(claim: Claim, source: str) -> str:
    holds = "" if claim.holds == EVERYWHERE else f"; holds {claim.holds}"
    kind = f": {claim.kind}" if claim.kind else ""
    place = claim.citation.removeprefix(source).removeprefix(", ") or "what it is about"
    own = f" (the first {claim.own_points} of its points are the paper's)" * bool(claim.own_points)
    missing = f", for {claim.missing}" * bool(claim.missing)
    facts = f"{place}; `{claim.relation}`{holds}{own}; expected: {claim.expected}{kind}{missing}."
    corrects = f" Corrects `{claim.corrects}`." if claim.corrects else ""
    needs = f" Needs the extra `{claim.needs}`." if claim.needs else ""
    text = (
        f"- `{claim.id}`: {_plain(facts)} *{_plain(claim.statement.rstrip('.'))}.*{corrects}{needs}"
    )
    return textwrap.fill(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _plain(text: str) -> str:
    """Keep signs of formulas from being read as Markdown."""
    words = " ".join(text.split())
    return "".join("\\" + sign if sign in "*_[]<>\\" else sign for sign in words)
