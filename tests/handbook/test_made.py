"""Pages that are made are as the command would make them now."""

import pytest

from bench.handbook.__main__ import FOLDER, PAGES
from fastgc.study.claims import papers


@pytest.mark.parametrize("topic", PAGES)
def test_a_made_page_is_not_stale(topic):
    written = (FOLDER / f"{topic}.md").read_text(encoding="utf-8")
    assert written == PAGES[topic](), "make it anew: python -m bench.handbook"


def test_every_claim_is_listed_once():
    written = (FOLDER / "claims.md").read_text(encoding="utf-8")
    for claim in papers.register():
        assert written.count(f"- `{claim.id}`:") == 1
