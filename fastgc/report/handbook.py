"""The handbook: pages in Markdown beside the package's code, and the one on keys of studies."""

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
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
    """Return a page by its topic, like ``"slurm"``, or the keys of a member, like ``"cyclic"``.

    Raises FastgcError if there is none; it names the nearest page, or the nearest of ``others``,
    which are names of commands.
    """
    found = {each.topic: each for each in pages()}
    if topic not in found:
        parts = re.split(r"^(?=##)", keys(), flags=re.MULTILINE)
        if own := [part for part in parts if part.startswith(f"### `{topic}`\n")]:
            return Page(topic, "".join(own))
        meant = nearest(topic, [*found, *others]) or "; `fastgc help` lists them"
        raise FastgcError(f"help: there is no page {topic!r}{meant}")
    return found[topic]


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


def keys() -> str:
    """Return what follows the heading of the page ``keys``, from the models' JSON Schema."""
    from fastgc import experiments, registry
    from fastgc.experiments.decoding.measures import MEASURES
    from fastgc.report.templating import environment
    from fastgc.study.schema import schema

    whole, templates = schema(), environment()
    templates.tests["of_worth"] = lambda x: x == 0 or (x and not isinstance(x, dict))
    templates.filters |= {"takes": _kind, "with_single_backticks": _prose, "cell": _cell}
    templates.filters["written"] = partial(json.dumps, ensure_ascii=False)
    docs = {name: inspect.getdoc(each) or "" for name, each in MEASURES.items()}
    page = templates.get_template(f"{KEYS}.md").render(
        study=whole,
        tables=whole["$defs"],
        kinds={k: getattr(model, "UNITS", {}) for k, model in experiments.kinds().items()},
        measures={k: " ".join(doc.partition("\n\n")[0].split()) for k, doc in docs.items()},
        groups={group: place.key for group, place in registry.GROUPS.items()},
        members={
            group: {tag: each.model_json_schema() for tag, each in registry.members(group).items()}
            for group in registry.GROUPS
        },
    )
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


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
