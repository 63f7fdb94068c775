"""The handbook: pages in Markdown beside the package's code, as text for a terminal and as HTML."""

from fastgc.report.handbook.html import as_html
from fastgc.report.handbook.pages import Page, page, pages
from fastgc.report.handbook.text import as_text, contents

__all__ = ["Page", "as_html", "as_text", "contents", "page", "pages"]
