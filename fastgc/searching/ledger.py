"""What a search has done, in a file beside its output, from which it goes on: a line a part."""

import json
from pathlib import Path
from typing import Any

from fastgc.results import image
from fastgc.searching.problem import Problem
from fastgc.version import __version__


class Ledger:
    """How far each part of a search is: plain data, a pure function of the problem.

    The file begins with a line that says of which problem. A part has a line each time it comes
    further, of which the last counts; a line that was cut short is left out.
    """

    def __init__(self, problem: Problem, out: Path | None) -> None:
        self.path = None if out is None else image.partial_of(out)
        own = problem.settings()
        own.pop("seconds", None)
        head = _line({"fastgc": __version__, "problem": own})
        self._parts: dict[str, Any] = {}
        if self.path is not None:
            with image.writing(self.path):
                if self.path.exists():
                    self._parts = _read(self.path.read_bytes(), head)
                lines = [head, *map(_line, self._parts.items())]
                image.replace(self.path, memoryview(b"".join(lines)))

    def kept(self, part: str) -> Any:
        """Return how far a part is; None if it has not begun."""
        return self._parts.get(part)

    def keep(self, part: str, state: Any) -> None:
        """Keep how far a part is."""
        self._parts[part] = state
        if self.path is not None:
            with image.writing(self.path), self.path.open("ab") as file:
                file.write(_line([part, state]))

    def remove(self) -> None:
        """Remove the file: the search is over."""
        if self.path is not None:
            with image.writing(self.path):
                self.path.unlink(missing_ok=True)


def _line(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _read(content: bytes, head: bytes) -> dict[str, Any]:
    """Return the parts of a file that is of this problem: of another, none."""
    if not content.startswith(head):
        return {}
    parts = {}
    for line in content[len(head) :].splitlines(keepends=True):
        try:
            part, state = json.loads(line)
        except ValueError:
            break  # it was cut short, and is done again
        parts[part] = state
    return parts
