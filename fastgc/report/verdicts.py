"""Verdicts as text, as plain data, and as a table with a line for every case."""

from collections.abc import Sequence
from typing import Any

from fastgc.registry.display import attributes
from fastgc.report import wording
from fastgc.report.document import Cell, Number, Table
from fastgc.report.text import NARROWEST, wrapped
from fastgc.results.frames import column
from fastgc.results.verdict_data import CONFIRMED, REFUTED, UNDECIDED, Finding, Verdict
from fastgc.statistics.number_text import number

_INDENT = 4


def verdict(found: Verdict, width: int = NARROWEST) -> str:
    """Return one verdict: to within what, the numbers, the point; the statement and its place.

    Lines are as wide as the terminal; fewer than 80 columns count as 80.
    """
    head = f"{found.claim}: {wording.outcome(found)}"
    if not found.as_expected:
        head += f", but expected was: {found.expected}"
    how = "printed" if any(each.case.digits is not None for each in found.findings) else "stated"
    whose = f" as {how}" if found.claim.endswith(".printed") else " in theory"
    share = wording.share_of_points(found)
    first = f"{head}; {wording.numbers(found, whose)}" + f" ({share})" * bool(share)
    place = f"{wording.place(found)}: " if found.citation else ""  # the id stands above
    below = [f"As printed: {found.printed}" * bool(found.printed), place + found.statement]
    return _wrapped([first], [*below, wording.proof(found), wording.reason(found)], width)


def checks(found: Verdict, width: int = NARROWEST) -> str:
    """Return what a verdict rests on: a line a check, passed or lacking."""
    said = [
        f"{'passed' if check.is_passed else 'lacks'} {check.name}: {check.said}"
        for check in found.checks
    ]
    return _wrapped([], said or ["nothing was measured, so that nothing can be checked"], width)


def _wrapped(lines: Sequence[str], below: Sequence[str], width: int) -> str:
    wide = max(width, NARROWEST)
    parts = [part for line in lines for part in wrapped(line, wide, later=_INDENT)]
    parts += [part for line in below for part in wrapped(line, wide, _INDENT, _INDENT)]
    return "\n".join(parts)


def verdicts(found: Sequence[Verdict], width: int = NARROWEST) -> str:
    """Return every verdict as `verdict` has it, and below them `summary`."""
    return "\n".join([*(verdict(each, width) for each in found), "", summary(found, width)])


def summary(found: Sequence[Verdict], width: int = NARROWEST) -> str:
    """Return the sources, how many verdicts there are of each, and last why some are open."""
    sources = {each.claim.partition(".")[0]: wording.source(each.claim) for each in found}
    lines = [f"{name}: {cited}" for name, cited in sources.items() if cited]
    claims = "1 claim" if len(found) == 1 else f"{len(found)} claims"
    wrong = sum(not each.as_expected for each in found)
    left = []
    for each in (verdict for verdict in found if verdict.verdict == UNDECIDED):
        cases = [finding for finding in each.findings if finding.verdict == UNDECIDED]
        total = len(each.findings)
        where = "" if total == 1 else f" at {len(cases)} of {total} points"
        # of several points, the one that needs most
        why = max(cases, key=lambda finding: finding.trials_needed or 0).reason
        left.append(f"{each.claim} is undecided{where}" + (f": {why}." if why else "."))
    judged = "every verdict is the expected one"
    if wrong:
        judged = f"{wrong} {'differs' if wrong == 1 else 'differ'} from what was expected"
    elif left:
        judged = "none contradicts the expected one, but not all are decided"
    lines.append(f"{claims}: {wording.counts(found)}; {judged}.")
    return _wrapped([*lines, *left], [], width)


def disagreements(found: Sequence[tuple[Verdict, Finding]]) -> str:
    """Return a sentence on each exact value that its sample contradicts."""
    said = []
    for each, finding in found:
        assert finding.sampled is not None
        sampled = number(finding.sampled.value, finding.sampled.standard_error)
        where = wording.point(finding.case.point)
        said.append(
            f"{each.claim}: {wording.quantity(finding.case)} at {where} is "
            f"{number(finding.estimate.value)} exactly and {sampled} sampled, which cannot both be "
            "right: it is a bug of fastgc, please report it with `fastgc help versions`"
        )
    return "\n".join(said)


def verdict_rows(found: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return verdicts as plain data, with every case; what is not finite is None."""
    return list(map(verdict_row, found))


#: Keys of plain data on a verdict, around where a statement holds; of cases and their estimates.
_BEFORE = (
    *("claim", "statement", "citation", "relation", "theory", "value", "standard_error"),
    *("verdict", "expected", "within", "kind", "reason", "holds", "certificate"),
)
_AFTER = ("category", "corrects", "reads", "proof", "printed", "method", "point")
_OF_AN_ESTIMATE = ("value", "standard_error", "trials")


def verdict_row(each: Verdict) -> dict[str, Any]:
    """Return one verdict as plain data, with every case."""
    cases = []
    for finding in each.findings:
        case, sampled = finding.case, finding.sampled
        row = {
            "point": dict(case.point),
            **attributes(case, ("quantity", "statistic", "index", "theory")),
            **attributes(finding.estimate, _OF_AN_ESTIMATE),
            **attributes(finding, ("half_width", "within", "method")),
            "sampled": None if sampled is None else attributes(sampled, _OF_AN_ESTIMATE),
            **attributes(finding, ("verdict", "reason", "trials_needed", "certificate")),
            "counterexample": _counterexample(finding),
            **attributes(case, ("digits", "tolerance", "size", "rate")),
            "experiment": dict(case.experiment),
            "against": None if case.against is None else dict(case.against),
            "how": None if case.against is None else case.how,
        }
        cases.append(row)
    return {
        **attributes(each, _BEFORE),
        "counterexample": _counterexample(each),
        "holds_at": wording.holds_at(each),
        **attributes(each, _AFTER),
        "checks": [vars(check) for check in each.checks],
        "cases": cases,
    }


def _counterexample(of: Finding | Verdict) -> dict[str, Any] | None:
    if own := of.counterexample:
        return {**vars(own), "stragglers": list(own.stragglers), "said": str(own)}
    if isinstance(of, Finding) or of.verdict != REFUTED:
        return None
    return {"stragglers": [], "error": None, "check": "", "said": wording.numbers(of)}


def case_table(found: Sequence[Verdict]) -> Table:
    """Return verdicts as a table with a line for every case."""
    rows: list[list[Cell]] = []
    for each in found:
        for place, finding in enumerate(each.findings):
            case, estimate, said = finding.case, finding.estimate, finding.verdict
            if said == CONFIRMED and finding.within is not None and estimate.trials is not None:
                within = wording.upwards if finding.is_absolute else wording.percent
                said += f" to within {within(finding.within)}"
            if (set_ := finding.counterexample) and set_.error is not None:
                said += f": {set_!r}"
            side = {"at least ": "≥", "at most ": "≤"}.get(finding.side, "")
            rows.append(
                [
                    f"{each.statement} ({each.claim})" * (place == 0),
                    ", ".join(f"{key} = {column(value)}" for key, value in case.point.items()),
                    Number(case.theory, before=wording.sign(each.relation)),
                    Number(estimate.value, estimate.standard_error, side),
                    said,
                ]
            )
    return Table("Verdicts", ("statement", "point", "said", "measured", "verdict"), rows)
