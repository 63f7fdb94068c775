"""The page on a measurement: what held and what did not, pictures, what rounds took."""

from fastgc.report.document import Block, Code, Document, Figure, Items, Paragraph, Section
from fastgc.report.measurement import decoded, following, remarks, subject, times, who
from fastgc.report.pages.parts import drawn
from fastgc.report.pictures import rounds
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
        shown = drawn(found)  # or why there are no pictures
        kinds = [each.picture.kind if isinstance(each, Figure) else "" for each in shown]
        sections.append(Section("pictures", "Predicted and measured", shown[:1]))
        if late := who(found):
            map_ = [each for each, kind in zip(shown, kinds, strict=True) if kind == rounds.TIMES]
            sections.append(Section("who", "Who straggled", [Paragraph(late), *map_]))
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
