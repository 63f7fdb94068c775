"""Pages: the question, the answer in words, pictures, tables, verdicts, and how to repeat it.

Each function makes a document of its subject; HTML, Markdown and LaTeX print it.
"""

from fastgc.report.pages.papers import Part, of_paper, of_verdicts
from fastgc.report.pages.parts import Measured, in_brief, joined
from fastgc.report.pages.run import (
    of_measurement,
    of_measurements,
    of_ranking,
    of_recordings,
    of_run,
)

__all__ = [
    "Measured",
    "Part",
    "in_brief",
    "joined",
    "of_measurement",
    "of_measurements",
    "of_paper",
    "of_ranking",
    "of_recordings",
    "of_run",
    "of_verdicts",
]
