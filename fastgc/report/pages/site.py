"""A site on all papers: a page each, as `errata` has it, and a front page that leads to them."""

from collections.abc import Sequence
from typing import Any

from fastgc.report import document as doc
from fastgc.report.pages import errata

FRONT = "index.html"
_COLUMNS = ("source", "printed", "confirmed", "errata", "not reproducible", "undecided", "added")


def documents(pages: Sequence[dict[str, Any]]) -> dict[str, doc.Document]:
    """Return the documents of a site by the names of their files; links are relative.

    ``pages`` are as `errata.page` makes them, of one measurement.
    """
    made = {FRONT: _front(pages)}
    back = doc.Link("all papers", FRONT)
    for each in pages:
        own = errata.document(each)
        lead = doc.Table("Where this page belongs", ("site",), [[back]])
        site = doc.Section("site", "All papers", [lead])
        made[_file(each)] = doc.Document(own.title, own.lead, [*own.sections, site])
    return made


def _file(page: dict[str, Any]) -> str:
    return f"{page['paper']}.html"


def _front(pages: Sequence[dict[str, Any]]) -> doc.Document:
    rows: list[list[doc.Cell]] = []
    for page in pages:
        counts = page["counts"]
        numbers = [counts[key] for key in ("said", "confirmed", "errata", "not_reproducible")]
        open_ = len(page["undecided"])
        link = doc.Link(errata.title(page), _file(page))
        rows.append([link, *map(str, numbers), str(open_), str(len(page["added"]))])
    said = (
        "Printed are theorems, numbers, figures and algorithms that a source prints; definitions "
        "and arithmetic are not counted. Added is what fastgc derives beside it."
    )
    table = doc.Table("Statements by source", _COLUMNS, rows)
    lead = [errata.measured_with(pages[0]), said] if pages else [said]
    return doc.Document(
        "What papers on gradient coding say, measured",
        lead,
        [doc.Section("papers", f"{len(pages)} pages", [table])],
    )
