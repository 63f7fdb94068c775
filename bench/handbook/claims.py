"""The page of all claims, from their register."""

import textwrap

from fastgc import theory
from fastgc.theory import Claim
from fastgc.theory.papers.claim import EVERYWHERE

WIDTH = 100
BEGIN = """
# The claims that fastgc knows

`fastgc validate ID` measures a claim, and every claim whose id begins so; `fastgc validate --paper
NAME` those of a paper. An id ends in `printed` (what a paper says, in the reading most favourable
to it), `corrected` (what is right instead) or `derived` (what fastgc adds);
[statistics](statistics.md) says how verdicts are reached. Below, each has its place, its relation
("measured RELATION theory"), where it holds unless that is everywhere, the verdict that is
expected, and its statement. The last group, `self-check`, is about fastgc itself, on the machine
that it runs on; it is counted apart.

There are {count} claims. This page is made from the register by `python -m bench.handbook`.
"""


def claims() -> str:
    """Return the page ``claims.md``."""
    lines = [BEGIN.strip().format(count=len(theory.claims()))]
    for name in theory.claim_groups():
        paper = theory.paper(name)
        lines += ["", f"## {name}", ""]
        if paper.citation:
            lines += [f"{paper.citation}.", ""]
        for claim in paper.claims:
            lines.append(_entry(claim, paper.citation))
    return "\n".join(lines) + "\n"


def _entry(claim: Claim, source: str) -> str:
    holds = "" if claim.holds == EVERYWHERE else f"; holds {claim.holds}"
    kind = f": {claim.kind}" if claim.kind else ""
    place = claim.citation.removeprefix(source).removeprefix(", ")
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
