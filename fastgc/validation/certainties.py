"""Certainties: what always or never happens, decided by a certificate or a counterexample.

An error, its variance or its largest value of 0, and a probability of 0 or 1 are proved by all sets
of stragglers or by the code's structure, disproved by one set, and else left open. Sets are looked
for by structure, by the search for the worst, and by those that break the code and lose one
straggler at a time.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fastgc.arrays import Mask
from fastgc.codes.code import Code
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import searches, worst_case
from fastgc.decoding.worst.case import breaking
from fastgc.decoding.worst.searches import MOST_WORKERS, Sets, errors_with
from fastgc.draws.streams import uniforms
from fastgc.experiments.decoding.exact_errors import Enumeration, WorstCase
from fastgc.experiments.decoding.rare import events_of, number_law
from fastgc.registry.number_types import counted, spaced
from fastgc.results.rows import COUNTEREXAMPLE, EXACT, LOWER_BOUND
from fastgc.results.verdict_data import Counterexample
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case
from fastgc.validation import decision_rules as rules
from fastgc.validation.decision_rules import ERRORS, Evidence
from fastgc.validation.requests import CaseRequest

#: Sets of stragglers that are looked at for a certificate, and that are decoded one by one.
MOST_SETS, SETS = 30_000_000, 1 << 19
#: Numbers of stragglers that are tried with decoders whose errors may fall when one is added.
NUMBERS = 4
#: Searches for the worst set, and sets that descend to a minimal one.
STARTS, DESCENTS = 96, 256
#: Share of k up to which an error counts as certainly exact.
CLEAR = 1e-9
#: What follows from the error of each set of stragglers alone.
_SET_BY_SET = frozenset({"error", "mean_error", "norm", "error_per_partition", "exact"})


class Proof(NamedTuple):
    """A certificate in words; or a counterexample, of errors that should be equal a second one.

    ``within``: errors of up to so much are left that count as exact; 0 where all are rounding.
    """

    certificate: str = ""
    sets: tuple[Sequence[int], ...] = ()
    within: float = 0.0


def certain_evidence(each: CaseRequest) -> dict[int, Evidence]:
    """Return the evidence on cases that are proved or disproved, by identity."""
    method, found = each.unit.points[0].compiled.exact_method, {}
    if not isinstance(method, Enumeration | WorstCase):
        return {}
    for case in each.cases:
        if (question := Certainty.about(case, method)) is None:
            continue
        certificate, sets, within = question.proof()
        if certificate:
            value = Estimate(case.theory, 0.0)
            found[id(case)] = Evidence(value, EXACT, certificate=certificate, within=within)
        elif sets:
            # beside it the number itself, where that is known and told from the theory
            known = each.exactly().get(id(case))
            if known is None or rules.p_value(case, "=", known.estimate) > 0:
                known = Evidence(Estimate(None, 0.0), COUNTEREXAMPLE)
            found[id(case)] = replace(known, counterexample=question.against(case, sets))
    return found


def worst_case_evidence(each: CaseRequest, relations: Mapping[int, str]) -> dict[int, Evidence]:
    """Return what the search for the worst says of a largest error, which may be only a bound."""
    method = each.unit.points[0].compiled.exact_method
    [(_, _, _, estimate)] = method.statistics()
    assert isinstance(method, WorstCase) and estimate.value is not None
    who, value, found = method.largest.stragglers, estimate.value, {}
    for case in each.cases:
        own, relation = Evidence(estimate, method.name), relations[id(case)]
        most = math.inf if estimate.at_most is None else estimate.at_most
        lost = rules.slack(case, estimate)
        is_open = rules.decided_between(case, relation, value, most, lost) is None
        if value > case.theory + lost and relation in ("=", "<=", "<"):
            line = _line(case, method.code.n, who)
            own = replace(own, counterexample=Counterexample(who, value, line))
        elif method.name == LOWER_BOUND and is_open:
            own = replace(own, obstacle=f"the largest error is not known: {estimate.note}")
        found[id(case)] = own
    return found


def _line(case: Case, n: int, stragglers: Sequence[int]) -> str:
    table = case.experiment
    gone = ", ".join(map(str, stragglers))
    survivors = f"sorted({{*range({n})}} - {{{gone}}})" if gone else f"range({n})"
    more = "".join(f", {key}={table[key]!r}" for key in ("decoder", "rho") if key in table)
    return f"fastgc.decode({dict(table['code'])!r}, {survivors}{more}).error"


@dataclass(frozen=True)
class Certainty:
    """Whether an error exceeds a limit never, always, or, with the limit None, is always the same.

    ``numbers``: of stragglers that there can be, growing; ``able``: who can straggle, any of them.
    """

    code: Code
    decoder: Decoder
    limit: float | None
    is_always: bool
    numbers: Sequence[int]
    able: Mask
    about_losses: bool = False
    most: int = MOST_SETS

    @staticmethod
    def about(case: Case, method: Enumeration | WorstCase) -> "Certainty | None":
        """Return what a case asks; None where it cannot be asked of sets of stragglers."""
        code, decoder = method.code, method.decoder()
        is_tail = case.statistic.startswith("P(")
        about_losses = case.quantity == "lost" and case.statistic == "mean"
        fits = about_losses or (is_tail and case.quantity in ERRORS) or case.quantity in _SET_BY_SET
        if decoder.doubt is not None or case.index is not None or not fits:
            return None
        # what is not 0 counts as exact in part, and is an error all the same
        limit: float | None = decoder.zero_threshold
        if case.quantity == "exact" or case.statistic == "variance":
            limit = None if case.statistic == "variance" else decoder.exact_threshold
        if isinstance(method, WorstCase):
            s, able = method.stragglers, np.ones(code.n, bool)
            return Certainty(code, decoder, limit, False, [s], able, most=10**9)
        if is_tail:
            events = events_of(method.table, code, decoder)
            limit = next((e.limit for e in events if e.statistic == case.statistic), None)
        law = number_law(method.law(), code.n, method.table.shuffle)
        if law is None or (is_tail and limit is None):
            return None
        numbers: Sequence[int] = np.flatnonzero(law.probabilities).tolist()
        if law.straggle is not None:  # whose probabilities may underflow
            numbers = range(int((law.straggle == 1.0).sum()), law.most + 1)
        is_always = case.theory == (1 if is_tail else 0) and (is_tail or case.quantity == "exact")
        if not numbers:
            return None
        return Certainty(code, decoder, limit, is_always, numbers, law.odds > 0, about_losses)

    def proof(self) -> Proof:
        """Look for a certificate and for a counterexample, by what is quickest first."""
        if self.about_losses:  # a partition is lost where all of its holders straggle
            offsets, workers = self.code.holders
            copies, most = np.diff(offsets), self.numbers[-1]
            if copies.min() > most:
                return Proof(f"{self._counted(most)} leave one of {copies.min()} holders or more")
            rare = int(copies.argmin())
            return self._breaks(workers[offsets[rare] : offsets[rare + 1]].tolist()) or Proof()
        if self.limit is None or self.is_always:
            return self._decode_every_set()
        known, most = breaking(self.decoder, self.code), self.numbers[-1]
        if known and most < known.least and self.limit <= self.decoder.exact_threshold:
            return Proof(f"{self._counted(most)} decode: {known.why}")
        found = None if known is None else self._breaks(known.stragglers)
        if found is None and self.decoder.is_optimal:
            if self.code.n > MOST_WORKERS:
                return Proof()
            return self._by_the_worst(self.limit) or self._by_descent(self.limit) or Proof()
        return found or self._decode_every_set()

    def against(self, case: Case, sets: Sequence[Sequence[int]]) -> Counterexample:
        """Return a counterexample: its stragglers, their error, and a line for each set."""
        lines = ", ".join(_line(case, self.code.n, each) for each in sets)
        return Counterexample(tuple(map(int, sets[0])), self._error(sets[0]), lines)

    def _by_the_worst(self, limit: float) -> Proof | None:
        # of the most stragglers: errors never fall when one is added
        s = self.numbers[-1]
        worst = worst_case(self.decoder, self.code, s, most=self.most, starts=STARTS)
        if worst.error > limit:
            return self._breaks(worst.stragglers)
        is_clear = limit > self.decoder.exact_threshold or worst.error <= CLEAR * self.code.k
        if worst.is_exact and is_clear:
            most = max(worst.error, self.decoder.zero_threshold)
            said = f"{self._counted(s)} leave an error of at most {most:.2g}"
            return Proof(said, within=self._left(worst.error))
        if worst.at_most is not None and worst.at_most <= limit:
            return Proof(f"no set of {s} stragglers costs more: {worst.bound_name}")
        return None

    def _by_descent(self, limit: float) -> Proof | None:
        # sets that break the code lose stragglers until they are minimal
        n = self.code.n
        if self._error(range(n)) <= limit:
            return None
        alive, rows = np.zeros((DESCENTS, n), np.bool_), np.arange(DESCENTS)
        numbers = uniforms(0, "certainty", DESCENTS * n).reshape(DESCENTS, n)
        for returning in np.argsort(numbers, axis=1).T:
            alive[rows, returning] = True
            alive[rows, returning] = self.decoder.errors(packed(alive)) > limit
        ends = {tuple(np.flatnonzero(~own).tolist()) for own in alive}
        known = map(self._breaks, sorted(ends, key=lambda way: (len(way), way)))
        return next(filter(None, known), None)

    def _decode_every_set(self) -> Proof:
        # decoded one by one, or many of them where that are too many
        count = sum(math.comb(self.code.n, s) for s in self.numbers)
        numbers = self.numbers if count <= SETS else self.numbers[:NUMBERS]
        first: tuple[float, Sequence[int]] | None = None
        within, exact = 0.0, self.decoder.exact_threshold
        for sets in itertools.chain.from_iterable(map(self._sets, numbers)):
            errors = errors_with(self.decoder, sets, self.code.n)
            if not errors.size:
                continue
            first = first or (float(errors[0]), sets[0].tolist())
            if self.limit is None:
                clear = exact if self.decoder.is_coarse else 2.0 * self.decoder.lost(first[0])
                is_wrong = np.abs(errors - first[0]) > clear
            else:
                is_wrong = (errors > self.limit) != self.is_always
                within = max(within, errors[errors <= min(self.limit, exact)].max(initial=0.0))
            if is_wrong.any():
                others = (first[1],) if self.limit is None else ()
                return Proof(sets=(sets[int(np.argmax(is_wrong))].tolist(), *others))
        if count > SETS:
            return Proof()
        sizes = f"{self.numbers[0]} to {self.numbers[-1]}" if len(numbers) > 1 else numbers[0]
        said = f"all {spaced(count)} sets of {sizes} stragglers, decoded one by one"
        return Proof(said, within=self._left(within))

    def _breaks(self, chosen: Sequence[int]) -> Proof | None:
        # these stragglers, and others where there must be more, if that is possible
        wanted = next((s for s in self.numbers if s >= len(chosen)), None)
        if wanted is None or not self.able[list(chosen)].all():
            return None
        others = np.setdiff1d(np.flatnonzero(self.able), chosen)[: wanted - len(chosen)]
        sets = sorted([*map(int, chosen), *others.tolist()])
        is_broken = self.about_losses or self._error(sets) > (self.limit or 0.0)
        return Proof(sets=(sets,)) if is_broken and len(sets) == wanted else None

    def _sets(self, s: int) -> Iterator[Sets]:  # of those who can straggle, all or random ones
        chunks = searches.every_set(self.code.n, s)
        if math.comb(self.code.n, s) > SETS:
            random = searches.random_sets(self.code.n, s)
            chunks = itertools.islice(random, SETS // searches.CHUNK)
        return (sets[self.able[sets].all(axis=1)] for sets in chunks)

    def _left(self, error: float) -> float:
        # beyond rounding, of what counts as exact
        least = 0.0 if self.decoder.is_coarse else self.decoder.zero_threshold
        return error if least < error <= self.decoder.exact_threshold else 0.0

    def _error(self, stragglers: Sequence[int]) -> float:
        sets = np.array(stragglers, np.int64).reshape(1, -1)
        return float(errors_with(self.decoder, sets, self.code.n)[0])

    def _counted(self, s: int) -> str:
        n = self.code.n
        return f"all C({n}, {s}) = {spaced(math.comb(n, s))} sets of {counted(s, 'stragglers')}"
