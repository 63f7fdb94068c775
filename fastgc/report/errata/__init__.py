"""The page on a paper: what of it is confirmed, and its errata with what is right instead.

`page` makes plain data of verdicts; the other files put these into words, each in one form.
"""

from fastgc.report.errata.html import as_html
from fastgc.report.errata.latex import as_latex
from fastgc.report.errata.page import page
from fastgc.report.errata.text import as_text

__all__ = ["as_html", "as_latex", "as_text", "page"]
