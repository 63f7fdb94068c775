"""Pages as text for a terminal; pictures are left out."""

import textwrap
from collections.abc import Iterator, Sequence

from fastgc.report import document as doc
from fastgc.report.sweeps import as_text as table
from fastgc.report.verdicts import NARROWEST

_INDENT = 2


def as_text(document: doc.Document, width: int = NARROWEST) -> str:
    """Return a page as text, wrapped to a width of at least 80 columns."""
    wide = max(width, NARROWEST)
    lines = [line for said in (document.title, *document.lead) for line in wrapped(said, wide)]
    for each in document.sections:
        lines += ["", each.title, *_blocks(each.blocks, wide, 0)]
    return "\n".join(lines)


def _blocks(some: Sequence[doc.Block], width: int, level: int) -> list[str]:
    """Blocks below a heading; only sections and lists of statements stand apart."""
    lines: list[str] = []
    for block in some:
        if isinstance(block, doc.Section | doc.Statements):
            lines.append("")
        lines += _block(block, width, level)
    return lines


def _block(block: doc.Block, width: int, level: int) -> Iterator[str]:
    indent = _INDENT * (level + 1)
    match block:
        case doc.Section():
            yield " " * indent + block.title
            yield from _blocks(block.blocks, width, level + 1)
        case doc.Paragraph():
            head = f"{block.head}: " if block.head else ""
            yield from wrapped(head + block.text, width, indent)
        case doc.Code():  # never broken into lines: it is there to be copied
            yield from (" " * (indent + _INDENT) + line for line in block.text.splitlines())
        case doc.Items():
            for text in block.texts:
                yield from wrapped(f"- {text}", width, indent)
        case doc.Table():
            yield from wrapped(f"{block.caption}.", width, indent)
            lines = table(block, width - indent - _INDENT)
            yield from (f"{' ' * (indent + _INDENT)}{line}".rstrip() for line in lines)
        case doc.Statements():
            for each in block.entries:
                yield from wrapped(f"{each.place}: {each.text}.", width, indent)
                for said in (f"{each.verdict}; {each.claim}", each.doubt):
                    yield from wrapped(said, width, indent + _INDENT)
        case doc.Figure():
            pass


def wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    """Return a text in lines, the later ones further to the right where it is indented."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + _INDENT) if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
