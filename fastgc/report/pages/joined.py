"""One page of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fastgc.report.document import Block, Document, Paragraph, Section, Statements


def joined(pages: Sequence[Document], title: str = "Reports") -> Document:
    """Return a page with a section for each page, their names kept apart; of one page, itself."""
    if len(pages) == 1:
        return pages[0]
    sections = []
    for number, each in enumerate(pages, 1):
        own = [_renamed(section, f"page{number}-") for section in each.sections]
        sections.append(Section(f"page{number}", each.title, [*map(Paragraph, each.lead), *own]))
    return Document(title, [], sections, contents=True)


def _renamed(section: Section, prefix: str) -> Section:
    """The section and what is in it, their names with a prefix."""
    blocks = [_block(block, prefix) for block in section.blocks]
    return replace(section, name=f"{prefix}{section.name}", blocks=blocks)


def _block(block: Block, prefix: str) -> Block:
    if isinstance(block, Section):
        return _renamed(block, prefix)
    if isinstance(block, Statements):
        entries = [replace(each, name=f"{prefix}{each.name}") for each in block.entries]
        return replace(block, entries=entries)
    return block
