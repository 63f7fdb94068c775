"""The page on a measurement: what held and what did not, what rounds took."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace

from fastgc.report.document import Block, Code, Document, Items, Paragraph, Section
from fastgc.report.measurement import decoded, following, remarks, side_by_side, subject, times, who
from fastgc.report.pages.parts import joined
from fastgc.results.measurements import Measurement


def of_measurement(found: Measurement) -> Document:
    """Return the page on a system that was run for real."""
    said = [
        Paragraph(each["sentence"], f"{each['comparison'].capitalize()} {each['verdict']}")
        for each in found.verdicts
    ]
    said += [Paragraph(decoded(found), "Decoding error")] if decoded(found) else []
    said += [Paragraph(following(found), "Next")] if said else []
    sections = [Section("answer", "What held, and what did not", said)]
    if len(found.measured):
        below = remarks(found)
        numbers: list[Block] = [times(found), *([Items(below)] if below else [])]
        if late := who(found):
            sections.append(Section("who", "Who straggled", [Paragraph(late)]))
        sections.append(Section("numbers", "The numbers", numbers))
    if found.study:
        sections.append(Section("study", "The study", [Code(found.study, "toml")]))
    made = found.facts["provenance"]
    lead = [
        f"{subject(found)}: {found.facts['work']}.",
        f"Measured with fastgc {made['fastgc']}, {made['written'][:10]}.",
    ]
    name = found.facts["experiment"]
    title = "Against the clock" + ("" if name.startswith("experiment") else f": {name}")
    return Document(title, lead, sections)


def of_measurements(made: Sequence[Measurement]) -> Document:
    """Return the page on several systems that were run for real: side by side, then one by one."""
    if len(made) == 1:
        return of_measurement(made[0])
    pages, studies = [of_measurement(each) for each in made], {each.study for each in made}
    title = "Against the clock"
    if len(studies) == 1 and (text := studies.pop()):  # once, below all
        own = [[part for part in each.sections if part.name != "study"] for each in pages]
        pages = [replace(each, sections=rest) for each, rest in zip(pages, own, strict=True)]
        title = tomllib.loads(text).get("title") or title
        last = [Section("study", "The study", [Code(text, "toml")])]
    else:
        last = []
    measured = [each for each in made if len(each.measured)]
    first = Section("systems", "All systems", [*side_by_side(measured)])
    whole = joined(pages, title)
    return replace(whole, sections=[first, *whole.sections, *last])
