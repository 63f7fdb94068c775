"""A page on a paper: what of it is confirmed, and each erratum with what is right instead.

`page` makes plain data of verdicts, `document` puts these into words, `documents` makes a site.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastgc import theory
from fastgc.registry.numbers import counted
from fastgc.report import document as doc
from fastgc.report import wording
from fastgc.report.text import distinct
from fastgc.report.verdicts import verdict_row
from fastgc.results.verdicts import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Verdict
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, RESULTS, SOMEWHERE

Entry = dict[str, Any]

#: A page shows so many points of a statement, its paper's own first; JSON has all of them.
MOST_POINTS = 6


def page(
    paper: str,
    found: Sequence[Verdict],
    *,
    version: str,
    seed: int | None = None,
    options: str = "",
) -> dict[str, Any]:
    """Return the page on a paper as plain data, from verdicts on its claims.

    ``version`` and ``seed`` are of the measurement, ``options`` what else a command that repeats it
    needs. The page has ``confirmed``: what the paper says and measurement confirms; ``errata``:
    what it says and measurement refutes, each as it is ``printed``, with its kinder ``readings``
    that hold and its ``corrections``; ``not_reproducible``: printed numbers that cannot be
    recomputed, with what is missing; ``added``: what fastgc says beside the paper and belongs to no
    erratum; ``undecided``: of both, what is open; ``counts``: how many there are of each among
    theorems, numbers, figures and algorithms, and ``beside`` these among definitions, arithmetic
    and what is derived; ``not_judged``: its definitions and bare arithmetic, in words. Each entry
    is as `verdict_rows` has it, with ``place`` and ``outcome`` in words, ``what`` each case
    measures, ``numbers`` of the case that decided, and ``repeat``: the command that measures it
    again.
    """
    entries = {each.claim: _entry(each, seed, options) for each in found}

    def of(some: Sequence[Verdict], *verdicts: str) -> list[Entry]:
        return [entries[each.claim] for each in some if each.verdict in verdicts]

    said = [each for each in found if is_of_the_paper(each.claim)]
    attached: set[str] = set()
    written = []
    for erratum in [each for each in said if each.verdict == REFUTED]:
        readings = [each.claim for each in found if each.reads == erratum.claim]
        corrections = [each.claim for each in found if each.corrects == erratum.claim]
        attached.update(readings, corrections)
        own = list(dict.fromkeys([erratum.claim, *readings, *corrections]))
        written.append(
            entries[erratum.claim]
            | {
                "readings": [entries[claim] for claim in readings],
                "corrections": [entries[claim] for claim in corrections],
                "repeat": _command(own, seed, options),
            }
        )
    beside = [e for e in found if not is_of_the_paper(e.claim) and e.claim not in attached]
    return {
        "paper": paper,
        "citation": wording.source(f"{paper}."),
        "fastgc": version,
        "seed": seed,
        "counts": _counts([each for each in said if each.category in RESULTS])
        | {"beside": _counts([each for each in said if each.category not in RESULTS])},
        "confirmed": of(said, CONFIRMED, LOOSE),
        "errata": written,
        "not_reproducible": of(found, NOT_REPRODUCIBLE),
        "undecided": of([*said, *beside], UNDECIDED),
        "added": of(beside, CONFIRMED, LOOSE, REFUTED),
        "not_judged": list(theory.paper(paper).not_judged) if paper in theory.CORE else [],
    }


def _counts(said: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "said": len(said),
        "confirmed": sum(each.verdict in (CONFIRMED, LOOSE) for each in said),
        "errata": sum(each.verdict == REFUTED for each in said),
        "not_reproducible": sum(each.verdict == NOT_REPRODUCIBLE for each in said),
        "undecided": sum(each.verdict == UNDECIDED for each in said),
    }


def is_of_the_paper(claim: str) -> bool:
    """Return whether the paper says it; corrections and derived statements are fastgc's.

    >>> is_of_the_paper("agc.lemma1.printed"), is_of_the_paper("agc.theorem1.corrected")
    (True, False)
    """
    return not claim.endswith((".corrected", ".derived"))


def _entry(found: Verdict, seed: int | None, options: str) -> Entry:
    row = verdict_row(found)
    for case, finding in zip(row["cases"], found.findings, strict=True):
        case["what"] = wording.quantity(finding.case)
    shown, where = wording.deciding(found), wording.point(found.point)
    said = f"{wording.quantity(shown.case)} {wording.sign(found.relation)} {wording.theory(shown)}"
    return row | {
        "place": wording.place(found),
        "numbers": f"{said}, {wording.found(shown)}" + (f" at {where}" if where else ""),
        "proved": wording.proof(found),
        "outcome": wording.outcome(found),
        "share": wording.share_of_points(found),
        "as_expected": found.as_expected,
        "repeat": _command([found.claim], seed, options),
    }


def _command(claims: Sequence[str], seed: int | None, options: str) -> str:
    chosen = "" if seed is None else f"--seed {seed}"
    return " ".join(filter(None, ["fastgc validate", *claims, chosen, options]))


def shown_cases(entry: Entry) -> list[dict[str, Any]]:
    """Return the points to print: the first ones, and the one that decided where it is later.

    Each stands once, although it is measured by enumeration and on what fastgc builds.
    """
    keys = ("what", "point", "theory", "value", "verdict")
    different: dict[str, dict[str, Any]] = {}
    for case in entry["cases"]:
        different.setdefault(repr([case[key] for key in keys]), case)
    cases = list(different.values())
    first = cases[:MOST_POINTS]
    decided = [
        case
        for case in cases[MOST_POINTS:]
        if (case["point"], case["value"]) == (entry["point"], entry["value"])
    ]
    return [*first[: MOST_POINTS - 1], decided[0]] if decided else first


#: Heads of the table of an entry's points.
HEADS = ("parameters", "stated", "measured", "verdict")


def title(page: dict[str, Any]) -> str:
    """Return the paper's citation, or its name where it has none."""
    return str(page["citation"] or page["paper"])


def overview(page: dict[str, Any]) -> str:
    """Return the sentence that stands above all."""
    counts = page["counts"]
    whose = " of the paper" if page["citation"] else ""  # one's own claims are of none
    if not counts["said"] and not counts["beside"]["said"]:
        added = len(page["added"]) + len(page["undecided"])
        return f"Nothing here is quoted from the paper: fastgc derives {added} of what it is about."
    statements = "statement" if counts["said"] == 1 else "statements"
    said = f"Of {counts['said']} {statements}{whose} {_counted(page, counts, of_results=True)}."
    beside = counts["beside"]
    if beside["said"]:
        what = "statement is a definition" if beside["said"] == 1 else "are definitions"
        said += (
            f" {beside['said']} more {what} or arithmetic: "
            f"{_counted(page, beside, of_results=False)}."
        )
    return said


def _counted(page: dict[str, Any], counts: dict[str, Any], *, of_results: bool) -> str:
    """How many statements are confirmed, refuted, not reproducible and undecided."""
    many = counts["confirmed"]
    said = [f"{many or 'none'} {'are' if many > 1 else 'is'} confirmed"]
    if counts["errata"]:
        kinds = [
            entry["kind"] or "refuted"
            for entry in page["errata"]
            if (entry["category"] in RESULTS) == of_results
        ]
        each = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
        name = "erratum" if counts["errata"] == 1 else "errata"
        said.append(f"{counts['errata']} {name} ({each})" if page["citation"] else each)
    if counts["not_reproducible"]:
        said.append(f"{counts['not_reproducible']} not reproducible")
    if counts["undecided"]:
        said.append(f"{counts['undecided']} undecided")
    return ", ".join(said)


def measured_with(page: dict[str, Any]) -> str:
    """Return which fastgc measured, and with which seed."""
    seed = "" if page["seed"] is None else f", seed {page['seed']}"
    return f"Measured with fastgc {page['fastgc']}{seed}."


def _doubt(entry: Entry) -> str:
    """Return a warning where a verdict is not the one that fastgc expects, else nothing."""
    if entry["as_expected"]:
        return ""
    return f"fastgc expects this to be {entry['expected']}: look at it again before you rely on it."


def _at_points(entry: Entry, of_all: bool = True) -> str:
    """The verdict and, of what holds somewhere, where; else at how many points, with ``of_all``."""
    points = len(entry["cases"])
    said = f" ({points} points)" * (of_all and points > 1)
    if entry["holds"] == SOMEWHERE and entry["share"]:
        said = f" ({entry['share']})"
    return f"{entry['outcome']}{said}"


def document(page: dict[str, Any]) -> doc.Document:
    """Return the page as a document; what is undecided stands last."""
    lead = f"{overview(page)} {measured_with(page)}"
    return doc.Document(title(page), [lead], [*judged(page), *undecided(page)])


def judged(page: dict[str, Any], prefix: str = "") -> list[doc.Section]:
    """Return the sections on what is decided: confirmed, errata, and what fastgc adds.

    The sections' names begin with ``prefix``.
    """
    caption = "Confirmed statements of the paper"
    found = _listed(f"{prefix}confirmed", "Confirmed", caption, page["confirmed"])
    if page["errata"]:
        errata = [_erratum(entry) for entry in page["errata"]]
        found.append(doc.Section(f"{prefix}errata", "Errata", errata))
    caption = "Numbers that cannot be recomputed, with what is missing"
    entries = page["not_reproducible"]
    found += _listed(f"{prefix}not-reproducible", "Not reproducible", caption, entries)
    caption = "Additional statements by fastgc"
    found += _listed(f"{prefix}added", "Added by fastgc", caption, page["added"])
    if page["not_judged"]:
        said = "Definitions and bare arithmetic, which cannot be false: "
        text = doc.Paragraph(f"{said}{'; '.join(page['not_judged'])}.")
        found.append(doc.Section(f"{prefix}not-judged", "Not judged", [text]))
    return found


def undecided(page: dict[str, Any]) -> list[doc.Section]:
    """Return the section on what is not decided, if there is anything."""
    caption = "Statements that need more measurement"
    return _listed("undecided", "Undecided", caption, page["undecided"])


def _listed(name: str, title: str, caption: str, entries: Sequence[Entry]) -> list[doc.Section]:
    if not entries:
        return []
    said = [
        doc.Statement(
            claim=entry["claim"],
            place=wording.typeset(entry["place"]),
            text=wording.typeset(entry["statement"]),
            verdict=_at_points(entry),
            numbers="; ".join(filter(None, (entry["numbers"], entry["proved"]))),
            doubt=_doubt(entry),
            name=entry["claim"],
        )
        for entry in entries
    ]
    return [doc.Section(name, title, [doc.Statements(caption, said)])]


def _erratum(entry: Entry) -> doc.Section:
    blocks: list[doc.Block] = []
    if entry["printed"]:
        blocks.append(doc.Paragraph(entry["printed"], "As printed"))
    for reading in entry["readings"]:
        where = f"({reading['place']}; {_at_points(reading)})"
        said = f"{wording.typeset(reading['statement'])}. {where}"
        blocks.append(doc.Paragraph(said, "True in a more charitable reading"))
    blocks.append(doc.Paragraph(f"{wording.typeset(entry['statement'])}.", "Statement"))
    blocks += _points(entry)
    if entry["proved"]:
        blocks.append(doc.Paragraph(f"{entry['proved']}."))
    for right in entry["corrections"]:
        blocks.append(doc.Paragraph(f"{wording.typeset(right['statement'])}.", "Correction"))
        if right["proof"]:
            blocks.append(doc.Paragraph(wording.typeset(right["proof"]), "Reason"))
        blocks += _points(right)
    blocks += [doc.Paragraph("To repeat this:"), doc.Code(entry["repeat"])]
    title = f"{wording.typeset(entry['place'])}: {entry['kind'] or entry['verdict']}"
    return doc.Section(entry["claim"], title, blocks)


def _points(entry: Entry) -> list[doc.Block]:
    """The table of an entry's points, the paper's own first.

    Its caption says what the numbers are, what their points share, and the verdict on all of them.
    """
    cases = shown_cases(entry)
    shared = {
        key: value
        for key, value in cases[0]["point"].items()
        if all(case["point"].get(key) == value for case in cases)
    }
    whats = distinct(case["what"] for case in cases)
    differ = len(whats) > 1
    caption = "several numbers" if differ else whats[0]
    caption += f" at {wording.point(shared)}" if shared else ""
    total = len(entry["cases"])
    caption += "" if len(cases) == total else f", {len(cases)} of {total} points"
    caption += f": {_at_points(entry, of_all=False)}"
    sign = wording.sign(entry["relation"])
    rows: list[list[doc.Cell]] = []
    for case in cases:
        own = {key: value for key, value in case["point"].items() if key not in shared}
        point = [wording.point(own, case["point"])] * bool(own)
        theory = case["theory"]
        said = f"{sign} infinite" if theory is None else doc.Number(theory, before=sign)
        measured = doc.Number(case["value"], case["standard_error"])
        rows.append([", ".join([case["what"]] * differ + point), said, measured, case["verdict"]])
    names = int(any(row[0] for row in rows))  # none where all points share them
    cells = [row[1 - names :] for row in rows]
    warning = [doc.Paragraph(_doubt(entry), "Beware")] if _doubt(entry) else []
    return [doc.Table(caption, HEADS[1 - names :], cells, names), *warning]


FRONT = "index.html"
_COLUMNS = ("source", "printed", "confirmed", "errata", "not reproducible", "undecided", "added")


def documents(pages: Sequence[dict[str, Any]]) -> dict[str, doc.Document]:
    """Return the documents of a site by the names of their files; links are relative.

    ``pages`` are as `errata.page` makes them, of one measurement.
    """
    made = {FRONT: _front(pages)}
    lead = doc.Table("Where this page belongs", ("site",), [[doc.Link("all papers", FRONT)]])
    site = doc.Section("site", "All papers", [lead])
    for each in pages:
        own = document(each)
        made[_file(each)] = replace(own, sections=[*own.sections, site])
    return made


def _file(page: dict[str, Any]) -> str:
    return f"{page['paper']}.html"


def _front(pages: Sequence[dict[str, Any]]) -> doc.Document:
    rows: list[list[doc.Cell]] = []
    for page in pages:
        counts = page["counts"]
        keys = ("said", "confirmed", "errata", "not_reproducible", "undecided")
        left = sum(not is_of_the_paper(each["claim"]) for each in page["undecided"])
        added = f"{len(page['added']) + left}" + f" ({left} undecided)" * bool(left)
        link = doc.Link(title(page), _file(page))
        rows.append([link, *(str(counts[key]) for key in keys), added])
    said = (
        "Printed are theorems, numbers, figures and algorithms that a source prints; definitions "
        "and arithmetic are not counted. Added is what fastgc derives beside it."
    )
    table = doc.Table("Statements by source", _COLUMNS, rows)
    lead = [measured_with(pages[0]), said] if pages else [said]
    return doc.Document(
        "What papers on gradient coding say, measured",
        lead,
        [doc.Section("papers", counted(len(pages), "pages"), [table])],
    )
