"""Verdicts on claims: what was found at each point, and what that says of the statement."""

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

from fastgc.arrays import Brief
from fastgc.registry.display import NotebookTable
from fastgc.results import sound
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import (
    AS_N_GROWS,
    NOT_REFUTED,
    NOT_REPRODUCIBLE,
    SOMEWHERE,
    Case,
    Claim,
)

CONFIRMED = "confirmed"
LOOSE = "confirmed, loose"
REFUTED = "refuted"
UNDECIDED = "undecided"

EQUAL_SIDES = "equal to the bound, to rounding"  # why a strict relation is refuted
_SHOWN = 20  # verdicts in a text
_LONGEST_CHECK = 200  # letters of a line that checks a counterexample
_ROUNDING = 1e-11  # of a measure's scale: what is nearer to a theory of 0 is equal to it
COUNTEREXAMPLE = "counterexample"  # method of what is not computed, for a set refutes it
NONE = "none"  # method of what is not measured, for it cannot be recomputed


@dataclass(frozen=True, repr=False)
class Counterexample:
    """What refutes a statement: ``said`` shows an object that can be checked by hand.

    Of a certainty: ``stragglers``, who straggles, and ``check``, a line of Python that gives the
    ``error`` of that set.
    """

    stragglers: tuple[int, ...] = ()
    error: float | None = None
    check: str = ""
    said: str = ""

    def __repr__(self) -> str:
        """Show the object, or say who straggles, and the error."""
        who = " ".join(map(str, self.stragglers)) or "nobody"
        return self.said or f"with {who} straggling the error is {self.error:.6g}"

    def __str__(self) -> str:
        """Say how to check it, too; ``check`` has a long matrix, which is B here."""
        if self.said:
            return self.said
        short = self.check
        if len(short) > _LONGEST_CHECK:
            short = re.sub(r"decode\(\{.*?\}, (?=sorted|range)", "decode(B, ", short)
        return f"{self!r}: {short}"


@dataclass(frozen=True, repr=False)
class Finding(Brief):
    """One case of a claim, measured.

    * ``case``: the parameter point and the theory's value.
    * ``estimate``: what was measured there, by the sharpest method.
    * ``method``: ``"exact"``, ``"monte-carlo"``, ``"enumeration"``, ``"counterexample"``
      (the number itself was not computed) or ``"none"``, where nothing was measured.
    * ``verdict``: one of `CONFIRMED`, `LOOSE`, `REFUTED`, `UNDECIDED` and `NOT_REPRODUCIBLE`.
    * ``half_width``: half-width of the family-wise interval.
    * ``trials_needed``: trials that would decide an undecided case; None where it is decided or
      their number is not known.
    * ``within``: the family-wise interval lies so close to the theory: as a share of the larger of
      theory and measurement, or absolute where ``is_absolute``. None where that is not known.
    * ``is_absolute``: whether ``within`` is in the measure's own unit: where the theory is 0, or a
      printed number.
    * ``reason``: why the case is undecided, and what would decide it.
    * ``sampled``: a sample beside an exact value, in which the sampler is checked.
    * ``kurtosis``: of one trial's value, as sampled; None where it is not known.
    * ``certificate``, ``counterexample``: what proves or refutes that something always or never
      happens: a sentence, and a set of stragglers.
    """

    case: Case
    estimate: Estimate
    method: str
    verdict: str
    half_width: float
    trials_needed: int | None = None
    within: float | None = None
    is_absolute: bool = False
    reason: str = ""
    sampled: Estimate | None = None
    kurtosis: float | None = None
    certificate: str = ""
    counterexample: Counterexample | None = None

    def is_noise(self, value: float) -> bool:
        """Whether a value is no more than what rounding makes of 0."""
        most = self.estimate.rounding
        if most is None:
            most = _ROUNDING * self.case.scale if self.case.theory == 0 else 0.0
        return 0 < abs(value) <= most

    @property
    def side(self) -> str:
        """What stands before a largest or smallest value that was only found."""
        is_sampled = self.estimate.trials is not None and self.case.against is None
        if self.method == "lower-bound" or (is_sampled and self.case.statistic == "maximum"):
            return "at least "
        return "at most " if is_sampled and self.case.statistic == "minimum" else ""

    @property
    def shown(self) -> str:
        """The measured value in nine digits, of rounding that it is 0."""
        value = self.estimate.value
        if value is None:
            return "nothing"
        if self.is_noise(value):
            return f"{value:.9g} (0 to rounding)" if self.case.theory else "0 to rounding"
        return f"{self.side}{value:.9g}"

    @property
    def are_equal(self) -> bool:
        """Whether a strict relation is refuted because its sides are equal."""
        return self.verdict == REFUTED and self.reason == EQUAL_SIDES


@dataclass(frozen=True)
class Check:
    """One check of a verdict: its name, whether it is passed, and by what; or what is lacking."""

    name: str
    is_passed: bool
    said: str


@dataclass(frozen=True, repr=False)
class Verdict(NotebookTable):
    """The verdict on a claim, with the numbers of the case that decided it.

    A claim that holds everywhere is refuted if one of its cases is, and confirmed if all are; one
    that holds somewhere is confirmed if one of its cases is.

    ``claim`` is its id; ``statement``, ``citation``, ``relation``, ``expected``, ``holds``,
    ``corrects``, ``reads``, ``proof``, ``printed``, ``category``: as of the `Claim`; ``kind`` says
    why a statement is refuted that should be; ``theory``, ``value``, ``standard_error``,
    ``method``, ``point``, ``within``, ``is_absolute``, ``reason``, ``certificate``,
    ``counterexample``: of the deciding case, as of a `Finding`; ``verdict``: one of `CONFIRMED`,
    `LOOSE`, `REFUTED`, `UNDECIDED` and `NOT_REPRODUCIBLE`; ``findings``: one a case; ``checks``:
    what the verdict rests on; none of what was not measured.
    """

    claim: str
    statement: str
    citation: str
    relation: str
    theory: float
    value: float | None
    standard_error: float | None
    verdict: str
    expected: str
    method: str
    point: dict[str, Any]
    findings: tuple[Finding, ...]
    holds: str = "everywhere"
    kind: str | None = None
    corrects: str | None = None
    reads: str | None = None
    proof: str = ""
    printed: str = ""
    within: float | None = None
    is_absolute: bool = False
    reason: str = ""
    category: str = "theorem"
    checks: tuple[Check, ...] = ()
    certificate: str = ""
    counterexample: Counterexample | None = None

    def __repr__(self) -> str:
        """Return the claim, its verdict, where it has it, and the numbers that decided it."""
        why = f", {self.kind}" if self.kind and self.verdict == REFUTED else ""
        count = len(self.findings)
        alike = sum(finding.verdict == self.verdict for finding in self.findings)
        points = f" ({alike} of {count} points)" if count > 1 else ""
        found = [f"measured {self.deciding.shown}"] if self.method != COUNTEREXAMPLE else []
        if self.counterexample is not None and self.counterexample.error is not None:
            found.append(repr(self.counterexample))
        said = f"stated {self.relation} {self.theory:.9g}, {'; '.join(found)}"
        return f"<Verdict {self.claim}: {self.verdict}{why}; {said}{points}>"

    @property
    def deciding(self) -> Finding:
        """The case whose numbers it shows."""
        shown = self.theory, self.value, self.point
        own = ((f, (f.case.theory, f.estimate.value, dict(f.case.point))) for f in self.findings)
        return next((f for f, said in own if said == shown), self.findings[0])

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one or undecided, which is no contradiction."""
        if self.expected == NOT_REFUTED:
            return self.verdict != REFUTED
        return self.verdict in (self.expected, UNDECIDED)


class Verdicts(list[Verdict], NotebookTable):
    """A list of verdicts, which notebooks show as a table."""

    def __repr__(self) -> str:
        """Return a line for each verdict, or for each of the first of many."""
        more = [f"… {len(self) - _SHOWN} more"] * (len(self) > _SHOWN)
        return "[" + ",\n ".join([*map(repr, self[:_SHOWN]), *more]) + "]"


#: What a verdict says of its claim and of the deciding case in their own words.
_OF_CLAIM = (
    *("statement", "citation", "relation", "expected", "holds", "kind", "corrects", "reads"),
    *("proof", "printed", "category"),
)
_OF_CASE = ("method", "within", "is_absolute", "reason", "certificate", "counterexample")


def conclude(claim: Claim, findings: list[Finding]) -> Verdict:
    """Return the verdict on a claim of which these cases were measured."""
    # one refuted case refutes what holds everywhere, and a bound is loose only if nowhere tight
    order = REFUTED, UNDECIDED, CONFIRMED, LOOSE, NOT_REPRODUCIBLE
    if claim.holds == SOMEWHERE:  # one confirmed case confirms it
        order = CONFIRMED, LOOSE, UNDECIDED, REFUTED, NOT_REPRODUCIBLE
    name = min((finding.verdict for finding in findings), key=order.index)
    # the same point for any number of trials and claims; of a limit the farthest
    deciding = next(f for f in findings if f.verdict == name)
    if claim.holds == AS_N_GROWS:
        deciding = findings[-1]
    return Verdict(
        claim=claim.id,
        theory=deciding.case.theory,
        value=deciding.estimate.value,
        standard_error=deciding.estimate.standard_error,
        verdict=name,
        point=dict(deciding.case.point),
        findings=tuple(findings),
        **{key: getattr(claim, key) for key in _OF_CLAIM},
        **{key: getattr(deciding, key) for key in _OF_CASE},
    )


_NOT_FINITE = "float"  # the key under which JSON has a number that it has no word for


def data_of(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict, with every case and estimate, as JSON has it; defaults are left out."""
    data: dict[str, Any] = _plain(verdict)
    return data


def verdict_of(data: Mapping[str, Any]) -> Verdict:
    """Return the verdict of which `data_of` made this.

    Lists stand in points and experiments where tuples were.

    Raises Exception of any kind, where they are not as `data_of` makes them: see `sound.reading`.
    """
    verdict: Verdict = sound.typed(_read(data), Verdict)
    return verdict


def _plain(item: Any) -> Any:
    if is_dataclass(item):
        found = ((each, getattr(item, each.name)) for each in fields(item))
        return {
            each.name: _plain(value)
            for each, value in found
            if each.default is MISSING or value != each.default
        }
    if isinstance(item, Mapping):
        return {str(key): _plain(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_plain(value) for value in item]
    if isinstance(item, float) and not math.isfinite(item):
        return {_NOT_FINITE: str(item)}
    return item


def _read(item: Any) -> Any:
    if isinstance(item, Mapping):
        if item.keys() == {_NOT_FINITE}:
            return float(item[_NOT_FINITE])
        return {key: _read(value) for key, value in item.items()}
    return [_read(value) for value in item] if isinstance(item, list) else item
