"""What a training experiment says in a study."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fastgc.codes.family import Family
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.streams import block_trials
from fastgc.experiments.completion.scenario import Laws
from fastgc.experiments.table import Decoder, Finite, MeasuredTable, Shuffle
from fastgc.latency import Scaling
from fastgc.latency.law import Positive
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.stragglers import Stragglers
from fastgc.systems.system import System
from fastgc.systems.timing.rounds import Port
from fastgc.training.data import Data
from fastgc.training.optimizers import Optimizer
from fastgc.training.problems import Problem
from fastgc.training.selections import Selection

# Measures, each with its unit; "1" for pure numbers.
#: One value an iteration, 0 … L.
CURVES = {
    **{"loss": "1", "gradient_error": "1", "distance": "1", "time": "seconds"},
    **{"downloads": "1", "uploads": "1", "gradients": "1"},
}
#: One value a run.
TO_LOSS = {
    "time_to_loss": "seconds",
    "downloads_to_loss": "1",
    "uploads_to_loss": "1",
    "gradients_to_loss": "1",
}
MEASURES = {**CURVES, **TO_LOSS, "reached": "1", "diverged": "1"}

#: Products that take as long as a draw.
PRODUCTS = 64


class TrainingTable(MeasuredTable):
    """The keys of a training experiment.

    Gradients are either coded (``code``, ``stragglers``, ``shuffle``, ``decoder``) or those of
    selected workers (``selection``). ``system`` and ``latency`` say how long an iteration takes.

    * ``method`` ({"auto", "monte-carlo"}): Always sampled.
    * ``problem`` (table): The model and the data that it learns from.
    * ``code`` (table, optional): Who holds which partition; partitions share out the samples.
    * ``stragglers`` (table, optional): Who does not answer; with ``code``.
    * ``rho`` (float, optional): One-step decoding multiplies every survivor's answer by it; by
      default k/(r d) with r survivors, where d is the sum of a worker's weights in B, on average
      over workers. Needed where that is not positive.
    * ``selection`` (table, optional): Whose gradients an iteration asks for, in place of a code.
    * ``optimizer`` (table): How a gradient changes the parameters.
    * ``iterations`` (int): Iterations of a trial, at most 100 000.
    * ``system`` (table, optional): Whose answers an iteration waits for: it lasts as long as the
      system's completion.
    * ``work`` (float): The load of all data together or, with ``selection``, of one worker's
      gradient; more than 0, 1 by default.
    * ``latency`` (Law or tuple of Law, optional): The law of the seconds that a load of 1 takes:
      one for all workers, or a list of one each.
    * ``port`` (Port): How the system's master, and parents in a tree, receive; by default messages
      take no time.
    * ``target_loss`` (float, optional): The loss whose first iteration the measures "…_to_loss" and
      "reached" look for.
    """

    GROUPS: ClassVar[tuple[str, ...]] = (
        *("problem", "code", "stragglers", "optimizer", "selection", "system"),
    )
    UNITS: ClassVar[Mapping[str, str]] = MEASURES

    kind: Literal["training"] = "training"
    method: Literal["auto", "monte-carlo"] = "auto"
    problem: Problem
    code: Family | None = None
    stragglers: Stragglers | None = None
    shuffle: Shuffle = "none"
    decoder: Decoder | DecodingRule = "optimal"
    rho: Finite | None = None
    selection: Selection | None = None
    optimizer: Optimizer
    iterations: Annotated[int, Field(ge=1, le=100_000)]
    system: System | None = None
    work: Positive = 1.0
    latency: Laws | None = None
    scaling: Scaling = "server-dependent"
    port: Port = Port()
    target_loss: Finite | None = None
    measure: tuple[str, ...] = ("loss",)

    @property
    def timed(self) -> bool:
        """Whether an iteration is known to take some time."""
        return self.latency is not None or isinstance(self.stragglers, Deadline)


def trials_of_block(table: TrainingTable, data: Data, drawn: int) -> int:
    """Return how many trials a block has when an iteration draws so many numbers.

    An iteration's products, in which samples meet parameters, count as draws where they are
    more: blocks would else take minutes where data are many, and leave cores without work.
    """
    products = data.samples * int(table.problem.parameters(data))
    return block_trials(max(drawn, products // PRODUCTS), table.iterations)
