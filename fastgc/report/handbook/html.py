"""Pages as one HTML page that stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markdown_it.token import Token

from fastgc.report.handbook.markdown import local_topic, parser
from fastgc.report.handbook.pages import Page
from fastgc.report.html.frame import contents, framed


def body(found: Sequence[Page]) -> str:
    """Return the pages as HTML, one after the other, a section each.

    Links between pages lead to the section of a page that is here, else to a file named like the
    page: ``keys.html``.

    Parameters
    ----------
    found : sequence of Page
        The pages.

    Examples
    --------
    >>> print(body([Page("x", "# X\\n\\n[keys](keys.md)")]))
    <section id="x">
    <h1>X</h1>
    <p><a href="keys.html">keys</a></p>
    </section>
    """
    here = {page.topic for page in found}
    return "\n".join(
        f'<section id="{escape(page.topic)}">\n{_section(page, here)}</section>' for page in found
    )


def _section(page: Page, here: set[str]) -> str:
    reader = parser()
    tokens = reader.parse(page.text)
    for token in tokens:
        _led(token, here)
    rendered: str = reader.renderer.render(tokens, reader.options, {})
    # wide tables are scrolled in a box of their own, by the keyboard, too
    opened = '<div class="scroll" tabindex="0" role="group" aria-label="Table">\n<table>'
    return rendered.replace("<table>", opened).replace("</table>", "</table>\n</div>")


def _led(token: Token, here: set[str]) -> None:
    """Have links of this token and those in it lead to HTML."""
    for child in token.children or []:
        _led(child, here)
    if token.type == "link_open":
        topic = local_topic(str(token.attrs["href"]))
        if topic is not None:
            token.attrs["href"] = f"#{topic}" if topic in here else f"{topic}.html"


def as_html(found: Sequence[Page]) -> str:
    """Return the pages as a whole HTML document that asks nothing of the network.

    Parameters
    ----------
    found : sequence of Page
        One page, or several, which then begin with a list of them.

    Examples
    --------
    >>> "<title>The keys of studies</title>" in as_html([Page("keys", "# The keys of studies")])
    True
    """
    if len(found) == 1:
        return framed(found[0].title, [], [body(found)])
    title = "fastgc: the handbook"
    links = [f'<a href="#{escape(page.topic)}">{escape(page.title)}</a>' for page in found]
    # its own heading comes first: those of the pages are all of the same level
    head = ["<header>", f"<p>{escape(title)}</p>", "</header>"]
    return framed(title, [*head, *contents(links)], [body(found)])
