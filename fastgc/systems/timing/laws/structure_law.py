"""The law of a structure's completion time, and the probability that it completes at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, repeat
from math import comb
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.time import Time, law_key
from fastgc.systems.timing.laws.completion_law import CompletionLaw, DiscreteLaw, SmoothLaw
from fastgc.systems.timing.laws.evaluation import GateEvaluation, Worker, gates_of
from fastgc.systems.timing.laws.part_laws import ChunksEvaluation, LayersEvaluation
from fastgc.systems.timing.rounds import check_port

if TYPE_CHECKING:
    from fastgc.systems.timing.timed_structure import Structure

#: What counts arrivals at the master.
Evaluation = GateEvaluation | LayersEvaluation | ChunksEvaluation

#: Times at which a mean evaluates a smooth law, and how many more for every break.
_SMOOTH, _PANEL = 300, 20
#: Additions that a mean may take, at most: some ten seconds.
_MOST_WORK = 5e10
#: Those that one P(C > t) alone may take, about a second: equal workers are counted fastest.
_MOST_ALIKE, _MOST_UNLIKE = 1e10, 2.2e8


@dataclass
class LawRequest:
    """What a law of ``n`` workers is wanted of: arguments of `distribution`, which are checked.

    ``workers``: the classes of equal workers; ``classes``: the number of each worker's class.
    """

    n: int
    times: Sequence[Time]
    receive: float = 0.0
    opens: str = "start"
    answers: Sequence[float] | float = 1.0
    moments: bool = True
    workers: list[Worker] = field(init=False)
    classes: list[int] = field(init=False)

    def __post_init__(self) -> None:
        n, laws, given = self.n, len(self.times), np.asarray(self.answers, float)
        if laws not in (1, n):
            raise FastgcError(f"times: must be one law or one per worker (got {laws} for n={n})")
        check_port(self.receive, self.opens)
        if given.shape not in ((), (1,), (n,)):
            raise FastgcError(
                f"answers: must be one probability or one per worker (got {given.size} for n={n})"
            )
        if not np.all((given >= 0) & (given <= 1)):
            raise FastgcError(
                f"answers: must be probabilities from 0 to 1 (got {float(given.flat[0])!r})"
                if given.size == 1
                else "answers: must be probabilities from 0 to 1, one per worker"
            )
        each = list(self.times) * (n if laws == 1 else 1)
        keys = {id(time): time for time in each}
        if len(keys) == 1 and np.all(given == given.flat[0]):
            self.workers, self.classes = [Worker(each[0], float(given.flat[0]))], [0] * n
            return
        equal = {place: law_key(time) for place, time in keys.items()}
        found: dict[tuple[object, float], int] = {}
        self.workers, self.classes = [], []
        for time, likely in zip(each, np.broadcast_to(given, (n,)).tolist(), strict=True):
            own = found.setdefault((equal[id(time)], likely), len(found))
            if own == len(self.workers):
                self.workers.append(Worker(time, likely))
            self.classes.append(own)


def distribution(
    structure: "Structure",
    times: Sequence[Time],
    receive: float = 0.0,
    opens: str = "start",
    answers: Sequence[float] | float = 1.0,
    *,
    moments: bool = True,
) -> CompletionLaw:
    """Return the exact law of the completion time of independent workers, given completion.

    * ``structure``: says whose answers are waited for.
    * ``times``: the law of all workers' times, or one law a worker; of one task in layers.
    * ``receive``, ``opens``: as for `fastgc.systems.timing.rounds.Evaluator`.
    * ``answers``: probability that a worker answers at all, one for all or one a worker.
    * ``moments``: whether a law is refused whose mean takes long; if not, only one of which a
      single P(C > t) does.

    Raises FastgcError if the law is not known or takes too long, or an argument makes no sense.

    P(C ≤ t) is the probability that the arrivals, counted at rising thresholds, are never too few;
    see `fastgc_kernels.complete.crossing`. Unlike workers are counted class by class.
    """
    return structure.law(LawRequest(structure.workers, times, receive, opens, answers, moments))


def evaluation_of(structure: "Structure", asked: LawRequest) -> Evaluation:
    """Return what counts arrivals at the master."""
    if not structure.COUNTED:
        raise FastgcError("what the master waits for is not one count of equal arrivals")
    return structure.counts(asked)


def missing(
    structure: "Structure", times: Sequence[Time], t: float, answers: Sequence[float] | float = 1.0
) -> Values:
    """Return the probabilities that 0, 1, … chunks are missing at t."""
    found = evaluation_of(structure, LawRequest(structure.workers, times, answers=answers))
    if not isinstance(found, ChunksEvaluation):
        raise FastgcError("how much of the work is missing has no law that is known")
    return found.missing(t)


def work_of(law: CompletionLaw) -> float | None:
    """Return about how many additions a law makes for one t; None where that is not known."""
    return law.evaluate.work() if isinstance(law.evaluate, Evaluation) else None


def tail_index(
    structure: "Structure", times: Sequence[Time], answers: Sequence[float] | float = 1.0
) -> float:
    """Return α where P(C > t) falls like t^(−α) without a port, also where no law is known."""
    asked = LawRequest(structure.workers, times, answers=answers)
    return structure.tail_index(asked.workers, asked.classes)


def capped(law: CompletionLaw, end: float) -> CompletionLaw:
    """Return the law of min(C, end), which is always reached."""

    def evaluate(t: Values) -> tuple[Values, Values]:
        on_time, late = law.evaluate(t)
        never = 1.0 - law.decodable
        return np.where(t < end, on_time, 1.0), np.where(t < end, late + never, 0.0)

    if law.minimum >= end:
        return DiscreteLaw(evaluate, 1.0, end, end, np.array([end]), math.inf)
    breaks = np.append(law.breaks[law.breaks < end], end)
    return type(law)(evaluate, 1.0, law.minimum, min(law.maximum, end), breaks, math.inf)


def of_counts(evaluation: Evaluation, moments: bool) -> CompletionLaw:
    """Return the law of what is done when enough have arrived; for ``moments``, or for one t."""
    workers, work = evaluation.workers, evaluation.work()
    if not moments or work > _MOST_WORK:  # refused before more is made of it
        most = _MOST_ALIKE if len(workers) == 1 else _MOST_UNLIKE
        _require(work, most, workers, "one t")
    decodable = evaluation.decodable
    if not decodable > 0:
        raise FastgcError(
            "answers: completion is impossible, for too few workers ever answer (give larger "
            "probabilities, or wait for fewer)"
        )
    minimum, maximum = evaluation.limits()
    discrete = minimum == maximum or all(worker.time.is_discrete() for worker in workers)
    points = np.unique(np.concatenate([*evaluation.breaks(), [minimum]]))
    points = points[(points >= minimum * (1 - 1e-12)) & (points <= maximum * (1 + 1e-12))]
    # equal but for rounding is equal
    points = points[np.diff(points, prepend=-math.inf) > 1e-13 * np.abs(points)]
    evaluations = points.size if discrete else _SMOOTH + _PANEL * points.size
    if moments:
        _require(evaluations * work, _MOST_WORK, workers, "a mean")
    law = DiscreteLaw if discrete else SmoothLaw
    return law(evaluation, decodable, minimum, maximum, points, evaluation.tail_index)


def _require(additions: float, most: float, workers: Sequence[Worker], what: str) -> None:
    if additions > most:
        who = f"{len(workers)} classes of workers" if len(workers) > 1 else "equal workers"
        number = f"about {additions:.0e}" if math.isfinite(additions) else "countless"
        raise FastgcError(
            f"{who} make a law that takes {number} additions for {what}, more than {most:.0e}"
        )


#: Beyond this the integers grow too long.
_MOST_WORKERS = 2000


def decodable(structure: "Structure", stragglers: Any) -> float:
    """Return the probability that a system completes when stragglers never answer.

    A straggling inner node of a tree takes its subtree with it. Known are ``iid``, ``uniform``,
    ``markov``, and ``two-class`` but for a random set of given size, one iteration of each; of
    other models, and of such as do not fit the workers, a FastgcError says so.
    """
    if structure.ends_by is not None:
        return 1.0
    structure = structure.end
    n = structure.workers
    for key, sentence in stragglers.complaints(n):
        raise FastgcError(f"stragglers.{key}: {sentence}")
    if stragglers.model == "uniform" and structure.GATES:
        return float(decodable_sets(structure, stragglers.stragglers))
    p = stragglers.independent(n) if hasattr(stragglers, "independent") else None
    if p is None:
        raise FastgcError(
            f"stragglers: whether a system completes is not known exactly for the model "
            f"{stragglers.model!r}"
        )
    return structure.decodes(np.broadcast_to(p, (n,)).tolist())


def decodable_sets(structure: "Structure", stragglers: int) -> Fraction:
    """Return the share of all sets of so many stragglers with which a system completes.

    Sets are counted by polynomials in integers: the coefficient of xˢ of a gate is the number of
    sets of s stragglers below it with which it answers. A polynomial is held as one integer, its
    value at a power of two above all coefficients.
    """
    structure = structure.end
    n = structure.workers
    if not 0 <= stragglers <= n:
        raise FastgcError(f"stragglers: must be from 0 to n={n} (got {stragglers})")
    if structure.ANY:
        return Fraction(int(n - stragglers >= structure.needed))
    if n > _MOST_WORKERS:
        raise FastgcError(
            f"stragglers: sets of exactly {stragglers} of {n} workers are too large to be counted "
            f"(at most {_MOST_WORKERS} workers)"
        )
    bits = n + 1
    sizes: list[int] = []
    answering: list[int] = []
    missing: list[int] = []
    for gate in gates_of(structure, [0] * n):
        size = int(gate.own is not None) + sum(count * sizes[c] for c, count in gate.children)
        # ways[i]: sets with which i of the children, or at least ``need`` of them, answer
        ways = np.array([1] + [0] * gate.need, object)
        for child, count in gate.children:
            present = accumulate(repeat(answering[child], count), mul, initial=1)
            absent = [*accumulate(repeat(missing[child], count), mul, initial=1)]
            own = [comb(count, i) * each * absent[count - i] for i, each in enumerate(present)]
            ways = np.convolve(ways, np.array(own, object))
            ways = np.array([*ways[: gate.need], sum(ways[gate.need :])], object)
        whole = ((1 << bits) + 1) ** size
        sizes.append(size)
        answering.append(int(ways[-1]))
        missing.append(whole - answering[-1])
    # workers that are not waited for may straggle or not
    answering[-1] *= ((1 << bits) + 1) ** (n - sizes[-1])
    sets = answering[-1] >> (bits * stragglers) & ((1 << bits) - 1)
    return Fraction(sets, comb(n, stragglers))
