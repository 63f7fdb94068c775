"""A page in one of its forms: HTML, Markdown or LaTeX, with its pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.report import files, html, latex, markdown
from fastgc.report.document import Document, Figure

Form = Literal["html", "markdown", "latex"]
FORMS: tuple[Form, ...] = ("html", "markdown", "latex")

_SUFFIXES: dict[str, Form] = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex"}
#: What a form's pictures are kept as, beside the page.
_PICTURES: dict[Form, str] = {"markdown": "svg", "latex": "pdf"}


def form_of(path: Path) -> Form:
    """Return the form that a file's name asks for.

    Raises
    ------
    FastgcError
        If the name ends otherwise than a page's.
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
    """Write a page, and beside it the pictures that it does not hold itself.

    Parameters
    ----------
    document : Document
    path : Path
        ``page.html``; pictures of ``page.md`` and ``page.tex`` are ``page-1.svg`` and
        ``page-1.pdf``, and so on.
    form : {"html", "markdown", "latex"}, optional
        By default as the name's end says.

    Returns
    -------
    list of Path
        All files that were written, the page first.

    Raises
    ------
    StorageError
        If one of them cannot be written.
    """
    chosen = form or form_of(path)
    written = [path]

    def keep(figure: Figure) -> str:
        from fastgc.report import pictures

        file = path.with_name(f"{path.stem}-{len(written)}.{_PICTURES[chosen]}")
        written.append(pictures.save(figure.picture, file))
        return file.name

    text = printed(document, chosen, keep)
    files.write(path, f"{text}\n".encode())
    return written
