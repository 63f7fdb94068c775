"""Pages and tables as HTML that stands alone, escaped, for screen, print and screen readers."""

from fastgc.report.html.frame import as_html
from fastgc.report.html.table import table

__all__ = ["as_html", "table"]
