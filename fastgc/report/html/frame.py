"""A whole page: one HTML file that asks nothing of the network."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from fastgc.report.document import Document
from fastgc.report.html.blocks import prose, section
from fastgc.report.html.style import stylesheet

#: What the page may load: nothing but the style that stands in it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def as_html(document: Document) -> str:
    """Return a page as a whole HTML document."""
    listed = [_link(each.name, each.title) for each in document.sections]
    return framed(
        document.title,
        [
            "<header>",
            f"<h1>{escape(document.title)}</h1>",
            *(f"<p>{prose(text)}</p>" for text in document.lead),
            "</header>",
            *(contents(listed) if document.contents else []),
        ],
        [line for each in document.sections for line in section(each)],
    )


def framed(title: str, before: Iterable[str], inside: Iterable[str]) -> str:
    """Return a whole HTML document of lines that stand before its main part and inside it.

    Parameters
    ----------
    title : str
        Of the document, not escaped.
    before, inside : iterable of str
        Lines of HTML.

    Examples
    --------
    >>> framed("1 < 2", [], ["<p>so</p>"]).splitlines()[-3:]
    ['</main>', '</body>', '</html>']
    """
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{stylesheet()}\n</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#content">To the content</a>',
            *before,
            '<main id="content">',
            *inside,
            "</main>",
            "</body>",
            "</html>",
        ]
    )


def contents(links: Iterable[str]) -> list[str]:
    """Return the lines of a list of contents."""
    items = [f"<li>{link}</li>" for link in links]
    return ['<nav aria-label="Contents">', "<ul>", *items, "</ul>", "</nav>"]


def _link(name: str, title: str) -> str:
    return f'<a href="#{escape(name)}">{escape(title)}</a>'
