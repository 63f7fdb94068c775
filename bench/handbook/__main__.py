"""The command ``python -m bench.handbook``, and the list of all pages, which is one of them."""

from pathlib import Path

from bench.handbook.claims import claims
from bench.handbook.codes_found import codes_found
from bench.handbook.keys import keys
from fastgc.report import handbook

FOLDER = Path(__file__).parents[2] / "fastgc" / "handbook"
BEGIN = """\
# The handbook

`fastgc help` lists these pages in the terminal, `fastgc help TOPIC` shows one.
"""


def index() -> str:
    """Return the page ``index.md``."""
    listed = [f"- [{page.title}]({page.topic}.md)\n" for page in handbook.pages()]
    return f"{BEGIN}\n{''.join(listed)}"


PAGES = {"claims": claims, "codes-found": codes_found, "keys": keys, "index": index}


def main() -> None:
    for topic, make in PAGES.items():
        (FOLDER / f"{topic}.md").write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
