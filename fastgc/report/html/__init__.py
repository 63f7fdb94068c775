"""Tables as HTML, escaped."""

from fastgc.report.html.table import table

__all__ = ["table"]
