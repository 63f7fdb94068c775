"""What a completion experiment says in a study."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fastgc.experiments.completion.scenario import Laws
from fastgc.experiments.table import MeasuredTable
from fastgc.latency import Scaling
from fastgc.latency.law import Positive
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.stragglers import Stragglers
from fastgc.stragglers.uniform import Adversarial
from fastgc.systems.system import System
from fastgc.systems.timing.rounds import BetweenRounds, Port

#: Each measure, and the unit of one value; "1" for pure numbers.
MEASURES = {
    "time": "seconds",
    "load": "1",
    "messages": "1",
    "waiting": "seconds",
    "worker_seconds": "seconds",
    "decodable": "1",
    "lost": "1",
}


class CompletionTable(MeasuredTable):
    """The keys of a completion experiment.

    ``system``, ``latency`` (one law, or a list with one for each worker) and ``stragglers`` are
    any registered members.

    * ``method`` ({"auto", "exact", "monte-carlo", "both", "rare"}): Exact where it costs no more
      than the trials asked for, else sampled ("auto", the default), with thresholds on the sharpest
      method that leads there; only exact; only sampled; both; or only thresholds, however rarely
      they are exceeded.
    * ``system`` (table): Who works on how much, and whose answers are waited for.
    * ``work`` (float): The load of all data together, more than 0; 1 by default.
    * ``latency`` (Law or tuple of Law): The law of the seconds that a load of 1 takes: one for all
      workers, or a list of one each.
    * ``port`` (Port): How the master, and parents in a tree, receive; by default messages take no
      time.
    * ``stragglers`` (table, optional): Workers that never answer; everybody does by default.
    * ``iterations`` (int): Iterations of a trial, at most 1 000 000; 1 by default.
    * ``between_rounds`` ({"cancel", "finish"}): What workers do that are late when a round, an
      iteration, is over: they drop it and begin the next one with the others (the default), or
      finish it, are busy until then, and take up the round that is on by then. All are free when a
      trial begins.
    * ``variance_reduction`` (bool): Whether sampled mean times take parts of the same draws whose
      means are known as controls: systems without port, order statistics of layers; default true.
    """

    GROUPS: ClassVar[tuple[str, ...]] = ("system", "stragglers")
    UNITS: ClassVar[Mapping[str, str]] = MEASURES

    kind: Literal["completion"] = "completion"
    method: Literal["auto", "exact", "monte-carlo", "both", "rare"] = "auto"
    system: System
    work: Positive = 1.0
    latency: Laws
    scaling: Scaling = "server-dependent"
    port: Port = Port()
    stragglers: Stragglers | None = None
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    between_rounds: BetweenRounds = "cancel"
    variance_reduction: bool = True
    measure: tuple[str, ...] = ("time",)

    @classmethod
    def member_errors(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        system, stragglers = parts["system"], parts["stragglers"]
        if system is None or stragglers is None:
            return []
        if isinstance(stragglers, Adversarial | Deadline):
            sentence = (
                f"must say who never answers (got {stragglers.model!r}); take iid, uniform, "
                "two-class, markov or trace"
            )
            return [("stragglers.model", sentence)]
        n = system.workers()
        return [(f"stragglers.{field}", sentence) for field, sentence in stragglers.complaints(n)]
