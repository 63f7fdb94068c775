"""``fastgc inspect``: the datasheet of a code."""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fastgc import codes, registry
from fastgc.arrays import Values
from fastgc.codes.code import AnyCode, Code
from fastgc.codes.matrix import code_given, warn_of
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.codes.structure import General
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.doubt import SAID
from fastgc.decoding.factorization import LARGEST_COMPILED
from fastgc.decoding.worst import UpperBounds, Worst, is_exact, worst_case
from fastgc.decoding.worst.searches import every_set, patterns_with
from fastgc.draws.all_patterns import independent_mean, subset_sizes
from fastgc.draws.patterns import subsets
from fastgc.draws.streams import WORD, Trials
from fastgc.errors import FastgcError, public
from fastgc.registry import toml
from fastgc.registry.complaints import unknown
from fastgc.registry.display import NotebookTable, shown
from fastgc.registry.given import MOST_WRITTEN
from fastgc.registry.number_types import broken_by
from fastgc.statistics.shares import NORMAL, wilson

MOST_ENUMERATED = 20  # workers; all 2ⁿ patterns take a second or less with most algorithms
MOST_REDRAWN = 14  # workers; all patterns of eight draws take a tenth of a second
PATTERNS = 1 << 15  # sampled for each number of stragglers of codes with more workers
MOST_SETS = 30_000_000  # of stragglers that are looked at for the worst: a fraction of a second
STARTS = 96  # searches for the worst, of codes with more sets: there is a line for each number
MOST_WITH_ALL_LINES = 100  # workers; of more, some numbers of stragglers have a line
MOST_COMPLEX_SETS = 1 << 14  # of complex codes, each of which is decoded
VECTORS = 1 << 10  # patterns whose decoding vectors are computed, which takes longer
MOST_WITH_ALL_PATTERNS = 50  # workers; of more, fewer patterns take what is cubic in them

#: Share of k of an error that is certainly exact: of more it stands beside that it may not be.
_CLEARLY_EXACT = 1e-9

#: Spread of values that differ by rounding alone, in parts of the largest possible.
_ROUNDING = 1e-12

#: A number and its standard error; 0 where it is exact.
MeanAndError = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """Errors of a code with one number of stragglers, every set of them equally likely.

    * ``mean_error`` ((float, float)): the mean and its standard error, 0 where all patterns
      were enumerated, or each decodes exactly. Where all that were sampled are alike, 1.96 of it
      are Wilson's bound for those that were not, times the largest possible value.
    * ``worst_error``: the largest error if ``worst_is_exact``, else the largest that was found.
    * ``worst_is_exact``: whether all patterns were enumerated, so that none has a larger error.
    * ``worst_set``: stragglers that cause it; None where it is not exact, or 0.
    * ``at_most``: a bound that no set of so many stragglers exceeds, without a look at any.
    * ``exact`` ((float, float)): probability of exact recovery.
    * ``amplification`` ((float, float)): mean ‖x‖² of the decoding vector.
    * ``bound``: mean number of partitions that no survivor holds: no code with these loads does
      better.
    * ``frc``: mean error of fractional repetition with the same load, where there is one.
    """

    stragglers: int
    mean_error: MeanAndError
    worst_error: float
    worst_is_exact: bool
    worst_set: list[int] | None
    at_most: float
    exact: MeanAndError
    amplification: MeanAndError
    bound: float
    frc: float | None


@dataclass(frozen=True, repr=False)
class Datasheet(NotebookTable):
    """Properties of a code, as `inspect` measures them; ``print`` and notebooks show a table.

    * ``n``, ``k``: workers and partitions.
    * ``loads`` ((int, int)): fewest and most partitions that a worker holds.
    * ``replication`` ((int, int)): fewest and most workers that hold a partition.
    * ``kernel``: what computes the errors: `Decoder.algorithm`.
    * ``condition``: condition number of B with its columns scaled: the largest over the smallest
      singular value that is not 0; None for more than 1000 workers or partitions, and in doubt.
    * ``doubt``: a sentence where rounding may decide which columns are dependent, and so every
      number here, or where what counts as exact leaves an error beyond rounding.
    * ``draw``: of a code that is drawn at random: that it is one draw, and what others are like.
    * ``guaranteed_tolerance``: stragglers that the code's construction promises to survive.
    * ``tolerance``: stragglers that are always survived; −1 where not even all workers decode.
    * ``tolerance_is_exact``: whether no other pattern could break the code; else ``tolerance`` is
      an upper bound.
    * ``breaking``: stragglers, one more than ``tolerance``, that are not survived.
    * ``unevenness``: unevenness of the loads; None for codes whose classes are not known.
    * ``p``: probability to straggle, for ``mean_error`` and ``bound``.
    * ``mean_error``: mean error with independent stragglers; None for more than 20 workers.
    * ``bound``: mean number of partitions that no survivor holds: a lower bound on the mean error.
    * ``lines``: one line for each number of stragglers that was asked for.
    """

    name: str
    n: int
    k: int
    loads: tuple[int, int]
    replication: tuple[int, int]
    kernel: str
    condition: float | None
    doubt: str | None
    draw: str | None
    guaranteed_tolerance: int | None
    tolerance: int
    tolerance_is_exact: bool
    breaking: list[int] | None
    unevenness: float | None
    p: float
    mean_error: float | None
    bound: float
    lines: tuple[Line, ...]

    def __repr__(self) -> str:
        found = f"tolerance {self.tolerance}{broken_by(self.breaking)}"
        if self.tolerance < 0:
            found = "no exact decoding, even with all workers"
        return f"<Datasheet {self.name}: n={self.n}, k={self.k}, {found}>"

    def __str__(self) -> str:
        return shown("datasheets").datasheet(self.as_dict())  # type: ignore[no-any-return]

    def as_dict(self) -> dict[str, Any]:
        """Return the datasheet as plain data."""
        return self.__dict__ | {"lines": [dict(line.__dict__) for line in self.lines]}


@public
def inspect(
    code: "AnyCode", p: float = 0.1, stragglers: int | str | Iterable[int] | None = None
) -> Datasheet:
    """Measure the properties of a code.

    Parameters
    ----------
    code : Code, array_like (k, n), sparse matrix, networkx graph, file, or table of a study
        A code or any encoding matrix, partitions × workers; the edges of a graph are its workers.
    p : float
        Probability to straggle at which the mean error is held against the bound Σ pᵈⁱ.
    stragglers : int, iterable of int or str, optional
        Numbers of stragglers to look at, also as text like "0..6", "2,5" or "0..n"; by default 0
        to half of the workers, at least to d + 1; some of these for more than 100 workers, and
        none for more than 1000, whose lines take long.

    Returns
    -------
    Datasheet
        Exact up to 20 workers, and beyond for numbers of stragglers with at most some 30 000 sets
        (fewer for large matrices); other means are sampled and carry standard errors, and worst
        cases of many sets are the best of several searches.

    Raises
    ------
    FastgcError
        If B is no matrix of finite numbers, or a new one in every trial, p is no probability, or
        there cannot be so many stragglers.

    Examples
    --------
    >>> import fastgc
    >>> sheet = fastgc.inspect(fastgc.codes.frc(n=6, d=2))
    >>> sheet
    <Datasheet frc(n=6, d=2): n=6, k=6, tolerance 1, broken by workers 0, 1>
    >>> sheet.tolerance, sheet.breaking, round(sheet.mean_error, 9)
    (1, [0, 1], 0.06)
    """
    if isinstance(code, CodeOfTrials):
        raise FastgcError(f"{code.name}: has a new matrix in every trial; give seed a number")
    own = code_given(code)
    if not isinstance(code, Code):
        warn_of(own.B if own.k * own.n <= MOST_WRITTEN else None)
    if not 0 <= p <= 1:
        raise FastgcError(f"must be from 0 to 1 (got {p})", "p")
    decoder = Decoder(own)
    doubt = decoder.doubt
    replication = np.diff(own.holders[0])
    if stragglers is None:
        wanted = _usual(own.n, int(replication.max()))
    else:
        wanted = _numbers(stragglers, own.n)
    all_errors = decoder.errors_of_all_patterns() if own.n <= MOST_ENUMERATED else None
    bounds = UpperBounds(decoder, own)
    most_sets = MOST_COMPLEX_SETS if own.is_complex else MOST_SETS
    tolerance, breaking = _tolerance(own, decoder, most_sets)
    found = tuple(_line(bounds, all_errors, s, most_sets) for s in wanted)
    # what counts as exact has an error that is shown beside it
    left = [e.worst_error for e in found if e.worst_error <= decoder.exact_threshold]
    if max(left, default=0.0) > _CLEARLY_EXACT * own.k:
        doubt = SAID
    elif doubt is None and max(left, default=0.0) > decoder.zero_threshold:
        doubt = f"errors of up to {max(left):.2g} are left where decoding counts as exact"
    certain = tolerance == (own.tolerance or -2)
    if not certain and own.n <= LARGEST_COMPILED:
        certain = is_exact(decoder, own, max(tolerance, 0), most_sets)

    is_known = doubt != SAID and max(own.n, own.k) <= LARGEST_COMPILED
    classes = own.classes
    return Datasheet(
        name=own.name,
        n=own.n,
        k=own.k,
        loads=(int(own.loads.min()), int(own.loads.max())),
        replication=(int(replication.min()), int(replication.max())),
        kernel=decoder.algorithm,
        condition=decoder.condition if is_known else None,
        doubt=doubt,
        draw=_draw(own, p),
        guaranteed_tolerance=own.tolerance,
        tolerance=tolerance,
        tolerance_is_exact=certain,
        breaking=breaking,
        unevenness=None if classes is None else float(codes.unevenness(own, len(classes) - 1)),
        p=p,
        mean_error=None if all_errors is None else independent_mean(all_errors, np.full(own.n, p)),
        bound=float((p**replication).sum()),
        lines=found,
    )


def _draw(code: Code, p: float) -> str | None:
    # of a code that is drawn at random: what other draws are like
    table, (_, drawn, seed) = code.made_from or {}, code.name.partition("seed=")
    if not drawn or table.get("family", "matrix") == "matrix":
        return None
    said = f"one draw, seed {seed.rstrip(')')}; others may differ"
    if code.n > MOST_REDRAWN:
        return f"{said}: sweep code.seed in a study"
    draws = (Decoder(code_given({**table, "seed": each})) for each in range(1, 9))
    errors = [independent_mean(each.errors_of_all_patterns(), np.full(code.n, p)) for each in draws]
    spread = f"{min(errors):.3g} to {max(errors):.3g}, on average {sum(errors) / len(errors):.3g}"
    return f"{said}: with seeds 1 to 8 the mean error is {spread}"


def _numbers(stragglers: int | str | Iterable[int], n: int) -> list[int]:
    """Return numbers of stragglers, also of text: ``3``, ``2,5``, ``0..6``, or ``0..n`` for all."""
    found: list[int] = []
    if isinstance(stragglers, str):
        for part in stragglers.split(","):
            first, dots, last = part.strip().partition("..")
            ends = [str(n) if end == "n" else end for end in (first, last if dots else first)]
            if not all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
                said = f"must be like 3, 2,5, 0..6 or 0..n (got {stragglers!r})"
                raise FastgcError(said, "stragglers")
            low, high = map(int, ends)
            if low > high:
                said = f"must be from less to more (got {part.strip()!r})"
                raise FastgcError(said, "stragglers")
            found += [low, high, *range(low, min(high, n))]
    else:
        found += stragglers if isinstance(stragglers, Iterable) else [stragglers]
    for number in found:
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise FastgcError(f"must be whole numbers (got {number!r})", "stragglers")
        if not 0 <= number <= n:
            raise FastgcError(f"must be from 0 to n={n} (got {number})", "stragglers")
    if not found:
        raise FastgcError("must name at least one number", "stragglers")
    return sorted({int(number) for number in found})


def code_from(name: str, arguments: Sequence[str]) -> Code:
    """Return the code of a matrix file, or of a family with ``key=value``."""
    members = registry.members("code")
    if name in members:
        return code_given({"family": name} | toml.values_of(name, arguments), name)
    if arguments and os.path.exists(name):
        said = f"a file takes no key=value (got {arguments[0]!r})"
        raise FastgcError(f"code: {name}: {said}; give options, like --stragglers 3 or -p 0.1")
    if arguments or not ("." in name or "/" in name):
        raise FastgcError(f"code: {unknown('family', name, members)}")
    return codes.matrix(file=name)


def _usual(n: int, replication: int) -> list[int]:
    # to half of the workers: all, of many some, of thousands none
    if n > LARGEST_COMPILED:
        return []
    most = min(max(n // 2, replication + 1), n)
    if n <= MOST_WITH_ALL_LINES:
        return list(range(most + 1))
    near = range(max(replication - 1, 0), min(replication + 1, n) + 1)
    return sorted({0, *near, max(n // 10, 1), most})


def _fewer(count: int, n: int, freely: int = MOST_WITH_ALL_LINES, least: int = 4) -> int:
    # how many of ``count`` patterns or searches there is time for: each costs some n³
    return max(least, round(count * min(1.0, (freely / n) ** 3)))


def _line(bounds: UpperBounds, all_errors: Values | None, stragglers: int, most_sets: int) -> Line:
    decoder, code = bounds.decoder, bounds.code
    size = code.n * (2 if code.is_complex else 1)  # columns that are decoded
    if all_errors is not None:
        patterns = np.flatnonzero(subset_sizes(code.n) == code.n - stragglers)
        errors, trials = all_errors[patterns], None
        packed = patterns.astype(np.uint64)[:, np.newaxis]
        worst = int(patterns[::-1][errors[::-1].argmax()])  # the first stragglers of all alike
        gone = tuple(j for j in range(code.n) if not worst >> j & 1)
        largest = Worst(float(errors.max()), gone, True).bounded(bounds, stragglers)
    else:
        trials = WORD * _fewer(PATTERNS // WORD, code.n)
        if isinstance(code.structure, General) and decoder.algorithm != "sparse":
            trials = min(trials, _fewer(PATTERNS, size, MOST_WITH_ALL_PATTERNS, least=32))
        if math.comb(code.n, stragglers) <= trials:
            sets, trials = np.concatenate(list(every_set(code.n, stragglers))), None
            packed = patterns_with(sets, code.n)
        else:
            batch = Trials(0, f"inspect {stragglers}", 0, -(-trials // WORD), 1)
            survivors = np.full(batch.trials, code.n - stragglers)
            packed = subsets(code.n, batch, survivors, "straggle").packed[:trials]
        errors, starts = decoder.errors(packed), _fewer(STARTS, code.n)
        largest = worst_case(
            decoder, code, stragglers, most=most_sets, starts=starts, bounds=bounds
        )
    assert largest.at_most is not None  # decoding is optimal
    is_alone = stragglers in (0, code.n)  # all patterns are the same
    most = 1 if is_alone else _fewer(VECTORS, size, MOST_WITH_ALL_PATTERNS, least=2)
    chosen = packed[:: max(1, -(-len(packed) // most))]
    amplification = (np.abs(decoder.vectors(chosen)) ** 2).sum(axis=1)
    sampled = trials if len(chosen) == len(packed) else len(chosen)
    sampled = None if is_alone else sampled
    replication = np.diff(code.holders[0])
    d = int(code.loads.max())
    never = largest.error <= decoder.zero_threshold
    if largest.is_exact and largest.error <= decoder.exact_threshold:
        trials = None  # every set decodes exactly
    return Line(
        stragglers=stragglers,
        mean_error=_mean(errors, trials, largest.at_most),
        worst_error=largest.error,
        worst_is_exact=largest.is_exact,
        worst_set=list(largest.stragglers) if largest.is_exact and not never else None,
        at_most=largest.at_most,
        exact=_mean((errors <= decoder.exact_threshold).astype(float), trials, 1.0),
        amplification=_mean(amplification, sampled, float(amplification.max())),
        bound=sum(_lost(code.n, int(held), stragglers) for held in replication),
        frc=code.k * _lost(code.n, d, stragglers) if d and code.n % d == 0 else None,
    )


def _mean(values: Values, trials: int | None, most: float) -> MeanAndError:
    if trials is None:
        return float(values.mean()), 0.0
    error = float(values.std(ddof=1)) / math.sqrt(trials)
    if error <= _ROUNDING * most:  # all are alike, but others may not be
        error = most * wilson(0.0, trials, NORMAL)[1] / NORMAL
    return float(values.mean()), error


def _lost(n: int, holders: int, stragglers: int) -> float:
    if holders > stragglers:
        return 0.0
    return float(Fraction(math.comb(n - holders, stragglers - holders), math.comb(n, stragglers)))


def _tolerance(code: Code, decoder: Decoder, most_sets: int) -> tuple[int, list[int] | None]:
    # how many stragglers are always survived, and a set of one more that is not
    if code.n > LARGEST_COMPILED:  # no search: workers that hold a partition break the code
        first_of, holders = code.holders
        rare = int(np.diff(first_of).argmin())
        breaking: list[int] = holders[first_of[rare] : first_of[rare + 1]].tolist()
        return len(breaking) - 1, breaking
    first = 0 if code.tolerance is None else code.tolerance + 1
    for stragglers in range(first, code.n + 1):
        starts = _fewer(STARTS, code.n)
        found = worst_case(decoder, code, stragglers, most=most_sets, starts=starts)
        if found.error > decoder.exact_threshold:
            return stragglers - 1, list(found.stragglers)
    return code.n, None
