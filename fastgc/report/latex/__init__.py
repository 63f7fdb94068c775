"""Text, numbers, verdicts and pages as LaTeX, with the packages booktabs and siunitx."""

from fastgc.report.latex.page import as_latex, blocks
from fastgc.report.latex.table import table
from fastgc.report.latex.text import escaped, num
from fastgc.report.latex.verdict_lines import verdict_lines

__all__ = ["as_latex", "blocks", "escaped", "num", "table", "verdict_lines"]
