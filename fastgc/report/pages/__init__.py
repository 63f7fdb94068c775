"""Pages: the question, the answer in words, pictures, tables, verdicts, and how to repeat it."""

from fastgc.report.pages.papers import Part, of_page, of_papers, of_verdicts, page
from fastgc.report.pages.run import (
    Measured,
    joined,
    of_measurement,
    of_measurements,
    of_ranking,
    of_recordings,
    of_run,
    require_html,
    save,
)

__all__ = [
    "Measured",
    "Part",
    "joined",
    "of_measurement",
    "of_measurements",
    "of_page",
    "of_papers",
    "of_ranking",
    "of_recordings",
    "of_run",
    "of_verdicts",
    "page",
    "require_html",
    "save",
]
