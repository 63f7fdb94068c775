"""A whole page: one HTML file that asks nothing of the network."""

from __future__ import annotations

from html import escape

from fastgc.report.document import Document, Section
from fastgc.report.html.blocks import prose, section
from fastgc.report.html.style import stylesheet

#: What the page may load: nothing but the style that stands in it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def as_html(document: Document) -> str:
    """Return a page as a whole HTML document."""
    title = escape(document.title)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{title}</title>",
            f"<style>\n{stylesheet()}\n</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#content">To the content</a>',
            "<header>",
            f"<h1>{title}</h1>",
            *(f"<p>{prose(text)}</p>" for text in document.lead),
            "</header>",
            *(_contents(document) if document.contents else []),
            '<main id="content">',
            *(line for each in document.sections for line in section(each)),
            "</main>",
            "</body>",
            "</html>",
        ]
    )


def _contents(document: Document) -> list[str]:
    return [
        '<nav aria-label="Contents">',
        "<ul>",
        *(f"<li>{_link(each)}</li>" for each in document.sections),
        "</ul>",
        "</nav>",
    ]


def _link(to: Section) -> str:
    return f'<a href="#{escape(to.name)}">{escape(to.title)}</a>'
