"""What became of many attempts: kills, faults, changed files."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Attempts:
    """Counts of how attempts ended, and all that should not have happened."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return it as people read it."""
        said = ", ".join(f"{count} {how}" for how, count in self.counts.items())
        return f"{self.name:42} {self.counts.total():6}  {len(self.wrong)} wrong; {said}"


def of_sentence(said: str, name: str) -> str | None:
    """Why this is no good error: it is one line, names the file, and says what to do."""
    if len(said.splitlines()) != 1 or name not in said:
        return f"is not one line that names {name}: {said!r}"
    if not any(remedy in said for remedy in ("name", "remove", "bring", "once", "make", "without")):
        return f"says no remedy: {said!r}"
    return None
