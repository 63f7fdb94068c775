"""The page on a paper: what of it is confirmed, errata with what is right instead, its studies.

`page` makes plain data of verdicts on one paper, `paper_page` and `of_papers` put these into words.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from fastgc import theory
from fastgc.report import document as doc
from fastgc.report import pages, printed, wording
from fastgc.report.pages import ReportedResult
from fastgc.report.verdicts import verdict_row
from fastgc.results.frames import grouped
from fastgc.results.verdict_data import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Verdict
from fastgc.theory import by_name
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, RESULTS, SOMEWHERE, is_of_paper

Entry = dict[str, Any]

#: A page shows so many points of a statement, its paper's own first; JSON has all of them.
MOST_POINTS = 6
#: What an author can do who finds a verdict wrong.
UNFAIR = (
    'write to fastgc\'s repository by its issue template "A theorem is judged unfairly", with the '
    "name of the erratum; what verdicts cannot see stands on the handbook's page `limits`, which "
    "`fastgc help limits` prints"
)
#: Sections of what is not an erratum: key of the data, and title.
LISTS = {
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
    what it says and measurement refutes, each as it is ``printed``, with other ``readings``, which
    hold and are not counted, and its ``corrections``; ``not_reproducible``: printed numbers that
    cannot be recomputed, with what is missing; ``added``: what fastgc says beside the paper and
    belongs to no erratum; ``undecided``: of both, what is open; ``counts``: of each among
    theorems, numbers, figures and algorithms (``loose``: of those confirmed), and ``beside`` these
    among definitions and arithmetic; ``not_judged``: its definitions, bare arithmetic and slips of
    the pen, in words;
    ``edition`` of the text that is judged; ``unfair``: what to do about a verdict. Each entry
    is as `verdict_rows` has it, with ``place`` and ``outcome`` in words, ``formulas``: names of its
    closed forms, ``places``: where claim, closed forms and brute force stand, ``what`` each case
    measures, ``numbers`` of the case that decided, and ``repeat``: the command that measures it
    again; an erratum has ``touches``, too: a statement of a theorem, or a proof, a number, ….
    """
    entries = {each.claim: _entry(each, seed, options) for each in found}

    def of(some: Sequence[Verdict], *verdicts: str) -> list[Entry]:
        return [entries[each.claim] for each in some if each.verdict in verdicts]

    def counts(some: Sequence[Verdict]) -> dict[str, Any]:
        kinds = [each.verdict for each in some]
        return {
            "said": len(kinds),
            "confirmed": kinds.count(CONFIRMED) + kinds.count(LOOSE),
            "loose": kinds.count(LOOSE),
            "errata": kinds.count(REFUTED),
            "not_reproducible": kinds.count(NOT_REPRODUCIBLE),
            "undecided": kinds.count(UNDECIDED),
        }

    said = [each for each in found if is_of_paper(each.claim, each.reads)]
    attached = {each.claim for each in said}
    written = []
    for erratum in [each.claim for each in said if each.verdict == REFUTED]:
        readings = [each.claim for each in found if each.reads == erratum]
        corrections = [each.claim for each in found if each.corrects == erratum]
        attached.update(readings, corrections)
        own = list(dict.fromkeys([erratum, *readings, *corrections]))
        more: Entry = {"readings": [entries[claim] for claim in readings]}
        more["corrections"] = [entries[claim] for claim in corrections]
        more |= {"touches": _touched(entries[erratum]), "repeat": _command(own, seed, options)}
        written.append(entries[erratum] | more)
    beside = [each for each in found if each.claim not in attached]
    results = [each for each in said if each.category in RESULTS]
    return {
        "paper": paper,
        "citation": wording.source(f"{paper}."),
        "edition": theory.paper(paper).edition if paper in theory.CORE else "",
        "unfair": UNFAIR,
        "fastgc": version,
        "seed": seed,
        "counts": counts(results)
        | {"beside": counts([each for each in said if each.category not in RESULTS])},
        "confirmed": of(said, CONFIRMED, LOOSE),
        "errata": written,
        "not_reproducible": of(found, NOT_REPRODUCIBLE),
        "undecided": of([*said, *beside], UNDECIDED),
        "added": of(beside, CONFIRMED, LOOSE, REFUTED),
        "not_judged": list(theory.paper(paper).not_judged) if paper in theory.CORE else [],
    }


def _entry(found: Verdict, seed: int | None, options: str) -> Entry:
    row = verdict_row(found)
    for case, finding in zip(row["cases"], found.findings, strict=True):
        case["what"] = wording.quantity(finding.case)
    return row | {
        "place": wording.place(found),
        "numbers": wording.numbers(found),
        "proved": wording.proof(found),
        "outcome": wording.outcome(found),
        "formulas": by_name.of_claim(found.claim),
        "places": _places(found),
        "share": wording.share_of_points(found),
        "as_expected": found.as_expected,
        "repeat": _command([found.claim], seed, options),
    }


_AS_STATED = "a theorem, proposition or lemma as it is stated"


def _touched(entry: Entry) -> str:
    if entry["category"] in ("number", "figure", "algorithm"):
        return f"{'an' if entry['category'] == 'algorithm' else 'a'} {entry['category']}"
    place = entry["place"]
    if "proof" in place.lower() or place.startswith("Appendix"):
        return "a proof"
    return _AS_STATED if re.match(r"(Theorem|Proposition|Lemma) ", place) else "text or formulas"


def _places(found: Verdict) -> dict[str, str]:
    own = {each.id: by_name.place(each.make) for each in theory.claims() if each.id == found.claim}
    own |= {n: by_name.place(by_name.formula(n).function) for n in by_name.of_claim(found.claim)}
    counted = {str(each.case.experiment.get("finite", "")) for each in found.findings} - {""}
    return own | {name: _brute_force(name) for name in sorted(counted)}


@functools.cache
def _brute_force(name: str) -> str:
    folder = "validation/finite/brute_force"
    is_there = rf"(?m)^(?:def )?[\w, ]*\b{name}\b[\w, ]*(?:\(| = )"
    sources = (each for each in files("fastgc").joinpath(folder).iterdir() if each.is_file())
    found = (each.name for each in sources if re.search(is_there, each.read_text("utf-8")))
    return f"fastgc/{folder}/{next(found, '')}"


def _command(claims: Sequence[str], seed: int | None, options: str) -> str:
    chosen = "" if seed is None else f"--seed {seed}"
    return " ".join(filter(None, ["fastgc validate", *claims, chosen, options]))


def paper_page(page: dict[str, Any], *, is_brief: bool = False) -> doc.Document:
    """Return the plain data of a page as a document; brief, without numbers, reasons and files."""
    seed = "" if page["seed"] is None else f", seed {page['seed']}"
    lead = [f"{overview(page)} Measured with fastgc {page['fastgc']}{seed}."]
    lead += [f"{each.head}: {each.text}" for each in _fairness(page)]
    lead += [f"`fastgc errata {page['paper']}.NAME` shows all of what begins so."] * is_brief
    return doc.Document(_title(page), lead, judged(page, is_brief=is_brief))


def _fairness(page: dict[str, Any]) -> list[doc.Paragraph]:
    said = (f"{page['edition']}." * bool(page["edition"]), "The text that is judged")
    return doc.paragraphs(said, (f"{page['unfair']}.", "If this is unfair to the paper"))


def _title(page: dict[str, Any]) -> str:
    return str(page["citation"] or page["paper"])


def overview(page: dict[str, Any]) -> str:
    """Return how many statements are confirmed, refuted, not reproducible and undecided."""
    counts, beside = page["counts"], page["counts"]["beside"]
    whose = " of the paper" if page["citation"] else ""  # one's own claims are of none
    if not counts["said"] and not beside["said"]:
        added = len(page["added"]) + len(page["undecided"])
        return f"Nothing here is quoted from the paper: fastgc adds {added} to what it is about."

    def counted(counts: dict[str, Any], *, of_results: bool) -> str:
        many = counts["confirmed"]
        loose = f" ({counts['loose']} loose)" * (counts["loose"] > 0)
        said = [f"{many or 'none'} {'are' if many > 1 else 'is'} confirmed{loose}"]
        if counts["errata"]:
            own = [e for e in page["errata"] if (e["category"] in RESULTS) == of_results]
            kinds = sorted(entry["kind"] or "refuted" for entry in own)
            each = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
            name = "erratum" if counts["errata"] == 1 else "errata"
            said.append(f"{counts['errata']} {name} ({each})" if page["citation"] else each)
        for key in ("not_reproducible", "undecided"):
            said += [f"{counts[key]} {key.replace('_', ' ')}"] if counts[key] else []
        if counts["undecided"] and page["citation"]:
            # with these the counts are those of the expected verdicts, which the site has
            own = [e for e in page["undecided"] if is_of_paper(e["claim"], e["reads"])]
            wanted = [e["expected"] for e in own if (e["category"] in RESULTS) == of_results]
            each = ", ".join(f"{wanted.count(name)} {name}" for name in dict.fromkeys(wanted))
            said[-1] += f" (expected: {each})"
        return ", ".join(said)

    statements = "statement" if counts["said"] == 1 else "statements"
    said = f"Of {counts['said']} {statements}{whose} {counted(counts, of_results=True)}."
    if beside["said"]:
        what = "statement is a definition" if beside["said"] == 1 else "are definitions"
        said += f" {beside['said']} more {what} or arithmetic: {counted(beside, of_results=False)}."
    if page["errata"] and page["citation"]:
        by_touch = grouped(page["errata"], lambda each: str(each["touches"]))
        by_touch.setdefault(_AS_STATED, [])
        each = [f"{key} {len(by_touch[key])}" for key in sorted(by_touch, key=_ORDER)]
        said += f" The errata touch {', '.join(each)} times."
    return said


#: What errata touch, the weightiest first.
_ORDER = (_AS_STATED, "a proof", "an algorithm", "a number", "a figure", "text or formulas").index


def judged(page: dict[str, Any], prefix: str = "", *, is_brief: bool = False) -> list[doc.Section]:
    """Return the sections of what is judged; their names begin with ``prefix``."""
    found = []
    for key, title in LISTS.items():
        said = list[doc.Block]()
        short = [e for e in page[key] if is_brief and e["as_expected"] and key != "undecided"]
        lines = [f"{each['claim']}: {each['statement']}" for each in short]
        said += [doc.Items(lines, is_short=True)] * bool(lines)
        for entry in (each for each in page[key] if each not in short):
            verdict = _at_points(entry)
            numbers = "; ".join(filter(None, (entry["numbers"], entry["proved"])))
            text = f"{entry['statement']}. {verdict[0].upper()}{verdict[1:]}: {numbers}"
            text = " ".join(filter(None, [f"{text} ({entry['claim']}).", _doubt(entry)]))
            text += " Formula:" * bool(entry["formulas"])
            said.append(doc.Paragraph(text, entry["place"], entry["claim"], _linked(entry)))
        if said:
            found.append(doc.Section(f"{prefix}{key.replace('_', '-')}", title, said))
        if key == "confirmed" and page["errata"]:
            errata = [_erratum(entry, is_brief=is_brief) for entry in page["errata"]]
            found.append(doc.Section(f"{prefix}errata", "Errata", errata, is_listed=True))
    if page["not_judged"]:
        why = "Definitions, bare arithmetic, and slips of the pen that mislead nobody: "
        left = doc.Paragraph(f"{why}{'; '.join(page['not_judged'])}.")
        found.append(doc.Section(f"{prefix}not-judged", "Not judged", [left]))
    entries = [entry for key in (*LISTS, "errata") for entry in page[key]]
    entries += [right for entry in page["errata"] for right in entry["corrections"]]
    known, used = by_name.formulas(), _linked(*([] if is_brief else entries))
    forms = [doc.Section(n, f"{n} {known[n].usage}", [doc.Paragraph(known[n].text)]) for n in used]
    return [*found, *[doc.Section(f"{prefix}formulas", "Formulas", forms)] * bool(forms)]


def _linked(*entries: Entry) -> dict[str, str]:
    return {name: name for entry in entries for name in entry["formulas"]}


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


def _erratum(entry: Entry, *, is_brief: bool) -> doc.Section:
    blocks: list[doc.Block] = [*doc.paragraphs((entry["printed"], "As printed"))]
    for reading in entry["readings"]:
        said = f"{reading['statement']}. ({reading['place']}; {_at_points(reading)})"
        blocks.append(doc.Paragraph(said, "True in another reading"))
    blocks.append(doc.Paragraph(f"{entry['statement']}.", "Statement"))
    found = {case["what"]: case["counterexample"] for case in entry["cases"][::-1]}
    every = [entry["counterexample"]] if is_brief else [*found.values()][::-1]
    own = dict.fromkeys(each["said"] for each in every if each)
    blocks += [doc.Paragraph(f"{said.rstrip('.')}.", "Counterexample") for said in own]
    blocks += doc.paragraphs((_doubt(entry), "Beware")) if is_brief else _points(entry)
    for right in entry["corrections"]:
        said, reason = f"{right['statement']}.", "" if is_brief else right["proof"]
        blocks += doc.paragraphs((said, "Correction"), (reason, "Reason"))
        blocks += [] if is_brief else _points(right)
    if links := _linked(entry, *entry["corrections"]):
        blocks.append(doc.Paragraph("Formula:", links=links))
    if not is_brief:
        places = {k: at for e in (entry, *entry["corrections"]) for k, at in e["places"].items()}
        said = ", ".join(f"`{name}` in {at}" for name, at in places.items())
        blocks += doc.paragraphs((said, "Formulas and brute force"))
        blocks += [doc.Paragraph("To repeat this:"), doc.Code(entry["repeat"])]
    title = f"{entry['place']}: {entry['kind'] or entry['verdict']} ({entry['claim']})"
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
    caption += "" if len(cases) == total else f"; {len(cases)} of {total} points are shown"
    sign = wording.sign(entry["relation"])
    rows: list[list[doc.Cell]] = []
    for case in cases:
        where = wording.point(case["point"])
        name = f"{case['what']} at {where}" if where else case["what"]
        theory = case["theory"]
        said = f"{sign} infinite" if theory is None else doc.Number(theory, before=sign)
        measured = doc.Number(case["value"], case["standard_error"])
        rows.append([name, said, measured, case["verdict"]])
    made = doc.Table(caption, ("number", "stated", "measured", "verdict"), rows)
    return [made, *doc.paragraphs((_doubt(entry), "Beware"))]


@dataclass(frozen=True)
class PaperPart:
    """A packaged study of a paper, like ``agc/main``, or its claims.

    ``measured`` is None where it was left out, for a ``reason``; ``command`` measures it alone.
    """

    name: str
    measured: ReportedResult | None
    reason: str = ""
    command: str = ""


def of_verdicts(measured: ReportedResult) -> doc.Document:
    """Return the page on a validation."""
    ids = " ".join(each.claim for each in measured.result.verdicts)
    command = f"fastgc validate {ids} --seed {measured.seed} -o result.h5"
    return of_papers(PaperPart("The validation", measured), [], [command, pages.SHOW])


def of_papers(
    claimed: PaperPart, studies: Sequence[PaperPart], commands: Sequence[str]
) -> doc.Document:
    """Return the page on what was judged, and on packaged studies of the paper.

    Its title is that of a single paper; ``commands`` make the page again.
    """
    judgements, verdicts = [], list[Verdict]()
    if (validated := claimed.measured) is not None:
        verdicts = list(validated.result.verdicts)
        version = str(validated.provenance.get("fastgc", ""))
        for key, own in grouped(verdicts, lambda each: each.claim.partition(".")[0]).items():
            judgements.append(page(key, own, version=version, seed=validated.seed))
    alone = len(judgements) == 1
    sections = judged(judgements[0]) if alone else []
    for each in [] if alone else judgements:
        name = each["paper"]
        blocks: list[doc.Block] = [doc.Paragraph(overview(each)), *judged(each, f"{name}-")]
        sections.append(doc.Section(name, _title(each), blocks, is_listed=True))
    subjects, numbers = [], list[printed.PrintedComparison]()
    for part in studies:
        if (measured := part.measured) is not None:
            subjects.append(measured)
            numbers += pages.beside(measured)
            name = f"study{len(subjects)}"
            head = wording.subject(part.name, measured.result.title or part.name)
            inside = pages.sections(measured, f"{name}-")
            sections.append(doc.Section(name, f"{part.name}: {head}", inside))
    subjects += [] if validated is None else [validated]
    wrong = ", ".join(each.claim for each in verdicts if not each.as_expected)
    said = doc.paragraphs(
        (printed.counts(numbers), "Printed numbers"),
        *((overview(each), "Verdicts" if alone else _title(each)) for each in judgements),
        *((each.text, each.head) for judgement in judgements for each in _fairness(judgement)),
        (wrong and f"{wrong}.", "Not the verdict that was expected"),
        *(
            (part.reason and f"{part.reason}.", f"{part.name} is not all there")
            for part in (*studies, claimed)
        ),
    )
    commands = [*commands, *(each.command for each in (*studies, claimed) if each.command)]
    return doc.Document(
        _title(judgements[0]) if alone else "What measurement says of claims",
        [pages.measured_with(subjects)] if subjects else [],
        [
            doc.Section("answer", "The answer", said),
            *sections,
            pages.how_measured(subjects),
            pages.repeat(commands),
        ],
        contents=bool(studies) or any(each["errata"] for each in judgements),
    )
