"""The law of the completion time of a structure whose workers' laws are known."""

import math
from collections.abc import Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.elementary import expm1, log, log1p, power
from fastgc.latency.time import Time
from fastgc.systems.timing.laws import nature
from fastgc.systems.timing.laws.chunks import ChunksEvaluation, chunks_tail_index
from fastgc.systems.timing.laws.completion_law import CompletionLaw, DiscreteLaw, SmoothLaw
from fastgc.systems.timing.laws.evaluation import (
    GateEvaluation,
    LayersEvaluation,
    Worker,
    deciding_layers,
    gates_of,
)
from fastgc.systems.timing.laws.nature import sum_of
from fastgc.systems.timing.structure import (
    Batches,
    Blocks,
    Capped,
    Chunks,
    Composed,
    Delayed,
    Flat,
    Layers,
    Own,
    Patient,
    Replicated,
    Ring,
    Structure,
    Summed,
    Tree,
)
from fastgc.systems.timing.terms import Term
from fastgc.systems.timing.waiting import Gates

#: What counts arrivals at the master.
Evaluation = GateEvaluation | LayersEvaluation | ChunksEvaluation

#: Times at which a mean evaluates a smooth law, and how many more for every break.
_SMOOTH, _PANEL = 300, 20
#: Additions that a mean may take, at most: some ten seconds.
_MOST_WORK = 5e10
#: Those that one P(C > t) alone may take, about a second: equal workers are counted fastest.
_MOST_ALIKE, _MOST_UNLIKE = 1e10, 2.2e8


def distribution(
    structure: Structure,
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
    * ``receive``, ``opens``: as for `fastgc.systems.timing.evaluator.Evaluator`.
    * ``answers``: probability that a worker answers at all, one for all or one a worker.
    * ``moments``: whether a law is refused whose mean takes long; if not, only one of which a
      single P(C > t) does.

    Raises FastgcError if the law is not known exactly or takes too long, or an argument makes no
    sense.

    P(C ≤ t) is the probability that the arrivals, counted at rising thresholds, are never too few;
    see `fastgc_kernels.complete.crossing`. Unlike workers are counted class by class.

    >>> from fastgc.latency import Exponential
    >>> from fastgc.systems.timing.structure import Flat
    >>> law = distribution(Flat(n=2, need=1), [Exponential(mean=1.0).time()])
    >>> round(law.mean(), 12), round(law.variance(), 12)
    (0.5, 0.25)
    """
    check_arguments(structure, times, receive, opens)
    if isinstance(structure, Patient):
        common = _common(times, receive, answers)
        return patient(structure, distribution(structure.part, times), common)
    if isinstance(structure, Capped):
        return _capped(structure, distribution(structure.part, times, receive, opens, answers))
    if isinstance(structure, Summed):
        sums = [sum_of(time, structure.period) for time in times]
        star = Flat(structure.n, structure.n)
        return _moved(distribution(star, sums, receive, opens, answers), 1 / structure.period)
    if isinstance(structure, Delayed):
        if receive > 0:
            raise FastgcError("clones behind a port have no exact law")
        each = list(times) * structure.workers if len(times) == 1 else times
        late = [
            nature.later(time, delay) for time, delay in zip(each, structure.delays, strict=True)
        ]
        return distribution(structure.part, late, answers=answers, moments=moments)
    if isinstance(structure, Ring):
        shift = 2.0 * (structure.n - 1) * receive / structure.n
        every = Flat(structure.n, structure.n)
        return _moved(_law(evaluation_of(every, times, answers=answers), moments), shift=shift)
    return _law(evaluation_of(structure, times, receive, opens, answers), moments)


def evaluation_of(
    structure: Structure,
    times: Sequence[Time],
    receive: float = 0.0,
    opens: str = "start",
    answers: Sequence[float] | float = 1.0,
) -> Evaluation:
    """Return what counts arrivals at the master, for arguments of `distribution`."""
    check_arguments(structure, times, receive, opens)
    if isinstance(structure, Patient | Ring | Capped | Summed | Delayed):
        raise FastgcError("what the master waits for is not one count of equal arrivals")
    workers, classes = classes_of(structure, times, answers)
    structure = _counted(structure, receive)
    if isinstance(structure, Composed):
        return _of_term(structure.term, workers, classes)
    if isinstance(structure, Chunks):
        if any(worker.answers < 1 for worker in workers):
            raise FastgcError("chunks of workers that may never answer have no exact law")
        tasks = set(range(structure.d))
    elif isinstance(structure, Layers):
        tasks = {*deciding_layers(structure.k), 0}
    else:
        return GateEvaluation(gates_of(structure, classes), workers, receive, opens == "after-own")

    def of_tasks(time: Time, j: int) -> Time:
        if isinstance(structure, Blocks):
            return nature.scaled(time, structure.ends[j])
        if isinstance(structure, Batches):
            return time
        return sum_of(time, j + 1) if structure.fresh else nature.scaled(time, j + 1)

    sums = [
        {j: Worker(of_tasks(worker.time, j), worker.answers) for j in tasks} for worker in workers
    ]
    if isinstance(structure, Chunks):
        return ChunksEvaluation(structure, classes, sums)
    return LayersEvaluation(structure.k, [classes.count(c) for c in range(len(workers))], sums)


def missing(
    structure: Structure, times: Sequence[Time], t: float, answers: Sequence[float] | float = 1.0
) -> Values:
    """Return the probabilities that 0, 1, … chunks lack a copy at t."""
    counts = evaluation_of(structure, times, answers=answers)
    if not isinstance(counts, ChunksEvaluation):
        raise FastgcError("how much of the work is missing has no law that is known")
    return counts.missing(t)


def _of_term(term: Term, workers: Sequence[Worker], classes: Sequence[int]) -> GateEvaluation:
    """Count the arrivals of a term; its answers and constants alone are stretched and moved."""
    if any(each.is_constant for each in term.inner):
        raise FastgcError("a term with a moment that comes in any case has no exact law")
    kinds: dict[tuple[int, int, float, float], int] = {}
    laws: list[Worker] = []

    def class_of(leaf: Term) -> int:
        assert leaf.worker is not None
        own = classes[leaf.worker]
        kind = own, leaf.place, leaf.stretch, leaf.delay
        if kind not in kinds:
            kinds[kind] = len(laws)
            time = sum_of(workers[own].time, leaf.place + 1)
            time = nature.later(nature.scaled(time, leaf.stretch), leaf.delay)
            laws.append(Worker(time, workers[own].answers))
        return kinds[kind]

    gates = Gates()
    gates.add_term(term.moved, class_of)
    return GateEvaluation(gates.gates, laws, 0.0, False)


def work_of(law: CompletionLaw) -> float | None:
    """Return about how many additions a law makes for one t; None where that is not known."""
    return law.evaluate.work() if isinstance(law.evaluate, Evaluation) else None


def tail_index(
    structure: Structure, times: Sequence[Time], answers: Sequence[float] | float = 1.0
) -> float:
    """Return α where P(C > t) falls like t^(−α) without a port, also where no law is known.

    >>> from fastgc.latency import Pareto
    >>> from fastgc.systems.timing.structure import Flat
    >>> tail_index(Flat(n=3, need=2), [Pareto(shape=1.5, scale=1.0).time()])
    3.0
    """
    check_arguments(structure, times, 0.0, "start")
    if isinstance(structure, Capped):
        return math.inf
    workers, classes = classes_of(structure, times, answers)
    if isinstance(structure, Chunks):
        indices = [nature.tail_index(worker.time) for worker in workers]
        each = [workers[c].answers for c in classes]
        return chunks_tail_index(structure, [indices[c] for c in classes], each)
    return GateEvaluation(gates_of(structure, classes), workers, 0.0, False).tail_index


def _counted(structure: Structure, receive: float) -> Structure:
    """Return the structure as one whose arrivals are counted."""
    if (
        isinstance(structure, Layers)
        and structure.k[1:] == ()
        and not isinstance(structure, Blocks)
    ):
        structure = Flat(structure.n, structure.k[0])
    if receive > 0 and isinstance(structure, Replicated) and structure.size == 1:
        structure = Flat(structure.n, structure.need)
    if receive > 0 and isinstance(structure, Replicated | Layers | Chunks | Composed):
        names = {Replicated: "groups", Layers: "layers", Composed: "parts of a term"}
        what = names.get(type(structure), "chunks")
        raise FastgcError(
            f"{what} behind a port have no exact law, for answers that are no longer needed keep "
            "it busy too"
        )
    return structure


def _common(times: Sequence[Time], receive: float, answers: Sequence[float] | float) -> Time:
    """Return the one law of all workers, which a patient master's time is known for."""
    if receive > 0 or np.any(np.asarray(answers, float) < 1):
        what = "a port" if receive > 0 else "workers that may never answer"
        raise FastgcError(f"patience with {what} has no exact law")
    if len({nature.law_key(time) for time in times}) > 1:
        raise FastgcError("patience has an exact law where all workers have one law alone")
    return times[0]


def _moved(law: CompletionLaw, factor: float = 1.0, shift: float = 0.0) -> CompletionLaw:
    """Return the law of ``factor`` · C + ``shift``."""
    evaluate = law.evaluate
    return type(law)(
        lambda t: evaluate((t - shift) / factor),
        law.decodable,
        factor * law.minimum + shift,
        factor * law.maximum + shift,
        factor * law.breaks + shift,
        law.tail_index,
    )


def _capped(structure: Capped, law: CompletionLaw) -> CompletionLaw:
    """Return the law of min(C, deadline), which is always reached."""
    end, plain = structure.deadline, law.evaluate

    def evaluate(t: Values) -> tuple[Values, Values]:
        on_time, late = plain(t)
        never = 1.0 - law.decodable
        return np.where(t < end, on_time, 1.0), np.where(t < end, late + never, 0.0)

    if law.minimum >= end:
        return DiscreteLaw(evaluate, 1.0, end, end, np.array([end]), math.inf)
    breaks = np.append(law.breaks[law.breaks < end], end)
    return type(law)(evaluate, 1.0, law.minimum, min(law.maximum, end), breaks, math.inf)


def _law(evaluation: Evaluation, moments: bool) -> CompletionLaw:
    workers, work = evaluation.workers, evaluation.work()
    if not moments or work > _MOST_WORK:  # refused before more is made of it
        most = _MOST_ALIKE if len(workers) == 1 else _MOST_UNLIKE
        _require(work, most, workers, "one t")
    decodable = evaluation.whole.totals[-1]
    if not decodable > 0:
        raise FastgcError(
            "answers: completion is impossible, for too few workers ever answer (give larger "
            "probabilities, or wait for fewer)"
        )
    minimum, maximum = evaluation.limits()
    discrete = minimum == maximum or all(nature.is_discrete(worker.time) for worker in workers)
    points = _apart(np.concatenate([*evaluation.breaks(), [minimum]]), minimum, maximum)
    evaluations = points.size if discrete else _SMOOTH + _PANEL * points.size
    if moments:
        _require(evaluations * work, _MOST_WORK, workers, "a mean")
    law = DiscreteLaw if discrete else SmoothLaw
    index = evaluation.whole.tail_index
    return law(evaluation, decodable, minimum, maximum, points, index)


def _require(additions: float, most: float, workers: Sequence[Worker], what: str) -> None:
    if additions > most:
        who = f"{len(workers)} classes of workers" if len(workers) > 1 else "equal workers"
        number = f"about {additions:.0e}" if math.isfinite(additions) else "countless"
        raise FastgcError(
            f"{who} make a law that takes {number} additions for {what}, more than {most:.0e}"
        )


def _apart(points: Values, minimum: float, maximum: float) -> Values:
    """Return the points in order, without those outside or equal but for rounding."""
    order = np.unique(points)
    order = order[(order >= minimum * (1 - 1e-12)) & (order <= maximum * (1 + 1e-12))]
    far = np.diff(order, prepend=-math.inf) > 1e-13 * np.abs(order)
    return np.asarray(order[far])


def classes_of(
    structure: Structure, times: Sequence[Time], answers: Sequence[float] | float
) -> tuple[list[Worker], list[int]]:
    """Return the classes of equal workers, and the number of each worker's class."""
    n = structure.workers
    given = np.asarray(answers, float)
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
    each = list(times) * n if len(times) == 1 else list(times)
    distinct = {id(time): time for time in each}
    if len(distinct) == 1 and np.all(given == given.flat[0]):
        return [Worker(each[0], float(given.flat[0]))], [0] * n
    number: dict[tuple[object, float], int] = {}
    keys = {place: nature.law_key(time) for place, time in distinct.items()}
    likely = np.broadcast_to(given, (n,)).tolist()
    classes = [
        number.setdefault((keys[id(time)], probability), len(number))
        for time, probability in zip(each, likely, strict=True)
    ]
    first = {c: j for j, c in reversed(list(enumerate(classes)))}
    return [Worker(each[first[c]], likely[first[c]]) for c in range(len(number))], classes


def check_arguments(
    structure: Structure, times: Sequence[Time], receive: float, opens: str
) -> None:
    """Raise an error if an argument makes no sense."""
    n = structure.workers
    if isinstance(structure, Own):
        raise FastgcError("a system that says itself when it is done has no law that is known")
    if len(times) not in (1, n):
        raise FastgcError(f"times: must be one law or one per worker (got {len(times)} for n={n})")
    if not 0 <= receive < math.inf:
        raise FastgcError(f"receive: must be a number of seconds ≥ 0 (got {receive!r})")
    if opens not in ("start", "after-own"):
        raise FastgcError(f'opens: must be "start" or "after-own" (got {opens!r})')
    if isinstance(structure, Flat) and not 0 <= structure.need <= n:
        raise FastgcError(f"need: must be from 0 to n={n} (got {structure.need})")
    if isinstance(structure, Layers) and not all(0 <= k <= n for k in structure.k):
        raise FastgcError(f"k: must be from 0 to n={n} in every layer (got {structure.k})")
    if isinstance(structure, Tree):
        counts = np.bincount(structure.parents, minlength=n + 1)
        if np.any(np.asarray(structure.need) > counts):
            node = int(np.argmax(np.asarray(structure.need) > counts))
            raise FastgcError(
                f"need: node {node} waits for {structure.need[node]} answers of "
                f"{counts[node]} children"
            )


def patient(structure: Patient, plain: CompletionLaw, time: Time) -> CompletionLaw:
    """Return the law of max(C, min((1 + patience)·F, L)), C being of law ``plain``; see `Patient`.

    It is later than t where C is, and where C is not but F > u = t/(1 + patience) and L > t: all
    workers, whose times have the law ``time``, take longer than u, enough of them at most t, and
    not all.
    """
    slower = 1.0 + structure.patience

    def evaluate(t: Values) -> tuple[Values, Values]:
        on_time, late = plain.evaluate(t)
        waited = _waited(structure.part, time, t / slower, t)
        return np.maximum(on_time - waited, 0.0), late + waited

    moved = slower * plain.breaks
    breaks = np.union1d(plain.breaks, moved[moved < plain.maximum])
    return type(plain)(
        evaluate, plain.decodable, plain.minimum, plain.maximum, breaks, plain.tail_index
    )


def _waited(part: Flat | Replicated, time: Time, u: Values, t: Values) -> Values:
    """P(all workers take longer than u, and enough but not all of them at most t)."""
    above, late = time.survival(u), time.survival(t)
    # of workers above u: the share that is late, and the rest, each with its digits
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(above > 0, np.minimum(late / above, 1.0), 1.0)
        between = np.where(late < 0.5, above - late, time.cdf(t) - time.cdf(u))
        p = np.where(above > 0, np.clip(between / above, 0.0, 1.0), 0.0)
    if isinstance(part, Replicated):
        inside = _groups(part, p, q)
    else:
        inside = _enough_not_all(part.n, part.need, p, q)
    return np.asarray(power(above, part.n) * np.maximum(inside, 0.0))


def _enough_not_all(n: int, need: int, p: Values, q: Values) -> Values:
    """P(need ≤ K < n) for a binomial K of n with probability p = 1 − q."""
    from scipy import special  # its import takes longer than many a command

    few, many = special.betainc(need, n - need + 1, p), special.betainc(n - need + 1, need, q)
    with np.errstate(divide="ignore"):
        some_late = -expm1(n * log1p(-q))
    return np.asarray(np.where(p < 0.5, few - power(p, n), some_late - many))


def _groups(part: Replicated, p: Values, q: Values) -> Values:
    """P(enough groups have an answer, but not all workers have answered)."""
    from scipy import special  # its import takes longer than many a command

    size, groups = part.size, part.n // part.size
    with np.errstate(divide="ignore", invalid="ignore"):
        none = power(q, size)
        answered = -expm1(size * log(q))
        mixed = sum(math.comb(size, i) * power(p, i) * power(q, size - i) for i in range(1, size))
        # of all groups some worker is late: answered^groups − p^n, with its digits
        some = expm1(groups * log1p(mixed / power(p, size)))
        late = np.where(p > 0, power(p, part.n) * some, 0.0)
    late = np.where(np.isfinite(late), late, power(answered, groups) - power(p, part.n))
    if part.need == groups:
        return np.asarray(late)
    lacking = special.betainc(part.need, groups - part.need + 1, answered) - power(answered, groups)
    rest = special.betainc(1, groups, none) - special.betainc(
        groups - part.need + 1, part.need, none
    )
    return np.asarray(late + np.where(answered < 0.5, lacking, rest))
