"""The command ``python -m bench.handbook``."""

from __future__ import annotations

from pathlib import Path

from bench.handbook.claims import claims
from bench.handbook.index import index
from bench.handbook.keys import keys

FOLDER = Path(__file__).parents[2] / "fastgc" / "handbook"
PAGES = {"claims": claims, "keys": keys, "index": index}


def main() -> None:
    """Write every page that is made."""
    for topic, make in PAGES.items():
        (FOLDER / f"{topic}.md").write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
