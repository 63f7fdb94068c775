"""What docstrings say of keys, for the JSON Schema and for the functions that make members.

It stands in the sections Parameters of a class and of its bases, or in a list there.
"""

import inspect
import re
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_LINE = re.compile(r"^\* (``\w+``(?:, ``\w+``)*) \((.+?)\):\s+", re.MULTILINE | re.DOTALL)
_ELSEWHERE = re.compile(r"\s*The\s+parameters\s+are\s+those\s+of\s+`\w+`(,\s+and:|\.)")


_RAISED = re.compile(r"Raises (\w+) if (.+)", re.DOTALL)

_WIDTH, _INDENT = 88, "    "
_RAISES = "FastgcError\n    If a parameter is out of range."


class Entry(NamedTuple):
    """What a section says of a key: its type, and the rest in one line."""

    type: str
    text: str


def keys(cls: type) -> dict[str, str]:
    """Return what is said of each key in the sections Parameters and Attributes of a class.

    Its bases' sections count too; what a class itself says comes before what its bases say.

    >>> from fastgc.training.optimizers import Adam
    >>> keys(Adam)["epsilon"]
    'More than 0, added to the root; 1e-8 by default.'
    """
    return {name: entry.text for name, entry in _documented(cls).items() if entry.text}


def _documented(cls: type) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for base in reversed(cls.__mro__):
        sections = _sections(base)
        for title in ("Parameters", "Attributes"):
            found |= _entries(sections.get(title, ""))
    return found


def of_function(cls: type, names: Sequence[str], returns: str) -> str:
    """Return the docstring of a function that makes a member ``cls`` from the keys ``names``.

    The class's own sections Raises and Examples are taken as they are; where a class says nothing
    of errors, they are those of its parameters' ranges.
    """
    entries, own = _documented(cls), _sections(cls)
    parameters = [
        line
        for name in names
        for line in (f"{name} : {entries[name].type}", *_indented(entries[name].text))
    ]
    sections = {"Parameters": "\n".join(parameters), "Returns": returns, "Raises": _RAISES}
    sections |= {title: own[title] for title in ("Raises", "Examples") if title in own}
    parts = [summary(cls) or ""]
    parts += [f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in sections.items()]
    return "\n\n".join(parts) + "\n"


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)


def summary(cls: type) -> str | None:
    """Return what the nearest class that says anything says before its sections."""
    for base in cls.__mro__:
        if base.__module__.startswith("pydantic") or base is object:
            return None
        said = _ELSEWHERE.sub("", _sections(base).get("", "")).strip()
        if said:
            return said
    return None


def _sections(cls: type) -> dict[str, str]:
    """The parts of a class's own docstring by their titles; "" is what comes before them.

    Parameters may stand without a title, in a list of lines like "* ``name`` (type): text"; so may
    examples, and what is raised, in a last sentence.
    """
    said = inspect.cleandoc(vars(cls).get("__doc__") or "")
    found = {}
    if "\nExamples\n---" not in said:
        said, _, examples = said.partition("\n\n>>> ")
        found = {"Examples": f">>> {examples}"} if examples else {}
    before, *rest = _SECTION.split(said)
    found |= dict(zip(rest[::2], rest[1::2], strict=True))
    parts = before.strip().split("\n\n")
    listed = [part for part in parts if _LINE.match(part)]
    if listed:
        found["Parameters"] = _LINE.sub(_titled, "\n".join(listed))
    if raised := _RAISED.fullmatch(parts[-1]):
        found["Raises"] = f"{raised[1]}\n" + "\n".join(_indented(f"If {raised[2]}"))
        parts.pop()
    return {"": "\n\n".join(part for part in parts if part not in listed)} | found


def _titled(line: re.Match[str]) -> str:
    """A line of a list, as a section has it in two."""
    return f"{line[1].replace('`', '')} : {' '.join(line[2].split())}\n    "


def _entries(section: str) -> dict[str, Entry]:
    """``name, name : type`` and the indented lines below each."""
    found: dict[str, Entry] = {}
    names: list[str] = []
    for line in section.splitlines():
        if not line.strip():
            continue
        if line[0] != " ":
            listed, _, kind = line.partition(" : ")
            names = [name.strip() for name in listed.split(",")]
            found |= dict.fromkeys(names, Entry(kind.strip(), ""))
            continue
        for name in names:
            found[name] = Entry(found[name].type, f"{found[name].text} {line.strip()}".strip())
    return found
