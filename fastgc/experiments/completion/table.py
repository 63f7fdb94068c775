"""What a completion experiment says in a study."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.errors import FastgcError
from fastgc.experiments.table import MeasuredTable
from fastgc.latency import Scaling, listed
from fastgc.latency.law import NotNegative, Positive
from fastgc.stragglers.adversarial import Adversarial
from fastgc.stragglers.deadline import Deadline

#: Each measure, and the unit of one value; "1" for pure numbers.
MEASURES = {"time": "seconds", "load": "1", "messages": "1", "waiting": "seconds", "decodable": "1"}


class Port(registry.Table):
    """How a node receives: one message at a time.

    Parameters
    ----------
    receive : float
        Seconds that a message takes; 0, the default, is no port.
    opens : {"start", "after-own"}
        Whether a tree's inner node receives from the start (the default) or once its own work is
        done.
    """

    receive: NotNegative = 0.0
    opens: Literal["start", "after-own"] = "start"


class CompletionTable(MeasuredTable):
    """The keys of a completion experiment.

    ``system``, ``latency`` (one law, or a list with one for each worker) and ``stragglers`` are
    any registered members.

    Parameters
    ----------
    method : {"auto", "exact", "monte-carlo", "both"}
        The road: exact where it costs no more than the trials asked for, else sampled ("auto", the
        default); only exact; only sampled; or both.
    system : table
        Who works on how much, and whose answers are waited for.
    work : float
        The load of all data together, more than 0; 1 by default.
    latency : Law or tuple of Law
        The law of the seconds that a load of 1 takes: one for all workers, or a list of one each.
    port : Port
        How the master, and parents in a tree, receive; by default messages take no time.
    stragglers : table, optional
        Workers that never answer; everybody does by default.
    iterations : int
        Iterations of a trial, at most 1 000 000; 1 by default.
    """

    ROOMS: ClassVar[tuple[str, ...]] = ("system", "stragglers")

    kind: Literal["completion"] = "completion"
    method: Literal["auto", "exact", "monte-carlo", "both"] = "auto"
    system: Any
    work: Positive = 1.0
    latency: Any
    scaling: Scaling = "server-dependent"
    port: Port = Port()
    stragglers: Any = None
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    measure: tuple[str, ...] = ("time",)

    @classmethod
    def crossing(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (key path, sentence) for stragglers that do not fit the system's workers."""
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

    def misfits(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        found = listed.complaints(self.latency, self.system.workers())
        if found:
            return found
        for i, law in enumerate(self.latency):
            if len(self.latency) > 1 and any(
                part.order in ("rows", "replay") for part in listed.recorded(law)
            ):
                sentence = (
                    f'{listed.which(self.latency, i)}order: must be "pooled" or "workers" in a '
                    "list of laws; rows of a trace are taken by one law for all workers"
                )
                return [("latency", sentence)]
        from fastgc.experiments.completion.scenario import Scenario

        try:
            Scenario(self)
        except FastgcError as problem:
            if problem.key in type(self).model_fields:
                return [(problem.key, problem.sentence)]
            return [("system", str(problem))]
        return []


def unit(measure: str) -> str:
    """Unit of one value of a measure."""
    return MEASURES[measure]


def describe(table: CompletionTable) -> dict[str, Any]:
    """Return what files of results keep of how a point was evaluated."""
    from fastgc.experiments.completion.scenario import Scenario

    scenario = Scenario(table)
    return {
        "kernel": type(scenario.structure).__name__.lower(),
        "system": scenario.system.settings(),
    }


@registry.made_once("system", "latency", "stragglers")
def table() -> type[CompletionTable]:
    """Return the class of experiment tables, with the members that are registered now."""
    measure: Any = Literal[tuple(MEASURES)]
    return pydantic.create_model(
        "CompletionTable",
        __base__=CompletionTable,
        system=(registry.union("system"), ...),
        latency=(listed.laws(), ...),
        stragglers=(registry.optional("stragglers"), None),
        measure=(tuple[measure, ...], ("time",)),
    )
