"""What is known registers here, by the name that a study gives to a code, system or selection."""

import functools
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fastgc.arrays import Values
from fastgc.theory.common.codes import parameters
from fastgc.theory.known.laws import Law, TimeLaw, late_law, law_of, time_law
from fastgc.theory.papers.claim import ClosedForm

# ---- what can be known of a system, and the closed forms that follow from it


Table = Mapping[str, Any]
_OfSelection = Callable[[Table], Iterator[ClosedForm]]
#: By kind of experiment, name, and decoder (empty but for codes).
_rules: dict[tuple[str, str, str], Callable[[Table], Iterable[ClosedForm]]] = {}
#: Which table of an experiment names what is known, and under which key.
_NAMED = {
    "decoding": ("code", "family"),
    "completion": ("system", "family"),
    "training": ("selection", "method"),
    "sequence": ("system", "family"),
}


@dataclass(frozen=True)
class Time:
    """Mean and variance of the completion time, where known, and P(T > t)."""

    moments: tuple[float, float] | None
    tail: Callable[[float], float]


@dataclass(frozen=True)
class Known:
    """What is known of a system.

    * ``load``: a worker's share of the work.
    * ``time``: completion time from the law of a worker's time; None where it is not known.
    * ``claim``: id of the claim that tests the mean completion time for exponential times; None
      where there is none, as of those below.
    * ``decodable``: probability to be ever done under a table of stragglers; None where it is not
      known.
    * ``messages``: number of messages where all answer.
    * ``worked``: mean seconds of all workers from the law of a worker's time; None where it is not
      known.
    * ``port``: whether ``time`` holds where a port takes the messages one by one.
    * ``tasks``: number of a worker's tasks, where the ``load`` of a study is that of one task; of
      blocks, what they are together in times of one partition.
    * ``task``: share of the work whose time is the law's; ``load`` by default.
    * ``finishing``: mean time of a round, in those of a worker, and mean number of answers, of
      trials of so many rounds whose late workers with exponential times finish; None where they are
      not known.
    * ``load_claim``, ``decodable_claim``, ``worked_claim``: ids of the claims that test the load,
      the probability to be done, and the seconds of work.
    """

    load: float
    time: Callable[[TimeLaw], Time | None]
    claim: str | None
    decodable: Callable[[Table], float | None]
    messages: float | None = None
    worked: Callable[[TimeLaw], float | None] = lambda _: None
    port: bool = False
    tasks: float = 1
    task: float | None = None
    finishing: Callable[[int], tuple[float, float]] | None = None
    load_claim: str | None = None
    decodable_claim: str | None = None
    worked_claim: str | None = None


def receive(experiment: Table) -> float:
    """Seconds that a port takes for a message; 0 is no port."""
    return float((experiment.get("port") or {}).get("receive") or 0.0)


def if_answered(n: int, given: Callable[[int], float]) -> Callable[[Table], float | None]:
    """Probability to be ever done, from that given r of n workers that answer."""

    def decodable(stragglers: Table) -> float | None:
        law = law_of(n, stragglers)
        if law is None:
            return None
        return min(math.fsum(law.survivors[r] * given(r) for r in law.possible), 1.0)

    return decodable


def completion_forms(experiment: Table, known: Known) -> Iterator[ClosedForm]:
    """Load, messages and time where all workers answer, else the probability to be done."""
    given, stragglers = experiment["system"].get("load"), experiment.get("stragglers")
    load = known.load if given is None else known.tasks * given
    yield ClosedForm("load", "mean", None, float(load), known.load_claim)
    if experiment.get("between_rounds") == "finish":
        yield from _finishing_forms(experiment, known, known.load if given is None else given)
        return
    if stragglers is not None:
        probability = known.decodable(stragglers)
        if probability is not None:
            yield ClosedForm("decodable", "mean", None, probability, known.decodable_claim)
        return
    if known.messages is not None:
        yield ClosedForm("messages", "mean", None, known.messages, None)
    if receive(experiment) == 0 or known.port:
        task = known.load if known.task is None else known.task
        yield from _time_forms(experiment, known, task if given is None else given)


def _finishing_forms(experiment: Table, known: Known, load: float) -> Iterator[ClosedForm]:
    """Means of rounds whose late workers finish, of exponential times without a shift."""
    work, scaling = experiment.get("work") or 1.0, experiment.get("scaling") or "server-dependent"
    law = time_law(experiment.get("latency"), load * work, scaling)
    if known.finishing is None or law is None or law.exponential is None or law.exponential[1]:
        return
    mean = law.exponential[0]
    time, answers = known.finishing(experiment["iterations"])
    yield ClosedForm("time", "mean", None, mean * time, None)
    for quantity, factor in (("messages", 1.0), ("worker_seconds", mean)):
        yield ClosedForm(quantity, "mean", None, factor * answers, None)


def _time_forms(experiment: Table, known: Known, task: float) -> Iterator[ClosedForm]:
    work, scaling = experiment.get("work") or 1.0, experiment.get("scaling") or "server-dependent"
    law = time_law(experiment.get("latency"), task * work, scaling)
    if law is None:
        return
    worked = known.worked(law)
    if worked is not None:
        yield ClosedForm("worker_seconds", "mean", None, worked, known.worked_claim)
    time = known.time(law)
    if time is None:
        return
    if time.moments is not None:
        claim = None if law.exponential is None else known.claim
        yield ClosedForm("time", "mean", None, time.moments[0], claim)
        yield ClosedForm("time", "variance", None, time.moments[1], None)
    for threshold in experiment.get("thresholds") or ():
        yield ClosedForm("time", f"P(>{float(threshold)!r})", None, time.tail(threshold), None)


# ---- a decoding experiment, and forms that all codes state alike


class Decoding:
    """One ``[[experiment]]`` table of decoding, its keys as they are where it leaves them out."""

    def __init__(self, experiment: Table) -> None:
        self.experiment = experiment
        self.decoder = str(experiment.get("decoder", "optimal"))
        self.code: Table = experiment.get("code") or {}
        self.iterations = int(experiment.get("iterations", 1))
        self.shuffle = str(experiment.get("shuffle", "none"))

    def wants(self, quantity: str) -> bool:
        """Whether the experiment measures a quantity; without a list it measures all."""
        measures = self.experiment.get("measure")
        return measures is None or quantity in measures

    def whole(self, key: str) -> int:
        """A parameter of the code; 0 where it is no whole number."""
        value = self.code.get(key)
        return value if isinstance(value, int) else 0

    @property
    def partitions(self) -> int:
        """Partitions of the code; 0 where its table does not say how many."""
        family, name = self.code.get("family"), str(self.code.get("name"))
        if family == "bibd":
            return int(parameters(name)["k"])
        if family == "graph":
            edges = self.code.get("edges")
            listed = 1 + max(max(map(int, edge)) for edge in edges) if edges else 0
            return max(self.whole("vertices"), listed) or (10 if name == "petersen" else 0)
        return self.whole("k") or self.whole("n")

    def law(self, n: int) -> Law | None:
        """Law of the number of survivors of n workers, where it is known."""
        stragglers = self.experiment.get("stragglers", {})
        if n <= 0:
            return None
        if stragglers.get("model") == "deadline":
            share = self._share
            return late_law(n, share, stragglers) if share else None
        return law_of(n, stragglers)

    @property
    def _share(self) -> float:
        """Share of the data that every worker holds; 0 where it is not known or they differ."""
        family = self.code.get("family")
        if family == "uncoded":
            return 1.0 / self.whole("n")
        if family in ("frc", "circulant"):
            return self.whole("d") / self.whole("n")
        if family == "bibd":
            known = parameters(self.code["name"])
            return known["d"] / known["k"]
        return 0.0


def error_forms(
    mean: float, claim: str | None, variance: float | None = None
) -> Iterator[ClosedForm]:
    """Mean error of one iteration and of a trial, and the variance in one iteration."""
    yield ClosedForm("error", "mean", None, mean, claim)
    if variance is not None:
        yield ClosedForm("error", "variance", None, variance, None)
    yield ClosedForm("mean_error", "mean", None, mean, claim)


def per_partition(form: ClosedForm, k: int) -> Iterator[ClosedForm]:
    """The same of the error divided by the partitions, where it is one of the error."""
    if form.quantity == "error" and k > 0:
        scale = float(k * k if form.statistic == "variance" else k)
        value = form.value / scale
        yield ClosedForm("error_per_partition", form.statistic, form.index, value, None)


def survivor_forms(law: Law, means: Values | None = None) -> Iterator[ClosedForm]:
    """Probabilities of r = 0 … n survivors and, where given, the mean error given r."""
    for r, probability in enumerate(law.survivors.tolist()):
        yield ClosedForm("survivors", "mean", r, probability, None)
        if probability and means is not None:
            yield ClosedForm("error_by_survivors", "mean", r, float(means[r]), None)


# ---- the register

_OfCode = Callable[[Decoding], Iterator[ClosedForm]]
_OfSystem = Callable[[Table, int], Known | None]


def code(*families: str, decoder: str = "optimal") -> Callable[[_OfCode], _OfCode]:
    """Register the closed forms of codes of these families under one decoder."""

    def register(rule: _OfCode) -> _OfCode:
        def forms(experiment: Table) -> Iterator[ClosedForm]:
            run = Decoding(experiment)
            for form in rule(run):
                yield form
                yield from per_partition(form, run.partitions)

        for family in families:
            _add("decoding", family, forms, decoder)
        return rule

    return register


def system(*families: str) -> Callable[[_OfSystem], _OfSystem]:
    """Register what is known of systems of these families, given an experiment and its n ≥ 1."""

    def register(rule: _OfSystem) -> _OfSystem:
        def forms(experiment: Table) -> Iterable[ClosedForm]:
            if experiment["system"].get("patience") or experiment.get("send"):
                return ()  # no formula knows of a master that waits on, or of times to send
            n = experiment["system"].get("n")
            known = rule(experiment, n) if isinstance(n, int) and n >= 1 else None
            return () if known is None else completion_forms(experiment, known)

        for family in families:
            _add("completion", family, forms)
        return rule

    return register


def _of_kind(kind: str) -> Callable[..., Callable[[_OfSelection], _OfSelection]]:
    def named(*names: str) -> Callable[[_OfSelection], _OfSelection]:
        def register(rule: _OfSelection) -> _OfSelection:
            for name in names:
                _add(kind, name, rule)
            return rule

        return register

    return named


#: Register the closed forms of training that selects workers by some methods.
selection = _of_kind("training")
#: Register the closed forms of codes of some families over several rounds.
sequence = _of_kind("sequence")


def closed_forms(experiment: Table) -> list[ClosedForm]:
    """Every closed form that applies to an experiment; what is infinite is left out.

    ``experiment``: One ``[[experiment]]`` table of a study as plain data, its sweep already
    applied. Where it has ``measure``, only those quantities are returned. A table of which nothing
    is known (other codes, laws, decoders) gives an empty list; the table is not checked here.

    >>> experiment = {
    ...     "kind": "decoding",
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.247},
    ...     "measure": ["error"],
    ... }
    >>> [(form.statistic, round(form.value, 6)) for form in closed_forms(experiment)]
    [('mean', 0.488072), ('variance', 0.91659)]
    """
    _load()
    kind, measures = experiment.get("kind", "decoding"), experiment.get("measure")
    table, key = _NAMED.get(kind, ("", ""))
    name = (experiment.get(table) or {}).get(key)
    decoder = experiment.get("decoder", "optimal") if kind == "decoding" else ""
    rule = _rules.get((str(kind), str(name), str(decoder)))
    forms: Iterable[ClosedForm] = rule(experiment) if rule else ()
    return [
        form
        for form in forms
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]


def _add(
    kind: str, name: str, rule: Callable[[Table], Iterable[ClosedForm]], decoder: str = ""
) -> None:
    if (kind, name, decoder) in _rules:
        raise ValueError(f"known: there are two rules for {kind} of {name} {decoder}".rstrip())
    _rules[kind, name, decoder] = rule


@functools.cache
def _load() -> None:
    folder = import_module(__package__)
    for file in pkgutil.iter_modules(folder.__path__, f"{__package__}."):
        import_module(file.name)
