"""A page on a paper as one HTML file that asks nothing of the network, for screen and print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from fastgc.report.errata import sentences
from fastgc.report.errata.page import Entry

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { margin: 0 auto; padding: 1rem; max-width: 52rem; font: 1rem/1.5 Georgia, serif; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { margin-top: 2.5rem; }
h1, h2, h3 { break-after: avoid; overflow-wrap: anywhere; }
article { margin-top: 2rem; padding-top: .5rem; border-top: 1px solid var(--line); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .9rem; }
caption { text-align: left; padding: .25rem 0; font-style: italic; }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; font-weight: normal; }
thead th { font-weight: bold; }
.long { overflow-wrap: anywhere; min-width: 9rem; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { padding: .5rem; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; }
small { display: block; overflow-wrap: anywhere; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  tr, pre { break-inside: avoid; } .scroll { overflow: visible; }
}
"""


def as_html(page: dict[str, Any]) -> str:
    """Return the page as a whole HTML document."""
    title = escape(sentences.title(page))
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{title}: what is confirmed, and errata</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        "<header>",
        f"<h1>{title}</h1>",
        f"<p>{escape(sentences.overview(page))} {escape(sentences.measured_with(page))}</p>",
        "</header>",
        "<main>",
        *_list("confirmed", "Confirmed", "What the paper says and measurement confirms", page),
    ]
    if page["errata"]:
        errata = [line for entry in page["errata"] for line in _erratum(entry)]
        parts += _section("errata", "Errata", errata)
    parts += _list("undecided", "Undecided", "What more measurement would decide", page)
    parts += _list("added", "Added by fastgc", "What fastgc says beside the paper", page)
    return "\n".join([*parts, "</main>", "</body>", "</html>"])


def _section(name: str, head: str, inside: list[str]) -> list[str]:
    return [
        f'<section id="{name}" aria-labelledby="{name}-head">',
        f'<h2 id="{name}-head">{escape(head)}</h2>',
        *inside,
        "</section>",
    ]


def _list(name: str, head: str, caption: str, page: dict[str, Any]) -> list[str]:
    entries = page[name]
    if not entries:
        return []
    rows = [
        f'<tr id="{escape(entry["claim"])}"><th scope="row">{escape(entry["place"])}</th>'
        f'<td class="long">{escape(entry["statement"])}.'
        f"<small>{escape(entry['claim'])}</small></td>"
        f"<td>{escape(sentences.at_points(entry))}{_doubt(entry)}</td></tr>"
        for entry in entries
    ]
    return _section(name, head, _table(caption, ("where", "statement", "verdict"), rows))


def _erratum(entry: Entry) -> list[str]:
    lines = [
        f'<article id="{escape(entry["claim"])}">',
        f"<h3>{escape(sentences.heading(entry))}</h3>",
    ]
    for reading in entry["readings"]:
        lines.append(
            f"<p><strong>In a kinder reading it holds:</strong> {escape(reading['statement'])}. "
            f"({escape(reading['place'])}; {escape(sentences.at_points(reading))})</p>"
        )
    lines.append(f"<p><strong>It says:</strong> {escape(entry['statement'])}.</p>")
    lines += [*_points(entry), _doubt(entry)]
    for right in entry["corrections"]:
        lines.append(f"<p><strong>Right is:</strong> {escape(right['statement'])}.</p>")
        if right["proof"]:
            lines.append(f"<p><strong>Because:</strong> {escape(right['proof'])}</p>")
        lines += [*_points(right), _doubt(right)]
    repeat = f"<p>Repeat it:</p><pre><code>{escape(entry['repeat'])}</code></pre>"
    return [*filter(None, lines), repeat, "</article>"]


def _points(entry: Entry) -> list[str]:
    heads, *rows = sentences.table(entry)
    lines = []
    for *point, said, measured, verdict in rows:
        head = "".join(f'<th scope="row" class="long">{escape(cell)}</th>' for cell in point)
        lines.append(
            f'<tr>{head}<td class="number">{escape(said)}</td>'
            f'<td class="number">{escape(measured)}</td><td>{escape(verdict)}</td></tr>'
        )
    return _table(sentences.caption(entry), heads, lines)


def _table(caption: str, heads: Sequence[str], rows: list[str]) -> list[str]:
    cells = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    return [
        '<div class="scroll" tabindex="0"><table>',
        f"<caption>{escape(caption)}</caption>",
        f"<thead><tr>{cells}</tr></thead>",
        "<tbody>",
        *rows,
        "</tbody>",
        "</table></div>",
    ]


def _doubt(entry: Entry) -> str:
    said = sentences.doubt(entry)
    return f"<p><strong>{escape(said)}</strong></p>" if said else ""
