"""Certainties: what always or never happens, decided by a certificate or a counterexample.

"Decodes whatever s workers straggle", an error of 0, a probability of 0 or 1, a variance of 0 and a
largest error of 0 are one kind of statement. It is proved by all sets of stragglers, counted, or by
the code's structure; disproved by one set, which is named; and else left open: that no failure was
seen proves nothing. Sets are looked for by structure first, then by the search for the worst, then
by sets that break the code and lose one straggler at a time, as for the destruction spectrum.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import any_rule, worst_case
from fastgc.decoding.worst.breaking import breaking
from fastgc.decoding.worst.climbing import MOST_WORKERS, Sets, errors_with
from fastgc.experiments.decoding.exact_method import Enumeration, WorstCase
from fastgc.experiments.decoding.rare.few_stragglers import events_of
from fastgc.experiments.decoding.rare.number_law import NumberLaw, number_law
from fastgc.experiments.decoding.rare.sets import sets_of, tries_all
from fastgc.experiments.decoding.rare.spectrum import Spectrum, searched
from fastgc.registry.numbers import spaced
from fastgc.results.rows import COUNTEREXAMPLE, EXACT, LOWER_BOUND
from fastgc.results.verdicts import Counterexample
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case
from fastgc.validation.decision_rules import ERRORS, Evidence
from fastgc.validation.requests import Measuring

#: Sets of stragglers that are looked at for a certificate: some seconds.
MOST_SETS = 30_000_000
#: Sets that are decoded one by one; as many random ones where there are more.
SETS = 1 << 19
#: Numbers of stragglers that are tried with decoders whose errors may fall when one is added.
NUMBERS = 4
#: Searches for the worst set, sets that descend to a minimal one, and of those that are slow.
STARTS, DESCENTS, SLOW_DESCENTS = 96, 2048, 64
#: Share of k up to which an error counts as certainly exact.
CLEAR = 1e-9
#: What follows from the error of each set of stragglers alone.
_OF_EACH_SET = frozenset({"error", "mean_error", "norm", "error_per_partition", "exact"})


@dataclass(frozen=True)
class Proof:
    """A certificate in words, or a set of stragglers that is a counterexample; or neither."""

    certificate: str = ""
    stragglers: Sequence[int] | None = None
    other: Sequence[int] | None = None  #: Where two sets differ that should not.


def settled(each: Measuring) -> dict[int, Evidence]:
    """Return the evidence on cases of which a proof, or the disproof, is found, by identity."""
    method = each.unit.points[0].compiled.exact_method
    if not isinstance(method, Enumeration | WorstCase):
        return {}
    found = {}
    for case in each.cases:
        question = Question.of(case, method)
        if question is not None:
            proof = question.proof()
            if proof.certificate:
                own = Estimate(case.theory, 0.0)
                found[id(case)] = Evidence(own, EXACT, certificate=proof.certificate)
            elif proof.stragglers is not None:
                found[id(case)] = question.against(case, proof)
    return found


def with_estimates(
    cases: Sequence[Case], proved: Mapping[int, Evidence], known: Mapping[int, Evidence]
) -> dict[int, Evidence]:
    """Return what is known, with the counterexamples, and certificates in place of estimates.

    An exact value that is 0 is a certificate, too: nothing that has a probability was left out.
    """
    found = {**proved, **known}
    for case in cases:
        own, measured = proved.get(id(case)), known.get(id(case))
        if measured is None:
            continue
        exact = measured.estimate
        if own is not None and (own.certificate or exact.value is None):
            found[id(case)] = own
        elif own is not None:
            found[id(case)] = replace(measured, counterexample=own.counterexample)
        elif measured.is_exact and exact.ends is None and exact.value == case.theory == 0:
            found[id(case)] = replace(measured, certificate="the exact method gives 0")
    return found


def of_the_worst(each: Measuring, relations: Mapping[int, str]) -> dict[int, Evidence]:
    """Return what the search for the worst says of a largest error, which may be only a bound."""
    method = each.unit.points[0].compiled.exact_method
    [(_, _, _, estimate)] = method.rows()
    assert isinstance(method, WorstCase) and estimate.value is not None
    who, value, found = method.largest.stragglers, estimate.value, {}
    for case in each.cases:
        own, relation = Evidence(estimate, method.name), relations[id(case)]
        is_beyond = value > case.theory
        if is_beyond and relation in ("=", "<=", "<"):
            line = _line(case, method.code.n, who)
            own = replace(own, counterexample=Counterexample(who, value, line))
        elif method.name == LOWER_BOUND and not (is_beyond and relation in (">=", ">")):
            own = replace(own, obstacle=f"the largest error is not known: {estimate.note}")
        found[id(case)] = own
    return found


def _line(case: Case, n: int, stragglers: Sequence[int]) -> str:
    """Return the line of Python that gives the error of a set of stragglers."""
    table = case.experiment
    gone = ", ".join(map(str, stragglers))
    survivors = f"sorted({{*range({n})}} - {{{gone}}})" if gone else f"range({n})"
    more = "".join(
        f", {key}={table[key]!r}" for key in ("decoder", "rho", "target", "gram") if key in table
    )
    return f"fastgc.decode({dict(table['code'])!r}, {survivors}{more}).error"


@dataclass(frozen=True)
class Question:
    """Whether an error exceeds a limit never, always (``is_always``), or is always the same.

    ``limit``: None where the error must be the same; ``numbers``: of stragglers that there can be,
    growing; ``able``: who can straggle; any set of them.
    """

    code: Code
    decoder: Decoder
    limit: float | None
    is_always: bool
    numbers: Sequence[int]
    able: Mask
    of_lost: bool = False
    most: int = MOST_SETS

    @staticmethod
    def of(case: Case, method: Enumeration | WorstCase) -> "Question | None":
        """Return what a case asks; None where it cannot be asked of sets of stragglers."""
        code, decoder = method.code, method.decoder()
        if {"gram", "target"} & case.experiment.keys() or decoder.doubt is not None:
            return None
        is_tail = case.statistic.startswith("P(")
        of_lost = case.quantity == "lost" and case.statistic == "mean"
        if case.index is not None or not (of_lost or is_tail or case.quantity in _OF_EACH_SET):
            return None
        limit: float | None = decoder.exact_threshold
        if is_tail and isinstance(method, Enumeration):
            events = events_of(method.table, code, decoder, {})
            known = [each.limit for each in events if each.statistic == case.statistic]
            if not known or case.quantity not in ERRORS:
                return None
            limit = known[0]
        elif case.statistic == "variance":
            limit = None
        is_always = case.theory == (1 if is_tail else 0) and (is_tail or case.quantity == "exact")
        if isinstance(method, WorstCase):
            s, able = method.stragglers, np.ones(code.n, bool)
            return Question(code, decoder, limit, is_always, [s], able, of_lost, 10**9)
        law = number_law(method.law(), code.n, method.table.shuffle)
        if law is None or not (numbers := _numbers(law)):
            return None
        return Question(code, decoder, limit, is_always, numbers, law.odds > 0, of_lost)

    def proof(self) -> Proof:
        """Look for a certificate and for a counterexample, by what is quickest first."""
        if self.of_lost:
            return self._of_lost()
        if self.limit is None or self.is_always:
            return self._of_every_set()
        found = self._by_structure()
        if found is None and self.decoder.is_optimal:
            found = self._by_the_worst() or self._by_descent()
        return found or (Proof() if self.decoder.is_optimal else self._of_every_set())

    def against(self, case: Case, proof: Proof) -> Evidence:
        """Return the evidence of a counterexample: the value that its set gives, and a line."""
        assert proof.stragglers is not None
        error = self._error(proof.stragglers)
        line = _line(case, self.code.n, proof.stragglers)
        value = 1.0 - case.theory  # of a probability
        if proof.other is not None:
            other = self._error(proof.other)
            line += f", {_line(case, self.code.n, proof.other)}"
            value = (error - other) ** 2
        elif case.theory == 0 and not (self.is_always or case.statistic.startswith("P(")):
            value = error
        made = Counterexample(tuple(int(j) for j in proof.stragglers), error, line)
        return Evidence(Estimate(value, 0.0), COUNTEREXAMPLE, counterexample=made)

    # ---- one way after the other

    def _by_structure(self) -> Proof | None:
        assert self.limit is not None
        found = breaking(self.decoder, self.code)
        if found is None:
            return None
        most = self.numbers[-1]
        if most < found.least and self.limit <= self.decoder.exact_threshold:
            return Proof(f"{self._counted(most)} decode: {found.why}")
        return self._breaks(found.stragglers)

    def _by_the_worst(self) -> Proof | None:
        """By the worst set of the most stragglers: errors never fall when one is added."""
        assert self.limit is not None
        s = self.numbers[-1]
        if self.code.n > MOST_WORKERS:
            return None
        worst = worst_case(
            self.decoder, self.code, s, most=self.most, starts=STARTS, work=float(self.most) * 1e3
        )
        if worst.error > self.limit:
            return self._breaks(worst.stragglers)
        is_clear = self.limit > self.decoder.exact_threshold or worst.error <= CLEAR * self.code.k
        if worst.is_exact and is_clear:
            return Proof(f"{self._counted(s)} leave an error of at most {worst.error:.2g}")
        if worst.at_most is not None and worst.at_most <= self.limit:
            return Proof(f"no set of {s} stragglers costs more: {worst.bound_name}")
        return None

    def _by_descent(self) -> Proof | None:
        """By sets that break the code and lose stragglers until they are minimal."""
        assert self.limit is not None
        n = self.code.n
        if n > MOST_WORKERS or self.decoder.errors(_none(n))[0] <= self.limit:
            return None
        making = sets_of(self.code, self.decoder, self.limit)
        law = NumberLaw(np.full(n + 1, 1.0 / (n + 1)), np.ones(n))
        spectrum = Spectrum(law, self.decoder, making, self.limit, 0, "certainty")
        slow = tries_all(self.code, self.decoder, self.limit)
        ends = searched(spectrum, SLOW_DESCENTS if slow else DESCENTS).ends
        known = (self._breaks(way) for way in sorted(ends, key=lambda way: (len(way), way)))
        return next((proof for proof in known if proof is not None), None)

    def _of_every_set(self) -> Proof:
        """By all sets, decoded one by one; by many of them where that are too many."""
        counts = [math.comb(self.code.n, s) for s in self.numbers]
        first: tuple[float, Sequence[int]] | None = None
        spread = CLEAR * self.code.k
        numbers = self.numbers if sum(counts) <= SETS else self.numbers[:NUMBERS]
        for s in numbers:
            for sets, errors in self._decoded(s):
                places = np.flatnonzero(self.able[sets].all(axis=1))
                sets, errors = sets[places], errors[places]
                if not errors.size:
                    continue
                if self.limit is not None:
                    is_wrong = (errors > self.limit) != self.is_always
                    if is_wrong.any():
                        return Proof(stragglers=sets[int(np.argmax(is_wrong))].tolist())
                    continue
                first = first or (float(errors[0]), sets[0].tolist())
                far = int(np.argmax(np.abs(errors - first[0])))
                if abs(errors[far] - first[0]) > max(spread, self.decoder.exact_threshold):
                    return Proof(stragglers=sets[far].tolist(), other=first[1])
        if sum(counts) > SETS:
            return Proof()
        sizes = f"{self.numbers[0]} to {self.numbers[-1]}" if len(counts) > 1 else self.numbers[0]
        said = "were decoded, and none is an exception"
        return Proof(f"all {spaced(sum(counts))} sets of {sizes} stragglers {said}")

    def _of_lost(self) -> Proof:
        """A partition is lost where all of its holders straggle."""
        offsets, workers = self.code.holders
        copies, most = np.diff(offsets), self.numbers[-1]
        if copies.min() > most:
            return Proof(
                f"{self._counted(most)} leave a holder: each partition has {copies.min()} or more"
            )
        rare = int(copies.argmin())
        held = workers[offsets[rare] : offsets[rare + 1]].tolist()
        return self._breaks(held) or Proof()

    def _breaks(self, chosen: Sequence[int]) -> Proof | None:
        """A set with these stragglers, and others where there must be more, that is possible."""
        wanted = next((s for s in self.numbers if s >= len(chosen)), None)
        if wanted is None or not self.able[list(chosen)].all():
            return None
        others = np.setdiff1d(np.flatnonzero(self.able), chosen)[: wanted - len(chosen)]
        found = sorted([*map(int, chosen), *others.tolist()])
        is_broken = self.of_lost or self._error(found) > (self.limit or 0.0)
        if len(found) < wanted or not is_broken:
            return None
        return Proof(stragglers=found)

    # ---- what they share

    def _decoded(self, s: int) -> Iterator[tuple[Sets, Values]]:
        n = self.code.n
        if math.comb(n, s) <= SETS:
            every = itertools.combinations(range(n), s)
            while chunk := list(itertools.islice(every, any_rule.CHUNK)):
                sets = np.array(chunk, np.int64).reshape(len(chunk), s)
                yield sets, errors_with(self.decoder, sets, n)
            return
        few = SETS // any_rule.CHUNK
        for sets in itertools.islice(any_rule.random_sets(n, s), few):
            yield sets, errors_with(self.decoder, sets, n)

    def _error(self, stragglers: Sequence[int]) -> float:
        sets = np.array(stragglers, np.int64).reshape(1, -1)
        return float(errors_with(self.decoder, sets, self.code.n)[0])

    def _counted(self, s: int) -> str:
        n = self.code.n
        return f"all C({n}, {s}) = {spaced(math.comb(n, s))} sets of {s} stragglers"


def _numbers(law: NumberLaw) -> Sequence[int]:
    """How many stragglers there can be; none are known of many workers that are not independent."""
    if law.straggle is not None:
        return range(int((law.straggle == 1.0).sum()), int((law.straggle > 0.0).sum()) + 1)
    return np.flatnonzero(law.probabilities).tolist()


def _none(n: int) -> Any:
    """The pattern of no survivor."""
    return np.zeros((1, -(-n // 64)), np.uint64)
