"""Text and verdicts as LaTeX, with numbers as the package siunitx takes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.report.export import plain
from fastgc.report.numbers import number
from fastgc.results.verdicts import CONFIRMED, Finding, Verdict

_APART = "\0"  # between two hyphens of an option, which would become a dash

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
    **{
        sign: rf"\({name}\)"
        for sign, name in {
            "≤": r"\le",
            "≥": r"\ge",
            "≠": r"\ne",
            "≈": r"\approx",
            "×": r"\times",
            "·": r"\cdot",
            "−": "-",
            "±": r"\pm",
            "∞": r"\infty",
            "→": r"\to",
            "∈": r"\in",
            "√": r"\surd",
            "Σ": r"\sum",
            "Π": r"\prod",
            "⌊": r"\lfloor",
            "⌋": r"\rfloor",
            "⌈": r"\lceil",
            "⌉": r"\rceil",
            "‖": r"\|",
        }.items()
    },
}
_RELATIONS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}


def escaped(text: str) -> str:
    r"""Return text as LaTeX prints it.

    >>> print(escaped("n q^s & 50 %"))
    n q\textasciicircum{}s \& 50 \%
    """
    return "".join(map(_letter, re.sub("-(?=-)", f"-{_APART}", text)))


def _letter(letter: str) -> str:
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
    {"ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON", "ZETA", "ETA", "THETA", "KAPPA", "MU", "NU"}
    | {"XI", "PI", "RHO", "SIGMA", "TAU", "PHI", "CHI", "PSI", "OMEGA"}
)


def num(value: float | None, standard_error: float | None = None) -> str:
    r"""Return a number with its standard error, as siunitx takes it.

    >>> num(0.488072, 0.000303)
    '\\num{0.48807(30)}'
    """
    if value is None:
        return "--"
    if not standard_error:
        return rf"\num{{{value:.12g}}}"
    return rf"\num{{{number(value, standard_error)}}}"


def verdict_lines(found: Sequence[Verdict]) -> str:
    """Return a table row for each case: statement, point, relation, theory, measured, verdict."""
    lines = [
        r"% \usepackage{siunitx}; in brackets the standard error in the last digits",
        "% statement & point & relation & theory & measured & verdict",
    ]
    for verdict in found:
        lines.append(f"% {verdict.claim}")
        said = escaped(verdict.statement)
        for finding in verdict.findings:
            cells = [
                said,
                _point(finding.case.point),
                f"${_RELATIONS[verdict.relation]}$",
                num(finding.case.theory),
                num(finding.estimate.value, finding.estimate.standard_error),
                _verdict(finding),
            ]
            lines.append(" & ".join(cells) + r" \\")
            said = ""
    return "\n".join(lines)


def _point(point: Mapping[str, Any]) -> str:
    return escaped(", ".join(f"{key} = {plain(value)}" for key, value in point.items()))


def _verdict(finding: Finding) -> str:
    """Return the verdict on a case, and within what a value of a sample is confirmed."""
    if finding.verdict != CONFIRMED or finding.within is None or finding.estimate.trials is None:
        return escaped(finding.verdict)
    if finding.is_absolute:
        return rf"confirmed to \num{{{finding.within:.1g}}}"
    return rf"confirmed to \qty{{{100 * finding.within:.1g}}}{{\percent}}"
