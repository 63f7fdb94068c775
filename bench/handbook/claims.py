"""The page of all claims, from their register."""

import textwrap
from collections.abc import Iterable

from fastgc import theory
from fastgc.study.claims import papers
from fastgc.theory import Claim
from fastgc.theory.papers.claim import EVERYWHERE, OWN_DERIVATION

WIDTH = 100
BEGIN = """
# The claims that fastgc knows

`fastgc validate ID` measures a claim, and every claim whose id begins so; `fastgc validate --paper
NAME` those of a paper. An id ends in `printed` (what a paper says, in the reading most favourable
to it), `corrected` (what is right instead) or `derived` (what fastgc adds);
[statistics](statistics.md) says how verdicts are reached. Below, each has its place, its relation
("measured RELATION theory"), where it holds unless that is everywhere, the verdict that is
expected, and its statement. Papers of one file each stand last, by their sources.

There are {count} claims of {sources} sources (`fastgc claims` counts them by category). This page
is made from the register by `python -m bench.handbook`.
"""


def claims() -> str:
    """Return the page ``claims.md``."""
    found = papers.register()
    sources = {claim.source for claim in found} - {OWN_DERIVATION}
    lines = [BEGIN.strip().format(count=len(found), sources=len(sources))]
    for name in theory.paper_names():
        lines += _of_paper(name, theory.paper(name).citation, theory.paper(name).claims)
    for name, file in papers.field().items():
        lines += _of_paper(name, file.paper.citation, file.claims)
    return "\n".join(lines) + "\n"


def _of_paper(name: str, citation: str, claims: Iterable[Claim]) -> list[str]:
    head = ["", f"## {name}", ""] + ([f"{_plain(citation)}.", ""] if citation else [])
    return head + [_entry(claim, citation) for claim in claims]


def _entry(claim: Claim, source: str) -> str:
    holds = "" if claim.holds == EVERYWHERE else f"; holds {claim.holds}"
    kind = f": {claim.kind}" if claim.kind else ""
    place = claim.citation.removeprefix(source).removeprefix(", ") or "what it is about"
    own = f" (the first {claim.own_points} of its points are the paper's)" * bool(claim.own_points)
    missing = f", for {claim.missing}" * bool(claim.missing)
    facts = f"{place}; `{claim.relation}`{holds}{own}; expected: {claim.expected}{kind}{missing}."
    corrects = f" Corrects `{claim.corrects}`." if claim.corrects else ""
    needs = f" Needs the extra `{claim.needs}`." if claim.needs else ""
    text = (
        f"- `{claim.id}`: {_plain(facts)} *{_plain(claim.statement.rstrip('.'))}.*{corrects}{needs}"
    )
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _plain(text: str) -> str:
    """Keep signs of formulas from being read as Markdown."""
    words = " ".join(text.split())
    return "".join("\\" + sign if sign in "*_[]<>\\" else sign for sign in words)
