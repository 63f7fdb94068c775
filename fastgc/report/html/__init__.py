"""Pages and tables as HTML that stands alone, escaped, for screen, print and screen readers."""

from fastgc.report.html.table import table

__all__ = ["table"]
