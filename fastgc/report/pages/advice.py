"""The page on an advice: verdict, why and what next, pictures, and all remedies in numbers."""

from fastgc.report import advised
from fastgc.report.document import Block, Document, Items, Paragraph, Section
from fastgc.report.pages.parts import drawn
from fastgc.results.advised import Advice
from fastgc.version import __version__


def of_advice(found: Advice) -> Document:
    """Return the page on what to do about the stragglers of a recording."""
    data = found.as_dict()
    said = [Paragraph(text, head) for head, text in advised.said(data)]
    sections = [Section("answer", "What to do", said)]
    if found.remedies:
        numbers: list[Block] = [*advised.tables(data), Items(advised.notes(data))]
        sections.append(Section("pictures", "Pictures", drawn(found)))
        sections.append(Section("numbers", "The numbers", numbers))
    lead = f"{found.trace}: {advised.subject(data)}. Judged with fastgc {__version__}."
    return Document("What to do about stragglers", [lead], sections)
