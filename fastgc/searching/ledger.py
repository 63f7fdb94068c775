"""What a search has finished, in a file beside its output, from which it goes on."""

import json
from pathlib import Path
from typing import Any

from fastgc.results import image
from fastgc.searching.problem import Problem
from fastgc.version import __version__


class Ledger:
    """Results of finished parts of a search, each a pure function of the problem."""

    def __init__(self, problem: Problem, out: Path | None) -> None:
        self.path = None if out is None else out.with_name(out.name + ".part")
        own = problem.settings()
        own.pop("seconds", None)
        self._own = {"fastgc": __version__, "problem": own}
        self._units: dict[str, Any] = {}
        if self.path is not None and self.path.exists():
            try:
                found = json.loads(self.path.read_text("utf-8"))
                if found["of"] == self._own:
                    self._units = found["units"]
            except (OSError, ValueError, KeyError, TypeError):
                pass  # what cannot be read is done again

    def kept(self, unit: str) -> Any:
        """Return the result of a part; None if it is not done."""
        return self._units.get(unit)

    def keep(self, unit: str, result: Any) -> None:
        """Keep the result of a part."""
        self._units[unit] = result
        self.save()

    def save(self) -> None:
        """Write the file, where there is one."""
        if self.path is not None:
            text = json.dumps({"of": self._own, "units": self._units}, ensure_ascii=False)
            with image.writing(self.path):
                image.replace(self.path, memoryview(text.encode()))

    def remove(self) -> None:
        """Remove the file: the search is over."""
        if self.path is not None:
            with image.writing(self.path):
                self.path.unlink(missing_ok=True)
