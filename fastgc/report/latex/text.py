"""Text as LaTeX prints it, and numbers as the package siunitx takes them."""

from __future__ import annotations

import math
import re
import unicodedata

from fastgc.report.numbers import rounded

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
            "²": "^2",
            "³": "^3",
        }.items()
    },
}


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
