"""The review sheet of a statement: six questions, as a reader puts them who has the paper open.

*Quantifiers*: for all, for some, in the limit? *Strictness*: is equality allowed? *Domain*: over
which parameters? *Direction*: what is measured against what? *Variants*: which other readings have
a statement of their own? *Own point*: does the paper's own example come first? The cases of a
statement answer them; `review.toml` adds what a reader of the five papers noted.
"""

import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from fastgc.theory.papers.claim import AS_N_GROWS, SOMEWHERE, Case, Claim

QUESTIONS = ("quantifiers", "strictness", "domain", "direction", "variants", "own point")
_SIGNS = {"=": "an equality", "<=": "not strict", ">=": "not strict"}


@functools.cache
def _noted() -> Mapping[str, Any]:
    text = (resources.files(__package__) / "review.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def remarks(claim: Claim) -> dict[str, str]:
    """Return what a reader noted of a statement, by question."""
    name = claim.id.removeprefix(f"{claim.paper}.")
    found: dict[str, str] = _noted()["remarks"].get(claim.paper, {}).get(name, {})
    return found


def sheet(claim: Claim, others: Sequence[Claim]) -> dict[str, str]:
    """Return the answers to `QUESTIONS` on a statement.

    ``claim``: the statement. ``others`` (sequence of Claim): the statements of its paper, among
    which its variants are looked for. Returns an answer to each question; what a reader noted
    stands behind it, after a semicolon.

    >>> from fastgc import theory
    >>> claims = theory.paper("agc").claims
    >>> claim = next(each for each in claims if each.id == "agc.theorem1.printed")
    >>> sheet(claim, claims)["own point"]
    'first: n=8, d=2'
    """
    answers = (
        _quantifiers(claim),
        _SIGNS.get(claim.relation, "strict: equal sides refute it"),
        _domain(claim.cases),
        f"{', '.join(dict.fromkeys(case.quantity for case in claim.cases))} measured "
        f"{claim.relation} what is stated",
        ", ".join(_variants(claim, others)) or "none",
        _own_point(claim),
    )
    noted = remarks(claim)
    return {
        question: "; ".join([answer, *([noted[question]] if question in noted else [])])
        for question, answer in zip(QUESTIONS, answers, strict=True)
    }


def _quantifiers(claim: Claim) -> str:
    count = len(claim.cases)
    if claim.holds == AS_N_GROWS:
        first, last = claim.cases[0].size, claim.cases[-1].size
        return f"in the limit ({claim.limit}), from {first:g} to {last:g}"
    points = "1 point" if count == 1 else f"{count} points"
    if claim.holds == SOMEWHERE:
        return f"at one of {points}"
    every = [case.statistic in ("maximum", "minimum") or case.is_finite for case in claim.cases]
    ways = ["over all patterns"] * any(every) + ["on average or in law"] * (not all(every))
    return f"at {points}, {' and '.join(ways)}"


def _flat(point: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in point.items():
        if isinstance(value, Mapping):
            yield from _flat(value)
        else:
            yield key, value


def _domain(cases: Sequence[Case]) -> str:
    values: dict[str, list[float]] = {}
    for case in cases:
        for key, value in _flat(case.point):
            if isinstance(value, int | float) and not isinstance(value, bool):
                values.setdefault(key, []).append(value)
    ranges = [
        f"{key} = {low:g}" if low == high else f"{key} from {low:g} to {high:g}"
        for key, low, high in ((key, min(own), max(own)) for key, own in values.items())
    ]
    return ", ".join(ranges) or "no number"


def _variants(claim: Claim, others: Sequence[Claim]) -> Iterator[str]:
    stem, _, _ = claim.id.rpartition(".")
    for other in others:
        near = other.id.rpartition(".")[0] == stem or claim.id in (other.corrects, other.reads)
        if other.id != claim.id and (near or other.id in (claim.corrects, claim.reads)):
            yield other.id


def _own_point(claim: Claim) -> str:
    if claim.own_points or all(case.digits is not None for case in claim.cases):
        return "first: the printed numbers"
    own = _noted()["own"].get(claim.paper, {})
    first = {key: value for key, value in _flat(claim.cases[0].point) if key in own}
    if not first:
        return "the paper has none, or not of these parameters"
    said = ", ".join(f"{key}={value}" for key, value in first.items())
    return f"{'first' if first.items() <= own.items() else 'not first, which is'}: {said}"
