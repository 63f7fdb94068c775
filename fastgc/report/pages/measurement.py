"""The page on a measurement: what held and what did not, pictures, what rounds took."""

from fastgc.report.document import Block, Code, Document, Items, Paragraph, Section
from fastgc.report.measurement import remarks, subject, times
from fastgc.report.pages.parts import drawn
from fastgc.results.measurements import Measurement


def of_measurement(found: Measurement) -> Document:
    """Return the page on a system that was run for real."""
    said = [
        Paragraph(each["sentence"], f"{each['comparison'].capitalize()} {each['verdict']}")
        for each in found.verdicts
    ]
    sections = [Section("answer", "What held, and what did not", said)]
    if len(found.measured):
        below = remarks(found)
        numbers: list[Block] = [times(found), *([Items(below)] if below else [])]
        sections.append(Section("pictures", "Pictures", drawn(found)))
        sections.append(Section("numbers", "The numbers", numbers))
    if found.study:
        sections.append(Section("study", "The study", [Code(found.study, "toml")]))
    made = found.facts["provenance"]
    lead = [
        f"{subject(found)}: {found.facts['work']}.",
        f"Measured with fastgc {made['fastgc']}, {made['written'][:10]}.",
    ]
    return Document("Against the clock", lead, sections)
