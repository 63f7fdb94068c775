"""A page on a paper as LaTeX, to be put into a document that loads booktabs."""

from __future__ import annotations

from typing import Any

from fastgc.report.errata import sentences
from fastgc.report.errata.page import Entry
from fastgc.report.latex import escaped

_POINT = r"p{.4\linewidth}"  # the column of parameters, which may be long


def as_latex(page: dict[str, Any]) -> str:
    """Return the page as LaTeX sections."""
    parts = [
        r"% \usepackage{booktabs} in the preamble",
        rf"\section*{{{escaped(sentences.title(page))}}}",
        f"{escaped(sentences.overview(page))} {escaped(sentences.measured_with(page))}",
        *_list("Confirmed", page["confirmed"]),
    ]
    if page["errata"]:
        parts.append(r"\subsection*{Errata}")
    for entry in page["errata"]:
        parts += _erratum(entry)
    parts += _list("Undecided", page["undecided"])
    parts += _list("Added by fastgc", page["added"])
    return "\n\n".join(parts)


def _list(head: str, entries: list[Entry]) -> list[str]:
    if not entries:
        return []
    items = [
        rf"\item[{{{escaped(entry['place'])}}}] {escaped(entry['statement'])}. "
        rf"\emph{{{escaped(sentences.at_points(entry))}}} {_doubt(entry)}".rstrip()
        for entry in entries
    ]
    lines = [r"\begin{description}", *items, r"\end{description}"]
    return [rf"\subsection*{{{escaped(head)}}}", "\n".join(lines)]


def _erratum(entry: Entry) -> list[str]:
    parts = [rf"\subsubsection*{{{escaped(sentences.heading(entry))}}}"]
    for reading in entry["readings"]:
        where = f"({reading['place']}; {sentences.at_points(reading)})"
        parts.append(_said("In a kinder reading it holds", f"{reading['statement']}. {where}"))
    parts += [_said("It says", f"{entry['statement']}."), *_points(entry)]
    for right in entry["corrections"]:
        parts.append(_said("Right is", f"{right['statement']}."))
        if right["proof"]:
            parts.append(_said("Because", right["proof"]))
        parts += _points(right)
    return [*parts, rf"{{\raggedright Repeat it: \texttt{{{escaped(entry['repeat'])}}}\par}}"]


def _said(head: str, text: str) -> str:
    return rf"\textbf{{{head}:}} {escaped(text)}"


def _points(entry: Entry) -> list[str]:
    heads, *rows = (" & ".join(map(escaped, row)) + r" \\" for row in sentences.table(entry))
    has_points = len(sentences.table(entry)[0]) == len(sentences.HEADS)
    rows = [r"\raggedright " * has_points + row for row in rows]
    table = [
        rf"\noindent\emph{{{escaped(sentences.caption(entry))}}}\\",
        rf"\begin{{tabular}}{{@{{}}{_POINT * has_points}lll@{{}}}}",
        r"\toprule",
        heads,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return ["\n".join(table), *filter(None, [_doubt(entry)])]


def _doubt(entry: Entry) -> str:
    said = sentences.doubt(entry)
    return rf"\textbf{{{escaped(said)}}}" if said else ""
