"""Pages as one HTML page that stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markdown_it.token import Token

from fastgc.report.handbook.markdown import local_topic, parser
from fastgc.report.handbook.pages import Page

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { margin: 0 auto; padding: 1rem; max-width: 52rem; font: 1rem/1.5 Georgia, serif; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { margin-top: 2.5rem; font-size: 1.25rem; }
h1, h2, h3 { break-after: avoid; overflow-wrap: anywhere; }
section + section { margin-top: 4rem; border-top: 1px solid var(--line); }
p, li { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .75rem 0; font-size: .9rem; }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; }
td { min-width: 5rem; }
pre { padding: .5rem; background: var(--soft); overflow-x: auto; }
code { font-size: .9em; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  tr, pre { break-inside: avoid; } .scroll { overflow: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
"""


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
    opened = '<div class="scroll" tabindex="0">\n<table>'
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
    several = len(found) > 1
    title = "fastgc: the handbook" if several else found[0].title
    listed = [f'<li><a href="#{escape(p.topic)}">{escape(p.title)}</a></li>' for p in found]
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        *(["<nav>", f"<p>{escape(title)}</p>", "<ul>", *listed, "</ul>", "</nav>"] * several),
        "<main>",
        body(found),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts)
