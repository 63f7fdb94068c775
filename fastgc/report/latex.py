"""Text, numbers, tables and pages as LaTeX, with the packages booktabs, siunitx and graphicx."""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence

from fastgc.report import document as doc
from fastgc.statistics.numbers import rounded

_NEEDS = r"% \usepackage{booktabs,siunitx,graphicx} in the preamble"
_HEADS = ("section", "subsection", "subsubsection", "paragraph")


def as_latex(document: doc.Document, keep: doc.Keep = lambda figure: None) -> str:
    """Return a page as LaTeX sections; ``keep`` puts its pictures into files."""
    parts = [
        _NEEDS,
        rf"\section*{{{escaped(document.title)}}}",
        *map(escaped, document.lead),
        *(part for each in document.sections for part in _section(each, 1, keep)),
    ]
    return "\n\n".join(parts)


def blocks(some: Sequence[doc.Block]) -> str:
    """Return blocks without a page around them; pictures are left out."""
    return "\n\n".join([_NEEDS, *(p for each in some for p in _block(each, 1, lambda _: None))])


def _section(each: doc.Section, level: int, keep: doc.Keep) -> Iterator[str]:
    inside = [part for block in each.blocks for part in _block(block, level, keep)]
    if inside:  # or there would be pictures alone, which are not kept
        head = _HEADS[min(level, len(_HEADS) - 1)]
        yield from [rf"\{head}*{{{escaped(each.title)}}}", *inside]


def _block(block: doc.Block, level: int, keep: doc.Keep) -> Iterator[str]:
    match block:
        case doc.Section():
            yield from _section(block, level + 1, keep)
        case doc.Paragraph():
            head = rf"\textbf{{{escaped(block.head)}:}} " if block.head else ""
            yield head + escaped(block.text)
        case doc.Code():
            lines = "\\\\\n".join(map(_typed, block.text.splitlines()))
            yield rf"{{\raggedright\noindent {lines}\par}}"
        case doc.Items():
            items = [rf"\item {escaped(text)}" for text in block.texts]
            yield "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])
        case doc.Table():
            caption = rf"\noindent\emph{{{escaped(block.caption)}}}\\"
            yield caption + "\n" + table(block.columns, block.rows)
        case doc.Statements():
            items = list(map(_statement, block.entries))
            yield "\n".join([r"\begin{description}", *items, r"\end{description}"])
        case doc.Figure():
            name = keep(block)
            if name is not None:
                yield (
                    rf"\noindent\includegraphics{{{name}}}\\" + "\n"
                    rf"\emph{{{escaped(block.caption)}}}"
                )


def _typed(line: str) -> str:
    """A line to be copied; its blanks at the beginning count."""
    own = line.lstrip(" ")
    blanks = r"\ " * (len(line) - len(own))
    return rf"\texttt{{{blanks}{escaped(own)}}}"


def _statement(entry: doc.Statement) -> str:
    said = ", ".join(filter(None, [entry.verdict, entry.numbers]))
    doubt = rf" \textbf{{{escaped(entry.doubt)}}}" if entry.doubt else ""
    place, text = escaped(entry.place), escaped(entry.text)
    return rf"\item[{{{place}}}] {text}. \emph{{{escaped(said)}}}{doubt}"


#: A column of text that is longer than this is broken into lines.
_LONGEST = 40


def table(columns: Sequence[str], rows: Sequence[Sequence[doc.Cell]]) -> str:
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
    head = [rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}", r"\toprule", _row(columns), r"\midrule"]
    return "\n".join([*head, *map(_row, rows), r"\bottomrule", r"\end{tabular}"])


def _kind(cells: Sequence[doc.Cell]) -> str:
    if any(isinstance(cell, doc.Number | doc.Interval) for cell in cells):
        return "r"
    is_long = any(len(str(cell)) > _LONGEST for cell in cells)
    return r"p{.4\linewidth}" if is_long else "l"


def _row(cells: Sequence[doc.Cell]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(cell: doc.Cell) -> str:
    if isinstance(cell, doc.Number):
        return f"{escaped(cell.before)} {num(cell.value, cell.standard_error, cell.digits)}".strip()
    if isinstance(cell, doc.Interval):
        # braces: after the end of a row a bracket would be taken for its spacing
        low, high = (rf"\num{{{x}}}" if x[-1].isdigit() else escaped(x) for x in cell.ends)
        return f"{{[}}{low}, {high}{{]}}"
    return escaped(cell)


_APART = "\0"  # between two hyphens of an option, which would become a dash

#: Signs and how they are called in formulas.
_MATHEMATICS = r"""
    ≤ \le     ≥ \ge     ≠ \ne     ≈ \approx   × \times   · \cdot  − -        ± \pm
    ∞ \infty  → \to     ∈ \in     ∤ \not\mid  ∇ \nabla   √ \surd  Σ \sum     ∫ \int
    ∩ \cap    ⟺ \iff    Θ \Theta  ℓ \ell      λ \lambda  Π \prod  ⌊ \lfloor  ⌋ \rfloor
    ⌈ \lceil  ⌉ \rceil  ‖ \|      ² ^2        ³ ^3
"""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"{\char96}",
    _APART: "{}",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "\N{NO-BREAK SPACE}": "~",
    **{letter: rf"\{letter}" for letter in "$&#_%"},
    **{sign: rf"\({name}\)" for sign, name in re.findall(r"(\S) (\S+)", _MATHEMATICS)},
}


#: Signs over the letter before them.
_ACCENTS = {"\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\="}


def escaped(text: str) -> str:
    r"""Return text as LaTeX prints it.

    >>> print(escaped("n q^s & 50 %"))
    n q\textasciicircum{}s \& 50 \%
    """
    apart = re.sub("-(?=-)", f"-{_APART}", text)
    letters = re.findall(rf"[A-Za-z][{''.join(_ACCENTS)}]|.", apart, re.DOTALL)
    return "".join(map(_letter, letters))


def _letter(letter: str) -> str:
    if letter[1:]:
        return rf"{_ACCENTS[letter[1]]}{{{letter[0]}}}"
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if letter.isascii():
        return letter if letter.isprintable() else " "
    greek = unicodedata.name(letter, "").removeprefix("GREEK SMALL LETTER ")
    if greek in _GREEK:
        return rf"\(\{greek.lower()}\)"
    # what every LaTeX has are the letters of western Europe; the rest is named, not lost
    return letter if letter.isalpha() and letter < "\u0180" else f"[U+{ord(letter):04X}]"


_GREEK = frozenset(
    {
        *("ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON", "ZETA", "ETA", "THETA", "KAPPA", "MU"),
        *("NU", "XI", "PI", "RHO", "SIGMA", "TAU", "PHI", "CHI", "PSI", "OMEGA"),
    }
)


def num(value: float | None, standard_error: float | None = None, digits: int | None = None) -> str:
    r"""Return a number with its standard error, as siunitx takes it.

    >>> num(0.488072, 0.000303)
    '\\num{0.48807(30)}'
    """
    if value is None:
        return "--"
    if not math.isfinite(value):
        return r"\(-\infty\)" if value < 0 else r"\(\infty\)"
    if digits is None and not standard_error:
        return rf"\num{{{value:.12g}}}"
    return rf"\num{{{rounded(value, standard_error, digits)}}}"
