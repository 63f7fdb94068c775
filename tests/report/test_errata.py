"""The page on a paper, from verdicts made here without measuring."""

import dataclasses
import json

from fastgc import report
from fastgc.report import html, papers
from fastgc.report.papers import MOST_POINTS, overview, shown_cases
from fastgc.report.text import as_text as page_text
from fastgc.results.verdict_data import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Finding, conclude
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, Case, Claim
from report.reading import Html
from suite.checks import every


def finding(name=CONFIRMED, n=8, value=0.5, theory=1.0, **more):
    case = Case({"family": "frc", "n": n}, theory, {}, "error")
    return Finding(case, Estimate(value, 0.0), "exact", name, 0.0, **more)


def verdict(claim, name, *findings, says=None, **more):
    given = {"expected": name} | more
    made = Claim(
        claim, "p", says or f"what {claim} says", f"place of {claim}", "=", make=tuple, **given
    )
    return conclude(made, list(findings or [finding(name)]))


FOUND = [
    verdict("p.a.printed", CONFIRMED, finding(within=1e-12)),
    verdict("p.b.kinder.printed", CONFIRMED, reads="p.b.printed"),
    verdict("p.b.printed", REFUTED, finding(CONFIRMED), finding(REFUTED, 12, 0.7), kind="misprint"),
    verdict("p.b.corrected", CONFIRMED, corrects="p.b.printed", proof="Count them twice."),
    verdict("p.c.printed", UNDECIDED, finding(UNDECIDED, reason="too few"), expected=CONFIRMED),
    verdict("p.d.derived", CONFIRMED, reads="p.b.printed"),
    verdict("p.e.derived", CONFIRMED),
    verdict("p.f.derived", REFUTED, kind="false"),
]


def page(found=FOUND, **more):
    return papers.page("p", found, **{"version": "1.2.3", "seed": 7} | more)


def as_html(found):
    return html.as_html(papers.paper_page(found))


def as_text(found, width=80):
    return page_text(papers.paper_page(found), width)


def table(entry):
    made = papers._points(entry)[0]
    return [made.caption, list(made.columns), *(list(map(str, row)) for row in made.rows)]


def names(entries):
    return [entry["claim"] for entry in entries]


def test_a_statement_leads_to_its_closed_form():
    read = Html(as_html(page([verdict("agc.theorem1.printed", CONFIRMED)])))
    assert {"agc.theorem1.printed", "agc.theorem1", "#agc.theorem1"} <= {*read.values("id", "href")}


def test_what_stands_where():
    found = page()
    assert json.loads(report.as_json(found)) == found
    assert names(found["confirmed"]) == ["p.a.printed"], "a reading stands with its erratum"
    assert names(found["errata"]) == ["p.b.printed"]
    [erratum] = found["errata"]
    assert names(erratum["readings"]) == ["p.b.kinder.printed", "p.d.derived"]
    assert names(erratum["corrections"]) == ["p.b.corrected"]
    assert names(found["undecided"]) == ["p.c.printed"]
    # what is fastgc's own is no erratum of the paper, even where it is refuted
    assert names(found["added"]) == ["p.e.derived", "p.f.derived"]
    # its command measures what belongs to it, too
    own = "p.b.printed p.b.kinder.printed p.d.derived p.b.corrected"
    assert erratum["repeat"] == f"fastgc validate {own} --seed 7"
    assert page(options="--trials 9")["errata"][0]["repeat"].endswith(" --seed 7 --trials 9")
    [row] = report.verdict_rows(FOUND[:1])
    assert every(found["confirmed"][0][key] == row[key] for key in row if key != "cases")
    assert row["cases"][0].items() <= found["confirmed"][0]["cases"][0].items()
    counts = {"said": 3, "confirmed": 1, "loose": 0, "errata": 1, "not_reproducible": 0}
    counts["undecided"] = 1
    assert found["counts"] == counts | {"beside": dict.fromkeys(counts, 0)}


def test_definitions_and_arithmetic_are_not_counted():
    more = [
        verdict("p.g.printed", CONFIRMED, category="definition"),
        verdict("p.h.printed", REFUTED, kind="misprint", category="arithmetic"),
    ]
    found = page([*FOUND, *more])  # of no paper that is cited: one's own claims have no errata
    assert found["counts"] | {"beside": 0} == page()["counts"] | {"beside": 0}
    assert overview(found) == (
        "Of 3 statements 1 is confirmed, 1 misprint, 1 undecided. 2 more are definitions or "
        "arithmetic: 1 is confirmed, 1 misprint."
    )
    assert "p.g.printed" in names(found["confirmed"]), "listed all the same"
    left = papers.page("hierarchical", FOUND, version="1", seed=7)
    assert left["not_judged"] and page()["not_judged"] == []
    assert f"that mislead nobody: {left['not_judged'][0]}" in " ".join(as_text(left).split())


def test_what_is_not_reproducible_has_a_section_of_its_own():
    case, none = Case({"n": 8}, 22.5, {}, "speed-up", digits=1), Estimate(None, None)
    why = "alpha is not printed"
    nothing = Finding(case, none, "none", NOT_REPRODUCIBLE, 0.0, reason=why)
    found = page([*FOUND, verdict("p.g.printed", NOT_REPRODUCIBLE, nothing)])
    assert names(found["not_reproducible"]) == ["p.g.printed"]
    assert "p.g.printed" not in names(found["confirmed"])
    assert "1 not reproducible" in overview(found)
    text = as_text(found, 200)
    assert "Not reproducible\n  place of p.g.printed: what p.g.printed says. Not repro" in text
    assert "Not reproducible (alpha is not printed): speed-up = 22.5" in text
    assert "alpha is not printed" in as_html(found) and "22.5" in as_html(found)


def test_the_papers_own_point_comes_first_and_the_deciding_one_is_there():
    many = [finding(CONFIRMED, n) for n in range(20)] + [finding(REFUTED, 99, 0.7)]
    [entry] = page([verdict("p.b.printed", REFUTED, *many)])["errata"]
    shown = [case["point"]["n"] for case in shown_cases(entry)]
    assert shown == [*range(MOST_POINTS - 1), 99]
    assert f"; {MOST_POINTS} of 21 points are shown" in table(entry)[0]
    assert len(entry["cases"]) == 21, "the data have all"
    [entry] = page([verdict("p.b.printed", REFUTED, *[finding(REFUTED)] * 2)])["errata"]
    assert len(shown_cases(entry)) == 1, "what is measured twice is shown once"


def test_a_table_has_a_line_for_each_point():
    [entry] = page()["errata"]
    assert table(entry) == [
        "refuted: misprint",
        ["number", "stated", "measured", "verdict"],
        ["mean error at family=frc, n=8", "= 1", "0.5", "confirmed"],
        ["mean error at family=frc, n=12", "= 1", "0.7", "refuted"],
    ]
    two = [Case({"n": 8}, 1.0, {}, "survivors", index=r) for r in (3, 4)]
    cases = [Finding(case, Estimate(0.5, 0.0), "exact", REFUTED, 0) for case in two]
    [entry] = page([verdict("p.b.printed", REFUTED, *cases)])["errata"]
    _, _, *rows = table(entry)
    assert [row[0] for row in rows] == ["P(3 survivors) at n=8", "P(4 survivors) at n=8"]


def test_text():
    text = as_text(page([*FOUND, verdict("p.g.printed", LOOSE)]) | {"citation": "Who, A Paper"})
    order = [
        "Of 4 statements of the paper 2 are confirmed (1 loose), 1 erratum (1 misprint), 1 "
        "undecided (expected: 1 confirmed).",
        "Measured with fastgc 1.2.3, seed 7.", "Confirmed",
        "place of p.a.printed: what p.a.printed says.", "Confirmed to 12 digits: mean error",
        "Errata", "place of p.b.printed: misprint",
        "True in another reading: what p.b.kinder.printed says.",
        "Statement: what p.b.printed says.", "n=8 = 1 0.5 confirmed", "n=12 = 1 0.7 refuted",
        "Correction: what p.b.corrected says.", "Reason: Count them twice.",
        "To repeat this: fastgc validate p.b.printed", "Added by fastgc", "p.e.derived",
        "Undecided", "Undecided (too few): mean error",
    ]  # fmt: skip
    flat = " ".join(text.split())
    places = [flat.index(part) for part in order]
    assert places == sorted(places)
    brief = page_text(papers.paper_page(page(), is_brief=True))
    assert "\n  p.a.printed: what p.a.printed says\n" in brief
    assert "    Counterexample: mean error = 1, measured 0.7 at family=frc, n=12.\n" in brief


FORMULA = "T\u0304_(a:M_G) = ∫ (1 − F^a) dx ≤ λ·r\u0303"


def test_every_form_has_what_is_printed():
    reading, refuted, right = FOUND[1:4]
    found = page([reading, dataclasses.replace(refuted, printed=FORMULA), right])
    assert found["errata"][0]["printed"] == FORMULA
    assert FORMULA in " ".join(as_text(found).split())
    assert FORMULA in as_html(found).replace("\N{NO-BREAK SPACE}", " ")
    assert "As printed" not in as_text(page()), "of what has none, like a claim of one's own"
    unexpected = page([verdict("p.b.printed", REFUTED, expected=CONFIRMED)])
    for form in (as_text, as_html):
        assert "fastgc expects this to be confirmed" in " ".join(form(unexpected).split())
        assert "fastgc expects" not in form(page())


def test_html_is_one_whole_page():
    text = as_html(page())
    found = Html(text)
    assert text.startswith("<!doctype html>") and ("html", "lang", "en") in found.attributes
    heads = [tag for tag in found.tags if tag in ("h1", "h2", "h3")]
    assert heads == ["h1", "h2", "h2", "h3", "h2", "h2"], "confirmed, errata, added, undecided"
    assert found.tags.count("table") == found.tags.count("caption") == found.tags.count("thead")
    assert {"row", "col"} <= set(found.values("scope"))
    assert {"header", "main", "section"} <= set(found.tags)
    assert any("width=device-width" in value for value in found.values("content"))
    ids, named = found.values("id"), found.values("aria-labelledby")
    assert len(ids) == len(set(ids)) and named and set(named) <= set(ids)
    # nothing is asked of the network
    assert not {"script", "link", "img", "iframe"} & set(found.tags)
    assert found.values("src", "href", "action") == ["#content"], "it leads to its own parts only"
    assert "url(" not in text and "@import" not in text and "http:" not in text
    assert "default-src 'none'" in text
