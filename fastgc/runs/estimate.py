"""The cost estimate of a run: from the pilots of a study to trials, time, memory and bytes."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.engine.blocks import Precision, Share
from fastgc.engine.units import Unit
from fastgc.experiments.table import Point
from fastgc.registry.cached import cached_property
from fastgc.results.stored import StoredUnit
from fastgc.runs.pilots import SPREADS, Enumerated, Expected, Pilot, Storage, resident
from fastgc.runs.plan import Options, Plan, name_of
from fastgc.runs.precision import precision_of
from fastgc.statistics.estimates import events
from fastgc.statistics.tallies import Tally

DIGEST_BYTES = 8
#: Digests are held, held again while they grow, and stand in the file's image, which grows too.
DIGEST_COPIES = 4
#: Making rows and file takes so many times more or less than it did once.
UNSURE = 1.3

#: With so many trials without an event, an event more likely than this divided by the trials would
#: have been seen in 19 of 20 cases.
NEVER_SEEN = 3.0

# Lines for a batch queue
TASK_SECONDS = 3600.0  # of a shard, where their number is not given
MOST_SHARDS = 1000  # Slurm's own default limit is 1001
MARGIN = 1.5  # by which time and memory may exceed what is expected, start-up apart
START_SECONDS = 120  # until a process samples, on a node that has compiled nothing yet
MEBI = 1 << 20
LONGEST = 64  # of a command's lines, which stand behind others

NOTHING = Expected.exactly(0.0)


@dataclass(frozen=True)
class Ending:
    """After how many trials a unit stops, and why.

    Precision is looked at only after 1, 2, 4, 8, … blocks, so that the trials taken are the next
    such number above those needed. Where the need lies near one of them, either that one or the
    next may be the last.
    """

    trials: int  #: The most likely number.
    stopped_by: str  #: The rule that ends it then.
    #: Between these it is in most cases; equal where nothing is uncertain.
    low: int
    high: int
    #: Trials that the precision asked for takes, whatever else stops the unit first; None where
    #: none is asked for, or nothing is known of it.
    needed: Expected | None = None

    @classmethod
    def of(cls, unit: Unit, pilot: Pilot, share: Share, rule: Precision | None) -> "Ending":
        """Return when a unit stops, if its time is not limited."""
        stored, most = pilot.stored, share.trials(unit.block)
        needed = _needed(unit, pilot, rule) if rule is not None and pilot.trials else None
        if stored.stopped_by is not None:
            return cls(stored.trials, stored.stopped_by, stored.trials, stored.trials, needed)
        if rule is None or not share.alone:
            return cls(most, "trials", most, most, needed)

        def look(enough: float) -> int:
            """Trials at the first look, after those of the pilot, that finds so many."""
            blocks = max(stored.done + 1, math.ceil(enough / unit.block))
            blocks = 1 << (blocks - 1).bit_length()
            return min(most, blocks * unit.block)

        if needed is None:
            least = rule.least_events * pilot.trials / NEVER_SEEN
            return cls(most, "trials", look(least), most)
        trials, low, high = (look(each) for each in (needed.value, needed.low, needed.high))
        stopped_by = "trials" if needed.value > trials else _name(unit, pilot, rule, trials)
        return cls(trials, stopped_by, low, high, needed)

    def in_time(self, block: int, rate: Expected, seconds: float) -> "Ending":
        """Return the ending of a unit that has so many processor seconds at most.

        The blocks under way when time is up are still merged.
        """

        def fitting(seconds_a_trial: float) -> int:
            return block * max(1, math.ceil(seconds / seconds_a_trial / block))

        trials = fitting(rate.value)
        low, high = min(self.low, fitting(rate.high)), min(self.high, fitting(rate.low))
        if trials >= self.trials:
            return replace(self, low=low, high=max(high, self.trials))
        return Ending(trials, "seconds", min(low, trials), max(high, trials), self.needed)


def _needed(unit: Unit, pilot: Pilot, rule: Precision) -> Expected | None:
    """Trials that the precision takes, by what the pilot has seen."""
    found = rule.of(unit, pilot.stored.total())
    wanted = rule.needed(found, pilot.trials)
    if wanted is None:
        return None
    return Expected.about(max(wanted), 1 + SPREADS / math.sqrt(events(found)))


def _name(unit: Unit, pilot: Pilot, rule: Precision, trials: int) -> str:
    """Which of the two rules is met after so many trials; the absolute one is asked first."""
    half = rule.half_width(rule.of(unit, pilot.stored.total()))
    half *= math.sqrt(pilot.trials / trials)
    is_absolute = rule.absolute is not None and half <= rule.absolute
    return "absolute_error" if is_absolute else "relative_error"


@dataclass(frozen=True)
class Sampled:
    """A unit that will be sampled: one point, or all points on common random numbers."""

    unit: Unit
    pilot: Pilot  #: What its first blocks showed.
    ending: Ending  #: After how many trials it stops, and why.
    seconds: Expected  #: Of processor time.

    @property
    def blocks(self) -> int:
        """Blocks that it is sampled in."""
        return math.ceil(self.ending.trials / self.unit.block)

    def stored(self) -> StoredUnit:
        """Return it as the run leaves it, but for its numbers and digests: those of the pilot."""
        unit, trials, found = self.unit, self.ending.trials, self.pilot.stored
        total = found.total()
        whole = total if trials >= unit.block else Tally.empty(*unit.shape)
        partial = total if trials % unit.block else None
        digests = np.empty(0, np.uint64)
        return replace(found, done=0, digests=digests, tally=whole, partial=partial)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        end = self.ending
        return {
            "name": name_of(self.unit),
            "points": [_address(point) for point in self.unit.points],
            "trials": {"value": end.trials, "low": end.low, "high": end.high},
            "stopped_by": end.stopped_by,
            "needed": None if end.needed is None else asdict(end.needed),
            "core_seconds": asdict(self.seconds),
            "pilot": {"trials": self.pilot.trials, "core_seconds": self.pilot.seconds},
        }


def _lines(words: Sequence[str]) -> str:
    """Return a command in lines that a shell joins again."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) < LONGEST:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return " \\\n".join(lines)


def _clock(seconds: int) -> str:
    """Return a time as Slurm has it: days-hours:minutes:seconds."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours:02}:{minutes:02}:{seconds:02}"
    return f"{days}-{clock}" if days else clock


@dataclass(frozen=True)
class CostEstimate:
    """What a run will take.

    * ``plan``: the methods of every point.
    * ``given``: the study as it was given; only a file can be named in a queue.
    * ``options``: those of the run.
    * ``threads``: that sample.
    * ``start_up``: processor seconds of a process until it samples, Python's own start not counted;
      more where kernels are not yet compiled.
    * ``enumerated``: the points that need no plain sampling.
    * ``pilots``, ``shares``: of the plan's units: what their first blocks showed, and which blocks
      are meant.
    """

    plan: Plan
    given: Any
    options: Options
    threads: int
    start_up: float
    enumerated: tuple[Enumerated, ...]
    pilots: Sequence[Pilot]
    shares: Sequence[Share]

    # ---- trials and time

    @cached_property
    def sampled(self) -> tuple[Sampled, ...]:
        """When each unit stops, and what it takes; those that stop early leave theirs."""
        stop, found = self.plan.study.stop, list[Sampled]()
        rule, left = precision_of(stop), stop.seconds
        every = zip(self.plan.units, self.pilots, self.shares, strict=True)
        for number, (unit, pilot, share) in enumerate(every):
            end, seconds, most = Ending.of(unit, pilot, share, rule), NOTHING, math.inf
            if end.trials:
                rate = pilot.rate
                if left is not None:
                    most = left * self.threads / (len(self.pilots) - number)
                    end = end.in_time(unit.block, rate, most)
                seconds = (rate * Expected(end.trials, end.low, end.high)).at_most(most)
            if left is not None:
                left -= seconds.value / self.threads
            found.append(Sampled(unit, pilot, end, seconds))
        return tuple(found)

    @property
    def sampling(self) -> Expected:
        """Processor seconds for sampling."""
        return sum((each.seconds for each in self.sampled), NOTHING)

    @property
    def exact(self) -> Expected:
        """Processor seconds for points that are not sampled."""
        return sum((each.seconds for each in self.enumerated), NOTHING)

    @cached_property
    def clock(self) -> Expected:
        """Seconds from the first to the last block on idle cores; few blocks leave some idle."""
        found = self.sampling * (1 / self.threads)
        for each in self.sampled:
            blocks = max(1, each.blocks)
            alone = each.seconds * (math.ceil(blocks / self.threads) / blocks)
            found = max(found, alone, key=lambda each: each.value)
        return found

    def _seconds_to_keep(self, clock: float) -> float:
        return self._storage.seconds(clock, self.options.checkpoint_seconds)

    @property
    def keeping(self) -> Expected:
        """Processor seconds for rows, checkpoints and file."""
        value, low, high = map(self._seconds_to_keep, astuple(self.clock))
        return Expected(value, low / UNSURE, high * UNSURE)

    @property
    def core_seconds(self) -> Expected:
        """Processor seconds of all, the start apart."""
        return self.exact + self.sampling + self.keeping

    @property
    def seconds(self) -> Expected:
        """Seconds from beginning to end on idle cores; the threads share nothing but sampling."""
        return Expected.exactly(self.start_up) + self.exact + self.keeping + self.clock

    # ---- the file

    @cached_property
    def _storage(self) -> Storage:
        stored = [each.stored() for each in self.sampled]
        return Storage.of(self.plan, stored, self.enumerated)

    @cached_property
    def _digests(self) -> int:
        full = (each.ending.trials // each.unit.block for each in self.sampled)
        return DIGEST_BYTES * sum(full)

    @property
    def bytes(self) -> int:
        """Of the file."""
        return self._storage.bytes + self._digests

    # ---- memory

    @cached_property
    def _base(self) -> int | None:
        """What the process has loaded and made, tallies included, without what a worker holds."""
        found = resident()
        return None if found is None else found - sum(pilot.held for pilot in self.pilots)

    def _most_memory(self, parts: int = 1) -> int:
        """Bytes above the base, where a process has one of so many parts of the blocks.

        Checkpoints are made and exact methods taken while others sample: every thread has its own
        memory, and holds on to what it took for the units before.
        """
        sampling, held = 0, 0
        for each in self.sampled:
            own = min(self.threads, each.blocks) * (held + (each.pilot.scratch or 0))
            sampling = max(sampling, own)
            held += each.pilot.held
        writing = self._storage.memory + DIGEST_COPIES * self._digests // parts
        return sampling + max([writing, *(each.memory for each in self.enumerated)])

    @property
    def memory(self) -> int | None:
        """Bytes that a process takes at most; None where the system does not say."""
        return None if self._base is None else self._base + self._most_memory()

    # ---- all of it

    @property
    def batch(self) -> dict[str, Any] | None:
        """What to ask a queue for, as JSON has it: shards of an hour, unless their number is given.

        Precision stops no shard: where it would stop the run, the shards get the trials it needs.
        None where the study is no file.
        """
        if not isinstance(self.given, str | Path):
            return None
        options, stop, cores = self.options, self.plan.study.stop, self.threads
        # trials that give every point its precision, as far as the study allows so many
        wanted = []
        for each in self.sampled:
            block, needed = each.unit.block, each.ending.needed
            wanted.append(stop.trials if needed is None else block * math.ceil(needed.high / block))
        trials = min(stop.trials, max(wanted, default=stop.trials))
        work = sum(pilot.rate.value * trials for pilot in self.pilots if pilot.trials)
        shards = options.shard[1]
        if shards == 1 and self.pilots:
            # they take an hour each, and none of them is without a block
            blocks = [trials // unit.block for unit in self.plan.units]
            wished = math.ceil(work / cores / TASK_SECONDS)
            shards = max(1, min(wished, MOST_SHARDS, *blocks))
        if shards == 1:
            trials, work = stop.trials, self.sampling.value
        seconds = min(work / shards / cores, stop.seconds or math.inf)
        alone = self.start_up + self.exact.value + self._seconds_to_keep(seconds)
        memory = None
        if self._base is not None:
            most = self._base + self._most_memory(shards if options.shard[1] == 1 else 1)
            memory = math.ceil(MARGIN * most)
        limit = 60 * math.ceil((MARGIN * (seconds + alone) + START_SECONDS) / 60)
        asked = ["sbatch"]
        words = [f"fastgc run {shlex.quote(str(self.given))}"]
        words += [f"--set {shlex.quote(assignment)}" for assignment in options.overrides]
        for name in ("seed", "method"):
            value = getattr(options, name)
            words += [] if value is None else [f"--{name} {value}"]
        is_asked = options.trials is not None or trials != stop.trials
        words += [f"--trials {trials}"] if is_asked else []
        name = Path(self.given).stem if options.out is None else str(options.out.with_suffix(""))
        out, merge = shlex.quote(f"{name}.h5"), None
        if shards > 1:
            asked.append(f"--array=0-{shards - 1}")
            words.append(f"--shard $SLURM_ARRAY_TASK_ID/{shards}")
            out = f"{shlex.quote(name)}_$SLURM_ARRAY_TASK_ID.h5"
            merge = f"fastgc merge {shlex.quote(name)}_*.h5 -o {shlex.quote(name)}.h5"
        asked += [f"--cpus-per-task={cores}", f"--time={_clock(limit)}"]
        if memory is not None:
            asked.append(f"--mem={math.ceil(memory / MEBI / 100) * 100}M")
        task = _lines([*words, f"-o {out}"])
        return {
            "shards": shards,
            "cores": cores,
            "seconds": limit,
            "memory_bytes": memory,
            "trials": trials if is_asked else None,
            "submit": f"{' '.join(asked)} \\\n  --wrap {shlex.quote(task)}",
            "merge": merge,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        parts = {
            "all": self.core_seconds,
            "sampling": self.sampling,
            "exact": self.exact,
            "keeping": self.keeping,
            "start_up": Expected.exactly(self.start_up),
        }
        return {
            "study": self.plan.study.where,
            "title": self.plan.study.title,
            "shard": list(self.options.shard),
            "threads": self.threads,
            "points": [self._point(point) for point in self.plan.points],
            "sampled": [each.as_dict() for each in self.sampled],
            "core_seconds": {name: asdict(part) for name, part in parts.items()},
            "seconds": asdict(self.seconds),
            "memory_bytes": self.memory,
            "file_bytes": self.bytes,
            "batch": self.batch,
        }

    def _point(self, point: Point) -> dict[str, Any]:
        """A point's methods; one that is not taken says why."""
        found: list[dict[str, Any]] = []
        forms = self.plan.closed_forms[id(point.table)]
        known = [key for key in forms if key[0] in point.table.measure]
        if known:
            found.append({"method": "closed-form", "values": len(known)})
        found += [
            {
                "method": "rare" if each.is_rare else point.compiled.exact_method.name,
                "patterns": each.patterns,
                "core_seconds": asdict(each.seconds),
                "memory_bytes": each.memory,
                "tried": each.tried,
            }
            for each in self.enumerated
            if each.point is point
        ]
        for number, unit in enumerate(self.plan.units):
            if any(own is point for own in unit.points):
                reasons = self.plan.reasons.get(id(point.table), {})
                why = "; ".join(dict.fromkeys(reasons.values())) or None
                found.append({"method": "monte-carlo", "sampled": number, "why_not_exact": why})
        return {**_address(point), "roads": found}


def _address(point: Point) -> dict[str, Any]:
    return {"experiment": point.experiment, "point": point.sweep}
