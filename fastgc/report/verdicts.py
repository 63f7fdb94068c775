"""Verdicts as text: one alone as it falls, a line each, and what they come to together."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from fastgc.registry.numbers import spaced
from fastgc.report import wording
from fastgc.report.columns import columns
from fastgc.report.numbers import number
from fastgc.results.verdicts import TRACE, UNDECIDED, Finding, Verdict

NARROWEST = 80
BRIEF_DIGITS = 6
_INDENT = 4


def verdict(found: Verdict, width: int = NARROWEST) -> str:
    """Return one verdict: to within what, the numbers, the point; the statement and its place.

    Parameters
    ----------
    found : Verdict
        Any.
    width : int
        Columns of the terminal; fewer than 80 count as 80.
    """
    shown = wording.deciding(found)
    head = f"{found.claim}: {wording.outcome(found)}"
    if not found.as_expected:
        head += f", but expected was: {found.expected}"
    whose = "as printed" if found.claim.endswith(".printed") else "in theory"
    numbers = (
        f"{wording.quantity(shown.case)} {found.relation} {wording.theory(shown)} {whose}, "
        f"{wording.found(shown)}"
    )
    where = wording.point(found.point)
    share = wording.share_of_points(found)
    first = f"{head}; {numbers}" + (f" at {where}" if where else "") + (f" ({share})" * bool(share))
    place = f"{wording.place(found)}: " if found.citation else ""  # the id stands above
    lines = [first, " " * _INDENT + place + found.statement]
    if found.method == TRACE:
        lines.append(" " * _INDENT + _seen(found))
    return "\n".join(_wrapped(line, width) for line in lines)


def _wrapped(line: str, width: int) -> str:
    return textwrap.fill(
        line,
        max(width, NARROWEST),
        subsequent_indent=" " * _INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def verdicts(found: Sequence[Verdict], width: int = NARROWEST) -> str:
    """Return every verdict as `verdict` has it, and below them `summary`."""
    return "\n".join([*(verdict(each, width) for each in found), "", summary(found, width)])


def brief(found: Sequence[Verdict], width: int | None = None) -> str:
    """Return the table of verdicts, a line a claim, and below it `summary`."""
    table = [["claim", "relation", "theory", "measured", "verdict", ""]]
    for each in found:
        table.append(
            [
                each.claim,
                each.relation,
                wording.theory(wording.deciding(each), BRIEF_DIGITS),
                wording.value(wording.deciding(each), BRIEF_DIGITS),
                wording.named_sharply(each),
                "" if each.as_expected else f"expected: {each.expected}",
            ]
        )
    traced = [wording.point(found[0].point), ""] if _of_a_trace(found) else []
    lines = columns(table, width=width)
    return "\n".join([*traced, *lines, "", summary(found, width or NARROWEST)])


def summary(found: Sequence[Verdict], width: int = NARROWEST) -> str:
    """Return the sources, how many verdicts there are of each, and last why some are open."""
    sources = {each.claim.partition(".")[0]: wording.source(each.claim) for each in found}
    lines = [f"{name}: {cited}" for name, cited in sources.items() if cited]
    claims = "1 claim" if len(found) == 1 else f"{len(found)} claims"
    lines.append(f"{claims}: {wording.counts(found)}; {_judged(found)}.")
    lines += [_open(each) for each in found if each.verdict == UNDECIDED]
    return "\n".join(_wrapped(line, width) for line in lines)


def _of_a_trace(found: Sequence[Verdict]) -> bool:
    """Whether they are verdicts on a recorded trace, which is then the point of all of them."""
    return bool(found) and all(each.method == TRACE for each in found)


def _judged(found: Sequence[Verdict]) -> str:
    """What is to be made of the verdicts together."""
    wrong = sum(not each.as_expected for each in found)
    if _of_a_trace(found):
        return "no verdict is expected of a recorded trace"
    if wrong:
        return f"{wrong} {'differs' if wrong == 1 else 'differ'} from what was expected"
    if any(each.verdict == UNDECIDED for each in found):
        return "none contradicts the expected one, but not all are decided"
    return "every verdict is the expected one"


def _open(found: Verdict) -> str:
    """Return a sentence on a claim that is undecided: where, why, and what would decide it."""
    cases = [finding for finding in found.findings if finding.verdict == UNDECIDED]
    # of several points, the one that needs most
    worst = max(cases, key=lambda finding: finding.trials_needed or 0)
    why = worst.reason
    if found.method == TRACE and worst.trials_needed:
        why = f"about {spaced(worst.trials_needed)} iterations would decide"
    total = len(found.findings)
    where = "" if total == 1 else f" at {len(cases)} of {total} points"
    return f"{found.claim} is undecided{where}" + (f": {why}." if why else ".")


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
            "right: it is a bug of fastgc, please report it with `fastgc info`"
        )
    return "\n".join(said)


def _seen(found: Verdict) -> str:
    """Return what a recorded trace shows of a statement."""
    [finding] = found.findings
    return f"p = {finding.p_value:.2g}; {finding.remark}."
