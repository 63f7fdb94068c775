"""The handbook: pages in Markdown beside the package's code, and the one on keys of studies."""

import inspect
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from importlib.resources import files

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import nearest

#: Pages in the order of reading, below what a reader wants to do.
GROUPS = {
    "Measure a code": ("own-code", "new-code", "learning", "pictures", "reports", "notebook"),
    "Test a theorem": ("own-theorem", "verdicts", "limits"),
    "Time a cluster": (
        *("what-to-time", "traces", "fit", "times", "own-cluster", "which-remedy"),
        "measure",
    ),
    "Large and batch": ("large", "rare", "slurm", "clusters", "file"),
    "How it is computed": ("statistics", "same-bits", "speed", "performance"),
    "Extend and contribute": ("own-model", "own-system", "house"),
    "Look up": ("keys",),
}
#: The page that is made when it is read, which takes a while.
KEYS = "keys"
_MOST_PAGES = 5  # that are named for a word


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
    folder = files("fastgc").joinpath("handbook")
    topics = [topic for group in GROUPS.values() for topic in group]
    return tuple(Page(each, folder.joinpath(f"{each}.md").read_text("utf-8")) for each in topics)


def page(topic: str, others: Iterable[str] = ()) -> Page:
    """Return a page by its topic, like ``"slurm"``, or the keys of a member, like ``"cyclic"``.

    Raises FastgcError if there is none; it names the nearest page, or the nearest of ``others``,
    which are names of commands, or else pages with the word.
    """
    found = {each.topic: each for each in pages()}
    if topic not in found:
        parts = re.split(r"^(?=##)", keys(), flags=re.MULTILINE)
        if own := [part for part in parts if part.startswith(f"### `{topic}`\n")]:
            return Page(topic, "".join(own))
        meant = nearest(topic, [*found, *others], 0.7)
        word = re.compile(rf"\b{re.escape(topic)}\b", re.IGNORECASE)
        have = [each for each in found if word.search(found[each].written)][:_MOST_PAGES]
        has = f"; the word stands in {', '.join(have)}" if have else "; `fastgc help` lists them"
        raise FastgcError(f"help: there is no page {topic!r}{meant or has}")
    return found[topic]


def keys() -> str:
    """Return what follows the heading of the page ``keys``, from the models' JSON Schema."""
    from fastgc import experiments, registry
    from fastgc.experiments.decoding.measures import MEASURES
    from fastgc.report.templating import environment
    from fastgc.study.schema import schema

    whole, templates = schema(), environment()
    templates.filters |= {"with_single_backticks": _prose, "cell": _cell}
    templates.filters["written"] = partial(json.dumps, ensure_ascii=False)
    page = templates.get_template(f"{KEYS}.md").render(
        study=whole,
        tables=whole["$defs"],
        kinds=experiments.kinds(),
        measures={name: inspect.getdoc(each) or "" for name, each in MEASURES.items()},
        groups=registry.GROUPS,
        members=registry.members,
    )
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


def _cell(text: str) -> str:
    return _prose(" ".join(text.split())).replace("|", "\\|")


def _prose(text: str) -> str:
    # double backticks are single ones in Markdown
    return re.sub(r"``(.+?)``", r"`\1`", text.strip())
