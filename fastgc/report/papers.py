"""The page on a paper: what of it is confirmed, errata with what is right instead, its studies.

`page` makes plain data of verdicts on one paper, `of_page` and `of_papers` put these into words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastgc import theory
from fastgc.report import document as doc
from fastgc.report import pages, printed, wording
from fastgc.report.pages import Measured
from fastgc.report.verdicts import verdict_row
from fastgc.results.frames import grouped
from fastgc.results.verdict_data import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Verdict
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, RESULTS, SOMEWHERE

Entry = dict[str, Any]

#: A page shows so many points of a statement, its paper's own first; JSON has all of them.
MOST_POINTS = 6
#: Sections of what is not an erratum: key of the data, and title.
_LISTS = {
    "confirmed": "Confirmed",
    "not_reproducible": "Not reproducible",
    "added": "Added by fastgc",
    "undecided": "Undecided",
}


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

    said = [each for each in found if _is_of_the_paper(each.claim)]
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
    beside = [e for e in found if not _is_of_the_paper(e.claim) and e.claim not in attached]
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


def _is_of_the_paper(claim: str) -> bool:
    # corrections and derived statements are fastgc's
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


def of_page(page: dict[str, Any]) -> doc.Document:
    """Return the plain data of a page as a document."""
    seed = "" if page["seed"] is None else f", seed {page['seed']}"
    lead = f"{overview(page)} Measured with fastgc {page['fastgc']}{seed}."
    return doc.Document(_title(page), [lead], judged(page))


def _title(page: dict[str, Any]) -> str:
    return str(page["citation"] or page["paper"])


def overview(page: dict[str, Any]) -> str:
    """Return how many statements are confirmed, refuted, not reproducible and undecided."""
    counts, beside = page["counts"], page["counts"]["beside"]
    whose = " of the paper" if page["citation"] else ""  # one's own claims are of none
    if not counts["said"] and not beside["said"]:
        added = len(page["added"]) + len(page["undecided"])
        return f"Nothing here is quoted from the paper: fastgc derives {added} of what it is about."
    statements = "statement" if counts["said"] == 1 else "statements"
    said = f"Of {counts['said']} {statements}{whose} {_counted(page, counts, of_results=True)}."
    if beside["said"]:
        what = "statement is a definition" if beside["said"] == 1 else "are definitions"
        of_these = _counted(page, beside, of_results=False)
        said += f" {beside['said']} more {what} or arithmetic: {of_these}."
    return said


def _counted(page: dict[str, Any], counts: dict[str, Any], *, of_results: bool) -> str:
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
    for key in ("not_reproducible", "undecided"):
        said += [f"{counts[key]} {key.replace('_', ' ')}"] if counts[key] else []
    return ", ".join(said)


def judged(page: dict[str, Any], prefix: str = "") -> list[doc.Section]:
    """Return the sections of what is judged; their names begin with ``prefix``."""
    found = []
    for key, title in _LISTS.items():
        if page[key]:
            said = []
            for entry in page[key]:
                verdict = _at_points(entry)
                numbers = "; ".join(filter(None, (entry["numbers"], entry["proved"])))
                text = f"{entry['statement']}. {verdict[0].upper()}{verdict[1:]}: {numbers}"
                text = " ".join(filter(None, [f"{text} ({entry['claim']}).", _doubt(entry)]))
                said.append(doc.Paragraph(text, entry["place"]))
            found.append(doc.Section(f"{prefix}{key.replace('_', '-')}", title, said))
        if key == "confirmed" and page["errata"]:
            errata = [_erratum(entry) for entry in page["errata"]]
            found.append(doc.Section(f"{prefix}errata", "Errata", errata))
    if page["not_judged"]:
        why = "Definitions and bare arithmetic, which cannot be false: "
        left = doc.Paragraph(f"{why}{'; '.join(page['not_judged'])}.")
        found.append(doc.Section(f"{prefix}not-judged", "Not judged", [left]))
    return found


def _doubt(entry: Entry) -> str:
    if entry["as_expected"]:
        return ""
    return f"fastgc expects this to be {entry['expected']}: look at it again before you rely on it."


def _at_points(entry: Entry, of_all: bool = True) -> str:
    points = len(entry["cases"])
    said = f" ({points} points)" * (of_all and points > 1)
    if entry["holds"] == SOMEWHERE and entry["share"]:
        said = f" ({entry['share']})"
    return f"{entry['outcome']}{said}"


def _erratum(entry: Entry) -> doc.Section:
    blocks: list[doc.Block] = []
    if entry["printed"]:
        blocks.append(doc.Paragraph(entry["printed"], "As printed"))
    for reading in entry["readings"]:
        where = f"({reading['place']}; {_at_points(reading)})"
        said = f"{reading['statement']}. {where}"
        blocks.append(doc.Paragraph(said, "True in a more charitable reading"))
    blocks.append(doc.Paragraph(f"{entry['statement']}.", "Statement"))
    blocks += _points(entry)
    if entry["proved"]:
        blocks.append(doc.Paragraph(f"{entry['proved']}."))
    for right in entry["corrections"]:
        blocks.append(doc.Paragraph(f"{right['statement']}.", "Correction"))
        if right["proof"]:
            blocks.append(doc.Paragraph(right["proof"], "Reason"))
        blocks += _points(right)
    blocks += [doc.Paragraph("To repeat this:"), doc.Code(entry["repeat"])]
    title = f"{entry['place']}: {entry['kind'] or entry['verdict']}"
    return doc.Section(entry["claim"], title, blocks)


def shown_cases(entry: Entry) -> list[dict[str, Any]]:
    """Return the points to print: the first ones, and the one that decided where it is later.

    Each stands once, although it is measured by enumeration and on what fastgc builds.
    """
    keys = ("what", "point", "theory", "value", "verdict")
    different: dict[str, dict[str, Any]] = {}
    for case in entry["cases"]:
        different.setdefault(repr([case[key] for key in keys]), case)
    cases = list(different.values())
    first, rest = cases[:MOST_POINTS], cases[MOST_POINTS:]
    own = entry["point"], entry["value"]
    decided = [case for case in rest if (case["point"], case["value"]) == own]
    return [*first[: MOST_POINTS - 1], decided[0]] if decided else first


def _points(entry: Entry) -> list[doc.Block]:
    cases, total = shown_cases(entry), len(entry["cases"])
    caption = _at_points(entry, of_all=False)
    caption += "" if len(cases) == total else f", {len(cases)} of {total} points"
    sign = wording.sign(entry["relation"])
    rows: list[list[doc.Cell]] = []
    for case in cases:
        where = wording.point(case["point"])
        name = f"{case['what']} at {where}" if where else case["what"]
        theory = case["theory"]
        said = f"{sign} infinite" if theory is None else doc.Number(theory, before=sign)
        measured = doc.Number(case["value"], case["standard_error"])
        rows.append([name, said, measured, case["verdict"]])
    warning = [doc.Paragraph(_doubt(entry), "Beware")] if _doubt(entry) else []
    return [doc.Table(caption, ("number", "stated", "measured", "verdict"), rows), *warning]


@dataclass(frozen=True)
class Part:
    """A packaged study of a paper, like ``agc/main``, or its claims.

    ``measured`` is None where it was left out, and ``reason`` says why. ``command`` measures it
    alone.
    """

    name: str
    measured: Measured | None
    reason: str = ""
    command: str = ""


def of_verdicts(measured: Measured) -> doc.Document:
    """Return the page on a validation."""
    ids = " ".join(each.claim for each in measured.result.verdicts)
    command = f"fastgc validate {ids} --seed {measured.seed} -o result.h5"
    return of_papers(Part("The validation", measured), [], "", [command, pages.SHOW])


def of_papers(
    claimed: Part, studies: Sequence[Part], title: str, commands: Sequence[str]
) -> doc.Document:
    """Return the page on what was judged, and on packaged studies of the paper.

    Without a ``title`` it is that of a single paper; ``commands`` make the page again.
    """
    judgements = []
    if (validated := claimed.measured) is not None:
        by_paper = grouped(validated.result.verdicts, lambda each: each.claim.partition(".")[0])
        version = str(validated.provenance.get("fastgc", ""))
        judgements = [
            page(key, own, version=version, seed=validated.seed) for key, own in by_paper.items()
        ]
    known = [(each, each.measured) for each in studies if each.measured is not None]
    subjects = [measured for _, measured in known]
    subjects += [] if claimed.measured is None else [claimed.measured]
    alone = len(judgements) == 1
    decided = judged(judgements[0]) if alone else []
    for each in [] if alone else judgements:
        name = each["paper"]
        blocks: list[doc.Block] = [doc.Paragraph(overview(each)), *judged(each, f"{name}-")]
        decided.append(doc.Section(name, _title(each), blocks))
    shown = []
    for i, (part, own) in enumerate(known, 1):
        head = f"{part.name}: {wording.subject(part.name, own.result.title or part.name)}"
        shown.append(doc.Section(f"study{i}", head, pages.sections(own, f"study{i}-")))
    title = title or (_title(judgements[0]) if alone else "What measurement says of claims")
    commands = [*commands, *(each.command for each in (*studies, claimed) if each.command)]
    return doc.Document(
        title,
        [pages.measured_with(subjects)] if subjects else [],
        [
            doc.Section("answer", "The answer", _answers(claimed, studies, judgements)),
            *decided,
            *shown,
            pages.how_measured(subjects),
            pages.repeat(commands),
        ],
        contents=bool(studies),
    )


def _answers(
    claimed: Part, studies: Sequence[Part], judgements: Sequence[dict[str, Any]]
) -> list[doc.Block]:
    said: list[doc.Block] = []
    known = [each.measured for each in studies if each.measured is not None]
    if numbers := [number for measured in known for number in pages.beside(measured)]:
        said.append(doc.Paragraph(printed.counts(numbers), "Printed numbers"))
    found = [] if claimed.measured is None else claimed.measured.result.verdicts
    if found:
        said.append(doc.Paragraph(f"{wording.counts(found)}.", "Verdicts"))
        said += [
            doc.Paragraph(overview(each), _title(each) * (len(judgements) > 1))
            for each in judgements
        ]
    if wrong := [each.claim for each in found if not each.as_expected]:
        said.append(doc.Paragraph(f"{', '.join(wrong)}.", "Not the verdict that was expected"))
    for each in (*studies, claimed):
        if each.reason:
            said.append(doc.Paragraph(f"{each.reason}.", f"{each.name} is not all there"))
    return said
