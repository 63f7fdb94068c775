"""A page as LaTeX, to be put into a document that loads booktabs, siunitx and graphicx."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fastgc.report.document import (
    Block,
    Code,
    Document,
    Figure,
    Items,
    Paragraph,
    Section,
    Statement,
    Statements,
    Table,
)
from fastgc.report.latex.table import table
from fastgc.report.latex.text import escaped

_NEEDS = r"% \usepackage{booktabs,siunitx,graphicx} in the preamble"
_HEADS = ("section", "subsection", "subsubsection", "paragraph")

#: Keeps a picture in a file, and returns its name; or None, and the picture is left out.
Keep = Callable[[Figure], str | None]


def as_latex(document: Document, keep: Keep = lambda figure: None) -> str:
    """Return a page as LaTeX sections; ``keep`` puts its pictures into files."""
    parts = [
        _NEEDS,
        rf"\section*{{{escaped(document.title)}}}",
        *map(escaped, document.lead),
        *(part for each in document.sections for part in _section(each, 1, keep)),
    ]
    return "\n\n".join(parts)


def blocks(some: Sequence[Block]) -> str:
    """Return blocks without a page around them; pictures are left out."""
    return "\n\n".join([_NEEDS, *(p for each in some for p in _block(each, 1, lambda _: None))])


def _section(each: Section, level: int, keep: Keep) -> Iterator[str]:
    inside = [part for block in each.blocks for part in _block(block, level, keep)]
    if inside:  # or there would be pictures alone, which nobody keeps
        head = _HEADS[min(level, len(_HEADS) - 1)]
        yield from [rf"\{head}*{{{escaped(each.title)}}}", *inside]


def _block(block: Block, level: int, keep: Keep) -> Iterator[str]:
    match block:
        case Section():
            yield from _section(block, level + 1, keep)
        case Paragraph():
            head = rf"\textbf{{{escaped(block.head)}:}} " if block.head else ""
            yield head + escaped(block.text)
        case Code():
            lines = "\\\\\n".join(_typed(line) for line in block.text.splitlines())
            yield rf"{{\raggedright\noindent {lines}\par}}"
        case Items():
            items = [rf"\item {escaped(text)}" for text in block.texts]
            yield "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])
        case Table():
            caption = rf"\noindent\emph{{{escaped(block.caption)}}}\\"
            yield caption + "\n" + table(block.columns, block.rows)
        case Statements():
            items = list(map(_statement, block.entries))
            yield "\n".join([r"\begin{description}", *items, r"\end{description}"])
        case Figure():
            name = keep(block)
            if name is not None:
                yield (
                    rf"\noindent\includegraphics{{{name}}}\\" + "\n"
                    rf"\emph{{{escaped(block.caption)}}}"
                )


def _typed(line: str) -> str:
    """A line to be copied; its blanks at the beginning count."""
    own = line.lstrip(" ")
    blanks = r"\ " * (len(line) - len(own))
    return rf"\texttt{{{blanks}{escaped(own)}}}"


def _statement(entry: Statement) -> str:
    said = ", ".join(filter(None, [entry.verdict, entry.numbers]))
    doubt = rf" \textbf{{{escaped(entry.doubt)}}}" if entry.doubt else ""
    place, text = escaped(entry.place), escaped(entry.text)
    return rf"\item[{{{place}}}] {text}. \emph{{{escaped(said)}}}{doubt}"
