"""The words of a row and of a verdict: which number and unit, where, how sure, who says it."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastgc.report.document import Interval, Number
from fastgc.results.rows import COUNTEREXAMPLE, LOWER_BOUND, RARE
from fastgc.results.verdict_data import CONFIRMED, LOOSE, NONE, REFUTED, UNDECIDED, Finding, Verdict
from fastgc.statistics.number_text import apart, number
from fastgc.study.claims import paper_files
from fastgc.theory.papers.claim import AS_N_GROWS, EVERYWHERE, NOT_REPRODUCIBLE, SOMEWHERE, Case

_MOST_DIGITS = 12  # what exact methods are asked for at most: of the last ones rounding takes some
_FEWEST_DIGITS = 9  # what is known less sharply is said in per cent
_LONGEST_VALUE = 80  # of a parameter, in a line
_MOST_NAMED = 6  # points that a line names
TAGS = ("family", "model", "distribution", "method")
_UNITS = {"seconds": "s", "seconds^2": "s²"}  # others stand in full
#: Measures that are 1 or 0 in each trial, and of those the ones that are a success.
SUCCESSES = ("exact", "decodable", "reached")
_PROBABILITIES = (*SUCCESSES, "diverged")
#: Measures whose name does not say what they are.
_PLAIN = {"stability": "relative error of the decoded sum"}

#: A row as plain data.
Data = dict[str, Any]


def outcome(verdict: Verdict) -> str:
    """Return the verdict with what belongs to it: to within what, of which kind, or why."""
    said = verdict.verdict
    if said == REFUTED:
        said += f": {verdict.kind}" if verdict.kind else ""
    else:
        if said in (CONFIRMED, LOOSE) and verdict.holds != EVERYWHERE:
            said += f" {verdict.holds}"
        said = f"{said} {_sharpness(verdict)}".rstrip()
    is_open = verdict.verdict in (UNDECIDED, NOT_REPRODUCIBLE)
    if verdict.reason and (is_open or verdict.holds == AS_N_GROWS):
        said += f" ({verdict.reason})"
    if verdict.relation != "=" and any(f.case.digits is not None for f in verdict.findings):
        said += " (the bound is taken as printed: it is not rounded)"
    return said


def _sharpness(verdict: Verdict) -> str:
    """To within what a statement is confirmed at all of its points where it holds.

    Where some theories are 0, it is the share of the others. Of a bound it is by how much the
    measured intervals reach beyond it; nothing where they do not.
    """
    held = [each for each in verdict.findings if each.verdict == verdict.verdict]
    found = [each for each in held if each.within is not None]
    if verdict.verdict not in (CONFIRMED, LOOSE) or verdict.holds == AS_N_GROWS:
        return ""
    left = max((each.within or 0.0 for each in found if each.certificate), default=0.0)
    if left and len(found) == len(held):
        return f"with errors of up to {upwards(left)} counted as exact"
    shares = [each.within or 0.0 for each in found if not each.is_absolute]
    within = max(shares or [each.within or 0.0 for each in found], default=0.0)
    if verdict.relation != "=":
        by = percent(within) if shares else upwards(within)
        return f"to within {by}" if within else ""
    if len(found) < len(held):
        return ""
    if all(each.case.digits is not None for each in found):
        return "to all printed digits"
    if within == 0 and all(float(each.case.theory).is_integer() for each in found):
        return "exactly"
    if not shares:
        return f"to {upwards(within)}"
    digits = min(_MOST_DIGITS, math.floor(-math.log10(within))) if within else _MOST_DIGITS
    return f"to {digits} digits" if digits >= _FEWEST_DIGITS else f"to {percent(within)}"


def percent(share: float) -> str:
    """Return a share in per cent, rounded up to two digits."""
    return f"{upwards(100 * share)} %"


def upwards(value: float) -> str:
    """Return two digits of a number, never less than it."""
    if not 0 < value < math.inf:
        return f"{value:g}"
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / step * (1 - 1e-12)) * step:.2g}"


def quantity(case: Case) -> str:
    """Return what a case measures, in words: ``mean error``, ``P(time > 4)``."""
    name = plain(case.quantity)
    if case.index is not None:
        is_of_training = case.experiment.get("kind") == "training"
        count = "1 iteration" if case.index == 1 else f"{case.index} iterations"
        name += f" after {count}" if is_of_training else f"[{case.index}]"
    is_counted = case.is_finite or (case.digits is not None and not case.experiment)
    # counted, or a printed number that nothing measures: it is no mean
    said = name if is_counted and case.statistic == "mean" else statistic(name, case.statistic)
    return said if case.against is None else f"{case.how} of {said}"


def plain(name: str) -> str:
    """Return the name of a measure as words."""
    return _PLAIN.get(name, name.replace("_", " "))


def statistic(name: str, which: str) -> str:
    """Return a statistic of what has this name, in words: ``99 % quantile of time``."""
    if which.startswith("P(>"):
        return f"P({name} > {float(which[3:-1]):g})"
    if which.startswith("quantile("):
        level = float(which[9:-1])
        return f"median {name}" if level == 0.5 else f"{100 * level:g} % quantile of {name}"
    if which != "mean":
        return f"{which} of {name}"
    if re.split(r"\[| after ", name)[0] in _PROBABILITIES:
        return f"P({name})"
    if name.startswith("survivors["):
        return f"P({name[10:-1]} survivors)"
    return name if name.startswith("mean ") else f"mean {name}"


def point(values: Mapping[str, Any]) -> str:
    """Return a parameter point in a line; of the point ``against``, what differs from it."""
    said = []
    for key, value in values.items():
        if key == "against" and isinstance(value, Mapping):
            other = {name: each for name, each in value.items() if values.get(name) != each}
            said.append(f"{key} ({point(other)})")
        else:
            text = _value(value)
            if len(text) > _LONGEST_VALUE:
                text = f"{text[: _LONGEST_VALUE - 1]}…"
            said.append(f"{key}={text}")
    return ", ".join(said)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        own = dict(value)
        name = next((own.pop(tag) for tag in TAGS if tag in own), "")
        return f"{name}({', '.join(f'{key}={_value(each)}' for key, each in own.items())})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def theory(finding: Finding) -> str:
    """Return what a case says, with digits that differ from the measured value if it is refuted."""
    if finding.verdict == REFUTED and not finding.estimate.standard_error and not finding.are_equal:
        return apart(finding.case.theory, finding.estimate.value)[0]
    return f"{finding.case.theory:.9g}"


def found(finding: Finding) -> str:
    """Return what was measured, as a clause, and the sample that stands beside an exact value."""
    if finding.method == NONE:
        return "nothing measured"
    if finding.method == COUNTEREXAMPLE:
        return "not computed: one counterexample is enough"
    value, error = finding.estimate.value, finding.estimate.standard_error
    said, is_noise = finding.shown, value is not None and finding.is_noise(value)
    if value is None or (error and not is_noise):
        said = number(value, error)
    elif finding.verdict == REFUTED and not finding.are_equal and not is_noise:
        said = finding.side + apart(finding.case.theory, value)[1]
    said += f", {finding.reason}" * finding.are_equal
    if finding.method in RARE and finding.estimate.note:
        said += f" ({finding.method}: {finding.estimate.note})"
    if finding.sampled is not None:
        beside, error = finding.sampled.value, finding.sampled.standard_error
        if beside is not None and finding.is_noise(beside):
            beside, error = beside * bool(finding.case.theory), None
        said += f" (sampled {number(beside, error)})"
    return f"measured {said}"


def proof(of: Finding | Verdict) -> str:
    """Return the certificate of what always or never happens, or the counterexample; or nothing."""
    if of.counterexample is not None:
        return f"counterexample: {of.counterexample}"
    return f"certificate: {of.certificate}" if of.certificate else ""


def reason(verdict: Verdict) -> str:
    """Return why what corrects a refuted statement is right; or nothing."""
    own = (e.proof for e in paper_files.register() if e.proof and e.corrects == verdict.claim)
    return next((f"Reason: {proof}" for proof in own if verdict.verdict == REFUTED), "")


def numbers(verdict: Verdict, whose: str = "") -> str:
    """Return what the deciding case says, what was measured, and where."""
    shown, where = verdict.deciding, point(verdict.point)
    relation = f"{verdict.relation if whose else sign(verdict.relation)} {theory(shown)}{whose}"
    said = f"{quantity(shown.case)} {relation}, {found(shown)}"
    return f"{said} at {where}" if where else said


def share_of_points(verdict: Verdict) -> str:
    """Return at how many of its points a claim has its verdict; nothing where there is one.

    And what the others have; of a statement that holds somewhere: at how many it holds, and which.
    """
    total = len(verdict.findings)
    if total == 1:
        return ""
    if verdict.holds != SOMEWHERE or verdict.verdict == NOT_REPRODUCIBLE:
        found = [finding.verdict for finding in verdict.findings]
        others = [name for name in dict.fromkeys(found) if name != verdict.verdict]
        each = [f"{found.count(name)} {name.removeprefix('confirmed, ')}" for name in others]
        return "; ".join([f"{found.count(verdict.verdict)} of {total} points", *each])
    said = f"holds at {len(holds_at(verdict))} of {total} points"
    points = [dict(each.case.point) for each in verdict.findings]
    differing = [
        point({key: x for key, x in each.items() if any(p.get(key) != x for p in points)})
        for each in holds_at(verdict)
    ]
    more = [f"{len(differing) - _MOST_NAMED} more"] if len(differing) > _MOST_NAMED else []
    named = [f"({each})" for each in differing[:_MOST_NAMED] if each] + more
    return f"{said}: {', '.join(named)}" if named else said


def holds_at(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the points at which a statement holds."""
    found = [each for each in verdict.findings if each.verdict in (CONFIRMED, LOOSE)]
    return [dict(each.case.point) for each in found]


def source(claim: str) -> str:
    """Return the citation of the paper that a claim's id begins with, if it is one of fastgc's."""
    return paper_files.citation(claim.partition(".")[0])


def listed(names: Iterable[str], most: int = 6) -> str:
    """Return names in a sentence: ``a, b and c``; of many the first and how many more."""
    known = list(dict.fromkeys(names))
    if len(known) > most:
        known[most - 1 :] = [f"{len(known) - most + 1} more"]
    return " and ".join(filter(None, [", ".join(known[:-1]), known[-1] if known else ""]))


def sign(relation: str) -> str:
    """Return a relation as it is printed."""
    return {"<=": "≤", ">=": "≥"}.get(relation, relation)


def subject(name: str, title: str) -> str:
    """Return a packaged study's title without its paper's name, which its own name has."""
    paper = re.escape(name.partition("/")[0])
    return re.sub(rf"^(Paper )?{paper}[,:] ", "", title)


def place(verdict: Verdict) -> str:
    """Return where in its paper a claim is said, if it is; else the citation, or the id."""
    paper = source(verdict.claim)
    if paper and verdict.citation == paper:
        return "derived"
    said = verdict.citation.removeprefix(f"{paper}, ") if paper else verdict.citation
    return said or verdict.claim


def counts(found: Sequence[Verdict]) -> str:
    """Return how many verdicts there are of each, and how many refutations of each kind."""
    said = []
    for name in sorted({verdict.verdict for verdict in found}):
        alike = [verdict for verdict in found if verdict.verdict == name]
        kinds = [verdict.kind for verdict in alike if verdict.verdict == REFUTED and verdict.kind]
        each = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds))]
        said.append(f"{len(alike)} {name}" + (f" ({', '.join(each)})" if each else ""))
    return ", ".join(said)


def named(measure: str, which: str, index: int | str | None, kind: str = "") -> str:
    """Return which number a row has, in words: ``mean error``; ``kind`` is its experiment's."""
    return quantity(Case({}, 0.0, {"kind": kind}, measure, which, index))


def unit(own: str | None) -> str:
    """Return a row's unit as it stands behind numbers; nothing where there is none."""
    return "" if own in (None, "1") else _UNITS.get(str(own), str(own).replace("^2", "²"))


def swept(values: Mapping[str, Any]) -> str:
    """Return swept keys with their values: ``stragglers.p = 0.1, code.d = 2``."""
    return ", ".join(f"{key} = {setting(value)}" for key, value in values.items())


def setting(value: Any) -> str:
    """Return the value of a swept key; of a member its name with its parameters."""
    return point({"": value}).removeprefix("=")


def row_value(row: Data) -> str:
    """Return a row's value and how sure it is, in words."""
    if row["value"] is None:
        return f"not known ({row['note']})" if row.get("note") else "not known"
    said = f"{Number(row['value'], row['standard_error'])} {unit(row.get('unit'))}".strip()
    if row["method"] == LOWER_BOUND or (row["trials"] and row["statistic"] == "maximum"):
        return f"at least {said}"
    if row["trials"] is None:
        return f"{said} (exact)"
    if row["low"] is None and row["high"] is None:
        return said
    return f"{said} (95 % interval {Interval(row['low'], row['high'])})"
