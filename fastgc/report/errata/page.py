"""What a page on a paper says, as plain data: the confirmed statements first, then each erratum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastgc.report import wording
from fastgc.report.verdict_rows import verdict_row
from fastgc.results.verdicts import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Verdict
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, RESULTS

Entry = dict[str, Any]

#: A page shows so many points of a statement, its paper's own first; JSON has all of them.
MOST_POINTS = 6


def page(
    paper: str,
    found: Sequence[Verdict],
    *,
    version: str,
    seed: int | None = None,
    options: str = "",
) -> dict[str, Any]:
    """Return the page on a paper as plain data.

    Parameters
    ----------
    paper : str
        Its name in ids of claims.
    found : sequence of Verdict
        Verdicts on its claims.
    version : str
        Of the fastgc that measured.
    seed : int, optional
        With which it measured.
    options : str
        What else has to stand in a command that repeats a measurement.

    Returns
    -------
    dict
        ``confirmed``: what the paper says and measurement confirms; ``errata``: what it says and
        measurement refutes, each with its kinder ``readings`` that hold and its ``corrections``;
        ``not_reproducible``: printed numbers that cannot be recomputed, with what is missing;
        ``added``: what fastgc says beside the paper and belongs to no erratum; ``undecided``: of
        both, what is open; ``counts``: how many there are of each among theorems, numbers, figures
        and algorithms, and ``beside`` these among definitions, arithmetic and what is derived.
        Each entry is as `verdict_rows` has it, with ``place`` and ``outcome`` in words, ``what``
        each case measures, ``numbers`` of the case that decided, and ``repeat``: the command that
        measures it again.
    """
    entries = {each.claim: _entry(each, seed, options) for each in found}
    said = [each for each in found if is_of_the_paper(each.claim)]
    errata = [each for each in said if each.verdict == REFUTED]
    attached: set[str] = set()
    written = []
    for erratum in errata:
        readings = [each.claim for each in found if each.reads == erratum.claim]
        corrections = [each.claim for each in found if each.corrects == erratum.claim]
        attached.update(readings, corrections)
        own = list(dict.fromkeys([erratum.claim, *readings, *corrections]))
        written.append(
            entries[erratum.claim]
            | {
                "readings": [entries[claim] for claim in readings],
                "corrections": [entries[claim] for claim in corrections],
                "repeat": _command(own, seed, options),
            }
        )
    beside = [e for e in found if not is_of_the_paper(e.claim) and e.claim not in attached]
    return {
        "paper": paper,
        "citation": wording.source(f"{paper}."),
        "fastgc": version,
        "seed": seed,
        "counts": _counts([each for each in said if each.category in RESULTS])
        | {"beside": _counts([each for each in said if each.category not in RESULTS])},
        "confirmed": [entries[each.claim] for each in said if each.verdict in (CONFIRMED, LOOSE)],
        "errata": written,
        "not_reproducible": [
            entries[each.claim] for each in found if each.verdict == NOT_REPRODUCIBLE
        ],
        "undecided": [
            entries[each.claim] for each in [*said, *beside] if each.verdict == UNDECIDED
        ],
        "added": [
            entries[each.claim]
            for each in beside
            if each.verdict not in (UNDECIDED, NOT_REPRODUCIBLE)
        ],
    }


def _counts(said: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "said": len(said),
        "confirmed": sum(each.verdict in (CONFIRMED, LOOSE) for each in said),
        "errata": sum(each.verdict == REFUTED for each in said),
        "not_reproducible": sum(each.verdict == NOT_REPRODUCIBLE for each in said),
        "undecided": sum(each.verdict == UNDECIDED for each in said),
    }


def is_of_the_paper(claim: str) -> bool:
    """Return whether the paper says it; corrections and derived statements are fastgc's.

    >>> is_of_the_paper("agc.lemma1.printed"), is_of_the_paper("agc.theorem1.corrected")
    (True, False)
    """
    return not claim.endswith((".corrected", ".derived"))


def _entry(found: Verdict, seed: int | None, options: str) -> Entry:
    row = verdict_row(found)
    for case, finding in zip(row["cases"], found.findings, strict=True):
        case["what"] = wording.quantity(finding.case)
    return row | {
        "place": wording.place(found),
        "numbers": _numbers(found),
        "outcome": wording.outcome(found),
        "share": wording.share_of_points(found),
        "as_expected": found.as_expected,
        "repeat": _command([found.claim], seed, options),
    }


def _numbers(found: Verdict) -> str:
    """What was said and measured in the case that decided, and where."""
    shown = wording.deciding(found)
    said = f"{wording.quantity(shown.case)} {wording.sign(found.relation)} {wording.theory(shown)}"
    where = wording.point(found.point)
    return f"{said}, {wording.found(shown)}" + (f" at {where}" if where else "")


def _command(claims: Sequence[str], seed: int | None, options: str) -> str:
    words = ["fastgc validate", *claims]
    if seed is not None:
        words.append(f"--seed {seed}")
    return " ".join([*words, *([options] if options else [])])


def shown_cases(entry: Entry) -> list[dict[str, Any]]:
    """Return the points to print: the first ones, and the one that decided where it is later."""
    cases = _different(entry["cases"])
    first = cases[:MOST_POINTS]
    decided = [
        case
        for case in cases[MOST_POINTS:]
        if (case["point"], case["value"]) == (entry["point"], entry["value"])
    ]
    return [*first[: MOST_POINTS - 1], decided[0]] if decided else first


def _different(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each case once, although it is measured by enumeration and on what fastgc builds."""
    shown = ("what", "point", "theory", "value", "verdict")
    found: dict[str, dict[str, Any]] = {}
    for case in cases:
        found.setdefault(repr([case[key] for key in shown]), case)
    return list(found.values())
