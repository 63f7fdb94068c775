"""The list of all pages, for who reads them where they lie."""

from __future__ import annotations

from fastgc.report import handbook


def index() -> str:
    """Return the page ``index.md``."""
    listed = [f"- [{page.title}]({page.topic}.md)" for page in handbook.pages()]
    return "\n".join(
        [
            "# The handbook",
            "",
            "`fastgc help` lists these pages in the terminal, `fastgc help TOPIC` shows one.",
            "",
            *listed,
            "",
        ]
    )
