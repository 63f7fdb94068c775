"""What a theorem says, as data: statement, relation, the experiments that test it, verdict.

Beside it a closed form, as it stands with a row of results.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

CONFIRMED = "confirmed"
LOOSE = "confirmed, loose"
REFUTED = "refuted"
#: Expected of a bound that may be loose.
NOT_REFUTED = "not refuted"
#: Of a printed number that cannot be recomputed: parameters, hardware or data are not to be had.
NOT_REPRODUCIBLE = "not reproducible"

#: Why a statement is refuted, the gravest first.
Kind = Literal["false", "wrong number", "missing condition", "misprint", "notation"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: What sort of statement it is; the first four are results, which headline counts are of.
Category = Literal[
    "theorem", "number", "figure", "algorithm", "definition", "arithmetic", "derived"
]
CATEGORIES: tuple[str, ...] = get_args(Category)
RESULTS = CATEGORIES[:4]
#: What stands for the source of a statement that follows from definitions alone.
OWN_DERIVATION = "derived by fastgc"

#: For which of its points a statement is made.
Holds = Literal["everywhere", "somewhere", "as n grows"]
EVERYWHERE: Holds = "everywhere"
SOMEWHERE: Holds = "somewhere"
AS_N_GROWS: Holds = "as n grows"

#: Sizes of a statement as n grows: how many, over which factor, and by which each from the last.
FEWEST_SIZES, GROWTH, APART = 4, 100, 1.5
_ROUNDING = 1e-9

#: What a statement as n grows says of measured and theory: their difference goes to 0, their ratio
#: to 1, or they are of one order.
Limit = Literal["difference", "ratio", "order"]
Relation = Literal["=", "<=", ">=", "<", ">"]


@dataclass(frozen=True)
class Case:
    """One parameter point of a claim: the theory's value and what is measured against it.

    * ``point``: parameters in fastgc's vocabulary, to be printed.
    * ``theory``: the value that the statement gives at this point.
    * ``experiment``: one ``[[experiment]]`` table of a study as data; or a finite statement
      ``{"finite": name, ...}`` that ``fastgc.validation.finite`` measures by brute force, or
      ``{"built": name, ...}`` that is measured on what fastgc builds. Empty where nothing is
      measured, of a statement that is not reproducible.
    * ``quantity``, ``statistic``, ``index``: which number of the experiment is compared, as in a
      row of results.
    * ``against``: A second experiment on the same draws; then first − second is measured.
    * ``how``: "difference", or "ratio" to measure first / second of the means instead (no index).
    * ``scale``: size of the measure, used where the theory is 0: k for errors, 1 for probabilities.
    * ``digits``: decimals of a theory that is a printed number, which is right to half a unit of
      the last: 1 for "4.0", 0 for "120", −3 for "120 000". None where the theory is a formula.
    * ``tolerance``: share of the theory to which it is confirmed, where sampling to the usual one
      is too dear.
    * ``size``: the number that grows, of a statement as n grows.
    * ``rate``: the deviation that such a statement allows here, up to a constant; None where it
      only says that the deviation vanishes.
    * ``rounding``: by how much rounding may have changed the theory, at most; None where that is
      not known.

    >>> from fastgc import theory
    >>> claim = next(each for each in theory.claims() if each.id == "agc.theorem1.printed")
    >>> case = claim.cases[0]
    >>> case.quantity, round(case.theory, 6)
    ('error', 0.210714)
    """

    point: Mapping[str, Any]
    theory: float
    experiment: Mapping[str, Any]
    quantity: str
    statistic: str = "mean"
    index: int | str | None = None
    against: Mapping[str, Any] | None = None
    scale: float = 1.0
    how: Literal["difference", "ratio"] = "difference"
    digits: int | None = None
    tolerance: float | None = None
    size: float | None = None
    rate: float | None = None
    rounding: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Refuse a ratio of anything but two means."""
        if self.how == "ratio" and (self.against is None or self.index is not None):
            raise ValueError("a ratio is of two means without index; give a second experiment")

    @property
    def is_finite(self) -> bool:
        """Whether it is a finite statement, which no experiment measures."""
        return "finite" in self.experiment or "built" in self.experiment


Cases = Iterator[Case]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, as printed or as corrected, and the verdict it should get.

    * ``id``, ``paper``: ``paper.name.printed`` for what a paper says, in the reading most
      favourable to it; ``.corrected`` for what is right instead; ``.derived`` for what fastgc adds.
    * ``statement``, ``citation``: in fastgc's own words, and where it is said.
    * ``relation``: one of =, <=, >=, <, >: reads "measured RELATION theory".
    * ``expected``: "confirmed", "confirmed, loose", "refuted", "not reproducible" or, of a bound
      that may be loose, "not refuted".
    * ``holds``: "everywhere": at every point; "somewhere": at one of them at least; "as n grows":
      in the limit, judged over points whose ``size`` grows by two decades or more.
    * ``own_points``: of a statement that holds somewhere: its first so many cases are the paper's
      own points. They decide, all of them; the other cases are shown beside.
    * ``limit``: what a statement as n grows says: that the "difference" of measured and theory goes
      to 0, their "ratio" to 1, or that they are of one "order".
    * ``kind``: of a statement that is refuted: one of `KINDS`.
    * ``corrects``: id of the statement that this one puts right.
    * ``reads``: id of the refuted statement of which this is a kinder reading, which holds.
    * ``proof``: of a correction: why it is so, in a sentence or two.
    * ``printed``: of a statement that is refuted: the formula or the words as the paper prints
      them, a line or so, in the paper's own letters; a … stands for what is left out.
    * ``needs``: the extra that its experiments need: "data", or "" for none.
    * ``category``: what sort of statement it is: one of `CATEGORIES`. Headline counts are of
      theorems, numbers, figures and algorithms. What no paper prints is derived.
    * ``source``: the work that says it, or from which it is derived, without the place; or
      `OWN_DERIVATION`.
    * ``second``: how its theory was derived a second time, by other means; empty if it was not.
    * ``missing``: of a statement that is not reproducible: what is missing, like "the step size is
      not printed". Its cases hold the printed numbers, and nothing is measured.
    * ``make``: makes the cases, on their first use.

    >>> from fastgc import theory
    >>> claim = next(each for each in theory.claims() if each.id == "agc.frc-1.976.printed")
    >>> claim.relation, claim.expected, claim.kind
    ('=', 'refuted', 'wrong number')
    """

    id: str
    paper: str
    statement: str
    citation: str
    relation: str
    expected: str
    make: Callable[[], Iterable[Case]] = field(compare=False, repr=False)
    holds: Holds = "everywhere"
    limit: Limit = "ratio"
    kind: Kind | None = None
    corrects: str | None = None
    reads: str | None = None
    proof: str = ""
    printed: str = ""
    needs: str = ""
    own_points: int = 0
    category: Category = "theorem"
    missing: str = ""
    source: str = ""
    second: str = ""

    @functools.cached_property
    def cases(self) -> tuple[Case, ...]:
        """The parameter points at which the statement is measured."""
        return tuple(self.make())


@dataclass(frozen=True)
class ClosedForm:
    """A closed form that applies to an experiment, addressed like a row of results.

    * ``quantity``, ``statistic``, ``index``: as in a row: like "error", "mean", and which number of
      a quantity that has several, or None.
    * ``value``: in the quantity's unit.
    * ``claim``: id of the claim that tests the formula, None where there is none.

    >>> from fastgc import theory
    >>> forms = theory.closed_forms({
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.1},
    ... })
    >>> round(next(f.value for f in forms if f.quantity == "error" and f.statistic == "mean"), 12)
    0.08
    """

    quantity: str
    statistic: str
    index: int | None
    value: float
    claim: str | None


def category_of(claim: str, said: Category | None = None) -> Category:
    """Return the category of a claim with this id; ``said`` is of what a paper prints."""
    return "derived" if claim.endswith((".corrected", ".derived")) else said or "theorem"


def unfit_sizes(sizes: Sequence[float]) -> str:
    """Return what is wrong with the sizes of a statement as n grows; nothing if they will do."""
    if len(sizes) < FEWEST_SIZES or sizes[-1] < GROWTH * sizes[0] * (1 - _ROUNDING):
        return (
            f"must grow by a factor of {GROWTH} or more over {FEWEST_SIZES} points or more "
            f"(got {sizes[0]:.6g} to {sizes[-1]:.6g} over {len(set(sizes))})"
        )
    for before, after in itertools.pairwise(sizes):
        if before <= 0 or after < APART * before * (1 - _ROUNDING):
            return (
                f"must each be at least {APART} times the one before "
                f"(got {before:.6g} and {after:.6g})"
            )
    return ""
