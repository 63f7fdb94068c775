"""What a sequence experiment says in a study."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.experiments.completion.scenario import Laws, Scenario
from fastgc.experiments.table import MeasuredTable
from fastgc.latency import Scaling
from fastgc.latency.law import NotNegative, Positive
from fastgc.registry.cached import cached_property
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.stragglers import Stragglers
from fastgc.stragglers.uniform import Adversarial
from fastgc.systems.gradient_code import GradientCode
from fastgc.systems.sequential import MOST_WINDOW, SequentialSystem
from fastgc.systems.system import System
from fastgc.systems.timing.structure import Rounds
from fastgc.systems.uncoded import Uncoded
from fastgc_kernels.complete import sequences as kernel

#: Measures of which every trial has values, each with its unit; "1" for pure numbers.
SPREADS = {
    "seconds": "seconds",
    "seconds_per_job": "seconds",
    "delay": "seconds",
    "waits": "1",
    "rounds": "1",
}
MEASURES = {**SPREADS, "exact": "1", "load": "1"}


#: What a master does, as kernels have it.
THEN = {"all": kernel.ALL, "enough": kernel.ENOUGH, "never": kernel.NEVER}


class MastersPatience(registry.Table):
    """How long the master of a sequence waits in a round, and what it does about stragglers.

    * ``factor`` (float): μ ≥ 0: a round lasts (1 + μ) times as long as the fastest worker takes, or
      until all are in; who takes longer straggles. 1 by default.
    * ``then`` ({"all", "enough", "never"}): What the master does if the code is not made for these
      stragglers, after those of the rounds before: it waits for all, and the round has none (all,
      the default); it waits until the code is made for those that are left (enough); or it goes on,
      and jobs may be lost (never).
    """

    factor: NotNegative = 1.0
    then: Literal["all", "enough", "never"] = "all"


class Jobs(registry.Table):
    """A sequence of rounds, in each of which a job begins, for codes over several rounds.

    * ``jobs`` (int): Gradients that are wanted in a trial, at most 100 000: its time is a job's on
      average, all rounds counted that the last ones take.
    * ``patience`` (MastersPatience): How long the master waits; by default for twice the fastest
      worker's time, and for all where the code is not made for those who are late. It cannot be one
      that never waits.
    * ``window`` (int): Rounds that a code looks at, at most: of each burst and window, codes of all
      loads. 3 by default.
    """

    jobs: Annotated[int, Field(ge=1, le=100_000)]
    patience: MastersPatience = MastersPatience()
    window: Annotated[int, Field(ge=2, le=MOST_WINDOW)] = 3


class SequenceScenario(Scenario):
    """A code over several rounds, and the times of its workers in all rounds of a trial."""

    def __init__(self, jobs: Jobs, system: SequentialSystem, *parts: Any) -> None:
        super().__init__(system, *parts)
        self._jobs = jobs

    @cached_property
    def structure(self) -> Rounds:
        """The rounds of a trial."""
        wanted, system = self._jobs, self._unsettled
        assert isinstance(system, SequentialSystem)
        then = THEN[wanted.patience.then]
        return system.in_rounds(wanted.jobs, 1.0 + wanted.patience.factor, then)


class TwoTimes(registry.Table):
    """What a round takes a worker, whatever its load.

    * ``ok`` (float): Seconds of a worker that does not straggle, more than 0.
    * ``straggle`` (float): Seconds of one that does, more than ``ok``.
    """

    ok: Positive
    straggle: Positive

    @pydantic.field_validator("straggle")
    @classmethod
    def _longer(cls, straggle: float, info: pydantic.ValidationInfo) -> float:
        ok = info.data.get("ok")
        if ok is not None and straggle <= ok:
            raise ValueError(f"must be more than ok (got ok={ok:g}, straggle={straggle:g})")
        return straggle


class SequenceTable(MeasuredTable):
    """The keys of a sequence experiment.

    * ``method`` ({"auto", "exact", "monte-carlo", "both"}): Exact where it costs no more than the
      trials asked for, else sampled ("auto", the default); only exact; only sampled; or both.
    * ``system`` (table): The code: uncoded, gradient-code, sr-sgc or m-sgc. The master of uncoded
      work waits for all.
    * ``jobs`` (int): Gradients that are wanted, at most 100 000; job j begins in round j.
    * ``patience`` (MastersPatience): How long the master waits; by default for twice the fastest
      worker's time, and for all where the code is not made for those who are late.
    * ``work`` (float): The load of all data of a job together, more than 0; 1 by default.
    * ``latency`` (Law or tuple of Law, optional): The law of the seconds that a load of 1 takes:
      one for all workers, or a list of one each. A round's load is the system's.
    * ``stragglers`` (table, optional): Instead of ``latency``: who straggles in which round, with
      ``times``.
    * ``times`` (TwoTimes, optional): With ``stragglers``: what a round takes who does, and who does
      not.
    * ``start`` ({"random", "first"}): Where a recording with order "replay" begins: in each trial
      at a row drawn at random (the default), or always at its first row.
    """

    ROOMS: ClassVar[tuple[str, ...]] = ("system", "stragglers")
    UNITS: ClassVar[Mapping[str, str]] = MEASURES

    kind: Literal["sequence"] = "sequence"
    method: Literal["auto", "exact", "monte-carlo", "both"] = "auto"
    system: System
    jobs: Annotated[int, Field(ge=1, le=100_000)]
    patience: MastersPatience = MastersPatience()
    work: Positive = 1.0
    latency: Laws | None = None
    scaling: Scaling = "server-dependent"
    stragglers: Stragglers | None = None
    times: TwoTimes | None = None
    start: Literal["random", "first"] = "random"
    measure: tuple[str, ...] = ("seconds",)

    @property
    def delay(self) -> int:
        """Rounds after the one in which a job begins, by whose end it must be decoded."""
        return self.system.delay() if isinstance(self.system, SequentialSystem) else 0

    @property
    def rounds(self) -> int:
        """Rounds of a trial."""
        return self.jobs + self.delay

    @classmethod
    def crossing(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (key path, sentence) for systems of another kind, and stragglers of other n."""
        system, stragglers = parts["system"], parts["stragglers"]
        if system is not None and not isinstance(system, SequentialSystem | GradientCode | Uncoded):
            family = system.settings()["family"]
            allowed = "uncoded, gradient-code, sr-sgc or m-sgc in a sequence"
            return [("system.family", f"must be {allowed} (got {family!r})")]
        if isinstance(system, GradientCode) and system.patience is not None:
            return [("system.patience", "must be left out; a sequence has patience itself")]
        if system is None or stragglers is None:
            return []
        if isinstance(stragglers, Adversarial | Deadline):
            sentence = f"must say who straggles (got {stragglers.model!r})"
            return [("stragglers.model", f"{sentence}; take iid, bursty, markov or trace")]
        n = system.workers()
        return [(f"stragglers.{field}", sentence) for field, sentence in stragglers.complaints(n)]
