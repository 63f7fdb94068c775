"""Tables as LaTeX, with the packages booktabs and siunitx."""

import math
import re
from collections.abc import Sequence

from fastgc.report.document import Cell, Interval, Number, Paragraph, Table
from fastgc.statistics.number_text import number

#: A column of text that is longer than this is broken into lines.
_LONGEST = 40
_SIGNS = r"""
    ≤ \le  ≥ \ge  ≠ \ne  ≈ \approx  × \times  · \cdot  − -  ± \pm  ∞ \infty  → \to  ∈ \in
    √ \surd  ² ^2  ³ ^3  Σ \sum  ∫ \int  Π \prod  Θ \Theta  ⌊ \lfloor  ⌋ \rfloor  ⌈ \lceil  ⌉ \rceil
    α \alpha  β \beta  γ \gamma  δ \delta  ε \epsilon  ζ \zeta  η \eta  θ \theta  ι \iota
    κ \kappa  λ \lambda  μ \mu  ν \nu  ξ \xi  π \pi  ρ \rho
    σ \sigma  τ \tau  υ \upsilon  φ \phi  χ \chi  ψ \psi  ω \omega
"""
_APART = "\0"  # between two hyphens of an option, which would become a dash
_TABLE = str.maketrans(
    {
        _APART: "{}",
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        "–": "--",
        "…": r"\dots{}",
        **{letter: rf"\{letter}" for letter in "{}$&#_%"},
        **{sign: rf"\({name}\)" for sign, name in re.findall(r"(\S) +(\S+)", _SIGNS)},
    }
)


def tables(blocks: Sequence[Table | Paragraph]) -> str:
    """Return tables with their captions, and the sentences between them."""
    said = [r"% \usepackage{booktabs,siunitx} in the preamble"]
    for block in blocks:
        if isinstance(block, Table):
            caption = rf"\noindent\emph{{{escaped(block.caption)}}}\\" + "\n"
            said.append(caption * bool(block.caption) + table(block))
        else:
            said.append(escaped(block.text))
    return "\n\n".join(said)


def table(made: Table) -> str:
    r"""Return a tabular environment."""
    kinds = ""
    for place in range(len(made.columns)):
        cells = [row[place] for row in made.rows]
        if any(isinstance(cell, Number | Interval) for cell in cells):
            kinds += "r"
        else:
            is_long = any(len(str(cell)) > _LONGEST for cell in cells)
            kinds += r"p{.4\linewidth}" if is_long else "l"
    head, *rows = (" & ".join(map(_cell, row)) + r" \\" for row in (made.columns, *made.rows))
    lines = [rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}", r"\toprule", head, r"\midrule", *rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _cell(cell: Cell) -> str:
    if isinstance(cell, Number):
        return f"{escaped(cell.before)} {num(cell.value, cell.standard_error)}".strip()
    if isinstance(cell, Interval):
        # braces: after the end of a row a bracket would be taken for its spacing
        low, high = (rf"\num{{{x}}}" if x[-1].isdigit() else escaped(x) for x in cell.ends)
        return f"{{[}}{low}, {high}{{]}}"
    return escaped(cell)


def escaped(text: str) -> str:
    """Return text as LaTeX prints it; signs that are not known stay as they are."""
    return re.sub("-(?=-)", f"-{_APART}", text).translate(_TABLE)


def num(value: float | None, standard_error: float | None = None) -> str:
    """Return a number with its standard error, as siunitx takes it."""
    if value is None:
        return "--"
    if not math.isfinite(value):
        return r"\(-\infty\)" if value < 0 else r"\(\infty\)"
    return rf"\num{{{number(value, standard_error) if standard_error else f'{value:.12g}'}}}"
