"""What a validation measures: the experiments that cases want, each by the methods that it has."""

import json
import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from fastgc.engine.units import Unit
from fastgc.experiments.experiment import by_cost
from fastgc.experiments.methods import Method, RareMethod, RareRequest
from fastgc.registry.cached import cached_property
from fastgc.results.rows import EXACT
from fastgc.runs.plan import rare_part
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study
from fastgc.theory.papers.claim import Case
from fastgc.validation import decision_rules as rules
from fastgc.validation.decision_rules import Evidence

#: An exact method that takes longer is left out; for a sample's spread alone, all that takes time.
EXACT_SECONDS = 2.0
SPREAD_SECONDS = 0.1
#: A sample beside an exact value ends where this share of it, were it wrong, would show as a
#: disagreement; after ENOUGH blocks where it does not but events are many, and after MOST anyway.
SEEN = 0.01
FIRST_LOOK, ENOUGH, MOST = 2, 8, 32
#: Probability that an exact value and its sample are said to disagree, of a whole run.
FALSE_ALARM = 1e-6
PAIRS = 10_000  # more than a run has
#: Draws of the method for rare events at most: as many as a run takes; and where it only has to
#: tell a probability from 0.
RARE_TRIALS, FEWER_TRIALS = 1 << 20, 1 << 16
#: Standard errors by which a sampled variance is off that has missed what is rare.
FAR = 3.0

#: Experiment (arm0, arm1), quantity, statistic, index.
Address = tuple[str, str, str, int | str | None]
Rows = dict[Address, Estimate]


def _address(case: Case, arm: int, statistic: str = "") -> Address:
    return f"arm{arm}", case.quantity, statistic or case.statistic, case.index


class CaseRequest:
    """One experiment (or a pair on common draws) under way, and the cases that want numbers of it.

    Its unit measures what the cases want, on one stream. ``is_certainty``: whether all cases say
    what always or never happens; trials cannot show it. ``is_patient``: whether the exact method
    may take however long it does.
    """

    def __init__(
        self, cases: list[Case], seed: int, *, is_certainty: bool = False, is_patient: bool = False
    ) -> None:
        self.is_certainty, self.cases = is_certainty, cases
        measures = list(dict.fromkeys(case.quantity for case in cases))
        tables = [
            {**table, "name": f"arm{number}", "measure": measures}
            for number, table in enumerate((cases[0].experiment, cases[0].against))
            if table is not None
        ]
        study = Study.parse({"seed": seed, "experiment": tables})
        points = study.points()
        stream = "validate " + " ".join([*(study.canonical(point) for point in points), *measures])
        self.unit = Unit(points, seed, stream, together=len(points) > 1)
        #: Cases, by identity, that need no sample to be judged.
        self.settled = frozenset[int]()
        #: Of the intervals of those that do, while they are sampled.
        self.significance: float | None = None
        self._is_patient = is_patient
        self._exact_methods = [point.exact_method for point in self.unit.compiled]

    @property
    def name(self) -> str:
        """Which experiment it is, in two words."""
        table = self.cases[0].experiment
        for key, tag in (("system", "family"), ("selection", "method"), ("problem", "model")):
            if key in table:
                return f"{table.get('kind', 'decoding')} {table[key][tag]}"
        return f"{table['code']['family']} {table['stragglers']['model']}"

    @cached_property
    def _asked(self) -> tuple[Sequence[Method | None], str | None]:
        return by_cost(self.unit.compiled, math.inf if self._is_patient else EXACT_SECONDS)

    @cached_property
    def has_exact_method(self) -> bool:
        """Whether every experiment has an exact method that it can pay for."""
        return self._asked[1] is None and all(each.name == EXACT for each in self._exact_methods)

    @property
    def is_worst_case(self) -> bool:
        """Whether an experiment is a worst case, which draws no trials."""
        return any(each.is_worst_case for each in self._exact_methods)

    @property
    def _knows_spread(self) -> bool:
        return self.has_exact_method and sum(m.cost for m in self._exact_methods) <= SPREAD_SECONDS

    @cached_property
    def _exact(self) -> Rows:
        return {
            (point.experiment, quantity, statistic, index): estimate
            for point in self.unit.points
            for quantity, statistic, index, estimate in point.compiled.exact_method.statistics()
        }

    def known(self, trials: int) -> dict[int, Evidence]:
        """What the method says that it can pay for; of certainties also that for rare events.

        Of these it says all that it can; of others what it knows without drawing, and what it knows
        more sharply than so many trials would.
        """
        exact, methods = self.exactly(), self._asked[0]
        if self.is_certainty and not exact:
            methods = [self.unit.compiled[0].rare_method] if len(self.unit.points) == 1 else []
        method = next((each for each in methods if isinstance(each, RareMethod)), None)
        if method is None:
            return exact
        found: dict[Any, Evidence] = {}
        for is_sampled in (True,) if self.is_certainty else (False, True):
            always, known = self.is_certainty, frozenset(found)
            most = min(trials, FEWER_TRIALS if always else RARE_TRIALS)
            asked = RareRequest(
                self.unit.seed, most, always=always, known=known, sampled=is_sampled
            )
            for how, row in method.rows(asked, partial(rare_part, self.unit)):
                value, error = row[3].value, row[3].standard_error
                # or more sharply than by as many plain trials, whose variance is the share
                plain = trials * (error or 0.0) ** 2
                if always or not value or not error or rules.ends_and_value(row[3])[2] > plain:
                    found[row[:3]] = Evidence(row[3], how)
        addresses = {id(case): _address(case, 0)[1:] for case in self.cases}
        return {case: found[address] for case, address in addresses.items() if address in found}

    def exactly(self) -> dict[int, Evidence]:
        """What the exact method says of the cases, where it is one that can be paid for."""
        values = [(id(case), self._exactly(case)) for case in self.cases if self.has_exact_method]
        return {case: Evidence(value, EXACT) for case, value in values if value is not None}

    def _exactly(self, case: Case) -> Estimate | None:
        own, other = (self._exact.get(_address(case, arm)) for arm in (0, 1))
        if own is None or case.against is None:
            return own
        return None if other is None else estimates.compared(own, other, 0.0, case.how)

    def sampled(self, tally: Tally) -> list[Evidence]:
        """What samples say of each case."""
        rows = {
            (point.experiment, quantity, statistic, index): estimate
            for point, quantity, statistic, index, estimate in self.unit.rows(tally)
        }
        return [self._sample_evidence(case, rows, tally) for case in self.cases]

    def _sample_evidence(self, case: Case, rows: Rows, tally: Tally) -> Evidence:
        never = Estimate(None, None, tally.trials)  # no trial has a value
        own = rows.get(_address(case, 0), never)
        arms = (0,) if case.against is None else (0, 1)
        spreads = [rows.get(_address(case, arm, "variance")) for arm in arms]
        known = [rules.kurtosis(each) for each in spreads if each and case.statistic == "mean"]
        if case.against is not None and case.statistic == "mean" and case.index is None:
            own = self.unit.compare(tally, 0, 1, case.how)
        elif case.against is not None:
            a, b = own, rows.get(_address(case, 1), never)
            own = Estimate(None, None, a.trials)
            missing = a.value is None or b.value is None
            if not missing and a.standard_error is not None and b.standard_error is not None:
                # how they depend on each other is not tallied: errors add at worst
                error = a.standard_error + b.standard_error
                own = Estimate((a.value or 0.0) - (b.value or 0.0), error, a.trials)
        elif case.statistic == "mean" and self._knows_spread:
            # the law's own variance where the exact method knows that of a trial's value
            is_of_trial = self.unit.points[0].compiled.iterations == 1
            law = self._exact.get(_address(case, 0, "variance"))
            if law and law.value is not None and (is_of_trial or case.quantity == "mean_error"):
                own = rules.with_variance(own, law.value)
        return Evidence(own, kurtosis=max((tail for tail in known if tail), default=None))

    def alone(self, case: Case, sample: Evidence) -> Evidence:
        """What samples say of a case that no exact value decides.

        A sampled variance that is far from the law's own, where that is known, has missed what is
        rare, and so has its standard error: its error is what it is off by.
        """
        own, law = sample.estimate, None
        if case.statistic == "variance" and case.against is None and self._knows_spread:
            law = self._exactly(case)
        if law is None or law.value is None or own.value is None or own.standard_error is None:
            return sample
        off = abs(own.value - law.value)
        if off <= FAR * own.standard_error:
            return sample
        return replace(sample, estimate=replace(own, standard_error=off))

    def reached(self, unit: Unit, tally: Tally) -> str | None:
        """Return the name of the rule that ends sampling once each case can be decided.

        It never looks at what would be decided. Without a significance it ends a sample beside
        exact values when a wrong sampler would show.
        """
        blocks, is_beside = tally.trials // unit.block, self.significance is None
        if is_beside and blocks not in (FIRST_LOOK, ENOUGH):  # each look takes long
            return None
        for case, found in zip(self.cases, self.sampled(tally), strict=True):
            significance, wanted = self.significance or FALSE_ALARM / PAIRS, math.inf
            half = rules.half_width(case, found.estimate, significance)
            if not is_beside:
                wanted = rules.target_half_width(case, found.estimate)
                # an infinite spread: no number of trials makes it narrow
                if id(case) in self.settled or (math.isinf(half) and tally.trials > 1):
                    continue
            elif blocks < ENOUGH:
                wanted = SEEN * (rules.size_of(case, found.estimate) or SEEN * case.scale)
            if half > wanted or not rules.may_reject(case, found):
                return None  # too wide, or rests on too few events to be judged
        return "half-width"


def build_requests(
    cases: Iterable[Case], seed: int = 1, certain: Container[int] = (), *, is_patient: bool = False
) -> list[CaseRequest]:
    """Cases that sample, by experiment; a comparison that is no mean takes two of its own.

    ``certain``: identities of those that say what always or never happens, which stand apart.
    """
    requests: dict[str, list[Case]] = {}
    for case in cases:
        if case.is_finite or not case.experiment:
            continue
        apart = "certain" if id(case) in certain else ""
        if case.against is not None:  # only the first measure's products are tallied
            apart = case.quantity
        key = json.dumps([case.experiment, case.against, apart], sort_keys=True, default=dict)
        requests.setdefault(key, []).append(case)
    made = []
    for own in requests.values():
        is_certainty = all(id(case) in certain for case in own)
        made.append(CaseRequest(own, seed, is_certainty=is_certainty, is_patient=is_patient))
    return made
