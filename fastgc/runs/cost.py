"""``fastgc.runs.dry_run``: what a run will take, from a pilot, before it is paid for.

The pilot's blocks are those that a run begins with, so that the run finds what the pilot found. One
core is enough: what is counted is processor time. Nothing is kept.
"""

import contextlib
import math
import pickle
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

from fastgc.draws.streams import BLOCK_DRAWS, WORD
from fastgc.engine.blocks import MOST_BLOCKS, Precision, ShardPart
from fastgc.engine.executors.surroundings import available_cores
from fastgc.engine.units import Unit
from fastgc.errors import public
from fastgc.experiments.table import Point
from fastgc.registry.activity import Batch, Step
from fastgc.registry.cached import cached_property
from fastgc.results.stored import StoredUnit
from fastgc.runs.plan import Plan, precision_rule, unit_name
from fastgc.statistics.estimates import events
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study
from fastgc_kernels._jit import ENOUGH, compiled_only

PILOT_SECONDS = 1.0  # of processor time, for each point that is sampled
ALL_PILOTS_SECONDS = 60.0  # shared by all points where there are many
MOST_PILOTS = 256  # of more units every so many has one, which stands for those after it
LEAST_SECONDS = 0.1
SHARE = 0.25  # of a unit's trials at most, where these take longer than that
PROBE_SECONDS = 8.0  # so long a probe may take: of longer trials fewer than a word are sampled
PARTS = 4  # beginnings of blocks that are sampled where a whole one takes too long
WARMING = 1 / 16  # of a pilot's time: so long its last trials before it take
#: Ranges are meant to hold the number in 19 of 20 cases.
SPREADS = 2.0
#: Of a rate, what a pilot of a second does not see: other caches, a warmer processor. The packaged
#: studies took .8 to 1.25 times what their pilots said.
UNSEEN = 0.25
#: With so many trials without an event, an event more likely than this divided by the trials would
#: have been seen in 19 of 20 cases.
NEVER_SEEN = 3.0

#: Processor seconds for all points that are tried on their exact methods.
EXACT_SECONDS = 5.0
#: A point that should take longer is not tried; that is 3 to 7 times what it then takes.
LONGEST = 30.0

DIGEST_BYTES = 8
#: Digests are held, held again while they grow, and stand in the file's image, which grows too.
DIGEST_COPIES = 4
#: By which memory may exceed what is expected.
MARGIN = 1.5


@dataclass(frozen=True)
class RangedNumber:
    """A number between ``low`` and ``high``, most likely ``value``; sums and products of numbers
    that are high together.
    """

    value: float
    low: float
    high: float

    @classmethod
    def about(cls, value: float, factor: float = 1.0) -> "RangedNumber":
        """Return a number that may be so many times larger or smaller."""
        return cls(value, value / factor, value * factor)

    def __add__(self, other: "RangedNumber") -> "RangedNumber":
        return RangedNumber(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def __mul__(self, other: "RangedNumber") -> "RangedNumber":
        return RangedNumber(*map(math.prod, zip(astuple(self), astuple(other), strict=True)))


NOTHING = RangedNumber.about(0.0)


@dataclass
class Pilot:
    """What a unit's first blocks show."""

    unit: Unit
    #: The blocks' tallies, as a run that stops here keeps them.
    stored: StoredUnit
    parts: list[tuple[int, float]] = field(default_factory=list)  #: Trials, and their seconds.
    preparing: float = 0.0  #: Processor seconds in which kernels were compiled or loaded.
    least: int = WORD  #: Trials that a part has at least.

    @property
    def rate(self) -> RangedNumber:
        """Processor seconds a trial.

        The range is that of a single part: what slows a machine down for a while may last for as
        long as the run, and what no pilot sees. Of one part alone it is half to twice the rate.
        """
        trials, seconds = map(sum, zip(*self.parts, strict=True))
        whole = seconds / trials
        if self.least < min(WORD, self.unit.block):
            # a word of them takes no less than one, and no more than each of them alone
            return RangedNumber(whole / math.sqrt(WORD), whole / WORD, whole)
        if len(self.parts) < 2:
            return RangedNumber.about(whole, 2.0)
        spread = sum(n / trials * (took / n / whole - 1) ** 2 for n, took in self.parts)
        width = SPREADS * math.sqrt(spread * len(self.parts) / (len(self.parts) - 1))
        return RangedNumber.about(whole, 1 + math.hypot(width, UNSEEN))

    def run(self, share: ShardPart, rule: Precision | None, seconds: float) -> None:
        """Sample for so long, but at most `SHARE` of the trials; until the rule is met.

        Everything is compiled and made before the clock starts. Where a block takes a large part
        of the time, only its first trials are sampled.
        """
        most = share.trials(self.unit.block)
        if not most:
            self.stored.stopped_by = "trials"
            return
        # a run compiles its kernels soon; what NumPy takes until then is no measure of it
        is_long = len(share.blocks) * BLOCK_DRAWS > ENOUGH
        with compiled_only() if is_long else contextlib.nullcontext():
            length = self.unit.block if share.blocks else share.last
            numbers = share.blocks[:MOST_BLOCKS] or [share.partial]
            if self._steady(numbers[:1], 1) > PROBE_SECONDS / WORD:
                self.least = 1
            count, size = 1, min(self.least, length)
            # many blocks at once may have kernels of their own
            while (took := self._steady(numbers[:count], size)) < WARMING * seconds:
                if size == length and count == len(numbers):
                    break
                if size < length:
                    size = min(4 * size, length)
                else:
                    count = min(4 * count, len(numbers))
            self.parts.clear()
            self._sample(share, rule, seconds, count, took / count / size)

    def _steady(self, numbers: Sequence[int], trials: int) -> float:
        """Sample the same until nothing is compiled or loaded any more; return the seconds then."""
        times = [self._took(numbers, trials), self._took(numbers, trials)]
        while times[-1] < times[-2] / 2:
            times.append(self._took(numbers, trials))
        self.preparing += sum(times) - len(times) * min(times)
        return min(times)

    def _sample(
        self, share: ShardPart, rule: Precision | None, seconds: float, size: int, rate: float
    ) -> None:
        unit, stored, blocks = self.unit, self.stored, share.blocks
        length = unit.block if blocks else share.last
        if length * rate > seconds / 2 and length > self.least:
            trials = min(length, max(self.least, int(seconds / PARTS / rate)))
            stored.partial = Tally.empty(*unit.shape)
            for number in [*blocks[:PARTS]] or [share.partial]:
                self._took([number], trials, stored.partial)
            return
        most = min(seconds, max(LEAST_SECONDS, SHARE * rate * share.trials(unit.block)))
        while stored.stopped_by is None and stored.done < len(blocks):
            if len(self.parts) > 2 and sum(took for _, took in self.parts) >= most:
                return
            goal = len(blocks) if rule is None else min(len(blocks), 1 << stored.done.bit_length())
            some = blocks[stored.done : min(goal, stored.done + size)]
            self._took(some, unit.block, stored.tally)
            stored.done += len(some)
            if rule is not None and not stored.done & (stored.done - 1):
                stored.stopped_by = rule.reached(unit, stored.tally)
        if stored.stopped_by is None:
            if share.last:
                stored.partial = Tally.empty(*unit.shape)
                self._took([share.partial], share.last, stored.partial)
            stored.stopped_by = "trials"

    def _took(self, numbers: Sequence[int], trials: int, tally: Tally | None = None) -> float:
        started = time.process_time()
        run = self.unit.run(numbers, trials)
        if tally is not None:
            tally.merge(run.tally)
        self.parts.append((run.tally.trials, time.process_time() - started))
        return self.parts[-1][1]


@dataclass(frozen=True)
class SamplingCost:
    """A unit that will be sampled: one point, or all points on common random numbers.

    Precision is looked at only after 1, 2, 4, 8, … blocks, so that the trials taken are the next
    such number above those needed.
    """

    pilot: Pilot = field(repr=False)
    trials: RangedNumber  #: After which it stops.
    stopped_by: str  #: The rule that ends it then.
    #: Trials that the precision asked for takes, whatever else stops the unit first; None where
    #: none is asked for, or nothing is known of it.
    needed: RangedNumber | None
    seconds: RangedNumber = NOTHING  #: Of processor time.

    @classmethod
    def of(
        cls, pilot: Pilot, share: ShardPart, rule: Precision | None, most_seconds: float
    ) -> "SamplingCost":
        """Return when a unit stops that has so many processor seconds at most."""
        unit, stored = pilot.unit, pilot.stored
        most, seen, needed = share.trials(unit.block), stored.trials, None
        if rule is not None and seen:
            estimate = rule.of(unit, stored.total())
            if (wanted := rule.needed(estimate, seen)) is not None:
                factor = 1 + SPREADS / math.sqrt(events(estimate))
                needed = RangedNumber.about(max(wanted), factor)

        def look(enough: float) -> int:
            return min(most, Precision.look(enough, unit.block, stored.done))

        trials, stopped_by = RangedNumber.about(most), "trials"
        if stored.stopped_by is not None:
            trials, stopped_by = RangedNumber.about(stored.trials), stored.stopped_by
        elif rule is not None and share.alone and needed is not None:
            trials = RangedNumber(*(look(each) for each in astuple(needed)))
            if needed.value <= trials.value:
                half = rule.half_width(estimate) * math.sqrt(seen / trials.value)
                is_absolute = rule.absolute is not None and half <= rule.absolute
                stopped_by = "absolute_error" if is_absolute else "relative_error"
        elif rule is not None and share.alone and seen:
            trials = RangedNumber(most, look(rule.least_events * seen / NEVER_SEEN), most)
        if not trials.value:
            return cls(pilot, trials, stopped_by, needed)
        seconds = pilot.rate * trials
        if seconds.high > most_seconds:  # the blocks under way when time is up are still merged
            blocks = (math.ceil(most_seconds / each / unit.block) for each in astuple(pilot.rate))
            value, high, low = (max(1, count) * unit.block for count in blocks)
            if value < trials.value:
                stopped_by = "seconds"
            ends = zip(astuple(trials), (value, low, high), strict=True)
            trials = RangedNumber(*map(min, ends))
        bounded = RangedNumber(*(min(each, most_seconds) for each in astuple(seconds)))
        return cls(pilot, trials, stopped_by, needed, bounded)


@dataclass(frozen=True)
class ExactCost:
    """A point that needs no plain sampling: rare events, or ``patterns`` that are enumerated.

    ``patterns``: 1 for a law, 0 for a search for the worst; ``tried``: whether it was, as long as
    there was time.
    """

    point: Point
    method: str
    patterns: int
    seconds: RangedNumber
    tried: bool


@dataclass(frozen=True, repr=False)
class CostEstimate:
    """What a run will take; see `as_dict`.

    * ``plan``, ``shard``, ``threads``: what was asked for.
    * ``sampled``, ``enumerated``: what each point takes.
    * ``start_up``: processor seconds of a process until it samples, Python's own start not counted;
      more where kernels are not yet compiled.
    * ``memory``: bytes of a process at most; None where the system does not say.
    """

    plan: Plan
    shard: tuple[int, int]
    threads: int
    start_up: float
    sampled: tuple[SamplingCost, ...]
    enumerated: tuple[ExactCost, ...]
    memory: RangedNumber | None

    def __repr__(self) -> str:
        each = self.sampling + self.exact
        seconds = f"{each.value:.3g} core seconds [{each.low:.3g}, {each.high:.3g}]"
        return f"<CostEstimate of {len(self.plan.points)} points: {seconds}>"

    @property
    def sampling(self) -> RangedNumber:
        """Processor seconds for sampling."""
        return sum((each.seconds for each in self.sampled), NOTHING)

    @property
    def exact(self) -> RangedNumber:
        """Processor seconds for points that are not sampled."""
        return sum((each.seconds for each in self.enumerated), NOTHING)

    @property
    def seconds(self) -> RangedNumber:
        """Seconds from beginning to end on idle cores; the threads share nothing but sampling."""
        clock = NOTHING
        for each in self.sampled:  # few blocks leave cores idle
            blocks = max(1, math.ceil(each.trials.value / each.pilot.unit.block))
            clock += each.seconds * RangedNumber.about(math.ceil(blocks / self.threads) / blocks)
        return RangedNumber.about(self.start_up) + self.exact + clock

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it; what is not certain has ``value``, ``low`` and ``high``."""
        study = self.plan.study
        pilots = {id(each.pilot.parts): each.pilot for each in self.sampled}.values()
        seconds = {"sampling": self.sampling, "exact": self.exact}
        seconds = {"all": self.sampling + self.exact} | seconds
        return {
            **{"study": study.where, "title": study.title},
            **{"shard": list(self.shard), "threads": self.threads},
            "pilot": {
                "trials": sum(pilot.stored.trials for pilot in pilots),
                "core_seconds": sum(took for pilot in pilots for _, took in pilot.parts),
            },
            "points": [
                {"experiment": p.experiment, "point": p.sweep, "methods": self._methods(p)}
                for p in self.plan.points
            ],
            "sampled": [
                {"name": unit_name(s.pilot.unit), "trials": asdict(s.trials)}
                | {"stopped_by": s.stopped_by, "needed": s.needed and asdict(s.needed)}
                | {"core_seconds": asdict(s.seconds)}
                for s in self.sampled
            ],
            "core_seconds": {name: asdict(each) for name, each in seconds.items()}
            | {"start_up": self.start_up},
            "seconds": asdict(self.seconds),
            "memory_bytes": self.memory and asdict(self.memory),
        }

    def _methods(self, point: Point) -> list[dict[str, Any]]:
        own = id(point.table)
        known = [key for key in self.plan.closed_forms[own] if key[0] in point.table.measure]
        found: list[dict[str, Any]] = []
        if known:
            found.append({"method": "closed-form", "values": len(known)})
        exact, sampled = self._places
        for each in exact[id(point)]:
            said = {key: getattr(each, key) for key in ("method", "patterns", "tried")}
            found.append(said | {"core_seconds": asdict(each.seconds)})
        why = "; ".join(dict.fromkeys(self.plan.reasons.get(own, {}).values())) or None
        return found + [
            {"method": "monte-carlo", "sampled": number, "why_not_exact": why}
            for number in sampled[id(point)]
        ]

    @cached_property
    def _places(self) -> tuple[dict[int, list[ExactCost]], dict[int, list[int]]]:
        # what there is of each point, by its identity
        exact, sampled = defaultdict[int, list[ExactCost]](list), defaultdict[int, list[int]](list)
        for cost in self.enumerated:
            exact[id(cost.point)].append(cost)
        for number, each in enumerate(self.sampled):
            for point in each.pilot.unit.points:
                sampled[id(point)].append(number)
        return exact, sampled


@public
def dry_run(
    study: Study | Mapping[str, Any] | str | Path,
    *,
    out: str | Path | None = None,
    trials: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
    method: str | None = None,
    overrides: Sequence[str] = (),
    batch: Batch | None = None,
) -> CostEstimate:
    """Say what `fastgc.run` of the same study takes; write nothing.

    A pilot samples the first blocks of every point: those that the run begins with; of more than
    256 some stand for their neighbours. It takes a second of one core a point (with many points
    less each, 60 seconds for all of them) or a quarter of the point's trials if that is less, and
    tells how long a trial takes and how precise the mean will be. Exact methods are tried for up to
    some 5 seconds, and estimated beyond.

    Parameters
    ----------
    study, out, trials, seed, threads, method, overrides
        As for `fastgc.run`; ``out`` is neither read nor written.
    batch : Batch, optional
        Of it the shard counts; ``progress`` is called with a `Step` before each pilot.

    Returns
    -------
    CostEstimate
        Of every point and of the whole study; `CostEstimate.as_dict` is plain data.

    Raises
    ------
    FastgcError
        For every mistake in the study.

    Examples
    --------
    >>> import fastgc
    >>> study = {"code": fastgc.codes.circulant(40, 2), "stragglers": 0.1, "method": "monte-carlo"}
    >>> [sampled] = fastgc.runs.dry_run(study, trials=200_000).sampled
    >>> sampled.trials.value, sampled.stopped_by
    (200000, 'trials')
    """
    began, batch = time.process_time(), batch or Batch()
    checked = Study.parse(study, overrides=overrides, trials=trials, seed=seed, method=method)
    threads, stop = available_cores(threads), checked.stop
    plan = Plan.of(checked)
    plan.closed_forms  # noqa: B018 — found once; they are in every row
    start_up, rule = time.process_time() - began, precision_rule(stop)
    exact = tuple(_enumerated(plan))
    each = min(PILOT_SECONDS, ALL_PILOTS_SECONDS / max(1, sum(len(u.points) for u in plan.units)))
    sampled: list[SamplingCost] = []
    scratch = 0
    most = math.inf if stop.seconds is None else stop.seconds * threads / max(1, len(plan.units))
    for number, unit in enumerate(plan.units):
        if batch.progress is not None:
            batch.progress(Step("parts", number, len(plan.units), unit_name(unit)))
        began, before = time.process_time(), _most_memory()
        share = ShardPart.of(unit.block, stop.trials, batch.shard)
        last = sampled[-1].pilot if number % (1 + len(plan.units) // MOST_PILOTS) else None
        own, *_ = unit.points
        if (
            last
            and last.unit.shape == unit.shape
            and own.experiment == last.unit.points[0].experiment
        ):
            sampled.append(SamplingCost.of(replace(last, unit=unit), share, rule, most))
            continue
        pilot = Pilot(unit, unit.fresh())
        start_up += time.process_time() - began  # making measures may take longer than the trials
        pilot.run(share, rule if share.alone else None, each * len(unit.points))
        start_up += pilot.preparing
        scratch = max(scratch, _most_memory() - before)
        sampled.append(SamplingCost.of(pilot, share, rule, most))
    digests = DIGEST_BYTES * sum(int(s.trials.value // s.pilot.unit.block) for s in sampled)
    memory = _most_memory()
    found = memory + (threads - 1) * scratch + DIGEST_COPIES * digests
    return CostEstimate(
        plan,
        batch.shard,
        threads,
        start_up,
        tuple(sampled),
        exact,
        RangedNumber(found, memory, MARGIN * found) if memory else None,
    )


def _enumerated(plan: Plan) -> Iterator[ExactCost]:
    spent = 0.0
    for place, (point, method) in enumerate(plan.known):
        name, patterns = method.name, method.patterns
        said = method.cost if patterns else 0.0
        if spent >= EXACT_SECONDS or said > LONGEST:
            guess = RangedNumber.about(said / 4, 3.0) if said else RangedNumber(0.0, 0.0, LONGEST)
            yield ExactCost(point, name, patterns, guess, tried=False)
            continue
        if not method.in_parts and said < 1.0 and not spent:
            # load the kernels that the point needs, and forget what they gave
            pickle.loads(pickle.dumps(point)).compiled.exact_method.rows()
        started = time.process_time()
        plan.find(place, trials=1)  # of rare events the first look
        took = time.process_time() - started
        spent += took
        seconds = RangedNumber.about(took, 1.2)
        if method.in_parts:
            more = max(1.0, plan.study.stop.trials / 4096)
            seconds = RangedNumber(took * math.sqrt(more), took, took * more)
        yield ExactCost(point, name, patterns, seconds, tried=True)


def _most_memory() -> int:
    """Bytes that this process had in memory at most; 0 where the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0
