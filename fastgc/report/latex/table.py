"""A table as LaTeX, with rules of booktabs and numbers of siunitx."""

from __future__ import annotations

from collections.abc import Sequence

from fastgc.report.document import Cell, Interval, Number
from fastgc.report.latex.text import escaped, num

#: A column of text that is longer than this is broken into lines.
_LONGEST = 40


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    r"""Return a tabular environment.

    >>> from fastgc.report.document import Number
    >>> print(table(["p", "error"], [["0.1", Number(0.488072, 0.000303)]]))
    \begin{tabular}{@{}lr@{}}
    \toprule
    p & error \\
    \midrule
    0.1 & \num{0.48807(30)} \\
    \bottomrule
    \end{tabular}
    """
    kinds = "".join(_kind([row[place] for row in rows]) for place in range(len(columns)))
    return "\n".join(
        [
            rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}",
            r"\toprule",
            _row(columns),
            r"\midrule",
            *map(_row, rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _kind(cells: Sequence[Cell]) -> str:
    if any(isinstance(cell, Number | Interval) for cell in cells):
        return "r"
    is_long = any(len(str(cell)) > _LONGEST for cell in cells)
    return r"p{.4\linewidth}" if is_long else "l"


def _row(cells: Sequence[Cell]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Number):
        return f"{escaped(cell.before)} {num(cell.value, cell.standard_error, cell.digits)}".strip()
    if isinstance(cell, Interval):
        # braces: after the end of a row a bracket would be taken for its spacing
        return "{{[}}{}, {}{{]}}".format(*map(_end, cell.ends))
    return escaped(cell)


def _end(text: str) -> str:
    return rf"\num{{{text}}}" if text[-1].isdigit() else escaped(text)
