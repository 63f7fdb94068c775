"""A page in one of its forms, HTML, Markdown or LaTeX, with its pictures; tables alone in these."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.report import html, latex, markdown
from fastgc.report.document import Block, Document, Figure
from fastgc.report.tables import as_blocks
from fastgc.report.verdicts import case_table
from fastgc.results import image
from fastgc.results.verdicts import Verdict

Form = Literal["html", "markdown", "latex"]
FORMS: tuple[Form, ...] = ("html", "markdown", "latex")

_SUFFIXES: dict[str, Form] = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex"}
#: What a form's pictures are kept as, beside the page.
_PICTURES: dict[Form, str] = {"markdown": "svg", "latex": "pdf"}


def form_of(path: Path) -> Form:
    """Return the form that a file's name asks for.

    Raises FastgcError if the name ends otherwise than a page's.
    """
    form = _SUFFIXES.get(path.suffix.lower())
    if form is None:
        name = one_line(str(path))
        raise FastgcError(f"{name}: a page's name must end in .html, .md or .tex")
    return form


def printed(
    document: Document, form: Form, keep: Callable[[Figure], str | None] = lambda figure: None
) -> str:
    """Return a page in a form; HTML has its pictures in it, ``keep`` names files for others."""
    if form == "html":
        return html.as_html(document)
    if form == "latex":
        return latex.as_latex(document, keep)
    return markdown.as_markdown(document, keep)


def save(document: Document, path: Path, form: Form | None = None) -> list[Path]:
    """Write a page in the form that its name's end says, or in ``form``; return all files written.

    Pictures of ``page.md`` and ``page.tex`` stand beside it, as ``page-1.svg``, ``page-1.pdf``, and
    so on. Raises StorageError if a file cannot be written.
    """
    chosen = form or form_of(path)
    written = [path]

    def keep(figure: Figure) -> str:
        from fastgc.report import pictures

        file = path.with_name(f"{path.stem}-{len(written)}.{_PICTURES[chosen]}")
        written.append(pictures.save(figure.picture, file))
        return file.name

    text = printed(document, chosen, keep)
    image.write(path, f"{text}\n".encode())
    return written


def of_rows(rows: Sequence[dict[str, Any]], form: str, *, every: bool = False) -> str:
    """Return the tables of a run; ``every`` is as of `tables.results`."""
    return _fragment(as_blocks(rows, "fastgc show --rows prints", every=every), form)


def of_verdicts(found: Sequence[Verdict], form: str) -> str:
    """Return a table with a line for every case of verdicts."""
    return _fragment([case_table(found)], form)


def _fragment(blocks: Sequence[Block], form: str) -> str:
    return latex.blocks(blocks) if form == "latex" else markdown.blocks(blocks)
