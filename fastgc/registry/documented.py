"""What docstrings say of keys, for the JSON Schema and for the functions that make members.

Keys stand in lists of lines like "* ``name`` (type): text", in a class and in its bases. What is
raised may stand in the last sentence, and examples at the end.
"""

import inspect
import re
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

_LINE = re.compile(r"^\* (``\w+``(?:, ``\w+``)*) \((.+?)\):\s+(.*)", re.DOTALL)
_ELSEWHERE = re.compile(r"\s*The\s+parameters\s+are\s+those\s+of\s+`\w+`(,\s+and:|\.)")
_RAISED = re.compile(r"Raises (\w+) if (.+)", re.DOTALL)
_RAISES = "FastgcError\n    If a parameter is out of range."


class Entry(NamedTuple):
    """What is said of a key: its type, and the rest in one line."""

    type: str
    text: str


class _Docstring(NamedTuple):
    words: str
    entries: dict[str, Entry]
    sections: dict[str, str]


def keys(cls: type) -> dict[str, str]:
    """Return what is said of each key; what a class itself says comes before what its bases say."""
    return {name: entry.text for name, entry in _entries(cls).items()}


def _entries(cls: type) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for base in reversed(cls.__mro__):
        found |= _said(base).entries
    return found


def function_docstring(cls: type, names: Sequence[str], returns: str) -> str:
    """Return the docstring of a function that makes a member ``cls`` from the keys ``names``.

    Where a class says nothing of errors, they are those of its parameters' ranges.
    """
    entries = _entries(cls)
    parameters = [
        f"{name} : {entries[name].type}\n{_indented(entries[name].text)}" for name in names
    ]
    sections = {"Parameters": "\n".join(parameters), "Returns": returns, "Raises": _RAISES}
    sections |= _said(cls).sections
    parts = [summary(cls) or ""]
    parts += [f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in sections.items()]
    return "\n\n".join(parts) + "\n"


def summary(cls: type) -> str | None:
    """Return what the nearest class that says anything says beside its keys."""
    for base in cls.__mro__:
        if base.__module__.startswith("pydantic") or base is object:
            return None
        said = _ELSEWHERE.sub("", _said(base).words).strip()
        if said:
            return said
    return None


def _said(cls: type) -> _Docstring:
    text, _, examples = inspect.cleandoc(vars(cls).get("__doc__") or "").partition("\n\n>>> ")
    found = _Docstring("", {}, {"Examples": f">>> {examples}"} if examples else {})
    words = []
    for part in text.strip().split("\n\n"):
        if _LINE.match(part):
            for line in filter(None, map(_LINE.match, re.split(r"\n(?=\* )", part))):
                entry = Entry(" ".join(line[2].split()), " ".join(line[3].split()))
                found.entries.update(dict.fromkeys(re.findall(r"\w+", line[1]), entry))
        elif raised := _RAISED.fullmatch(part):
            found.sections["Raises"] = f"{raised[1]}\n{_indented(f'If {raised[2]}')}"
        else:
            words.append(part)
    return found._replace(words="\n\n".join(words))


def _indented(text: str) -> str:
    return textwrap.fill(text, 88, initial_indent="    ", subsequent_indent="    ")
