"""Pages that are made are as the command would make them now."""

import pytest

import fastgc
from bench.handbook.__main__ import FOLDER, PAGES
from fastgc.study.claims import papers


@pytest.mark.night
@pytest.mark.parametrize("topic", PAGES)
def test_a_made_page_is_not_stale(topic):
    written = (FOLDER / f"{topic}.md").read_text(encoding="utf-8")
    assert written == PAGES[topic](), "make it anew: python -m bench.handbook"


def test_every_claim_is_listed_once():
    written = (FOLDER / "claims.md").read_text(encoding="utf-8")
    for claim in papers.register():
        assert written.count(f"- `{claim.id}`:") == 1


def test_keys_say_of_measures_what_one_gets() -> None:
    page = (FOLDER / "keys.md").read_text(encoding="utf-8")
    assert "- `lost`: Share of the partitions, between 0 and 1," in page
    assert "- `survivors`: Probability of r survivors, at each index r from 0 to n." in page
    table = {"code": {"family": "uncoded", "n": 4}, "stragglers": 1}
    found = fastgc.run(table | {"measure": ["lost", "survivors"]})["experiment1"]
    assert found["lost"].mean.value == 1 / 4
    assert [found["survivors"][r].mean.value for r in range(5)] == [0, 0, 0, 1, 0]
