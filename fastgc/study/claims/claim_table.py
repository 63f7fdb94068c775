"""What a ``[[claim]]`` table says, and what in it does not fit together."""

import contextlib
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

import pydantic
from pydantic import Field

from fastgc import theory
from fastgc.registry import Table
from fastgc.registry.complaints import Complaint, alternatives, nearest, show
from fastgc.study.expressions.expression import Expression
from fastgc.theory.papers.claim import Category, Holds, Limit, Relation

_ID = re.compile(r"\w[\w-]*(\.\w[\w-]*)*")
_STATISTIC = re.compile(r"(quantile|P)\(\s*>?\s*([^\s()]+)\s*\)")
_SUFFIXES = ("printed", "corrected", "derived")
_PLAIN = ("mean", "variance", "minimum", "maximum")


def _readable(formula: float | str) -> float | str:
    if isinstance(formula, str):
        Expression(formula)
    return formula


def _own(name: str) -> str:
    if not _ID.fullmatch(name) or len(name) > 100:
        raise ValueError('must be words with dots between, like "mine.lemma3"')
    group = name.partition(".")[0]
    if group in theory.paper_names():
        raise ValueError(f"{group} is a paper that fastgc knows; begin with a word of your own")
    return name


def _names(where: dict[str, float | str]) -> dict[str, float | str]:
    for name in where:
        if not name.isidentifier():
            raise ValueError(f"{show(name)} is no name; take letters, digits and _")
    # Python reads names in expressions so too
    return {unicodedata.normalize("NFKC", name): each for name, each in where.items()}


def _statistic(text: str) -> str:
    if text in _PLAIN:
        return text
    if match := _STATISTIC.fullmatch(text):
        with contextlib.suppress(ValueError):
            level = float(match[2])
            if match[1] == "quantile" and 0 < level < 1:
                return f"quantile({level!r})"
            if match[1] == "P" and math.isfinite(level):
                return f"P(>{level!r})"
    near = nearest(text, _PLAIN)
    raise ValueError(
        'must be "mean", "variance", "minimum", "maximum", "quantile(q)" with 0 < q < 1 or '
        f'"P(>t)" like "P(>2.0)" (got {show(text)}){near}'
    )


Formula = Annotated[
    Annotated[float, Field(allow_inf_nan=False)] | str, pydantic.AfterValidator(_readable)
]
Index = int | str
#: As rows have it.
Statistic = Annotated[str, pydantic.AfterValidator(_statistic)]


class PaperTable(Table):
    """The paper that a file's claims are of: their ids begin with its name and end in ``.printed``,
    ``.corrected`` or ``.derived``.

    * ``name`` (str): A word of small letters, digits and hyphens, like "tandon".
    * ``citation`` (str): Authors, title and where it is, like an arXiv number; claims say the place
      in it.
    * ``read`` ({"whole", "part", "abstract", "nothing"}): What of it was read by whoever wrote the
      claims; "nothing" by default, and then nothing is printed: its claims are derived.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    citation: Annotated[
        str, Field(min_length=1), pydantic.AfterValidator(lambda text: " ".join(text.split()))
    ]
    read: Literal["whole", "part", "abstract", "nothing"] = "nothing"

    def conflicts(self, claim: "ClaimTable") -> Iterator[Complaint]:
        """Yield what of a claim does not fit to this paper."""
        name, _, last = claim.id.rpartition(".")
        if not name.startswith(f"{self.name}.") or last not in _SUFFIXES:
            ends = alternatives([f".{each}" for each in _SUFFIXES])
            sentence = f"must begin with {self.name}. and end in {ends} (got {show(claim.id)})"
            yield Complaint(("id",), sentence)
        if last == "printed" and self.read == "nothing":
            sentence = (
                "says that it is printed, but of the paper nothing was read; end it in .derived"
            )
            yield Complaint(("id",), sentence)


class ClaimKeys(TypedDict, total=False):
    """The keys of a `ClaimTable` as `fastgc.claim` takes them, all but those it needs; a sweep."""

    statement: str
    citation: str
    relation: Relation
    digits: int
    where: Mapping[str, float | str]
    statistic: str
    index: int | str | Sequence[int | str]
    against: Mapping[str, Any]
    how: Literal["difference", "ratio"]
    holds: Holds
    limit: Limit
    size: float | str
    rate: float | str
    scale: float | str
    tolerance: float
    expected: Literal["confirmed", "refuted"]
    kind: Literal["false", "wrong number", "missing condition", "misprint", "notation"]
    missing: str
    category: str
    second: float | str
    corrects: str
    proof: str
    sweep: Mapping[str, Sequence[Any] | Mapping[str, Any]]


class ClaimTable(Table):
    """A statement of the user's own, and the experiment that tests it.

    An expression is arithmetic over the experiment's own numbers (``n``, ``d``, ``p``, …, or with
    their table as ``code.n``), the names of ``where``, functions of mathematics, ``binomial``,
    ``harmonic``, closed forms by name, and functions that installed packages register.

    * ``id`` (str): What verdicts call the claim: words with dots between, like "mine.lemma3".
    * ``statement`` (str): What is claimed, in words.
    * ``citation`` (str): Where it is said; empty by default.
    * ``relation`` ({"=", "<=", ">=", "<", ">"}): Reads "measured RELATION theory"; "=" by default.
    * ``theory`` (number or str): What is claimed of the quantity: a number or an expression, like
      "n * q**d".
    * ``digits`` (int, optional): Decimals of a theory that is a rounded number: it is judged to
      half a unit of the last. A bound is taken as it is printed.
    * ``where`` (dict of str to number or str): Names for parts of the theory, in order: each may
      use those before it.
    * ``quantity`` (str): The measure of the experiment that the statement is about, like "error" or
      "time".
    * ``statistic`` (str): "mean" (the default), "variance", "minimum", "maximum", "quantile(0.99)"
      or "P(>2.0)".
    * ``index`` (int, str or list, optional): Which number of a quantity that has several; of a list
      each makes a case of its own, and ``index`` is a name in expressions.
    * ``against`` (dict, optional): What differs in a second experiment, on the same draws; then the
      difference or the ratio of the two is measured. A table with its family or model replaces the
      experiment's own.
    * ``how`` ({"difference", "ratio"}): What of the two is measured: first - second (the default),
      or first / second.
    * ``holds`` ({"everywhere", "somewhere", "as n grows"}): At every point (the default), at one of
      them, or in the limit.
    * ``limit`` ({"ratio", "difference", "order"}): What holds as n grows: the ratio of measured and
      theory goes to 1 (the default), their difference to 0, or they are of one order (with "<=" of
      at most the theory's, with "<" of less).
    * ``size`` (number or str, optional): What grows, as n grows, by a factor of 100 or more over
      the points and 1.5 or more from each to the next; an expression.
    * ``rate`` (number or str, optional): The deviation that is stated, as n grows, up to a
      constant; an expression.
    * ``scale`` (number or str, optional): The size of the quantity, used where the theory is 0; by
      default the number of partitions for errors, else 1.
    * ``tolerance`` (float, optional): Share of the theory to which a sampled value is to be
      confirmed, where the usual one is too dear.
    * ``expected`` ({"confirmed", "refuted"}): The verdict that is no surprise; "confirmed" by
      default.
    * ``kind`` ({"false", "wrong number", "missing condition", "misprint", "notation"}, optional):
      Why it is refuted, if that is expected.
    * ``missing`` (str): What is missing to recompute a printed number, like "the step is not
      printed": then nothing is measured and the verdict is "not reproducible"; ``experiment`` has
      what is known. Empty by default.
    * ``category`` ({"theorem", "number", "figure", "algorithm", "definition", "arithmetic"},
      optional): What sort of statement a paper prints; "theorem" by default. What it does not print
      is "derived", whatever is said here.
    * ``second`` (number or str, optional): The theory by another formula; both must agree to nine
      digits at every point.
    * ``corrects`` (str, optional): Id of the refuted statement that this one puts right.
    * ``proof`` (str): Why it does; empty by default.
    * ``experiment`` (dict): One experiment of any kind; its ``sweep`` makes a case of every point.
    """

    id: Annotated[str, pydantic.AfterValidator(_own)]
    statement: Annotated[str, Field(min_length=1)]
    citation: str = ""
    relation: Relation = "="
    theory: Formula
    digits: Annotated[int | None, Field(ge=-300, le=300)] = None
    where: Annotated[
        dict[str, Formula], pydantic.AfterValidator(_names), Field(default_factory=dict)
    ]
    quantity: str
    statistic: Statistic = "mean"
    index: Index | Annotated[tuple[Index, ...], Field(min_length=1)] | None = None
    against: dict[str, Any] | None = None
    how: Literal["difference", "ratio"] = "difference"
    holds: Holds = "everywhere"
    limit: Limit | None = None
    size: Formula | None = None
    rate: Formula | None = None
    scale: Formula | None = None
    tolerance: Annotated[float | None, Field(gt=0, lt=1)] = None
    expected: Literal["confirmed", "refuted"] = "confirmed"
    kind: Literal["false", "wrong number", "missing condition", "misprint", "notation"] | None = (
        None
    )
    missing: str = ""
    category: Category | None = None
    second: Formula | None = None
    corrects: str | None = None
    proof: str = ""
    experiment: dict[str, Any]

    @property
    def reporting(self) -> dict[str, Any]:
        """What the experiment has to report for this statistic, as keys of its table."""
        return {"measure": [self.quantity]} | reporting(self.statistic)

    @property
    def indices(self) -> tuple[Index | None, ...]:
        """Which numbers of the quantity are looked at, each in a case of its own."""
        return self.index if isinstance(self.index, tuple) else (self.index,)

    def conflicts(self) -> Iterator[Complaint]:
        """Yield what is sound but does not fit together."""
        grows, is_formula = self.holds == "as n grows", isinstance(self.theory, str)
        is_ratio, refuted = self.how == "ratio", self.kind is not None or self.expected == "refuted"
        belongs = 'belongs to holds = "as n grows"; say so, or leave it out'
        wrong = (
            ("theory", self.missing and is_formula, "must be the printed number, where something "
             "is missing"),
            ("missing", self.missing and refuted, "nothing is measured then, nor refuted; leave "
             "kind and expected out"),
            *((key, getattr(self, key) is not None and not grows, belongs)
              for key in ("limit", "size", "rate")),
            ("size", grows and self.size is None, 'missing; say what grows, like size = "n"'),
            ("how", is_ratio and self.against is None, "a ratio is of two experiments; say against "
             "what"),
            ("how", is_ratio and (self.statistic != "mean" or self.index is not None),
             "a ratio is of two means; leave statistic and index out"),
            ("digits", self.digits is not None and is_formula, "belongs to a theory that is a "
             "number, no expression"),
        )  # fmt: skip
        yield from (Complaint((key,), sentence) for key, is_wrong, sentence in wrong if is_wrong)


def reporting(statistic: str) -> dict[str, list[float]]:
    """Return which quantiles or thresholds an experiment has to report for a statistic."""
    match = _STATISTIC.fullmatch(statistic)
    if not match:
        return {}
    return {"quantiles" if match[1] == "quantile" else "thresholds": [float(match[2])]}
