"""What docstrings say of keys, for the JSON Schema: the sections Parameters of a class's bases."""

from __future__ import annotations

import inspect
import re

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_ELSEWHERE = re.compile(r"\s*The\s+parameters\s+are\s+those\s+of\s+`\w+`(,\s+and:|\.)")


def keys(cls: type) -> dict[str, str]:
    """Return what is said of each key in the sections Parameters and Attributes of a class.

    Its bases' sections count too; what a class itself says comes before what its bases say.

    Examples
    --------
    >>> from fastgc.training.optimizers import Adam
    >>> keys(Adam)["epsilon"]
    'More than 0, added to the root; 1e-8 by default.'
    """
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        sections = _sections(base)
        for title in ("Parameters", "Attributes"):
            found |= _entries(sections.get(title, ""))
    return found


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
    """The parts of a class's own docstring by their titles; "" is what comes before them."""
    before, *rest = _SECTION.split(inspect.cleandoc(vars(cls).get("__doc__") or ""))
    return {"": before} | dict(zip(rest[::2], rest[1::2], strict=True))


def _entries(section: str) -> dict[str, str]:
    """``name, name : type`` and the indented lines below each."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        if not line.strip():
            continue
        if line[0] != " ":
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            continue
        for name in names:
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found
