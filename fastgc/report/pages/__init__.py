"""Pages: the question, the answer in words, pictures, tables, verdicts, and how to repeat it.

Each function makes a document of its subject; the rooms of HTML, Markdown and LaTeX print it.
"""

from fastgc.report.pages.claims import of_verdicts
from fastgc.report.pages.joined import joined
from fastgc.report.pages.measured import Measured
from fastgc.report.pages.paper import Part, of_paper
from fastgc.report.pages.ranking import of_ranking
from fastgc.report.pages.run import of_run

__all__ = ["Measured", "Part", "joined", "of_paper", "of_ranking", "of_run", "of_verdicts"]
