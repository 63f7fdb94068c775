"""The page on a paper: what of it is confirmed, and its errata with what is right instead.

`page` makes plain data of verdicts; the other files put these into words, each in one form.
"""

from typing import Any

from fastgc.report import html, latex, markdown
from fastgc.report.errata.document import document
from fastgc.report.errata.page import page
from fastgc.report.errata.text import as_text

__all__ = ["as_html", "as_latex", "as_markdown", "as_text", "document", "page"]


def as_html(page: dict[str, Any]) -> str:
    """Return the page as one HTML file."""
    return html.as_html(document(page))


def as_latex(page: dict[str, Any]) -> str:
    """Return the page as LaTeX."""
    return latex.as_latex(document(page))


def as_markdown(page: dict[str, Any]) -> str:
    """Return the page as Markdown."""
    return markdown.as_markdown(document(page))
